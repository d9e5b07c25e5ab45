//! Batches: quantities that go through a phase together.

use domain::Quantity;
use domain::journal::Concerns;
use domain::key::{BatchKey, EventKey, SerialKey};
use domain::rule::production::BatchNotActiveError;
use store::production::batches::{self, Batch};
use store::production::executions;

use super::bench::Bench;
use super::{session, wip};
use crate::act::Act;
use crate::event::ServerEvent;
use crate::event::made::production::BatchCreated;
use crate::{Error, Result};

/// Opens the next batch of a job: at most its batch size, what is left of the job, and what waits in front of the phase.
pub(crate) async fn open(act: &mut Act<'_>, bench: &mut Bench) -> Result<()> {
    let quantity = bench.floor.work.next_batch(bench.index)?;
    let batch = new(act, bench, quantity, None)?;
    begin(act, bench, &batch).await
}

pub(crate) fn new(act: &Act<'_>, bench: &Bench, quantity: Quantity, forced: Option<EventKey>) -> Result<Batch> {
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
        linked: false,
    })
}

/// Makes a new batch the active one of its job and books the wip it works on.
pub(crate) async fn begin(act: &mut Act<'_>, bench: &mut Bench, batch: &Batch) -> Result<()> {
    let index = bench.index;
    bench.floor.work.open_batch(index, batch.key, batch.qt_total);
    store_new(act, bench, batch, None).await?;
    wip::book(act, bench, batch.qt_total).await
}

/// Stores a new batch, and tells of it.
pub(crate) async fn store_new(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: &Batch,
    units: Option<&[SerialKey]>,
) -> Result<()> {
    let payload = BatchCreated {
        job_key: batch.job_key,
        phase_key: batch.phase_key,
        work_order_key: batch.work_order_key,
        product_key: bench.floor.work.order.product_key.clone(),
        batch_key: batch.key,
        quantity: batch.qt_total,
        serial_keys: units.map(<[SerialKey]>::to_vec),
    };
    act.child(ServerEvent::BatchCreated.name(), Concerns { batch_key: Some(batch.key), ..bench.concerns() }, &payload)?;
    Ok(batches::insert(act.tx, batch).await?)
}

/// Checks that this is the job's active batch.
pub(crate) fn must_be_active(bench: &Bench, batch: &Batch) -> Result<()> {
    if batch.active && bench.job().active_batch_key == Some(batch.key) {
        return Ok(());
    }
    Err(Error::rule(&BatchNotActiveError { batch_key: batch.key }, "The batch is not the active one."))
}

/// Cancels what was entered for a batch and the time worked on it.
pub(crate) async fn cancel_work(act: &mut Act<'_>, bench: &Bench, batch: BatchKey) -> Result<()> {
    let by = act.key();
    executions::cancel_of_batch(act.tx, batch, by).await?;
    session::cancel_of_batch(act, bench, batch).await
}

/// Cancels the batch.
pub(crate) async fn cancel(act: &mut Act<'_>, batch: &mut Batch) -> Result<()> {
    batch.active = false;
    batch.canceled = Some(act.key());
    Ok(batches::save(act.tx, batch).await?)
}
