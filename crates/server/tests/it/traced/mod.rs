//! Traced production through HTTP: the first phase of an order makes units, the others pass them on, and the last one releases
//! them. What they contain, and what is taken back.

mod changing;
mod completing;
mod correcting;
mod costs;
mod floor;
mod linking;
mod random;
mod scenarios;
mod scrapping;
mod starting;
mod together;
mod units;

use testkit::{Answer, Method, Person, Site, Value, json, on_both_engines};

use crate::production::{Order, Shop, all_at_once, books, complete, event, refused, state};
use crate::serials::{Plant, each, link_with, plant, rule, text, unknown};

impl Plant {
    /// An order of a traced product of its own, whose codes come from the counter `units`.
    async fn traced(&self, code: &str, phases: &[Value], quantity: f64) -> Order {
        self.traced_as(code, json!({ "counter_key": "units" }), phases, quantity).await
    }

    /// The same, of a product with these members instead of the counter.
    async fn traced_as(&self, code: &str, members: Value, phases: &[Value], quantity: f64) -> Order {
        self.shop.order_of(code, with(json!({ "traceability_level": "form_only" }), members), phases, quantity).await
    }

    /// Gives an order these lines: the component, how much of it, and the place of the phase.
    async fn needs(&self, order: &Order, lines: &[(&str, f64, usize)]) {
        let jobs = self.shop.read(order).await["jobs"].clone();
        let lines = lines.iter().map(|(component, qt, place)| {
            json!({ "component_key": component, "qt": qt, "phase_key": jobs[*place]["phase_key"] })
        });
        let lines: Vec<Value> = lines.collect();
        self.admin.patch(&format!("/work-order/{}", order.key), json!({ "new_bom": lines })).await.expect(200);
    }

    /// The key of the only step of a phase.
    async fn step(&self, order: &Order, place: usize) -> String {
        text(&self.shop.job(order, place).await["step_sequence"][0]["_key"])
    }

    /// The units of a batch: by code, and those without one as they were made.
    async fn units_of(&self, batch: &Value) -> Vec<String> {
        each(&self.get(&format!("/batch/{}/serials", text(&batch["_key"]))).await, "serial_key")
    }

    /// The units that are free in front of a job, by code.
    async fn waiting(&self, job: &str) -> Vec<String> {
        let found = self.get(&format!("/wip-serial?job_key={job}")).await;
        let free = found.as_array().unwrap().iter().filter(|row| row["active"] == false);
        free.map(|row| text(&row["serial_key"])).collect()
    }

    /// Has the first phase make all units of an order at once. They wait in front of the second one.
    async fn make_units(&self, order: &Order) -> Vec<String> {
        self.shop.make(&self.operator, &order.jobs[0]).await;
        self.waiting(&order.jobs[1]).await
    }

    /// Begins a later phase with everything that waits in front of it; the batch.
    async fn begin(&self, who: &Person, job: &str) -> Value {
        start(who, job, json!(self.waiting(job).await)).await.detail()["batch_data"].clone()
    }

    /// Replaces the temporary links of a batch.
    async fn declare(&self, who: &Person, batch: &Value, links: Value) -> Answer {
        who.put(&format!("/batch/{}/serial-temp-links", text(&batch["_key"])), links).await
    }

    /// The children of a unit: their keys, and whether their links are confirmed and replaced.
    async fn parts(&self, serial: &str) -> Vec<(String, bool, bool)> {
        let children = self.get(&format!("/serial-children?serial_key={serial}")).await;
        let marked = |child: &Value, mark: &str| child[mark].as_bool().unwrap();
        let part = |child: &Value| (text(&child["serial_key"]), marked(child, "confirmed"), marked(child, "replaced"));
        children.as_array().unwrap().iter().map(part).collect()
    }

    /// The codes of units; null for one that has none.
    async fn codes(&self, units: &[String]) -> Value {
        let mut codes = Vec::new();
        for unit in units {
            codes.push(self.read(unit).await["code"].clone());
        }
        json!(codes)
    }

    /// What a field of a form holds, of each unit.
    async fn values(&self, units: &[String], field: &str) -> Value {
        let mut values = Vec::new();
        for unit in units {
            values.push(entry(&self.read(unit).await, field)["value"].clone());
        }
        json!(values)
    }

    /// Everything of an order and of these serials that a correction has to give back.
    async fn picture(&self, order: &Order, serials: &[String]) -> Value {
        let mut read = without(self.shop.read(order).await, &["_rev"]);
        for job in read["jobs"].as_array_mut().unwrap() {
            // It stays with whoever worked on it.
            *job = without(job.take(), &["_rev", "last_online", "assigned_to", "assigned_user"]);
        }
        let (mut waiting, mut shown) = (Vec::new(), Vec::new());
        for job in &order.jobs {
            waiting.push(json!([self.shop.free(job).await, self.get(&format!("/wip-serial?job_key={job}")).await]));
        }
        for serial in serials {
            let mut serial = without(self.read(serial).await, &["_rev"]);
            for entry in serial["data"].as_array_mut().unwrap() {
                *entry = without(entry.take(), &["last_updated", "last_updated_by"]);
            }
            shown.push(serial);
        }
        json!({ "order": read, "waiting": waiting, "serials": shown })
    }
}

/// These members and more, which win.
fn with(mut members: Value, more: Value) -> Value {
    members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    members
}

fn without(mut record: Value, members: &[&str]) -> Value {
    record.as_object_mut().unwrap().retain(|name, _| !members.contains(&name.as_str()));
    record
}

/// A phase of this batch size, 0 for everything, with one step whose form has these fields.
fn asking(size: i64, fields: Value) -> Value {
    json!({ "production_batch_qt": size, "steps": [{ "title": "Look", "type": "form", "form_fields": fields }] })
}

/// What is entered at one field of a step, as a batch is completed with it.
fn entered(step: &str, field: &str, value: Value) -> Value {
    json!({ "step_data": [{ "step_key": step, "form_data": [{ "form_field_key": field, "value": value }] }] })
}

/// Starts a job with these units, or with units of these codes.
async fn start(who: &Person, job: &str, serials: Value) -> Answer {
    event(who, "JOB_STARTED", json!({ "job_key": job, "batch_serials": serials })).await
}

/// A temporary link as it is sent.
fn pair(child: &str, parent: &str) -> Value {
    json!({ "child_serial_key": child, "parent_serial_key": parent })
}

/// The value of a form's field among the data of a unit.
#[track_caller]
fn entry<'a>(serial: &'a Value, field: &str) -> &'a Value {
    let entry = serial["data"].as_array().unwrap().iter().find(|entry| entry["form_field_key"] == field);
    entry.unwrap_or_else(|| panic!("{serial} has no {field}"))
}

/// The payload of the only event of this type that an event led to.
#[track_caller]
fn child<'a>(event: &'a Value, event_type: &str) -> &'a Value {
    let children = event["children"].as_array().unwrap().iter();
    let found: Vec<&Value> = children.filter(|child| child["event_type"] == event_type).collect();
    assert_eq!(found.len(), 1, "{event_type} in {event}");
    &found[0]["payload"]
}

/// The types of what an event led to, in order.
fn led_to(event: &Value) -> Vec<String> {
    each(&event["children"], "event_type")
}

/// A list of keys, whose order does not matter.
#[track_caller]
fn keys(list: &Value) -> Vec<String> {
    sorted(list.as_array().unwrap_or_else(|| panic!("{list} is no list")).iter().map(text))
}

fn sorted(keys: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut keys: Vec<String> = keys.into_iter().collect();
    keys.sort_unstable();
    keys
}
