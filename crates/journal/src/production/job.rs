//! A job begins, pauses, goes on and ends.

use domain::config::SHOW_UNASSIGNED_JOBS;
use domain::journal::Concerns;
use domain::key::{JobKey, WorkSessionKey};
use domain::production::{CloseReason, Job};
use domain::rule::Refused;
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::administration::config;
use store::journal::events;
use store::organisation::accounts;
use store::production::jobs;
use store::production::sessions::WorkSession;

use super::session::{self, Worker};
use super::{batch, refuse_serials, shown};
use crate::act::Act;
use crate::catalogue::{Outcome, Postable};
use crate::floor::Bench;
use crate::{Error, Result};

/// An operator begins a job: its first batch opens, and the time runs.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "JobStarted")]
pub struct Started {
    job_key: JobKey,
    /// For traced products: the units of the first batch.
    batch_serials: Option<Vec<Value>>,
}

impl Postable for Started {
    const TYPE: &'static str = "JOB_STARTED";

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        bench.job().must_be_created()?;
        must_be_free_to_work(act, &bench).await?;
        refuse_serials(self.batch_serials.as_ref())?;
        let worker = Worker::of(act);
        bench.assign(act, &worker.user_key).await?;
        batch::open(act, &mut bench).await?;
        session::open(act, &mut bench, worker).await?;
        shown(bench.finish(act).await?, self.job_key)
    }
}

/// Somebody goes on with a job, with the batch that was left or with a new one.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "JobResumed")]
pub struct Resumed {
    job_key: JobKey,
    /// For traced products: the units of a new batch.
    batch_serials: Option<Vec<Value>>,
}

impl Postable for Resumed {
    const TYPE: &'static str = "JOB_RESUMED";

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        bench.job().must_be_started()?;
        bench.job().must_be_idle()?;
        must_be_free_to_work(act, &bench).await?;
        refuse_serials(self.batch_serials.as_ref())?;
        if bench.job().active_batch_key.is_none() {
            batch::open(act, &mut bench).await?;
        }
        session::open(act, &mut bench, Worker::of(act)).await?;
        shown(bench.finish(act).await?, self.job_key)
    }
}

/// Its operator stops for now; the batch is kept.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "JobPaused")]
pub struct Paused {
    job_key: JobKey,
    /// The running session.
    work_session_key: Option<WorkSessionKey>,
}

impl Postable for Paused {
    const TYPE: &'static str = "JOB_PAUSED";

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let bench = Bench::of_job(act, self.job_key).await?;
        pause(act, bench, self.work_session_key, None).await
    }
}

/// A supervisor stops the work of another.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "JobPauseForced")]
pub struct PauseForced {
    job_key: JobKey,
    /// The running session.
    work_session_key: Option<WorkSessionKey>,
}

impl Postable for PauseForced {
    const TYPE: &'static str = "JOB_PAUSE_FORCED";

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        act.must_be_supervisor()?;
        let bench = Bench::of_job(act, self.job_key).await?;
        pause(act, bench, self.work_session_key, None).await
    }
}

/// Nothing was heard of the operator's device for too long.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "JobPausedOffline")]
pub struct PausedOffline {
    pub(crate) job_key: JobKey,
    /// When the work ended; when the job was last heard of, if left out.
    pub(crate) work_session_end: Option<Timestamp>,
}

impl Postable for PausedOffline {
    const TYPE: &'static str = "JOB_PAUSED_OFFLINE";

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let bench = Bench::of_job(act, self.job_key).await?;
        let running = bench.session(act).await?;
        if self.work_session_end.is_some_and(|end| end > act.at) {
            return Err(Error::timestamp("The work can't have ended after the event.", Some(running.started)));
        }
        // Who began a little ahead of the server's clock was not heard of since.
        let heard = bench.job().last_online.unwrap_or(act.at).max(running.started);
        pause(act, bench, None, Some(self.work_session_end.unwrap_or(heard))).await
    }
}

/// The device is back after such a pause, and the work goes on.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "JobBackOnline")]
pub struct BackOnline {
    job_key: JobKey,
}

