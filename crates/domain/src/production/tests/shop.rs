//! What events do to an order, as the journal does it, with a book of every batch.

use super::*;
use crate::key::{BatchKey, EventKey, WorkSessionKey};
use crate::rule::Refused;

/// A batch in the book.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Batch {
    pub(super) key: BatchKey,
    pub(super) job: JobKey,
    pub(super) total: Quantity,
    pub(super) pass: Quantity,
    pub(super) scrap: Quantity,
    pub(super) open: bool,
}

/// Something that happens to the job at an index. Parts are in thousandths of what there is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Deed {
    Start,
    Pause,
    Resume,
    Step,
    Resize {
        part: i64,
    },
    Complete {
        scrap: i64,
    },
    Close {
        update_planned: bool,
    },
    CancelBatch,
    Reset,
    Override {
        part: i64,
    },
    Plan {
        part: i64,
    },
    /// All jobs, if each phase has one.
    PlanOrder {
        part: i64,
    },
    Insert {
        part: i64,
    },
    Drop,
}

#[derive(Debug, Clone)]
pub(super) struct Shop {
    pub(super) work: Work,
    /// Those that were not taken back, oldest first.
    pub(super) batches: Vec<Batch>,
    /// Used for keys and for the time.
    ticks: i64,
}

/// Thousandths of a quantity.
pub(super) fn part_of(quantity: Quantity, part: i64) -> Quantity {
    quantity.share(Quantity::from_millionths(part), Quantity::from_millionths(1000)).expect("a part of something small")
}

impl Shop {
    pub(super) fn new(work: Work) -> Self {
        let mut shop = Self { work, batches: Vec::new(), ticks: 1000 };
        shop.settle();
        shop
    }

    fn tick(&mut self) -> i64 {
        self.ticks += 1;
        self.ticks
    }

    pub(super) fn settle(&mut self) -> Vec<Consequence> {
        let now = Timestamp::from_millis(self.ticks);
        self.work.settle(now)
    }

    /// Does it and settles what follows; if it is refused, everything must stay as it was.
    pub(super) fn attempt(&mut self, index: usize, deed: Deed) -> Result<Vec<Consequence>, Refused> {
        let before = self.clone();
        match self.carry_out(index, deed) {
            Ok(()) => Ok(self.settle()),
            Err(refused) => {
                assert_eq!(self.work, before.work, "{} changed something", refused.error_type);
                assert_eq!(self.batches, before.batches);
                Err(refused)
            }
        }
    }

    fn carry_out(&mut self, index: usize, deed: Deed) -> Result<(), Refused> {
        self.tick();
        match deed {
            Deed::Start => {
                self.work.jobs[index].must_be_created()?;
                self.open(index)
            }
            Deed::Pause => {
                self.work.jobs[index].must_be_active()?;
                self.work.jobs[index].active = false;
                Ok(())
            }
            Deed::Resume => {
                self.work.jobs[index].must_be_started()?;
                self.work.jobs[index].must_be_idle()?;
                match self.work.jobs[index].active_batch_key {
                    Some(_) => self.begin(index),
                    None => self.open(index)?,
                }
                Ok(())
            }
            Deed::Step => {
                self.work.jobs[index].must_be_active()?;
                let job = &mut self.work.jobs[index];
                job.steps_done = (job.steps_done + 1).min(job.step_count);
                Ok(())
            }
            Deed::Resize { part } => self.resize(index, part),
            Deed::Complete { scrap } => self.complete(index, scrap),
            Deed::Close { update_planned } => self.close(index, update_planned),
            Deed::CancelBatch => {
                let batch = self.work.jobs[index].active_batch_key;
                self.work.cancel_batch(index)?;
                self.batches.retain(|kept| Some(kept.key) != batch);
                Ok(())
            }
            Deed::Reset => {
                self.work.reset(index)?;
                let job = self.work.jobs[index].key;
                self.batches.retain(|kept| kept.job != job);
                Ok(())
            }
            Deed::Override { part } => {
                let most = self.work.jobs[index].qt_planned - self.work.jobs[index].qt_scrap;
                self.set_completed(index, part_of(most, part))
            }
            Deed::Plan { part } => {
                let job = &mut self.work.jobs[index];
                job.plan(part_of(job.qt_planned, part).max(Quantity::ONE))
            }
            Deed::PlanOrder { part } => self.plan_order(part),
            Deed::Insert { part } => {
                let (key, place) = (self.tick(), self.work.jobs[index].phase_place);
                let mut inserted = job(key, place, part_of(self.work.order.qt_planned, part).max(Quantity::ONE));
                inserted.step_count = self.work.jobs[index].step_count;
                inserted.parameters = self.work.jobs[index].parameters.clone();
                self.work.add(inserted);
                assert!(self.work.jobs.is_sorted_by_key(|job| (job.phase_place, job.key)));
                Ok(())
            }
            Deed::Drop if self.work.can_drop(index) => {
                self.work.jobs.remove(index);
                Ok(())
            }
            Deed::Drop => Err(Refused::value("The job stays.")),
        }
    }

