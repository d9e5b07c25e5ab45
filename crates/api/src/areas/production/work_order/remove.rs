use domain::Timestamp;
use domain::production::Stage;
use futures_util::future::BoxFuture;
use journal::effects::production::floor::order_concerns;
use journal::{References, ServerEvent};
use serde_json::json;
use store::Tx;
use store::production::{removal, work_orders};

use super::read::OrderPath;
use super::wire::not_found;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Path;
use crate::reply::{Done, Envelope, envelope};

pub(super) async fn remove(cx: Cx, Path(path): Path<OrderPath>) -> Result<Done<Envelope<()>>> {
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("delete work order", async move |tx: &mut Tx| carry_out(tx, &asking, &path, now).await).await
}

/// Boxed, so that the compiler need not look for `Send` in all that it does.
fn carry_out<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    path: &'a OrderPath,
    now: Timestamp,
) -> BoxFuture<'a, Result<Envelope<()>>> {
    Box::pin(async move {
        let mut act = cx.act(tx, now).await?;
        let order = work_orders::lock(act.tx, path.work_order_key).await?.ok_or_else(not_found)?;
        cx.check_revision(Some(order.rev))?;
        if order.status != Stage::Created {
            let data = json!({ "status": order.status });
            return Err(ApiError::forbidden_with("The order was started: it stays.", data));
        }
        let payload = json!({ "work_order_key": order.key, "changes": { "wo_code": order.wo_code } });
        act.primary(ServerEvent::WorkOrderDeleted.name(), payload, References::default())?;
        act.concern(order_concerns(&order)).await?;
        removal::remove(act.tx, order.key).await?;
        act.store().await?;
        envelope("Work order deleted.", ())
    })
}
