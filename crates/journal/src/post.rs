//! The path of a sent event: checks the members all events share, then hands it to its type.

use domain::collection::Collection;
use domain::key::{TaskKey, UserSessionKey};
use domain::rule::Refused;
use domain::rule::journal::EventNotAllowed;
use domain::scope::Scope;
use serde_json::Value;
use store::entities;
use store::security::sessions;

use crate::act::Act;
use crate::event::{Common, ContextType, Outcome, References, ServerEvent};
use crate::postable::EventType;
use crate::{Error, Result};

/// How far a clock on the shop floor may be ahead, in seconds.
const AHEAD: i64 = 300;

/// What it takes to see what lies where.
const READ_STOCK: Scope = Scope::named("inventory:inventory:read");

/// An event whose shape is right.
#[derive(Clone)]
pub struct Posted {
    pub event_type: &'static EventType,
    pub common: Common,
    pub references: References,
    /// Its own members, as an object.
    pub payload: Value,
}

/// Checks what all events have in common, then has the type carry the event out. The act stores it at its end.
pub async fn post_event(act: &mut Act<'_>, posted: &Posted) -> Result<Outcome> {
    let Posted { event_type, common, references, payload } = posted;
    act.begin_row();
    act.by(common.user_key.as_ref()).await?;
    let session = own_session(act, common.user_session_key).await?;
    let context = context(act, common).await?;
    (act.at, act.timed) = (common.timestamp.unwrap_or(act.now), common.timestamp.is_some());
    if act.at > act.now.plus_seconds(AHEAD) {
        return Err(Error::timestamp("The event lies more than 5 minutes ahead.", None));
    }
    act.primary(event_type.name, payload.clone(), references.clone())?;
    act.describe(common.description.clone(), session, context);
    if let Some(scope) = event_type.scope {
        act.must_have(scope)?;
    }
    let done = event_type.dispatch(payload, act).await;
    let may_read_stock = act.author.may(READ_STOCK);
    let outcome = done.map_err(|error| {
        let error = error.with_key_sent(payload);
        if may_read_stock { error } else { error.without_stock() }
    })?;
    for made in act.led_to() {
        debug_assert!(
            event_type.leads_to().contains(&made),
            "{} does not say that it leads to {made}",
            event_type.name
        );
    }
    Ok(outcome)
}

/// The session an event names, which must be the user's own; otherwise that of the token.
async fn own_session(act: &mut Act<'_>, named: Option<UserSessionKey>) -> Result<Option<UserSessionKey>> {
    let Some(key) = named else { return Ok(act.author.user_session_key) };
    if act.author.user_session_key == Some(key) {
        return Ok(Some(key));
    }
    let session = sessions::find(act.tx, key).await?.ok_or_else(|| Error::missing("user_session_key", key))?;
    if session.user_key != act.author.user_key {
        return Err(Error::mismatch("user_session_key", key, act.author.user_session_key.map(|own| own.to_string())));
    }
    Ok(Some(key))
}

async fn context(act: &mut Act<'_>, common: &Common) -> Result<Option<TaskKey>> {
    match (common.context_type, common.context_key) {
        (None, None) => Ok(None),
        (Some(ContextType::Task), Some(key)) => {
            let known = entities::exists(act.tx, Collection::Task, &key.to_string()).await?;
            known.then_some(Some(key)).ok_or_else(|| Error::missing("context_key", key))
        }
        _ => Err(Refused::value("context_type and context_key come together.").into()),
    }
}

/// A client sent an event that only the service makes.
pub fn not_allowed(event: ServerEvent) -> Error {
    let rule = EventNotAllowed { rule: "internal", event_type: event.name() };
    Error::rule(&rule, "Only the service makes events of this type.")
}
