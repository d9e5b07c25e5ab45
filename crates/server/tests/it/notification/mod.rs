//! Being told what happens, and telling other programs, through HTTP.

mod receiver;
mod stream;
mod stream_breaks;
mod stream_life;
mod stream_load;
mod stream_tickets;
mod webhook;
mod webhook_delivery;
mod webhook_network;
mod webhook_nodes;
mod webhook_replay;

use std::time::{Duration, Instant};

use domain::journal::Event;
use testkit::journal::{append, event};
use testkit::{Engine, Person, Site, Value, block_on, json};

/// Where the receivers of the tests are.
pub(crate) const HERE: &str = "127.0.0.0/8";
/// Longer than an attempt may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A site whose webhooks may reach this machine.
pub(crate) async fn site_that_reaches(engine: Engine, networks: &str) -> Site {
    Site::start_with(engine, |settings| settings.webhook_allow_private = Some(networks.to_owned())).await
}

/// Runs a test on both engines, each time on a new site whose webhooks may reach this machine.
pub(crate) fn on_both(check: impl AsyncFn(&Site)) {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        block_on(async {
            let site = site_that_reaches(engine, HERE).await;
            check(&site).await;
            site.check_audit().await;
            site.stop().await;
        });
    }
}

/// Makes a webhook and gives its record, with the secret.
pub(crate) async fn webhook(admin: &Person, url: &str, event_types: &[&str]) -> Value {
    admin.post("/webhook", json!({ "url": url, "event_types": event_types })).await.expect(201).detail()
}

pub(crate) fn path(webhook: &Value) -> String {
    format!("/webhook/{}", webhook["_key"].as_str().unwrap())
}

/// Stores events of these types; keys begin with this one.
pub(crate) async fn happen(site: &Site, first: i64, types: &[&str]) -> Vec<Event> {
    let events = types.iter().zip(first..).map(|(event_type, key)| event(key, event_type)).collect();
    append(&site.app().db, events).await
}

/// The deliveries of a webhook, the oldest event first.
pub(crate) async fn deliveries(admin: &Person, webhook: &Value) -> Vec<Value> {
    let found = admin.get(&format!("{}/delivery", path(webhook))).await.expect(200).body;
    found.as_array().unwrap().iter().rev().cloned().collect()
}

/// Waits until the deliveries are so; an attempt may take its ten seconds.
pub(crate) async fn until(admin: &Person, webhook: &Value, are: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let begun = Instant::now();
    loop {
        let found = deliveries(admin, webhook).await;
        if are(&found) {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{found:#?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until so many attempts were made at the newest event.
pub(crate) async fn until_tried(admin: &Person, webhook: &Value, attempts: i64) -> Value {
    let tried = |found: &[Value]| found.last().is_some_and(|delivery| delivery["attempts"] == attempts);
    until(admin, webhook, tried).await.pop().unwrap()
}

/// Waits until so many events are delivered.
pub(crate) async fn until_delivered(admin: &Person, webhook: &Value, events: usize) -> Vec<Value> {
    let delivered =
        |found: &[Value]| found.iter().filter(|delivery| delivery["state"] == "delivered").count() == events;
    until(admin, webhook, delivered).await
}

/// Waits until a webhook is done with everything up to this number.
pub(crate) async fn until_at(site: &Site, admin: &Person, webhook: &Value, cursor: i64) {
    site.eventually(async || {
        let found = admin.get(&path(webhook)).await.expect(200).body;
        (found["cursor"] == cursor).then_some(())
    })
    .await;
}
