use domain::production::{KeptLine, Order};
use serde_json::{Value, json};

use crate::Result;
use crate::act::Act;
use crate::effects::production::creation::{self, NewWorkOrder};
use crate::effects::production::floor::order_concerns;
use crate::effects::production::routing::Routing;
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
    act.note("work_order_key", json!(order.key));
    act.note("changes", recorded(&order, lines));
    Ok(order)
}

/// What the journal records of a new order: its lines only if they differ from its product's.
fn recorded(order: &Order, lines: &[KeptLine]) -> Value {
    let mut changes = json!({
        "wo_code": order.wo_code,
        "product_key": order.product_key,
        "product_code": order.product_code,
        "qt_planned": order.qt_planned,
        "priority": order.priority,
        "project_code": order.project_code,
        "notes": order.notes,
        "start_from": order.start_from,
        "due_by": order.due_by,
        "extra": order.extra,
        "output_position_key": order.output_position_key,
        "bom_version": order.bom_version,
    });
    if order.bom_version.is_none() {
        changes["wo_bom"] = lines.iter().map(|kept| json!(kept.line)).collect();
    }
    changes
}
