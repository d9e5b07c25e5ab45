//! Many events of several users on two traced orders, one after the other, by a seed. Some of them are taken back at once, which has
//! to bring back everything as it was.

use std::collections::BTreeMap;

use testkit::{Answer, Person, Site, Value, json, on_both_engines};

use super::floor::{Floor, column, floor, list, units_of};
use super::{text, units};
use crate::production::random::{Dice, new_seed, split, walks_by_other_seeds};
use crate::production::{Order, event};

const SEED: u64 = 0x7ace;
const EVENTS: usize = 120;
/// Of a walk by a seed that `make fuzz` says.
const MANY_EVENTS: usize = 300;
const PARTS: usize = 200;

on_both_engines! {
    async fn every_unit_is_in_one_place_whatever_happens(site) {
        let done = run(site, SEED, EVENTS).await;
        let expected = [
            "ACTIVE_BATCH_CHANGED", "BATCH_CANCELED", "BATCH_COMPLETED", "JOB_PAUSED", "JOB_RESET", "JOB_RESUMED",
            "JOB_STARTED", "SERIAL_SCRAPPED", "STEP_COMPLETED", "temporary links", "there and back",
        ];
        for what in expected {
            assert!(done.contains_key(what), "{what} never succeeded: {done:?}");
        }
    }

    async fn every_unit_is_in_one_place_by_any_seed(site) {
        run(site, new_seed(), EVENTS).await;
    }
}

walks_by_other_seeds!(MANY_EVENTS);

/// How often each type of event was carried out.
async fn run(site: &Site, seed: u64, events: usize) -> BTreeMap<&'static str, usize> {
    let floor = floor(site, PARTS).await;
    let orders = orders(&floor).await;
    split(&floor.shop, &orders[1], 4.0).await;
    let mut walker = Walker { floor: &floor, orders: &orders, dice: Dice(seed), codes: 0, done: BTreeMap::new() };
    for number in 0..events {
        site.clock.advance_seconds(1 + walker.dice.roll(100) as i64);
        walker.do_something().await;
        if number % 5 == 4 {
            units::audit(site, &floor.shop.admin).await;
        }
    }
    units::audit(site, &floor.shop.admin).await;
    walker.has_put_parts_in(&orders[1]).await;
    walker.done
}

/// An order whose units may have parts, and one whose units need them.
async fn orders(floor: &Floor) -> [Order; 2] {
    let free = [asking(phase(2, true), true, "torque"), asking(phase(3, false), false, "note"), phase(0, false)];
    let strict = [asking(phase(3, true), false, "note"), phase(0, false), asking(phase(2, true), true, "torque")];
    let coded = json!({ "serial_code_on_creation": true });
    [
        floor.order(("P-1", "form_only"), json!({}), &free, &[(0.7, 0), (1.0, 2)], 6).await,
        floor.order(("P-2", "complete"), coded, &strict, &[(1.0, 1)], 6).await,
    ]
}

/// A phase whose operators may work at several jobs.
fn phase(size: usize, auto: bool) -> Value {
    json!({ "production_batch_qt": size, "auto_new_batch": auto, "unsupervised_work_allowed": true })
}

/// The same with an instruction and a form, which are confirmed one by one or entered with the batch.
fn asking(mut phase: Value, checked: bool, field: &str) -> Value {
    let field = json!({ "custom_field_key": field, "mandatory": true });
    phase["step_check"] = json!(checked);
    phase["steps"] = json!([{ "title": "Clean" }, { "title": "Write", "type": "form", "form_fields": [field] }]);
    phase
}

struct Walker<'a> {
    floor: &'a Floor,
    orders: &'a [Order],
    dice: Dice,
    /// How many codes were made up.
    codes: usize,
    done: BTreeMap<&'static str, usize>,
}

