//! Creates an order, with copies of everything it is made by.

use domain::Timestamp;
use futures_util::future::BoxFuture;
use journal::events::production::create_order;
use schemars::JsonSchema;
use serde::Serialize;
use store::{Constraint, StoreError, Tx, TxError};

use super::routing;
use super::sent::{NewOrder, Plan};
use super::wire::{OrderRecord, order_record};
use crate::Result;
use crate::areas::journal::Acting;
use crate::areas::product::no_process;
use crate::areas::production::{JobRecord, job_records};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Json;
use crate::reply::{Done, Envelope, envelope};

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WorkOrderCreated")]
pub(super) struct Created {
    work_order: OrderRecord,
    /// One per phase, each with the whole quantity.
    jobs: Vec<JobRecord>,
}

pub(super) async fn create(cx: Cx, Json(body): Json<NewOrder>) -> Result<Done<Envelope<Created>>> {
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("create work order", async move |tx: &mut Tx| create_in_tx(tx, &asking, &body, now).await).await
}

/// Boxed, so that the compiler need not check all of it for `Send`.
fn create_in_tx<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    body: &'a NewOrder,
    now: Timestamp,
) -> BoxFuture<'a, Result<Envelope<Created>>> {
    Box::pin(async move {
        let mut act = cx.act(tx, now).await?;
        let product = body.product(act.tx).await?;
        // The product is locked: neither its process nor its lines can change in the meantime, and it can't be deleted.
        let routing = routing::load(act.tx, &product).await?;
        if routing.phases.is_empty() {
            return Err(no_process(&product.data.code, "The product has no production process."));
        }
        let Plan { lines, bom_version, position } = body.plan(act.tx, &product, &routing).await?;
        let new = body.order(product, bom_version, position);
        let order = create_order(&mut act, new, &lines, &routing).await.map_err(code_taken)?;
        let jobs = job_records(act.tx, &[order.key.0], now).await?.remove(&order.key).unwrap_or_default();
        act.store().await?;
        let phases = routing.phases.iter().map(|copy| copy.phase.key).collect();
        envelope("Work order created.", Created { work_order: order_record(order, lines, phases, now), jobs })
    })
}

/// The requested code belongs to another order.
fn code_taken(error: journal::Error) -> ApiError {
    match error.store_error().and_then(StoreError::constraint) {
        Some(Constraint::WorkOrderCodeTaken) => ApiError::conflict("Another work order has this code."),
        _ => error.into(),
    }
}
