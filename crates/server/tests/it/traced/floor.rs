//! Orders whose units are traced and have parts, for tests in which much happens.

use testkit::{Person, Site, Value, json};

use super::{text, with};
use crate::production::{Order, Shop, event};
use crate::serials::{Plant, plant};

pub(super) struct Floor {
    pub(super) shop: Shop,
    /// Released units of the component `C`.
    pub(super) parts: Vec<String>,
}

/// A plant with so many parts, and with the fields `torque`, a number, and `note`, a text. Everything has its cost.
pub(super) async fn floor(site: &Site, parts: usize) -> Floor {
    let Plant { admin, shop, .. } = plant(site).await;
    for (user, cost) in [(&shop.o1, json!(17.77)), (&shop.o2, json!("31.313131")), (&shop.supervisor, json!(90))] {
        admin.patch(&format!("/user/{}", user.key), json!({ "hourly_cost": cost })).await.expect(200);
    }
    for (key, kind) in [("torque", "number"), ("note", "text")] {
        admin.post("/field", json!({ "_key": key, "name": key, "type": kind })).await.expect(200);
    }
    let counter = json!({ "_key": "parts", "name": "Parts", "template": ["c-", "#5"] });
    admin.post("/counter", counter).await.expect(200);
    let part = json!({
        "_key": "C", "code": "C", "traceability_level": "form_only", "counter_key": "parts", "cost": { "average": 1.234567 }
    });
    admin.post("/product", part).await.expect(201);
    let made = event(&admin, "SERIAL_CREATED", json!({ "product_key": "C", "count": parts })).await.detail();
    let parts = column(made["serials"].as_array().unwrap(), "serial_key");
    Floor { shop, parts }
}

impl Floor {
    /// An order of a product of its own, traced at this level, whose codes come from the counter `units`. Of each line: how much of
    /// `C` a unit takes, and the place of the phase.
    pub(super) async fn order(
        &self,
        (code, level): (&str, &str),
        members: Value,
        phases: &[Value],
        lines: &[(f64, usize)],
        quantity: usize,
    ) -> Order {
        let members = with(json!({ "traceability_level": level, "counter_key": "units" }), members);
        let order = self.shop.order_of(code, members, phases, quantity as f64).await;
        let phases = self.shop.read(&order).await["phase_sequence"].clone();
        let line = |(qt, place): &(f64, usize)| json!({ "component_key": "C", "qt": qt, "phase_key": phases[*place] });
        let lines: Vec<Value> = lines.iter().map(line).collect();
        let path = format!("/work-order/{}", order.key);
        self.shop.admin.patch(&path, json!({ "new_bom": lines })).await.expect(200);
        order
    }

    /// Divides a phase into so many jobs, each of so many units.
    pub(super) async fn divide(&self, order: &Order, place: usize, jobs: usize, quantity: usize) -> Vec<String> {
        let phase = self.shop.read(order).await["phase_sequence"][place].clone();
        let new = json!({ "work_order_key": order.key, "phase_key": phase, "qt_planned": quantity });
        let first = json!({ "_key": order.jobs[place], "qt_planned": quantity });
        let mut changes = vec![json!({ "action": "insert", "data": new }); jobs - 1];
        changes.push(json!({ "action": "update", "data": first }));
        self.shop.admin.post("/job/update", Value::Array(changes)).await.expect(200);
        let read = self.shop.read(order).await;
        let own = read["jobs"].as_array().unwrap().iter().filter(|job| job["phase_key"] == phase);
        own.map(|job| text(&job["_key"])).collect()
    }
}

/// The rows of a list.
pub(super) async fn list(reader: &Person, path: &str) -> Vec<Value> {
    let answer = reader.get(path).await.expect(200);
    answer.body.as_array().unwrap_or_else(|| panic!("{path}: {}", answer.text)).clone()
}

/// The units of a batch.
pub(super) async fn units_of(reader: &Person, batch: &str) -> Vec<String> {
    column(&list(reader, &format!("/batch/{batch}/serials")).await, "serial_key")
}

/// One member of all rows.
pub(super) fn column(rows: &[Value], member: &str) -> Vec<String> {
    rows.iter().map(|row| text(&row[member])).collect()
}
