//! An order during an event: loaded under its lock, changed, settled, and stored again.

use domain::journal::Concerns;
use domain::key::{JobKey, WorkOrderKey};
use domain::production::{Consequence, Job, Order, Work};
use domain::rule::production::ExtraTooLargeError;
use store::Tx;
use store::production::{jobs, work_orders};

use crate::act::{Act, KeptOrders};
use crate::event::made::production::{JobClosedByItself, WorkOrderTurned};
use crate::event::{ClientEvent, ServerEvent};
use crate::{Error, Result};

/// The `extra` of an order and its jobs takes at most this part of the memory for all requests. When the order is read it is in
/// memory several times.
const EXTRA_SHARE: usize = 32;

/// An order with all its jobs, as it is now and as it was before the event.
#[derive(Debug, Clone)]
pub(crate) struct Floor {
    pub(crate) work: Work,
    before: Work,
    touched: bool,
}

/// What an event about a whole order concerns.
pub(crate) fn order_concerns(order: &Order) -> Concerns {
    Concerns { work_order_key: Some(order.key), product_key: Some(order.product_key.clone()), ..Concerns::default() }
}

impl Floor {
    /// Locks the order and loads it: its events run one after the other.
    pub(crate) async fn of_order(act: &mut Act<'_>, key: WorkOrderKey) -> Result<Self> {
        if let Some(work) = act.kept.as_ref().and_then(|kept| kept.of_order(key)) {
            return Ok(Self::new(work.clone()));
        }
        let work = work_orders::lock_work(act.tx, key).await?.ok_or_else(|| Error::missing("work_order_key", key))?;
        Ok(Self::new(work))
    }

    /// Loads an order that is already locked.
    pub(crate) async fn load(act: &mut Act<'_>, order: Order) -> Result<Self> {
        let work = work_orders::work_of(act.tx, order).await?;
        Ok(Self::new(work))
    }

    /// An order that was just created and stored.
    pub(crate) fn new(work: Work) -> Self {
        Self { before: work.clone(), work, touched: false }
    }

    /// Raises the order's revision, because something that belongs to it but is stored elsewhere has changed.
    pub(crate) fn touch(&mut self) {
        self.touched = true;
    }

    /// What an event about the whole order concerns.
    pub(crate) fn concerns(&self) -> Concerns {
        order_concerns(&self.work.order)
    }

    pub(crate) fn concerns_of(&self, job: &Job) -> Concerns {
        Concerns {
            job_key: Some(job.key),
            phase_key: Some(job.phase_key),
            batch_key: job.active_batch_key,
            ..self.concerns()
        }
    }

    /// Locks the order of a job and loads it: its events run one after the other.
    pub(super) async fn of_job(act: &mut Act<'_>, key: JobKey) -> Result<Self> {
        if let Some(work) = act.kept.as_ref().and_then(|kept| kept.of_job(key)) {
            return Ok(Self::new(work.clone()));
        }
        let work = work_orders::lock_work_of_job(act.tx, key).await?.ok_or_else(|| Error::missing("job_key", key))?;
        Ok(Self::new(work))
    }

    /// Settles the order, adds child events for what follows, and stores what has changed.
    pub(crate) async fn finish(mut self, act: &mut Act<'_>) -> Result<Work> {
        self.work.must_be_countable()?;
        self.must_be_readable(act)?;
        for consequence in self.work.settle(act.at) {
            self.add_event(act, consequence).await?;
        }
        for job in &mut self.work.jobs {
            if job.is_open() && self.before.job(job.key).is_some_and(|before| !before.is_open()) {
                // At the end of its operator's queue.
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

    /// Refuses `extra` that would leave too little memory to ever read the order again.
    fn must_be_readable(&self, act: &Act<'_>) -> Result<()> {
        let (before, now) = (self.before.extra_weight(), self.work.extra_weight());
        if now <= before {
            return Ok(());
        }
        must_leave_room(act, now)
    }

    async fn add_event(&mut self, act: &mut Act<'_>, consequence: Consequence) -> Result<()> {
        let order = WorkOrderTurned { work_order_key: self.work.order.key };
        match consequence {
            Consequence::JobClosed(key) => {
                if let Some(job) = self.work.job(key) {
                    add_closed_event(act, self.concerns_of(job), job)?;
                }
            }
            // A job that reopens adds its own event.
            Consequence::JobReopened(_) => {}
            Consequence::OrderStarted => {
                act.child(ServerEvent::WorkOrderStarted.name(), self.concerns(), &order)?;
            }
            Consequence::OrderClosed => {
                act.child(ServerEvent::WorkOrderClosed.name(), self.concerns(), &order)?;
            }
            Consequence::OrderReopened => {
                act.child(ServerEvent::WorkOrderReopened.name(), self.concerns(), &order)?;
                // At the end of the site queue.
                self.work.order.place = act.next_place().await?;
            }
        }
        Ok(())
    }
}

/// Refuses `extra` of this weight, all of an order taken together, if it would leave too little memory to ever read the order again.
pub(crate) fn must_leave_room(act: &Act<'_>, bytes: usize) -> Result<()> {
    let maximum = act.tx.memory() / EXTRA_SHARE;
    if bytes <= maximum {
        return Ok(());
    }
    let rule = ExtraTooLargeError { bytes, maximum };
    Err(Error::rule(&rule, "The extra data of the order, its lines and its jobs would take too much memory."))
}

/// Stores the columns of an order and its jobs that have changed.
async fn store(tx: &mut Tx, before: &Work, work: &mut Work, touched: bool) -> Result<()> {
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

/// Adds the event that a job closed as a consequence of this one.
pub(crate) fn add_closed_event(act: &mut Act<'_>, concerns: Concerns, job: &Job) -> Result<()> {
    let close_reason = job.close_reason.ok_or_else(|| Error::broken("a job closed for no reason"))?;
    let payload = JobClosedByItself { job_key: job.key, close_reason };
    act.child(ClientEvent::JobClosed.name(), concerns, &payload)?;
    Ok(())
}

/// Stores the orders that a bulk keeps in memory.
pub(crate) async fn store_kept(act: &mut Act<'_>) -> Result<()> {
    for mut order in act.kept.as_mut().map(KeptOrders::take_all).unwrap_or_default() {
        store(act.tx, &order.stored, &mut order.work, false).await?;
    }
    Ok(())
}
