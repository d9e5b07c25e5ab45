//! Recalls in random genealogies, against looking at every moment.

use std::collections::{BTreeMap, BTreeSet};

use super::recall::moved;
use super::*;
use crate::production::random::{Dice, new_seed};

const UNITS: usize = 30;
const STEPS: usize = 120;
const RECALLS: usize = 40;

on_both_engines! {
    async fn recalls_find_what_looking_at_every_moment_finds(site) {
        let plant = plant(site).await;
        let mut dice = Dice(new_seed());
        let mut world = World::make(&plant, &mut dice).await;
        for moment in 0..STEPS {
            site.clock.advance_seconds(1);
            world.step(&plant, &mut dice, moment).await;
        }
        assert!(world.links.len() > 5, "enough was built in");
        for number in 0..RECALLS {
            let live: Vec<usize> = (0..UNITS).filter(|unit| !world.units[*unit].deleted).collect();
            let suspects: BTreeSet<usize> = (0..1 + dice.roll(4)).map(|_| *dice.pick(&live)).collect();
            let (ever, all) = (dice.roll(2) == 0, dice.roll(2) == 0);
            let keys: Vec<&str> = suspects.iter().map(|unit| world.units[*unit].key.as_str()).collect();
            let rows = if all { "all" } else { "roots" };
            let sent = json!({ "serial_key": keys, "include_replaced": ever, "rows": rows });
            let answered = plant.admin.post("/trace/recall", sent.clone()).await.expect(200).body;
            let answered = answered.as_array().unwrap();
            let order: Vec<(String, String)> =
                answered.iter().map(|row| (text(&row["product_code"]), text(&row["serial_code"]))).collect();
            assert!(order.is_sorted(), "{number}: {order:?}");
            let expected = world.recall(&suspects, ever, all);
            let found: BTreeMap<String, Value> = answered.iter().map(|row| (text(&row["serial_key"]), outline(row))).collect();
            assert_eq!(found.len(), answered.len(), "each unit once");
            assert_eq!(found, expected, "{number}: {sent}");
        }
    }
}

/// What of a row is compared.
fn outline(row: &Value) -> Value {
    json!([row["depth"], row["via_count"], row["via"], row["root_serial_key"], row["location"]["status"]])
}

struct Unit {
    key: String,
    released: bool,
    scrapped: bool,
    deleted: bool,
    in_stock: bool,
    /// Whether the last movement took it to the outside.
    shipped: bool,
}

struct Link {
    child: usize,
    parent: usize,
    from: usize,
    to: Option<usize>,
}

struct World {
    units: Vec<Unit>,
    links: Vec<Link>,
}

const PRODUCTS: [&str; 3] = ["AX", "BX", "CX"];

impl World {
    async fn make(plant: &Plant, dice: &mut Dice) -> Self {
        plant.products(&PRODUCTS).await;
        plant.admin.patch("/config", json!({ "allow_serial_delete": true })).await.expect(200);
        let mut units = Vec::new();
        for number in 0..UNITS {
            let released = dice.roll(3) > 0;
            let mut unit =
                json!({ "product_key": PRODUCTS[number % 3], "code": format!("S{:02}", (number * 7) % UNITS) });
            if !released {
                unit["released"] = Value::Null;
            }
            let key = plant.made(unit).await;
            units.push(Unit { key, released, scrapped: false, deleted: false, in_stock: false, shipped: false });
        }
        Self { units, links: Vec::new() }
    }

    fn open(&mut self, child: usize) -> Option<&mut Link> {
        self.links.iter_mut().find(|link| link.child == child && link.to.is_none())
    }

