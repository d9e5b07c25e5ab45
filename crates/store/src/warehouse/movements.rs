//! Movements: planned ones, and those that were carried out, which never change but for their reversal.

use domain::Quantity;
use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{
    BatchKey, CountRecordKey, CountSessionKey, JobKey, MovementKey, MovementListKey, PositionKey, ProductId, SerialKey,
    UserKey, WorkOrderKey,
};
use domain::warehouse::movement::{MovementStatus, MovementType, References, Tally};
use serde_json::{Map, Value as Json};

use crate::columns::{self, Record, record};
use crate::lock::Rows;
use crate::row::row_struct;
use crate::sql::{Sql, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct Movement in movement {
        pub key: MovementKey,
        pub rev: i64,
        pub kind: MovementType as type,
        pub status: MovementStatus,
        pub from_key: PositionKey,
        pub to_key: PositionKey,
        /// None: the position itself is moved.
        pub product_id: Option<ProductId>,
        pub serial_key: Option<SerialKey>,
        pub qt_planned: Quantity,
        pub qt_confirmed: Quantity,
        pub owned: bool,
        /// Planned, and nobody has said whose it is.
        pub owner_open: bool,
        pub created: Timestamp,
        pub start_at: Option<Timestamp>,
        pub end_at: Option<Timestamp>,
        pub movement_list_key: Option<MovementListKey>,
        pub movement_list_item: Option<i64>,
        pub inverse_movement_key: Option<MovementKey>,
        pub origin_movement_key: Option<MovementKey>,
        pub work_order_key: Option<WorkOrderKey>,
        pub job_key: Option<JobKey>,
        pub batch_key: Option<BatchKey>,
        /// Of a correction after a count.
        pub count_session_key: Option<CountSessionKey>,
        pub count_record_key: Option<CountRecordKey>,
        pub refers_to: Option<References>,
        pub reason: Option<String>,
        pub user_key: UserKey,
        pub extra: Map<String, Json>,
    }
    kept {
        created,
        inverse_movement_key,
        origin_movement_key,
        work_order_key,
        job_key,
        batch_key,
        count_session_key,
        count_record_key,
    }
}

pub async fn find(tx: &mut Tx, key: MovementKey) -> Result<Option<Movement>> {
    Movement::select().filter("movement.key = {}", key).maybe(tx).await
}

/// Those of these that there are.
pub async fn find_all(tx: &mut Tx, keys: &[i64]) -> Result<Vec<Movement>> {
    Movement::select().filter("movement.key {in {}}", keys.to_vec()).all(tx, "movement.key").await
}

/// For a change; its list is locked before.
pub async fn lock(tx: &mut Tx, key: MovementKey) -> Result<Option<Movement>> {
    Movement::select().filter("movement.key = {}", key).locked(Rows::Movement).maybe(tx).await
}

/// Locks those that there are, in the order of their keys; their lists are locked before.
pub async fn lock_keys(tx: &mut Tx, keys: &[i64]) -> Result<()> {
    let sql = sql!("select key from movement where key {in $1} order by key {lock}").locked(Rows::Movement);
    tx.all::<MovementKey>(sql, &params![keys.to_vec()]).await.map(|_| ())
}

/// Fewer than so many movements go with the next statement.
const AT_ONCE: usize = 200;

/// Stores new ones.
pub async fn insert_all(tx: &mut Tx, movements: &[Movement]) -> Result<()> {
    movements.iter().for_each(|movement| tx.changed(Collection::Movement, movement.key));
    if let [one] = movements {
        return columns::insert_later(tx, one).await;
    }
    if movements.len() < AT_ONCE {
        return columns::insert_all_later(tx, movements).await;
    }
    columns::insert_many(tx, movements).await
}

/// Stores a new one that nothing in its transaction reads or refers to. PostgreSQL prepares all indexes for a statement that
/// inserts movements, which takes longer than to add a row to them: requests that share a transaction share the statement.
pub async fn insert_unread(tx: &mut Tx, movement: &Movement) -> Result<()> {
    tx.changed(Collection::Movement, movement.key);
    if tx.is_shared() { columns::insert_last(tx, movement).await } else { columns::insert_later(tx, movement).await }
}

/// Writes what has become of a planned one; false if it is not planned any more.
pub async fn change_planned(tx: &mut Tx, movement: &mut Movement) -> Result<bool> {
    tx.changed(Collection::Movement, movement.key);
    movement.rev += 1;
    let sql = sql!(
        "update movement
         set rev = $2, status = $3, from_key = $4, to_key = $5, serial_key = $6, qt_planned = $7, qt_confirmed = $8, owned = $9,
             owner_open = $10, start_at = $11, end_at = $12, refers_to = $13, reason = $14, user_key = $15, extra = $16
         where key = $1 and status = 'planned'"
    );
    let refers_to = movement.refers_to.as_ref().map(|references| serde_json::json!(references));
    let changed = tx
        .run(
            sql,
            &params![
                movement.key,
                movement.rev,
                movement.status,
                &movement.from_key,
                &movement.to_key,
                movement.serial_key,
                movement.qt_planned,
                movement.qt_confirmed,
                movement.owned,
                movement.owner_open,
                movement.start_at,
                movement.end_at,
                refers_to.as_ref(),
                movement.reason.as_ref(),
                &movement.user_key,
                &movement.extra,
            ],
        )
        .await?;
    Ok(changed == 1)
}

