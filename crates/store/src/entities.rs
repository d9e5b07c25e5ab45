//! Records of all areas by collection and key, for what can be put on many kinds of them: files and tags.

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// Whether the record is there, and not deleted or in the trash. Collections of areas that do not exist yet have no records.
pub async fn exists(tx: &mut Tx, collection: &str, key: &str) -> Result<bool> {
    let sql = match collection {
        "User" => sql!("select cast(1 as {int}) from user_account where key = $1 and not trash"),
        "Position" => sql!("select cast(1 as {int}) from position where key = $1 and not deleted"),
        _ => return Ok(false),
    };
    let found: Option<i64> = tx.maybe(sql, &params![key]).await?;
    Ok(found.is_some())
}

/// The same for a write, which can rely on it to its end.
pub async fn hold(tx: &mut Tx, collection: &str, key: &str) -> Result<bool> {
    let sql = match collection {
        "User" => sql!("select cast(1 as {int}) from user_account where key = $1 and not trash {share}"),
        "Position" => sql!("select cast(1 as {int}) from position where key = $1 and not deleted {share}"),
        _ => return Ok(false),
    };
    let found: Option<i64> = tx.maybe(sql, &params![key]).await?;
    Ok(found.is_some())
}
