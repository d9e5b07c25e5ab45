//! Work orders: made with copies of everything, listed, planned anew, deleted, and what of them is known to their product.

mod creating;
mod figures;
mod planning;
mod reading;
mod together;

use futures_util::future::join_all;
use testkit::{Answer, Method, Person, Site, Value, json, on_both_engines};

/// Somebody who may do all of it, with the operation `work`.
async fn planner(site: &Site) -> Person {
    let planner = site.admin().await;
    planner.post("/operation", json!({ "_key": "work", "name": "Work" })).await.expect(200);
    planner
}

/// A product whose key is its code.
async fn product(person: &Person, code: &str, more: Value) {
    let mut body = json!({ "_key": code, "code": code });
    body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    person.post("/product", body).await.expect(201);
}

fn phase(alias: &str, steps: Value) -> Value {
    json!({ "alias": alias, "operation_key": "work", "params": { "production_batch_qt": 0 }, "steps": steps })
}

/// The keys of the process's phases.
async fn process(person: &Person, code: &str, phases: Value) -> Vec<String> {
    let stored = person.put(&format!("/product/{code}/process"), phases).await.expect(200).body;
    each(&stored, "_key").into_iter().map(str::to_owned).collect()
}

/// A product with phases of these aliases.
async fn made(person: &Person, code: &str, aliases: &[&str]) -> Vec<String> {
    product(person, code, json!({})).await;
    process(person, code, aliases.iter().map(|alias| phase(alias, json!([]))).collect()).await
}

async fn order(person: &Person, body: Value) -> Answer {
    person.post("/work-order", body).await
}

/// A new order of so many units; what was answered.
async fn order_of(person: &Person, code: &str, quantity: i64) -> Value {
    order(person, json!({ "product_key": code, "qt_planned": quantity })).await.detail()
}

async fn read(person: &Person, key: &str) -> Value {
    person.get(&format!("/work-order/{key}")).await.detail()
}

/// One member of all elements.
fn each<'a>(list: &'a Value, member: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|one| one[member].as_str().unwrap()).collect()
}

fn key(record: &Value) -> &str {
    record["_key"].as_str().unwrap()
}

/// Components and their quantities.
fn lines(order: &Value) -> Vec<String> {
    let lines = order["wo_bom"].as_array().unwrap().iter();
    lines
        .map(|line| {
            format!(
                "{} {} {}",
                line["component_code"].as_str().unwrap(),
                line["qt"],
                line["phase_name"].as_str().unwrap()
            )
        })
        .collect()
}

/// The events of an order by their types, oldest first.
async fn told(person: &Person, order: &str) -> Vec<String> {
    let events =
        person.get(&format!("/event?work_order_key={order}&sorting_order=asc&sort_by=seq")).await.expect(200).body;
    each(&events, "event_type").into_iter().map(str::to_owned).collect()
}

async fn post(person: &Person, event: Value) -> Answer {
    person.post("/event", event).await
}
