//! Background work that one node does for all: a lease in the database, on the database's clock.

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// A holder that did not come back for so long has lost its work to another node.
pub const LIFE_MILLIS: i64 = 30_000;

/// While somebody holds this one, no stored file is erased: a backup still has to copy it.
pub const BACKUP: &str = "backup";

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

/// Keeps a lease that never ran out; false when it did, whoever had it meanwhile.
pub async fn keep(tx: &mut Tx, name: &str, holder: &str) -> Result<bool> {
    let kept = tx
        .run(
            sql!("update lease set until = {now} + $3 where name = $1 and holder = $2 and until >= {now}"),
            &params![name, holder, LIFE_MILLIS],
        )
        .await?;
    Ok(kept == 1)
}

/// Gives a lease back before its time.
pub async fn release(tx: &mut Tx, name: &str, holder: &str) -> Result<()> {
    tx.run(sql!("update lease set until = 0 where name = $1 and holder = $2"), &params![name, holder]).await.map(|_| ())
}

/// Whether anybody has the lease.
pub async fn is_held(tx: &mut Tx, name: &str) -> Result<bool> {
    let held: i64 =
        tx.one(sql!("select count(*) from lease where name = $1 and until >= {now}"), &params![name]).await?;
    Ok(held > 0)
}

/// Whether another node has the lease.
pub async fn is_anothers(tx: &mut Tx, name: &str, holder: &str) -> Result<bool> {
    let held: i64 = tx
        .one(
            sql!("select count(*) from lease where name = $1 and holder <> $2 and until >= {now}"),
            &params![name, holder],
        )
        .await?;
    Ok(held > 0)
}

/// Gives a lease back that nobody will ask for again.
pub async fn remove(tx: &mut Tx, name: &str, holder: &str) -> Result<()> {
    tx.run(sql!("delete from lease where name = $1 and holder = $2"), &params![name, holder]).await.map(|_| ())
}
