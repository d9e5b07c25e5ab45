//! Many movements, plans and lists of several users, by a seed: one after the other, or at once. Whatever was carried out, stock is
//! the sum of it. Some movements are reversed at once, which has to bring back everything as it was.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use testkit::on_both_engines;

use super::depot::depot;
use super::*;
use crate::production::event;
use crate::production::random::{Dice, new_seed, walks_by_other_seeds};
use crate::serials::text;

const SEED: u64 = 0x570c4;
const STEPS: usize = 200;
/// Of a walk by a seed that `make fuzz` says.
const MANY_STEPS: usize = 400;
const WALKERS: usize = 4;
/// Of each of those who walk at once.
const STEPS_AT_ONCE: usize = 40;

const POSITIONS: [&str; 7] = ["IN", "A", "A1", "A2", "B", "C", "dealer"];
const TYPES: [&str; 8] =
    ["receipt", "receipt", "production", "shipment", "consumption", "transfer", "transfer", "adjustment"];
/// `N` may go below zero, and `T` is traced.
const PRODUCTS: [&str; 3] = ["P", "N", "T"];
const UNITS: usize = 12;

on_both_engines! {
    async fn stock_is_the_sum_of_movements_whatever_happens(site) {
        let done = run(site, SEED, STEPS).await;
        let expected = [
            "MOVEMENT_COMPLETED", "MOVEMENT_PLANNED", "MOVEMENT_REVERSED", "MOVEMENT_UPDATED", "WAREHOUSE_LIST_CLOSED", "boxes",
            "lists", "there and back",
        ];
        for what in expected {
            assert!(done.contains_key(what), "{what} never succeeded: {done:?}");
        }
    }

    async fn stock_is_the_sum_of_movements_by_any_seed(site) {
        run(site, new_seed(), STEPS).await;
    }

    /// Who comes first is not in the seed, so this is not the same every time.
    async fn stock_is_the_sum_of_movements_made_at_once(site) {
        let people = furnish(site).await;
        let seed = new_seed();
        let mut walkers: Vec<Walker> = (0..WALKERS).map(|number| Walker::new(&people, number, seed)).collect();
        join_all(walkers.iter_mut().map(|walker| walker.go(STEPS_AT_ONCE))).await;
        sums::audit(site, &people[0]).await;
    }
}

walks_by_other_seeds!(MANY_STEPS);

/// How often each thing was carried out.
async fn run(site: &Site, seed: u64, steps: usize) -> BTreeMap<&'static str, usize> {
    let people = furnish(site).await;
    let mut walker = Walker::new(&people, 0, seed);
    for number in 0..steps {
        site.clock.advance_seconds(1 + walker.dice.roll(100) as i64);
        if walker.dice.roll(15) == 0 {
            walker.go_there_and_back().await;
        } else {
            walker.do_something().await;
        }
        if number % 10 == 9 {
            sums::audit(site, &people[0]).await;
        }
    }
    sums::audit(site, &people[0]).await;
    walker.done
}

/// The shelves, two boxes, a dealer's place, and three products. Gives who works there.
async fn furnish(site: &Site) -> Vec<Person> {
    let depot = depot(site).await;
    depot
        .admin
        .post("/product", json!({ "_key": "N", "code": "N", "allow_negative_inventory": true }))
        .await
        .expect(201);
    for (key, parent) in [("B", "A1"), ("C", "IN")] {
        let carrier = json!({ "_key": key, "code": key, "parent_position_key": parent, "fixed": false });
        depot.keeper.post("/position", carrier).await.expect(200);
    }
    make(&depot.keeper, "dealer", "OUT").await;
    let mut people = vec![depot.keeper];
    for name in ["w-1", "w-2"] {
        people.push(site.user(name, "warehouse").await);
    }
    people
}

struct Walker {
    people: Vec<Person>,
    /// Whose codes of lists these are, of those who walk.
    number: usize,
    dice: Dice,
    lists: usize,
    spares: usize,
    done: BTreeMap<&'static str, usize>,
}

impl Walker {
    fn new(people: &[Person], number: usize, seed: u64) -> Self {
        let seed = seed.wrapping_add(number as u64 * 0x9e37_79b9).max(1);
        Self { people: people.to_vec(), number, dice: Dice(seed), lists: 0, spares: 0, done: BTreeMap::new() }
    }

    async fn go(&mut self, steps: usize) {
        for _ in 0..steps {
            self.do_something().await;
        }
    }

    async fn do_something(&mut self) {
        match self.dice.roll(24) {
            0..=5 => _ = self.move_goods().await,
            6..=8 => _ = self.move_unit().await,
            9 => self.carry().await,
            10..=12 => self.plan().await,
            13 => self.make_list().await,
            14..=18 => self.go_on().await,
            19 | 20 => self.reverse().await,
            21 | 22 => self.close_list().await,
            _ => self.rearrange().await,
        }
    }

    fn who(&mut self) -> Person {
        self.dice.pick(&self.people).clone()
    }

