use domain::Timestamp;
use futures_util::future::BoxFuture;
use journal::events::production::delete_order;
use store::Tx;
use store::production::work_orders;

use super::read::OrderPath;
use super::wire::not_found;
use crate::Result;
use crate::areas::journal::Acting;
use crate::cx::Cx;
use crate::input::Path;
use crate::reply::{Done, Envelope, envelope};

pub(super) async fn remove(cx: Cx, Path(path): Path<OrderPath>) -> Result<Done<Envelope<()>>> {
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("delete work order", async move |tx: &mut Tx| delete_in_tx(tx, &asking, &path, now).await).await
}

/// Boxed, so that the compiler need not check all of it for `Send`.
fn delete_in_tx<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    path: &'a OrderPath,
    now: Timestamp,
) -> BoxFuture<'a, Result<Envelope<()>>> {
    Box::pin(async move {
        let mut act = cx.act(tx, now).await?;
        let order = work_orders::lock(act.tx, path.work_order_key).await?.ok_or_else(not_found)?;
        cx.check_revision(Some(order.rev))?;
        delete_order(&mut act, &order).await?;
        act.store().await?;
        envelope("Work order deleted.", ())
    })
}
