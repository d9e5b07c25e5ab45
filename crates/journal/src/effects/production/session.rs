//! Work sessions: the time that users spend on jobs.

use domain::config::OPERATOR_COST;
use domain::journal::Concerns;
use domain::key::{BatchKey, UserKey, UserSessionKey, WorkSessionKey};
use domain::{Quantity, Timestamp};
use store::organisation::accounts;
use store::production::batches::Batch;
use store::production::sessions::{self, WorkSession};

use super::bench::Bench;
use crate::act::Act;
use crate::event::ServerEvent;
use crate::event::made::production::{WorkSessionCanceled, WorkSessionClosed, WorkSessionCreated};
use crate::{Error, Result};

/// The user who works, and which of their own sessions they use.
pub(crate) struct Worker {
    pub(crate) user_key: UserKey,
    pub(crate) user_session_key: Option<UserSessionKey>,
}

impl Worker {
    /// The author of the event.
    pub(crate) fn of(act: &Act<'_>) -> Self {
        Self { user_key: act.author.user_key.clone(), user_session_key: act.session() }
    }
}

impl From<&WorkSession> for Worker {
    fn from(session: &WorkSession) -> Self {
        Self { user_key: session.user_key.clone(), user_session_key: session.user_session_key }
    }
}

/// Starts a user's work on the job's active batch.
pub(crate) async fn open(act: &mut Act<'_>, bench: &mut Bench, worker: Worker) -> Result<()> {
    let session = WorkSession { user_session_key: worker.user_session_key, ..new(act, bench, &worker.user_key).await? };
    tell_created(act, bench, &session)?;
    sessions::insert(act.tx, &session).await?;
    let at = act.at;
    bench.job_mut().begin(at, session.key);
    Ok(())
}

/// Adds time on a batch by hand: a session that has already ended.
pub(crate) async fn force(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: &Batch,
    user: &UserKey,
    duration: i64,
) -> Result<()> {
    let end = batch.ended.unwrap_or(act.at);
    let too_early = || Error::timestamp("The work would have begun before there was a date.", None);
    let mut session = WorkSession {
        batch_key: Some(batch.key),
        started: end.after_millis(-duration).ok_or_else(too_early)?,
        forced: Some(act.key()),
        ..new(act, bench, user).await?
    };
    tell_created(act, bench, &session)?;
    // It is never active: for each that was, PostgreSQL would look at all earlier ones of the job.
    end_at(act, bench, &mut session, end)?;
    Ok(sessions::insert(act.tx, &session).await?)
}

async fn new(act: &mut Act<'_>, bench: &Bench, user: &UserKey) -> Result<WorkSession> {
    let job = bench.job();
    Ok(WorkSession {
        key: WorkSessionKey(act.new_id()?),
        rev: 1,
        user_session_key: None,
        batch_key: job.active_batch_key,
        job_key: Some(job.key),
        phase_key: Some(job.phase_key),
        work_order_key: Some(job.work_order_key),
        task_key: act.context(),
        user_key: user.clone(),
        started: act.at,
        ended: None,
        duration: None,
        active: true,
        hourly_cost: hourly_cost(act, user).await?,
        canceled: None,
        forced: None,
    })
}

/// What an hour of this user costs; the site's default if the user has no cost.
pub(crate) async fn hourly_cost(act: &mut Act<'_>, user: &UserKey) -> Result<Quantity> {
    let (cost, otherwise) = accounts::hourly_cost(act.tx, user, OPERATOR_COST).await?;
    let otherwise = || otherwise.and_then(|entry| serde_json::from_value(entry).ok()).unwrap_or_default();
    Ok(cost.unwrap_or_else(otherwise))
}

/// What an event about a session concerns.
fn concerns(bench: &Bench, session: &WorkSession) -> Concerns {
    Concerns { batch_key: session.batch_key, ..bench.concerns() }
}

fn tell_created(act: &mut Act<'_>, bench: &Bench, session: &WorkSession) -> Result<()> {
    let (order, job) = (&bench.floor.work.order, bench.job());
    let batch_key = session.batch_key.ok_or_else(|| Error::broken("somebody is working on a job without a batch"))?;
    let payload = WorkSessionCreated {
        work_session_key: session.key,
        user_key: session.user_key.clone(),
        job_key: job.key,
        batch_key,
        work_order_key: order.key,
        phase_key: job.phase_key,
        product_key: order.product_key.clone(),
        user_session_key: session.user_session_key,
        forced: session.forced,
    };
    act.child(ServerEvent::WorkSessionCreated.name(), concerns(bench, session), &payload)?;
    Ok(())
}

/// Ends the session, not before it began.
pub(crate) async fn close(act: &mut Act<'_>, bench: &Bench, mut session: WorkSession, end: Timestamp) -> Result<()> {
    end_at(act, bench, &mut session, end)?;
    Ok(sessions::save(act.tx, &mut session).await?)
}

fn end_at(act: &mut Act<'_>, bench: &Bench, session: &mut WorkSession, end: Timestamp) -> Result<()> {
    must_end_after_its_start(session, end)?;
    let duration = end.millis() - session.started.millis();
    session.ended = Some(end);
    session.duration = Some(duration);
    session.active = false;
    let payload = WorkSessionClosed { work_session_key: session.key, work_session_end: end, duration };
    act.child(ServerEvent::WorkSessionClosed.name(), concerns(bench, session), &payload)?;
    Ok(())
}

/// An event that ends a session later on asks this before it changes anything.
pub(crate) fn must_end_after_its_start(session: &WorkSession, end: Timestamp) -> Result<()> {
    if end < session.started {
        return Err(Error::timestamp("The work session that ends began later.", Some(session.started)));
    }
    Ok(())
}

/// Cancels the session.
pub(crate) async fn cancel(act: &mut Act<'_>, bench: &Bench, mut session: WorkSession) -> Result<()> {
    session.canceled = Some(act.key());
    let payload = WorkSessionCanceled { work_session_key: session.key };
    act.child(ServerEvent::WorkSessionCanceled.name(), concerns(bench, &session), &payload)?;
    Ok(sessions::save(act.tx, &mut session).await?)
}

/// Cancels all time worked on a batch.
pub(crate) async fn cancel_of_batch(act: &mut Act<'_>, bench: &Bench, batch: BatchKey) -> Result<()> {
    for session in sessions::of_batch(act.tx, batch).await? {
        cancel(act, bench, session).await?;
    }
    Ok(())
}

/// Points the job at its last session that still counts.
pub(crate) async fn recall_last(act: &mut Act<'_>, bench: &mut Bench) -> Result<()> {
    let newest = sessions::newest_of(act.tx, bench.job().key).await?;
    bench.job_mut().last_work_session_started = newest;
    Ok(())
}
