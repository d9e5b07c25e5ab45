//! A job and its order while an event changes them.

use domain::journal::Concerns;
use domain::key::{BatchKey, JobKey, UserKey};
use domain::production::{Job, Work};
use store::production::sessions::{self, WorkSession};
use store::production::{batches, work_orders};

use super::floor::Floor;
use super::rights::SUPERVISE;
use crate::act::Act;
use crate::{Error, Result};

/// An order, locked and loaded, with the job that the event is about.
#[derive(Debug, Clone)]
pub(crate) struct Bench {
    pub(crate) floor: Floor,
    /// The job's index among the order's jobs.
    pub(crate) index: usize,
}

impl Bench {
    /// Locks the order of a job and loads it.
    pub(crate) async fn of_job(act: &mut Act<'_>, key: JobKey) -> Result<Self> {
        let floor = Floor::of_job(act, key).await?;
        // The job may have been deleted while we waited for its order.
        let index = floor.work.index(key).ok_or_else(|| Error::missing("job_key", key))?;
        let bench = Self { floor, index };
        act.concern(bench.concerns()).await?;
        bench.job().started.into_iter().for_each(|start| act.not_before(start));
        Ok(bench)
    }

    /// Locks and loads the order of a batch's job, and the batch itself.
    pub(crate) async fn of_batch(act: &mut Act<'_>, field: &str, key: BatchKey) -> Result<(Self, batches::Batch)> {
        let missing = || Error::missing(field, key);
        let floor = Floor::new(work_orders::lock_work_of_batch(act.tx, key).await?.ok_or_else(missing)?);
        let batch = batches::find(act.tx, key).await?.ok_or_else(missing)?;
        let index = floor.work.index(batch.job_key).ok_or_else(missing)?;
        let bench = Self { floor, index };
        act.concern(Concerns { batch_key: Some(key), ..bench.concerns() }).await?;
        act.not_before(batch.started);
        Ok((bench, batch))
    }

    pub(crate) fn job(&self) -> &Job {
        &self.floor.work.jobs[self.index]
    }

    pub(crate) fn job_mut(&mut self) -> &mut Job {
        &mut self.floor.work.jobs[self.index]
    }

    pub(crate) fn concerns(&self) -> Concerns {
        self.floor.concerns_of(self.job())
    }

    pub(crate) fn batch_key(&self) -> Option<BatchKey> {
        self.job().active_batch_key
    }

    pub(crate) fn is_last_phase(&self) -> bool {
        self.floor.work.is_last_phase(self.job().phase_place)
    }

    /// The running session of an active job, if the caller may continue it.
    pub(crate) async fn session(&self, act: &mut Act<'_>) -> Result<WorkSession> {
        self.job().must_be_active()?;
        let session = self.running_session(act).await?;
        act.references.session_must_agree(session.key)?;
        let (user, supervisor) = (&act.author.user_key, act.author.may(SUPERVISE));
        self.job().must_be_session_of(&session.user_key, user, supervisor)?;
        act.not_before(session.started);
        Ok(session)
    }

    /// The running session or, while the job is paused, the one before, if the caller may continue it.
    pub(crate) async fn last_session(&self, act: &mut Act<'_>) -> Result<WorkSession> {
        if self.job().active {
            return self.session(act).await;
        }
        let last = match self.job().last_work_session_started {
            Some(key) => sessions::find(act.tx, key).await?,
            None => None,
        };
        let last = last.ok_or_else(|| Error::broken("a job with a batch has no session"))?;
        self.job().must_be_session_of(&last.user_key, &act.author.user_key, act.author.may(SUPERVISE))?;
        Ok(last)
    }

    /// Ensures that work goes on not before it stopped, however the clocks of nodes differ.
    pub(crate) async fn go_on_after_last_session(&self, act: &mut Act<'_>) -> Result<()> {
        if let Some(key) = self.job().last_work_session_started
            && let Some(end) = sessions::find(act.tx, key).await?.and_then(|last| last.ended)
        {
            act.not_before(end);
        }
        Ok(())
    }

    /// The running session of an active job, whoever the caller is.
    pub(crate) async fn running_session(&self, act: &mut Act<'_>) -> Result<WorkSession> {
        let session = sessions::active_of(act.tx, self.job().key).await?;
        session.ok_or_else(|| Error::broken("an active job has no session"))
    }

    /// Assigns the job to the user who works on it.
    pub(crate) async fn assign(&mut self, act: &mut Act<'_>, user: &UserKey) -> Result<()> {
        if self.job().assigned_to.as_ref() != Some(user) {
            let place = act.next_place().await?;
            let job = self.job_mut();
            job.assigned_to = Some(user.clone());
            job.place = place;
        }
        Ok(())
    }

    /// Ends the event: notes that the job was heard from, settles the order and stores everything that follows.
    pub(crate) async fn finish(mut self, act: &mut Act<'_>) -> Result<Work> {
        let now = act.now;
        self.job_mut().last_online = Some(now);
        self.floor.finish(act).await
    }
}
