//! Records to store, and what they are looked for by.

use domain::json::Opaque;
use domain::key::*;
use domain::process::PhaseParameters;
use domain::product::ProductData;
use domain::production::{Job, Order, Stage};
use domain::{Quantity, Timestamp};
use serde_json::json;
use store::process::{operations, phases};
use store::product::products;
use store::production::{batches, jobs, order_phases, wip, work_orders};
use store::security::users;
use store::{Page, Sql, StoreError, Tx, params};

pub(super) const PAGE: Page = Page { limit: 10, offset: 0, count: true };
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_000);

pub(super) fn text(text: &str) -> Vec<String> {
    vec![text.to_owned()]
}

pub(super) fn one(millionths: i64) -> Quantity {
    Quantity::from_millionths(millionths)
}

pub(super) fn product() -> products::Product {
    products::Product {
        id: ProductId(1),
        key: ProductKey::trusted("P"),
        rev: 1,
        data: ProductData { description: Some("Wheel".to_owned()), ..ProductData::new("P-1".to_owned()) },
        trash: false,
        created: NOW,
        updated: NOW,
        bom_version: 0,
        img_name: None,
    }
}

pub(super) fn user() -> UserKey {
    UserKey::trusted("mario")
}

pub(super) fn order() -> Order {
    Order {
        key: WorkOrderKey(1),
        rev: 1,
        wo_code: "WO-1".to_owned(),
        product_id: ProductId(1),
        product_key: ProductKey::trusted("P"),
        product_code: "P-1".to_owned(),
        product_description: Some("Wheel".to_owned()),
        qt_planned: one(2),
        priority: true,
        project_code: Some("project".to_owned()),
        notes: Some("notes".to_owned()),
        start_from: Some(Timestamp::from_millis(3)),
        due_by: Some(Timestamp::from_millis(4)),
        extra: Opaque::from(&json!({ "a": [1.50] })),
        output_position_key: None,
        traceability_level: None,
        serial_code_on_creation: true,
        bom_version: Some(5),
        serial_fields: Opaque::from(&json!([1])),
        wo_docs: Opaque::from(&json!([])),
        material_cost: Some(one(6)),
        status: Stage::Started,
        active: true,
        critical: false,
        qt_completed: one(7),
        qt_scrap: one(8),
        progress: one(9),
        created: NOW,
        created_by: user(),
        started: Some(Timestamp::from_millis(10)),
        ended: None,
        place: 11,
    }
}

/// The phase of the product, in an order.
pub(super) fn order_phase(order: WorkOrderKey) -> order_phases::OrderPhase {
    order_phases::OrderPhase {
        work_order_key: order,
        phase_key: PhaseKey(1),
        place: 0,
        alias: "10".to_owned(),
        operation_key: OperationKey::trusted("O"),
        params: PhaseParameters::default(),
        steps: json!([]),
        step_count: 2,
        unit_material_cost: Some(one(3)),
    }
}

pub(super) fn job() -> Job {
    Job {
        key: JobKey(1),
        rev: 1,
        work_order_key: WorkOrderKey(1),
        phase_key: PhaseKey(1),
        phase_place: 0,
        step_count: 2,
        unit_material_cost: Some(one(3)),
        project_code: Some("project".to_owned()),
        parameters: PhaseParameters::default(),
        notes: Some("notes".to_owned()),
        extra: Opaque::from(&json!({ "b": null })),
        start_from: Some(Timestamp::from_millis(4)),
        due_by: None,
        stage: Stage::Started,
        active: false,
        close_reason: None,
        critical: true,
        started: Some(Timestamp::from_millis(5)),
        ended: None,
        assigned_to: Some(user()),
        forced: None,
        qt_planned: one(6),
        qt_completed: one(8),
        qt_released: one(7),
        qt_scrap: one(9),
        active_batch_key: None,
        active_batch_qt: Quantity::ZERO,
        steps_done: 1,
        progress: one(10),
        next_batch_available: true,
        last_work_session_started: None,
        last_online: Some(Timestamp::from_millis(11)),
        place: 12,
    }
}

pub(super) fn batch() -> batches::Batch {
    batches::Batch {
        key: BatchKey(1),
        rev: 1,
        job_key: JobKey(1),
        phase_key: PhaseKey(1),
        work_order_key: WorkOrderKey(1),
        started: NOW,
        ended: None,
        active: true,
        qt_total: one(5),
        qt_pass: one(2),
        qt_scrap: one(3),
        scrap_reason: Some("bent".to_owned()),
        unit_material_cost: None,
        value: Some(one(4)),
        canceled: None,
        forced: None,
        linked: false,
    }
}

/// More rows than are looked at together.
pub(super) const WIP: i64 = 501;

/// A product with a phase, an order of it with a job, and a batch that used up very many rows.
pub(crate) async fn stock(tx: &mut Tx) -> Result<(), StoreError> {
    let new = users::NewUser {
        key: user(),
        username: "mario".to_owned(),
        scope: "admin".to_owned(),
        password_hash: "-".to_owned(),
        reset_password: false,
        password_until: None,
        created_at: NOW,
    };
    users::insert(tx, &new).await?;
    let operation = operations::Operation {
        key: OperationKey::trusted("O"),
        rev: 1,
        name: "Milling".to_owned(),
        code: None,
        description: None,
        default_phase_parameters: PhaseParameters::default(),
        default_phase_notes: None,
    };
    operations::insert(tx, &operation).await?;
    products::save(tx, &[product()]).await?;
    let phase = phases::Phase {
        key: PhaseKey(1),
        rev: 1,
        product_id: ProductId(1),
        place: 0,
        alias: "10".to_owned(),
        operation_key: operation.key.clone(),
        params: PhaseParameters::default(),
        production_notes: None,
        trashed: None,
    };
    phases::save(tx, &[phase]).await?;
    work_orders::insert(tx, &order()).await?;
    order_phases::insert_all(tx, &[order_phase(WorkOrderKey(1))]).await?;
    jobs::insert(tx, &job()).await?;
    batches::insert(tx, &batch()).await?;
    for key in 1..=WIP {
        let made = wip::Made {
            key: WipKey(key),
            work_order_key: WorkOrderKey(1),
            from_phase: PhaseKey(1),
            to_phase: PhaseKey(2),
            batch_key: BatchKey(1),
            quantity: one(1),
            value: None,
        };
        wip::declare(tx, &made).await?;
        let used = Sql::raw("update wip set used_by = 1 where key = $1");
        tx.run(used, &params![key]).await?;
    }
    Ok(())
}
