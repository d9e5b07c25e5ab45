//! Lists of movements that are planned, carried out and closed together.

use std::collections::HashSet;

use domain::Timestamp;
use domain::collection::Collection;
use domain::key::MovementListKey;
use domain::text::fold;
use domain::warehouse::movement::{ListState, ListStatus, MovementType, References};
use serde_json::{Map, Value as Json};

use crate::columns::{self, Record, record};
use crate::lock::Rows;
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct MovementList in movement_list {
        pub key: MovementListKey,
        pub rev: i64,
        /// Upper-cased; unique among the lists of its type.
        pub code: String,
        pub kind: MovementType as type,
        pub status: ListStatus,
        /// A day, written as YYYY-MM-DD.
        pub due_by: String,
        pub created: Timestamp,
        pub start_at: Option<Timestamp>,
        pub end_at: Option<Timestamp>,
        /// When it was closed by hand: nothing is added any more.
        pub closed: Option<Timestamp>,
        pub notes: Option<String>,
        pub refers_to: Option<References>,
        pub extra: Map<String, Json>,
    }
    derived {
        code_folded: String = |list| fold(&list.code);
    }
    kept { created, type }
}

impl MovementList {
    /// Whether movements can be added to it.
    pub fn is_open(&self) -> bool {
        self.closed.is_none() && matches!(self.status, ListStatus::Planned | ListStatus::Started)
    }
}

/// For a change of it or of its movements.
pub async fn lock(tx: &mut Tx, key: MovementListKey) -> Result<Option<MovementList>> {
    MovementList::select().filter("movement_list.key = {}", key).locked(Rows::MovementList).maybe(tx).await
}

/// Locks those that there are, in the order of their keys.
pub async fn lock_keys(tx: &mut Tx, keys: &[i64]) -> Result<()> {
    let sql = sql!("select key from movement_list where key {in $1} order by key {lock}").locked(Rows::MovementList);
    tx.all::<MovementListKey>(sql, &params![keys.to_vec()]).await.map(|_| ())
}

/// Which of these codes lists of the type have.
pub async fn taken_codes(tx: &mut Tx, kind: MovementType, codes: &[String]) -> Result<HashSet<String>> {
    let sql = sql!("select code from movement_list where type = $1 and code {in $2}");
    Ok(tx.all::<String>(sql, &params![kind, codes.to_vec()]).await?.into_iter().collect())
}

/// A taken code is a constraint error.
pub async fn insert(tx: &mut Tx, list: &MovementList) -> Result<()> {
    tx.changed(Collection::MovementList, list.key);
    columns::insert(tx, list).await
}

/// What its movements have made of a list that is locked.
pub async fn set_state(tx: &mut Tx, list: &mut MovementList, state: ListState) -> Result<()> {
    if (list.status, list.start_at, list.end_at) == (state.status, state.start, state.end) {
        return Ok(());
    }
    (list.status, list.start_at, list.end_at) = (state.status, state.start, state.end);
    save(tx, list).await
}

/// Those that nobody has closed and that have movements of serials.
pub async fn not_closed_with_serials(tx: &mut Tx) -> Result<Vec<i64>> {
    let sql = sql!(
        "select distinct movement_list.key
         from movement_list
         join movement on movement.movement_list_key = movement_list.key and movement.movement_list_key is not null
         where movement_list.closed is null and movement.serial_key is not null"
    );
    tx.all(sql, &[]).await
}

/// Makes lists what their movements say, by the rule of `Tally::state`. Nobody else changes either until the transaction ends.
pub async fn set_states(tx: &mut Tx, keys: &[i64]) -> Result<()> {
    let sql = sql!(
        "update movement_list
         set rev = rev + 1, status = found.state, start_at = found.first_start, end_at = found.last_end
         from (
             select list_key, first_start,
                    case
                        when planned > 0 and completed > 0 then 'started'
                        when completed > 0 then 'completed'
                        when planned > 0 or canceled = 0 then 'planned'
                        else 'canceled'
                    end as state,
                    case when planned = 0 then last_end end as last_end
             from (
                 select list.key as list_key,
                        count(*) filter (where movement.status = 'planned') as planned,
                        count(*) filter (where movement.status = 'completed') as completed,
                        count(*) filter (where movement.status = 'canceled') as canceled,
                        min(movement.start_at) filter (where movement.status = 'completed') as first_start,
                        max(movement.end_at) as last_end
                 from movement_list as list
                 left join movement on movement.movement_list_key = list.key and movement.movement_list_key is not null
                 where list.key {in $1}
                 group by list.key
             ) as counted
         ) as found
         where movement_list.key = found.list_key
         returning key"
    );
    let changed: Vec<MovementListKey> = tx.all(sql, &params![keys.to_vec()]).await?;
    changed.iter().for_each(|key| tx.changed(Collection::MovementList, key));
    Ok(())
}

/// Closes a list that is locked.
pub async fn close(tx: &mut Tx, list: &mut MovementList, status: ListStatus, at: Timestamp) -> Result<()> {
    (list.status, list.end_at, list.closed) = (status, Some(at), Some(at));
    save(tx, list).await
}

async fn save(tx: &mut Tx, list: &mut MovementList) -> Result<()> {
    list.rev += 1;
    tx.changed(Collection::MovementList, list.key);
    columns::update(tx, list).await
}
