//! Events on their way to webhooks. A webhook has at most one that is pending; all later events wait for it.

use domain::Timestamp;
use domain::key::{DeliveryKey, EventKey, WebhookKey, WorkOrderKey};
use domain::notification::webhook::DeliveryState;

use crate::columns::{self, Record, record};
use crate::row::row_struct;
use crate::sql::{Page, Paged, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct Delivery in webhook_delivery {
        pub key: DeliveryKey,
        pub webhook_key: WebhookKey,
        pub seq: i64,
        pub event_key: EventKey,
        pub event_type: String,
        pub state: DeliveryState,
        pub attempts: i64,
        pub created: Timestamp,
        pub next_attempt: Option<Timestamp>,
        pub delivered: Option<Timestamp>,
        /// The status of the last answer; none if there was no answer.
        pub last_status: Option<i64>,
        pub last_error: Option<String>,
        /// When it was delivered or given up.
        pub finished: Option<Timestamp>,
        /// What is sent, as long as it is pending.
        pub body: Option<String>,
    }
    kept { created }
}

/// The newest event first.
pub async fn list(tx: &mut Tx, webhook: &WebhookKey, states: &[DeliveryState], page: &Page) -> Result<Paged<Delivery>> {
    let states: Vec<String> = states.iter().map(|state| state.name().to_owned()).collect();
    Delivery::select()
        .filter("webhook_key = {}", webhook)
        .filter_any("state {in {}}", &states)
        .page(tx, "seq desc, key desc", page)
        .await
}

pub async fn find(tx: &mut Tx, key: DeliveryKey) -> Result<Option<Delivery>> {
    Delivery::select().filter("key = {}", key).maybe(tx).await
}

/// The one that a webhook waits for.
pub async fn pending(tx: &mut Tx, webhook: &WebhookKey) -> Result<Option<Delivery>> {
    Delivery::select().filter("webhook_key = {}", webhook).only("state = 'pending'").maybe(tx).await
}

pub async fn insert(tx: &mut Tx, delivery: &Delivery) -> Result<()> {
    columns::insert(tx, delivery).await
}

/// Stores what came of an attempt; the webhook is locked.
pub async fn update(tx: &mut Tx, delivery: &Delivery) -> Result<()> {
    columns::update(tx, delivery).await
}

/// Gives up what is pending, for this reason; its webhook is locked.
pub async fn give_up(tx: &mut Tx, webhook: &WebhookKey, reason: &str, now: Timestamp) -> Result<()> {
    let sql = sql!(
        "update webhook_delivery
         set state = 'failed', next_attempt = null, last_error = $2, finished = $3, body = null
         where webhook_key = $1 and state = 'pending'"
    );
    tx.run(sql, &params![webhook, reason, now]).await.map(|_| ())
}

/// Has what is pending tried at once; its webhook is locked.
pub async fn hurry(tx: &mut Tx, webhook: &WebhookKey, now: Timestamp) -> Result<()> {
    let sql = sql!("update webhook_delivery set next_attempt = $2 where webhook_key = $1 and state = 'pending'");
    tx.run(sql, &params![webhook, now]).await.map(|_| ())
}

row_struct! {
    /// An event, as far as it has to be known to find out who is told.
    pub struct EventLine {
        pub seq: i64,
        pub event_type: String,
    }
}

/// Events after one number up to another, the first of them first.
pub async fn events_between(tx: &mut Tx, after: i64, to: i64, most: i64) -> Result<Vec<EventLine>> {
    let sql = sql!("select seq, event_type from event where seq > $1 and seq <= $2 order by seq limit $3");
    tx.all(sql, &params![after, to, most]).await
}

/// At most so many are removed in one transaction: there may be millions, and others would have to wait.
pub const AT_ONCE: u64 = 1_000;

/// Removes some deliveries of a webhook; says how many.
pub(super) async fn remove_of_webhook(tx: &mut Tx, webhook: &WebhookKey) -> Result<u64> {
    let sql = sql!(
        "delete from webhook_delivery
         where key in (select key from webhook_delivery where webhook_key = $1 order by seq, key limit $2)"
    );
    tx.run(sql, &params![webhook, AT_ONCE as i64]).await
}

/// Removes all deliveries, before all events go.
pub(crate) async fn remove_all(tx: &mut Tx) -> Result<()> {
    tx.run(sql!("delete from webhook_delivery"), &[]).await.map(|_| ())
}

/// Removes the deliveries of a work order's events, before these go.
pub(crate) async fn remove_of_work_order(tx: &mut Tx, key: WorkOrderKey) -> Result<()> {
    let sql = sql!("delete from webhook_delivery where seq in (select seq from event where work_order_key = $1)");
    tx.run(sql, &params![key]).await.map(|_| ())
}

/// Removes some of what was finished before this time, the oldest first; says how many.
pub async fn remove_old(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    let sql = sql!(
        "delete from webhook_delivery
         where key in (
             select key from webhook_delivery where finished is not null and finished < $1 order by finished limit $2
         )"
    );
    tx.run(sql, &params![before, AT_ONCE as i64]).await
}
