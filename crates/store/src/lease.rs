//! Background work that one node does for all: a lease in the database, on the database's clock.

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// A holder that did not come back for so long has lost its work to another node.
pub const LIFE_MILLIS: i64 = 30_000;

/// Takes or keeps a lease; false while another node has it. Called inside the transaction that does the work, so the work
/// of a node that lost its lease is never committed.
pub async fn hold(tx: &mut Tx, name: &str, holder: &str) -> Result<bool> {
    let held: Option<i64> = tx
        .maybe(
            sql!(
                "insert into lease (name, holder, until, epoch)
                 values ($1, $2, {now} + $3, 1)
                 on conflict (name) do update
                 set holder = excluded.holder,
                     until = excluded.until,
                     epoch = case when lease.holder = excluded.holder then lease.epoch else lease.epoch + 1 end
                 where lease.holder = excluded.holder or lease.until < {now}
                 returning epoch"
            ),
            &params![name, holder, LIFE_MILLIS],
        )
        .await?;
    Ok(held.is_some())
}
