use super::{CloseReason, LONGEST_WORK, Order, Stage, units_time};
use crate::json::Opaque;
use crate::key::{BatchKey, EventKey, JobKey, PhaseKey, UserKey, WorkOrderKey, WorkSessionKey};
use crate::process::PhaseParameters;
use crate::rule::Refused;
use crate::rule::production::{
    JobAssignedToOtherError, JobHasActiveBatchError, JobHasNoActiveBatchError, JobHasNoAssigneeError, JobIsActiveError,
    JobIsClosedError, JobIsNotActiveError, JobIsNotStartedError, JobIsStartedError, NoQuantityLeftError,
    NotSessionUserError, QuantityTooSmallError,
};
use crate::{Quantity, Timestamp};

/// The work of one phase of an order, or a part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    pub key: JobKey,
    pub rev: i64,
    pub work_order_key: WorkOrderKey,
    pub phase_key: PhaseKey,
    /// The index of its phase in the order's routing, from 0 on.
    pub phase_place: i64,
    /// How many steps its phase has.
    pub step_count: i64,
    /// What the lines of its phase cost for one unit; `None` if unknown.
    pub unit_material_cost: Option<Quantity>,
    pub project_code: Option<String>,
    pub parameters: PhaseParameters,
    pub notes: Option<String>,
    pub extra: Opaque,
    pub start_from: Option<Timestamp>,
    pub due_by: Option<Timestamp>,
    pub stage: Stage,
    /// Whether somebody is working on it right now.
    pub active: bool,
    pub close_reason: Option<CloseReason>,
    pub critical: bool,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    pub assigned_to: Option<UserKey>,
    /// The event that set its progress by hand.
    pub forced: Option<EventKey>,
    pub qt_planned: Quantity,
    pub qt_completed: Quantity,
    pub qt_released: Quantity,
    pub qt_scrap: Quantity,
    pub active_batch_key: Option<BatchKey>,
    pub active_batch_qt: Quantity,
    /// How many steps of the active batch are done.
    pub steps_done: i64,
    /// In percent, with two decimals.
    pub progress: Quantity,
    pub next_batch_available: bool,
    pub last_work_session_started: Option<WorkSessionKey>,
    pub last_online: Option<Timestamp>,
    /// Its place in its operator's queue, if that queue is independent.
    pub place: i64,
}

/// What an order has copied of a phase, as far as its jobs need it.
#[derive(Debug, Clone, PartialEq)]
pub struct PhasePlan {
    pub phase_key: PhaseKey,
    /// In the order's routing, from 0 on.
    pub place: i64,
    pub step_count: i64,
    pub unit_material_cost: Option<Quantity>,
    pub parameters: PhaseParameters,
}

impl Job {
    /// The work of a phase, or a part of it, that nobody has started. A new place number puts it at the end of queues.
    pub fn new(key: JobKey, order: &Order, phase: PhasePlan, quantity: Quantity, place: i64) -> Self {
        Self {
            key,
            rev: 1,
            work_order_key: order.key,
            phase_key: phase.phase_key,
            phase_place: phase.place,
            step_count: phase.step_count,
            unit_material_cost: phase.unit_material_cost,
            project_code: order.project_code.clone(),
            parameters: phase.parameters,
            notes: order.notes.clone(),
            extra: order.extra.clone(),
            start_from: order.start_from,
            due_by: order.due_by,
            stage: Stage::Created,
            active: false,
            close_reason: None,
            critical: false,
            started: None,
            ended: None,
            assigned_to: None,
            forced: None,
            qt_planned: quantity,
            qt_completed: Quantity::ZERO,
            qt_released: Quantity::ZERO,
            qt_scrap: Quantity::ZERO,
            active_batch_key: None,
            active_batch_qt: Quantity::ZERO,
            steps_done: 0,
            progress: Quantity::ZERO,
            next_batch_available: false,
            last_work_session_started: None,
            last_online: None,
            place,
        }
    }

    pub fn is_first_phase(&self) -> bool {
        self.phase_place == 0
    }

    pub fn is_open(&self) -> bool {
        self.stage != Stage::Closed
    }

    /// What is neither made, scrapped nor in the active batch.
    pub fn remaining(&self) -> Quantity {
        (self.qt_planned - self.settled() - self.active_batch_qt).or_zero()
    }

