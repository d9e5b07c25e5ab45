use super::{Job, Order, Stage};
use crate::key::{BatchKey, JobKey, SerialKey};
use crate::rule::Refused;
use crate::rule::production::{QuantityOverflow, QuantityOverrideForSerialsNotAllowed, WipNotAvailableError};
use crate::{Quantity, Timestamp, Total};

/// An order with all of its jobs: what one event about it can see and change.
///
/// What is free between two phases follows from the quantities of their jobs: everything the earlier one completed, minus
/// what the later one has used up or in progress.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    pub order: Order,
    /// By phase, then by creation.
    pub jobs: Vec<Job>,
    /// How many phases the order has.
    pub phases: i64,
}

fn must_be_sayable(total: Total) -> Result<(), Refused> {
    match total.quantity() {
        Some(_) => Ok(()),
        None => {
            let rule = QuantityOverflow { maximum: Some(Quantity::MAX) };
            Err(Refused::new(&rule, "The jobs of a phase can make at most 1e12 in total."))
        }
    }
}

/// On which side of a phase output is missing.
#[derive(Debug, Clone, Copy)]
enum Side {
    Upstream,
    Downstream,
}

impl Work {
    pub fn job(&self, key: JobKey) -> Option<&Job> {
        self.jobs.iter().find(|job| job.key == key)
    }

    pub fn index(&self, key: JobKey) -> Option<usize> {
        self.jobs.iter().position(|job| job.key == key)
    }

    pub fn of_phase(&self, place: i64) -> impl Iterator<Item = &Job> {
        self.jobs.iter().filter(move |job| job.phase_place == place)
    }

    pub fn is_last_phase(&self, place: i64) -> bool {
        place + 1 == self.phases
    }

    /// How much is free in front of a phase; unlimited in front of the first.
    pub fn free_in_front(&self, place: i64) -> Quantity {
        if place == 0 {
            return Quantity::MAX;
        }
        self.all_in_front(place).capped()
    }

    /// Everything that is free in front of a later phase.
    pub fn all_in_front(&self, place: i64) -> Total {
        let made: Total = self.of_phase(place - 1).map(|job| job.qt_completed).sum();
        (made - self.minimum_of(place)).max(Total::ZERO)
    }

    /// What the jobs of a phase have made, scrapped or in progress.
    fn minimum_of(&self, place: i64) -> Total {
        self.of_phase(place).map(Job::minimum).sum()
    }

    /// Checks that the total of what was made or is in progress can be represented.
    pub fn must_be_countable(&self) -> Result<(), Refused> {
        let scrap: Total = self.jobs.iter().map(|job| job.qt_scrap).sum();
        let totals = (0..self.phases).map(|place| self.minimum_of(place)).chain([scrap]);
        totals.into_iter().try_for_each(must_be_sayable)
    }

    /// The size of the `extra` of the order and of its jobs, in bytes.
    pub fn extra_size(&self) -> usize {
        self.order.extra.size() + self.jobs.iter().map(|job| job.extra.size()).sum::<usize>()
    }

    /// Checks that the planned total of a phase can be represented, even if it is more than the order asks for.
    pub fn must_be_plannable(&self, place: i64) -> Result<(), Refused> {
        must_be_sayable(self.of_phase(place).map(|job| job.qt_planned).sum())
    }

    /// Whether nothing more will come to a phase.
    pub fn supply_has_ended(&self, place: i64) -> bool {
        place > 0 && self.jobs.iter().filter(|job| job.phase_place < place).all(|job| !job.is_open())
    }

    /// Whether nothing is left for it either.
    pub fn supply_is_exhausted(&self, place: i64) -> bool {
        self.supply_has_ended(place)
            && self.free_in_front(place) == Quantity::ZERO
            && self.of_phase(place).all(|job| job.active_batch_key.is_none())
    }

    pub(super) fn next_batch_available(&self, job: &Job) -> bool {
        let (free, ended) = (self.free_in_front(job.phase_place), self.supply_has_ended(job.phase_place));
        job.may_begin_batch(self.order.is_traced(), free, ended)
    }

    /// The size of a job's next batch: its batch size, if that much is left and waits in front.
    pub fn next_batch(&self, index: usize) -> Result<Quantity, Refused> {
        let job = &self.jobs[index];
        let wanted = job.batch_size(self.order.is_traced());
        if wanted == Quantity::ZERO {
            return Err(job.no_quantity_left());
        }
        match wanted.min(self.free_in_front(job.phase_place)) {
            Quantity::ZERO => Err(self.not_available(index, Side::Upstream, wanted)),
            quantity => Ok(quantity),
        }
    }

