use domain::key::WebhookKey;
use domain::notification::webhook::{EventFilter, SECRET_PATTERN};
use domain::{Fault, Timestamp};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Tx;
use store::journal::events;
use store::notification::deliveries;
use store::notification::webhooks::{self, Webhook};

use super::super::must_read_events;
use super::wire::{WebhookRecord, record, record_with_secret};
use super::{WebhookPath, check_reach, load};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Change, Given, KeyedJson, Name, Path, read_only};
use crate::reply::{Done, Envelope, NoStore, envelope};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = not_writable)]
pub(super) struct WebhookChange {
    /// Must match the key in the address, if sent.
    _key: Option<WebhookKey>,
    #[serde(default)]
    name: Change<Name<200>>,
    /// Where events are sent: `http` or `https`, without a user.
    #[serde(default)]
    #[schemars(length(min = 1, max = 2000), extend("x-checked-as" = "webhook-url", "x-origin-only" = true))]
    url: Given<String>,
    /// Visible characters.
    #[serde(default)]
    #[schemars(
        length(min = 16, max = 256),
        regex(pattern = SECRET_PATTERN),
        extend("format" = "password")
    )]
    secret: Given<String>,
    /// Names of event types, beginnings of names such as `JOB_*`, or `*` for all.
    #[serde(default)]
    #[schemars(length(min = 1, max = 100), extend("x-checked-as" = "event-filter"))]
    event_types: Given<Vec<String>>,
    /// Whether events are sent.
    #[serde(default)]
    active: Given<bool>,
    /// The `seq` after which events are sent, at most that of the newest event.
    #[serde(default)]
    #[schemars(range(min = 0))]
    cursor: Given<i64>,
}

fn not_writable(schema: &mut Schema) {
    read_only(schema, &["_id", "_rev", "secret_set", "created", "created_by", "updated"]);
}

impl WebhookChange {
    /// Whether it says which events are sent, or where.
    fn directs_events(&self) -> bool {
        self.url.0.is_some() || self.event_types.0.is_some() || self.active.0.is_some() || self.cursor.0.is_some()
    }
}

pub(super) async fn change(
    cx: Cx,
    Path(path): Path<WebhookPath>,
    KeyedJson(body): KeyedJson<WebhookChange>,
) -> Result<Done<NoStore<Envelope<WebhookRecord>>>> {
    if body.directs_events() {
        must_read_events(&cx)?;
    }
    if let Some(url) = &body.url.0 {
        check_reach(&cx, url)?;
    }
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("change webhook", async move |tx: &mut Tx| {
        let mut webhook = load(tx, &asking, &path.webhook_key).await?;
        let secret_set = body.secret.0.is_some();
        apply(tx, &mut webhook, body.clone(), now).await?;
        webhooks::update(tx, &webhook).await?;
        let shown = if secret_set { record_with_secret(webhook) } else { record(webhook) };
        envelope("Webhook changed.", shown).map(NoStore)
    })
    .await
}

/// What is pending no longer fits.
const REPLACED: &str = "replaced";
const DEACTIVATED: &str = "deactivated";

async fn apply(tx: &mut Tx, webhook: &mut Webhook, body: WebhookChange, now: Timestamp) -> Result<()> {
    let before = webhook.clone();
    let mut name = webhook.name.take().map(Name);
    body.name.apply(&mut name);
    webhook.name = name.map(|name| name.0);
    body.url.apply(&mut webhook.url);
    body.secret.apply(&mut webhook.secret);
    if let Some(event_types) = body.event_types.0 {
        webhook.event_types = EventFilter(event_types);
        give_up_unwanted(tx, webhook, now).await?;
    }
    body.active.apply(&mut webhook.active);
    webhook.rev += 1;
    webhook.updated = now;
    let newest = events::head(tx).await?;
    match body.cursor.0 {
        // Whoever sends back what was read has not asked for anything to be sent again.
        Some(cursor) if cursor == before.cursor => {}
        Some(cursor) => {
            webhook.cursor = within(cursor, newest)?;
            deliveries::give_up(tx, &webhook.key, REPLACED, now).await?;
        }
        None if webhook.active && !before.active => webhook.cursor = newest,
        None => {}
    }
    if before.active && !webhook.active {
        deliveries::give_up(tx, &webhook.key, DEACTIVATED, now).await?;
    } else if (&webhook.url, &webhook.secret) != (&before.url, &before.secret) {
        deliveries::hurry(tx, &webhook.key, now).await?;
    }
    Ok(())
}

/// What is pending is not sent if the webhook is no longer told of such events.
async fn give_up_unwanted(tx: &mut Tx, webhook: &Webhook, now: Timestamp) -> Result<()> {
    let pending = deliveries::pending(tx, &webhook.key).await?;
    if pending.is_some_and(|delivery| !webhook.event_types.fits(&delivery.event_type)) {
        deliveries::give_up(tx, &webhook.key, REPLACED, now).await?;
    }
    Ok(())
}

/// A cursor behind the newest event would hide events that are still to come.
fn within(cursor: i64, newest: i64) -> Result<i64> {
    if cursor <= newest {
        return Ok(cursor);
    }
    let why = format!("Must be at most {newest}, the number of the newest event.");
    let fault = Fault::new("value_error", &["body".into(), "cursor".into()], why, &json!(cursor));
    Err(ApiError::validation(vec![fault]))
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookDeleted")]
pub(super) struct Removed {
    webhook_key: WebhookKey,
}

pub(super) async fn remove(cx: Cx, Path(path): Path<WebhookPath>) -> Result<Done<Envelope<Removed>>> {
    let asking = cx.clone();
    cx.change("delete webhook", async move |tx: &mut Tx| {
        let webhook = load(tx, &asking, &path.webhook_key).await?;
        webhooks::remove(tx, &webhook.key).await?;
        envelope("Webhook deleted.", Removed { webhook_key: webhook.key })
    })
    .await
}