impl<'a> Walker<'a> {
    /// Mostly something that the state of a job allows.
    async fn do_something(&mut self) {
        let order = self.dice.pick(self.orders);
        let read = self.floor.shop.read(order).await;
        let job = self.dice.pick(read["jobs"].as_array().unwrap());
        let may_begin = job["active_batch_key"].is_null() && job["stage"] != "closed";
        match self.dice.roll(20) {
            0 => self.plan(&read).await,
            1 | 2 => self.scrap_by_hand(order).await,
            3..=6 if may_begin => self.go_there_and_back(order, job).await,
            _ => self.work_at(job).await,
        };
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

    async fn send(&mut self, who: &Person, event_type: &'static str, members: Value) -> Option<Value> {
        let answer = event(who, event_type, members).await;
        self.note(event_type, answer)
    }

    async fn list(&self, path: &str) -> Vec<Value> {
        list(&self.floor.shop.admin, path).await
    }

    async fn plan(&mut self, order: &Value) -> Option<Value> {
        let quantity = number(&order["qt_planned"]) + self.dice.roll(4);
        let path = format!("/work-order/{}/update-quantities", text(&order["_key"]));
        let answer = self.floor.shop.admin.patch(&path, json!({ "new_quantity": quantity.max(2) - 1 })).await;
        self.note("WORK_ORDER_UPDATED", answer)
    }

    /// Scraps a unit that waits, or sometimes any other.
    async fn scrap_by_hand(&mut self, order: &Order) -> Option<Value> {
        let mut units = column(&self.list(&format!("/wip-serial?wo_key={}", order.key)).await, "serial_key");
        if units.is_empty() || self.dice.roll(4) == 0 {
            units = column(&self.list(&format!("/serial?wo_key={}&limit=10000", order.key)).await, "_key");
        }
        if units.is_empty() {
            return None;
        }
        let members = json!({
            "serial_key": self.dice.pick(&units), "reason": "dropped", "release_components": self.dice.roll(2) == 0
        });
        self.send(&self.floor.shop.o1, "SERIAL_SCRAPPED", members).await
    }

    async fn work_at(&mut self, job: &Value) -> Option<Value> {
        let idle = job["active"] == false;
        let odds = match job["stage"].as_str() {
            Some("closed") => 1,
            _ if !idle => 20,
            _ if job["active_batch_key"].is_null() => 5,
            _ => 3,
        };
        if self.dice.roll(odds) == 0 {
            return self.correct(job).await;
        }
        let worker = self.worker(job);
        if idle { self.begin(worker, job).await } else { self.go_on(worker, job).await }
    }

    /// Mostly who the job belongs to.
    fn worker(&mut self, job: &Value) -> &'a Person {
        let shop = &self.floor.shop;
        let operators = [&shop.o1, &shop.o2];
        let own = operators.into_iter().find(|user| job["assigned_to"] == user.key);
        match self.dice.roll(15) {
            0 => &shop.supervisor,
            _ => own.unwrap_or_else(|| *self.dice.pick(&operators)),
        }
    }

    async fn begin(&mut self, worker: &Person, job: &Value) -> Option<Value> {
        let event_type = if job["stage"] == "created" { "JOB_STARTED" } else { "JOB_RESUMED" };
        let mut members = json!({ "job_key": job["_key"] });
        if job["active_batch_key"].is_null()
            && let Some(units) = self.units_for(job).await
        {
            members["batch_serials"] = units;
        }
        self.send(worker, event_type, members).await
    }

    /// The units of a new batch; the first phase can do without.
    async fn units_for(&mut self, job: &Value) -> Option<Value> {
        let most = 1 + self.dice.roll(3);
        if job["first_phase"] == true {
            return (self.dice.roll(3) > 0).then(|| self.new_units(most));
        }
        let waiting = self.list(&format!("/wip-serial?job_key={}", text(&job["_key"]))).await;
        Some(self.name_some(waiting, most))
    }

    /// Units that a first phase is to make, some of them with a code, which may be taken.
    fn new_units(&mut self, count: usize) -> Value {
        let mut unit = || match self.dice.roll(6) {
            0..=2 => json!({}),
            3 => json!({ "serial_code": format!("own-{}", self.dice.roll(self.codes + 1)) }),
            _ => {
                self.codes += 1;
                json!({ "serial_code": format!("own-{}", self.codes) })
            }
        };
        (0..count).map(|_| unit()).collect()
    }

    /// Names some of these units, by key or by code; seldom one of them twice.
    fn name_some(&mut self, mut units: Vec<Value>, most: usize) -> Value {
        let mut named = Vec::new();
        while named.len() < most && !units.is_empty() {
            let unit = units.swap_remove(self.dice.roll(units.len()));
            named.push(match self.dice.roll(3) {
                0 => unit["serial_key"].clone(),
                1 if unit["serial_code"].is_string() => json!({ "serial_code": unit["serial_code"] }),
                _ => json!({ "serial_key": unit["serial_key"] }),
            });
        }
        if self.dice.roll(20) == 0 {
            let again = named.first().cloned();
            named.extend(again);
        }
        Value::Array(named)
    }

