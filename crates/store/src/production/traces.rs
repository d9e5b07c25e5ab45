//! What was entered for an order, batch by batch and step by step.

use domain::Quantity;
use domain::key::{BatchKey, JobKey, PhaseKey, WorkOrderKey};

use crate::row::row_struct;
use crate::sql::{Page, sql};
use crate::tx::Tx;
use crate::{Result, params};

row_struct! {
    /// A batch of which a page of steps shows some.
    pub struct Traced {
        pub batch_key: BatchKey,
        pub job_key: JobKey,
        pub phase_key: PhaseKey,
        pub phase_alias: String,
        pub qt_total: Quantity,
        pub step_count: i64,
        /// How many steps there are up to its last one, over all batches before.
        pub up_to: i64,
    }
}

/// The batches that a page of steps falls on, by phase and start; not those that were taken back.
pub async fn batches(tx: &mut Tx, order: WorkOrderKey, page: &Page) -> Result<Vec<Traced>> {
    tx.all(
        sql!(
            "select key, job_key, phase_key, alias, qt_total, step_count, up_to
             from (
                 select batch.key, batch.job_key, batch.phase_key, order_phase.alias, batch.qt_total,
                        order_phase.step_count, order_phase.place, batch.started,
                        cast(
                            sum(order_phase.step_count) over (order by order_phase.place, batch.started, batch.key) as {int}
                        ) as up_to
                 from batch
                 join order_phase on order_phase.work_order_key = batch.work_order_key
                 and order_phase.phase_key = batch.phase_key
                 where batch.work_order_key = $1 and batch.canceled is null
             ) as counted
             where up_to > $2 and up_to - step_count < $3
             order by place, started, key"
        ),
        &params![order, page.offset, page.offset.saturating_add(page.limit)],
    )
    .await
}

/// How many steps of batches there are in all.
pub async fn count(tx: &mut Tx, order: WorkOrderKey) -> Result<i64> {
    tx.one(
        sql!(
            "select cast(coalesce(sum(order_phase.step_count), 0) as {int})
             from batch
             join order_phase on order_phase.work_order_key = batch.work_order_key
             and order_phase.phase_key = batch.phase_key
             where batch.work_order_key = $1 and batch.canceled is null"
        ),
        &params![order],
    )
    .await
}
