use domain::production::{KeptLine, Order};
use serde_json::json;

use crate::Result;
use crate::act::Act;
use crate::effects::production::creation::{self, NewWorkOrder};
use crate::effects::production::floor::order_concerns;
use crate::effects::production::routing::Routing;
use crate::event::made::production::WorkOrderCreated;
use crate::event::planned::WorkOrderCreatedChanges;
use crate::event::{References, ServerEvent};

/// Creates an order with copies of its lines and its routing.
pub async fn create_order(
    act: &mut Act<'_>,
    new: NewWorkOrder,
    lines: &[KeptLine],
    routing: &Routing,
) -> Result<Order> {
    act.primary(ServerEvent::WorkOrderCreated.name(), json!({}), References::default())?;
    let order = creation::create(act, new, lines, routing).await?;
    act.concern(order_concerns(&order)).await?;
    act.note(&WorkOrderCreated { work_order_key: order.key, changes: recorded(&order, lines) })?;
    Ok(order)
}

/// What the journal keeps of a new order: its lines only if they differ from its product's.
fn recorded(order: &Order, lines: &[KeptLine]) -> WorkOrderCreatedChanges {
    let own_lines = || lines.iter().map(|kept| kept.line.clone()).collect();
    WorkOrderCreatedChanges {
        wo_code: order.wo_code.clone(),
        product_key: order.product_key.clone(),
        product_code: order.product_code.clone(),
        qt_planned: order.qt_planned,
        priority: order.priority,
        project_code: order.project_code.clone(),
        notes: order.notes.clone(),
        start_from: order.start_from,
        due_by: order.due_by,
        extra: order.extra.clone(),
        output_position_key: order.output_position_key.clone(),
        bom_version: order.bom_version,
        wo_bom: order.bom_version.is_none().then(own_lines),
    }
}