    /// Something happens, if the service lets it.
    async fn step(&mut self, plant: &Plant, dice: &mut Dice, moment: usize) {
        let (one, other) = (dice.roll(UNITS), dice.roll(UNITS));
        let (key, parent) = (self.units[one].key.clone(), self.units[other].key.clone());
        let product = PRODUCTS[one % 3];
        match dice.roll(12) {
            0 => {
                let sent = json!({ "serial_key": key, "reason": "luck" });
                if event(&plant.admin, "SERIAL_SCRAPPED", sent).await.status == 200 {
                    let unit = &mut self.units[one];
                    unit.shipped &= !unit.in_stock;
                    (unit.scrapped, unit.in_stock) = (true, false);
                }
            }
            1 => {
                if event(&plant.admin, "SERIAL_DELETED", json!({ "serial_key": key })).await.status == 200 {
                    self.units[one].deleted = true;
                    let ending = self.links.iter_mut().filter(|link| link.parent == one && link.to.is_none());
                    ending.for_each(|link| link.to = Some(moment));
                }
            }
            2 => {
                let receipt = json!({ "product_key": product, "serial_key": key, "qt_confirmed": 1 });
                if moved(&plant.admin, "receipt", receipt).await.status == 200 {
                    (self.units[one].in_stock, self.units[one].shipped) = (true, false);
                }
            }
            3 => {
                let shipment = json!({ "product_key": product, "serial_key": key, "qt_confirmed": 1 });
                if moved(&plant.admin, "shipment", shipment).await.status == 200 {
                    (self.units[one].in_stock, self.units[one].shipped) = (false, true);
                }
            }
            4 | 5 => {
                let Some(link) = self.open(one) else { return };
                link.to = Some(moment);
                let parent = link.parent;
                unlink(&plant.admin, &key, &self.units[parent].key, json!({})).await.expect(200);
            }
            roll => {
                let replace = json!({ "replace_existing": roll > 9 });
                let answer = link_with(&plant.admin, &key, &parent, replace).await;
                assert!([200, 422].contains(&answer.status), "{}", answer.text);
                let same = self.open(one).is_some_and(|link| link.parent == other);
                if answer.status == 200 && !same {
                    if let Some(before) = self.open(one) {
                        before.to = Some(moment);
                    }
                    self.links.push(Link { child: one, parent: other, from: moment, to: None });
                }
            }
        }
    }

    fn parent_at(&self, child: usize, moment: usize) -> Option<usize> {
        let holds = |link: &&Link| link.child == child && link.from <= moment && link.to.is_none_or(|to| to > moment);
        self.links.iter().find(holds).map(|link| link.parent)
    }

    fn top(&self, unit: usize) -> usize {
        std::iter::successors(Some(unit), |unit| self.parent_at(*unit, STEPS)).last().unwrap_or(unit)
    }

    fn status(&self, unit: usize) -> &'static str {
        match &self.units[unit] {
            Unit { in_stock: true, .. } => "in_stock",
            Unit { shipped: true, .. } => "shipped",
            Unit { scrapped: true, .. } => "scrapped",
            Unit { released: false, .. } => "wip",
            _ => "none",
        }
    }

    /// Rows by key, as a recall has to find them.
    fn recall(&self, suspects: &BTreeSet<usize>, ever: bool, all: bool) -> BTreeMap<String, Value> {
        let mut found: BTreeMap<usize, (usize, BTreeSet<usize>)> = BTreeMap::new();
        let first = if ever { 0 } else { STEPS };
        for suspect in suspects {
            for moment in first..=STEPS {
                let way = std::iter::successors(Some(*suspect), |unit| self.parent_at(*unit, moment));
                for (depth, unit) in way.enumerate() {
                    let entry = found.entry(unit).or_insert((depth, BTreeSet::new()));
                    entry.0 = entry.0.min(depth);
                    entry.1.insert(*suspect);
                }
            }
        }
        let listed = found.iter().filter(|(unit, _)| {
            let is_root = self.parent_at(**unit, STEPS).is_none_or(|parent| !found.contains_key(&parent));
            !self.units[**unit].deleted && (all || is_root)
        });
        let row = |(unit, (depth, via)): (&usize, &(usize, BTreeSet<usize>))| {
            let top = self.top(*unit);
            let mut keys: Vec<&str> = via.iter().map(|unit| self.units[*unit].key.as_str()).collect();
            keys.sort_unstable();
            (self.units[*unit].key.clone(), json!([depth, via.len(), keys, self.units[top].key, self.status(top)]))
        };
        listed.map(row).collect()
    }
}
