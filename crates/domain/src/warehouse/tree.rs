//! Which positions are in which: no position is in itself, and none is too deep.

use std::collections::{HashMap, HashSet};

use crate::key::PositionKey;

/// The deepest level of a position. A reserved position has level 0, what is directly in it level 1.
pub const DEEPEST: usize = 99;

/// The way from a position down to another that is in it, or is the same, given the way to the other from the top. `None` if the other
/// is not in it.
pub fn way_down(from: &PositionKey, way: &[PositionKey]) -> Option<Vec<PositionKey>> {
    let start = way.iter().position(|key| key == from)?;
    Some(way[start..].to_vec())
}

/// Positions with what they are in: parent by child.
#[derive(Debug, Clone, Default)]
pub struct PositionTree(HashMap<PositionKey, PositionKey>);

/// What is wrong with the place of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It is in itself.
    Loop,
    /// It, or what is in it, is deeper than [`DEEPEST`].
    TooDeep,
}

impl FromIterator<(PositionKey, PositionKey)> for PositionTree {
    fn from_iter<I: IntoIterator<Item = (PositionKey, PositionKey)>>(links: I) -> Self {
        Self(links.into_iter().collect())
    }
}

impl PositionTree {
    /// Puts a position into another.
    pub fn put(&mut self, child: PositionKey, parent: PositionKey) {
        self.0.insert(child, parent);
    }

    /// What a position is in.
    pub fn parent(&self, key: &PositionKey) -> Option<&PositionKey> {
        self.0.get(key)
    }

    /// What is wrong, told of those in `moved`, which got their places just now: all was well before. Of a position that is too deep, the
    /// nearest moved one is told, itself or one that it is in; of a loop, each moved one in it.
    pub fn troubles(&self, moved: &HashSet<PositionKey>) -> HashMap<PositionKey, Trouble> {
        let levels = self.levels();
        let mut troubles = HashMap::new();
        for key in moved.iter().filter(|key| levels.get(key) == Some(&Level::Loop)) {
            troubles.insert(key.clone(), Trouble::Loop);
        }
        for (key, _) in levels.iter().filter(|(_, level)| matches!(level, Level::At(level) if *level > DEEPEST)) {
            let mut way = std::iter::successors(Some(*key), |key| self.parent(key));
            if let Some(told) = way.find(|key| moved.contains(*key)) {
                troubles.entry(told.clone()).or_insert(Trouble::TooDeep);
            }
        }
        troubles
    }

    /// The level of each position that is in another.
    fn levels(&self) -> HashMap<&PositionKey, Level> {
        let mut levels: HashMap<&PositionKey, Level> = HashMap::with_capacity(self.0.len());
        for key in self.0.keys() {
            // Up to one whose level is known, to one that is in no other, or round.
            let (mut way, mut places): (Vec<&PositionKey>, HashMap<&PositionKey, usize>) = Default::default();
            let mut at = key;
            let top = loop {
                if let Some(level) = levels.get(at) {
                    break match level {
                        Level::At(level) => Level::At(*level),
                        Level::Loop | Level::BelowLoop => Level::BelowLoop,
                    };
                }
                if let Some(start) = places.get(at) {
                    levels.extend(way.drain(*start..).map(|key| (key, Level::Loop)));
                    break Level::BelowLoop;
                }
                let Some(parent) = self.0.get(at) else { break Level::At(0) };
                places.insert(at, way.len());
                way.push(at);
                at = parent;
            };
            for (steps, key) in way.into_iter().rev().enumerate() {
                levels.insert(
                    key,
                    match top {
                        Level::At(level) => Level::At(level + steps + 1),
                        Level::Loop | Level::BelowLoop => Level::BelowLoop,
                    },
                );
            }
        }
        levels
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    At(usize),
    /// In itself.
    Loop,
    /// In a position that is in itself.
    BelowLoop,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(number: usize) -> PositionKey {
        PositionKey::trusted(if number == 0 { "IN".to_owned() } else { format!("p{number}") })
    }

    fn keys(numbers: &[usize]) -> Vec<PositionKey> {
        numbers.iter().copied().map(key).collect()
    }

    fn tree(links: &[(usize, usize)]) -> PositionTree {
        links.iter().map(|(child, parent)| (key(*child), key(*parent))).collect()
    }

    fn troubles(tree: &PositionTree, moved: &[usize]) -> Vec<(PositionKey, Trouble)> {
        let mut found: Vec<_> = tree.troubles(&keys(moved).into_iter().collect()).into_iter().collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        found
    }

    #[test]
    fn the_way_down_begins_at_the_moved_one() {
        assert_eq!(way_down(&key(2), &keys(&[1, 2, 3])), Some(keys(&[2, 3])));
        assert_eq!(way_down(&key(3), &keys(&[1, 2, 3])), Some(keys(&[3])));
        assert_eq!(way_down(&key(4), &keys(&[1, 2, 3])), None);
    }

    #[test]
    fn only_what_was_moved_is_told_of_a_loop() {
        let round = tree(&[(1, 2), (2, 3), (3, 1), (4, 1), (5, 0)]);
        assert_eq!(troubles(&round, &[1, 4, 5]), [(key(1), Trouble::Loop)]);
        assert_eq!(troubles(&tree(&[(1, 1)]), &[1]), [(key(1), Trouble::Loop)]);
        assert!(troubles(&tree(&[(1, 0), (2, 1)]), &[1, 2]).is_empty());
    }

    #[test]
    fn what_is_too_deep_is_told_of_the_nearest_that_was_moved() {
        let chain: Vec<(usize, usize)> = (1..=DEEPEST + 1).map(|level| (level, level - 1)).collect();
        let deep = tree(&chain);
        assert_eq!(troubles(&deep, &[DEEPEST + 1]), [(key(DEEPEST + 1), Trouble::TooDeep)]);
        assert_eq!(troubles(&deep, &[7, 9]), [(key(9), Trouble::TooDeep)]);
        assert!(troubles(&tree(&chain[..DEEPEST]), &[DEEPEST]).is_empty());
    }

    proptest! {
        /// Compared with walking up from each position for as many steps as there are.
        #[test]
        fn troubles_are_what_a_walk_finds(links in prop::collection::vec(0..30_usize, 1..30), chain in 90..105_usize) {
            // A chain below the last of them, so that some are too deep.
            let mut all: Vec<(usize, usize)> = links.iter().enumerate().map(|(at, parent)| (at + 1, *parent)).collect();
            let start = links.len();
            all.extend((1..=chain).map(|step| (start + step, start + step - 1)));
            let tree = tree(&all);
            let moved: Vec<usize> = all.iter().map(|(child, _)| *child).collect();
            let found = tree.troubles(&keys(&moved).into_iter().collect());
            for (child, _) in &all {
                let walk: Vec<&PositionKey> =
                    std::iter::successors(tree.parent(&key(*child)), |at| tree.parent(at)).take(all.len() + 1).collect();
                let expected = if walk.contains(&&key(*child)) {
                    Some(Trouble::Loop)
                } else if walk.len() <= all.len() && walk.len() > DEEPEST {
                    Some(Trouble::TooDeep)
                } else {
                    None
                };
                prop_assert_eq!(found.get(&key(*child)).copied(), expected, "{}", child);
            }
        }
    }
}