    /// Notes what was carried out. The rest was refused by a rule.
    fn note(&mut self, what: &'static str, answer: Answer) -> Option<Value> {
        match answer.status {
            200 => {
                *self.done.entry(what).or_default() += 1;
                Some(answer.detail())
            }
            422 => {
                assert!(answer.body["detail"]["error_type"].is_string(), "{what}: {}", answer.text);
                None
            }
            _ => panic!("{what}: {} {}", answer.status, answer.text),
        }
    }

    async fn send(&mut self, event_type: &'static str, members: Value) -> Option<Value> {
        let answer = event(&self.who(), event_type, members).await;
        self.note(event_type, answer)
    }

    async fn list(&self, path: &str) -> Vec<Value> {
        let answer = self.people[0].get(path).await.expect(200);
        answer.body.as_array().unwrap_or_else(|| panic!("{path}: {}", answer.text)).clone()
    }

    /// One of the rows of a list, if it has any.
    async fn any(&mut self, path: &str) -> Option<Value> {
        let rows = self.list(path).await;
        (!rows.is_empty()).then(|| self.dice.pick(&rows).clone())
    }

    /// Mostly one that lives.
    fn position(&mut self) -> String {
        match self.dice.roll(8) {
            0 => format!("X{}", self.dice.roll(self.spares + 1)),
            _ => (*self.dice.pick(&POSITIONS)).to_owned(),
        }
    }

    /// In tenths, up to four.
    fn quantity(&mut self, movement_type: &str) -> f64 {
        let quantity = (1 + self.dice.roll(40)) as f64 / 10.0;
        if movement_type == "adjustment" && self.dice.roll(2) == 0 { -quantity } else { quantity }
    }

    /// The sides that a type leaves open.
    fn choose_sides(&mut self, movement_type: &str, row: &mut Value) {
        if ["shipment", "consumption", "transfer"].contains(&movement_type) {
            row["position_from"] = json!(self.position());
        }
        if ["receipt", "production", "transfer", "adjustment"].contains(&movement_type) {
            row["position_to"] = json!(self.position());
        }
    }

    async fn move_goods(&mut self) -> Option<Value> {
        let movement_type = *self.dice.pick(&TYPES);
        let product = *self.dice.pick(&PRODUCTS[..2]);
        let quantity = self.quantity(movement_type);
        let mut row = json!({ "movement_type": movement_type, "product_key": product, "qt_confirmed": quantity });
        self.choose_sides(movement_type, &mut row);
        if self.dice.roll(12) == 0 {
            row["owned"] = json!(false);
        }
        self.send("MOVEMENT_COMPLETED", row).await
    }

    fn code(&mut self) -> String {
        format!("S-{}", self.dice.roll(UNITS))
    }

    /// Names a unit: mostly one that lies where it is taken from.
    async fn name_unit(&mut self, movement_type: &str, row: &mut Value) {
        let leaves = ["shipment", "consumption", "transfer"].contains(&movement_type);
        let found = if leaves { self.any("/inventory?product_key=T&limit=10000").await } else { None };
        match found {
            Some(unit) if self.dice.roll(5) > 0 => {
                row["serial_key"] = unit["serial_key"].clone();
                row["position_from"] = unit["position_key"].clone();
            }
            _ => row["serial_code"] = json!(self.code()),
        }
    }

    async fn move_unit(&mut self) -> Option<Value> {
        let movement_type = *self.dice.pick(&TYPES);
        let quantity = if self.quantity(movement_type) < 0.0 { -1 } else { 1 };
        let mut row = json!({ "movement_type": movement_type, "product_key": "T", "qt_confirmed": quantity });
        self.choose_sides(movement_type, &mut row);
        self.name_unit(movement_type, &mut row).await;
        self.send("MOVEMENT_COMPLETED", row).await
    }

    async fn carry(&mut self) {
        let carrier = *self.dice.pick(&["B", "C"]);
        let row = json!({ "movement_type": "transfer", "position_from": carrier, "position_to": self.position() });
        let answer = event(&self.who(), "MOVEMENT_COMPLETED", row).await;
        self.note("boxes", answer);
    }

    /// A row as plans and lists have it.
    fn row(&mut self, movement_type: &str) -> Value {
        let product = *self.dice.pick(&PRODUCTS);
        let quantity = if product == "T" { json!(1 + self.dice.roll(3)) } else { json!(self.quantity(movement_type)) };
        let mut row = json!({ "product_key": product, "qt_planned": quantity });
        self.choose_sides(movement_type, &mut row);
        if product == "T" && self.dice.roll(3) == 0 {
            row["serial_code"] = json!(self.code());
            row["qt_planned"] = json!(1);
        }
        row
    }

    async fn plan(&mut self) {
        let movement_type = *self.dice.pick(&TYPES);
        let mut row = self.row(movement_type);
        row["movement_type"] = json!(movement_type);
        if self.dice.roll(2) == 0
            && let Some(list) = self.any(&format!("/movement-list?open_only=true&type={movement_type}")).await
        {
            row["movement_list_key"] = list["_key"].clone();
        }
        self.send("MOVEMENT_PLANNED", row).await;
    }