    /// The milliseconds a quantity takes at the standard time of its phase.
    pub fn standard_time(&self, quantity: Quantity) -> Result<i64, Refused> {
        units_time(self.parameters.std_processing_time, quantity)
            .filter(|millis| *millis <= LONGEST_WORK)
            .ok_or_else(|| Refused::value("That would take more than a hundred years."))
    }

    /// When the rest will be made, at the standard time of its phase; `None` unless it was started, or if the date can't be
    /// represented.
    pub fn estimated_completion(&self, now: Timestamp) -> Option<Timestamp> {
        let millis = units_time(self.parameters.std_processing_time, self.remaining());
        millis.filter(|_| self.stage == Stage::Started).and_then(|millis| now.after_millis(millis))
    }

    /// What is made or scrapped.
    pub fn settled(&self) -> Quantity {
        self.qt_completed + self.qt_scrap
    }

    /// The minimum planned quantity.
    pub fn minimum(&self) -> Quantity {
        self.settled() + self.active_batch_qt
    }

    /// The batch size; all of `remaining` if it has none. Units are whole, and so are batches of them.
    pub(super) fn batch_size(&self, of_units: bool) -> Quantity {
        let size = match self.parameters.production_batch_qt {
            Quantity::ZERO => return self.remaining(),
            size if of_units => size.whole().max(Quantity::ONE),
            size => size,
        };
        size.min(self.remaining())
    }

    /// Whether enough is left and waits in front: a whole batch, or anything if nothing more will come.
    pub(super) fn may_begin_batch(&self, of_units: bool, free: Quantity, supply_has_ended: bool) -> bool {
        let enough = free >= self.batch_size(of_units) || (supply_has_ended && free > Quantity::ZERO);
        self.remaining() > Quantity::ZERO && enough
    }

    pub(super) fn calculate_progress(&self) -> Quantity {
        if self.stage == Stage::Closed {
            return Quantity::HUNDRED;
        }
        let settled = i128::from(self.settled().millionths());
        // The active batch counts by its steps.
        let batch = i128::from(self.active_batch_qt.millionths());
        let (done, steps) = (i128::from(self.steps_done), i128::from(self.step_count.max(1)));
        Quantity::percent(settled * steps + batch * done, i128::from(self.qt_planned.millionths()) * steps, 2)
    }

    pub fn must_be_open(&self) -> Result<(), Refused> {
        if self.is_open() {
            Ok(())
        } else {
            Err(Refused::new(&JobIsClosedError { job_key: self.key, stage: self.stage }, "The job is closed."))
        }
    }

    pub fn must_be_created(&self) -> Result<(), Refused> {
        self.must_be_open()?;
        match self.stage {
            Stage::Created => Ok(()),
            _ => Err(Refused::new(
                &JobIsStartedError { job_key: self.key, stage: self.stage },
                "The job has already been started.",
            )),
        }
    }

    pub fn must_be_started(&self) -> Result<(), Refused> {
        self.must_be_open()?;
        self.must_have_begun()
    }

    /// Started or already closed.
    pub fn must_have_begun(&self) -> Result<(), Refused> {
        match self.stage {
            Stage::Created => Err(Refused::new(
                &JobIsNotStartedError { job_key: self.key, stage: self.stage },
                "The job has not been started yet.",
            )),
            _ => Ok(()),
        }
    }

    /// At least one batch of it was completed.
    pub fn must_have_settled(&self) -> Result<(), Refused> {
        match self.settled() {
            Quantity::ZERO => Err(Refused::new(
                &JobIsNotStartedError { job_key: self.key, stage: self.stage },
                "No batch of the job has been completed yet.",
            )),
            _ => Ok(()),
        }
    }

    pub fn must_be_active(&self) -> Result<(), Refused> {
        if self.active {
            Ok(())
        } else {
            Err(Refused::new(
                &JobIsNotActiveError { job_key: self.key, stage: self.stage },
                "Nobody is working on the job.",
            ))
        }
    }

    pub fn must_be_idle(&self) -> Result<(), Refused> {
        if self.active {
            Err(Refused::new(
                &JobIsActiveError { job_key: self.key, stage: self.stage },
                "Somebody is working on the job.",
            ))
        } else {
            Ok(())
        }
    }

    pub fn must_have_batch(&self) -> Result<BatchKey, Refused> {
        self.active_batch_key.ok_or_else(|| {
            Refused::new(
                &JobHasNoActiveBatchError { job_key: self.key, batch_key: self.active_batch_key },
                "The job has no active batch.",
            )
        })
    }

