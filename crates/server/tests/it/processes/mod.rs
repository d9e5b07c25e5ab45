//! Operations, the processes of products, their steps with media and files, and copies of them.

mod operations;
mod replacing;
mod steps;
mod together;

use std::collections::HashSet;

use futures_util::future::join_all;
use testkit::{Answer, Method, Person, Site, Value, json, on_both_engines};

async fn product(person: &Person, key: &str) {
    person.post("/product", json!({ "_key": key, "code": key })).await.expect(201);
}

async fn operation(person: &Person, key: &str) {
    person.post("/operation", json!({ "_key": key, "name": key })).await.expect(200);
}

async fn media(person: &Person, name: &str) -> String {
    let made = person.upload(Method::POST, "/media/create", &[], &[("file", name, name.as_bytes())]).await;
    made.detail()["_key"].as_str().unwrap().to_owned()
}

async fn add_media(person: &Person, step: &str, name: &str, bytes: &[u8]) -> Answer {
    person.upload(Method::POST, &format!("/step/{step}/media"), &[], &[("media_file", name, bytes)]).await
}

/// A library person, the operation `weld` and the product `p`.
async fn shop(site: &Site) -> Person {
    let library = site.user("library", "library").await;
    operation(&library, "weld").await;
    product(&library, "p").await;
    library
}

fn phase(alias: &str, steps: Value) -> Value {
    json!({ "alias": alias, "operation_key": "weld", "steps": steps })
}

async fn put(person: &Person, key: &str, phases: Value) -> Value {
    person.put(&format!("/product/{key}/process"), phases).await.expect(200).body
}

async fn process(person: &Person, key: &str) -> Value {
    person.get(&format!("/product/{key}/process")).await.expect(200).body
}

/// One member of all elements.
fn each<'a>(list: &'a Value, member: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|one| one[member].as_str().unwrap()).collect()
}

fn key(record: &Value) -> &str {
    record["_key"].as_str().unwrap()
}

/// The same without what changes by itself.
fn content(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept =
                members.iter().filter(|(name, _)| !["_id", "_key", "_rev", "created_at"].contains(&name.as_str()));
            Value::Object(kept.map(|(name, value)| (name.clone(), content(value))).collect())
        }
        Value::Array(values) => values.iter().map(content).collect(),
        plain => plain.clone(),
    }
}
