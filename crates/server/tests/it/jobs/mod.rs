//! Jobs: read, planned by hand, and what their operators' devices say.

mod drafts;
mod heartbeats;
mod planning;
mod reading;
mod together;

use futures_util::future::join_all;
use testkit::{Answer, Person, Site, Value, json, on_both_engines};

use crate::production::{Order, Shop, all_at_once, books, event, later, refused, shop, state};

/// Sends updates of jobs.
async fn update(who: &Person, updates: Value) -> Answer {
    who.post("/job/update", updates).await
}

fn change(job: &str, members: Value) -> Value {
    let mut data = json!({ "_key": job });
    data.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    json!({ "action": "update", "data": data })
}

fn close(job: &str) -> Value {
    json!({ "action": "close", "data": { "_key": job } })
}

/// Another job for the phase of a job.
fn split(job: &Value, members: Value) -> Value {
    let mut data = json!({ "work_order_key": job["wo_key"], "phase_key": job["phase_key"] });
    data.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    json!({ "action": "insert", "data": data })
}

async fn read(who: &Person, job: &str) -> Value {
    who.get(&format!("/job/{job}")).await.detail()
}

/// One member of all elements.
fn each<'a>(list: &'a Value, member: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|one| one[member].as_str().unwrap()).collect()
}

/// The events of an order by their types, oldest first.
async fn told(who: &Person, order: &Order) -> Vec<String> {
    let path = format!("/event?work_order_key={}&sorting_order=asc&sort_by=seq", order.key);
    each(&who.get(&path).await.expect(200).body, "event_type").into_iter().map(str::to_owned).collect()
}
