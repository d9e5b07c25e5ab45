//! Where events are sent.

use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{UserKey, WebhookKey};
use domain::notification::webhook::EventFilter;

use super::deliveries;
use crate::columns::{self, Record, record};
use crate::lock::Rows;
use crate::sql::{Page, Paged, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct Webhook in webhook {
        pub key: WebhookKey,
        pub rev: i64,
        pub name: Option<String>,
        pub url: String,
        pub secret: String,
        pub event_types: EventFilter,
        pub active: bool,
        /// The number of the last event that was delivered, given up or of no interest.
        pub cursor: i64,
        pub created: Timestamp,
        pub created_by: UserKey,
        pub updated: Timestamp,
        /// Deleted: only its deliveries have yet to go.
        pub removed: bool,
    }
    kept { created, created_by }
}

/// So many there may be.
pub const MOST: i64 = 100;

/// The oldest first.
pub async fn list(tx: &mut Tx, page: &Page) -> Result<Paged<Webhook>> {
    Webhook::select().only("not removed").page(tx, "created, key", page).await
}

pub async fn find(tx: &mut Tx, key: &WebhookKey) -> Result<Option<Webhook>> {
    Webhook::select().filter("key = {}", key).only("not removed").maybe(tx).await
}

/// How many there are; whoever makes one holds [`crate::Lock::Webhooks`].
pub async fn count(tx: &mut Tx) -> Result<i64> {
    tx.one(sql!("select count(*) from webhook where not removed"), &[]).await
}

/// Also one that is deleted and has deliveries left.
pub async fn lock(tx: &mut Tx, key: &WebhookKey) -> Result<Option<Webhook>> {
    Webhook::select().filter("key = {}", key).locked(Rows::Webhook).maybe(tx).await
}

/// A taken key is a constraint error.
pub async fn insert(tx: &mut Tx, webhook: &Webhook) -> Result<()> {
    tx.changed(Collection::Webhook, &webhook.key);
    columns::insert(tx, webhook).await
}

/// The record as a whole; the caller has locked it and raises its revision.
pub async fn update(tx: &mut Tx, webhook: &Webhook) -> Result<()> {
    tx.changed(Collection::Webhook, &webhook.key);
    columns::update(tx, webhook).await
}

/// Deletes a webhook that is locked. If it has many deliveries, nobody sees it any more, and they go by and by.
pub async fn remove(tx: &mut Tx, key: &WebhookKey) -> Result<()> {
    tx.changed(Collection::Webhook, key);
    tx.run(sql!("update webhook set removed = true, active = false where key = $1"), &params![key]).await?;
    clear(tx, key).await.map(|_| ())
}

/// Removes deliveries of a webhook that is deleted and locked; behind the last of them itself, and the lease of whoever served it.
/// Says whether there are more.
pub async fn clear(tx: &mut Tx, key: &WebhookKey) -> Result<bool> {
    if deliveries::remove_of_webhook(tx, key).await? >= deliveries::AT_ONCE {
        return Ok(true);
    }
    tx.run(sql!("delete from webhook where key = $1"), &params![key]).await?;
    tx.run(sql!("delete from lease where name = $1"), &params![lease_name(key)]).await?;
    Ok(false)
}

/// The lease under which one node at a time serves a webhook.
pub fn lease_name(key: &WebhookKey) -> String {
    format!("webhook:{key}")
}

/// Gives the leases of all webhooks back that a node serves.
pub async fn release_all(tx: &mut Tx, holder: &str) -> Result<()> {
    let sql = sql!("update lease set until = 0 where holder = $1 and name like 'webhook:%'");
    tx.run(sql, &params![holder]).await.map(|_| ())
}

/// Notes how far a webhook is that is locked. That is progress and not a change of the record: its revision stays.
pub async fn advance(tx: &mut Tx, key: &WebhookKey, cursor: i64) -> Result<()> {
    tx.run(sql!("update webhook set cursor = $2 where key = $1"), &params![key, cursor]).await.map(|_| ())
}

/// Those that have something to do: an attempt that is due, events that they were not told yet, or, once they are deleted, deliveries
/// that have to go.
pub async fn due(tx: &mut Tx, now: Timestamp) -> Result<Vec<WebhookKey>> {
    let sql = sql!(
        "select webhook.key
         from webhook
         left join webhook_delivery
             on webhook_delivery.webhook_key = webhook.key and webhook_delivery.state = 'pending'
         where webhook.removed
         or (
             webhook.active
             and case
                 when webhook_delivery.key is null then webhook.cursor < coalesce((select seq from journal_head), 0)
                 else webhook_delivery.next_attempt <= $1
             end
         )
         order by webhook.removed desc, webhook.key
         limit $2"
    );
    tx.all(sql, &params![now, MOST]).await
}
