//! The records that the rows of an import name, loaded together before any row is looked at.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::Quantity;
use domain::key::{PositionKey, ProductId, SerialKey};
use domain::text::fold;
use domain::warehouse::stock::Pair;
use domain::warehouse::{NOWHERE, OUTSIDE};
use store::Tx;
use store::product::products;
use store::serial::serials;
use store::warehouse::positions;

use super::{COUNTED, Line, POSITION, PRODUCT, SERIAL};
use crate::Result;
use crate::import::{Import, RowFaults};

/// The records that the rows name.
pub(super) struct KnownRecords {
    /// By folded code.
    positions: HashMap<String, PositionKey>,
    /// By code, and whether their units are traced.
    products: HashMap<String, (ProductId, bool)>,
    serials: HashMap<(ProductId, String), SerialKey>,
}

/// What earlier rows have said.
#[derive(Default)]
pub(super) struct Seen {
    /// The serials that lie somewhere.
    there: HashSet<SerialKey>,
    /// The serials of each position, by its folded code.
    at: HashSet<(SerialKey, String)>,
    users: HashMap<Pair, String>,
}

impl Seen {
    /// Whether a row may have a serial: it lies in one position, and may be missing in others.
    fn adds(&mut self, serial: SerialKey, line: &Line) -> bool {
        let is_there = line.counted.is_some_and(|counted| counted != Quantity::ZERO);
        self.at.insert((serial, line.folded.clone())) && (!is_there || self.there.insert(serial))
    }

    /// Whether nobody else has counted a pair.
    pub(super) fn is_by(&mut self, pair: &Pair, user: &str) -> bool {
        self.users.entry(pair.clone()).or_insert_with(|| user.to_owned()) == user
    }
}

/// What a row without faults says.
pub(super) struct Counted {
    pub(super) pair: Pair,
    pub(super) quantity: Quantity,
    pub(super) serial: Option<SerialKey>,
}

impl KnownRecords {
    pub(super) async fn load(tx: &mut Tx, import: &Import<Line>) -> Result<Self> {
        let named = |of: fn(&Line) -> Option<&String>| -> Vec<String> {
            let all: BTreeSet<&String> = import.rows.iter().filter_map(|(_, line)| of(line)).collect();
            all.into_iter().cloned().collect()
        };
        let places = named(|line| Some(&line.folded));
        let (products, codes) = (named(|line| line.product.as_ref()), named(|line| line.serial.as_ref()));
        let places = positions::by_codes(tx, &places).await?.into_iter();
        let products = products::by_codes(tx, &products).await?.into_iter();
        Ok(Self {
            positions: places.map(|position| (fold(&position.data.code), position.key)).collect(),
            products: products
                .map(|product| (product.data.code, (product.id, product.data.traceability_level.is_some())))
                .collect(),
            serials: match codes.is_empty() {
                true => HashMap::new(),
                false => serials::keys_with_codes(tx, &codes).await?,
            },
        })
    }

    /// What a row says, unless it has faults, which are told.
    pub(super) fn counted(&self, line: &Line, seen: &mut Seen, faults: &mut RowFaults<'_>) -> Option<Counted> {
        let position = self.position(line, faults);
        let product = self.product(line, faults);
        let serial = match product {
            Some((product, traced)) => self.serial(line, product, traced, seen, faults),
            None => Ok(None),
        };
        let pair = Pair { product_id: product?.0, position_key: position?.clone() };
        Some(Counted { pair, quantity: line.counted?, serial: serial.ok()? })
    }

    fn position(&self, line: &Line, faults: &mut RowFaults<'_>) -> Option<&PositionKey> {
        let code = line.position.as_deref()?;
        let found = self.positions.get(&line.folded);
        match found.map(PositionKey::as_str) {
            None => faults.add(POSITION, code, "There is no such position."),
            Some(OUTSIDE | NOWHERE) => faults.add(POSITION, code, "Nothing can be counted there."),
            Some(_) => return found,
        }
        None
    }

    fn product(&self, line: &Line, faults: &mut RowFaults<'_>) -> Option<(ProductId, bool)> {
        let code = line.product.as_deref()?;
        let found = self.products.get(code).copied();
        if found.is_none() {
            faults.add(PRODUCT, code, "There is no such product.");
        }
        found
    }

    /// The unit that a row names. An error: the row has faults, which were told.
    fn serial(
        &self,
        line: &Line,
        product: ProductId,
        traced: bool,
        seen: &mut Seen,
        faults: &mut RowFaults<'_>,
    ) -> Result<Option<SerialKey>, ()> {
        let (sent, names_serial) = (line.serial_sent.as_str(), !line.serial_sent.is_empty());
        if !traced {
            if names_serial {
                faults.add(SERIAL, sent, "Units of the product are not traced: it has no serials.");
                return Err(());
            }
            return Ok(None);
        }
        let odd = line.counted.filter(|counted| ![Quantity::ZERO, Quantity::ONE].contains(counted));
        let mut sound = odd.is_none();
        if let Some(counted) = odd.filter(|_| names_serial) {
            faults.add(COUNTED, counted.to_string(), "Must be 0 or 1: a row has one unit.");
        }
        let Some(code) = line.serial.as_deref() else {
            if !names_serial && line.counted.is_some_and(|counted| counted != Quantity::ZERO) {
                faults.add(SERIAL, "", "Units of the product are traced: each needs a row with its serial.");
                sound = false;
            }
            return if sound && !names_serial { Ok(None) } else { Err(()) };
        };
        let Some(key) = self.serials.get(&(product, code.to_owned())) else {
            faults.add(SERIAL, sent, "The product has no such serial, or it was deleted.");
            return Err(());
        };
        if !seen.adds(*key, line) {
            faults.add(SERIAL, sent, "Another row has this serial.");
            return Err(());
        }
        if sound { Ok(Some(*key)) } else { Err(()) }
    }
}
