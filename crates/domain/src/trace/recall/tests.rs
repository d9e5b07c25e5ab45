use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use super::*;
use crate::Timestamp;
use crate::key::BatchKey;
use proptest::prelude::*;

fn unit(key: i64) -> Parent {
    if key < 0 { Parent::Batch(BatchKey(-key)) } else { Parent::Serial(SerialKey(key)) }
}

fn number(node: Parent) -> i64 {
    match node {
        Parent::Serial(key) => key.0,
        Parent::Batch(key) => -key.0,
    }
}

fn hop(child: i64, parent: i64, linked: Option<i64>, unlinked: Option<i64>) -> Hop {
    let time = |millis: Option<i64>| millis.map(Timestamp::from_millis);
    Hop { parent: unit(parent), child: SerialKey(child), linked: time(linked), unlinked: time(unlinked) }
}

fn recall(suspects: &[i64], hops: &[Hop]) -> Recall {
    let suspects: Vec<SerialKey> = suspects.iter().copied().map(SerialKey).collect();
    Recall::new(&suspects, hops, on).unwrap()
}

fn on() -> Result<(), Infallible> {
    Ok(())
}

/// Unit, top, whether it is a root, depth, suspects.
type Row = (i64, i64, bool, u32, Vec<i64>);

fn rows(recall: &Recall) -> Vec<Row> {
    let units: Vec<Recalled> = recall.units().collect();
    let via = recall.via(&units, 100, on).unwrap();
    let row = |(found, via): (&Recalled, Vec<SerialKey>)| {
        assert_eq!(found.via_count as usize, via.len());
        let via = via.into_iter().map(|key| key.0).collect();
        (number(found.unit), number(found.top), found.is_root, found.depth, via)
    };
    let mut rows: Vec<Row> = units.iter().zip(via).map(row).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn a_unit_counts_once_at_its_least_distance() {
    let hops = [(1, 3), (2, 3), (3, 4), (5, 4), (4, -9)].map(|(child, parent)| hop(child, parent, Some(1), None));
    let found = recall(&[1, 2, 5, 7], &hops);
    let expected: Vec<Row> = vec![
        (-9, -9, true, 2, vec![1, 2, 5]),
        (1, -9, false, 0, vec![1]),
        (2, -9, false, 0, vec![2]),
        (3, -9, false, 1, vec![1, 2]),
        (4, -9, false, 1, vec![1, 2, 5]),
        (5, -9, false, 0, vec![5]),
        (7, 7, true, 0, vec![7]),
    ];
    assert_eq!(rows(&found), expected);
}

#[test]
fn a_suspect_that_holds_another_is_both() {
    let found = recall(&[1, 2], &[hop(1, 2, Some(1), None)]);
    assert_eq!(rows(&found), [(1, 2, false, 0, vec![1]), (2, 2, true, 0, vec![1, 2])]);
}

#[test]
fn what_was_taken_out_and_what_it_was_in_are_both_roots() {
    // 1 was in 2 until 5; since 7, 2 is in 3, which never held it.
    let found = recall(&[1], &[hop(1, 2, Some(1), Some(5)), hop(2, 3, Some(7), None)]);
    assert_eq!(rows(&found), [(1, 1, true, 0, vec![1]), (2, 3, true, 1, vec![1])]);
    // The other held it while it was still in.
    let found = recall(&[1], &[hop(1, 2, Some(1), Some(5)), hop(2, 3, Some(4), None)]);
    assert_eq!(rows(&found), [(1, 1, true, 0, vec![1]), (2, 3, false, 1, vec![1]), (3, 3, true, 2, vec![1])]);
}

#[test]
fn only_the_first_suspects_are_shown() {
    let hops: Vec<Hop> = (1..=9).map(|child| hop(child, 20, Some(1), None)).collect();
    let found = recall(&[9, 8, 7, 6, 5, 4, 3, 2, 1, 1], &hops);
    let top: Vec<Recalled> = found.units().filter(|found| found.is_root).collect();
    assert_eq!((top.len(), top[0].via_count), (1, 9));
    assert_eq!(found.via(&top, 3, on).unwrap(), [[SerialKey(1), SerialKey(2), SerialKey(3)]]);
}

#[test]
fn a_round_comes_to_an_end() {
    let found = recall(&[1], &[hop(1, 2, Some(1), None), hop(2, 1, Some(1), None)]);
    assert_eq!(found.units().count(), 2);
}

/// One motor that was in two pumps by turns, so many times, with so many suspects in it all the while, and one for each turn.
fn swapped(turns: i64, steady: i64) -> (Vec<i64>, Vec<Hop>) {
    let (motor, pumps) = (1, [2, 3]);
    let turn = |turn: i64| hop(motor, pumps[turn as usize % 2], Some(turn * 10), Some(turn * 10 + 9));
    let mut hops: Vec<Hop> = (0..turns).map(turn).collect();
    let steady = 10..10 + steady;
    hops.extend(steady.clone().map(|suspect| hop(suspect, motor, Some(-suspect), None)));
    let brief = steady.end..steady.end + turns;
    hops.extend(
        brief.clone().zip(0..).map(|(suspect, turn)| hop(suspect, motor, Some(turn * 10 + 1), Some(turn * 10 + 5))),
    );
    ((steady.start..brief.end).collect(), hops)
}

#[test]
fn many_swaps_and_many_suspects_do_not_multiply() {
    let (turns, steady) = (6_000, 4_000);
    let (suspects, hops) = swapped(turns, steady);
    let suspects: Vec<SerialKey> = suspects.into_iter().map(SerialKey).collect();
    let asked = Cell::new(0);
    let counting = || {
        asked.set(asked.get() + 1);
        on()
    };
    let found = Recall::new(&suspects, &hops, counting).unwrap();
    let pumps: Vec<Recalled> = found.units().filter(|found| found.depth == 2).collect();
    assert_eq!(pumps.len(), 2);
    for pump in &pumps {
        assert_eq!(i64::from(pump.via_count), steady + turns / 2);
    }
    let first: Vec<SerialKey> = (10..110).map(SerialKey).collect();
    assert_eq!(found.via(&pumps, 100, counting).unwrap(), [first.clone(), first]);
    // Each swap is looked at a few times, not once for each suspect.
    assert!(asked.get() <= 20, "{} times {STEPS} links", asked.get());
}

#[test]
fn suspects_that_came_in_at_different_times_are_told_apart() {
    let (suspects, hops) = swapped(4, 1);
    let expected: Vec<Row> = vec![
        (1, 1, true, 1, vec![10, 11, 12, 13, 14]),
        (2, 2, true, 2, vec![10, 11, 13]),
        (3, 3, true, 2, vec![10, 12, 14]),
    ];
    let found = rows(&recall(&suspects, &hops));
    assert_eq!(found.into_iter().filter(|row| row.3 > 0).collect::<Vec<Row>>(), expected);
}

#[test]
fn a_recall_ends_when_nobody_wants_it_any_more() {
    let (suspects, hops) = swapped(STEPS as i64, 1);
    let suspects: Vec<SerialKey> = suspects.into_iter().map(SerialKey).collect();
    assert_eq!(Recall::new(&suspects, &hops, || Err("gone")).unwrap_err(), "gone");
    let found = Recall::new(&suspects, &hops, on).unwrap();
    let units: Vec<Recalled> = found.units().collect();
    assert_eq!(found.via(&units, 100, || Err("gone")).unwrap_err(), "gone");
}

/// What one suspect was in at a moment, with the distances.
fn held_at(hops: &[Hop], suspect: i64, moment: i64) -> BTreeMap<i64, u32> {
    let mut found = BTreeMap::from([(suspect, 0)]);
    let mut level = BTreeSet::from([suspect]);
    for distance in 1.. {
        let now = hops.iter().filter(|hop| Span::of(hop.linked, hop.unlinked).holds_at(moment));
        let above = now.filter(|hop| level.contains(&hop.child.0)).map(|hop| number(hop.parent));
        level = above.filter(|node| !found.contains_key(node)).collect();
        if level.is_empty() {
            break;
        }
        found.extend(level.iter().map(|node| (*node, distance)));
    }
    found
}

/// Units with their depths and suspects.
type Held = BTreeMap<i64, (u32, BTreeSet<i64>)>;

fn held_at_any(suspects: &BTreeSet<i64>, hops: &[Hop]) -> Held {
    let moments: BTreeSet<i64> =
        hops.iter().map(|hop| Span::of(hop.linked, hop.unlinked).begins()).chain([0]).collect();
    let mut held = Held::new();
    for suspect in suspects {
        for moment in &moments {
            for (node, depth) in held_at(hops, *suspect, *moment) {
                let entry = held.entry(node).or_insert((depth, BTreeSet::new()));
                entry.0 = entry.0.min(depth);
                entry.1.insert(*suspect);
            }
        }
    }
    held
}

fn found(suspects: &BTreeSet<i64>, hops: &[Hop]) -> Held {
    let suspects: Vec<i64> = suspects.iter().copied().collect();
    let rows = rows(&recall(&suspects, hops)).into_iter();
    rows.map(|(node, _, _, depth, via)| (node, (depth, via.into_iter().collect()))).collect()
}

prop_compose! {
    fn any_hop()(
        child in 0..12_i64, parent in -2..12_i64, linked in prop::option::weighted(0.9, 0..20_i64), lasted in 0..20_i64,
        ended in any::<bool>(),
    ) -> Hop {
        let unlinked = linked.filter(|_| ended).map(|linked| linked + lasted);
        hop(child, parent, linked, unlinked)
    }
}

proptest! {
    /// Whatever the links are like, rounds and units with several parents included.
    #[test]
    fn units_are_those_that_held_a_suspect_at_some_moment(
        suspects in prop::collection::btree_set(0..12_i64, 0..5), hops in prop::collection::vec(any_hop(), 0..30),
    ) {
        prop_assert_eq!(found(&suspects, &hops), held_at_any(&suspects, &hops));
    }

    /// Parts 0 to 7 go in and out of 8 to 10, and those of 11 to 13, again and again.
    #[test]
    fn many_swaps_lose_no_moment(
        suspects in prop::collection::btree_set(0..11_i64, 1..9),
        inner in prop::collection::vec((0..8_i64, 8..11_i64, 0..200_i64, 1..30_i64), 0..80),
        outer in prop::collection::vec((8..11_i64, 11..14_i64, 0..200_i64, 0..9_i64), 0..80),
    ) {
        let swaps = inner.into_iter().chain(outer);
        let hops: Vec<Hop> =
            swaps.map(|(child, parent, from, lasted)| hop(child, parent, Some(from), Some(from + lasted))).collect();
        prop_assert_eq!(found(&suspects, &hops), held_at_any(&suspects, &hops));
    }

    /// With links as they are: one that has not ended for each serial, and no rounds.
    #[test]
    fn every_suspect_is_in_exactly_one_root(parents in prop::collection::vec(0..40_usize, 1..40), first in 0..40_usize) {
        let hops: Vec<Hop> = parents
            .iter()
            .enumerate()
            .filter(|(child, parent)| *parent > child)
            .map(|(child, parent)| hop(child as i64, *parent as i64, Some(1), None))
            .collect();
        let suspects: Vec<i64> = (0..40).step_by(1 + first % 7).collect();
        let found = rows(&recall(&suspects, &hops));
        let mut in_roots: Vec<i64> = found.iter().filter(|row| row.2).flat_map(|row| row.4.clone()).collect();
        in_roots.sort_unstable();
        prop_assert_eq!(in_roots, suspects);
        for (node, top, is_root, _, _) in &found {
            prop_assert_eq!(*is_root, node == top);
        }
    }
}
