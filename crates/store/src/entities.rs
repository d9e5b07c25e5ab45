//! Records of all areas by collection and key, for what can be put on many kinds of them: files and tags.

use crate::Result;
use crate::sql::Query;
use crate::tx::Tx;

/// Whether the record is there, and not deleted or in the trash. Collections of areas that do not exist yet have no records.
pub async fn exists(tx: &mut Tx, collection: &str, key: &str) -> Result<bool> {
    let Some(query) = record(collection, key) else { return Ok(false) };
    Ok(query.maybe::<i64>(tx).await?.is_some())
}

/// The same for a change of what is put on it: the record stays, and such changes of one record come one after the other.
pub async fn hold(tx: &mut Tx, collection: &str, key: &str) -> Result<bool> {
    let Some(query) = record(collection, key) else { return Ok(false) };
    Ok(query.locked().maybe::<i64>(tx).await?.is_some())
}

fn record(collection: &str, key: &str) -> Option<Query> {
    let (table, there) = match collection {
        "User" => ("user_account", "not trash"),
        "Position" => ("position", "not deleted"),
        _ => return None,
    };
    Some(Query::new(&format!("select cast(1 as {{int}}) from {table}")).filter(&format!("key = {{}} and {there}"), key))
}
