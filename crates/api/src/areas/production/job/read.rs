use domain::key::{BatchKey, JobKey, PhaseKey, ProductKey, SerialKey, UserKey, WorkOrderKey};
use domain::production::{OrderLine, Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::production::job_views::{self, Wanted};
use store::production::{jobs, order_boms, sessions};

use super::wire::{JobRecord, record};
use super::{JobPath, not_found};
use crate::Result;
use crate::cx::Cx;
use crate::input::{Paging, Path, Query};
use crate::reply::{Envelope, EnvelopeList, envelope, envelope_list};

/// The stage of a job.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "JobStageFilter")]
enum StageFilter {
    Created,
    /// Another name for `created`.
    Planned,
    Started,
    Closed,
}

/// Filters for jobs; all conditions combine, and of a repeated one any may match.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Filters {
    /// Only these jobs, by key.
    #[serde(default)]
    job_key: Vec<JobKey>,
    /// Only jobs of these work orders.
    #[serde(default)]
    work_order_key: Vec<WorkOrderKey>,
    /// Only jobs of these phases.
    #[serde(default)]
    phase_key: Vec<PhaseKey>,
    /// Only jobs assigned to any of these users, by key.
    #[serde(default)]
    assigned_to: Vec<UserKey>,
    /// Only jobs in any of these stages.
    #[serde(default)]
    stage: Vec<StageFilter>,
    /// True: only jobs that somebody is working on right now; false: only the others.
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
    envelope_list("Jobs listed.", rows, found.total)
}

/// A job with everything its operator needs.
#[derive(Serialize, JsonSchema)]
pub(super) struct JobDetail {
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
    /// The unit it is built into; null for the batch itself.
    parent_serial_key: Option<SerialKey>,
    batch_key: BatchKey,
    link_key: String,
}

pub(super) async fn one(cx: Cx, Path(path): Path<JobPath>) -> Result<Envelope<JobDetail>> {
    let now = cx.now();
    let read = async |tx: &mut Tx| {
        let view = job_views::find(tx, path.job_key).await?.ok_or_else(not_found)?;
        let (order, phase) = (view.job.work_order_key, view.job.phase_key);
        let lines = order_boms::of_order(tx, order).await?.into_iter().map(|kept| kept.line);
        let notes = job_views::notes(tx, path.job_key).await?;
        Ok(JobDetail {
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
    envelope("Job found.", cx.read(read).await?)
}

/// In milliseconds; null if they are too many to be represented.
pub(super) async fn time(cx: Cx, Path(path): Path<JobPath>) -> Result<Envelope<Option<i64>>> {
    let now = cx.now();
    let read = async |tx: &mut Tx| {
        jobs::find(tx, path.job_key).await?.ok_or_else(not_found)?;
        Ok(i64::try_from(sessions::time_of(tx, path.job_key, now).await?).ok())
    };
    envelope("Time spent on the job.", cx.read(read).await?)
}
