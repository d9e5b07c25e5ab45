use std::collections::BTreeMap;

use domain::key::WorkOrderKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::administration::resets;

use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Path;
use crate::reply::{Done, Envelope, envelope};

#[derive(Serialize, JsonSchema)]
pub(super) struct Removed {
    /// How many records of each collection went.
    removed: BTreeMap<&'static str, u64>,
}

pub(super) async fn production(cx: Cx) -> Result<Done<Envelope<Removed>>> {
    let queue_key = cx.new_key()?;
    cx.change("reset production", async move |tx: &mut Tx| {
        let removed = resets::production(tx, &queue_key).await?;
        envelope("Production data removed.", Removed { removed })
    })
    .await
}

pub(super) async fn inventory(cx: Cx) -> Result<Done<Envelope<Removed>>> {
    cx.change("reset inventory", async |tx: &mut Tx| {
        let removed = resets::inventory(tx).await?;
        envelope("Inventory data removed.", Removed { removed })
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct WorkOrderPath {
    work_order_key: WorkOrderKey,
}

pub(super) async fn force_delete(cx: Cx, Path(path): Path<WorkOrderPath>) -> Result<Done<Envelope<Removed>>> {
    cx.change("force delete work order", async move |tx: &mut Tx| {
        let removed = resets::work_order(tx, path.work_order_key).await?;
        let removed = removed.ok_or_else(|| ApiError::not_found("The work order was"))?;
        envelope("Work order removed.", Removed { removed })
    })
    .await
}