    /// The size of a batch of so many units: no more than what is left of the job.
    pub fn batch_of(&self, index: usize, units: usize) -> Result<Quantity, Refused> {
        let (job, quantity) = (&self.jobs[index], Quantity::units(units));
        if quantity > job.remaining() {
            return Err(job.no_quantity_left());
        }
        Ok(quantity)
    }

    /// Whether the next batch of a job may open by itself; units that are traced are chosen by the operator.
    pub fn may_open_next(&self, index: usize) -> bool {
        let job = &self.jobs[index];
        let chosen = self.order.is_traced() && !job.is_first_phase();
        self.next_batch_available(job) && !chosen
    }

    pub fn open_batch(&mut self, index: usize, key: BatchKey, quantity: Quantity) {
        let job = &mut self.jobs[index];
        job.active_batch_key = Some(key);
        job.active_batch_qt = quantity;
        job.steps_done = 0;
    }

    /// Changes the quantity of the active batch: at most what is left of the job, and what waits in front.
    pub fn resize_batch(&mut self, index: usize, quantity: Quantity) -> Result<(), Refused> {
        let job = &self.jobs[index];
        if quantity == job.active_batch_qt {
            return Err(Refused::value("The batch already has that quantity."));
        }
        if quantity > job.active_batch_qt + job.remaining() {
            return Err(job.no_quantity_left());
        }
        let more = (quantity - job.active_batch_qt).or_zero();
        if more > self.free_in_front(job.phase_place) {
            return Err(self.not_available(index, Side::Upstream, more));
        }
        self.jobs[index].active_batch_qt = quantity;
        Ok(())
    }

    /// Changes the quantity of the active batch to that of the units that were chosen for it.
    pub fn resize_batch_to(&mut self, index: usize, units: usize) -> Result<(), Refused> {
        let (job, quantity) = (&mut self.jobs[index], Quantity::units(units));
        if quantity > job.active_batch_qt + job.remaining() {
            return Err(job.no_quantity_left());
        }
        job.active_batch_qt = quantity;
        Ok(())
    }

    /// Units that a job has made and that wait in front of the next phase are scrapped.
    pub fn scrap_waiting(&mut self, index: usize, quantity: Quantity) {
        self.take_back(index, quantity);
        let job = &mut self.jobs[index];
        job.qt_scrap = job.qt_scrap + quantity;
    }

    /// Completes the active batch: passed and scrapped quantity add up to all of it.
    pub fn complete_batch(&mut self, index: usize, pass: Quantity, scrap: Quantity) {
        let job = &mut self.jobs[index];
        job.clear_batch();
        job.qt_completed = job.qt_completed + pass;
        job.qt_released = job.qt_released + pass;
        job.qt_scrap = job.qt_scrap + scrap;
    }

    /// Whether everything a job has to make is made or scrapped.
    pub fn is_finished(&self, index: usize) -> bool {
        self.jobs[index].settled() >= self.jobs[index].qt_planned
    }

    /// Removes the active batch as if it had never existed.
    pub fn cancel_batch(&mut self, index: usize) -> Result<(), Refused> {
        self.jobs[index].must_be_idle()?;
        self.jobs[index].must_have_batch()?;
        self.jobs[index].clear_batch();
        self.jobs[index].step_back();
        Ok(())
    }

    /// Checks that this much of a job's output still waits in front of the next phase, so that it can be taken back.
    pub fn must_be_returnable(&self, index: usize, quantity: Quantity) -> Result<(), Refused> {
        let job = &self.jobs[index];
        if self.is_last_phase(job.phase_place) || quantity <= self.free_in_front(job.phase_place + 1) {
            return Ok(());
        }
        Err(self.not_available(index, Side::Downstream, quantity))
    }

    /// Checks that everything a job did can be taken back.
    pub fn must_be_resettable(&self, index: usize) -> Result<(), Refused> {
        self.jobs[index].must_have_begun()?;
        self.jobs[index].must_be_idle()?;
        self.must_be_returnable(index, self.jobs[index].qt_completed)
    }

    /// Removes everything a job did as if it had never happened.
    pub fn reset(&mut self, index: usize) -> Result<(), Refused> {
        self.must_be_resettable(index)?;
        self.jobs[index].clear();
        Ok(())
    }

