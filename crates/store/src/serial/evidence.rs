//! What tells whether the records of units are complete, read for many units at once.

use std::collections::{HashMap, HashSet};

use domain::Timestamp;
use domain::key::{BatchKey, JobKey, PhaseKey, ProductId, ProductKey, SerialKey, StepKey, WorkOrderKey};
use domain::process::PhaseParameters;
use domain::product::TraceabilityLevel;
use domain::production::StepCopy;
use domain::serial::SerialValue;
use domain::serial::evidence::{BatchWork, PhaseSteps, StoredFiles};
use domain::text::hex;

use crate::row::row_struct;
use crate::sql::{Sql, sql};
use crate::tx::Tx;
use crate::{Result, params};

row_struct! {
    /// A unit, as far as its evidence depends on it.
    pub struct EvidenceUnit {
        pub key: SerialKey,
        pub code: Option<String>,
        pub product_id: ProductId,
        pub wo_key: Option<WorkOrderKey>,
        pub released: Option<Timestamp>,
        pub data: Vec<SerialValue>,
    }
}

/// Those that there are, by their keys; deleted ones too.
pub async fn units(tx: &mut Tx, keys: &[i64]) -> Result<Vec<EvidenceUnit>> {
    let sql = sql!("select key, code, product_id, wo_key, released, data from serial where key {in $1} order by key");
    tx.all(sql, &params![keys.to_vec()]).await
}

/// The phases of several orders that have steps, each order's in their order.
pub async fn phases(tx: &mut Tx, orders: &[i64]) -> Result<HashMap<WorkOrderKey, Vec<PhaseSteps>>> {
    if orders.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = sql!(
        "select work_order_key, phase_key, alias, steps
         from order_phase
         where work_order_key {in $1} and step_count > 0
         order by work_order_key, place"
    );
    let rows: Vec<(WorkOrderKey, PhaseKey, String, Vec<StepCopy>)> = tx.all(sql, &params![orders.to_vec()]).await?;
    let mut phases: HashMap<WorkOrderKey, Vec<PhaseSteps>> = HashMap::new();
    for (order, phase_key, alias, steps) in rows {
        phases.entry(order).or_default().push(PhaseSteps { phase_key, alias, steps });
    }
    Ok(phases)
}

/// The batches that work or worked on these units, without canceled ones: unit, batch.
pub async fn batches_of(tx: &mut Tx, units: &[i64]) -> Result<Vec<(SerialKey, BatchKey)>> {
    let sql = sql!(
        "select batch_serial.serial_key, batch.key
         from batch_serial
         join batch on batch.key = batch_serial.batch_key
         where batch_serial.serial_key {in $1} and batch.canceled is null"
    );
    tx.all(sql, &params![units.to_vec()]).await
}

/// What these batches did for their units.
pub async fn work_of(tx: &mut Tx, batches: &[i64]) -> Result<HashMap<BatchKey, BatchWork>> {
    if batches.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = sql!("select key, job_key, phase_key, active from batch where key {in $1}");
    let rows: Vec<(BatchKey, JobKey, PhaseKey, bool)> = tx.all(sql, &params![batches.to_vec()]).await?;
    let jobs: HashSet<i64> = rows.iter().map(|(_, job, _, _)| job.0).collect();
    let sql = sql!("select key, parameters from job where key {in $1}");
    let jobs: Vec<i64> = jobs.into_iter().collect();
    let checked: Vec<(JobKey, PhaseParameters)> = tx.all(sql, &params![jobs]).await?;
    let checked: HashMap<JobKey, bool> = checked.into_iter().map(|(job, own)| (job, own.step_check)).collect();
    let mut work: HashMap<BatchKey, BatchWork> = HashMap::with_capacity(rows.len());
    for (batch, job, phase_key, active) in rows {
        let step_check = checked.get(&job).copied().unwrap_or(true);
        work.insert(batch, BatchWork { phase_key, completed: !active, step_check, done: HashSet::new() });
    }
    let sql = sql!(
        "select batch_key, step_key
         from step_execution
         where batch_key {in $1} and canceled is null and status <> 'to_do'"
    );
    let done: Vec<(BatchKey, StepKey)> = tx.all(sql, &params![batches.to_vec()]).await?;
    for (batch, step) in done {
        if let Some(work) = work.get_mut(&batch) {
            work.done.insert(step);
        }
    }
    Ok(work)
}

/// The stored files of these units.
pub async fn files(tx: &mut Tx, units: &[SerialKey]) -> Result<HashMap<SerialKey, StoredFiles>> {
    if units.is_empty() {
        return Ok(HashMap::new());
    }
    let keys: HashMap<String, SerialKey> = units.iter().map(|key| (key.to_string(), *key)).collect();
    let named: Vec<String> = keys.keys().cloned().collect();
    let sql = sql!(
        "select object_key, subfolder, name, sha256
         from file
         where bucket = 'serial' and object_key {in $1}"
    );
    let rows: Vec<(String, String, String, Vec<u8>)> = tx.all(sql, &params![named]).await?;
    let mut stored: HashMap<SerialKey, StoredFiles> = HashMap::new();
    for (unit, field, name, digest) in rows {
        if let Some(unit) = keys.get(&unit) {
            stored.entry(*unit).or_default().entry(field).or_default().insert(name, hex(&digest));
        }
    }
    Ok(stored)
}

row_struct! {
    /// A unit that is built into another.
    pub struct Part {
        pub parent_key: SerialKey,
        pub key: SerialKey,
        pub code: Option<String>,
        pub product_id: ProductId,
        pub product_key: ProductKey,
        pub wo_key: Option<WorkOrderKey>,
        /// False while its batch is not completed: then nobody looks at what it contains.
        pub confirmed: bool,
    }
}

/// What active links lead to from these units, by parent and key.
pub async fn parts(tx: &mut Tx, parents: &[i64]) -> Result<Vec<Part>> {
    let mut parts: Vec<Part> = tx.all(Sql::from_literal(PARTS), &params![parents.to_vec()]).await?;
    parts.sort_unstable_by_key(|part| (part.parent_key, part.key));
    Ok(parts)
}

/// The statement behind [`parts`]: a test looks at how the engines carry it out. The index by parent has what it asks of links.
pub const PARTS: &str = "select serial_link.parent_key, serial_link.child_key, serial.code, serial.product_id,
            (select product.key from product where product.id = serial.product_id), serial.wo_key,
            serial_link.linked is not null
     from {of-any serial_link parent_key $1}
     cross join serial
     where serial_link.parent_key is not null and serial_link.unlinked is null and serial.key = serial_link.child_key";

/// Which of these orders have all parts of their units traced.
pub async fn complete_orders(tx: &mut Tx, orders: &[i64]) -> Result<HashSet<WorkOrderKey>> {
    if orders.is_empty() {
        return Ok(HashSet::new());
    }
    let sql = sql!("select key from work_order where key {in $1} and traceability_level = $2");
    let found: Vec<WorkOrderKey> = tx.all(sql, &params![orders.to_vec(), TraceabilityLevel::Complete]).await?;
    Ok(found.into_iter().collect())
}

/// Which of these products have all parts of their units traced.
pub async fn complete_products(tx: &mut Tx, products: &[i64]) -> Result<HashSet<ProductId>> {
    if products.is_empty() {
        return Ok(HashSet::new());
    }
    let sql = sql!("select id from product where id {in $1} and traceability_level = $2");
    let found: Vec<ProductId> = tx.all(sql, &params![products.to_vec(), TraceabilityLevel::Complete]).await?;
    Ok(found.into_iter().collect())
}
