//! An order at work: loaded under its lock, changed by one event, settled, and stored again.

use domain::journal::Concerns;
use domain::key::{BatchKey, JobKey, UserKey, WorkOrderKey};
use domain::production::{Consequence, Job, Order, Work};
use serde_json::json;
use store::Tx;
use store::production::sessions::{self, WorkSession};
use store::production::{batches, jobs, work_orders};

use crate::act::Act;
use crate::catalogue::Made;
use crate::production::job::tell_closed;
use crate::{Error, Result};

/// All of an order's work, and how it was before the event.
#[derive(Debug, Clone)]
pub struct Floor {
    pub work: Work,
    before: Work,
    touched: bool,
}

/// The same with the job that the event is about.
#[derive(Debug, Clone)]
pub struct Bench {
    pub floor: Floor,
    /// Its place among the order's jobs.
    pub at: usize,
}

/// What an event of a whole order concerns.
pub fn order_concerns(order: &Order) -> Concerns {
    Concerns { work_order_key: Some(order.key), product_key: Some(order.product_key.clone()), ..Concerns::default() }
}

impl Floor {
    /// The order, locked: its events come one after the other.
    pub async fn of_order(act: &mut Act<'_>, key: WorkOrderKey) -> Result<Self> {
        if let Some(work) = act.kept.as_ref().and_then(|kept| kept.of_order(key)) {
            return Ok(Self::new(work.clone()));
        }
        let work = work_orders::lock_work(act.tx, key).await?.ok_or_else(|| Error::missing("work_order_key", key))?;
        Ok(Self::new(work))
    }

    /// One that is locked already.
    pub async fn load(act: &mut Act<'_>, order: Order) -> Result<Self> {
        let work = work_orders::work_of(act.tx, order).await?;
        Ok(Self::new(work))
    }

    /// One that was just made and is stored already.
    pub fn new(work: Work) -> Self {
        Self { before: work.clone(), work, touched: false }
    }

    /// Something of the order was changed that is kept elsewhere: its revision rises.
    pub fn touch(&mut self) {
        self.touched = true;
    }

    /// What an event of the whole order concerns.
    pub fn concerns(&self) -> Concerns {
        order_concerns(&self.work.order)
    }

    pub fn concerns_of(&self, job: &Job) -> Concerns {
        Concerns {
            job_key: Some(job.key),
            phase_key: Some(job.phase_key),
            batch_key: job.active_batch_key,
            ..self.concerns()
        }
    }

    /// That of a job, locked in the same way.
    async fn of_job(act: &mut Act<'_>, key: JobKey) -> Result<Self> {
        if let Some(work) = act.kept.as_ref().and_then(|kept| kept.of_job(key)) {
            return Ok(Self::new(work.clone()));
        }
        let work = work_orders::lock_work_of_job(act.tx, key).await?.ok_or_else(|| Error::missing("job_key", key))?;
        Ok(Self::new(work))
    }

    /// Works out what follows, tells of it by child events, and stores what has changed.
    pub async fn finish(mut self, act: &mut Act<'_>) -> Result<Work> {
        self.work.must_be_countable()?;
        for consequence in self.work.settle(act.at) {
            self.tell(act, consequence).await?;
        }
        for job in &mut self.work.jobs {
            if job.is_open() && self.before.job(job.key).is_some_and(|before| !before.is_open()) {
                // It goes to the end of its operator's queue.
                job.place = act.next_place().await?;
            }
        }
        if let Some(kept) = &mut act.kept {
            debug_assert!(!self.touched, "what is kept elsewhere concerns more than the order");
            kept.keep(self.before, self.work.clone());
        } else {
            store(act.tx, &self.before, &mut self.work, self.touched).await?;
        }
        Ok(self.work)
    }

    async fn tell(&mut self, act: &mut Act<'_>, consequence: Consequence) -> Result<()> {
        let order = json!({ "work_order_key": self.work.order.key });
        match consequence {
            Consequence::JobClosed(key) => {
                if let Some(job) = self.work.job(key) {
                    tell_closed(act, self.concerns_of(job), job)?;
                }
            }
            // What a job does when it opens again, it tells itself.
            Consequence::JobReopened(_) => {}
            Consequence::OrderStarted => {
                act.child(Made::WorkOrderStarted.name(), self.concerns(), order)?;
            }
            Consequence::OrderClosed => {
                act.child(Made::WorkOrderClosed.name(), self.concerns(), order)?;
            }
            Consequence::OrderReopened => {
                act.child(Made::WorkOrderReopened.name(), self.concerns(), order)?;
                // It goes to the end of the site queue.
                self.work.order.place = act.next_place().await?;
            }
        }
        Ok(())
    }
}

