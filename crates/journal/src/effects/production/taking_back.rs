//! What the completion of batches moved is taken back.

use std::collections::{BTreeSet, HashSet};

use domain::Quantity;
use domain::key::{BatchKey, MovementKey, PositionKey};
use domain::warehouse::INSIDE;
use domain::warehouse::movement::{MovementType, opposite, size};
use store::product::products;
use store::production::batches::Batch;
use store::production::{batch_units, order_boms};
use store::serial::{links, serials};
use store::warehouse::movements::{self, Movement};
use store::warehouse::positions;

use super::bench::Bench;
use super::supply::{consumption, production};
use super::units::ids;
use crate::act::Act;
use crate::effects::serial::linking::hold_genealogy;
use crate::effects::serial::stock::{Whereabouts, lock_stock_of, movements_of, put_back};
use crate::effects::warehouse::{Cause, NewMovement, complete_by_server};
use crate::{Error, Result};

/// Holds what a correction of these batches takes back: the movements of their completion, and those of links that end with them.
pub(crate) async fn hold_made(act: &mut Act<'_>, bench: &Bench, batches: &[BatchKey]) -> Result<()> {
    if batches.is_empty() {
        return Ok(());
    }
    let keys: Vec<i64> = batches.iter().map(|key| key.0).collect();
    let traced = bench.floor.work.order.is_traced();
    let mut ending = Vec::new();
    if traced || !links::active_of_batches(act.tx, &keys).await?.is_empty() {
        hold_genealogy(act).await?;
        ending = links::active_of_batches(act.tx, &keys).await?;
    }
    let (mut places, mut concerned, mut back) = (Whereabouts::default(), BTreeSet::new(), Vec::new());
    for batch in batches {
        let made: Vec<Movement> = Made::by(act, *batch).await?.movements().cloned().collect();
        concerned.extend(made.iter().filter_map(|movement| movement.serial_key));
        places.of_movements(&made);
        back.extend(made);
        if traced {
            let units = batch_units::of_batch(act.tx, *batch).await?;
            ending.extend(links::active_below_all(act.tx, &ids(&units)).await?);
            concerned.extend(units);
        }
    }
    concerned.extend(ending.iter().map(|link| link.child_key));
    back.extend(places.of_taken(act, &movements_of(&ending)).await?);
    places.hold(act).await?;
    if !concerned.is_empty() {
        serials::lock_keys(act.tx, &concerned.iter().map(|key| key.0).collect::<Vec<_>>()).await?;
    }
    lock_stock_of(act, &back).await
}

/// What the completion of a batch moved, and nobody has taken back since.
#[derive(Debug, Default)]
struct Made {
    whole: Vec<Movement>,
    /// Those of which a part was reversed, each with what is left of it. They can't be reversed again.
    parts: Vec<(Movement, Quantity)>,
}

impl Made {
    async fn by(act: &mut Act<'_>, batch: BatchKey) -> Result<Self> {
        let mut made = Self::default();
        for movement in movements::of_batch(act.tx, batch).await? {
            let Some(inverse) = movement.inverse_movement_key else {
                made.whole.push(movement);
                continue;
            };
            let Some(inverse) = movements::find(act.tx, inverse).await? else { continue };
            let left = movement.qt_confirmed - size(inverse.qt_confirmed);
            if left > Quantity::ZERO {
                made.parts.push((movement, left));
            }
        }
        Ok(made)
    }

    fn movements(&self) -> impl Iterator<Item = &Movement> {
        self.whole.iter().chain(self.parts.iter().map(|(movement, _)| movement))
    }

    /// Takes it back, the last first.
    async fn take_back(&self, act: &mut Act<'_>) -> Result<()> {
        let keys: Vec<MovementKey> = self.whole.iter().rev().map(|movement| movement.key).collect();
        put_back(act, &keys).await?;
        for (movement, left) in &self.parts {
            adjust(act, movement, *left).await?;
        }
        Ok(())
    }
}

