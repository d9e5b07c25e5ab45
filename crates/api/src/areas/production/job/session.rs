//! Work sessions: the time that users spend on jobs.

use domain::collection::Collection;
use domain::key::{
    BatchKey, EventKey, JobKey, PhaseKey, ProductKey, TaskKey, UserKey, UserSessionKey, WorkOrderKey, WorkSessionKey,
    record_id, revision,
};
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use store::production::jobs;
use store::production::sessions::{self, WorkSession};

use super::{OfJob, not_found};
use crate::Result;
use crate::cx::Cx;
use crate::input::Query;
use crate::reply::{Envelope, envelope};

/// The time one user spent on a job.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WorkSession")]
pub(super) struct SessionRecord {
    _id: String,
    _key: WorkSessionKey,
    _rev: String,
    user_session_key: Option<UserSessionKey>,
    batch_key: Option<BatchKey>,
    job_key: Option<JobKey>,
    phase_key: Option<PhaseKey>,
    work_order_key: Option<WorkOrderKey>,
    product_key: Option<ProductKey>,
    task_key: Option<TaskKey>,
    user_key: UserKey,
    start: Timestamp,
    end: Option<Timestamp>,
    /// In milliseconds; null while it runs.
    duration: Option<i64>,
    active: bool,
    /// The user's when it began, or the site's default.
    hourly_cost: Quantity,
    /// The event that canceled it.
    canceled: Option<EventKey>,
    /// The event that made it by hand.
    forced: Option<EventKey>,
}

fn session_record((session, product_key): (WorkSession, Option<ProductKey>)) -> SessionRecord {
    SessionRecord {
        _id: record_id(Collection::WorkSession, session.key),
        _key: session.key,
        _rev: revision(session.rev),
        user_session_key: session.user_session_key,
        batch_key: session.batch_key,
        job_key: session.job_key,
        phase_key: session.phase_key,
        work_order_key: session.work_order_key,
        product_key,
        task_key: session.task_key,
        user_key: session.user_key,
        start: session.started,
        end: session.ended,
        duration: session.duration,
        active: session.active,
        hourly_cost: session.hourly_cost,
        canceled: session.canceled,
        forced: session.forced,
    }
}

pub(super) async fn last(cx: Cx, Query(query): Query<OfJob>) -> Result<Envelope<Option<SessionRecord>>> {
    let read = async |tx: &mut Tx| {
        jobs::find(tx, query.job_key).await?.ok_or_else(not_found)?;
        Ok(sessions::last_of(tx, query.job_key).await?)
    };
    envelope("Last work session of the job.", cx.read(read).await?.map(session_record))
}
