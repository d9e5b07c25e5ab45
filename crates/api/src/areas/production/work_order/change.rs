//! Changes the plan of an order.

use domain::{Quantity, Timestamp};
use futures_util::future::BoxFuture;
use journal::effects::production::{Changes, JobUpdate};
use journal::events::production::{change_order, replan_order};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::json;
use store::Tx;
use store::production::work_orders;

use super::read::OrderPath;
use super::wire::{OrderRead, not_found, order_read};
use crate::Result;
use crate::areas::journal::Acting;
use crate::cx::Cx;
use crate::input::{Json, Path, read_only, record_members};
use crate::reply::{Done, Envelope, envelope};

/// Accepts only what can be changed, and the members of every record.
fn closed(schema: &mut Schema) {
    record_members(schema);
    read_only(schema, &["_key"]);
    schema.ensure_object().insert("additionalProperties".to_owned(), json!(false));
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "WorkOrderChange", transform = closed)]
pub(super) struct OrderChange(Changes);

pub(super) async fn change(
    cx: Cx,
    Path(path): Path<OrderPath>,
    Json(OrderChange(changes)): Json<OrderChange>,
) -> Result<Done<Envelope<OrderRead>>> {
    let (asking, now) = (cx.clone(), cx.now());
    let change = PlanChange::Changes(Box::new(changes));
    cx.change("change work order", async move |tx: &mut Tx| change_in_tx(tx, &asking, &path, &change, now).await).await
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "WorkOrderQuantities")]
#[serde(deny_unknown_fields)]
pub(super) struct NewQuantities {
    #[schemars(extend("exclusiveMinimum" = 0))]
    new_quantity: Quantity,
    /// As `POST /job/update` takes them, each with `qt_planned`. When left out, every job gets all of the quantity, which needs one
    /// job per phase.
    #[schemars(length(max = 10_000))]
    job_updates: Option<Vec<JobUpdate>>,
}

pub(super) async fn quantities(
    cx: Cx,
    Path(path): Path<OrderPath>,
    Json(body): Json<NewQuantities>,
) -> Result<Done<Envelope<OrderRead>>> {
    let (asking, now) = (cx.clone(), cx.now());
    let change = PlanChange::Quantity(body.new_quantity, body.job_updates);
    cx.change("change work order quantities", async move |tx: &mut Tx| {
        change_in_tx(tx, &asking, &path, &change, now).await
    })
    .await
}

enum PlanChange {
    Changes(Box<Changes>),
    Quantity(Quantity, Option<Vec<JobUpdate>>),
}

/// Boxed, so that the compiler need not check all of it for `Send`.
fn change_in_tx<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    path: &'a OrderPath,
    change: &'a PlanChange,
    now: Timestamp,
) -> BoxFuture<'a, Result<Envelope<OrderRead>>> {
    Box::pin(async move {
        let key = path.work_order_key;
        let mut act = cx.act(tx, now).await?;
        let found = work_orders::lock(act.tx, key).await?.ok_or_else(not_found)?;
        cx.check_revision(Some(found.rev))?;
        match change {
            PlanChange::Changes(changes) => change_order(&mut act, found, changes).await?,
            PlanChange::Quantity(quantity, updates) => {
                replan_order(&mut act, found, *quantity, updates.as_deref()).await?;
            }
        }
        let changed = order_read(act.tx, key, now).await?;
        act.store().await?;
        envelope("Work order changed.", changed)
    })
}
