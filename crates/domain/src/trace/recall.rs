//! Which units hold suspects, now or once, and what they are in today.
//!
//! A walk goes up from a suspect level by level and carries along when what it has reached held the suspect. What a node was reached by is
//! joined to as few spans as possible, and of its links only those are looked at that held meanwhile, so that a part that was swapped
//! often costs no more than its swaps. Suspects that always were in the same things share one walk.

use std::collections::HashMap;
use std::slice;

use super::graph::Hop;
use super::span::Span;
use crate::key::{IdMap, SerialKey};
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
        let (mut nodes, mut places) = (Vec::new(), IdMap::default());
        places.reserve(suspects.len() + hops.len());
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
        if let [group] = self.groups.as_slice() {
            let first = &group[..group.len().min(most)];
            let held = |unit: &Recalled| self.keys(if unit.depth == 0 { slice::from_ref(&unit.node) } else { first });
            return Ok(units.into_iter().map(held).collect());
        }
        let mut wanted: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut holders: Vec<Holder> = Vec::new();
        for unit in units {
            wanted[unit.node] = Some(holders.len());
            holders.push(Holder { suspects: Vec::new(), left: unit.via_count as usize });
        }
        let mut incomplete = holders.len();
        let mut walks = Walks::new(self.nodes.len());
        for group in &self.groups {
            if incomplete == 0 {
                break;
            }
            let mut hold = |node: usize, suspects: &[usize]| {
                if let Some(place) = wanted[node] {
                    holders[place].add(suspects, most);
                    incomplete -= usize::from(holders[place].left == 0);
                }
            };
            for suspect in group {
                hold(*suspect, &[*suspect]);
            }
            self.walk(&mut walks, group[0], &go_on, |node, _| hold(node, group.as_slice()))?;
        }
        Ok(holders.into_iter().map(|holder| self.keys(&holder.first(most))).collect())
    }

    fn keys(&self, suspects: &[usize]) -> Vec<SerialKey> {
        let key = |suspect: &usize| match self.nodes[*suspect] {
            Parent::Serial(key) => Some(key),
            Parent::Batch(_) => None,
        };
        suspects.iter().filter_map(key).collect()
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
                // The outermost ones end the walk.
                if self.above(node).is_empty() {
                    continue;
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

    fn first(mut self, most: usize) -> Vec<usize> {
        self.keep_first(most);
        self.suspects
    }

    fn keep_first(&mut self, most: usize) {
        self.suspects.sort_unstable();
        self.suspects.truncate(most);
    }
}

#[cfg(test)]
mod tests;
