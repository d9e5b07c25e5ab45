//! Movements as lists show them. Which are wanted, and how their page is found, are in files of their own.

use domain::key::{
    BatchKey, JobKey, MovementKey, MovementListKey, PositionKey, ProductKey, SerialKey, UserKey, WorkOrderKey,
};
use domain::warehouse::movement::{MovementStatus, MovementType, References};
use domain::{Quantity, Timestamp};
use serde_json::{Map, Value as Json};

use crate::Result;
use crate::row::row_struct;
use crate::sql::{Page, Paged, Query};
use crate::tx::Tx;

mod pages;
mod wanted;

pub(in crate::warehouse) use pages::LATEST_FIRST;
pub use pages::{merged_statements, ordered_statements};
pub use wanted::{Side, Wanted};

row_struct! {
    /// A movement with the codes of what it names.
    pub struct MovementView {
        pub key: MovementKey,
        pub rev: i64,
        pub kind: MovementType,
        pub status: MovementStatus,
        pub from_key: PositionKey,
        pub to_key: PositionKey,
        pub product_key: Option<ProductKey>,
        pub serial_key: Option<SerialKey>,
        pub qt_planned: Quantity,
        pub qt_confirmed: Quantity,
        pub owned: bool,
        pub created: Timestamp,
        pub start: Option<Timestamp>,
        pub end: Option<Timestamp>,
        pub movement_list_key: Option<MovementListKey>,
        pub movement_list_item: Option<i64>,
        pub inverse_movement_key: Option<MovementKey>,
        pub origin_movement_key: Option<MovementKey>,
        pub work_order_key: Option<WorkOrderKey>,
        pub job_key: Option<JobKey>,
        pub batch_key: Option<BatchKey>,
        pub references: Option<References>,
        pub reason: Option<String>,
        pub user_key: UserKey,
        pub extra: Map<String, Json>,
        pub from_code: String,
        pub from_deleted: bool,
        pub to_code: String,
        pub to_deleted: bool,
        pub movement_list_code: Option<String>,
        pub product_code: Option<String>,
        pub product_description: Option<String>,
        pub unit: Option<String>,
        pub serial_code: Option<String>,
    }
}

const VIEWS: &str =
    "select movement.key, movement.rev, movement.type, movement.status, movement.from_key, movement.to_key,
        product.key, movement.serial_key, movement.qt_planned, movement.qt_confirmed, movement.owned, movement.created,
        movement.start_at, movement.end_at, movement.movement_list_key, movement.movement_list_item,
        movement.inverse_movement_key, movement.origin_movement_key, movement.work_order_key, movement.job_key,
        movement.batch_key, movement.refers_to, movement.reason, movement.user_key, movement.extra,
        source.code, source.deleted, target.code, target.deleted, movement_list.code, product.code, product.description,
        product.unit, serial.code
    from movement
    left join position as source on source.key = movement.from_key
    left join position as target on target.key = movement.to_key
    left join movement_list on movement_list.key = movement.movement_list_key
    left join product on product.id = movement.product_id
    left join serial on serial.key = movement.serial_key";

/// Those without an end first, then those that ended last. Finds the keys of a page first: only what is on the page is read as a
/// whole.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<MovementView>> {
    let found = pages::keys(tx, wanted, page).await?;
    let keys = found.rows.into_iter().map(|key| key.0).collect();
    let rows = Query::new(VIEWS).in_order(tx, "movement.key", keys, |view: &MovementView| view.key.0).await?;
    Ok(Paged { rows, total: found.total })
}

/// The rows of a list, by item.
pub async fn of_list(tx: &mut Tx, list: MovementListKey) -> Result<Vec<MovementView>> {
    Query::new(VIEWS)
        .filter("movement.movement_list_key = {} and movement.movement_list_key is not null", list)
        .all(tx, "movement.movement_list_item, movement.key")
        .await
}
