//! Positions as other areas name them.

use domain::key::PositionKey;

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// The live positions with these keys or codes: key, code.
pub async fn named(tx: &mut Tx, texts: &[String]) -> Result<Vec<(PositionKey, String)>> {
    let sql = sql!("select key, code from position where (key {in $1} or code {in $1}) and not deleted");
    tx.all(sql, &params![texts.to_vec()]).await
}