    async fn go_on(&mut self, worker: &Person, job: &Value) -> Option<Value> {
        let checked = job["parameters"]["step_check"] == true;
        match self.dice.roll(8) {
            0 => self.send(worker, "JOB_PAUSED", json!({ "job_key": job["_key"] })).await,
            1 => self.change_batch(worker, job).await,
            2 | 3 => self.put_parts(worker, job).await,
            4..=6 if checked => {
                let step = self.dice.pick(job["step_sequence"].as_array().unwrap());
                let completes = self.dice.roll(3) > 0;
                self.confirm(worker, job, step, completes).await
            }
            _ => self.complete(worker, job).await,
        }
    }

    async fn change_batch(&mut self, worker: &Person, job: &Value) -> Option<Value> {
        let mut members = json!({ "job_key": job["_key"] });
        let before = number(&job["active_batch_qt"]);
        if job["first_phase"] == true {
            let after = 1 + self.dice.roll(before + 2);
            members["new_active_batch_qt"] = json!(after);
            if self.dice.roll(2) == 0 {
                members["batch_serials"] = match after.checked_sub(before) {
                    Some(more) => self.new_units(more),
                    None => json!(self.units(job).await[..after]),
                };
            }
        } else {
            let units = self.list(&format!("/wip-serial?job_key={}", text(&job["_key"]))).await;
            let after = 1 + self.dice.roll(units.len());
            members["new_active_batch_qt"] = json!(after);
            members["batch_serials"] = self.name_some(units, after);
        }
        self.send(worker, "ACTIVE_BATCH_CHANGED", members).await
    }

    /// The units of the active batch.
    async fn units(&self, job: &Value) -> Vec<String> {
        units_of(&self.floor.shop.admin, &text(&job["active_batch_key"])).await
    }

    /// Declares parts for units of the active batch: mostly one that is free for each of them.
    async fn put_parts(&mut self, worker: &Person, job: &Value) -> Option<Value> {
        let free = self.list("/serial-selection?product_key=C&free_only=true&limit=10000").await;
        let mut parts = if self.dice.roll(6) == 0 { self.floor.parts.clone() } else { column(&free, "_key") };
        let sparing = self.dice.roll(3) == 0;
        let mut links = Vec::new();
        for unit in self.units(job).await {
            if parts.is_empty() || (sparing && self.dice.roll(2) == 0) {
                continue;
            }
            let part = parts.swap_remove(self.dice.roll(parts.len()));
            links.push(json!({ "parent_serial_key": unit, "child_serial_key": part, "component_key": "C" }));
        }
        let path = format!("/batch/{}/serial-temp-links", text(&job["active_batch_key"]));
        let answer = worker.put(&path, Value::Array(links)).await;
        self.note("temporary links", answer)
    }

    async fn confirm(&mut self, worker: &Person, job: &Value, step: &Value, completes: bool) -> Option<Value> {
        let members = json!({
            "batch_key": job["active_batch_key"], "step_key": step["_key"], "form_data": self.entered(step),
            "complete_batch": completes,
        });
        self.send(worker, "STEP_COMPLETED", members).await
    }

    /// A value for each field of a step.
    fn entered(&mut self, step: &Value) -> Value {
        let fields = step["form_fields"].as_array().into_iter().flatten();
        let values = fields.map(|field| {
            let is_number = field["custom_field_key"] == "torque";
            let value = if is_number { json!(self.dice.roll(100)) } else { json!("fine") };
            json!({ "form_field_key": field["_key"], "value": value })
        });
        values.collect()
    }

    /// Completes the active batch, sometimes with scrap.
    async fn complete(&mut self, worker: &Person, job: &Value) -> Option<Value> {
        let (mut pass, mut scrap) = (self.units(job).await, Vec::new());
        if self.dice.roll(3) == 0 {
            for _ in 0..self.dice.roll(pass.len() + 1) {
                scrap.push(pass.swap_remove(self.dice.roll(pass.len())));
            }
        }
        let mut members = json!({ "active_batch_key": job["active_batch_key"], "completed_batch_qt": pass.len() });
        if !scrap.is_empty() {
            members["scrap_serial_keys"] = json!(scrap);
            members["scrap_reason"] = json!("bad luck");
            if self.dice.roll(2) == 0 {
                members["scrap_qt"] = json!(scrap.len());
            }
        }
        if self.dice.roll(3) == 0 {
            members["batch_serial_keys"] = json!(pass);
        }
        if job["parameters"]["step_check"] == false {
            let steps = job["step_sequence"].as_array().unwrap().iter();
            let entered = steps.map(|step| json!({ "step_key": step["_key"], "form_data": self.entered(step) }));
            members["step_data"] = entered.collect();
        }
        self.send(worker, "BATCH_COMPLETED", members).await
    }

