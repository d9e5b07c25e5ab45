//! Which units a trace shows: those that chains of links lead to, level by level.
//!
//! A chain counts if all its links held at one moment. So a walk carries along when what it has reached was connected with the start:
//! spans of time, cut down by every link. Active links have no end and always share their last moments, and so do links as of a moment,
//! which are shown as if they had none.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use super::span::Span;
use crate::Timestamp;
use crate::key::SerialKey;
use crate::serial::Parent;

/// A trace shows no more nodes than this.
pub const MOST_NODES: usize = 100_000;
/// A walk goes no further than this: chains are far shorter, and damaged links that form a loop end here.
pub const MOST_LEVELS: usize = 1_000;

/// A link, as a walk sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    pub parent: Parent,
    pub child: SerialKey,
    /// None: temporary. It holds now, together with whatever has not ended.
    pub linked: Option<Timestamp>,
    /// None: it has not ended.
    pub unlinked: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To what contains the start.
    Up,
    /// To what the start contains.
    Down,
}

/// What the walks of a trace have found.
#[derive(Debug)]
pub struct Graph {
    most: usize,
    levels: HashMap<Parent, i32>,
    truncated: bool,
}

impl Graph {
    /// Of a start, with at most so many nodes.
    pub fn new(start: SerialKey, most: usize) -> Self {
        Self { most, levels: HashMap::from([(Parent::Serial(start), 0)]), truncated: false }
    }

    /// All nodes with their levels: 0 for the start, negative for what contains it.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (Parent, i32)> + '_ {
        self.levels.iter().map(|(node, level)| (*node, *level))
    }

    /// How many more nodes there may be.
    pub fn room(&self) -> usize {
        self.most.saturating_sub(self.levels.len())
    }

    /// Whether there is more than it shows.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Whether the node is part of it, now or already.
    fn reach(&mut self, node: Parent, level: i32) -> bool {
        let full = self.levels.len() >= self.most;
        match self.levels.entry(node) {
            Entry::Occupied(_) => true,
            Entry::Vacant(_) if full => {
                self.truncated = true;
                false
            }
            Entry::Vacant(free) => {
                free.insert(level);
                true
            }
        }
    }
}

/// A walk from one serial over links, all in one way. In turns, [`Walk::wanted`] names the serials whose links it needs next,
/// [`Walk::learn`] takes these, and [`Walk::step`] goes one level on. Two walks that go on in turns reach every node at its least
/// distance first.
#[derive(Debug)]
pub struct Walk {
    way: Way,
    level: i32,
    hops: Vec<Hop>,
    /// Whether the hop at the same place is part of a chain that counts.
    counts: Vec<bool>,
    /// Where the hops are that begin at a serial, of those that were asked for.
    known: HashMap<SerialKey, Range<usize>>,
    /// What the last step has reached and when it was connected with the start, by serial and time.
    front: Vec<(SerialKey, Span)>,
}

impl Walk {
    pub fn new(start: SerialKey, way: Way) -> Self {
        let front = vec![(start, Span::ALWAYS)];
        Self { way, level: 0, hops: Vec::new(), counts: Vec::new(), known: HashMap::new(), front }
    }

    /// The serials whose links it needs for the next step and does not know yet, in order.
    pub fn wanted(&self) -> Vec<SerialKey> {
        let mut wanted: Vec<SerialKey> =
            self.front.iter().map(|(key, _)| *key).filter(|key| !self.known.contains_key(key)).collect();
        wanted.dedup();
        wanted
    }

    /// Takes the links of the serials that it wanted, those of one side by side. Without further notice a serial has none.
    pub fn learn(&mut self, wanted: &[SerialKey], hops: impl IntoIterator<Item = Hop>) {
        self.known.extend(wanted.iter().map(|key| (*key, 0..0)));
        let mut start = self.hops.len();
        self.hops.extend(hops);
        self.counts.resize(self.hops.len(), false);
        let near = |hop: &Hop| match (self.way, hop.parent) {
            (Way::Up, _) => Some(hop.child),
            (Way::Down, Parent::Serial(key)) => Some(key),
            (Way::Down, Parent::Batch(_)) => None,
        };
        for of_one in self.hops[start..].chunk_by(|one, next| near(one) == near(next)) {
            if let Some(key) = near(&of_one[0]) {
                self.known.insert(key, start..start + of_one.len());
            }
            start += of_one.len();
        }
    }

    /// Goes one level on, with what it has learned.
    pub fn step(&mut self, graph: &mut Graph) {
        self.level += match self.way {
            Way::Up => -1,
            Way::Down => 1,
        };
        let mut next = Vec::new();
        for (key, span) in std::mem::take(&mut self.front) {
            for place in self.known.get(&key).cloned().unwrap_or_default() {
                let hop = &self.hops[place];
                let Some(both) = span.and(Span::of(hop.linked, hop.unlinked)) else { continue };
                let far = match self.way {
                    Way::Up => hop.parent,
                    Way::Down => Parent::Serial(hop.child),
                };
                if graph.reach(far, self.level) {
                    self.counts[place] = true;
                    if let Parent::Serial(key) = far {
                        next.push((key, both));
                    }
                }
            }
        }
        next.sort_unstable();
        next.dedup_by(|later, earlier| later.0 == earlier.0 && earlier.1.join(later.1));
        self.front = next;
    }