    async fn make_list(&mut self) {
        let movement_type = *self.dice.pick(&TYPES);
        let rows: Vec<Value> = (0..1 + self.dice.roll(4)).map(|_| self.row(movement_type)).collect();
        let status = if self.dice.roll(4) == 0 { "completed" } else { "planned" };
        self.lists += 1;
        let code = format!("L-{}-{}", self.number, self.lists);
        let list = json!({ "code": code, "type": movement_type, "status": status, "movements": rows });
        let answer = self.who().post("/movement-list", list).await;
        if answer.status != 400 {
            self.note("lists", answer);
        }
    }

    /// Changes, cancels or carries out a plan, as a whole or in parts.
    async fn go_on(&mut self) {
        let Some(row) = self.any("/movement?movement_status=planned&limit=100").await else { return };
        let movement_type = text(&row["type"]);
        let traced = row["product_key"] == "T";
        let planned = row["qt_planned"].as_f64().unwrap();
        let mut members = json!({ "movement_key": row["_key"] });
        let mut event_type = "MOVEMENT_UPDATED";
        match self.dice.roll(8) {
            0 => members["cancel"] = json!(true),
            1 => self.choose_sides(&movement_type, &mut members),
            2 if !traced => members["qt_planned"] = json!(self.quantity(&movement_type)),
            3 if !traced => members["qt_confirmed"] = json!(self.part(planned)),
            4 | 5 => members["split_into"] = self.parts(&movement_type, traced, planned).await,
            _ => {
                event_type = "MOVEMENT_COMPLETED";
                if traced && row["serial_key"].is_null() && self.dice.roll(3) > 0 {
                    self.name_unit(&movement_type, &mut members).await;
                } else if self.dice.roll(2) == 0 {
                    self.choose_sides(&movement_type, &mut members);
                }
            }
        }
        self.send(event_type, members).await;
    }

    /// Some tenths of a quantity, seldom more than all of it.
    fn part(&mut self, of: f64) -> f64 {
        (of * (1 + self.dice.roll(11)) as f64 * 1e5).round() / 1e6
    }

    async fn parts(&mut self, movement_type: &str, traced: bool, planned: f64) -> Value {
        let mut parts = Vec::new();
        for _ in 0..1 + self.dice.roll(3) {
            let mut part = json!({ "qt_confirmed": if planned < 0.0 { -1 } else { 1 } });
            if traced {
                self.name_unit(movement_type, &mut part).await;
            } else {
                part["qt_confirmed"] = json!(self.part(planned / 2.0));
                if self.dice.roll(2) == 0 {
                    self.choose_sides(movement_type, &mut part);
                }
            }
            parts.push(part);
        }
        Value::Array(parts)
    }

    async fn reverse(&mut self) {
        let Some(row) = self.any("/movement?include_planned=false&limit=200").await else { return };
        let mut members = json!({ "original_movement_key": row["_key"] });
        if self.dice.roll(3) == 0 {
            members["quantity_to_revert"] = json!(self.part(row["qt_confirmed"].as_f64().unwrap().abs().max(0.1)));
        }
        self.send("MOVEMENT_REVERSED", members).await;
    }

    async fn close_list(&mut self) {
        if let Some(list) = self.any("/movement-list?open_only=true").await {
            self.send("WAREHOUSE_LIST_CLOSED", json!({ "movement_list_key": list["_key"] })).await;
        }
    }

    /// Makes positions, deletes them if they are empty, and takes some out of use for a while.
    async fn rearrange(&mut self) {
        let who = self.who();
        let spare = format!("X{}", self.dice.roll(self.spares + 1));
        let status = match self.dice.roll(3) {
            0 => {
                let key = format!("X{}", self.spares);
                self.spares += 1;
                who.post("/position", json!({ "_key": key, "code": key, "parent_position_key": "A" })).await.status
            }
            1 => who.delete(&format!("/position/{spare}")).await.status,
            _ => {
                let available = self.dice.roll(3) > 0;
                who.patch("/position/A2", json!({ "available": available })).await.status
            }
        };
        assert!([200, 400, 404, 409].contains(&status), "{status}");
    }

    /// Moves something and reverses that: everything is as it was.
    async fn go_there_and_back(&mut self) {
        let before = self.picture().await;
        let moved = if self.dice.roll(2) == 0 { self.move_goods().await } else { self.move_unit().await };
        let Some(moved) = moved else {
            assert_eq!(self.picture().await, before, "what is refused changes nothing");
            return;
        };
        let back = json!({ "original_movement_key": moved["movement_key"] });
        let reversed = self.send("MOVEMENT_REVERSED", back).await;
        assert!(reversed.is_some(), "{moved} is reversed");
        assert_eq!(self.picture().await, before, "{moved} is undone");
        *self.done.entry("there and back").or_default() += 1;
    }

    /// All stock: of which product, where, which unit, how much, and whose.
    async fn picture(&self) -> Vec<Value> {
        let mut rows = self.list("/inventory?limit=10000").await;
        rows.extend(self.list("/inventory?root_position_key=OUT&limit=10000").await);
        let told = |row: &Value| {
            json!([row["product_key"], row["position_key"], row["serial_key"], row["quantity"], row["owned"]])
        };
        rows.iter().map(told).collect()
    }
}
