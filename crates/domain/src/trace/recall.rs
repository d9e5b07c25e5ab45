//! Which units hold suspects, now or once, and what they are in today.

use std::collections::HashMap;

use super::graph::Hop;
use super::span::Span;
use crate::key::SerialKey;
use crate::serial::Parent;

/// Suspects with everything that holds them, or held them by chains whose links held at one moment.
#[derive(Debug)]
pub struct Recall {
    /// What suspects and links name, each once.
    nodes: Vec<Parent>,
    /// Where the links begin that lead up from a node; one more than there are nodes.
    starts: Vec<usize>,
    /// Sorted by the nodes that they lead up from.
    links: Vec<Up>,
    /// The nodes of the suspects, by key.
    suspects: Vec<usize>,
    /// What is known of each node.
    found: Vec<Found>,
    /// The outermost unit that each node is in today; a node that is in nothing is its own.
    tops: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Up {
    parent: usize,
    span: Span,
}

#[derive(Debug, Clone, Copy, Default)]
struct Found {
    depth: u32,
    /// How many suspects it holds; none of a node that is no unit of the recall.
    via: u32,
}

/// A suspect, or a unit or batch that holds one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recalled {
    node: usize,
    pub unit: Parent,
    /// The outermost unit or batch that it is in today.
    pub top: Parent,
    /// Whether no other unit of the recall holds it today.
    pub is_root: bool,
    /// The least number of links down to a suspect; 0 of a suspect.
    pub depth: u32,
    /// How many suspects it holds, itself counted.
    pub via_count: u32,
}

/// What a walk up from one suspect has reached.
#[derive(Debug, Clone, Copy)]
struct Reached {
    node: usize,
    /// When it held the suspect by this way.
    span: Span,
    depth: u32,
}

/// What walks share: the node where each was last, and room.
#[derive(Debug)]
struct Walks {
    visited: Vec<Option<usize>>,
    reached: Vec<Reached>,
}

