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
    }
    kept { created, created_by }
}

/// The oldest first.
pub async fn list(tx: &mut Tx, page: &Page) -> Result<Paged<Webhook>> {
    Webhook::select().page(tx, "created, key", page).await
}

pub async fn find(tx: &mut Tx, key: &WebhookKey) -> Result<Option<Webhook>> {
    Webhook::select().filter("key = {}", key).maybe(tx).await
}

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

/// Removes a webhook that is locked, its deliveries, and the lease of whoever serves it.
pub async fn remove(tx: &mut Tx, key: &WebhookKey) -> Result<()> {
    tx.changed(Collection::Webhook, key);
    deliveries::remove_of_webhook(tx, key).await?;
    tx.run(sql!("delete from webhook where key = $1"), &params![key]).await?;
    tx.run(sql!("delete from lease where name = $1"), &params![lease_name(key)]).await.map(|_| ())
}

/// The lease under which one node at a time serves a webhook.
pub fn lease_name(key: &WebhookKey) -> String {
    format!("webhook:{key}")
}

/// Notes how far a webhook is that is locked. That is progress and not a change of the record: its revision stays.
pub async fn advance(tx: &mut Tx, key: &WebhookKey, cursor: i64) -> Result<()> {
    tx.run(sql!("update webhook set cursor = $2 where key = $1"), &params![key, cursor]).await.map(|_| ())
}

/// Those that have something to do: an attempt that is due, or events that they were not told yet.
pub async fn due(tx: &mut Tx, now: Timestamp) -> Result<Vec<WebhookKey>> {
    let sql = sql!(
        "select webhook.key
         from webhook
         left join webhook_delivery
             on webhook_delivery.webhook_key = webhook.key and webhook_delivery.state = 'pending'
         where webhook.active
         and case
             when webhook_delivery.key is null then webhook.cursor < coalesce((select seq from journal_head), 0)
             else webhook_delivery.next_attempt <= $1
         end
         order by webhook.key"
    );
    tx.all(sql, &params![now]).await
}
