use std::collections::HashMap;

use domain::collaboration::Recipient;
use domain::key::{BatchKey, JobKey, LinkKey, PhaseKey, ProductKey, SerialKey, UserKey, WorkOrderKey};
use domain::production::{OrderLine, Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::collaboration::messages;
use store::production::job_views::{self, JobView, Wanted};
use store::production::{jobs, order_boms, sessions};
use store::serial::work;

use super::wire::{JobRecord, record};
use super::{JobPath, not_found};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
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
    /// How many issues are about the job, open or closed.
    issue_count: i64,
    /// How many messages there are beside its order.
    message_count: i64,
    product_notes: Option<String>,
    phase_notes: Option<String>,
    order_notes: Option<String>,
}

/// A line with what was built into the active batch or its units.
#[derive(Serialize, JsonSchema)]
struct DeclaredLine {
    #[serde(flatten)]
    line: OrderLine,
    /// By code. If the phase has several lines of the component, the first of them has all.
    declared_serials: Vec<DeclaredSerial>,
}

/// A unit of a component that was built in.
#[derive(Serialize, JsonSchema)]
struct DeclaredSerial {
    _key: SerialKey,
    code: Option<String>,
    /// The phase of the job.
    phase_key: PhaseKey,
    component_key: ProductKey,
    /// The unit it is built into; null for the batch itself.
    parent_serial_key: Option<SerialKey>,
    /// The active batch of the job.
    batch_key: BatchKey,
    link_key: LinkKey,
}

pub(super) async fn one(cx: Cx, Path(path): Path<JobPath>) -> Result<Envelope<JobDetail>> {
    let now = cx.now();
    // A batch may have very many units.
    let read = async move |tx: &mut Tx| {
        let view = job_views::find(tx, path.job_key).await?.ok_or_else(not_found)?;
        let (order, phase) = (view.job.work_order_key, view.job.phase_key);
        let mut serials = declared(tx, &view).await?;
        let lines = order_boms::of_order(tx, order).await?.into_iter().map(|kept| kept.line);
        let notes = job_views::notes(tx, path.job_key).await?;
        let sent = messages::counts(tx, &[Recipient::WorkOrder(order)]).await?;
        let declared_line = |line: OrderLine| {
            let declared_serials = serials.remove(&line.component_key).unwrap_or_default();
            DeclaredLine { line, declared_serials }
        };
        Ok::<_, ApiError>(JobDetail {
            issue_count: view.around.issues_total,
            job: record(view, now),
            wo_bom: lines.filter(|line| line.phase_key == phase).map(declared_line).collect(),
            message_count: sent.values().sum(),
            product_notes: notes.product,
            phase_notes: notes.phase,
            order_notes: notes.order,
        })
    };
    envelope("Job found.", cx.db.read_long(read).await?)
}

/// What was built into the active batch or its units in this phase, by component.
async fn declared(tx: &mut Tx, view: &JobView) -> Result<HashMap<ProductKey, Vec<DeclaredSerial>>> {
    let mut by_component: HashMap<ProductKey, Vec<DeclaredSerial>> = HashMap::new();
    let Some(batch_key) = view.job.active_batch_key else { return Ok(by_component) };
    let phase_key = view.job.phase_key;
    for found in work::declared(tx, batch_key, phase_key, view.traceability_level.is_some()).await? {
        let serial = DeclaredSerial {
            _key: found.key,
            code: found.code,
            phase_key,
            component_key: found.component_key.clone(),
            parent_serial_key: found.parent_key,
            batch_key,
            link_key: found.link_key,
        };
        by_component.entry(found.component_key).or_default().push(serial);
    }
    Ok(by_component)
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
