use domain::collection::Collection;
use serde_json::{Map, Value as Json};

use crate::lock::Rows;
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// All entries by key.
pub async fn all(tx: &mut Tx) -> Result<Map<String, Json>> {
    let entries: Vec<(String, Json)> = tx.all(sql!("select key, value from config order by key"), &[]).await?;
    Ok(entries.into_iter().collect())
}

pub async fn get(tx: &mut Tx, key: &str) -> Result<Option<Json>> {
    tx.maybe(sql!("select value from config where key = $1"), &params![key]).await
}

/// The entry's revision, locked with it.
pub async fn revision(tx: &mut Tx, key: &str) -> Result<Option<i64>> {
    tx.maybe(sql!("select rev from config where key = $1 {lock}").locked(Rows::Config), &params![key]).await
}

/// Inserts or replaces one entry.
pub async fn set(tx: &mut Tx, key: &str, value: &Json) -> Result<()> {
    tx.changed(Collection::Config, key);
    tx.run(
        sql!(
            "insert into config (key, value)
             values ($1, $2)
             on conflict (key) do update set value = excluded.value, rev = config.rev + 1"
        ),
        &params![key, value],
    )
    .await
    .map(|_| ())
}
