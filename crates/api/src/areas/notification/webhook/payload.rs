use domain::journal::Event;
use domain::key::{DeliveryKey, WebhookKey};
use serde::Serialize;
use store::Tx;

use crate::Result;
use crate::areas::journal::{EventLine, event_line};
use crate::error::ApiError;

#[derive(Serialize)]
struct Body<'a> {
    webhook_key: &'a WebhookKey,
    delivery_key: DeliveryKey,
    seq: i64,
    event: EventLine,
}

/// What is sent to a webhook: the event as lists of events show it.
pub async fn body(tx: &mut Tx, webhook_key: &WebhookKey, delivery_key: DeliveryKey, event: Event) -> Result<String> {
    let body = Body { webhook_key, delivery_key, seq: event.seq, event: event_line(tx, event).await? };
    serde_json::to_string(&body).map_err(|error| ApiError::internal(&format!("webhook: {error}"), None))
}
