//! Starting, pausing, resuming and closing a job.

use domain::config::SHOW_UNASSIGNED_JOBS;
use domain::key::WorkSessionKey;
use domain::production::{CloseReason, Job};
use domain::rule::Refused;
use domain::rule::production::{ParallelJobNotAllowedError, QuantityMismatchError, UserHasActiveJobError};
use domain::{Quantity, Timestamp};
use store::administration::config;
use store::organisation::accounts;
use store::production::jobs;
use store::production::sessions::WorkSession;

use super::answer::job_and_batch;
use super::bench::Bench;
use super::rights::SUPERVISE;
use super::session;
use crate::act::Act;
use crate::event::Outcome;
use crate::{Error, Result};

/// How a job is closed by hand.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    /// The completed quantity the sender expects, to be sure that nobody has completed more in the meantime.
    pub(crate) completed_qt: Option<Quantity>,
    /// Sets the planned quantity to what is made and scrapped.
    pub(crate) update_planned_qt: bool,
    pub(crate) notes: Option<String>,
}

/// Closes a job by hand; does not store it yet.
pub(crate) fn close_by_hand(job: &mut Job, closing: &Closing, at: Timestamp) -> Result<(), Refused> {
    job.must_be_open()?;
    job.must_be_idle()?;
    job.must_have_no_batch()?;
    if let Some(given) = closing.completed_qt.filter(|given| *given != job.qt_completed) {
        let rule = QuantityMismatchError { expected: job.qt_completed, given };
        return Err(Refused::new(&rule, "The job's completed quantity differs from the one that was sent."));
    }
    if closing.update_planned_qt {
        if job.settled() == Quantity::ZERO {
            return Err(Refused::value("Nothing was completed, so the planned quantity can't be set to it."));
        }
        job.qt_planned = job.settled();
    }
    if closing.notes.is_some() {
        job.notes.clone_from(&closing.notes);
    }
    job.close(CloseReason::Manual, at);
    Ok(())
}

/// Ends the running session, at the time of the event unless another is given.
pub(crate) async fn pause(
    act: &mut Act<'_>,
    mut bench: Bench,
    session: Option<WorkSessionKey>,
    end: Option<Timestamp>,
) -> Result<Outcome> {
    let running = bench.session(act).await?;
    if let Some(key) = session.filter(|key| *key != running.key) {
        return Err(Error::mismatch("work_session_key", key, Some(running.key.to_string())));
    }
    let end = end.unwrap_or(act.at);
    stop(act, &mut bench, running, end).await?;
    let key = bench.job().key;
    job_and_batch(bench.finish(act).await?, key)
}

/// Ends the running session; keeps the batch.
pub(crate) async fn stop(act: &mut Act<'_>, bench: &mut Bench, running: WorkSession, end: Timestamp) -> Result<()> {
    session::close(act, bench, running, end).await?;
    bench.job_mut().active = false;
    Ok(())
}

/// Checks that the caller may work on the job, and that neither the caller nor the phase is busy elsewhere.
pub(crate) async fn must_be_free_to_work(act: &mut Act<'_>, bench: &Bench) -> Result<()> {
    let (user, supervisor) = (&act.author.user_key, act.author.may(SUPERVISE));
    let entry = config::get(act.tx, SHOW_UNASSIGNED_JOBS).await?;
    let for_all = entry.and_then(|entry| entry.as_bool()).unwrap_or(true);
    bench.job().must_be_for(user, supervisor, for_all)?;
    // Locked until the end of the transaction, so that the check still holds when the work starts.
    accounts::hold(act.tx, user).await?;
    let others = jobs::worked_at_by(act.tx, user).await?;
    if let Some((other, _)) = others.iter().find(|(_, parameters)| !parameters.unsupervised_work_allowed) {
        let rule = UserHasActiveJobError { job_key: *other };
        return Err(Error::rule(&rule, "You are working on another job that needs you."));
    }
    if !bench.job().parameters.parallel_job_allowed
        && let Some(other) = jobs::other_active(act.tx, bench.job()).await?
    {
        let rule = ParallelJobNotAllowedError { job_key: other };
        return Err(Error::rule(&rule, "Another job of this phase is active."));
    }
    Ok(())
}
