use domain::Timestamp;
use domain::key::{DeliveryKey, EventKey, WebhookKey};
use domain::notification::webhook::DeliveryState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::notification::deliveries::{self, Delivery};
use store::notification::webhooks;

use super::{WebhookPath, absent};
use crate::Result;
use crate::cx::Cx;
use crate::input::{Paging, Path, Query};
use crate::reply::Listed;

#[derive(Deserialize, JsonSchema)]
pub(super) struct DeliveriesQuery {
    /// Only deliveries in these states.
    #[serde(default)]
    state: Vec<DeliveryState>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookDelivery")]
pub(super) struct DeliveryRecord {
    _key: DeliveryKey,
    webhook_key: WebhookKey,
    /// The number of the event.
    seq: i64,
    event_key: EventKey,
    event_type: String,
    state: DeliveryState,
    /// How many attempts were made.
    attempts: i64,
    created: Timestamp,
    /// When it is tried next, as long as it is pending.
    next_attempt: Option<Timestamp>,
    delivered: Option<Timestamp>,
    /// The status of the last answer; null if there was none.
    last_status: Option<i64>,
    /// Why the last attempt failed, or why the delivery was given up: `blocked_address`, `name_not_found`,
    /// `connection_failed`, `tls_failed`, `timeout`, `no_answer`, `redirect`, `http_status`, `bad_url`, `replaced` (by a
    /// cursor) or `deactivated`. Null if it was delivered.
    last_error: Option<String>,
}

fn record(delivery: Delivery) -> DeliveryRecord {
    DeliveryRecord {
        _key: delivery.key,
        webhook_key: delivery.webhook_key,
        seq: delivery.seq,
        event_key: delivery.event_key,
        event_type: delivery.event_type,
        state: delivery.state,
        attempts: delivery.attempts,
        created: delivery.created,
        next_attempt: delivery.next_attempt,
        delivered: delivery.delivered,
        last_status: delivery.last_status,
        last_error: delivery.last_error,
    }
}

pub(super) async fn list(
    cx: Cx,
    Path(path): Path<WebhookPath>,
    Query(query): Query<DeliveriesQuery>,
    Paging(page): Paging<200>,
) -> Result<Listed<DeliveryRecord>> {
    let found = cx
        .read(async |tx: &mut Tx| {
            webhooks::find(tx, &path.webhook_key).await?.ok_or_else(absent)?;
            Ok(deliveries::list(tx, &path.webhook_key, &query.state, &page).await?)
        })
        .await?;
    Ok(Listed { rows: found.rows.into_iter().map(record).collect(), total: found.total })
}