    /// The difference between the completed quantity that is set by hand and the present one.
    pub fn override_by(&self, index: usize, completed: Quantity) -> Result<Quantity, Refused> {
        let job = &self.jobs[index];
        job.must_be_assigned()?;
        job.must_be_idle()?;
        job.must_have_no_batch()?;
        if self.order.is_traced() {
            let rule = QuantityOverrideForSerialsNotAllowed { job_key: job.key };
            return Err(Refused::new(&rule, "What is traced unit by unit can't be set by number."));
        }
        if completed > job.qt_planned - job.qt_scrap {
            return Err(Refused::value("More than the planned quantity minus the scrap."));
        }
        let difference = completed - job.qt_completed;
        if difference == Quantity::ZERO {
            return Err(Refused::value("That much is already completed."));
        }
        if difference > self.free_in_front(job.phase_place) {
            return Err(self.not_available(index, Side::Upstream, difference));
        }
        self.must_be_returnable(index, (Quantity::ZERO - difference).or_zero())?;
        Ok(difference)
    }

    /// Removes some of what a job completed as if it had never been made.
    pub fn take_back(&mut self, index: usize, passed: Quantity) {
        let job = &mut self.jobs[index];
        job.qt_completed = job.qt_completed - passed;
        job.qt_released = job.qt_released - passed;
    }

    /// Sets the stage of a job whose completed quantity was set by hand.
    pub fn restage(&mut self, index: usize, now: Timestamp) {
        let job = &mut self.jobs[index];
        if job.settled() >= job.qt_planned {
            job.started = job.started.or(Some(now));
            job.close(super::CloseReason::Quantity, now);
            return;
        }
        job.reopen();
        if job.stage == Stage::Started {
            job.started = job.started.or(Some(now));
        }
    }

    /// Adds another job for one of its phases.
    pub fn add(&mut self, job: Job) {
        let index = self.jobs.partition_point(|other| (other.phase_place, other.key) < (job.phase_place, job.key));
        self.jobs.insert(index, job);
    }

    /// Whether a job can be deleted: nobody has started it, and its phase has another.
    pub fn can_drop(&self, index: usize) -> bool {
        let job = &self.jobs[index];
        job.stage == Stage::Created && self.of_phase(job.phase_place).count() > 1
    }

    /// Changes the planned quantity of the order: each phase has one job, which gets all of it.
    pub fn plan(&mut self, quantity: Quantity) -> Result<(), Refused> {
        if (0..self.phases).any(|place| self.of_phase(place).count() != 1) {
            let message = "A phase has several jobs: say how much each of them makes.";
            return Err(Refused::value(message));
        }
        for job in &mut self.jobs {
            job.plan(quantity)?;
        }
        self.order.qt_planned = quantity;
        Ok(())
    }

    /// Some of the units that a job is to work on do not wait in front of its phase.
    pub fn units_not_in_front(&self, index: usize, units: usize, absent: Vec<SerialKey>) -> Refused {
        self.lacking(index, Side::Upstream, Quantity::units(units), absent)
    }

    /// Some of the units that a job has made are no longer where it left them.
    pub fn units_gone(&self, index: usize, gone: Vec<SerialKey>) -> Refused {
        self.lacking(index, Side::Downstream, self.jobs[index].qt_completed, gone)
    }

    fn not_available(&self, index: usize, side: Side, requested: Quantity) -> Refused {
        self.lacking(index, side, requested, Vec::new())
    }

    fn lacking(&self, index: usize, side: Side, requested: Quantity, serial_keys: Vec<SerialKey>) -> Refused {
        let job = &self.jobs[index];
        let (direction, place) = match side {
            Side::Upstream => ("upstream", job.phase_place),
            Side::Downstream => ("downstream", job.phase_place + 1),
        };
        let is_last = place >= self.phases;
        let message = match (side, is_last) {
            (Side::Upstream, _) if !serial_keys.is_empty() => "Units are not free in front of the phase.",
            (Side::Upstream, _) => "Not enough work in progress is free in front of the phase.",
            (Side::Downstream, false) => "The next phase has already taken what the job made.",
            (Side::Downstream, true) => "Units that the job made were built in, scrapped or deleted since.",
        };
        let available = if is_last { Quantity::ZERO } else { self.free_in_front(place) };
        let rule = WipNotAvailableError { direction, requested, available, serial_keys };
        Refused::new(&rule, message)
    }
}
