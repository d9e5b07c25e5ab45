//! Derives what follows from the quantities of an order's jobs.

use super::{CloseReason, Job, Stage, Work};
use crate::key::JobKey;
use crate::{Quantity, Timestamp, Total};

/// Something that an event led to by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consequence {
    /// A job closed because nothing more is to be made, or no more input will come.
    JobClosed(JobKey),
    /// A job is open again because input has come.
    JobReopened(JobKey),
    OrderStarted,
    OrderClosed,
    /// Jobs of a closed order are open again.
    OrderReopened,
}

impl Work {
    /// Updates everything that is derived from the jobs' quantities. It is idempotent.
    pub fn settle(&mut self, at: Timestamp) -> Vec<Consequence> {
        let mut consequences = Vec::new();
        self.settle_quantities(at, &mut consequences);
        for place in 1..self.phases {
            self.settle_supply(place, at, &mut consequences);
        }
        for place in 0..self.phases {
            let (free, ended) = (self.free_in_front(place), self.supply_has_ended(place));
            let of_units = self.order.is_traced();
            for job in self.jobs.iter_mut().filter(|job| job.phase_place == place) {
                job.progress = job.calculate_progress();
                job.next_batch_available = job.may_begin_batch(of_units, free, ended);
            }
        }
        self.settle_order(at, &mut consequences);
        consequences
    }

    /// Closes jobs whose planned quantity was lowered to what they have made.
    fn settle_quantities(&mut self, at: Timestamp, consequences: &mut Vec<Consequence>) {
        let done = |job: &&mut Job| job.is_open() && job.active_batch_key.is_none() && job.settled() >= job.qt_planned;
        for job in self.jobs.iter_mut().filter(done) {
            job.close(CloseReason::Quantity, at);
            consequences.push(Consequence::JobClosed(job.key));
        }
    }

    /// Closes jobs that get no more input, and reopens them when they do.
    fn settle_supply(&mut self, place: i64, at: Timestamp, consequences: &mut Vec<Consequence>) {
        let exhausted = self.supply_is_exhausted(place);
        for job in self.jobs.iter_mut().filter(|job| job.phase_place == place) {
            match (exhausted, job.close_reason) {
                (true, None) => {
                    job.close(CloseReason::Supply, at);
                    consequences.push(Consequence::JobClosed(job.key));
                }
                (false, Some(CloseReason::Supply)) => {
                    job.reopen();
                    consequences.push(Consequence::JobReopened(job.key));
                }
                _ => {}
            }
        }
    }

    fn settle_order(&mut self, at: Timestamp, consequences: &mut Vec<Consequence>) {
        let last_phase = self.phases - 1;
        let status = if self.jobs.iter().all(|job| !job.is_open()) {
            Stage::Closed
        } else if self.jobs.iter().any(|job| job.stage != Stage::Created) {
            Stage::Started
        } else {
            Stage::Created
        };
        let released: Total = self.of_phase(last_phase).map(|job| job.qt_released).sum();
        let scrapped: Total = self.jobs.iter().map(|job| job.qt_scrap).sum();
        let progress = self.order_progress();
        let order = &mut self.order;
        if status != order.status {
            match (order.status, status) {
                (_, Stage::Closed) => consequences.push(Consequence::OrderClosed),
                (Stage::Closed, _) => consequences.push(Consequence::OrderReopened),
                (_, Stage::Started) => consequences.push(Consequence::OrderStarted),
                (_, Stage::Created) => {}
            }
            order.ended = (status == Stage::Closed).then_some(at);
            order.status = status;
        }
        match status {
            Stage::Created => order.started = None,
            Stage::Started | Stage::Closed => order.started = order.started.or(Some(at)),
        }
        order.active = self.jobs.iter().any(|job| job.active);
        // Nothing is cut off: what is stored can be represented (`must_be_countable`).
        order.qt_completed = released.capped();
        order.qt_scrap = scrapped.capped();
        order.progress = progress;
    }

    /// The mean over the phases, in whole percent.
    fn order_progress(&self) -> Quantity {
        let planned = i128::from(self.order.qt_planned.millionths());
        let of_phase = |place: i64| {
            let done: i128 = self
                .of_phase(place)
                .map(|job| i128::from(job.progress.millionths()) * i128::from(job.qt_planned.millionths()))
                .sum();
            done.min(planned * i128::from(Quantity::HUNDRED.millionths()))
        };
        let sum: i128 = (0..self.phases).map(of_phase).sum();
        let whole = planned * i128::from(Quantity::HUNDRED.millionths()) * i128::from(self.phases.max(1));
        Quantity::percent(sum, whole, 0)
    }
}
