use domain::key::{BatchKey, JobKey, PhaseKey, ProductKey, SerialKey, UserKey, WorkOrderKey};
use domain::production::{OrderLine, Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::organisation::accounts;
use store::production::job_views::{self, Wanted};
use store::production::{jobs, order_boms, queues, sessions, work_orders};

use super::super::queue::{by_operator, in_order};
use super::wire::{AssignedUser, JobRecord, SessionRecord, record, session_record};
use super::{JobPath, not_found};
use crate::Result;
use crate::cx::Cx;
use crate::input::{Paging, Path, Query};
use crate::reply::{Bare, Envelope, EnvelopeList, envelope, envelope_list};

/// How far a job has come.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StageFilter {
    Created,
    /// The same as `created`.
    Planned,
    Started,
    Closed,
}

/// Which jobs are wanted; all conditions combine, and of a repeated one any is enough.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Filters {
    #[serde(default)]
    job_key: Vec<JobKey>,
    #[serde(default)]
    work_order_key: Vec<WorkOrderKey>,
    #[serde(default)]
    phase_key: Vec<PhaseKey>,
    /// Keys of users.
    #[serde(default)]
    assigned_to: Vec<UserKey>,
    #[serde(default)]
    stage: Vec<StageFilter>,
    /// Whether somebody works at it right now.
    active: Option<bool>,
}

impl Filters {
    fn wanted(self) -> Wanted {
        let stage = |stage: StageFilter| match stage {
            StageFilter::Created | StageFilter::Planned => Stage::Created,
            StageFilter::Started => Stage::Started,
            StageFilter::Closed => Stage::Closed,
        };
        Wanted {
            keys: self.job_key.iter().map(|key| key.0).collect(),
            orders: self.work_order_key.iter().map(|key| key.0).collect(),
            phases: self.phase_key.iter().map(|key| key.0).collect(),
            assigned_to: self.assigned_to.iter().map(ToString::to_string).collect(),
            stages: self.stage.into_iter().map(stage).collect(),
            active: self.active,
        }
    }
}

pub(super) async fn list(
    cx: Cx,
    Query(filters): Query<Filters>,
    Paging(page): Paging<10_000>,
) -> Result<EnvelopeList<JobRecord>> {
    let (wanted, now) = (filters.wanted(), cx.now());
    let found = cx.db.read_long(async move |tx: &mut Tx| job_views::list(tx, &wanted, &page).await).await?;
    let rows = found.rows.into_iter().map(|job| record(job, now)).collect();
    envelope_list("Jobs.", rows, found.total)
}

/// A job with all that who does it wants to see.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JobDetail")]
pub(super) struct Detail {
    #[serde(flatten)]
    job: JobRecord,
    /// The lines of its phase.
    wo_bom: Vec<DeclaredLine>,
    issue_count: i64,
    /// Of its order.
    message_count: i64,
    product_notes: Option<String>,
    phase_notes: Option<String>,
    order_notes: Option<String>,
}

/// A line with the units that were declared for the active batch.
#[derive(Serialize, JsonSchema)]
struct DeclaredLine {
    #[serde(flatten)]
    line: OrderLine,
    declared_serials: Vec<DeclaredSerial>,
}

/// A unit of a component that was built in.
#[derive(Serialize, JsonSchema)]
struct DeclaredSerial {
    _key: SerialKey,
    code: Option<String>,
    phase_key: PhaseKey,
    component_key: ProductKey,
    /// The unit that it is built into; null for the batch itself.
    parent_serial_key: Option<SerialKey>,
    batch_key: BatchKey,
    link_key: String,
}

pub(super) async fn one(cx: Cx, Path(path): Path<JobPath>) -> Result<Envelope<Detail>> {
    let now = cx.now();
    let read = async |tx: &mut Tx| {
        let view = job_views::find(tx, path.job_key).await?.ok_or_else(not_found)?;
        let (order, phase) = (view.job.work_order_key, view.job.phase_key);
        let lines = order_boms::of_order(tx, order).await?.into_iter().map(|kept| kept.line);
        let notes = job_views::notes(tx, path.job_key).await?;
        Ok(Detail {
            job: record(view, now),
            // Until units can be traced, none are declared.
            wo_bom: lines
                .filter(|line| line.phase_key == phase)
                .map(|line| DeclaredLine { line, declared_serials: Vec::new() })
                .collect(),
            // Until there are issues and messages, nothing has any.
            issue_count: 0,
            message_count: 0,
            product_notes: notes.product,
            phase_notes: notes.phase,
            order_notes: notes.order,
        })
    };
    envelope("Job.", cx.read(read).await?)
}

