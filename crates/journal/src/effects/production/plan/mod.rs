//! Jobs planned by hand: split, replanned, reassigned, closed. The request is one list; all of it happens or nothing, and
//! all its faults are found at once.

mod sent;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use domain::Quantity;
use domain::collection::Collection;
use domain::config::OPERATION_PARAMETERS;
use domain::fault::Faults;
use domain::json::Opaque;
use domain::key::{JobKey, PhaseKey, UserKey, WorkOrderKey};
use domain::process::PhaseParameters;
use domain::production::{Job, MUST_BE_WHOLE, PhasePlan, Work};
use domain::rule::Refused;
use domain::{Change, Timestamp};
use serde_json::json;
use store::administration::config;
use store::entities;
use store::production::{batches, jobs, order_phases, work_orders};

use super::floor::{Floor, add_closed_event};
use super::job::{Closing, close_by_hand};
use crate::Result;
use crate::act::Act;
use crate::event::planned::{PlanAction, PlannedJob};

pub use sent::{JobChange, JobName, JobUpdate, NewJob};

/// Loaded orders, by key.
pub(crate) type Floors = BTreeMap<WorkOrderKey, Floor>;

/// Locks and loads the orders of all named jobs, one after the other.
pub(crate) async fn floors(act: &mut Act<'_>, updates: &[JobUpdate]) -> Result<Floors> {
    let named: Vec<i64> = updates.iter().filter_map(JobUpdate::job).map(|key| key.0).collect();
    let mut orders: BTreeSet<i64> = updates.iter().filter_map(JobUpdate::order).map(|key| key.0).collect();
    orders.extend(jobs::orders_of(act.tx, named).await?.iter().map(|order| order.0));
    let orders: Vec<i64> = orders.into_iter().collect();
    let locked = work_orders::lock_all(act.tx, &orders).await?;
    let works = work_orders::works_of(act.tx, locked).await?;
    Ok(works.into_iter().map(|work| (work.order.key, Floor::new(work))).collect())
}

/// What was planned, by order.
#[derive(Debug, Default)]
pub(crate) struct PlannedJobs {
    /// The jobs that were created, changed or closed; without deleted ones.
    pub(crate) jobs: Vec<JobKey>,
    recorded: HashMap<WorkOrderKey, Vec<PlannedJob>>,
    closed: HashMap<WorkOrderKey, Vec<JobKey>>,
}

impl PlannedJobs {
    /// What the journal records of an order's jobs.
    pub(crate) fn recorded(&mut self, order: WorkOrderKey) -> Vec<PlannedJob> {
        self.recorded.remove(&order).unwrap_or_default()
    }

    /// Adds events for the jobs of an order that were closed by hand, before the order is settled.
    pub(crate) fn add_closed_event(&self, act: &mut Act<'_>, floor: &Floor) -> Result<()> {
        for key in self.closed.get(&floor.work.order.key).into_iter().flatten() {
            // A later update of the same request may have opened it again.
            if let Some(job) = floor.work.job(*key).filter(|job| !job.is_open()) {
                add_closed_event(act, floor.concerns_of(job), job)?;
            }
        }
        Ok(())
    }

    fn name(&mut self, job: JobKey) {
        if !self.jobs.contains(&job) {
            self.jobs.push(job);
        }
    }

    fn note(&mut self, order: WorkOrderKey, job: PlannedJob) {
        self.recorded.entry(order).or_default().push(job);
    }
}

/// What the planning needs besides the locked orders.
pub(crate) struct PlanningFacts {
    /// A key and a place in the queue for each update.
    ids: Vec<(JobKey, i64)>,
    at: Timestamp,
    users: HashSet<String>,
    phases: HashMap<(WorkOrderKey, PhaseKey), PhasePlan>,
    /// Jobs that have batches, even if only canceled ones.
    begun: HashSet<JobKey>,
    /// The site's default parameters.
    site: PhaseParameters,
}

