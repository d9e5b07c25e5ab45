//! The events that tell of movements which other events lead to.

use domain::journal::Concerns;
use domain::key::ProductKey;
use store::warehouse::movements::Movement;

use super::moving::Moved;
use crate::Result;
use crate::act::Act;
use crate::event::ClientEvent;
use crate::event::made::warehouse::{InventoryChanged, MovementCompletedByOther, MovementPlannedByOther};

/// What an event about a movement concerns.
pub(crate) fn concerns(movement: &Movement, product_key: Option<&ProductKey>) -> Concerns {
    Concerns {
        movement_key: Some(movement.key),
        product_key: product_key.cloned(),
        serial_key: movement.serial_key,
        work_order_key: movement.work_order_key,
        job_key: movement.job_key,
        batch_key: movement.batch_key,
        ..Concerns::default()
    }
}

/// Tells of a movement that was planned.
pub(crate) fn planned(act: &mut Act<'_>, movement: &Movement, product_key: &ProductKey) -> Result<()> {
    let payload = MovementPlannedByOther {
        movement_key: movement.key,
        movement_type: movement.kind,
        product_key: product_key.clone(),
        serial_key: movement.serial_key,
        position_from: movement.from_key.clone(),
        position_to: movement.to_key.clone(),
        qt_planned: movement.qt_planned,
        movement_list_key: movement.movement_list_key,
        movement_list_item: movement.movement_list_item,
        references: movement.refers_to.clone(),
    };
    act.child(ClientEvent::MovementPlanned.name(), concerns(movement, Some(product_key)), &payload)?;
    Ok(())
}

/// Tells of a movement that was carried out.
pub(crate) fn completed(act: &mut Act<'_>, moved: &Moved) -> Result<()> {
    let Moved { movement, product_key, changes } = moved;
    act.child(
        ClientEvent::MovementCompleted.name(),
        concerns(movement, Some(product_key)),
        &done(movement, product_key, changes),
    )?;
    Ok(())
}

/// Tells of a movement that follows from no event.
pub(crate) async fn completed_by_itself(act: &mut Act<'_>, moved: &Moved) -> Result<()> {
    let Moved { movement, product_key, changes } = moved;
    act.make(ClientEvent::MovementCompleted.name(), &done(movement, product_key, changes))?;
    act.concern(concerns(movement, Some(product_key))).await
}

fn done(movement: &Movement, product_key: &ProductKey, changes: &[InventoryChanged]) -> MovementCompletedByOther {
    MovementCompletedByOther {
        movement_key: movement.key,
        movement_type: movement.kind,
        product_key: product_key.clone(),
        serial_key: movement.serial_key,
        position_from: movement.from_key.clone(),
        position_to: movement.to_key.clone(),
        qt_planned: movement.qt_planned,
        qt_confirmed: movement.qt_confirmed,
        owned: movement.owned,
        movement_list_key: movement.movement_list_key,
        movement_list_item: movement.movement_list_item,
        references: movement.refers_to.clone(),
        stock_changes: changes.to_vec(),
    }
}
