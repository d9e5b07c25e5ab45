//! What must be true of an order at any time, calculated from the books and the text of the contract alone.

use super::shop::Shop;
use super::*;
use crate::Total;

fn sum(quantities: impl Iterator<Item = Quantity>) -> Quantity {
    quantities.sum::<Total>().quantity().expect("what these shops make can be counted")
}

impl Shop {
    /// Checks everything below.
    pub(super) fn audit(&self) {
        self.jobs_have_what_their_batches_have();
        self.nothing_comes_from_nowhere();
        self.work.jobs.iter().for_each(|job| self.job_is_consistent(job));
        (1..self.work.phases).for_each(|place| self.supply_closes(place));
        self.order_adds_up();
        self.settled_once_is_settled();
    }

    fn jobs_have_what_their_batches_have(&self) {
        for job in &self.work.jobs {
            let own = || self.batches.iter().filter(|batch| batch.job == job.key);
            assert_eq!(job.qt_completed, sum(own().map(|batch| batch.pass)), "completed");
            assert_eq!(job.qt_released, job.qt_completed, "released");
            assert_eq!(job.qt_scrap, sum(own().map(|batch| batch.scrap)), "scrapped");
            assert!(own().filter(|batch| !batch.open).all(|batch| batch.pass + batch.scrap == batch.total));
            let open: Vec<_> = own().filter(|batch| batch.open).collect();
            assert!(open.len() <= 1, "one batch at a time");
            assert_eq!(job.active_batch_key, open.first().map(|batch| batch.key));
            assert_eq!(job.active_batch_qt, sum(open.iter().map(|batch| batch.total)));
        }
    }

    /// What a phase used or is working on was made by the one before; the rest is free.
    fn nothing_comes_from_nowhere(&self) {
        let of_phase = |place: i64| self.work.jobs.iter().filter(move |job| job.phase_place == place);
        for place in 1..self.work.phases {
            let made = sum(of_phase(place - 1).map(|job| job.qt_completed));
            let used = sum(of_phase(place).map(|job| job.qt_completed + job.qt_scrap));
            let in_work = sum(of_phase(place).map(|job| job.active_batch_qt));
            let free = made - used - in_work;
            assert!(!free.is_negative(), "{free} is free in front of phase {place}");
            assert_eq!(self.work.free_in_front(place), free);
        }
    }

    fn job_is_consistent(&self, job: &Job) {
        let begun = job.qt_completed + job.qt_scrap > Quantity::ZERO || job.active_batch_key.is_some();
        assert_eq!(job.stage == Stage::Closed, job.close_reason.is_some());
        assert_eq!(job.stage == Stage::Closed, job.ended.is_some());
        assert!(!job.active || (job.stage == Stage::Started && job.active_batch_key.is_some()));
        match job.stage {
            Stage::Created => assert!(!begun, "made something and is not started"),
            Stage::Started => assert!(begun, "started and made nothing"),
            Stage::Closed => assert_eq!(job.active_batch_key, None, "closed with a batch"),
        }
        assert_eq!(job.started.is_some(), begun, "when it was started");
        assert!(job.qt_completed + job.qt_scrap + job.active_batch_qt <= job.qt_planned, "more than planned");
        let nothing_to_do = job.active_batch_key.is_none() && job.qt_completed + job.qt_scrap >= job.qt_planned;
        assert!(!nothing_to_do || job.stage == Stage::Closed, "open with nothing left to make");
        self.progress_is_right(job);
        self.next_batch_is_right(job);
    }

    fn progress_is_right(&self, job: &Job) {
        let millionths = |quantity: Quantity| i128::from(quantity.millionths());
        let progress = millionths(job.progress);
        assert!((0..=100_000_000).contains(&progress));
        assert_eq!(progress % 10_000, 0, "two decimals");
        if job.stage == Stage::Closed || job.qt_completed + job.qt_scrap == job.qt_planned {
            assert_eq!(progress, 100_000_000);
            return;
        }
        let steps = i128::from(job.step_count.max(1));
        let done = millionths(job.qt_completed + job.qt_scrap) * steps
            + millionths(job.active_batch_qt) * i128::from(job.steps_done);
        let all = millionths(job.qt_planned) * steps;
        // Off by at most half a hundredth of a percent.
        assert!(2 * (progress * all - 100_000_000 * done).abs() <= 10_000 * all, "{} of {done}/{all}", job.progress);
    }

