//! Webhooks: addresses that events are sent to.

mod change;
mod create;
mod delivery;
mod payload;
mod read;
mod wire;

use domain::Fault;
use domain::collection::Collection;
use domain::key::WebhookKey;
use domain::notification::webhook::{Host, WebhookUrl, may_reach};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::Tx;
use store::notification::webhooks::{self, Webhook};

pub use payload::body;

use super::TAG;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::operation::{Operation, delete, get, patch, post};
use crate::scope;

pub(super) fn operations() -> Vec<Operation> {
    [reading(), writing()].into_iter().flatten().collect()
}

const NO_WEBHOOK: &str = "No such webhook.";

fn reading() -> Vec<Operation> {
    let read = scope!("admin:webhook:read");
    vec![
        get("list_webhooks", "/webhook", TAG, "List webhooks", read::list)
            .scope(read)
            .describe("Lists webhooks, the oldest first. Secrets are never shown here."),
        get("get_webhook", "/webhook/{webhook_key}", TAG, "Read a webhook", read::one)
            .scope(read)
            .describe("Returns one webhook without its secret.")
            .error(404, NO_WEBHOOK),
        get(
            "list_webhook_deliveries",
            "/webhook/{webhook_key}/delivery",
            TAG,
            "List the deliveries of a webhook",
            delivery::list,
        )
        .scope(read)
        .describe(
            "Lists what was sent to a webhook and what waits, the newest event first. At most one delivery is `pending`: \
             all later events wait until it is `delivered` or `failed`. Finished ones are kept for 30 days.",
        )
        .error(404, NO_WEBHOOK),
    ]
}

fn writing() -> Vec<Operation> {
    const REVISION: &str = "`If-Match` names another revision.";
    const UNREADABLE: &str =
        "The caller lacks the scope, or `traceability:event:read`, which it takes to say which events are sent where.";
    const ADDRESS: &str = "The body does not fit, or `url` is an address that this service must not reach.";
    let write = scope!("admin:webhook:write");
    vec![
        post("create_webhook", "/webhook", TAG, "Create a webhook", create::create)
            .scope(write)
            .created()
            .describe(
                "From now on events of these types are sent to `url`, one after the other, as POST requests that are signed \
                 with the secret. Only this answer shows the secret. Addresses that are not public are refused unless the \
                 setting `webhook_allow_private` of the service lists their network; names are looked up at each delivery. \
                 There are at most 100 webhooks.",
            )
            .error(403, UNREADABLE)
            .error(409, "The key is taken, or there are 100 webhooks.")
            .error(422, ADDRESS),
        patch("update_webhook", "/webhook/{webhook_key}", TAG, "Change a webhook", change::change)
            .scope(write)
            .describe(
                "Changes the members that are sent. A `cursor` that is set back has all events after it sent again, as new \
                 deliveries. `active: false` gives up what is pending; active again, the webhook begins with the next event \
                 unless a `cursor` is sent. After a change of `url` or `secret` a pending delivery is tried at once. The \
                 answer shows the secret only if the request has set it.",
            )
            .error(403, UNREADABLE)
            .error(404, NO_WEBHOOK)
            .error(412, REVISION)
            .error(422, ADDRESS),
        delete("delete_webhook", "/webhook/{webhook_key}", TAG, "Delete a webhook", change::remove)
            .scope(write)
            .describe(
                "Deletes a webhook and all its deliveries. Nothing more is sent, but for an attempt under way. Until the last \
                 of many thousand deliveries is gone, a moment later, its key stays taken.",
            )
            .error(404, NO_WEBHOOK)
            .error(412, REVISION),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct WebhookPath {
    /// The key of a webhook.
    webhook_key: WebhookKey,
}

fn absent() -> ApiError {
    ApiError::missing(Collection::Webhook)
}

async fn load(tx: &mut Tx, cx: &Cx, key: &WebhookKey) -> Result<Webhook> {
    let webhook = webhooks::lock(tx, key).await?.filter(|webhook| !webhook.removed).ok_or_else(absent)?;
    cx.check_revision(Some(webhook.rev))?;
    Ok(webhook)
}

/// Refuses an IP address that the service must not reach. What a name stands for is looked up at each delivery.
fn check_reach(cx: &Cx, url: &str) -> Result<()> {
    let Ok(url) = WebhookUrl::parse(url) else { return Ok(()) };
    match url.host {
        Host::Address(address) if !may_reach(address, &cx.settings.webhook_allow_private) => {
            let why = "This address is not public, and the setting webhook_allow_private does not list its network.";
            let fault = Fault::new("value_error", &["body".into(), "url".into()], why, &json!(url.origin()));
            Err(ApiError::validation(vec![fault]))
        }
        _ => Ok(()),
    }
}
