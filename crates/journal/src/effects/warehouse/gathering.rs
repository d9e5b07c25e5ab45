//! The stock that a bulk of movements names, locked before its first row: in whatever order its rows come, it stands in nobody's way.

use std::collections::{BTreeMap, BTreeSet};

use domain::key::{MovementKey, PositionKey, ProductId, ProductKey};
use domain::serial::code_of;
use domain::warehouse::movement::{MovementType, PositionRef, is_beyond, sides};
use serde::Deserialize;
use store::Lock;
use store::serial::serials;
use store::warehouse::movements;
use store::warehouse::stock::{self, Pair};

use super::naming::Products;
use super::places::hold_positions;
use crate::Result;
use crate::act::Act;

/// What a row says of the stock that it moves. A row that can't be read is refused when it runs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct StockNames {
    movement_type: Option<MovementType>,
    product_key: Option<ProductKey>,
    product_code: Option<String>,
    position_from: Option<PositionRef>,
    position_to: Option<PositionRef>,
    serial_code: Option<String>,
    movement_key: Option<MovementKey>,
    _key: Option<MovementKey>,
    original_movement_key: Option<MovementKey>,
    split_into: Vec<PartNames>,
}

/// What a part of a planned movement says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct PartNames {
    position_from: Option<PositionRef>,
    position_to: Option<PositionRef>,
}

impl StockNames {
    /// These, and those of all rows where it says nothing.
    #[must_use]
    pub fn or(self, shared: &Self) -> Self {
        let shared = shared.clone();
        Self {
            movement_type: self.movement_type.or(shared.movement_type),
            product_key: self.product_key.or(shared.product_key),
            product_code: self.product_code.or(shared.product_code),
            position_from: self.position_from.or(shared.position_from),
            position_to: self.position_to.or(shared.position_to),
            serial_code: self.serial_code.or(shared.serial_code),
            movement_key: self.movement_key.or(shared.movement_key),
            _key: self._key.or(shared._key),
            original_movement_key: self.original_movement_key.or(shared.original_movement_key),
            split_into: if self.split_into.is_empty() { shared.split_into } else { self.split_into },
        }
    }

    fn movement(&self) -> Option<MovementKey> {
        self.movement_key.or(self._key).or(self.original_movement_key)
    }

    fn is_of_a_position(&self) -> bool {
        self.movement_type == Some(MovementType::Transfer)
            && self.product_key.is_none()
            && self.product_code.is_none()
            && self.movement().is_none()
    }

    /// The positions that it names itself, and those that follow from its type.
    fn positions(&self) -> Vec<PositionKey> {
        let key = |sent: &Option<PositionRef>| sent.as_ref().map(|PositionRef(key)| key.clone());
        let (from, to) = (key(&self.position_from), key(&self.position_to));
        let of_type = self.movement_type.and_then(|kind| sides(kind, from.clone(), to.clone()).ok());
        let of_parts = self.split_into.iter().flat_map(|part| [key(&part.position_from), key(&part.position_to)]);
        let mut named: Vec<PositionKey> = of_parts.chain([from, to]).flatten().collect();
        named.extend(of_type.into_iter().flat_map(|sides| [sides.from, sides.to]));
        named
    }
}

/// How many movements are read at once.
const AT_ONCE: usize = 1_000;

/// Locks the stock of all rows and the units that they name, and holds positions: alone, if a row moves one.
pub(crate) async fn hold(act: &mut Act<'_>, rows: &[StockNames], units: &[i64]) -> Result<()> {
    if rows.iter().any(StockNames::is_of_a_position) {
        act.tx.lock(Lock::Positions).await?;
    }
    let mut wanted: BTreeSet<(ProductId, PositionKey)> = BTreeSet::new();
    let names = rows.iter().map(|row| (row.product_key.as_ref(), row.product_code.as_ref()));
    let products = Products::load(act, names).await?;
    for row in rows {
        if let Ok(product) = products.named(row.product_key.as_ref(), row.product_code.as_ref()) {
            wanted.extend(row.positions().into_iter().map(|position| (product.id, position)));
        }
    }
    let of_movements: Vec<(i64, &StockNames)> = rows.iter().filter_map(|row| Some((row.movement()?.0, row))).collect();
    for some in of_movements.chunks(AT_ONCE) {
        let keys: Vec<i64> = some.iter().map(|(key, _)| *key).collect();
        for movement in movements::find_all(act.tx, &keys).await? {
            let Some(product) = movement.product_id else { continue };
            let own = some.iter().filter(|(key, _)| *key == movement.key.0).flat_map(|(_, row)| row.positions());
            wanted.extend(own.map(|position| (product, position)));
            wanted.extend([(product, movement.from_key), (product, movement.to_key)]);
        }
    }
    let named: BTreeSet<PositionKey> = wanted.iter().map(|(_, position)| position.clone()).collect();
    let places = hold_positions(act, &named.into_iter().collect::<Vec<_>>()).await?;
    let mut units = units.to_vec();
    units.extend(units_of_codes(act, rows, &products).await?);
    act.tx.will_move_stock();
    if !units.is_empty() {
        serials::lock_keys(act.tx, &units).await?;
    }
    let held = wanted.into_iter().filter(|(_, position)| !is_beyond(position) && places.is_live(position));
    let pairs: BTreeSet<Pair> = held.map(|(product_id, position_key)| Pair { product_id, position_key }).collect();
    let locked = stock::lock(act.tx, &pairs).await?;
    if let Some(kept) = &mut act.stock {
        kept.add(pairs, locked);
    }
    Ok(())
}

/// The keys of the units that rows name by code.
async fn units_of_codes(act: &mut Act<'_>, rows: &[StockNames], products: &Products) -> Result<Vec<i64>> {
    let mut codes: BTreeMap<ProductId, BTreeSet<String>> = BTreeMap::new();
    for row in rows {
        if let Some(code) = row.serial_code.as_deref().and_then(code_of)
            && let Ok(product) = products.named(row.product_key.as_ref(), row.product_code.as_ref())
        {
            codes.entry(product.id).or_default().insert(code);
        }
    }
    let mut units = Vec::new();
    for (product, codes) in codes {
        let found = serials::keys_of_codes(act.tx, product, &codes.into_iter().collect::<Vec<_>>()).await?;
        units.extend(found.into_values().map(|key| key.0));
    }
    Ok(units)
}