impl Postable for BackOnline {
    const TYPE: &'static str = "JOB_BACK_ONLINE";

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        bench.job().must_be_started()?;
        bench.job().must_be_idle()?;
        bench.job().must_have_batch()?;
        let pauses = [Paused::TYPE, PauseForced::TYPE, PausedOffline::TYPE];
        let last = events::last_type_of_job(act.tx, self.job_key, &pauses).await?;
        if last.as_deref() != Some(PausedOffline::TYPE) {
            return Err(Refused::value("The job was not paused because its device was offline.").into());
        }
        must_be_free_to_work(act, &bench).await?;
        session::open(act, &mut bench, Worker::of(act)).await?;
        shown(bench.finish(act).await?, self.job_key)
    }
}

/// A supervisor ends a job, whatever is left of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "JobClosed")]
pub struct Closed {
    pub job_key: JobKey,
    /// What is completed, to be sure that nobody completed more meanwhile.
    pub completed_qt: Option<Quantity>,
    /// What is made and scrapped becomes what was planned.
    #[serde(default)]
    pub update_planned_qt: bool,
    #[schemars(length(max = 10_000))]
    pub notes: Option<String>,
}

impl Postable for Closed {
    const TYPE: &'static str = "JOB_CLOSED";

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        act.must_be_supervisor()?;
        let mut bench = Bench::of_job(act, self.job_key).await?;
        close_by_hand(bench.job_mut(), &self, act.at)?;
        shown(bench.finish(act).await?, self.job_key)
    }
}

impl Closed {
    /// Nothing else is said than which job.
    pub(super) fn just(job_key: JobKey) -> Self {
        Self { job_key, completed_qt: None, update_planned_qt: false, notes: None }
    }
}

/// The same without storing it yet.
pub(super) fn close_by_hand(job: &mut Job, closed: &Closed, at: Timestamp) -> Result<(), Refused> {
    job.must_be_open()?;
    job.must_be_idle()?;
    job.must_have_no_batch()?;
    if let Some(given) = closed.completed_qt.filter(|given| *given != job.qt_completed) {
        let data = json!({ "expected": job.qt_completed, "given": given });
        return Err(Refused::new("QuantityMismatchError", "Another quantity is completed.", data));
    }
    if closed.update_planned_qt {
        if job.settled() == Quantity::ZERO {
            return Err(Refused::value("Nothing is completed: a job can't be planned with nothing."));
        }
        job.qt_planned = job.settled();
    }
    if closed.notes.is_some() {
        job.notes.clone_from(&closed.notes);
    }
    job.close(CloseReason::Manual, at);
    Ok(())
}

/// A job closed because of what happened to it.
pub(crate) fn tell_closed(act: &mut Act<'_>, concerns: Concerns, job: &Job) -> Result<()> {
    let payload = json!({ "job_key": job.key, "close_reason": job.close_reason });
    act.child(Closed::TYPE, concerns, payload)?;
    Ok(())
}

/// The running session ends, when the event happens unless something else is said.
async fn pause(
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
    shown(bench.finish(act).await?, key)
}

/// The running session ends; its batch is kept.
pub(crate) async fn stop(act: &mut Act<'_>, bench: &mut Bench, running: WorkSession, end: Timestamp) -> Result<()> {
    session::close(act, bench, running, end).await?;
    bench.job_mut().active = false;
    Ok(())
}

/// Whether the caller may work at the job, and nothing else keeps the caller or the phase busy.
async fn must_be_free_to_work(act: &mut Act<'_>, bench: &Bench) -> Result<()> {
    let (user, supervisor) = (&act.author.user_key, act.author.supervisor);
    let entry = config::get(act.tx, SHOW_UNASSIGNED_JOBS).await?;
    let for_all = entry.and_then(|entry| entry.as_bool()).unwrap_or(true);
    bench.job().must_be_for(user, supervisor, for_all)?;
    // Whoever asks what else a user or a phase is busy with holds it until the answer no longer matters.
    accounts::hold(act.tx, user).await?;
    let others = jobs::worked_at_by(act.tx, user).await?;
    if let Some((other, _)) = others.iter().find(|(_, parameters)| !parameters.unsupervised_work_allowed) {
        let data = json!({ "job_key": other });
        return Err(Error::rule("UserHasActiveJobError", "You work at another job that needs you.", data));
    }
    if !bench.job().parameters.parallel_job_allowed
        && let Some(other) = jobs::other_active(act.tx, bench.job()).await?
    {
        let data = json!({ "job_key": other });
        return Err(Error::rule("ParallelJobNotAllowedError", "Another job of this phase is active.", data));
    }
    Ok(())
}
