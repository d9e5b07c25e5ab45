//! What is done for a webhook between two requests to its address, in one transaction: noting what came of the last one, and finding
//! the next.

use std::sync::Arc;

use api::areas::notification::webhook::body;
use api::{ApiError, App};
use domain::Timestamp;
use domain::key::{DeliveryKey, WebhookKey};
use domain::notification::webhook::{DeliveryState, next_attempt};
use store::journal::events;
use store::notification::deliveries::{self, Delivery};
use store::notification::webhooks::{self, Webhook};
use store::{Lock, Tx, lease};

use super::client::Answer;

/// So many events are looked at in one transaction.
const STRIDE: i64 = 1_000;

/// An attempt that is due.
pub(super) struct Due {
    pub(super) delivery: DeliveryKey,
    /// The revision of the webhook.
    pub(super) rev: i64,
    pub(super) seq: i64,
    pub(super) event_type: String,
    /// The first is 1.
    pub(super) attempt: i64,
    pub(super) url: String,
    pub(super) secret: String,
    pub(super) body: String,
}

/// An attempt that was made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tried {
    pub(super) delivery: DeliveryKey,
    /// The revision that the webhook had.
    pub(super) rev: i64,
    pub(super) answer: Answer,
}

pub(super) enum Next {
    Send(Box<Due>),
    /// There are more events to look at.
    GoOn,
    /// There is nothing to do for now.
    Over,
    /// Another node serves the webhook, or it is gone.
    Elsewhere,
}

/// Notes what came of an attempt, if one was made, and finds out what is next. What another node has done meanwhile stays.
pub(super) async fn take_turn(app: &Arc<App>, webhook: &WebhookKey, tried: Option<Tried>) -> Result<Next, ApiError> {
    let (turning, key) = (app.clone(), webhook.clone());
    let work = async move |tx: &mut Tx| {
        // Nobody removes events meanwhile.
        tx.lock_shared(Lock::Gate).await?;
        let Some(mut webhook) = webhooks::lock(tx, &key).await? else { return Ok(Next::Elsewhere) };
        // The embedded database has one node: the lease of one that was killed would only keep it waiting.
        let held = tx.is_sole_writer() || lease::hold(tx, &webhooks::lease_name(&key), turning.node.holder()).await?;
        if webhook.removed {
            return if held { clear(tx, &key).await } else { Ok(Next::Elsewhere) };
        }
        let now = turning.now();
        let mut pending = deliveries::pending(tx, &key).await?;
        // What has arrived has arrived, whoever serves the webhook by now.
        if let Some(tried) = tried.filter(|tried| held || tried.answer.error.is_none()) {
            match &mut pending {
                Some(delivery) if delivery.key == tried.delivery => {
                    note(tx, &mut webhook, delivery, &tried, now).await?;
                }
                _ => note_given_up(tx, &tried, now).await?,
            }
        }
        if !held {
            return Ok(Next::Elsewhere);
        }
        let pending = pending.filter(|delivery| delivery.state == DeliveryState::Pending);
        match pending {
            _ if !webhook.active => Ok(Next::Over),
            Some(delivery) => Ok(due(webhook, delivery, now)),
            None => advance(tx, &turning, webhook, now).await,
        }
    };
    app.db.background().write("webhook", work).await
}

/// Removes deliveries of a webhook that is deleted.
async fn clear(tx: &mut Tx, key: &WebhookKey) -> Result<Next, ApiError> {
    Ok(if webhooks::clear(tx, key).await? { Next::GoOn } else { Next::Over })
}

/// What came of an attempt.
async fn note(
    tx: &mut Tx,
    webhook: &mut Webhook,
    delivery: &mut Delivery,
    tried: &Tried,
    now: Timestamp,
) -> store::Result<()> {
    let answer = &tried.answer;
    delivery.attempts += 1;
    delivery.last_status = answer.status.map(i64::from);
    delivery.last_error = answer.error.map(str::to_owned);
    delivery.next_attempt = match answer.error {
        None => None,
        // Its address or its secret was another one.
        Some(_) if webhook.rev != tried.rev => Some(now),
        Some(_) => next_attempt(delivery.created, delivery.attempts, now),
    };
    if delivery.next_attempt.is_none() {
        delivery.finished = Some(now);
        delivery.body = None;
        delivery.state = match answer.error {
            None => DeliveryState::Delivered,
            Some(_) => DeliveryState::Failed,
        };
        delivery.delivered = (delivery.state == DeliveryState::Delivered).then_some(now);
        webhook.cursor = delivery.seq;
        webhooks::advance(tx, &webhook.key, delivery.seq).await?;
    }
    deliveries::update(tx, delivery).await
}

/// What came of an attempt whose delivery was given up meanwhile. The cursor stays where it was set.
async fn note_given_up(tx: &mut Tx, tried: &Tried, now: Timestamp) -> store::Result<()> {
    let Some(mut delivery) = deliveries::find(tx, tried.delivery).await? else { return Ok(()) };
    if delivery.state != DeliveryState::Failed {
        return Ok(());
    }
    delivery.attempts += 1;
    delivery.last_status = tried.answer.status.map(i64::from);
    if tried.answer.error.is_none() {
        delivery.state = DeliveryState::Delivered;
        delivery.delivered = Some(now);
        delivery.last_error = None;
    }
    deliveries::update(tx, &delivery).await
}

/// The attempt, if its time has come.
fn due(webhook: Webhook, delivery: Delivery, now: Timestamp) -> Next {
    match (delivery.body, delivery.next_attempt) {
        (Some(body), Some(at)) if at <= now => Next::Send(Box::new(Due {
            delivery: delivery.key,
            rev: webhook.rev,
            seq: delivery.seq,
            event_type: delivery.event_type,
            attempt: delivery.attempts + 1,
            url: webhook.url,
            secret: webhook.secret,
            body,
        })),
        _ => Next::Over,
    }
}

/// Makes a delivery of the next event that the webhook is told; all before it are done with.
async fn advance(tx: &mut Tx, app: &Arc<App>, webhook: Webhook, now: Timestamp) -> Result<Next, ApiError> {
    // Numbers follow the order of commits: up to here nothing is missing that could still come.
    let newest = events::head(tx).await?;
    let found = deliveries::events_between(tx, webhook.cursor, newest, STRIDE).await?;
    let Some(wanted) = found.iter().find(|event| webhook.event_types.fits(&event.event_type)) else {
        let whole = found.len() as i64 == STRIDE;
        let seen = if whole { found.last().map_or(newest, |event| event.seq) } else { newest };
        if seen > webhook.cursor {
            webhooks::advance(tx, &webhook.key, seen).await?;
        }
        return Ok(if whole { Next::GoOn } else { Next::Over });
    };
    let Some(event) = events::shown(tx, wanted.seq).await? else { return Ok(Next::GoOn) };
    webhooks::advance(tx, &webhook.key, event.seq - 1).await?;
    let key = DeliveryKey(app.node.next_id(now)?);
    let (seq, event_key, event_type) = (event.seq, event.key, event.event_type.clone());
    let delivery = Delivery {
        key,
        webhook_key: webhook.key.clone(),
        seq,
        event_key,
        event_type,
        state: DeliveryState::Pending,
        attempts: 0,
        created: now,
        next_attempt: Some(now),
        delivered: None,
        last_status: None,
        last_error: None,
        finished: None,
        body: Some(body(tx, &webhook.key, key, event).await?),
    };
    deliveries::insert(tx, &delivery).await?;
    Ok(due(webhook, delivery, now))
}
