//! What hostile, broken or careless clients send, and that nobody else is the worse for it.

mod accounts;
mod besieged;
mod bodies;
mod clocks;
mod connections;
mod faults;
mod figures;
pub(crate) mod foreign;
mod headers;
mod held_open;
mod leaving;
mod memory;
mod modes;
mod newer;
mod outage;
mod parts;
mod places;
mod pressure;
mod quantities;
mod raw;
mod readiness;
mod secrets;
mod stored;
mod strangers;
mod turns;
mod undone;

use api::operation::Operation;
use testkit::{Person, Site, json};

/// The operation's address with something in the place of its parameters.
fn address(operation: &Operation) -> String {
    let filled = operation.path.split('/').map(|part| if part.starts_with('{') { "x" } else { part });
    filled.collect::<Vec<_>>().join("/")
}

/// Everything that shows many records at once can be read, and events are stored, sealed and verified as before.
async fn is_sound(site: &Site, admin: &Person) {
    for path in ["/user", "/audit", "/event", "/config", "/custom-data", "/product", "/work-order", "/whoami"] {
        admin.get(path).await.expect(200);
    }
    let (before, key) = (site.count("event").await, site.app().new_id().unwrap());
    testkit::journal::append(&site.app().db, vec![testkit::journal::event(key, "A")]).await;
    site.sealed().await;
    assert_eq!(site.count("event").await, before + 1);
    let verified = admin.get("/event/verify").await.expect(200).body;
    assert_eq!((&verified["detail"]["ok"], &verified["detail"]["unsealed"]), (&json!(true), &json!(0)), "{verified}");
}
