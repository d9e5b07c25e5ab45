//! A warehouse with goods to move, and what tests ask of it most.

use super::*;
use crate::production::event;
use crate::serials::{rule, text};

pub(crate) struct Depot {
    /// May do everything.
    pub(crate) admin: Person,
    /// May do everything in the warehouse.
    pub(crate) keeper: Person,
}

/// A1 and A2 in A, the product `P`, and `T`, whose units are traced.
pub(crate) async fn depot(site: &Site) -> Depot {
    let (admin, keeper) = (site.admin().await, keeper(site).await);
    shelves(&keeper).await;
    admin.post("/product", json!({ "_key": "P", "code": "P" })).await.expect(201);
    admin.post("/product", json!({ "_key": "T", "code": "T", "traceability_level": "form_only" })).await.expect(201);
    Depot { admin, keeper }
}

impl Depot {
    /// Sends an event of the warehouse.
    pub(crate) async fn send(&self, event_type: &str, members: Value) -> Answer {
        event(&self.keeper, event_type, members).await
    }

    /// Moves something without a plan.
    pub(crate) async fn moves(&self, movement_type: &str, members: Value) -> Answer {
        moves(&self.keeper, movement_type, members).await
    }

    /// The same, which has to succeed; the movement's key.
    pub(crate) async fn moved(&self, movement_type: &str, members: Value) -> String {
        text(&self.moves(movement_type, members).await.detail()["movement_key"])
    }

    /// Puts a quantity of `P` into a position.
    pub(crate) async fn received(&self, position: &str, quantity: f64) -> String {
        self.moved("receipt", json!({ "product_key": "P", "position_to": position, "qt_confirmed": quantity })).await
    }

    /// Puts a unit of `T` into a position; a new one if the code is new.
    pub(crate) async fn received_unit(&self, position: &str, code: &str) -> String {
        let unit = json!({ "product_key": "T", "position_to": position, "serial_code": code, "qt_confirmed": 1 });
        text(&self.moves("receipt", unit).await.detail()["serial_key"])
    }

    /// Plans a movement of `P` unless the members name something else; its key.
    pub(crate) async fn planned(&self, movement_type: &str, members: Value) -> String {
        let mut row = json!({ "movement_type": movement_type });
        if members.get("product_key").is_none() {
            row["product_key"] = json!("P");
        }
        row.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        text(&self.send("MOVEMENT_PLANNED", row).await.detail()["movement_key"])
    }

    pub(crate) async fn reverses(&self, movement: &str) -> Answer {
        self.send("MOVEMENT_REVERSED", json!({ "original_movement_key": movement })).await
    }

    /// What lies at and below `IN` of a product: positions with quantities, by the positions' codes.
    pub(crate) async fn stock(&self, product: &str) -> Value {
        let rows = self.get(&format!("/inventory?product_key={product}")).await;
        rows.as_array().unwrap().iter().map(|row| json!([row["position_key"], row["quantity"]])).collect()
    }

    /// The positions in which a unit lies; at most one.
    pub(crate) async fn places(&self, serial: &str) -> Vec<String> {
        each(&self.get(&format!("/inventory?serial_keys={serial}")).await, "position_key")
    }

    pub(crate) async fn movement(&self, key: &str) -> Value {
        let rows = self.get("/movement?limit=10000").await;
        let found = rows.as_array().unwrap().iter().find(|row| row["_key"] == key);
        found.unwrap_or_else(|| panic!("{key} is not among {rows}")).clone()
    }

    /// Makes a list of `P`, or of what the rows name, and gives what was answered.
    pub(crate) async fn lists(&self, code: &str, movement_type: &str, rows: Value) -> Answer {
        self.keeper.post("/movement-list", json!({ "code": code, "type": movement_type, "movements": rows })).await
    }

    /// The same, which has to succeed: the keys of the list and of its rows.
    pub(crate) async fn listed(&self, code: &str, movement_type: &str, rows: Value) -> (String, Vec<String>) {
        let made = self.lists(code, movement_type, rows).await.detail();
        let rows = made["movement_keys"].as_array().unwrap().iter().map(text).collect();
        (text(&made["movement_list_key"]), rows)
    }

    pub(crate) async fn list(&self, key: &str) -> Value {
        self.get(&format!("/movement-list/{key}")).await
    }

    /// The answer of a read that succeeds.
    pub(crate) async fn get(&self, path: &str) -> Value {
        self.keeper.get(path).await.expect(200).body
    }

    /// The stored event of an answer.
    pub(crate) async fn stored(&self, detail: &Value) -> Value {
        self.get(&format!("/event/{}", text(&detail["event_key"]))).await
    }
}

pub(crate) async fn moves(who: &Person, movement_type: &str, members: Value) -> Answer {
    let mut body = json!({ "movement_type": movement_type });
    body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    event(who, "MOVEMENT_COMPLETED", body).await
}

/// Checks that a rule of movements refused it, and gives the data.
#[track_caller]
pub(crate) fn refusal(answer: Answer, code: &str) -> Value {
    rule(answer, "InventoryMovementException", code)
}

/// Checks that a rule of lists refused it, and gives the data.
#[track_caller]
pub(crate) fn list_refusal(answer: Answer, code: &str) -> Value {
    rule(answer, "MovementListException", code)
}

/// What of a movement is compared most.
pub(crate) fn outline(row: &Value) -> Value {
    json!([
        row["type"],
        row["status"],
        row["position_from_key"],
        row["position_to_key"],
        row["qt_planned"],
        row["qt_confirmed"]
    ])
}