    /// 4.5.1, word by word.
    fn next_batch_is_right(&self, job: &Job) {
        let remaining = job.qt_planned - job.qt_completed - job.qt_scrap - job.active_batch_qt;
        assert_eq!(job.remaining(), remaining);
        let size = match job.parameters.production_batch_qt {
            Quantity::ZERO => remaining,
            size => size.min(remaining),
        };
        let free = self.work.free_in_front(job.phase_place);
        let ended = self.earlier_jobs_are_closed(job.phase_place);
        let enough = job.phase_place == 0 || free >= size || (ended && free > Quantity::ZERO);
        assert_eq!(job.next_batch_available, remaining > Quantity::ZERO && enough);
        let at = self.work.index(job.key).unwrap();
        let expected = size.min(free);
        match self.work.next_batch(at) {
            Ok(quantity) => assert_eq!(quantity, expected),
            Err(refused) => {
                assert_eq!(expected, Quantity::ZERO);
                let lacks = if size == Quantity::ZERO { "NoQuantityLeftError" } else { "WipNotAvailableError" };
                assert_eq!(refused.error_type, lacks);
            }
        }
    }

    fn earlier_jobs_are_closed(&self, place: i64) -> bool {
        self.work.jobs.iter().filter(|job| job.phase_place < place).all(|job| job.stage == Stage::Closed)
    }

    /// 4.5.2: jobs are closed for lack of supply if and only if nothing more comes and nothing is left.
    fn supply_closes(&self, place: i64) {
        let of_phase = || self.work.jobs.iter().filter(|job| job.phase_place == place);
        let booked = of_phase().any(|job| job.active_batch_qt > Quantity::ZERO);
        let exhausted =
            self.earlier_jobs_are_closed(place) && self.work.free_in_front(place) == Quantity::ZERO && !booked;
        for job in of_phase() {
            match job.close_reason {
                Some(CloseReason::Supply) => assert!(exhausted, "closed for want of supply, and there is some"),
                Some(_) => {}
                None => assert!(!exhausted, "open, and nothing will ever come"),
            }
        }
    }

    fn order_adds_up(&self) {
        let (order, jobs) = (&self.work.order, &self.work.jobs);
        let last = self.work.phases - 1;
        let released = sum(jobs.iter().filter(|job| job.phase_place == last).map(|job| job.qt_released));
        assert_eq!(order.qt_completed, released);
        assert_eq!(order.qt_scrap, sum(jobs.iter().map(|job| job.qt_scrap)));
        let remaining = order.qt_planned - order.qt_completed - order.qt_scrap;
        assert_eq!(order.qt_remaining(), if remaining.is_negative() { Quantity::ZERO } else { remaining });
        assert_eq!(order.active, jobs.iter().any(|job| job.active));
        let status = if jobs.iter().all(|job| job.stage == Stage::Closed) {
            Stage::Closed
        } else if jobs.iter().any(|job| job.stage != Stage::Created) {
            Stage::Started
        } else {
            Stage::Created
        };
        assert_eq!(order.status, status);
        assert_eq!(order.started.is_some(), status != Stage::Created);
        assert_eq!(order.ended.is_some(), status == Stage::Closed);
        self.order_progress_is_right();
    }

    fn order_progress_is_right(&self) {
        // So few digits that binary floats are precise enough to recognise halves.
        let value = |quantity: Quantity| quantity.millionths() as f64 / 1e6;
        let planned = value(self.work.order.qt_planned);
        let of_phase = |place: i64| {
            let jobs = self.work.jobs.iter().filter(|job| job.phase_place == place);
            let done: f64 = jobs.map(|job| value(job.progress) / 100.0 * value(job.qt_planned)).sum();
            100.0 * (done / planned).min(1.0)
        };
        let mean = (0..self.work.phases).map(of_phase).sum::<f64>() / self.work.phases as f64;
        let progress = value(self.work.order.progress);
        assert_eq!(progress.fract(), 0.0, "whole percent");
        assert!((progress - mean).abs() <= 0.5 + 1e-6, "{progress} of {mean}");
        assert!((0.0..=100.0).contains(&progress));
    }

    fn settled_once_is_settled(&self) {
        let mut again = self.work.clone();
        let later = Timestamp::from_millis(1_000_000_000);
        assert_eq!(again.settle(later), []);
        assert_eq!(again, self.work);
    }
}
