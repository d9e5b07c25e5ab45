//! Secrets that all nodes share; never served.

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// The stored secret of that name, or `fresh` made the stored one: whoever comes first decides for all nodes.
pub async fn get_or_keep(tx: &mut Tx, name: &str, fresh: &[u8]) -> Result<Vec<u8>> {
    tx.run(
        sql!("insert into secret (name, value) values ($1, $2) on conflict (name) do nothing"),
        &params![name, fresh],
    )
    .await?;
    tx.one(sql!("select value from secret where name = $1"), &params![name]).await
}

pub async fn get(tx: &mut Tx, name: &str) -> Result<Option<Vec<u8>>> {
    tx.maybe(sql!("select value from secret where name = $1"), &params![name]).await
}