    fn open(&mut self, index: usize) -> Result<(), Refused> {
        let total = self.work.next_batch(index)?;
        let key = BatchKey(self.tick());
        self.work.open_batch(index, key, total);
        let (pass, scrap) = (Quantity::ZERO, Quantity::ZERO);
        self.batches.push(Batch { key, job: self.work.jobs[index].key, total, pass, scrap, open: true });
        self.begin(index);
        Ok(())
    }

    fn begin(&mut self, index: usize) {
        let tick = self.tick();
        self.work.jobs[index].begin(Timestamp::from_millis(tick), WorkSessionKey(tick));
    }

    fn active_batch(&mut self, index: usize) -> &mut Batch {
        let key = self.work.jobs[index].active_batch_key;
        self.batches.iter_mut().find(|batch| Some(batch.key) == key).unwrap()
    }

    fn resize(&mut self, index: usize, part: i64) -> Result<(), Refused> {
        let job = &self.work.jobs[index];
        job.must_be_active()?;
        let most = job.active_batch_qt + job.remaining();
        let total = part_of(most, part).max(Quantity::from_millionths(1));
        self.work.resize_batch(index, total)?;
        self.active_batch(index).total = total;
        Ok(())
    }

    /// Makes the active batch as large as what is left of the job and what waits in front of it allow.
    pub(super) fn enlarge(&mut self, index: usize) -> Result<(), Refused> {
        let job = &self.work.jobs[index];
        let more = job.remaining().min(self.work.free_in_front(job.phase_place));
        let total = job.active_batch_qt + more;
        self.work.resize_batch(index, total)?;
        self.active_batch(index).total = total;
        Ok(())
    }

    fn complete(&mut self, index: usize, scrap: i64) -> Result<(), Refused> {
        self.work.jobs[index].must_be_active()?;
        let batch = self.active_batch(index);
        batch.open = false;
        batch.scrap = part_of(batch.total, scrap);
        batch.pass = batch.total - batch.scrap;
        let (pass, scrap) = (batch.pass, batch.scrap);
        self.work.complete_batch(index, pass, scrap);
        self.work.jobs[index].active = false;
        if self.work.is_finished(index) {
            let now = Timestamp::from_millis(self.ticks);
            self.work.jobs[index].close(CloseReason::Quantity, now);
        } else if self.work.jobs[index].parameters.auto_new_batch && self.work.may_open_next(index) {
            self.open(index).expect("a batch that may open by itself opens");
        }
        Ok(())
    }

    fn close(&mut self, index: usize, update_planned: bool) -> Result<(), Refused> {
        let now = Timestamp::from_millis(self.ticks);
        let job = &mut self.work.jobs[index];
        job.must_be_open()?;
        job.must_be_idle()?;
        job.must_have_no_batch()?;
        if update_planned && job.settled() > Quantity::ZERO {
            job.qt_planned = job.settled();
        }
        job.close(CloseReason::Manual, now);
        Ok(())
    }

    pub(super) fn set_completed(&mut self, index: usize, completed: Quantity) -> Result<(), Refused> {
        let key = self.work.jobs[index].key;
        let difference = self.work.override_by(index, completed)?;
        if difference > Quantity::ZERO {
            let batch = BatchKey(self.tick());
            self.work.open_batch(index, batch, difference);
            self.work.complete_batch(index, difference, Quantity::ZERO);
            let scrap = Quantity::ZERO;
            self.batches.push(Batch { key: batch, job: key, total: difference, pass: difference, scrap, open: false });
        } else {
            let mut left = Quantity::ZERO - difference;
            for batch in self.batches.iter_mut().rev().filter(|batch| batch.job == key) {
                let less = batch.pass.min(left);
                left = left - less;
                batch.pass = batch.pass - less;
                batch.total = batch.total - less;
                self.work.take_back(index, less);
            }
            assert_eq!(left, Quantity::ZERO, "the batches made what the job completed");
            self.batches.retain(|batch| batch.total > Quantity::ZERO);
        }
        self.work.jobs[index].forced = Some(EventKey(self.ticks));
        self.work.restage(index, Timestamp::from_millis(self.ticks));
        assert_eq!(self.work.jobs[index].qt_completed, completed);
        Ok(())
    }

    fn plan_order(&mut self, part: i64) -> Result<(), Refused> {
        let mut work = self.work.clone();
        if work.jobs.len() as i64 != work.phases {
            return Err(Refused::value("Each phase needs one job."));
        }
        work.order.qt_planned = part_of(work.order.qt_planned, part).max(Quantity::ONE);
        for job in &mut work.jobs {
            job.plan(work.order.qt_planned)?;
        }
        self.work = work;
        Ok(())
    }
}
