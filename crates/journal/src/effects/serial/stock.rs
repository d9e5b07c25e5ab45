//! Serials in stock: what is built in leaves it, what is taken out comes back, and what is scrapped is written off.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::Quantity;
use domain::config::INVENTORY;
use domain::key::{MovementKey, PositionKey, SerialKey};
use domain::serial::{Link, Serial};
use domain::warehouse::movement::{MovementType, is_beyond};
use domain::warehouse::stock::Pair;
use domain::warehouse::{INSIDE, NOWHERE};
use store::StoreError;
use store::administration::config;
use store::product::products;
use store::warehouse::movements::{self, Movement};
use store::warehouse::{positions, stock};

use crate::act::Act;
use crate::effects::warehouse::{Cause, NewMovement, complete_by_server, hold_positions, reverse_by_server};
use crate::{Error, Result};

/// Whether production and links move stock at all.
pub(crate) async fn is_kept(act: &mut Act<'_>) -> Result<bool> {
    Ok(config::get(act.tx, INVENTORY).await?.and_then(|entry| entry.as_bool()) == Some(true))
}

/// Where these serials lie; not those that lie nowhere.
pub(crate) async fn lying(act: &mut Act<'_>, serials: &[i64]) -> Result<HashMap<SerialKey, PositionKey>> {
    let rows = stock::of_serials(act.tx, serials).await?.into_iter();
    Ok(rows.filter_map(|row| Some((row.serial_key?, row.position_key))).collect())
}

/// The movements that took the children of links out of stock.
pub(crate) fn movements_of<'a>(links: impl IntoIterator<Item = &'a Link>) -> Vec<MovementKey> {
    links.into_iter().filter_map(|link| link.movement_key).collect()
}

/// The positions that an event takes something from, or puts something back into. They are held before any serial is locked.
#[derive(Debug, Default)]
pub(crate) struct Whereabouts {
    positions: BTreeSet<PositionKey>,
    /// Where serials lay when that was asked.
    lying: HashMap<SerialKey, Option<PositionKey>>,
}

impl Whereabouts {
    pub(crate) fn add(&mut self, position: PositionKey) {
        self.positions.insert(position);
    }

    /// Where these serials lie.
    pub(crate) async fn of_serials(&mut self, act: &mut Act<'_>, serials: &[i64]) -> Result<()> {
        let mut found = lying(act, serials).await?;
        self.positions.extend(found.values().cloned());
        self.lying.extend(serials.iter().map(|key| (SerialKey(*key), found.remove(&SerialKey(*key)))));
        Ok(())
    }

    /// Where serials lie that leave stock; the warehouse itself if one lies nowhere, which is refused later on.
    pub(crate) async fn of_parts(&mut self, act: &mut Act<'_>, serials: &[i64]) -> Result<()> {
        self.of_serials(act, serials).await?;
        if serials.iter().any(|key| self.position_of(SerialKey(*key)).is_none()) {
            self.add(PositionKey::trusted(INSIDE));
        }
        Ok(())
    }

    pub(crate) fn position_of(&self, serial: SerialKey) -> Option<&PositionKey> {
        self.lying.get(&serial)?.as_ref()
    }

    /// The sides of movements that may be taken back, and the warehouse itself, in case one of them is gone.
    pub(crate) fn of_movements<'a>(&mut self, movements: impl IntoIterator<Item = &'a Movement>) {
        for movement in movements {
            self.add(movement.from_key.clone());
            self.add(movement.to_key.clone());
            self.add(PositionKey::trusted(INSIDE));
        }
    }

    /// The sides of those of these movements that can be taken back. Returns these.
    pub(crate) async fn of_taken(&mut self, act: &mut Act<'_>, taken: &[MovementKey]) -> Result<Vec<Movement>> {
        let standing = standing(act, taken).await?;
        self.of_movements(&standing);
        Ok(standing)
    }

    pub(crate) async fn hold(&self, act: &mut Act<'_>) -> Result<()> {
        if self.positions.is_empty() {
            return Ok(());
        }
        // The other side of production and consumption.
        let nowhere = PositionKey::trusted(NOWHERE);
        let positions: Vec<PositionKey> = self.positions.iter().cloned().chain([nowhere]).collect();
        hold_positions(act, &positions).await.map(|_| ())
    }

    /// Serials that are locked now lie where they lay: somebody may have moved one before. The event then runs again.
    pub(crate) async fn must_be_right(&self, act: &mut Act<'_>) -> Result<()> {
        if act.tx.is_sole_writer() || self.lying.is_empty() {
            return Ok(());
        }
        let keys: Vec<i64> = self.lying.keys().map(|key| key.0).collect();
        let now = lying(act, &keys).await?;
        if self.lying.iter().any(|(key, position)| now.get(key) != position.as_ref()) {
            return Err(StoreError::Stored("a serial was moved meanwhile".to_owned()).run_again().into());
        }
        Ok(())
    }
}

