//! The sequence in which work waits.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::named;

named! {
    /// Whose work waits in a queue.
    pub enum QueueKind {
        /// The site's: all orders that are not closed.
        Site = "s",
        /// An operator's: the open jobs assigned to that user.
        Operator = "o",
    }
}

/// The fault of one of the records that a new sequence names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misnamed {
    /// It is not in this queue.
    Absent,
    /// It was named before.
    Again,
}

/// The wrongly named records of a new sequence, by index.
pub fn misnamed<K: Copy + Eq + Hash>(waiting: &[K], named: &[K]) -> Vec<(usize, Misnamed)> {
    let waiting: HashSet<K> = waiting.iter().copied().collect();
    let mut seen = HashSet::new();
    let wrong = named.iter().enumerate().filter_map(|(index, key)| match (waiting.contains(key), seen.insert(*key)) {
        (false, _) => Some((index, Misnamed::Absent)),
        (true, false) => Some((index, Misnamed::Again)),
        (true, true) => None,
    });
    wrong.collect()
}

/// The new sequence: the named records come first, the others follow in their old sequence.
pub fn reorder<K: Copy + Eq + Hash>(waiting: &[K], named: &[K]) -> Vec<K> {
    let first: HashSet<K> = named.iter().copied().collect();
    named.iter().copied().chain(waiting.iter().copied().filter(|key| !first.contains(key))).collect()
}

/// Assigns the existing places to the same records in another sequence; returns those whose place changes. A record that
/// joins the queue in the meantime, with a place behind all of them, still comes last.
pub fn exchange_places<K: Copy + Eq + Hash>(before: &[(K, i64)], order: &[K]) -> Vec<(K, i64)> {
    let mut places: Vec<i64> = before.iter().map(|(_, place)| *place).collect();
    places.sort_unstable();
    let before: HashMap<K, i64> = before.iter().copied().collect();
    let placed = order.iter().copied().zip(places);
    placed.filter(|(key, place)| before.get(key) != Some(place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::subsequence;

    /// Records with different places, and some of them in another sequence.
    fn queues() -> impl Strategy<Value = (Vec<(u8, i64)>, Vec<u8>)> {
        prop::collection::btree_set(any::<i64>(), 0..12).prop_flat_map(|places| {
            let records: Vec<(u8, i64)> = (0..).zip(places).collect();
            let keys: Vec<u8> = records.iter().map(|(key, _)| *key).collect();
            let named = subsequence(keys.clone(), 0..=keys.len()).prop_shuffle();
            (Just(records).prop_shuffle(), named)
        })
    }

    fn in_order(records: &[(u8, i64)]) -> Vec<u8> {
        let mut records = records.to_vec();
        records.sort_by_key(|(_, place)| *place);
        records.into_iter().map(|(key, _)| key).collect()
    }

    proptest! {
        #[test]
        fn what_was_named_is_first_and_nothing_is_lost((records, named) in queues()) {
            let before = in_order(&records);
            let after = reorder(&before, &named);
            prop_assert_eq!(&after[..named.len()], &named[..]);
            let rest: Vec<u8> = before.iter().copied().filter(|key| !named.contains(key)).collect();
            prop_assert_eq!(&after[named.len()..], &rest[..]);
            prop_assert_eq!(misnamed(&before, &named), vec![]);
        }

        #[test]
        fn exchanged_places_give_that_order_and_are_the_same_places((records, named) in queues()) {
            let wanted = reorder(&in_order(&records), &named);
            let changed = exchange_places(&records, &wanted);
            let now = |(key, place): &(u8, i64)| {
                (*key, changed.iter().find(|(moved, _)| moved == key).map_or(*place, |(_, place)| *place))
            };
            let after: Vec<(u8, i64)> = records.iter().map(now).collect();
            prop_assert_eq!(in_order(&after), wanted);
            let places = |records: &[(u8, i64)]| records.iter().map(|(_, place)| *place).collect::<HashSet<i64>>();
            prop_assert_eq!(places(&after), places(&records));
        }

        #[test]
        fn an_order_that_is_there_already_moves_nothing((records, _) in queues()) {
            prop_assert_eq!(exchange_places(&records, &in_order(&records)), vec![]);
        }
    }

    #[test]
    fn strangers_and_repetitions_are_all_found() {
        use Misnamed::{Absent, Again};
        assert_eq!(misnamed(&[1, 2, 3], &[3, 9, 3, 1, 9, 3]), vec![(1, Absent), (2, Again), (4, Absent), (5, Again)]);
    }
}
