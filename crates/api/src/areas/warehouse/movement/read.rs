use domain::key::{MovementListKey, PositionKey, ProductKey, SerialKey};
use domain::warehouse::movement::{ListStatus, MovementType};
use domain::{Timestamp, Until};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Tx;
use store::warehouse::movement_views::{self, Side, Wanted};

use super::wire::{COLUMNS, MovementRecord, record};
use crate::Result;
use crate::areas::filters::wildcard;
use crate::areas::warehouse::yes;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::export::ListOrTable;
use crate::input::{Paging, Query};
use crate::reply::Listed;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "PositionFilterOperator")]
enum Operator {
    #[default]
    And,
    Or,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct MovementsQuery {
    /// Only movements of this type.
    movement_type: Option<MovementType>,
    /// Only movements in this status; only lists are ever `started`.
    movement_status: Option<ListStatus>,
    /// Whether to return planned movements.
    #[serde(default = "yes")]
    include_planned: bool,
    /// Whether to return completed movements.
    #[serde(default = "yes")]
    include_completed: bool,
    /// Only movements that started at this time or later.
    start_from: Option<Timestamp>,
    /// Only movements that started at this time or earlier; a bare date means the end of that day.
    start_to: Option<Until>,
    /// Only movements that ended at this time or later.
    end_from: Option<Timestamp>,
    /// Only movements that ended at this time or earlier; a bare date means the end of that day.
    end_to: Option<Until>,
    /// Only movements of this product.
    product_key: Option<ProductKey>,
    /// Wildcard pattern for the code of the product: `*` is any run of characters, `?` one character.
    product_search: Option<String>,
    /// Wildcard pattern for the code of the serial.
    serial_search: Option<String>,
    /// Wildcard pattern for the code of the movement list.
    list_search: Option<String>,
    /// Wildcard pattern for the code of the work order whose production made the movement; one that clients name in `references` does not
    /// count.
    work_order_search: Option<String>,
    /// Only movements of these serials.
    #[serde(default)]
    serial_keys: Vec<SerialKey>,
    /// Only movements of these lists.
    #[serde(default)]
    list_key: Vec<MovementListKey>,
    /// Only movements from this position.
    position_from: Option<PositionKey>,
    /// Only movements to this position.
    position_to: Option<PositionKey>,
    /// Whether positions at any depth below `position_from` and `position_to` count as well.
    #[serde(default = "yes")]
    search_graph: bool,
    /// Whether both of `position_from` and `position_to` have to fit, or one of them.
    #[serde(default)]
    position_filter_operator: Operator,
}

impl MovementsQuery {
    fn wanted(self) -> Wanted {
        let below_too = self.search_graph;
        let side = |key: PositionKey| Side { key, below_too };
        Wanted {
            kind: self.movement_type,
            status: self.movement_status,
            without_planned: !self.include_planned,
            without_completed: !self.include_completed,
            start_from: self.start_from,
            start_to: self.start_to.map(|until| until.0),
            end_from: self.end_from,
            end_to: self.end_to.map(|until| until.0),
            product_key: self.product_key,
            product_code: wildcard(self.product_search),
            serial_code: wildcard(self.serial_search),
            list_code: wildcard(self.list_search),
            wo_code: wildcard(self.work_order_search),
            serial_keys: self.serial_keys.iter().map(|key| key.0).collect(),
            list_keys: self.list_key.iter().map(|key| key.0).collect(),
            from: self.position_from.map(side),
            to: self.position_to.map(side),
            either_side: self.position_filter_operator == Operator::Or,
        }
    }
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<MovementsQuery>,
    Paging(page): Paging<500>,
) -> Result<ListOrTable<MovementRecord>> {
    let wanted = query.wanted();
    let reading = cx.db.read_long(async move |tx: &mut Tx| {
        let found = movement_views::list(tx, &wanted, &page).await?;
        let rows: Vec<MovementRecord> = found.rows.into_iter().map(record).collect();
        Ok::<_, ApiError>(Listed { rows, total: found.total })
    });
    ListOrTable::new(&cx, "movements", COLUMNS, reading.await?)
}
