//! Records of all areas by collection and key, for what can be put on many kinds of them: files and tags.

use domain::collection::Collection;
use domain::key::{NOBODY, id_from_text, id_to_text};

use crate::lock::Rows;
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// Whether the record is there, and not deleted or in the trash. Collections of areas that do not exist yet have no records.
pub async fn exists(tx: &mut Tx, collection: impl AsRef<str>, key: &str) -> Result<bool> {
    let sql = match Collection::named(collection.as_ref()) {
        Some(Collection::User) => sql!("select key from user_account where key = $1 and not trash"),
        Some(Collection::Position) => sql!("select key from position where key = $1 and not deleted"),
        Some(Collection::Product) => sql!("select key from product where key = $1 and not trash"),
        Some(Collection::Step) => return Ok(!steps(tx, &[key.to_owned()]).await?.is_empty()),
        Some(collection @ (Collection::WorkOrder | Collection::Serial | Collection::Issue | Collection::Task)) => {
            let sql = match collection {
                Collection::Serial => sql!("select key from serial where key = $1 and deleted is null"),
                Collection::Issue => sql!("select key from issue where key = $1"),
                Collection::Task => sql!("select key from task where key = $1 and deleted is null"),
                _ => sql!("select key from work_order where key = $1"),
            };
            let id = id_from_text(key).unwrap_or(NOBODY);
            return Ok(tx.maybe::<i64>(sql, &params![id]).await?.is_some());
        }
        _ => return Ok(false),
    };
    Ok(tx.maybe::<String>(sql, &params![key]).await?.is_some())
}

/// Whether there is such a record, for a change of what is put on it: the record stays, and such changes of one record come one
/// after the other.
pub async fn hold(tx: &mut Tx, collection: impl AsRef<str>, key: &str) -> Result<bool> {
    Ok(!hold_all(tx, collection, &[key.to_owned()]).await?.is_empty())
}

/// The collections whose records can be held, in the order in which whoever holds records of several has to do it.
pub const HELD_IN_ORDER: [Collection; 8] = [
    Collection::Product,
    Collection::WorkOrder,
    Collection::Issue,
    Collection::Task,
    Collection::User,
    Collection::Step,
    Collection::Position,
    Collection::Serial,
];

/// Which of these records there are; each of them is held, in key order.
pub async fn hold_all(tx: &mut Tx, collection: impl AsRef<str>, keys: &[String]) -> Result<Vec<String>> {
    let sql = match Collection::named(collection.as_ref()) {
        Some(Collection::User) => {
            sql!("select key from user_account where key {in $1} and not trash order by key {lock}").locked(Rows::User)
        }
        Some(Collection::Position) => {
            sql!("select key from position where key {in $1} and not deleted order by key {lock}")
                .locked(Rows::Position)
        }
        Some(Collection::Product) => {
            sql!("select key from product where key {in $1} and not trash order by key {lock}").locked(Rows::Product)
        }
        Some(Collection::Step) => return hold_steps(tx, keys).await,
        Some(collection) => return hold_numbered(tx, collection, keys).await,
        None => return Ok(Vec::new()),
    };
    tx.all(sql, &params![keys.to_vec()]).await
}

/// Records that are known by a number.
async fn hold_numbered(tx: &mut Tx, collection: Collection, keys: &[String]) -> Result<Vec<String>> {
    let sql = match collection {
        Collection::WorkOrder => {
            sql!("select key from work_order where key {in $1} order by key {lock}").locked(Rows::Order)
        }
        Collection::Issue => sql!("select key from issue where key {in $1} order by key {lock}").locked(Rows::Issue),
        Collection::Task => {
            sql!("select key from task where key {in $1} and deleted is null order by key {lock}").locked(Rows::Task)
        }
        Collection::Serial => sql!("select key from serial where key {in $1} and deleted is null order by key {lock}")
            .locked(Rows::Serial),
        _ => return Ok(Vec::new()),
    };
    let found: Vec<i64> = tx.all(sql, &params![ids(keys)]).await?;
    Ok(found.into_iter().map(id_to_text).collect())
}

/// The live steps of operations and of live products.
async fn steps(tx: &mut Tx, keys: &[String]) -> Result<Vec<String>> {
    let found: Vec<i64> = tx
        .all(
            sql!(
                "select step.key
                 from step
                 left join phase on phase.key = step.phase_key
                 left join product on product.id = phase.product_id
                 where step.key {in $1} and step.trashed is null and not coalesce(product.trash, false)
                 order by step.key"
            ),
            &params![ids(keys)],
        )
        .await?;
    Ok(found.into_iter().map(id_to_text).collect())
}

async fn hold_steps(tx: &mut Tx, keys: &[String]) -> Result<Vec<String>> {
    tx.all::<i64>(
        sql!("select key from step where key {in $1} order by key {lock}").locked(Rows::Step),
        &params![ids(keys)],
    )
    .await?;
    steps(tx, keys).await
}

fn ids(keys: &[String]) -> Vec<i64> {
    keys.iter().map(|key| id_from_text(key).unwrap_or(NOBODY)).collect()
}