/// Removes a planned one that is used up; false if it is not planned any more.
pub async fn remove_planned(tx: &mut Tx, key: MovementKey) -> Result<bool> {
    tx.changed(Collection::Movement, key);
    Ok(tx.run(sql!("delete from movement where key = $1 and status = 'planned'"), &params![key]).await? == 1)
}

/// Cancels the planned ones of a list that is locked; says how many.
pub async fn cancel_planned(tx: &mut Tx, list: MovementListKey, at: Timestamp) -> Result<u64> {
    let sql = sql!(
        "update movement
         set status = 'canceled', end_at = $2, rev = rev + 1
         where movement_list_key = $1 and movement_list_key is not null and status = 'planned'
         returning key"
    );
    let canceled: Vec<MovementKey> = tx.all(sql, &params![list, at]).await?;
    canceled.iter().for_each(|key| tx.changed(Collection::Movement, key));
    Ok(canceled.len() as u64)
}

/// Notes on a completed movement that another takes it back; false if one did before.
pub async fn set_inverse(tx: &mut Tx, key: MovementKey, inverse: MovementKey) -> Result<bool> {
    tx.changed(Collection::Movement, key);
    let sql = sql!(
        "update movement
         set inverse_movement_key = $2, rev = rev + 1
         where key = $1 and status = 'completed' and inverse_movement_key is null"
    );
    Ok(tx.run(sql, &params![key, inverse]).await? == 1)
}

/// The planned rows of an item of a list, of one product.
pub async fn planned_of_item(
    tx: &mut Tx,
    list: MovementListKey,
    item: i64,
    product: ProductId,
) -> Result<Vec<Movement>> {
    Movement::select()
        .filter("movement.movement_list_key = {} and movement.movement_list_key is not null", list)
        .filter("movement.movement_list_item = {}", item)
        .filter("movement.product_id = {} and movement.status = 'planned'", product)
        .all(tx, "movement.key")
        .await
}

/// Whether another product than this one has the item of a list: all its rows have the same.
pub async fn item_has_another_product(
    tx: &mut Tx,
    list: MovementListKey,
    item: i64,
    product: Option<ProductId>,
) -> Result<bool> {
    let sql = sql!(
        "select coalesce(
             (
                 select product_id
                 from movement
                 where movement_list_key = $1 and movement_list_key is not null and movement_list_item = $2
                 and product_id is not null and status <> 'canceled'
                 order by key
                 limit 1
             ) <> $3,
             false
         )"
    );
    tx.one(sql, &params![list, item, product]).await
}

/// The highest item of a list; 0 if it is empty.
pub async fn last_item(tx: &mut Tx, list: MovementListKey) -> Result<i64> {
    let sql = sql!(
        "select coalesce(max(movement_list_item), 0)
         from movement
         where movement_list_key = $1 and movement_list_key is not null"
    );
    tx.one(sql, &params![list]).await
}

row_struct! {
    struct TallyRow {
        planned: Option<MovementKey>,
        canceled: Option<MovementKey>,
        first_start: Option<Timestamp>,
        last_completed: Option<Timestamp>,
        last_canceled: Option<Timestamp>,
    }
}

/// What the movements of a list have come to. Nobody counts them: a list may have thousands, and each may be carried out by itself.
pub async fn tally(tx: &mut Tx, list: MovementListKey) -> Result<Tally> {
    let row: TallyRow = tx.one(Sql::from_literal(TALLY), &params![list]).await?;
    Ok(Tally {
        planned: row.planned.is_some(),
        completed: row.last_completed.is_some(),
        canceled: row.canceled.is_some(),
        first_start: row.first_start,
        last_end: row.last_completed.max(row.last_canceled),
    })
}

/// The first or last one of each kind: put in order, since the engines would otherwise look among the movements of all lists.
#[doc(hidden)]
pub const TALLY: &str = "select
    (
        select key
        from movement
        where movement_list_key = $1 and movement_list_key is not null and status = 'planned'
        order by start_at
        limit 1
    ),
    (
        select key
        from movement
        where movement_list_key = $1 and movement_list_key is not null and status = 'canceled'
        order by start_at
        limit 1
    ),
    (
        select start_at
        from movement
        where movement_list_key = $1 and movement_list_key is not null and status = 'completed'
        order by start_at
        limit 1
    ),
    (
        select end_at
        from movement
        where movement_list_key = $1 and movement_list_key is not null and status = 'completed'
        order by end_at desc
        limit 1
    ),
    (
        select end_at
        from movement
        where movement_list_key = $1 and movement_list_key is not null and status = 'canceled' and end_at is not null
        order by end_at desc
        limit 1
    )";

/// Those that the completion of a batch made, also where they were reversed.
pub async fn of_batch(tx: &mut Tx, batch: BatchKey) -> Result<Vec<Movement>> {
    Movement::select()
        .filter("movement.batch_key = {} and movement.batch_key is not null", batch)
        .only("movement.origin_movement_key is null")
        .all(tx, "movement.key")
        .await
}
