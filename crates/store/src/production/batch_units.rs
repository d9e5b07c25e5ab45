//! The units that batches work or worked on.

use domain::key::{BatchKey, SerialKey};

use crate::schema::{Kind, Table};
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, StoreError, params};

/// In the order in which they were made.
pub async fn of_batch(tx: &mut Tx, batch: BatchKey) -> Result<Vec<SerialKey>> {
    tx.all(sql!("select serial_key from batch_serial where batch_key = $1 order by serial_key"), &params![batch]).await
}

/// Whether a batch works or worked on a unit.
pub async fn contains(tx: &mut Tx, batch: BatchKey, unit: SerialKey) -> Result<bool> {
    let sql = sql!("select count(*) from batch_serial where batch_key = $1 and serial_key = $2");
    Ok(tx.one::<i64>(sql, &params![batch, unit]).await? > 0)
}

pub async fn add(tx: &mut Tx, batch: BatchKey, units: &[SerialKey]) -> Result<()> {
    let columns = [("batch_key", Kind::Int), ("serial_key", Kind::Int)];
    tx.changed_unnamed(units.len() as u64);
    let row = |unit: &SerialKey| Ok::<_, StoreError>(params![batch, *unit].to_vec());
    tx.fill(&Table::with_columns("batch_serial", &columns), units.iter().map(row)).await.map(|_| ())
}

pub async fn remove(tx: &mut Tx, batch: BatchKey, units: &[i64]) -> Result<()> {
    let sql = sql!("delete from batch_serial where batch_key = $1 and serial_key {in $2}");
    let gone = tx.run(sql, &params![batch, units.to_vec()]).await?;
    tx.changed_unnamed(gone);
    Ok(())
}