    /// Whether there is nothing further on.
    pub fn is_over(&self) -> bool {
        self.front.is_empty() || self.level.unsigned_abs() as usize >= MOST_LEVELS
    }

    /// Of each hop that it has learned, in their order, whether it is part of a chain that counts.
    pub fn counts(&self) -> &[bool] {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn hop(parent: i64, child: i64, linked: Option<i64>, unlinked: Option<i64>) -> Hop {
        let time = |millis: Option<i64>| millis.map(Timestamp::from_millis);
        Hop {
            parent: Parent::Serial(SerialKey(parent)),
            child: SerialKey(child),
            linked: time(linked),
            unlinked: time(unlinked),
        }
    }

    /// Nodes with their levels, and the places of the links that count.
    type Found = (BTreeMap<i64, i32>, BTreeSet<usize>);

    /// All nodes, as the service looks for them.
    fn walk(links: &[Hop], start: i64, ways: &[Way], depth: usize, most: usize) -> (Found, bool) {
        let mut graph = Graph::new(SerialKey(start), most);
        let mut walks: Vec<(Walk, Vec<usize>)> =
            ways.iter().map(|way| (Walk::new(SerialKey(start), *way), Vec::new())).collect();
        for _ in 0..depth {
            for (walk, places) in walks.iter_mut().filter(|(walk, _)| !walk.is_over()) {
                let wanted = walk.wanted();
                let near = |link: &Hop| if walk.way == Way::Up { Parent::Serial(link.child) } else { link.parent };
                let of_wanted = wanted.iter().flat_map(|key| {
                    (0..links.len()).filter(|place| near(&links[*place]) == Parent::Serial(*key)).collect::<Vec<_>>()
                });
                let of_wanted: Vec<usize> = of_wanted.collect();
                walk.learn(&wanted, of_wanted.iter().map(|place| links[*place]));
                places.extend(of_wanted);
                walk.step(&mut graph);
            }
            if graph.is_truncated() {
                break;
            }
        }
        let key = |node| match node {
            Parent::Serial(key) => key.0,
            Parent::Batch(key) => -key.0,
        };
        let nodes = graph.nodes().map(|(node, level)| (key(node), level)).collect();
        let counting = walks.iter().flat_map(|(walk, places)| {
            places.iter().zip(walk.counts()).filter(|(_, counts)| **counts).map(|(place, _)| *place)
        });
        ((nodes, counting.collect()), graph.is_truncated())
    }

    #[test]
    fn a_chain_counts_only_while_all_its_links_hold() {
        // 3 was in 2 before 2 came into 1, and 4 at the same time.
        let links = [hop(1, 2, Some(10), None), hop(2, 3, Some(1), Some(5)), hop(2, 4, Some(1), Some(15))];
        let ((nodes, counting), _) = walk(&links, 1, &[Way::Down], 9, 9);
        assert_eq!((nodes, counting), (BTreeMap::from([(1, 0), (2, 1), (4, 2)]), BTreeSet::from([0, 2])));
        let ((nodes, _), _) = walk(&links, 3, &[Way::Up], 9, 9);
        assert_eq!(nodes, BTreeMap::from([(3, 0), (2, -1)]));
    }

    #[test]
    fn a_link_that_ends_as_another_begins_does_not_overlap_it() {
        let links = [hop(1, 2, Some(5), None), hop(2, 3, Some(1), Some(5)), hop(2, 4, Some(5), Some(5))];
        let ((nodes, _), _) = walk(&links, 1, &[Way::Down], 9, 9);
        assert_eq!(nodes, BTreeMap::from([(1, 0), (2, 1)]));
    }

    #[test]
    fn a_temporary_link_holds_with_what_has_not_ended() {
        let links = [hop(1, 2, None, None), hop(2, 3, Some(1), None), hop(2, 4, Some(1), Some(5))];
        let ((nodes, _), _) = walk(&links, 1, &[Way::Down], 9, 9);
        assert_eq!(nodes, BTreeMap::from([(1, 0), (2, 1), (3, 2)]));
    }

    #[test]
    fn a_unit_that_comes_nearer_is_followed_both_ways() {
        // 4 left 2 for 1; 5 was in it only before that.
        let links = [
            hop(1, 2, Some(1), None),
            hop(2, 4, Some(2), Some(6)),
            hop(1, 4, Some(6), None),
            hop(4, 5, Some(3), Some(5)),
        ];
        let ((nodes, counting), _) = walk(&links, 1, &[Way::Down], 9, 9);
        assert_eq!(nodes, BTreeMap::from([(1, 0), (2, 1), (4, 1), (5, 3)]));
        assert_eq!(counting.len(), 4);
    }

    #[test]
    fn a_batch_is_where_a_walk_ends() {
        let links = [Hop { parent: Parent::Batch(crate::key::BatchKey(7)), ..hop(0, 2, Some(1), None) }];
        let ((nodes, _), _) = walk(&links, 2, &[Way::Up, Way::Down], 9, 9);
        assert_eq!(nodes, BTreeMap::from([(2, 0), (-7, -1)]));
    }

    #[test]
    fn links_in_a_ring_come_to_an_end() {
        let links = [hop(1, 2, Some(1), None), hop(2, 1, Some(1), None)];
        let ((nodes, _), _) = walk(&links, 1, &[Way::Down], 2 * MOST_LEVELS, 9);
        assert_eq!(nodes.len(), 2);
    }

    #[test]
    fn what_does_not_fit_is_cut_from_the_far_end() {
        let links: Vec<Hop> = (2..=7).map(|child| hop(child / 2, child, Some(1), None)).collect();
        let ((nodes, _), truncated) = walk(&links, 1, &[Way::Down], 9, 7);
        assert!(nodes.len() == 7 && !truncated);
        let ((nodes, counting), truncated) = walk(&links, 1, &[Way::Down], 9, 5);
        assert!(truncated && nodes.len() == 5 && counting.len() == 4);
        assert_eq!(nodes.values().filter(|level| **level == 2).count(), 2);
    }

    /// The times of a link that holds at some moment of ten.
    fn span(link: &Hop) -> Range<i64> {
        link.linked.map_or(0, Timestamp::millis)..link.unlinked.map_or(10, Timestamp::millis)
    }

    /// At every moment by itself: one parent at most, so there is one way up.
    fn plainly(links: &[Hop], start: i64, ways: &[Way], depth: usize) -> Found {
        let (mut nodes, mut counting) = (BTreeMap::from([(start, 0)]), BTreeSet::new());
        let mut note = |node: i64, level: i32| {
            let kept = nodes.entry(node).or_insert(level);
            if level.abs() < kept.abs() || (level.abs() == kept.abs() && level < *kept) {
                *kept = level;
            }
        };
        for moment in 0..10 {
            let now: Vec<usize> = (0..links.len()).filter(|place| span(&links[*place]).contains(&moment)).collect();
            let mut level: Vec<i64> = vec![start];
            for distance in 1..=depth as i32 {
                let below = now.iter().copied().filter(|place| match links[*place].parent {
                    Parent::Serial(key) => level.contains(&key.0),
                    Parent::Batch(_) => false,
                });
                let below: Vec<usize> = if ways.contains(&Way::Down) { below.collect() } else { Vec::new() };
                level = below.iter().map(|place| links[*place].child.0).collect();
                level.iter().for_each(|node| note(*node, distance));
                counting.extend(below);
            }
            let mut at = start;
            for distance in 1..=depth as i32 {
                let above = now.iter().copied().find(|place| links[*place].child.0 == at);
                let Some(above) = above.filter(|_| ways.contains(&Way::Up)) else { break };
                let Parent::Serial(parent) = links[above].parent else { break };
                at = parent.0;
                note(at, -distance);
                counting.insert(above);
            }
        }
        (nodes, counting)
    }

    prop_compose! {
        /// Links of which none makes a unit part of itself, nor gives it two parents at once.
        fn genealogy()(drawn in prop::collection::vec((0..8_i64, 0..8_i64, 0..10_i64, 0..10_i64), 0..24)) -> Vec<Hop> {
            let mut links: Vec<Hop> = Vec::new();
            for (parent, child, one, other) in drawn {
                let (from, until) = (one.min(other), one.max(other));
                let new = hop(parent, child, Some(from), (until < 9).then_some(until));
                let mut all = links.clone();
                all.push(new);
                let sound = (0..10).all(|moment| {
                    let now: Vec<&Hop> = all.iter().filter(|link| span(link).contains(&moment)).collect();
                    let parent_of = |key: i64| now.iter().find(|link| link.child.0 == key).map(|link| link.parent);
                    let twice = now.iter().any(|link| now.iter().filter(|other| other.child == link.child).count() > 1);
                    let loops = (0..8).any(|start| {
                        let mut at = start;
                        (0..9).all(|_| match parent_of(at) {
                            Some(Parent::Serial(key)) => {
                                at = key.0;
                                true
                            }
                            _ => false,
                        })
                    });
                    !twice && !loops
                });
                if sound {
                    links = all;
                }
            }
            links
        }
    }

    proptest! {
        #[test]
        fn a_walk_finds_what_looking_at_every_moment_finds(
            links in genealogy(), start in 0..8_i64, ways in 0..3_usize, depth in 1..9_usize,
        ) {
            let ways: &[Way] = match ways {
                0 => &[Way::Up, Way::Down],
                1 => &[Way::Up],
                _ => &[Way::Down],
            };
            let (found, truncated) = walk(&links, start, ways, depth, 100);
            prop_assert_eq!(found, plainly(&links, start, ways, depth));
            prop_assert!(!truncated);
        }
    }
}
