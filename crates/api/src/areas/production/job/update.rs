use domain::fault::Faults;
use futures_util::future::BoxFuture;
use journal::effects::production::plan::{self, JobUpdate, Known};
use journal::{ClientEvent, References};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::Tx;
use store::production::job_views;

use super::wire::{JobRecord, record};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Json;
use crate::reply::{Done, Envelope, envelope};

/// What is to be done, in order.
#[derive(Clone, Deserialize, JsonSchema)]
#[schemars(rename = "JobUpdates")]
pub(super) struct Updates(#[schemars(length(max = 10_000))] Vec<JobUpdate>);

pub(super) async fn update(cx: Cx, Json(Updates(updates)): Json<Updates>) -> Result<Done<Envelope<Vec<JobRecord>>>> {
    let asking = cx.clone();
    cx.change("update jobs", async move |tx: &mut Tx| carry_out(tx, &asking, &updates).await).await
}

/// Boxed, so that the compiler need not look for `Send` in all of it.
fn carry_out<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    updates: &'a [JobUpdate],
) -> BoxFuture<'a, Result<Envelope<Vec<JobRecord>>>> {
    Box::pin(async move {
        let now = cx.now();
        let mut act = cx.act(tx, now).await?;
        let mut floors = plan::floors(&mut act, updates).await?;
        let known = Known::load(&mut act, &floors, updates).await?;
        let mut faults = Faults::at("body");
        let mut planned = plan::plan(&known, &mut floors, updates, &mut faults);
        ApiError::check(faults)?;
        for (order, floor) in floors {
            let payload = json!({ "work_order_key": order, "changes": { "jobs": planned.told(order) } });
            act.primary(ClientEvent::WorkOrderUpdated.name(), payload, References::default())?;
            act.concern(floor.concerns()).await?;
            planned.tell_closed(&mut act, &floor)?;
            floor.finish(&mut act).await?;
        }
        let jobs = job_views::in_order(act.tx, planned.jobs).await?;
        act.store().await?;
        envelope("Jobs updated.", jobs.into_iter().map(|job| record(job, now)).collect())
    })
}
