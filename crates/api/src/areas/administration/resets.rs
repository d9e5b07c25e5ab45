use std::collections::BTreeMap;

use domain::collection::Collection;
use domain::key::WorkOrderKey;
use journal::seal::{self, Remover};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::administration::resets;
use store::journal::seals::Which;

use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Path;
use crate::reply::{Done, Envelope, envelope};

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordsRemoved")]
pub(super) struct Removed {
    /// How many records of each collection were removed.
    removed: BTreeMap<&'static str, u64>,
}

fn remover(cx: &Cx) -> Remover {
    Remover { user_key: cx.caller.user_key.clone(), now: cx.now() }
}

pub(super) async fn production(cx: Cx) -> Result<Done<Envelope<Removed>>> {
    let (queue_key, by) = (cx.new_key()?, remover(&cx));
    cx.change("reset production", async move |tx: &mut Tx| {
        let mut removed = resets::production(tx, &queue_key, by.now).await?;
        removed.insert(Collection::Event.name(), seal::remove(tx, Which::All, &by).await?);
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
    /// The key of a work order.
    work_order_key: WorkOrderKey,
}

pub(super) async fn force_delete(cx: Cx, Path(path): Path<WorkOrderPath>) -> Result<Done<Envelope<Removed>>> {
    let by = remover(&cx);
    cx.change("force delete work order", async move |tx: &mut Tx| {
        let removed = resets::work_order(tx, path.work_order_key).await?;
        let mut removed = removed.ok_or_else(|| ApiError::missing(Collection::WorkOrder))?;
        removed.insert(Collection::Event.name(), seal::remove(tx, Which::OfWorkOrder(path.work_order_key), &by).await?);
        envelope("Work order removed.", Removed { removed })
    })
    .await
}
