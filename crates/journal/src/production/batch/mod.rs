//! Batches: some quantity that goes through a phase together.

mod changed;
mod completed;

pub use changed::Changed;
pub use completed::{Completed, StepData};
pub(super) use completed::{Completion, complete, end};

use domain::Quantity;
use domain::journal::Concerns;
use domain::key::{BatchKey, EventKey};
use serde_json::json;
use store::production::batches::{self, Batch};

use super::wip;
use crate::act::Act;
use crate::catalogue::Made;
use crate::floor::Bench;
use crate::{Error, Result};

/// Opens the next batch of a job, as large as its batch size, what is left, and what waits in front allow.
pub(super) async fn open(act: &mut Act<'_>, bench: &mut Bench) -> Result<()> {
    let quantity = bench.floor.work.next_batch(bench.at)?;
    let batch = new(act, bench, quantity, None)?;
    begin(act, bench, &batch).await
}

pub(super) fn new(act: &Act<'_>, bench: &Bench, quantity: Quantity, forced: Option<EventKey>) -> Result<Batch> {
    let job = bench.job();
    Ok(Batch {
        key: BatchKey(act.new_id()?),
        rev: 1,
        job_key: job.key,
        phase_key: job.phase_key,
        work_order_key: job.work_order_key,
        started: act.at,
        ended: None,
        active: true,
        qt_total: quantity,
        qt_pass: Quantity::ZERO,
        qt_scrap: Quantity::ZERO,
        scrap_reason: None,
        unit_material_cost: job.unit_material_cost,
        value: None,
        canceled: None,
        forced,
    })
}

/// A new batch becomes the active one of its job and books what it works on.
pub(super) async fn begin(act: &mut Act<'_>, bench: &mut Bench, batch: &Batch) -> Result<()> {
    let at = bench.at;
    bench.floor.work.open_batch(at, batch.key, batch.qt_total);
    store_new(act, bench, batch).await?;
    wip::book(act, bench, batch.qt_total).await
}

pub(super) async fn store_new(act: &mut Act<'_>, bench: &Bench, batch: &Batch) -> Result<()> {
    let payload = json!({
        "job_key": batch.job_key,
        "phase_key": batch.phase_key,
        "work_order_key": batch.work_order_key,
        "product_key": bench.floor.work.order.product_key,
        "batch_key": batch.key,
        "quantity": batch.qt_total,
    });
    act.child(Made::BatchCreated.name(), Concerns { batch_key: Some(batch.key), ..bench.concerns() }, payload)?;
    Ok(batches::insert(act.tx, batch).await?)
}

/// The batch that a job works on, if it is this one.
pub(super) fn must_be_active(bench: &Bench, batch: &Batch) -> Result<()> {
    if batch.active && bench.job().active_batch_key == Some(batch.key) {
        return Ok(());
    }
    Err(Error::rule("BatchNotActiveError", "The batch is not the active one.", json!({ "batch_key": batch.key })))
}
