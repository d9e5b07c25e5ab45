//! Movements that other events lead to.

use domain::Quantity;
use domain::key::{BatchKey, JobKey, MovementKey, PositionKey, ProductKey, SerialKey, WorkOrderKey};
use domain::warehouse::movement::{MovementType, References};
use serde_json::Map;
use store::warehouse::movements;

use super::drafting::{Described, Draft, Times};
use super::moving::{By, Moved, carry_out};
use super::naming::Products;
use super::places::hold_positions;
use super::reversing::{self, Reversal};
use super::telling;
use super::units::find_serials;
use crate::act::Act;
use crate::event::ClientEvent;
use crate::event::made::warehouse::MovementReversedByOther;
use crate::{Error, Result};

/// What production leads to a movement.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cause {
    pub(crate) work_order_key: Option<WorkOrderKey>,
    pub(crate) job_key: Option<JobKey>,
    pub(crate) batch_key: Option<BatchKey>,
    /// The batch is completed: whoever takes it back takes the movement back as well.
    pub(crate) completes: bool,
}

/// A movement to be carried out because of another event.
#[derive(Debug, Clone)]
pub(crate) struct NewMovement {
    pub(crate) kind: MovementType,
    pub(crate) product_key: ProductKey,
    pub(crate) serial_key: Option<SerialKey>,
    /// Where it is taken from, put or adjusted; the other side follows from the type.
    pub(crate) position_key: PositionKey,
    /// Signed if it is an adjustment.
    pub(crate) quantity: Quantity,
    pub(crate) cause: Cause,
    pub(crate) reason: Option<String>,
}

impl NewMovement {
    fn described(&self) -> Described {
        let place = Some(self.position_key.clone());
        let (from, to) = if self.kind.brings_in() { (None, place) } else { (place, None) };
        let Cause { work_order_key, job_key, batch_key, .. } = self.cause;
        let references = References {
            work_order_key: work_order_key.map(|key| key.to_string()),
            job_key: job_key.map(|key| key.to_string()),
            batch_key: batch_key.map(|key| key.to_string()),
            ..References::default()
        };
        Described {
            kind: self.kind,
            product_key: Some(self.product_key.clone()),
            product_code: None,
            serial_key: self.serial_key,
            serial_code: None,
            from,
            to,
            qt_planned: None,
            qt_confirmed: Some(self.quantity),
            owned: None,
            references: Some(references),
            reason: self.reason.clone(),
            extra: Map::new(),
        }
    }

    fn draft(&self, act: &Act<'_>, products: &Products) -> Result<Draft> {
        let mut draft = self.described().ready(act, products)?;
        let Cause { work_order_key, job_key, batch_key, completes } = self.cause;
        draft.movement.work_order_key = work_order_key;
        draft.movement.job_key = job_key;
        draft.movement.batch_key = batch_key.filter(|_| completes);
        Times::of_event(act).stamp(&mut draft.movement);
        Ok(draft)
    }
}

/// Carries movements out, one after the other, and tells of each. If serials are locked already, the positions are held before them
/// ([`hold_positions`]).
pub(crate) async fn complete_by_server(act: &mut Act<'_>, new: Vec<NewMovement>) -> Result<Vec<MovementKey>> {
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let products = Products::load(act, new.iter().map(|new| (Some(&new.product_key), None))).await?;
    let mut drafts: Vec<Result<Draft>> = Vec::with_capacity(new.len());
    for new in &new {
        drafts.push(Ok(new.draft(act, &products)?));
    }
    let places = hold_positions(act, &positions_of(&drafts)).await?;
    let units = find_serials(act, &mut drafts).await?;
    let moved = carry_out(act, drafts, &places, &units, By::Server).await.map_err(|(_, error)| error)?;
    store_all(act, moved).await
}

/// The positions of movements.
pub(crate) fn positions_of(drafts: &[Result<Draft>]) -> Vec<PositionKey> {
    let good = drafts.iter().filter_map(|draft| draft.as_ref().ok());
    good.flat_map(|draft| [draft.movement.from_key.clone(), draft.movement.to_key.clone()]).collect()
}

/// Stores new movements that were carried out, and tells of each.
pub(crate) async fn store_all(act: &mut Act<'_>, moved: Vec<Moved>) -> Result<Vec<MovementKey>> {
    for one in &moved {
        telling::completed(act, one)?;
    }
    let new: Vec<_> = moved.into_iter().map(|moved| moved.movement).collect();
    movements::insert_all(act.tx, &new).await?;
    Ok(new.iter().map(|movement| movement.key).collect())
}

/// Takes movements back, in this order, and tells of each. They are in no list.
pub(crate) async fn reverse_by_server(act: &mut Act<'_>, keys: &[MovementKey]) -> Result<Vec<MovementKey>> {
    let mut reversals = Vec::with_capacity(keys.len());
    for key in keys {
        let original = movements::find(act.tx, *key).await?;
        let original = original.ok_or_else(|| Error::missing("original_movement_key", key))?;
        let Reversal { moved, quantity } = reversing::reverse(act, &original, None, None, By::Server).await?;
        let payload = MovementReversedByOther {
            original_movement_key: original.key,
            movement_key: moved.movement.key,
            quantity_to_revert: quantity,
            stock_changes: moved.changes,
        };
        let concerns = telling::concerns(&moved.movement, Some(&moved.product_key));
        act.child(ClientEvent::MovementReversed.name(), concerns, &payload)?;
        reversals.push(moved.movement.key);
    }
    Ok(reversals)
}
