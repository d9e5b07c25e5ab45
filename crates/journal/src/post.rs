//! The members that every event has, and the path that a sent one takes.

use domain::Timestamp;
use domain::journal::Concerns;
use domain::key::{
    BatchKey, JobKey, PhaseKey, ProductKey, TaskKey, UserKey, UserSessionKey, WorkOrderKey, WorkSessionKey,
};
use domain::rule::Refused;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::entities;
use store::production::sessions as work_sessions;
use store::security::sessions;

use crate::act::Act;
use crate::catalogue::{Entry, Made, Outcome};
use crate::{Error, Result};

/// How far a clock on the shop floor may be ahead, in seconds.
const AHEAD: i64 = 300;

/// What can be sent with every event.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Common {
    /// Whose event it is: yours when left out. Another active user's needs the scope `traceability:event:behalf`, and that user the
    /// rights that the event needs; your key is then kept as `sent_by`.
    pub user_key: Option<UserKey>,
    /// One of the user's own sessions; that of the token when left out.
    pub user_session_key: Option<UserSessionKey>,
    /// When it happened: now when left out, at most 5 minutes ahead.
    pub timestamp: Option<Timestamp>,
    #[schemars(length(max = 2000))]
    pub description: Option<String>,
    /// With `context_key`: what the work belongs to.
    pub context_type: Option<ContextType>,
    pub context_key: Option<TaskKey>,
    /// What is sent is always primary.
    #[schemars(extend("enum" = [true, null]))]
    pub primary: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContextType {
    Task,
}

/// Keys that may be sent besides what a type asks for; they have to agree with it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct References {
    pub work_order_key: Option<WorkOrderKey>,
    pub product_key: Option<ProductKey>,
    pub job_key: Option<JobKey>,
    pub phase_key: Option<PhaseKey>,
    pub batch_key: Option<BatchKey>,
    /// A session of the job; the running one where the event ends it or goes on with it.
    pub work_session_key: Option<WorkSessionKey>,
}

impl References {
    pub(crate) fn must_agree(&self, with: &Concerns) -> Result<()> {
        agree("work_order_key", self.work_order_key, with.work_order_key)?;
        agree("product_key", self.product_key.clone(), with.product_key.clone())?;
        agree("job_key", self.job_key, with.job_key)?;
        agree("phase_key", self.phase_key, with.phase_key)?;
        agree("batch_key", self.batch_key, with.batch_key)
    }

    pub(crate) fn session_must_agree(&self, with: WorkSessionKey) -> Result<()> {
        agree("work_session_key", self.work_session_key, Some(with))
    }
}

fn agree<T: PartialEq + std::fmt::Display>(field: &str, sent: Option<T>, known: Option<T>) -> Result<()> {
    match sent {
        Some(sent) if known.as_ref() != Some(&sent) => {
            Err(Error::mismatch(field, sent, known.map(|known| known.to_string())))
        }
        _ => Ok(()),
    }
}

/// An event whose shape is right.
#[derive(Clone)]
pub struct Posted {
    pub entry: &'static Entry,
    pub common: Common,
    pub references: References,
    pub payload: Map<String, Value>,
}

/// Checks what all events have in common, then what this type asks for, and does it. The act stores it at its end.
pub async fn carry_out(act: &mut Act<'_>, posted: Posted) -> Result<Outcome> {
    let Posted { entry, common, references, payload } = posted;
    act.by(common.user_key.as_ref()).await?;
    let session = own_session(act, common.user_session_key).await?;
    let context = context(act, &common).await?;
    act.at = common.timestamp.unwrap_or(act.now);
    if act.at > act.now.plus_seconds(AHEAD) {
        return Err(Error::timestamp("The event lies more than 5 minutes ahead.", None));
    }
    let payload = Value::Object(payload);
    act.primary(entry.name, payload.clone(), references)?;
    act.describe(common.description, session, context);
    let outcome = entry.carry_out(payload.clone(), act).await.map_err(|error| error.with_key_sent(&payload))?;
    work_session(act).await?;
    Ok(outcome)
}

/// A named work session is one of the job that the event concerns.
async fn work_session(act: &mut Act<'_>) -> Result<()> {
    let Some(key) = act.references.work_session_key else { return Ok(()) };
    let session = work_sessions::find(act.tx, key).await?.ok_or_else(|| Error::missing("work_session_key", key))?;
    let job = act.concerns().job_key;
    if job.is_none() || session.job_key != job {
        return Err(Error::mismatch("work_session_key", key, None));
    }
    Ok(())
}

/// The session that an event names, which has to be the user's own; else that of the token.
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
            let known = entities::exists(act.tx, "Task", &key.to_string()).await?;
            known.then_some(Some(key)).ok_or_else(|| Error::missing("context_key", key))
        }
        _ => Err(Refused::value("context_type and context_key come together.").into()),
    }
}

/// An event that only the server makes, sent by a client.
pub fn not_allowed(made: Made) -> Error {
    let data = json!({ "rule": "internal", "event_type": made.name() });
    Error::rule("EventNotAllowed", "Only the server makes events of this type.", data)
}