/// Takes what is left of a movement out of where it came to, or puts it back where it was taken.
async fn adjust(act: &mut Act<'_>, movement: &Movement, left: Quantity) -> Result<()> {
    let Some(product) = movement.product_id else { return Ok(()) };
    let product = products::by_ids(act.tx, &[product.0]).await?.pop();
    let product = product.ok_or_else(|| Error::broken("the product of a movement is not there"))?;
    let (position_key, quantity) = if movement.kind == MovementType::Production {
        (movement.to_key.clone(), opposite(left))
    } else {
        let live = !positions::which_exist(act.tx, &[movement.from_key.to_string()]).await?.is_empty();
        (if live { movement.from_key.clone() } else { PositionKey::trusted(INSIDE) }, left)
    };
    let rest = NewMovement {
        kind: MovementType::Adjustment,
        product_key: product.key,
        serial_key: None,
        position_key,
        quantity,
        cause: Cause { batch_key: movement.batch_key, ..Cause::default() },
        reason: Some(format!("The rest of movement {}, taken back with its batch", movement.key)),
    };
    complete_by_server(act, vec![rest]).await.map(|_| ())
}

/// Takes back what the completion of a batch moved.
pub(crate) async fn take_back(act: &mut Act<'_>, batch: BatchKey) -> Result<()> {
    Made::by(act, batch).await?.take_back(act).await
}

/// A part of a batch is taken back, and another batch takes its place with the rest: what the rest moved is moved anew, at the same
/// positions. Only the difference has to be in stock. Serials stay with what they were built into.
pub(crate) async fn take_back_part(act: &mut Act<'_>, bench: &Bench, batch: &Batch, rest: &Batch) -> Result<()> {
    let mut made = Made::by(act, batch.key).await?;
    made.whole.retain(|movement| movement.serial_key.is_none());
    let moved: BTreeSet<i64> = made.movements().filter_map(|movement| Some(movement.product_id?.0)).collect();
    if moved.is_empty() {
        return Ok(());
    }
    let products = products::by_ids(act.tx, &moved.into_iter().collect::<Vec<_>>()).await?;
    let key_of = |old: &Movement| {
        let product = products.iter().find(|product| Some(product.id) == old.product_id)?;
        Some(&product.key)
    };
    let (produced, consumed): (Vec<&Movement>, Vec<&Movement>) =
        made.movements().partition(|movement| movement.kind == MovementType::Production);
    if rest.qt_pass > Quantity::ZERO {
        let anew = |old: &&Movement| Some(production(rest, key_of(old)?, old.to_key.clone(), rest.qt_pass));
        complete_by_server(act, produced.iter().filter_map(anew).collect()).await?;
    }
    made.take_back(act).await?;
    let lines = order_boms::of_order(act.tx, bench.job().work_order_key).await?;
    let per_unit = |old: &Movement| {
        let of_phase = lines.iter().map(|kept| &kept.line).filter(|line| line.phase_key == batch.phase_key);
        let mut of_component = of_phase.filter(|line| Some(&line.component_key) == key_of(old));
        of_component.find(|line| line.qt.times(batch.qt_total) == Some(old.qt_confirmed)).map(|line| line.qt)
    };
    let from: Vec<String> = consumed.iter().map(|old| old.from_key.to_string()).collect();
    let live: HashSet<PositionKey> = positions::which_exist(act.tx, &from).await?.into_iter().collect();
    let anew = |old: &&Movement| {
        let much = match per_unit(old) {
            Some(qt) => qt.times(rest.qt_total),
            // The lines have changed since, or stock was short.
            None => old.qt_confirmed.share(rest.qt_total, batch.qt_total),
        };
        let much = much.filter(|much| *much > Quantity::ZERO)?;
        // What came back from a position that is gone lies in the warehouse itself.
        let from = live.get(&old.from_key).cloned().unwrap_or_else(|| PositionKey::trusted(INSIDE));
        Some(consumption(rest, key_of(old)?, from, much))
    };
    complete_by_server(act, consumed.iter().filter_map(anew).collect()).await.map(|_| ())
}