    pub fn must_have_no_batch(&self) -> Result<(), Refused> {
        match self.active_batch_key {
            None => Ok(()),
            Some(_) => Err(Refused::new(
                &JobHasActiveBatchError { job_key: self.key, batch_key: self.active_batch_key },
                "The job has an active batch.",
            )),
        }
    }

    /// Who may start or resume it: its assignee or a supervisor; if it is unassigned, anyone, if the site shows such jobs to
    /// all.
    pub fn must_be_for(&self, user: &UserKey, supervisor: bool, unassigned_for_all: bool) -> Result<(), Refused> {
        match &self.assigned_to {
            _ if supervisor => Ok(()),
            None if unassigned_for_all => Ok(()),
            None => self.must_be_assigned(),
            Some(assignee) if assignee == user => Ok(()),
            Some(assignee) => {
                let rule = JobAssignedToOtherError { job_key: self.key, assigned_to: assignee.clone() };
                Err(Refused::new(&rule, "The job is assigned to another user."))
            }
        }
    }

    pub fn must_be_assigned(&self) -> Result<(), Refused> {
        match self.assigned_to {
            Some(_) => Ok(()),
            None => {
                let rule = JobHasNoAssigneeError { job_key: self.key, assigned_to: None };
                Err(Refused::new(&rule, "The job is assigned to nobody."))
            }
        }
    }

    /// Only the user of the running session may continue it, or a supervisor.
    pub fn must_be_session_of(&self, session_user: &UserKey, user: &UserKey, supervisor: bool) -> Result<(), Refused> {
        if supervisor || session_user == user {
            return Ok(());
        }
        let rule = NotSessionUserError { job_key: self.key, user_key: session_user.clone() };
        Err(Refused::new(&rule, "Another user is working on the job."))
    }

    pub(super) fn no_quantity_left(&self) -> Refused {
        let rule = NoQuantityLeftError { job_key: self.key };
        Refused::new(&rule, format!("More is asked for than the {} that remain to be made.", self.remaining()))
    }

    /// Changes the planned quantity; a closed job that then has quantity left opens again, unless it would get no input.
    pub fn plan(&mut self, quantity: Quantity) -> Result<(), Refused> {
        if quantity < self.minimum() {
            let rule = QuantityTooSmallError { job_key: self.key, minimum: self.minimum() };
            return Err(Refused::new(&rule, format!("Already made or under way: {}.", self.minimum())));
        }
        self.qt_planned = quantity;
        let for_want_of_supply = self.close_reason == Some(CloseReason::Supply);
        if !self.is_open() && !for_want_of_supply && self.remaining() > Quantity::ZERO {
            self.reopen();
        }
        Ok(())
    }

    pub fn close(&mut self, reason: CloseReason, at: Timestamp) {
        self.stage = Stage::Closed;
        self.close_reason = Some(reason);
        self.ended = Some(at);
    }

    pub fn reopen(&mut self) {
        self.close_reason = None;
        self.ended = None;
        self.step_back();
    }

    /// Sets the stage of a job that is not closed by what it has made.
    pub(super) fn step_back(&mut self) {
        let begun = self.settled() > Quantity::ZERO || self.active_batch_key.is_some();
        self.stage = if begun { Stage::Started } else { Stage::Created };
        if !begun {
            self.started = None;
        }
    }

    /// Somebody starts or resumes it.
    pub fn begin(&mut self, at: Timestamp, session: WorkSessionKey) {
        self.stage = Stage::Started;
        self.started = self.started.or(Some(at));
        self.active = true;
        self.last_work_session_started = Some(session);
    }

    pub(super) fn clear_batch(&mut self) {
        self.active_batch_key = None;
        self.active_batch_qt = Quantity::ZERO;
        self.steps_done = 0;
    }

    /// Clears it as if it had never been started.
    pub(super) fn clear(&mut self) {
        self.clear_batch();
        self.active = false;
        self.qt_completed = Quantity::ZERO;
        self.qt_released = Quantity::ZERO;
        self.qt_scrap = Quantity::ZERO;
        self.forced = None;
        self.close_reason = None;
        self.stage = Stage::Created;
        self.started = None;
        self.ended = None;
        self.last_work_session_started = None;
    }
}
