//! The stock that a bulk of movements names, locked before its first row: in whatever order its rows come, it stands in nobody's way.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::key::{MovementKey, MovementListKey, PositionKey, ProductId, ProductKey, SerialKey};
use domain::serial::code_of;
use domain::warehouse::INSIDE;
use domain::warehouse::movement::{MovementType, PositionRef, is_beyond, sides};

use serde::Deserialize;
use store::Lock;
use store::serial::serials;
use store::warehouse::movement_lists;
use store::warehouse::movements::{self, Movement};
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
    movement_list_key: Option<MovementListKey>,
    split_into: Vec<PartNames>,
}

/// What a part of a planned movement says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct PartNames {
    position_from: Option<PositionRef>,
    position_to: Option<PositionRef>,
    serial_key: Option<SerialKey>,
    serial_code: Option<String>,
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
            movement_list_key: self.movement_list_key.or(shared.movement_list_key),
            split_into: if self.split_into.is_empty() { shared.split_into } else { self.split_into },
        }
    }

    /// The planned movement that it changes.
    fn planned(&self) -> Option<MovementKey> {
        self.movement_key.or(self._key)
    }

    fn movement(&self) -> Option<MovementKey> {
        self.planned().or(self.original_movement_key)
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

/// Locks what the rows name, in the order of all locks: lists, planned movements, units, stock. It holds positions, alone if a row moves
/// one.
pub(crate) async fn hold(act: &mut Act<'_>, rows: &[StockNames], units: &[i64]) -> Result<()> {
    if rows.iter().any(StockNames::is_of_a_position) {
        act.tx.lock(Lock::Positions).await?;
    }
    let names = rows.iter().map(|row| (row.product_key.as_ref(), row.product_code.as_ref()));
    let products = Products::load(act, names).await?;
    let mut gathered = Gathered::default();
    for row in rows {
        gathered.lists.extend(row.movement_list_key.map(|key| key.0));
        gathered.planned.extend(row.planned().map(|key| key.0));
        if let Ok(product) = products.named(row.product_key.as_ref(), row.product_code.as_ref()) {
            gathered.add(product.id, row);
        }
    }
    let mut of_movements: HashMap<i64, Vec<&StockNames>> = HashMap::new();
    for (key, row) in rows.iter().filter_map(|row| Some((row.movement()?.0, row))) {
        of_movements.entry(key).or_default().push(row);
    }
    let keys: Vec<i64> = of_movements.keys().copied().collect();
    for some in keys.chunks(AT_ONCE) {
        for movement in movements::find_all(act.tx, some).await? {
            let rows = of_movements.get(&movement.key.0).into_iter().flatten();
            rows.for_each(|row| gathered.add_movement(&movement, row));
        }
    }
    gathered.units.extend(units);
    gathered.lock(act).await
}

/// What a bulk locks.
#[derive(Default)]
struct Gathered {
    lists: BTreeSet<i64>,
    planned: BTreeSet<i64>,
    units: BTreeSet<i64>,
    codes: BTreeMap<ProductId, BTreeSet<String>>,
    stock: BTreeSet<(ProductId, PositionKey)>,
}

impl Gathered {
    /// Adds what a row says of a product.
    fn add(&mut self, product: ProductId, row: &StockNames) {
        self.stock.extend(row.positions().into_iter().map(|position| (product, position)));
        let sent = row.split_into.iter().map(|part| &part.serial_code).chain([&row.serial_code]);
        let codes: Vec<String> = sent.filter_map(|sent| code_of(sent.as_deref()?)).collect();
        if !codes.is_empty() {
            self.codes.entry(product).or_default().extend(codes);
        }
        self.units.extend(row.split_into.iter().filter_map(|part| part.serial_key).map(|key| key.0));
    }

    /// Adds a movement, and what a row says of it.
    fn add_movement(&mut self, movement: &Movement, row: &StockNames) {
        self.lists.extend(movement.movement_list_key.map(|key| key.0));
        self.units.extend(movement.serial_key.map(|key| key.0));
        let Some(product) = movement.product_id else { return };
        self.add(product, row);
        self.stock.extend([(product, movement.from_key.clone()), (product, movement.to_key.clone())]);
        // What would go back to a position that is gone goes there.
        if row.original_movement_key.is_some() {
            self.stock.insert((product, PositionKey::trusted(INSIDE)));
        }
    }

    async fn lock(mut self, act: &mut Act<'_>) -> Result<()> {
        let named: BTreeSet<PositionKey> = self.stock.iter().map(|(_, position)| position.clone()).collect();
        let places = hold_positions(act, &named.into_iter().collect::<Vec<_>>()).await?;
        for (product, codes) in std::mem::take(&mut self.codes) {
            let found = serials::keys_of_codes(act.tx, product, &codes.into_iter().collect::<Vec<_>>()).await?;
            self.units.extend(found.into_values().map(|key| key.0));
        }
        act.tx.will_move_stock();
        if !self.lists.is_empty() {
            movement_lists::lock_keys(act.tx, &Vec::from_iter(self.lists)).await?;
        }
        if !self.planned.is_empty() {
            movements::lock_keys(act.tx, &Vec::from_iter(self.planned)).await?;
        }
        if !self.units.is_empty() {
            serials::lock_keys(act.tx, &Vec::from_iter(self.units)).await?;
        }
        let held = self.stock.into_iter().filter(|(_, position)| !is_beyond(position) && places.is_live(position));
        let pairs: BTreeSet<Pair> = held.map(|(product_id, position_key)| Pair { product_id, position_key }).collect();
        let locked = stock::lock(act.tx, &pairs).await?;
        if let Some(kept) = &mut act.stock {
            kept.add(pairs, locked);
        }
        Ok(())
    }
}
