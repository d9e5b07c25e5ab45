//! The wire format of jobs.

use std::collections::HashMap;

use domain::collection::Collection;
use domain::json::Opaque;
use domain::key::{
    BatchKey, EventKey, JobKey, OperationKey, PhaseKey, ProductKey, UserKey, WorkOrderKey, WorkSessionKey, record_id,
    revision,
};
use domain::process::PhaseParameters;
use domain::product::TraceabilityLevel;
use domain::production::{CloseReason, Job, Order, OrderDoc, Stage, on_time};
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use store::Tx;
use store::organisation::accounts::Named;
use store::production::job_views::{self, JobView};

use crate::Result;
use crate::areas::process::StepRecord;

/// A job with the data of its order and its phase.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Job")]
pub(crate) struct JobRecord {
    _id: String,
    _key: JobKey,
    _rev: String,
    wo_key: WorkOrderKey,
    wo_code: String,
    phase_key: PhaseKey,
    phase_alias: String,
    product_key: ProductKey,
    product_code: String,
    product_description: Option<String>,
    operation_key: OperationKey,
    project_code: Option<String>,
    parameters: PhaseParameters,
    first_phase: bool,
    last_phase: bool,
    /// The complete steps, as they were when the order was created.
    #[schemars(with = "Vec<StepRecord>")]
    step_sequence: Box<RawValue>,
    /// The product's documents when the order was created.
    #[schemars(with = "Vec<OrderDoc>")]
    job_docs: Opaque,
    traceability_level: Option<TraceabilityLevel>,
    serial_code_on_creation: bool,
    notes: Option<String>,
    /// Anything.
    extra: Opaque,
    stage: Stage,
    /// Whether somebody is working on it right now; a started job that is not active is paused.
    active: bool,
    close_reason: Option<CloseReason>,
    critical: bool,
    on_time: bool,
    start_from: Option<Timestamp>,
    due_by: Option<Timestamp>,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    assigned_to: Option<UserKey>,
    /// In percent.
    progress: Quantity,
    /// The event that set its progress by hand.
    forced: Option<EventKey>,
    qt_planned: Quantity,
    qt_completed: Quantity,
    qt_released: Quantity,
    qt_scrap: Quantity,
    active_batch_key: Option<BatchKey>,
    active_batch_qt: Quantity,
    next_batch_available: bool,
    last_work_session_started: Option<WorkSessionKey>,
    last_online: Option<Timestamp>,
    /// By the standard time of what remains; null unless the job was started.
    estimated_completion: Option<Timestamp>,
    /// How many issues are about the job, open or closed.
    issues_total: i64,
    /// How many of them are open.
    issues_open: i64,
    assigned_user: Option<AssignedUser>,
}

/// The user a job is assigned to.
#[derive(Debug, Serialize, JsonSchema)]
pub(in super::super) struct AssignedUser {
    _key: UserKey,
    username: String,
    name: Option<String>,
    surname: Option<String>,
}

impl From<Named> for AssignedUser {
    fn from(Named { key, username, name, surname }: Named) -> Self {
        Self { _key: key, username, name, surname }
    }
}

/// A job that is in memory with its order.
pub(crate) async fn known_job_record(tx: &mut Tx, order: Order, job: Job, now: Timestamp) -> Result<JobRecord> {
    Ok(record(job_views::of_known(tx, order, job).await?, now))
}

/// The jobs of some orders, by order; within an order by phase, then by creation.
pub(crate) async fn job_records(
    tx: &mut Tx,
    orders: &[i64],
    now: Timestamp,
) -> Result<HashMap<WorkOrderKey, Vec<JobRecord>>> {
    let mut of_orders: HashMap<WorkOrderKey, Vec<JobRecord>> = HashMap::with_capacity(orders.len());
    for view in job_views::of_orders(tx, orders).await? {
        of_orders.entry(view.job.work_order_key).or_default().push(record(view, now));
    }
    Ok(of_orders)
}

pub(crate) fn record(view: JobView, now: Timestamp) -> JobRecord {
    let (job, around) = (view.job, view.around);
    JobRecord {
        _id: record_id(Collection::Job, job.key),
        _key: job.key,
        _rev: revision(job.rev),
        wo_key: job.work_order_key,
        wo_code: view.wo_code,
        phase_key: job.phase_key,
        phase_alias: around.phase_alias,
        product_key: view.product_key,
        product_code: view.product_code,
        product_description: view.product_description,
        operation_key: around.operation_key,
        first_phase: job.is_first_phase(),
        last_phase: around.last_phase,
        step_sequence: around.steps,
        job_docs: view.docs,
        traceability_level: view.traceability_level,
        serial_code_on_creation: view.serial_code_on_creation,
        on_time: on_time(job.due_by, job.ended, now),
        estimated_completion: job.estimated_completion(now),
        project_code: job.project_code,
        parameters: job.parameters,
        notes: job.notes,
        extra: job.extra,
        stage: job.stage,
        active: job.active,
        close_reason: job.close_reason,
        critical: job.critical,
        start_from: job.start_from,
        due_by: job.due_by,
        start: job.started,
        end: job.ended,
        assigned_to: job.assigned_to,
        progress: job.progress,
        forced: job.forced,
        qt_planned: job.qt_planned,
        qt_completed: job.qt_completed,
        qt_released: job.qt_released,
        qt_scrap: job.qt_scrap,
        active_batch_key: job.active_batch_key,
        active_batch_qt: job.active_batch_qt,
        next_batch_available: job.next_batch_available,
        last_work_session_started: job.last_work_session_started,
        last_online: job.last_online,
        issues_total: around.issues_total,
        issues_open: around.issues_open,
        assigned_user: around.assignee.map(AssignedUser::from),
    }
}
