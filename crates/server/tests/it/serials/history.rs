//! The tree of a unit at any moment, against a replay of the journal.

use std::collections::BTreeMap;

use domain::Timestamp;

use super::*;
use crate::production::random::{Dice, new_seed};

const SEED: u64 = 0x415702;
const UNITS: usize = 12;
const EVENTS: usize = 200;
const MOMENTS: usize = 40;

on_both_engines! {
    async fn a_tree_is_at_any_moment_what_the_journal_tells(site) {
        let done = run(site, SEED).await;
        for kind in ["linked", "moved", "linked again", "put in place of another", "taken out"] {
            assert!(done.contains_key(kind), "nothing was {kind}: {done:?}");
        }
    }

    async fn a_tree_is_what_the_journal_tells_whatever_happened(site) {
        run(site, new_seed()).await;
    }
}

/// How often each kind of change was made.
async fn run(site: &Site, seed: u64) -> BTreeMap<&'static str, usize> {
    let plant = plant(site).await;
    plant.product("P", json!({ "counter_key": "units" })).await;
    let mut dice = Dice(seed);
    let done = live(site, &plant, &mut dice).await;
    let journal = Journal::read(&plant).await;
    assert_eq!(journal.created.len(), UNITS);
    assert!(journal.changes.len() > EVENTS / 8, "enough has happened");
    for moment in journal.moments(&mut dice) {
        let parents = journal.at(moment);
        for (key, created) in &journal.created {
            let answer = plant.admin.get(&format!("/serial-hierarchy?serial_key={key}&as_of={moment}")).await;
            if *created > moment {
                answer.expect(404);
                continue;
            }
            let tree = answer.expect(200).body;
            assert_eq!(tree.as_array().unwrap().len(), 1, "one tree");
            assert_eq!(shown(&tree[0]), told(&parents, top(&parents, key)), "{key} at {moment}");
        }
    }
    let parents = journal.at(site.clock.now().plus_seconds(AHEAD));
    for key in journal.created.keys() {
        let tree = plant.get(&format!("/serial-hierarchy?serial_key={key}")).await;
        assert_eq!(shown(&standing(&tree[0])), told(&parents, top(&parents, key)), "{key} today");
    }
    done
}

/// An event may be so many seconds ahead of the clock.
const AHEAD: i64 = 300;

/// Makes units, builds them in and takes them out again as it comes.
async fn live(site: &Site, plant: &Plant, dice: &mut Dice) -> BTreeMap<&'static str, usize> {
    let (mut keys, mut done) = (Vec::new(), BTreeMap::new());
    for number in 0..EVENTS {
        site.clock.advance_seconds(dice.roll(60) as i64);
        if keys.len() < UNITS && number.is_multiple_of(EVENTS / 4) {
            let made = create(&plant.operator, json!({ "product_key": "P", "count": UNITS / 3 })).await.detail();
            keys.extend(each(&made["serials"], "serial_key"));
        }
        let (kind, event_type, mut members) = next(plant, dice, &keys).await;
        members["timestamp"] = json!(time(dice, site.clock.now()));
        let answer = event(&plant.operator, event_type, members).await;
        match answer.status {
            200 => *done.entry(kind).or_default() += 1,
            422 => assert!(answer.body["detail"]["error_type"].is_string(), "{kind}: {}", answer.text),
            _ => panic!("{kind}: {} {}", answer.status, answer.text),
        }
    }
    done
}

/// What might happen next: what it is called, and the event.
async fn next(plant: &Plant, dice: &mut Dice, keys: &[String]) -> (&'static str, &'static str, Value) {
    let (one, other) = (dice.pick(keys), dice.pick(keys));
    let members = |child: &str, parent: &str| json!({ "child_serial_key": child, "parent_serial_key": parent });
    match (dice.roll(12), parent(plant, one).await) {
        (0..=3, Some(parent)) => ("taken out", "SERIAL_UNLINKED", members(one, &parent)),
        (4, Some(parent)) => ("linked again", "SERIAL_LINKED", members(one, &parent)),
        (5..=7, Some(parent)) => {
            let mut members = members(other, &parent);
            members["replaces_serial_key"] = json!(one);
            members["replace_existing"] = json!(dice.roll(2) == 0);
            ("put in place of another", "SERIAL_LINKED", members)
        }
        (8..=10, Some(_)) => {
            let mut members = members(one, other);
            members["replace_existing"] = json!(true);
            ("moved", "SERIAL_LINKED", members)
        }
        _ => ("linked", "SERIAL_LINKED", members(one, other)),
    }
}

/// The unit that contains another one now.
async fn parent(plant: &Plant, key: &str) -> Option<String> {
    let above = plant.get(&format!("/serial-parents?serial_key={key}")).await;
    above.as_array().unwrap().last().map(|parent| text(&parent["serial_key"]))
}