impl PlanningFacts {
    pub(crate) async fn load(act: &mut Act<'_>, floors: &Floors, updates: &[JobUpdate]) -> Result<Self> {
        let users: BTreeSet<String> = updates.iter().filter_map(JobUpdate::assignee).map(ToString::to_string).collect();
        let users = match users.is_empty() {
            true => Vec::new(),
            // Locked: nobody is assigned a job while their account is being removed.
            false => entities::hold_all(act.tx, Collection::User, &users.into_iter().collect::<Vec<_>>()).await?,
        };
        let splits = updates.iter().any(|update| update.order().is_some());
        let orders: Vec<i64> = floors.keys().map(|order| order.0).collect();
        let phases = if splits { order_phases::plans(act.tx, &orders).await? } else { Vec::new() };
        let ending = updates.iter().filter(|update| matches!(update, JobUpdate::Close(_)));
        let ending: Vec<i64> = ending.filter_map(JobUpdate::job).map(|key| key.0).collect();
        let begun = if ending.is_empty() { Vec::new() } else { batches::jobs_with_any(act.tx, ending).await? };
        let mut ids = Vec::with_capacity(updates.len());
        for _ in updates {
            ids.push((JobKey(act.new_id()?), act.next_place().await?));
        }
        Ok(Self {
            ids,
            at: act.at,
            users: users.into_iter().collect(),
            phases: phases.into_iter().map(|(order, phase)| ((order, phase.phase_key), phase)).collect(),
            begun: begun.into_iter().collect(),
            site: PhaseParameters::of_site(config::get(act.tx, OPERATION_PARAMETERS).await?),
        })
    }
}

/// Applies all updates, or adds their faults, each below its index. Nothing is stored yet: the caller settles and stores the
/// orders.
pub(crate) fn plan(
    known: &PlanningFacts,
    floors: &mut Floors,
    updates: &[JobUpdate],
    faults: &mut Faults,
) -> PlannedJobs {
    let jobs = floors.values().flat_map(|floor| &floor.work.jobs);
    let orders = jobs.map(|job| (job.key, job.work_order_key)).collect();
    let mut desk = Planner { floors, orders, known, planned: PlannedJobs::default() };
    for (index, (update, ids)) in updates.iter().zip(&known.ids).enumerate() {
        faults.within(index, |faults| {
            faults.within("data", |faults| match update {
                JobUpdate::Insert(job) => desk.insert(job, *ids, faults),
                JobUpdate::Update(change) => desk.change(change, ids.1, faults),
                JobUpdate::Close(job) => desk.close(job._key, faults),
            });
        });
    }
    desk.planned
}

/// Applies updates one after the other.
struct Planner<'a> {
    floors: &'a mut Floors,
    /// The order of every known job.
    orders: HashMap<JobKey, WorkOrderKey>,
    known: &'a PlanningFacts,
    planned: PlannedJobs,
}

