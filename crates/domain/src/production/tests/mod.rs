//! Random orders and random events, checked against separate books; and the small rules one by one.

mod books;
mod corrections;
mod derived;
mod divided;
mod shop;
mod strategies;
mod worth;

use super::*;
use crate::json::Opaque;
use crate::key::{JobKey, PhaseKey, ProductId, ProductKey, UserKey, WorkOrderKey};
use crate::process::PhaseParameters;
use crate::{Quantity, Timestamp};

fn qt(text: &str) -> Quantity {
    text.parse().unwrap()
}

fn order(planned: Quantity) -> Order {
    Order {
        key: WorkOrderKey(1),
        rev: 1,
        wo_code: "WO-1".to_owned(),
        product_id: ProductId(1),
        product_key: ProductKey::trusted("P"),
        product_code: "P".to_owned(),
        product_description: None,
        qt_planned: planned,
        priority: false,
        project_code: None,
        notes: None,
        start_from: None,
        due_by: None,
        extra: Opaque::default(),
        output_position_key: None,
        traceability_level: None,
        serial_code_on_creation: false,
        bom_version: None,
        serial_fields: Opaque::default(),
        wo_docs: Opaque::default(),
        material_cost: None,
        status: Stage::Created,
        active: false,
        critical: false,
        qt_completed: Quantity::ZERO,
        qt_scrap: Quantity::ZERO,
        progress: Quantity::ZERO,
        created: Timestamp::from_millis(0),
        created_by: UserKey::trusted("planner"),
        started: None,
        ended: None,
        place: 1,
    }
}

fn job(key: i64, phase_place: i64, planned: Quantity) -> Job {
    Job {
        key: JobKey(key),
        rev: 1,
        work_order_key: WorkOrderKey(1),
        phase_key: PhaseKey(phase_place + 1),
        phase_place,
        step_count: 0,
        unit_material_cost: None,
        project_code: None,
        parameters: PhaseParameters::default(),
        notes: None,
        extra: Opaque::default(),
        start_from: None,
        due_by: None,
        stage: Stage::Created,
        active: false,
        close_reason: None,
        critical: false,
        started: None,
        ended: None,
        assigned_to: Some(UserKey::trusted("operator")),
        forced: None,
        qt_planned: planned,
        qt_completed: Quantity::ZERO,
        qt_released: Quantity::ZERO,
        qt_scrap: Quantity::ZERO,
        active_batch_key: None,
        active_batch_qt: Quantity::ZERO,
        steps_done: 0,
        progress: Quantity::ZERO,
        next_batch_available: false,
        last_work_session_started: None,
        last_online: None,
        place: key,
    }
}
