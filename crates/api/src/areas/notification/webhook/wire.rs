use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{UserKey, WebhookKey, record_id, revision};
use schemars::JsonSchema;
use serde::Serialize;
use store::notification::webhooks::Webhook;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
pub(super) struct WebhookRecord {
    _id: String,
    _key: WebhookKey,
    _rev: String,
    name: Option<String>,
    url: String,
    /// Signs what is sent. Only the answer to the request that sets it shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// Always true: every webhook has a secret.
    secret_set: bool,
    /// Names of event types, beginnings of names such as `JOB_*`, or `*` for all.
    event_types: Vec<String>,
    /// Whether events are sent.
    active: bool,
    /// The `seq` of the last event that is done with: delivered, given up or of no interest.
    cursor: i64,
    created: Timestamp,
    created_by: UserKey,
    updated: Timestamp,
}

/// The record as it is usually shown.
pub(super) fn record(webhook: Webhook) -> WebhookRecord {
    WebhookRecord {
        _id: record_id(Collection::Webhook, &webhook.key),
        _rev: revision(webhook.rev),
        _key: webhook.key,
        name: webhook.name,
        url: webhook.url,
        secret: None,
        secret_set: true,
        event_types: webhook.event_types.0,
        active: webhook.active,
        cursor: webhook.cursor,
        created: webhook.created,
        created_by: webhook.created_by,
        updated: webhook.updated,
    }
}

/// The record for the one who has just set its secret.
pub(super) fn record_with_secret(webhook: Webhook) -> WebhookRecord {
    let secret = Some(webhook.secret.clone());
    WebhookRecord { secret, ..record(webhook) }
}