impl Planner<'_> {
    fn insert(&mut self, sent: &NewJob, (key, place): (JobKey, i64), faults: &mut Faults) {
        let order = sent.work_order_key;
        let Some(floor) = self.floors.get_mut(&order) else {
            return fault(faults, "work_order_key", "work_order_not_found", "There is no such work order.", &order);
        };
        let phase = self.known.phases.get(&(order, sent.phase_key));
        if phase.is_none() {
            let why = "The order's routing has no such phase.";
            fault(faults, "phase_key", "phase_not_of_order", why, &sent.phase_key);
        }
        let assignee = self.known.assignee(sent.assigned_to.as_ref(), faults);
        let fits = must_be_whole(&floor.work, sent.qt_planned, faults);
        let (Some(phase), Some(assignee), true) = (phase, assignee, fits) else { return };
        let mut job = Job::new(key, &floor.work.order, phase.clone(), sent.qt_planned, place);
        job.assigned_to = assignee.cloned();
        if sent.notes.is_some() {
            job.notes.clone_from(&sent.notes);
        }
        let recorded = PlannedJob {
            phase_key: Some(job.phase_key),
            qt_planned: Some(job.qt_planned),
            assigned_to: Some(job.assigned_to.clone()),
            notes: Some(sent.notes.clone()),
            ..PlannedJob::new(PlanAction::Insert, key)
        };
        let place = job.phase_place;
        floor.work.add(job);
        if let Err(refused) = floor.work.must_be_plannable(place) {
            refuse(faults, "qt_planned", refused, &sent.qt_planned);
        }
        self.planned.note(order, recorded);
        self.planned.jobs.push(key);
        self.orders.insert(key, order);
    }

    fn change(&mut self, sent: &JobChange, place: i64, faults: &mut Faults) {
        let Some((order, index)) = self.find(sent._key, faults) else { return };
        let Some(floor) = self.floors.get_mut(&order) else { return };
        if let Some(quantity) = sent.qt_planned
            && must_be_whole(&floor.work, quantity, faults)
            && let Err(refused) = replan(&mut floor.work, index, quantity)
        {
            refuse(faults, "qt_planned", refused, &quantity);
        }
        let job = &mut floor.work.jobs[index];
        let assignee = match &sent.assigned_to {
            Change::Keep => None,
            Change::Clear => Some(None),
            Change::Set(user) => self.known.assignee(Some(user), faults),
        };
        if let Some(assignee) = assignee.filter(|assignee| job.assigned_to.as_ref() != *assignee) {
            match job.must_be_idle() {
                Err(refused) => refuse(faults, "assigned_to", refused, &assignee),
                // At the end of the new operator's queue.
                Ok(()) => (job.assigned_to, job.place) = (assignee.cloned(), place),
            }
        }
        sent.notes.clone().apply(&mut job.notes);
        sent.start_from.clone().apply(&mut job.start_from);
        sent.due_by.clone().map(|until| until.0).apply(&mut job.due_by);
        if let Some(chosen) = &sent.parameters {
            job.parameters = chosen.complete(&self.known.site).with_steps(job.step_count as usize);
        }
        match &sent.extra {
            Change::Keep => {}
            Change::Clear => job.extra = Opaque::default(),
            Change::Set(extra) => job.extra = Opaque::from(extra),
        }
        self.planned.note(order, sent.recorded(job));
        self.planned.name(sent._key);
    }

    fn close(&mut self, key: JobKey, faults: &mut Faults) {
        let Some((order, index)) = self.find(key, faults) else { return };
        let Some(floor) = self.floors.get_mut(&order) else { return };
        if floor.work.can_drop(index) && !self.known.begun.contains(&key) {
            let job = floor.work.jobs.remove(index);
            self.planned.jobs.retain(|named| *named != key);
            let gone = PlannedJob::new(PlanAction::Delete, key);
            return self.planned.note(order, PlannedJob { phase_key: Some(job.phase_key), ..gone });
        }
        match close_by_hand(&mut floor.work.jobs[index], &Closing::default(), self.known.at) {
            Err(refused) => refuse(faults, "_key", refused, &key),
            Ok(()) => {
                self.planned.note(order, PlannedJob::new(PlanAction::Close, key));
                self.planned.closed.entry(order).or_default().push(key);
                self.planned.name(key);
            }
        }
    }

    fn find(&self, key: JobKey, faults: &mut Faults) -> Option<(WorkOrderKey, usize)> {
        let found = self.orders.get(&key).and_then(|order| Some((*order, self.floors.get(order)?.work.index(key)?)));
        if found.is_none() {
            fault(faults, "_key", "job_not_found", "There is no such job, or it was deleted.", &key);
        }
        found
    }
}

impl PlanningFacts {
    /// The assignee of a job, if such a user exists.
    fn assignee<'u>(&self, user: Option<&'u UserKey>, faults: &mut Faults) -> Option<Option<&'u UserKey>> {
        match user.filter(|user| !self.users.contains(user.as_str())) {
            None => Some(user),
            Some(user) => {
                fault(faults, "assigned_to", "user_not_found", "There is no such user.", user);
                None
            }
        }
    }
}

/// Changes the planned quantity of a job; the phase's total must still be representable.
fn replan(work: &mut Work, index: usize, quantity: Quantity) -> Result<(), Refused> {
    let more = quantity > work.jobs[index].qt_planned;
    work.jobs[index].plan(quantity)?;
    if more { work.must_be_plannable(work.jobs[index].phase_place) } else { Ok(()) }
}

/// Products that are traced unit by unit are made in whole numbers.
fn must_be_whole(work: &Work, quantity: Quantity, faults: &mut Faults) -> bool {
    let fits = !work.order.is_traced() || quantity.is_whole();
    if !fits {
        fault(faults, "qt_planned", "multiple_of", MUST_BE_WHOLE, &quantity);
    }
    fits
}

fn fault(faults: &mut Faults, member: &str, kind: &'static str, why: &str, sent: &impl serde::Serialize) {
    faults.within(member, |faults| faults.add(kind, why, &json!(sent)));
}

fn refuse(faults: &mut Faults, member: &str, refused: Refused, sent: &impl serde::Serialize) {
    fault(faults, member, refused.error_type, &refused.message, sent);
}
