use domain::key::PositionKey;
use domain::text::fold;

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// The live positions with these keys or codes: key, code.
pub async fn named(tx: &mut Tx, texts: &[String]) -> Result<Vec<(PositionKey, String)>> {
    let folded: Vec<String> = texts.iter().map(|text| fold(text)).collect();
    let sql = sql!("select key, code from position where (key {in $1} or code_folded {in $2}) and not deleted");
    tx.all(sql, &params![texts.to_vec(), folded]).await
}

/// Which of these live positions there are.
pub async fn which_exist(tx: &mut Tx, keys: &[String]) -> Result<Vec<PositionKey>> {
    tx.all(sql!("select key from position where key {in $1} and not deleted"), &params![keys.to_vec()]).await
}
