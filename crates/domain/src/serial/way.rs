use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::key::SerialKey;

/// The way up from a serial to another that contains it: the keys from the first to the last. `None` if the other does not contain
/// it. `above` has what contains each serial.
pub fn way_up(above: &HashMap<SerialKey, Vec<SerialKey>>, from: SerialKey, to: SerialKey) -> Option<Vec<SerialKey>> {
    // Level by level; each serial once, with the one below it by which it was reached first.
    let mut below: HashMap<SerialKey, Option<SerialKey>> = HashMap::from([(from, None)]);
    let mut level = vec![from];
    while !level.is_empty() && !below.contains_key(&to) {
        let mut next = Vec::new();
        for child in level {
            for parent in above.get(&child).into_iter().flatten() {
                if let Entry::Vacant(entry) = below.entry(*parent) {
                    entry.insert(Some(child));
                    next.push(*parent);
                }
            }
        }
        level = next;
    }
    below.contains_key(&to).then(|| {
        let way = std::iter::successors(Some(to), |key| below.get(key).copied().flatten());
        let mut way: Vec<SerialKey> = way.collect();
        way.reverse();
        way
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(links: &[(i64, i64)], from: i64, to: i64) -> Option<Vec<i64>> {
        let mut above: HashMap<SerialKey, Vec<SerialKey>> = HashMap::new();
        for (child, parent) in links {
            above.entry(SerialKey(*child)).or_default().push(SerialKey(*parent));
        }
        way_up(&above, SerialKey(from), SerialKey(to)).map(|way| way.into_iter().map(|key| key.0).collect())
    }

    #[test]
    fn the_shortest_way_is_found() {
        let links = [(1, 2), (2, 3), (3, 4), (1, 5), (5, 4)];
        assert_eq!(way(&links, 1, 4), Some(vec![1, 5, 4]));
        assert_eq!(way(&links, 2, 4), Some(vec![2, 3, 4]));
        assert_eq!(way(&links, 1, 1), Some(vec![1]));
        assert_eq!((way(&links, 4, 1), way(&links, 1, 9)), (None, None));
    }

    #[test]
    fn a_round_is_left() {
        assert_eq!(way(&[(1, 2), (2, 1)], 1, 3), None);
    }
}