/// Stores what has changed of an order's work.
pub(crate) async fn store(tx: &mut Tx, before: &Work, work: &mut Work, touched: bool) -> Result<()> {
    for gone in before.jobs.iter().filter(|before| work.job(before.key).is_none()) {
        jobs::delete(tx, gone.key).await?;
    }
    for job in &work.jobs {
        match before.job(job.key) {
            None => jobs::insert(tx, job).await?,
            Some(before) if before != job => jobs::save(tx, before, job).await?,
            Some(_) => {}
        }
    }
    if work.order != before.order || touched {
        work_orders::save(tx, &before.order, &mut work.order).await?;
    }
    Ok(())
}

impl Bench {
    /// The job and all of its order.
    pub async fn of_job(act: &mut Act<'_>, key: JobKey) -> Result<Self> {
        let floor = Floor::of_job(act, key).await?;
        // It may have been deleted while its order was waited for.
        let at = floor.work.index(key).ok_or_else(|| Error::missing("job_key", key))?;
        let bench = Self { floor, at };
        act.concern(bench.concerns()).await?;
        bench.job().started.into_iter().for_each(|start| act.not_before(start));
        Ok(bench)
    }

    /// The job of a batch, and the batch itself.
    pub async fn of_batch(act: &mut Act<'_>, field: &str, key: BatchKey) -> Result<(Self, batches::Batch)> {
        let missing = || Error::missing(field, key);
        let floor = Floor::new(work_orders::lock_work_of_batch(act.tx, key).await?.ok_or_else(missing)?);
        let batch = batches::find(act.tx, key).await?.ok_or_else(missing)?;
        let at = floor.work.index(batch.job_key).ok_or_else(missing)?;
        let bench = Self { floor, at };
        act.concern(Concerns { batch_key: Some(key), ..bench.concerns() }).await?;
        act.not_before(batch.started);
        Ok((bench, batch))
    }

    pub fn job(&self) -> &Job {
        &self.floor.work.jobs[self.at]
    }

    pub fn job_mut(&mut self) -> &mut Job {
        &mut self.floor.work.jobs[self.at]
    }

    pub fn concerns(&self) -> Concerns {
        self.floor.concerns_of(self.job())
    }

    pub fn batch_key(&self) -> Option<BatchKey> {
        self.job().active_batch_key
    }

    pub fn is_last_phase(&self) -> bool {
        self.floor.work.is_last_phase(self.job().phase_place)
    }

    /// The running session of an active job, if the caller may go on with it.
    pub async fn session(&self, act: &mut Act<'_>) -> Result<WorkSession> {
        self.job().must_be_active()?;
        let session = self.running_session(act).await?;
        act.references.session_must_agree(session.key)?;
        let (user, supervisor) = (&act.author.user_key, act.author.supervisor);
        self.job().must_be_session_of(&session.user_key, user, supervisor)?;
        act.not_before(session.started);
        Ok(session)
    }

    /// The same, whoever asks.
    pub async fn running_session(&self, act: &mut Act<'_>) -> Result<WorkSession> {
        let session = sessions::active_of(act.tx, self.job().key).await?;
        session.ok_or_else(|| Error::broken("an active job has no session"))
    }

    /// The user whom a session of it is for.
    pub async fn assign(&mut self, act: &mut Act<'_>, user: &UserKey) -> Result<()> {
        if self.job().assigned_to.as_ref() != Some(user) {
            let place = act.next_place().await?;
            let job = self.job_mut();
            job.assigned_to = Some(user.clone());
            job.place = place;
        }
        Ok(())
    }

    /// Ends the event: the job has been heard of, and everything that follows is stored.
    pub async fn finish(mut self, act: &mut Act<'_>) -> Result<Work> {
        let now = act.now;
        self.job_mut().last_online = Some(now);
        self.floor.finish(act).await
    }
}
