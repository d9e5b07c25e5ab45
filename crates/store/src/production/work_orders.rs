use domain::key::{BatchKey, JobKey, ProductKey, WorkOrderKey};
use domain::production::{Order, Work};
use domain::text::fold;
use serde_json::json;

use super::jobs;
use crate::row::{FromRow, Row};
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

pub(super) const COLUMNS: &str = "work_order.key, work_order.rev, work_order.wo_code, work_order.product_id,
    work_order.product_key, work_order.product_code, work_order.product_description, work_order.qt_planned,
    work_order.priority, work_order.project_code, work_order.notes, work_order.start_from, work_order.due_by,
    work_order.extra, work_order.output_position_key, work_order.traceability_level,
    work_order.serial_code_on_creation, work_order.bom_version, work_order.serial_fields, work_order.wo_docs,
    work_order.material_cost, work_order.status, work_order.active, work_order.critical, work_order.qt_completed,
    work_order.qt_scrap, work_order.progress, work_order.created, work_order.created_by, work_order.started,
    work_order.ended, work_order.place";

impl FromRow for Order {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            key: row.column()?,
            rev: row.column()?,
            wo_code: row.column()?,
            product_id: row.column()?,
            product_key: row.column()?,
            product_code: row.column()?,
            product_description: row.column()?,
            qt_planned: row.column()?,
            priority: row.column()?,
            project_code: row.column()?,
            notes: row.column()?,
            start_from: row.column()?,
            due_by: row.column()?,
            extra: row.column()?,
            output_position_key: row.column()?,
            traceability_level: row.column()?,
            serial_code_on_creation: row.column()?,
            bom_version: row.column()?,
            serial_fields: row.column()?,
            wo_docs: row.column()?,
            material_cost: row.column()?,
            status: row.column()?,
            active: row.column()?,
            critical: row.column()?,
            qt_completed: row.column()?,
            qt_scrap: row.column()?,
            progress: row.column()?,
            created: row.column()?,
            created_by: row.column()?,
            started: row.column()?,
            ended: row.column()?,
            place: row.column()?,
        })
    }
}

fn orders() -> Query {
    Query::new(&format!("select {COLUMNS} from work_order"))
}

pub async fn find(tx: &mut Tx, key: WorkOrderKey) -> Result<Option<Order>> {
    orders().filter("work_order.key = {}", key).maybe(tx).await
}

/// What an order makes.
pub async fn product_of(tx: &mut Tx, key: WorkOrderKey) -> Result<ProductKey> {
    tx.one(sql!("select product_key from work_order where key = $1"), &params![key]).await
}

/// Locked to the end of the transaction: events of one order come one after the other.
pub async fn lock(tx: &mut Tx, key: WorkOrderKey) -> Result<Option<Order>> {
    orders().filter("work_order.key = {}", key).locked().maybe(tx).await
}

/// The order of a job or of a batch, locked in the same way.
pub async fn lock_of_job(tx: &mut Tx, job: JobKey) -> Result<Option<Order>> {
    orders()
        .filter("work_order.key = (select work_order_key from job where job.key = {})", job)
        .locked()
        .maybe(tx)
        .await
}

pub async fn lock_of_batch(tx: &mut Tx, batch: BatchKey) -> Result<Option<Order>> {
    let key = "work_order.key = (select work_order_key from batch where batch.key = {})";
    orders().filter(key, batch).locked().maybe(tx).await
}

/// All of a locked order's work.
pub async fn work_of(tx: &mut Tx, order: Order) -> Result<Work> {
    let jobs = jobs::of_order(tx, order.key).await?;
    // Every phase has a job.
    let phases = jobs.last().map_or(0, |job| job.phase_place + 1);
    Ok(Work { order, jobs, phases })
}

/// A taken code is a constraint error.
pub async fn insert(tx: &mut Tx, order: &Order) -> Result<()> {
    tx.changed("WorkOrder", order.key);
    tx.run(
        sql!(
            "insert into work_order (key, rev, wo_code, wo_code_folded, product_id, product_key, product_code,
                                     product_code_folded, product_description, qt_planned, priority, project_code,
                                     project_code_folded, notes, start_from, due_by, extra, output_position_key,
                                     traceability_level, serial_code_on_creation, bom_version, serial_fields, wo_docs,
                                     material_cost, status, active, critical, qt_completed, qt_scrap, progress, created,
                                     created_by, started, ended, place)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
                     $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35)"
        ),
        &params![
            order.key,
            order.rev,
            &order.wo_code,
            fold(&order.wo_code),
            order.product_id,
            &order.product_key,
            &order.product_code,
            fold(&order.product_code),
            order.product_description.as_ref(),
            order.qt_planned,
            order.priority,
            order.project_code.as_ref(),
            order.project_code.as_deref().map(fold).unwrap_or_default(),
            order.notes.as_ref(),
            order.start_from,
            order.due_by,
            &order.extra,
            order.output_position_key.as_ref(),
            order.traceability_level,
            order.serial_code_on_creation,
            order.bom_version,
            &order.serial_fields,
            &json!(order.wo_docs),
            order.material_cost,
            order.status,
            order.active,
            order.critical,
            order.qt_completed,
            order.qt_scrap,
            order.progress,
            order.created,
            &order.created_by,
            order.started,
            order.ended,
            order.place,
        ],
    )
    .await
    .map(|_| ())
}

/// Stores what may change of an order; its revision rises.
pub async fn save(tx: &mut Tx, order: &mut Order) -> Result<()> {
    order.rev += 1;
    tx.changed("WorkOrder", order.key);
    tx.run(
        sql!(
            "update work_order
             set rev = $2, qt_planned = $3, priority = $4, project_code = $5, project_code_folded = $6, notes = $7,
                 start_from = $8, due_by = $9, extra = $10, output_position_key = $11, bom_version = $12,
                 material_cost = $13, status = $14, active = $15, critical = $16, qt_completed = $17, qt_scrap = $18,
                 progress = $19, started = $20, ended = $21, place = $22
             where key = $1"
        ),
        &params![
            order.key,
            order.rev,
            order.qt_planned,
            order.priority,
            order.project_code.as_ref(),
            order.project_code.as_deref().map(fold).unwrap_or_default(),
            order.notes.as_ref(),
            order.start_from,
            order.due_by,
            &order.extra,
            order.output_position_key.as_ref(),
            order.bom_version,
            order.material_cost,
            order.status,
            order.active,
            order.critical,
            order.qt_completed,
            order.qt_scrap,
            order.progress,
            order.started,
            order.ended,
            order.place,
        ],
    )
    .await
    .map(|_| ())
}
