use futures_util::future::BoxFuture;
use journal::effects::production::JobUpdate;
use journal::events::production::plan_jobs;
use schemars::JsonSchema;
use serde::Deserialize;
use store::Tx;
use store::production::job_views;

use super::wire::{JobRecord, record};
use crate::Result;
use crate::areas::journal::Acting;
use crate::cx::Cx;
use crate::input::Json;
use crate::reply::{Done, Envelope, envelope};

/// The updates, applied in order.
#[derive(Clone, Deserialize, JsonSchema)]
#[schemars(rename = "JobUpdates")]
pub(super) struct Updates(#[schemars(length(max = 10_000))] Vec<JobUpdate>);

pub(super) async fn update(cx: Cx, Json(Updates(updates)): Json<Updates>) -> Result<Done<Envelope<Vec<JobRecord>>>> {
    let asking = cx.clone();
    cx.change("update jobs", async move |tx: &mut Tx| update_in_tx(tx, &asking, &updates).await).await
}

/// Boxed, so that the compiler need not check all of it for `Send`.
fn update_in_tx<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    updates: &'a [JobUpdate],
) -> BoxFuture<'a, Result<Envelope<Vec<JobRecord>>>> {
    Box::pin(async move {
        let now = cx.now();
        let mut act = cx.act(tx, now).await?;
        let planned = plan_jobs(&mut act, updates).await?;
        let jobs = job_views::in_order(act.tx, planned).await?;
        act.store().await?;
        envelope("Jobs updated.", jobs.into_iter().map(|job| record(job, now)).collect())
    })
}
