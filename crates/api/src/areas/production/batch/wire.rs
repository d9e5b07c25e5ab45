use domain::collection::Collection;
use domain::key::{BatchKey, EventKey, JobKey, PhaseKey, ProductKey, WorkOrderKey, record_id, revision};
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use store::production::batches::{self, Batch};

use crate::Result;

/// A quantity that goes through a phase together.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Batch")]
pub(crate) struct BatchRecord {
    _id: String,
    _key: BatchKey,
    _rev: String,
    job_key: JobKey,
    phase_key: PhaseKey,
    work_order_key: WorkOrderKey,
    product_key: ProductKey,
    start: Timestamp,
    end: Option<Timestamp>,
    active: bool,
    qt_total: Quantity,
    qt_pass: Quantity,
    qt_scrap: Quantity,
    scrap_reason: Option<String>,
    /// What the components of its phase cost for one unit; null if unknown.
    unit_material_cost: Option<Quantity>,
    /// Material of what passed, work, and the value of its input; null if any of these is unknown.
    value: Option<Quantity>,
    /// The event that canceled it.
    canceled: Option<EventKey>,
    /// The event that made it by hand.
    forced: Option<EventKey>,
}

/// A batch as it is in this transaction.
pub(crate) async fn batch_record(tx: &mut Tx, key: BatchKey) -> Result<Option<BatchRecord>> {
    let found = batches::view(tx, key).await?;
    Ok(found.map(|(batch, product)| record(batch, product)))
}

pub(super) fn record(batch: Batch, product_key: ProductKey) -> BatchRecord {
    BatchRecord {
        _id: record_id(Collection::Batch, batch.key),
        _key: batch.key,
        _rev: revision(batch.rev),
        job_key: batch.job_key,
        phase_key: batch.phase_key,
        work_order_key: batch.work_order_key,
        product_key,
        start: batch.started,
        end: batch.ended,
        active: batch.active,
        qt_total: batch.qt_total,
        qt_pass: batch.qt_pass,
        qt_scrap: batch.qt_scrap,
        scrap_reason: batch.scrap_reason,
        unit_material_cost: batch.unit_material_cost,
        value: batch.value,
        canceled: batch.canceled,
        forced: batch.forced,
    }
}
