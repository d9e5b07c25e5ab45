//! Which units hold suspects, now or once, and what they are in today.
//!
//! A walk goes up from a suspect level by level and carries along when what it has reached held the suspect. What a node was reached by is
//! joined to as few spans as possible, and of its links only those are looked at that held meanwhile, so that a part that was swapped
//! often costs no more than its swaps. Suspects that always were in the same things share one walk.

use std::collections::HashMap;

use super::graph::Hop;
use super::span::Span;
use crate::key::SerialKey;
use crate::serial::Parent;

/// Suspects with everything that holds them, or held them by chains whose links held at one moment.
#[derive(Debug)]
pub struct Recall {
    /// What suspects and links name, each once: first the suspects, by key.
    nodes: Vec<Parent>,
    /// Where the links begin that lead up from a node; one more than there are nodes.
    starts: Vec<usize>,
    /// Sorted by the nodes that they lead up from, then by time.
    links: Vec<Up>,
    /// The nodes of suspects that share a walk, in their order; the groups by their first.
    groups: Vec<Vec<usize>>,
    /// What is known of each node.
    found: Vec<Found>,
    /// The outermost unit that each node is in today; a node that is in nothing is its own.
    tops: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Up {
    parent: usize,
    span: Span,
    /// When the last of this link and those of the same node before it ended.
    until: i64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Found {
    depth: u32,
    /// How many suspects it holds; none of a node that is no unit of the recall.
    via: u32,
}

impl Found {
    fn add(&mut self, suspects: usize, depth: u32) {
        self.depth = if self.via == 0 { depth } else { self.depth.min(depth) };
        self.via += suspects as u32;
    }
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

/// How many links walks look at before they ask whether to go on.
const STEPS: usize = 10_000;

/// What walks share: what each node was reached by in the last walk that came by, and room.
#[derive(Debug)]
struct Walks {
    number: usize,
    reached: Vec<Reached>,
    /// Nodes with the times at which they held the suspect: of the present level, and of the next.
    front: Vec<(usize, Span)>,
    next: Vec<(usize, Span)>,
    /// How many links were looked at since the last question.
    steps: usize,
}

#[derive(Debug, Clone, Default)]
struct Reached {
    /// The number of the walk.
    walk: usize,
    /// Sorted, with time between them.
    spans: Vec<Span>,
}

impl Recall {
    /// `hops` are the links above the suspects that may count, up to the outermost units. A suspect may be named more than once.
    /// `go_on` is asked now and then, and ends it by an error.
    pub fn new<E>(suspects: &[SerialKey], hops: &[Hop], go_on: impl Fn() -> Result<(), E>) -> Result<Self, E> {
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
        let suspects = keys.len();
        for key in keys {
            place_of(Parent::Serial(key));
        }
        let mut links: Vec<(usize, usize, Span)> = hops
            .iter()
            .map(|hop| (hop, Span::of(hop.linked, hop.unlinked)))
            .filter(|(_, span)| !span.is_empty())
            .map(|(hop, span)| (place_of(Parent::Serial(hop.child)), place_of(hop.parent), span))
            .collect();
        links.sort_unstable();
        links.dedup_by(|later, earlier| (later.0, later.1) == (earlier.0, earlier.1) && earlier.2.join(later.2));
        links.sort_unstable_by_key(|(child, parent, span)| (*child, *span, *parent));
        let mut starts = vec![0; nodes.len() + 1];
        for (child, ..) in &links {
            starts[child + 1] += 1;
        }
        for node in 0..nodes.len() {
            starts[node + 1] += starts[node];
        }
        let mut until = (0, i64::MIN);
        let links = links.into_iter().map(|(child, parent, span)| {
            let before = if until.0 == child { until.1 } else { i64::MIN };
            until = (child, before.max(span.ends()));
            Up { parent, span, until: until.1 }
        });
        let links = links.collect();
        let found = vec![Found::default(); nodes.len()];
        let mut recall = Self { nodes, starts, links, groups: Vec::new(), found, tops: Vec::new() };
        recall.groups = recall.groups(suspects);
        recall.find(&go_on)?;
        recall.tops = recall.tops();
        Ok(recall)
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

    /// The first suspects that each of these units holds, by key, at most so many of each. Each takes the memory of three times as many
    /// meanwhile. `go_on` is asked now and then.
    pub fn via<'a, E>(
        &self,
        units: impl IntoIterator<Item = &'a Recalled>,
        most: usize,
        go_on: impl Fn() -> Result<(), E>,
    ) -> Result<Vec<Vec<SerialKey>>, E> {
        let mut wanted: HashMap<usize, usize> = HashMap::new();
        let mut holders: Vec<Holder> = Vec::new();
        for unit in units {
            wanted.insert(unit.node, holders.len());
            holders.push(Holder { suspects: Vec::new(), left: unit.via_count as usize });
        }
        let mut incomplete = holders.len();
        let mut walks = Walks::new(self.nodes.len());
        for group in &self.groups {
            if incomplete == 0 {
                break;
            }
            let mut hold = |node: usize, suspects: &[usize]| {
                if let Some(place) = wanted.get(&node) {
                    holders[*place].add(suspects, most);
                    incomplete -= usize::from(holders[*place].left == 0);
                }
            };
            for suspect in group {
                hold(*suspect, &[*suspect]);
            }
            self.walk(&mut walks, group[0], &go_on, |node, _| hold(node, group.as_slice()))?;
        }
        Ok(holders.into_iter().map(|holder| self.keys(holder, most)).collect())
    }

    /// The keys of the first of its suspects.
    fn keys(&self, mut holder: Holder, most: usize) -> Vec<SerialKey> {
        holder.keep_first(most);
        let keys = holder.suspects.into_iter().filter_map(|suspect| match self.nodes[suspect] {
            Parent::Serial(key) => Some(key),
            Parent::Batch(_) => None,
        });
        keys.collect()
    }

    /// Puts suspects together that the same things held. A chain above their parents begins and ends to hold with one of its links: when
    /// exactly a suspect came in or out between two such moments makes no difference.
    fn groups(&self, suspects: usize) -> Vec<Vec<usize>> {
        let mut holds = vec![false; self.nodes.len()];
        for up in &self.links {
            holds[up.parent] = true;
        }
        let holders = (0..self.nodes.len()).filter(|node| holds[*node]);
        let mut moments: Vec<i64> =
            holders.flat_map(|node| self.above(node)).flat_map(|up| [up.span.begins(), up.span.ends()]).collect();
        moments.sort_unstable();
        moments.dedup();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut alike: HashMap<Vec<(usize, Span)>, usize> = HashMap::new();
        for (suspect, holds) in holds.into_iter().enumerate().take(suspects) {
            // One that holds something may be on the way of another.
            if holds {
                groups.push(vec![suspect]);
                continue;
            }
            let widened = self.above(suspect).iter().map(|up| (up.parent, up.span.widened_to(&moments)));
            let mut parents: Vec<(usize, Span)> = widened.collect();
            join(&mut parents);
            let group = *alike.entry(parents).or_insert(groups.len());
            match groups.get_mut(group) {
                Some(group) => group.push(suspect),
                None => groups.push(vec![suspect]),
            }
        }
        groups
    }

    fn find<E>(&mut self, go_on: &impl Fn() -> Result<(), E>) -> Result<(), E> {
        let mut found = std::mem::take(&mut self.found);
        let mut walks = Walks::new(self.nodes.len());
        for group in &self.groups {
            for suspect in group {
                found[*suspect].add(1, 0);
            }
            self.walk(&mut walks, group[0], go_on, |node, depth| found[node].add(group.len(), depth))?;
        }
        self.found = found;
        Ok(())
    }

    fn above(&self, node: usize) -> &[Up] {
        &self.links[self.starts[node]..self.starts[node + 1]]
    }

    /// The links up from a node that may have held at some moment of a span.
    fn above_during(&self, node: usize, span: Span) -> impl Iterator<Item = &Up> {
        let all = self.above(node);
        let first = all.partition_point(|up| up.until <= span.begins());
        all[first..].iter().take_while(move |up| up.span.begins() < span.ends())
    }

    /// Visits everything else that holds a suspect or held it, each once, at its least distance.
    fn walk<E>(
        &self,
        walks: &mut Walks,
        suspect: usize,
        go_on: &impl Fn() -> Result<(), E>,
        mut visit: impl FnMut(usize, u32),
    ) -> Result<(), E> {
        let Walks { number, reached, front, next, steps } = walks;
        *number += 1;
        reached[suspect].begin(*number);
        reached[suspect].spans.push(Span::ALWAYS);
        front.clear();
        front.push((suspect, Span::ALWAYS));
        let mut depth = 0;
        while !front.is_empty() {
            depth += 1;
            next.clear();
            for (node, span) in front.drain(..) {
                let before = next.len();
                let both = |up: &Up| span.and(up.span).map(|both| (up.parent, both));
                next.extend(self.above_during(node, span).filter_map(both));
                *steps += 1 + next.len() - before;
                if *steps >= STEPS {
                    *steps = 0;
                    go_on()?;
                }
            }
            join(next);
            for spans in next.chunk_by(|one, other| one.0 == other.0) {
                let node = spans[0].0;
                let reached = &mut reached[node];
                if reached.walk != *number {
                    reached.begin(*number);
                    visit(node, depth);
                }
                let before = front.len();
                front.extend(spans.iter().filter(|(_, span)| !reached.covers(*span)));
                reached.add(front[before..].iter().map(|(_, span)| *span));
            }
        }
        Ok(())
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

/// Sorts, and joins the spans of each node.
fn join(spans: &mut Vec<(usize, Span)>) {
    spans.sort_unstable();
    spans.dedup_by(|later, earlier| later.0 == earlier.0 && earlier.1.join(later.1));
}

impl Walks {
    fn new(nodes: usize) -> Self {
        let reached = vec![Reached::default(); nodes];
        Self { number: 0, reached, front: Vec::new(), next: Vec::new(), steps: 0 }
    }
}

impl Reached {
    fn begin(&mut self, walk: usize) {
        self.walk = walk;
        self.spans.clear();
    }

    fn covers(&self, span: Span) -> bool {
        let behind = self.spans.partition_point(|known| known.begins() <= span.begins());
        self.spans[..behind].last().is_some_and(|known| known.covers(span))
    }

    fn add(&mut self, spans: impl Iterator<Item = Span>) {
        self.spans.extend(spans);
        self.spans.sort_unstable();
        self.spans.dedup_by(|later, earlier| earlier.join(*later));
    }
}

/// A unit whose first suspects are wanted.
struct Holder {
    /// Those found so far that may be among the first.
    suspects: Vec<usize>,
    /// How many more there are to be found.
    left: usize,
}

impl Holder {
    fn add(&mut self, suspects: &[usize], most: usize) {
        self.left -= suspects.len();
        self.suspects.extend(suspects.iter().take(most));
        if self.suspects.len() > 2 * most {
            self.keep_first(most);
        }
    }

    fn keep_first(&mut self, most: usize) {
        self.suspects.sort_unstable();
        self.suspects.truncate(most);
    }
}

#[cfg(test)]
mod tests {
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
}
