//! What one step works on, held and locked.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::counting::{CountRecord, CountSession};
use domain::journal::Concerns;
use domain::key::{PositionKey, ProductId, ProductKey, SerialKey};
use domain::warehouse::movement::{MovementType, References};
use domain::warehouse::stock::Stock;
use domain::{Quantity, Total};
use serde_json::Map;
use store::counting::serials as counted;
use store::product::products;
use store::serial::serials;
use store::warehouse::stock::{self, Pair};

use super::parts::Part;
use super::places::Places;
use crate::act::Act;
use crate::effects::warehouse::drafting::{Described, Draft, Times};
use crate::effects::warehouse::hold_positions;
use crate::effects::warehouse::naming::Products;
use crate::effects::warehouse::places::Places as Positions;
use crate::effects::warehouse::planned::lock_list;
use crate::effects::warehouse::refusing::overflow;
use crate::effects::warehouse::units::Units;
use crate::{Error, Result};

pub(super) struct Floor {
    products: Products,
    product_keys: HashMap<ProductId, ProductKey>,
    pub(super) positions: Positions,
    pub(super) units: Units,
    pub(super) serials: Places,
}

impl Floor {
    /// Holds the positions of records and of the serials that they have found, and locks the list, the serials and the pairs.
    pub(super) async fn lock(act: &mut Act<'_>, session: &CountSession, parts: &[Part]) -> Result<Self> {
        let (mut keys, mut found): (BTreeSet<i64>, HashSet<SerialKey>) = Default::default();
        for serial in parts.iter().flat_map(|part| &part.serials) {
            keys.insert(serial.serial_key.0);
            if serial.counted {
                found.insert(serial.serial_key);
            }
        }
        let keys: Vec<i64> = keys.into_iter().collect();
        let mut pairs: BTreeSet<Pair> = parts.iter().map(|part| part.record.pair()).collect();
        // One that moves away before it is locked stays there, so that this is all that is needed.
        let rows = stock::of_serials(act.tx, &keys).await?;
        let of_found = rows.iter().filter(|row| row.serial_key.is_some_and(|key| found.contains(&key)));
        pairs.extend(of_found.map(Stock::pair));
        let positions: Vec<PositionKey> = pairs.iter().map(|pair| pair.position_key.clone()).collect();
        let positions = hold_positions(act, &positions).await?;
        if let Some(list) = session.adjustment_list_key {
            lock_list(act, list).await?;
        }
        let mut units = Units::new();
        if !keys.is_empty() {
            units.extend(serials::lock_all(act.tx, &keys).await?.into_iter().map(|serial| (serial.key, serial)));
        }
        stock::lock(act.tx, &pairs).await?;
        let rows = stock::of_serials(act.tx, &keys).await?;
        let lying = rows.iter().filter_map(|row| Some((row.serial_key?, row.pair()))).collect();
        let moves = counted::moves_outside(act.tx, session.key, &keys).await?;
        let ids: BTreeSet<i64> = parts.iter().map(|part| part.record.product_id.0).collect();
        let products = products::by_ids(act.tx, &ids.into_iter().collect::<Vec<_>>()).await?;
        let product_keys = products.iter().map(|product| (product.id, product.key.clone())).collect();
        let serials = Places::new(lying, moves);
        Ok(Self { products: Products::of(products), product_keys, positions, units, serials })
    }

    fn product_key(&self, id: ProductId) -> Result<&ProductKey> {
        self.product_keys.get(&id).ok_or_else(|| Error::broken("a count without its product"))
    }

    /// What an event about a record concerns.
    pub(super) fn concerns(&self, record: &CountRecord) -> Result<Concerns> {
        Ok(Concerns { product_key: Some(self.product_key(record.product_id)?.clone()), ..Concerns::default() })
    }

    /// A correction by a record.
    pub(super) fn draft(
        &self,
        act: &Act<'_>,
        session: &CountSession,
        record: &CountRecord,
        at: &Pair,
        serial_key: Option<SerialKey>,
        quantity: Quantity,
    ) -> Result<Draft> {
        if Total::from(quantity).quantity().is_none() {
            return Err(overflow());
        }
        if let Some(gone) = serial_key.filter(|key| !self.units.contains_key(key)) {
            return Err(Error::missing("serial_key", gone));
        }
        let references = References {
            inventory_count_session_key: Some(session.key.to_string()),
            inventory_count_record_key: Some(record.key.to_string()),
            ..References::default()
        };
        let described = Described {
            kind: MovementType::Adjustment,
            product_key: Some(self.product_key(at.product_id)?.clone()),
            product_code: None,
            serial_key,
            serial_code: None,
            from: Some(at.position_key.clone()),
            to: None,
            qt_planned: None,
            qt_confirmed: Some(quantity),
            owned: None,
            references: Some(references),
            reason: None,
            extra: Map::new(),
        };
        let mut draft = described.ready(act, &self.products)?;
        let movement = &mut draft.movement;
        movement.serial_key = serial_key;
        movement.movement_list_key = session.adjustment_list_key;
        movement.count_session_key = Some(session.key);
        movement.count_record_key = Some(record.key);
        Times::of_event(act).stamp(movement);
        Ok(draft)
    }
}
