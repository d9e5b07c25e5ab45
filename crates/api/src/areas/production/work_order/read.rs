use domain::key::{ProductKey, WorkOrderKey};
use domain::{Timestamp, Until};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Tx;
use store::production::work_orders::{self, Wanted};

use super::wire::{OrderRead, order_read, order_reads};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path, Query, Search};
use crate::reply::{Envelope, EnvelopeList, envelope, envelope_list};

#[derive(Deserialize, JsonSchema)]
pub(super) struct OrderPath {
    /// The key of a work order.
    pub(super) work_order_key: WorkOrderKey,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct OrdersQuery {
    /// Case-insensitive substring of the order's code, the product's code or the project code.
    #[serde(default)]
    search: Search,
    /// Whether to return orders that are not closed.
    #[serde(default = "yes")]
    open: bool,
    /// Whether to return closed orders.
    #[serde(default = "yes")]
    closed: bool,
    /// Only orders of this product.
    product_key: Option<ProductKey>,
    /// Only orders that started at this time or later.
    time_start_from: Option<Timestamp>,
    /// Only orders that started at this time or earlier; a bare date means the end of that day.
    time_start_to: Option<Until>,
    /// Only orders that ended at this time or later.
    time_end_from: Option<Timestamp>,
    /// Only orders that ended at this time or earlier; a bare date means the end of that day.
    time_end_to: Option<Until>,
}

fn yes() -> bool {
    true
}

impl OrdersQuery {
    fn wanted(self) -> Wanted {
        Wanted {
            search: self.search.pattern(),
            open: self.open,
            closed: self.closed,
            product_key: self.product_key,
            started_from: self.time_start_from,
            started_to: self.time_start_to.map(|until| until.0),
            ended_from: self.time_end_from,
            ended_to: self.time_end_to.map(|until| until.0),
        }
    }
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<OrdersQuery>,
    Paging(page): Paging<100>,
) -> Result<EnvelopeList<OrderRead>> {
    let (wanted, now) = (query.wanted(), cx.now());
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = work_orders::list(tx, &wanted, &page).await?;
            let rows = order_reads(tx, found.rows, now).await?;
            envelope_list("Work orders listed.", rows, found.total)
        })
        .await
}

pub(super) async fn one(cx: Cx, Path(path): Path<OrderPath>) -> Result<Envelope<OrderRead>> {
    let now = cx.now();
    cx.app
        .read(async |tx: &mut Tx| {
            let order = order_read(tx, path.work_order_key, now).await?;
            Ok::<_, ApiError>(order)
        })
        .await
        .and_then(|order| envelope("Work order found.", order))
}