    /// The same, step by step where that is the rule.
    async fn finish(&mut self, worker: &Person, job: &Value) -> Option<Value> {
        if job["parameters"]["step_check"] == false {
            return self.complete(worker, job).await;
        }
        let mut last = None;
        for step in job["step_sequence"].as_array().unwrap() {
            last = self.confirm(worker, job, step, true).await;
        }
        last
    }

    async fn correct(&mut self, job: &Value) -> Option<Value> {
        let mut members = json!({ "job_key": job["_key"] });
        let event_type = match self.dice.roll(10) {
            0 => "JOB_CLOSED",
            1 | 2 => "JOB_RESET",
            3 => {
                members["new_job_duration"] = json!(self.dice.roll(1_000_000));
                "TIME_OVERRIDE_REQUESTED"
            }
            4 => {
                members["new_job_qt_completed"] = json!(self.dice.roll(5));
                "PROGRESS_OVERRIDE_REQUESTED"
            }
            _ if job["active_batch_key"].is_null() => "JOB_RESET",
            _ => "BATCH_CANCELED",
        };
        let done = self.send(&self.floor.shop.supervisor, event_type, members).await;
        assert!(done.is_none() || event_type != "PROGRESS_OVERRIDE_REQUESTED", "units are not set by number");
        done
    }

    /// Begins a job, perhaps completes its batch, and takes that back: everything is as it was.
    async fn go_there_and_back(&mut self, order: &Order, job: &Value) -> Option<Value> {
        let before = self.picture(order).await;
        let worker = self.worker(job);
        let mut now = self.begin(worker, job).await?["job_data"].take();
        if self.dice.roll(3) > 0 {
            self.put_parts(worker, &now).await;
        }
        let is_new = job["stage"] == "created";
        let mut undo = if is_new && self.dice.roll(3) == 0 { "JOB_RESET" } else { "BATCH_CANCELED" };
        // Nothing takes back a batch alone that is complete.
        if is_new
            && self.dice.roll(3) > 0
            && let Some(mut done) = self.finish(worker, &now).await
        {
            (now, undo) = (done["job_data"].take(), "JOB_RESET");
        }
        let key = json!({ "job_key": job["_key"] });
        if now["active"] == true {
            let paused = self.send(worker, "JOB_PAUSED", key.clone()).await;
            assert!(paused.is_some(), "{now} is paused");
        }
        let undone = self.send(&self.floor.shop.supervisor, undo, key).await;
        assert!(undone.is_some(), "{undo} of {now}");
        assert_eq!(self.picture(order).await, before, "{undo} of {now}");
        *self.done.entry("there and back").or_default() += 1;
        undone
    }

    /// What can be read of an order, its units and the parts, but for what a correction does not bring back.
    async fn picture(&self, order: &Order) -> Value {
        let units = self.list(&format!("/serial?wo_key={}&limit=10000", order.key)).await;
        let waiting = self.list(&format!("/wip-serial?wo_key={}", order.key)).await;
        let parts = self.list("/serial?product_key=C&limit=10000").await;
        let by_key = |rows: Vec<Value>| -> BTreeMap<String, Value> {
            rows.into_iter().map(|row| (text(&row["_key"]), row)).collect()
        };
        let mut picture = json!({
            "order": self.floor.shop.read(order).await, "units": by_key(units), "waiting": waiting, "parts": by_key(parts),
        });
        forget(&mut picture);
        picture
    }

    /// Every unit that has passed the phase that needs a part has one.
    async fn has_put_parts_in(&self, order: &Order) {
        let phases = self.floor.shop.read(order).await["phase_sequence"].clone();
        let waiting = format!("/wip-serial?wo_key={}&phase_key={}", order.key, text(&phases[2]));
        let mut units = column(&self.list(&waiting).await, "serial_key");
        let released = format!("/serial?wo_key={}&filter_unreleased=true&state=released&limit=10000", order.key);
        units.extend(column(&self.list(&released).await, "_key"));
        for unit in units {
            let parts = self.list(&format!("/serial-children?serial_key={unit}")).await;
            let built_in = parts.iter().filter(|part| part["confirmed"] == true && part["replaced"] == false);
            assert!(built_in.count() > 0, "unit {unit} has no part");
        }
    }
}

#[track_caller]
fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap_or_else(|| panic!("{value} is no number of units"))).unwrap()
}

/// Revisions and times of changes go on, and a job stays with who worked at it.
const KEPT: [&str; 6] = ["_rev", "last_online", "last_updated", "last_updated_by", "assigned_to", "assigned_user"];

fn forget(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !KEPT.contains(&name.as_str()));
            members.values_mut().for_each(forget);
        }
        Value::Array(rows) => rows.iter_mut().for_each(forget),
        _ => {}
    }
}