impl Recall {
    /// `hops` are the links above the suspects that may count, up to the outermost units. A suspect may be named more than once.
    pub fn new(suspects: &[SerialKey], hops: &[Hop]) -> Self {
        let (mut nodes, mut places) = (Vec::new(), HashMap::new());
        let mut place_of = |node: Parent| {
            *places.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() - 1
            })
        };
        let mut keys = suspects.to_vec();
        keys.sort_unstable();
        keys.dedup();
        let suspects: Vec<usize> = keys.into_iter().map(|key| place_of(Parent::Serial(key))).collect();
        let mut links: Vec<(usize, Up)> = hops
            .iter()
            .map(|hop| {
                let child = place_of(Parent::Serial(hop.child));
                (child, Up { parent: place_of(hop.parent), span: Span::of(hop.linked, hop.unlinked) })
            })
            .collect();
        links.sort_by_key(|(child, _)| *child);
        let mut starts = vec![0; nodes.len() + 1];
        for (child, _) in &links {
            starts[child + 1] += 1;
        }
        for node in 0..nodes.len() {
            starts[node + 1] += starts[node];
        }
        let links = links.into_iter().map(|(_, up)| up).collect();
        let found = vec![Found::default(); nodes.len()];
        let mut recall = Self { nodes, starts, links, suspects, found, tops: Vec::new() };
        recall.find();
        recall.tops = recall.tops();
        recall
    }

    /// In no order.
    pub fn units(&self) -> impl Iterator<Item = Recalled> + '_ {
        let units = self.found.iter().enumerate().filter(|(_, found)| found.via > 0);
        units.map(move |(node, found)| Recalled {
            node,
            unit: self.nodes[node],
            top: self.nodes[self.tops[node]],
            is_root: self.parent_today(node).is_none_or(|parent| self.found[parent].via == 0),
            depth: found.depth,
            via_count: found.via,
        })
    }

    /// The first suspects that each of these units holds, by key, at most so many of each.
    pub fn via<'a>(&self, units: impl IntoIterator<Item = &'a Recalled>, most: usize) -> Vec<Vec<SerialKey>> {
        let mut wanted: HashMap<usize, usize> = HashMap::new();
        let mut via: Vec<Vec<SerialKey>> = Vec::new();
        let mut missing = 0;
        for unit in units {
            let room = most.min(unit.via_count as usize);
            wanted.insert(unit.node, via.len());
            via.push(Vec::with_capacity(room));
            missing += room;
        }
        let mut walks = Walks::new(self.nodes.len());
        for number in 0..self.suspects.len() {
            if missing == 0 {
                break;
            }
            let Parent::Serial(key) = self.nodes[self.suspects[number]] else { continue };
            self.walk(&mut walks, number, |node, _| {
                if let Some(place) = wanted.get(&node)
                    && via[*place].len() < most
                {
                    via[*place].push(key);
                    missing -= 1;
                }
            });
        }
        via
    }

    fn find(&mut self) {
        let mut found = std::mem::take(&mut self.found);
        let mut walks = Walks::new(self.nodes.len());
        for number in 0..self.suspects.len() {
            self.walk(&mut walks, number, |node, depth| {
                let unit = &mut found[node];
                unit.depth = if unit.via == 0 { depth } else { unit.depth.min(depth) };
                unit.via += 1;
            });
        }
        self.found = found;
    }

    fn above(&self, node: usize) -> &[Up] {
        &self.links[self.starts[node]..self.starts[node + 1]]
    }

    /// Visits everything that holds a suspect or held it, each once, at its least distance.
    fn walk(&self, walks: &mut Walks, number: usize, mut visit: impl FnMut(usize, u32)) {
        let Walks { visited, reached } = walks;
        let suspect = self.suspects[number];
        reached.clear();
        reached.push(Reached { node: suspect, span: Span::ALWAYS, depth: 0 });
        visited[suspect] = Some(number);
        visit(suspect, 0);
        let mut next = 0;
        while let Some(from) = reached.get(next).copied() {
            next += 1;
            for up in self.above(from.node) {
                let Some(span) = from.span.and(up.span) else { continue };
                let (node, depth) = (up.parent, from.depth + 1);
                if visited[node] != Some(number) {
                    visited[node] = Some(number);
                    visit(node, depth);
                } else if reached.iter().any(|before| before.node == node && before.span.covers(span)) {
                    continue;
                }
                reached.push(Reached { node, span, depth });
            }
        }
    }

    /// What a node is in today.
    fn parent_today(&self, node: usize) -> Option<usize> {
        self.above(node).iter().find(|up| up.span.is_open()).map(|up| up.parent)
    }

    fn tops(&self) -> Vec<usize> {
        let mut tops: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut way = Vec::new();
        for start in 0..self.nodes.len() {
            let mut node = start;
            // What was met on this way ends it too, so that a round, which no links form, could not go on for ever.
            while tops[node].is_none() {
                tops[node] = Some(node);
                way.push(node);
                match self.parent_today(node) {
                    Some(parent) => node = parent,
                    None => break,
                }
            }
            let top = tops[node];
            for below in way.drain(..) {
                tops[below] = top;
            }
        }
        tops.into_iter().enumerate().map(|(node, top)| top.unwrap_or(node)).collect()
    }
}

impl Walks {
    fn new(nodes: usize) -> Self {
        Self { visited: vec![None; nodes], reached: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

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
        Recall::new(&suspects, hops)
    }

    /// Unit, top, whether it is a root, depth, suspects.
    type Row = (i64, i64, bool, u32, Vec<i64>);

    fn rows(recall: &Recall) -> Vec<Row> {
        let units: Vec<Recalled> = recall.units().collect();
        let via = recall.via(&units, 100);
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
        assert_eq!(found.via(&top, 3), [[SerialKey(1), SerialKey(2), SerialKey(3)]]);
    }

    #[test]
    fn a_round_comes_to_an_end() {
        let found = recall(&[1], &[hop(1, 2, Some(1), None), hop(2, 1, Some(1), None)]);
        assert_eq!(found.units().count(), 2);
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
            let suspects: Vec<i64> = suspects.into_iter().collect();
            let moments: BTreeSet<i64> =
                hops.iter().map(|hop| Span::of(hop.linked, hop.unlinked).begins()).chain([0]).collect();
            let mut expected: BTreeMap<i64, (u32, BTreeSet<i64>)> = BTreeMap::new();
            for suspect in &suspects {
                for moment in &moments {
                    for (node, depth) in held_at(&hops, *suspect, *moment) {
                        let entry = expected.entry(node).or_insert((depth, BTreeSet::new()));
                        entry.0 = entry.0.min(depth);
                        entry.1.insert(*suspect);
                    }
                }
            }
            let found = recall(&suspects, &hops);
            let found: BTreeMap<i64, (u32, BTreeSet<i64>)> = rows(&found)
                .into_iter()
                .map(|(node, _, _, depth, via)| (node, (depth, via.into_iter().collect())))
                .collect();
            prop_assert_eq!(found, expected);
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
}