/// Milliseconds.
pub(super) async fn time(cx: Cx, Path(path): Path<JobPath>) -> Result<Envelope<i64>> {
    let now = cx.now();
    let read = async |tx: &mut Tx| {
        jobs::find(tx, path.job_key).await?.ok_or_else(not_found)?;
        Ok(sessions::time_of(tx, path.job_key, now).await?)
    };
    envelope("Time spent at the job.", cx.read(read).await?)
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct OfJob {
    job_key: JobKey,
}

pub(super) async fn last_session(cx: Cx, Query(query): Query<OfJob>) -> Result<Envelope<Option<SessionRecord>>> {
    let read = async |tx: &mut Tx| {
        jobs::find(tx, query.job_key).await?.ok_or_else(not_found)?;
        Ok(sessions::last_of(tx, query.job_key).await?)
    };
    envelope("Work session of the job.", cx.read(read).await?.map(session_record))
}

/// What lies between a job's phase and its neighbours.
#[derive(Serialize, JsonSchema)]
pub(super) struct FreeWip {
    job_key: JobKey,
    /// Free in front of the job's phase; null for the first one.
    free_wip_qt_upstream: Option<domain::Quantity>,
    /// Free in front of the next phase; null for the last one.
    free_wip_qt_downstream: Option<domain::Quantity>,
}

pub(super) async fn wip(cx: Cx, Query(query): Query<OfJob>) -> Result<Bare<FreeWip>> {
    let read = async |tx: &mut Tx| {
        let job = jobs::find(tx, query.job_key).await?.ok_or_else(not_found)?;
        let order = work_orders::find(tx, job.work_order_key).await?.ok_or_else(not_found)?;
        let work = work_orders::work_of(tx, order).await?;
        let place = job.phase_place;
        Ok(Bare(FreeWip {
            job_key: job.key,
            free_wip_qt_upstream: (!job.is_first_phase()).then(|| work.free_in_front(place)),
            free_wip_qt_downstream: (!work.is_last_phase(place)).then(|| work.free_in_front(place + 1)),
        }))
    };
    cx.read(read).await
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct AssignmentQuery {
    /// Only this operator's jobs, besides those that are assigned to nobody.
    user_key: Option<UserKey>,
}

/// Who has which jobs.
#[derive(Serialize, JsonSchema)]
pub(super) struct Assignment {
    assigned_jobs_by_operator: Vec<OperatorJobs>,
    /// In the order of the site queue.
    unassigned_jobs: Vec<JobRecord>,
}

#[derive(Serialize, JsonSchema)]
struct OperatorJobs {
    operator: AssignedUser,
    /// Open jobs in the order of the operator's queue.
    assigned_jobs: Vec<JobRecord>,
    /// Whether that queue has an order of its own.
    independent: bool,
}

/// Those who have this word in their scope work at jobs.
const OPERATOR: &str = "operator";

pub(super) async fn assignment(cx: Cx, Query(query): Query<AssignmentQuery>) -> Result<Envelope<Assignment>> {
    let now = cx.now();
    let read = async move |tx: &mut Tx| {
        let mut operators = accounts::with_scope(tx, OPERATOR).await?;
        operators.retain(|operator| query.user_key.as_ref().is_none_or(|wanted| operator.key == *wanted));
        let queues = queues::all(tx).await?;
        let (mut waiting, unassigned) = by_operator(queues::open_jobs(tx).await?);
        let mut assigned: Vec<(accounts::Named, Vec<JobKey>, bool)> = Vec::with_capacity(operators.len());
        for operator in operators {
            let stored = queues.iter().find(|queue| queue.subqueue_target_key.as_ref() == Some(&operator.key));
            let queue = stored.cloned().unwrap_or_else(|| queues::Queue::of_operator(operator.key.clone()));
            let jobs = in_order(&queue, waiting.remove(&operator.key).unwrap_or_default());
            assigned.push((operator, jobs, queue.independent));
        }
        let shown = assigned.iter().flat_map(|(_, jobs, _)| jobs).chain(&unassigned).copied().collect();
        let mut records = job_views::in_order(tx, shown).await?.into_iter().map(|job| record(job, now));
        let assigned_jobs_by_operator = assigned
            .into_iter()
            .map(|(operator, jobs, independent)| OperatorJobs {
                operator: AssignedUser::from(operator),
                assigned_jobs: records.by_ref().take(jobs.len()).collect(),
                independent,
            })
            .collect();
        Ok::<_, crate::ApiError>(Assignment { assigned_jobs_by_operator, unassigned_jobs: records.collect() })
    };
    envelope("Jobs by operator.", cx.db.read_long(read).await?)
}
