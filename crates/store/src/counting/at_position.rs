//! What sessions do at a position.

use domain::key::{CountSessionKey, PositionKey, ProductId, UserKey};

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// The products that somebody counts or corrects there, whether or not any of them lie there.
pub async fn marked(tx: &mut Tx, position: &PositionKey) -> Result<Vec<ProductId>> {
    let sql =
        sql!("select product_id from stock_pair where position_key = $1 and (counting or locked) order by product_id");
    tx.all(sql, &params![position]).await
}

/// The products of which a session has live records there that this user has made.
pub async fn counted_by(
    tx: &mut Tx,
    session: CountSessionKey,
    position: &PositionKey,
    user: &UserKey,
) -> Result<Vec<ProductId>> {
    let sql = sql!(
        "select distinct product_id
         from count_record
         where session_key = $1 and position_key = $2 and user_key = $3 and status in ('completed', 'confirmed')
         order by product_id"
    );
    tx.all(sql, &params![session, position, user]).await
}
