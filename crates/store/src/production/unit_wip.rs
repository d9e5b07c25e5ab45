//! Units between phases: each is a row of work in progress by itself.

use std::collections::{HashMap, HashSet};

use domain::collection::Collection;
use domain::key::{BatchKey, JobKey, PhaseKey, SerialKey, WipKey, WorkOrderKey};
use domain::{Quantity, Timestamp};

use crate::schema::{Kind, Table};
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, StoreError, params};

/// A unit that becomes free in front of the next phase.
#[derive(Debug, Clone, Copy)]
pub struct MadeUnit {
    pub key: WipKey,
    pub serial_key: SerialKey,
    pub value: Option<Quantity>,
}

/// Which batch of an order has made units, for which phase.
#[derive(Debug, Clone, Copy)]
pub struct Origin {
    pub work_order_key: WorkOrderKey,
    pub from_phase: PhaseKey,
    pub to_phase: PhaseKey,
    pub batch_key: BatchKey,
}

pub async fn declare(tx: &mut Tx, origin: &Origin, units: &[MadeUnit]) -> Result<()> {
    let columns = [
        ("key", Kind::Int),
        ("work_order_key", Kind::Int),
        ("from_phase", Kind::Int),
        ("to_phase", Kind::Int),
        ("batch_key", Kind::Int),
        ("serial_key", Kind::Int),
        ("quantity", Kind::Int),
        ("value", Kind::Int),
    ];
    tx.changed_unnamed(units.len() as u64);
    let row = |unit: &MadeUnit| {
        Ok::<_, StoreError>(
            params![
                unit.key,
                origin.work_order_key,
                origin.from_phase,
                origin.to_phase,
                origin.batch_key,
                unit.serial_key,
                Quantity::ONE,
                unit.value
            ]
            .to_vec(),
        )
    };
    tx.fill(&Table::with_columns("wip", &columns), units.iter().map(row)).await.map(|_| ())
}

/// Which of these units wait in front of a phase of an order, and when they were created.
pub async fn free_in_front(
    tx: &mut Tx,
    order: WorkOrderKey,
    phase: PhaseKey,
    units: &[i64],
) -> Result<HashMap<SerialKey, Timestamp>> {
    let sql = sql!(
        "select wip.serial_key, serial.created
         from wip
         join serial on serial.key = wip.serial_key
         where wip.serial_key {in $3} and wip.serial_key is not null and wip.used_by is null
         and wip.job_key is null and wip.work_order_key = $1 and wip.to_phase = $2"
    );
    Ok(tx.all(sql, &params![order, phase, units.to_vec()]).await?.into_iter().collect())
}

/// Books units for a job; how many of them were free.
pub async fn book(tx: &mut Tx, order: WorkOrderKey, phase: PhaseKey, job: JobKey, units: &[i64]) -> Result<u64> {
    let sql = sql!(
        "update wip
         set job_key = $4
         where serial_key {in $3} and serial_key is not null and used_by is null
         and job_key is null and work_order_key = $1 and to_phase = $2"
    );
    let booked = tx.run(sql, &params![order, phase, units.to_vec(), job]).await?;
    tx.changed_unnamed(booked);
    Ok(booked)
}

/// Frees units that a job has booked; how many they were.
pub async fn unbook(tx: &mut Tx, job: JobKey, units: &[i64]) -> Result<u64> {
    let sql = sql!(
        "update wip
         set job_key = null
         where serial_key {in $2} and serial_key is not null and used_by is null and job_key = $1"
    );
    let freed = tx.run(sql, &params![job, units.to_vec()]).await?;
    tx.changed_unnamed(freed);
    Ok(freed)
}

/// Frees the units that a batch has used up; how many they were.
pub async fn give_back(tx: &mut Tx, batch: BatchKey) -> Result<u64> {
    let sql =
        sql!("update wip set used_by = null where used_by = $1 and used_by is not null and serial_key is not null");
    let freed = tx.run(sql, &params![batch]).await?;
    tx.changed_unnamed(freed);
    Ok(freed)
}

/// Which units of these batches still wait in front of the next phase.
pub async fn free_of(tx: &mut Tx, batches: &[i64]) -> Result<HashSet<SerialKey>> {
    let sql = sql!(
        "select serial_key
         from wip
         where batch_key {in $1} and serial_key is not null and job_key is null and used_by is null"
    );
    Ok(tx.all::<SerialKey>(sql, &params![batches.to_vec()]).await?.into_iter().collect())
}

/// Which units of these batches the next phase has taken.
pub async fn taken_of(tx: &mut Tx, batches: &[i64]) -> Result<Vec<SerialKey>> {
    let sql = sql!(
        "select serial_key
         from wip
         where batch_key {in $1} and serial_key is not null and (job_key is not null or used_by is not null)
         order by serial_key"
    );
    tx.all(sql, &params![batches.to_vec()]).await
}

/// Takes away the units of a batch that wait in front of the next phase; how many they were.
pub async fn withdraw(tx: &mut Tx, batch: BatchKey) -> Result<u64> {
    let sql =
        sql!("delete from wip where batch_key = $1 and serial_key is not null and job_key is null and used_by is null");
    let gone = tx.run(sql, &params![batch]).await?;
    tx.changed_unnamed(gone);
    Ok(gone)
}

/// The orders in which these units wait or are booked.
pub async fn orders_of(tx: &mut Tx, units: &[i64]) -> Result<Vec<WorkOrderKey>> {
    let sql = sql!(
        "select distinct work_order_key
         from wip
         where serial_key {in $1} and serial_key is not null and used_by is null
         order by work_order_key"
    );
    tx.all(sql, &params![units.to_vec()]).await
}

/// The orders that these units belong to, or in which they wait.
pub async fn orders_concerned(tx: &mut Tx, units: &[i64]) -> Result<Vec<i64>> {
    let sql = sql!(
        "select wo_key from serial where key {in $1} and wo_key is not null
         union
         select work_order_key from wip where serial_key {in $1} and serial_key is not null and used_by is null"
    );
    tx.all(sql, &params![units.to_vec()]).await
}

/// Which of these units are booked.
pub async fn booked(tx: &mut Tx, units: &[i64]) -> Result<HashSet<SerialKey>> {
    let sql = sql!(
        "select serial_key
         from wip
         where serial_key {in $1} and serial_key is not null and used_by is null and job_key is not null"
    );
    Ok(tx.all::<SerialKey>(sql, &params![units.to_vec()]).await?.into_iter().collect())
}

/// Takes away those of these units that wait; each with the order it waited in and the batch that made it.
pub async fn take_out(tx: &mut Tx, units: &[i64]) -> Result<Vec<(WorkOrderKey, BatchKey, WipKey)>> {
    let sql = sql!(
        "delete from wip
         where serial_key {in $1} and serial_key is not null and used_by is null and job_key is null
         returning work_order_key, batch_key, key"
    );
    let gone: Vec<(WorkOrderKey, BatchKey, WipKey)> = tx.all(sql, &params![units.to_vec()]).await?;
    gone.iter().for_each(|(_, _, key)| tx.changed(Collection::Wip, *key));
    Ok(gone)
}