/// Mostly now, sometimes earlier, and sometimes a little ahead.
fn time(dice: &mut Dice, now: Timestamp) -> Timestamp {
    match dice.roll(6) {
        0 | 1 => now.plus_seconds(-(dice.roll(900) as i64)),
        2 => now.plus_seconds(dice.roll(AHEAD as usize) as i64),
        _ => now,
    }
}

/// A unit gets another parent, or has none any more.
struct Change {
    at: Timestamp,
    child: String,
    parent: Option<String>,
}

/// What the journal tells of units.
struct Journal {
    created: BTreeMap<String, Timestamp>,
    /// In the order in which they were stored.
    changes: Vec<Change>,
}

/// Which unit contains another one, and since when.
type Parents<'a> = BTreeMap<&'a str, (&'a str, Timestamp)>;

impl Journal {
    async fn read(plant: &Plant) -> Self {
        let types = "type=SERIAL_CREATED&type=SERIAL_LINKED&type=SERIAL_UNLINKED";
        let events = plant.get(&format!("/event?{types}&sort_by=seq&sorting_order=asc&limit=10000")).await;
        let mut journal = Self { created: BTreeMap::new(), changes: Vec::new() };
        let mut parents: BTreeMap<String, String> = BTreeMap::new();
        for event in events.as_array().unwrap() {
            let (at, payload) = (Timestamp::parse(&text(&event["timestamp"])).unwrap(), &event["payload"]);
            if event["event_type"] == "SERIAL_CREATED" {
                journal.created.extend(each(&payload["serials"], "serial_key").into_iter().map(|key| (key, at)));
                continue;
            }
            let (child, parent) = (text(&payload["child_serial_key"]), text(&payload["parent_serial_key"]));
            let contained = parents.get(&child) == Some(&parent);
            match (event["event_type"] == "SERIAL_LINKED", contained) {
                (true, false) => {
                    parents.insert(child.clone(), parent.clone());
                    journal.change(Change { at, child, parent: Some(parent) });
                }
                (false, true) => {
                    parents.remove(&child);
                    journal.change(Change { at, child, parent: None });
                }
                // The same link again changes nothing; and what moved has left its old parent before the journal tells of it.
                (true, true) | (false, false) => {}
            }
        }
        journal
    }

    fn change(&mut self, change: Change) {
        let before = self.changes.iter().rfind(|before| before.child == change.child);
        assert!(before.is_none_or(|before| before.at <= change.at), "{} changes before its past", change.child);
        self.changes.push(change);
    }

    fn at(&self, moment: Timestamp) -> Parents<'_> {
        let mut parents = Parents::new();
        for change in self.changes.iter().filter(|change| change.at <= moment) {
            match &change.parent {
                Some(parent) => _ = parents.insert(change.child.as_str(), (parent.as_str(), change.at)),
                None => _ = parents.remove(change.child.as_str()),
            }
        }
        parents
    }

    /// Some of the moments at which something changed, or is about to.
    fn moments(&self, dice: &mut Dice) -> Vec<Timestamp> {
        let times = self.changes.iter().map(|change| change.at).chain(self.created.values().copied());
        let mut moments: Vec<Timestamp> = times.flat_map(|time| [time.plus_millis(-1), time]).collect();
        moments.sort_unstable();
        moments.dedup();
        while moments.len() > MOMENTS {
            moments.swap_remove(dice.roll(moments.len()));
        }
        moments
    }
}

/// The outermost unit that contains another one.
fn top<'a>(parents: &Parents<'a>, key: &'a str) -> &'a str {
    let mut top = key;
    for _ in 0..UNITS {
        match parents.get(top) {
            Some(&(parent, _)) => top = parent,
            None => return top,
        }
    }
    panic!("{key} is a part of itself");
}

/// A tree as the journal tells of it, the children of each unit by their keys.
fn told(parents: &Parents<'_>, key: &str) -> Value {
    let below = parents.iter().filter(|(_, (parent, _))| *parent == key);
    let children: Vec<Value> = below.map(|(child, _)| told(parents, child)).collect();
    let linked = parents.get(key).map(|(_, linked)| linked);
    json!({
        "serial_key": key, "linked": linked, "unlinked": null, "reason": null, "replaced": false, "confirmed": true,
        "expected": false, "children": children,
    })
}

/// What an answer shows of it.
fn shown(node: &Value) -> Value {
    let children = node["children"].as_array().unwrap();
    assert!(children.is_sorted_by_key(|child| child["linked"].as_str()), "by the time of the link: {node}");
    let mut children: Vec<Value> = children.iter().map(shown).collect();
    children.sort_by_cached_key(|child| text(&child["serial_key"]));
    let mut members = json!({ "children": children });
    for name in ["serial_key", "linked", "unlinked", "reason", "replaced", "confirmed", "expected"] {
        members[name] = node[name].clone();
    }
    members
}

/// A tree without what was taken out.
fn standing(node: &Value) -> Value {
    let children = node["children"].as_array().unwrap().iter().filter(|child| child["replaced"] == false);
    let mut node = node.clone();
    node["children"] = children.map(standing).collect();
    node
}
