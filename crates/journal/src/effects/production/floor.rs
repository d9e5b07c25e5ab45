//! An order during an event: loaded under its lock, changed, settled, and stored again.

use domain::journal::Concerns;
use domain::key::{JobKey, WorkOrderKey};
use domain::production::{Consequence, Job, KeptLine, Order, Work, extra_weight};
use domain::rule::production::ExtraTooLargeError;
use store::Tx;
use store::production::{jobs, work_orders};

use crate::act::{Act, KeptOrder, KeptOrders, Touched};
use crate::event::made::production::{JobClosedByItself, WorkOrderTurned};
use crate::event::{ClientEvent, ServerEvent};
use crate::{Error, Result};

/// Maximum size of the `extra` of an order and its jobs, in bytes: every event reads it.
const MOST_EXTRA: usize = 1024 * 1024;
/// What part of the memory for all requests it may have: it counts with what it would take if it were parsed, up to eighty times
/// its size.
const EXTRA_SHARE: usize = 1024;
/// What part of it the `extra` of lines may take, parsed.
const LINES_SHARE: usize = 32;

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
        if let Some(work) = known(act, |orders| orders.of_order(key)) {
            return Ok(Self::new(work));
        }
        let work = work_orders::lock_work(act.tx, key).await?.ok_or_else(|| Error::missing("work_order_key", key))?;
        Ok(Self::read(act, work))
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
        if let Some(work) = known(act, |orders| orders.of_job(key)) {
            return Ok(Self::new(work));
        }
        let work = work_orders::lock_work_of_job(act.tx, key).await?.ok_or_else(|| Error::missing("job_key", key))?;
        Ok(Self::read(act, work))
    }

    /// An order that was just locked and read: a bulk need not read it again for the next row, even if this one is refused.
    fn read(act: &mut Act<'_>, work: Work) -> Self {
        if let Some(kept) = &mut act.kept {
            kept.add(work.clone());
        } else if let Some(read) = &mut act.read {
            read.add(work.clone(), act.tx.writes());
        }
        Self::new(work)
    }

    /// Settles the order, adds child events for what follows, and stores what has changed.
    pub(crate) async fn finish(mut self, act: &mut Act<'_>) -> Result<Work> {
        self.work.must_be_countable()?;
        let extra = self.work.extra_size();
        if extra > self.before.extra_size() {
            must_be_readable(act, extra)?;
        }
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
            kept.change(self.work.clone());
        } else {
            let touched = Touched { order: self.touched, ..Touched::default() };
            store(act.tx, &self.before, &mut self.work, &touched).await?;
        }
        Ok(self.work)
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

/// An order that a bulk has in memory, already locked.
fn known(act: &Act<'_>, find: impl Fn(&KeptOrders) -> Option<&Work>) -> Option<Work> {
    let read = || act.read.as_ref()?.since(act.tx.writes());
    act.kept.as_ref().or_else(read).and_then(find).cloned()
}

/// Refuses `extra` of an order and its jobs that would be too large for every event to read it.
pub(crate) fn must_be_readable(act: &Act<'_>, bytes: usize) -> Result<()> {
    let maximum = MOST_EXTRA.min(act.tx.memory() / EXTRA_SHARE);
    extra_must_fit(bytes, maximum, "The extra data of the order and its jobs would be too large.")
}

/// Refuses lines whose `extra` would leave too little memory to ever read them again.
pub(crate) fn lines_must_be_readable(act: &Act<'_>, lines: &[KeptLine]) -> Result<()> {
    let maximum = act.tx.memory() / LINES_SHARE;
    extra_must_fit(extra_weight(lines), maximum, "The extra data of the lines would take too much memory.")
}

fn extra_must_fit(bytes: usize, maximum: usize, message: &'static str) -> Result<()> {
    let rule = ExtraTooLargeError { bytes, maximum };
    if bytes <= maximum { Ok(()) } else { Err(Error::rule(&rule, message)) }
}

/// Stores the columns of an order and its jobs that have changed; the revisions of what is touched rise in any case.
async fn store(tx: &mut Tx, before: &Work, work: &mut Work, touched: &Touched) -> Result<()> {
    for gone in before.jobs.iter().filter(|before| work.job(before.key).is_none()) {
        jobs::delete(tx, gone.key).await?;
    }
    for job in &work.jobs {
        match before.job(job.key) {
            None => jobs::insert(tx, job).await?,
            Some(before) if before != job || touched.jobs.contains(&job.key) => jobs::save(tx, before, job).await?,
            Some(_) => {}
        }
    }
    if work.order != before.order || touched.order {
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
    let Some(kept) = &mut act.kept else { return Ok(()) };
    for KeptOrder { stored, work, touched } in kept.changed() {
        store(act.tx, stored, work, &std::mem::take(touched)).await?;
        *stored = work.clone();
    }
    Ok(())
}