/// Those of these movements that nobody has taken back, and no reset has removed.
async fn standing(act: &mut Act<'_>, keys: &[MovementKey]) -> Result<Vec<Movement>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<i64> = keys.iter().map(|key| key.0).collect();
    let mut found = movements::find_all(act.tx, &keys).await?;
    found.retain(|movement| movement.inverse_movement_key.is_none());
    Ok(found)
}

/// Locks the stock that taking these movements back changes, all of it at once: those who did so one after the other could wait for
/// each other. Their positions are held and their serials locked.
pub(crate) async fn lock_stock_of(act: &mut Act<'_>, taken: &[Movement]) -> Result<()> {
    if act.tx.is_sole_writer() || taken.len() < 2 {
        return Ok(());
    }
    let sides = || taken.iter().flat_map(|movement| [&movement.from_key, &movement.to_key]);
    let keys: BTreeSet<String> = sides().map(ToString::to_string).collect();
    let live = positions::which_exist(act.tx, &keys.into_iter().collect::<Vec<_>>()).await?;
    // What would come into a position that is gone comes into the warehouse itself.
    let comes_into = |side: &PositionKey| {
        if live.contains(side) { side.clone() } else { PositionKey::trusted(INSIDE) }
    };
    let pairs = taken.iter().flat_map(|movement| {
        let sides = [&movement.from_key, &movement.to_key].into_iter().filter(|side| !is_beyond(side));
        sides.filter_map(|side| Some(Pair { product_id: movement.product_id?, position_key: comes_into(side) }))
    });
    stock::lock(act.tx, &pairs.collect()).await?;
    Ok(())
}

/// Takes movements back, in this order, unless that was done before or a reset has removed them.
pub(crate) async fn put_back(act: &mut Act<'_>, taken: &[MovementKey]) -> Result<()> {
    let standing = standing(act, taken).await?;
    lock_stock_of(act, &standing).await?;
    let standing: HashSet<MovementKey> = standing.iter().map(|movement| movement.key).collect();
    let back: Vec<MovementKey> = taken.iter().copied().filter(|key| standing.contains(key)).collect();
    reverse_by_server(act, &back).await.map(|_| ())
}

/// Takes a locked serial that is built in out of stock, if stock of its product is kept. Returns the movement.
pub(crate) async fn consume(act: &mut Act<'_>, part: &Serial, cause: Cause) -> Result<Option<MovementKey>> {
    let product = products::find(act.tx, &part.product_key).await?;
    if !product.ok_or_else(|| Error::broken("the product of a serial is not there"))?.data.manage_inventory {
        return Ok(None);
    }
    let position = lying(act, &[part.key.0]).await?.remove(&part.key);
    // One that lies nowhere is refused, wherever it is taken from.
    let movement = NewMovement {
        kind: MovementType::Consumption,
        product_key: part.product_key.clone(),
        serial_key: Some(part.key),
        position_key: position.unwrap_or_else(|| PositionKey::trusted(INSIDE)),
        quantity: Quantity::ONE,
        cause,
        reason: None,
    };
    Ok(complete_by_server(act, vec![movement]).await?.into_iter().next())
}

/// Takes locked serials that are scrapped out of stock.
pub(crate) async fn write_off(act: &mut Act<'_>, serials: &[Serial], reason: &str) -> Result<()> {
    let keys: Vec<i64> = serials.iter().map(|serial| serial.key.0).collect();
    let lying = lying(act, &keys).await?;
    let gone = |serial: &Serial| {
        let position = lying.get(&serial.key)?;
        Some(NewMovement {
            kind: MovementType::Adjustment,
            product_key: serial.product_key.clone(),
            serial_key: Some(serial.key),
            position_key: position.clone(),
            quantity: Quantity::ZERO - Quantity::ONE,
            cause: Cause::default(),
            reason: Some(reason.to_owned()),
        })
    };
    complete_by_server(act, serials.iter().filter_map(gone).collect()).await.map(|_| ())
}
