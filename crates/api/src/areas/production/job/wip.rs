use domain::Quantity;
use domain::key::JobKey;
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use store::production::{jobs, work_orders};

use super::{OfJob, not_found};
use crate::Result;
use crate::cx::Cx;
use crate::input::Query;
use crate::reply::Bare;

/// The free quantities before and after a job's phase.
#[derive(Serialize, JsonSchema)]
pub(super) struct AvailableWip {
    job_key: JobKey,
    /// Free in front of the job's phase; null for the first phase, and beyond 1e12.
    free_wip_qt_upstream: Option<Quantity>,
    /// Free in front of the next phase; null for the last phase, and beyond 1e12.
    free_wip_qt_downstream: Option<Quantity>,
}

pub(super) async fn read(cx: Cx, Query(query): Query<OfJob>) -> Result<Bare<AvailableWip>> {
    let read = async |tx: &mut Tx| {
        let job = jobs::find(tx, query.job_key).await?.ok_or_else(not_found)?;
        let order = work_orders::find(tx, job.work_order_key).await?.ok_or_else(not_found)?;
        let work = work_orders::work_of(tx, order).await?;
        let place = job.phase_place;
        Ok(Bare(AvailableWip {
            job_key: job.key,
            free_wip_qt_upstream: if job.is_first_phase() { None } else { work.all_in_front(place).quantity() },
            free_wip_qt_downstream: if work.is_last_phase(place) {
                None
            } else {
                work.all_in_front(place + 1).quantity()
            },
        }))
    };
    cx.read(read).await
}
