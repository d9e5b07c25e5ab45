//! What lies where: one row for each serial, and one for the whole quantity of a product without serials.

use std::collections::{BTreeMap, HashMap};

use super::movement::size;
use crate::key::{CountSessionKey, PositionKey, ProductId, SerialKey, StockKey};
use crate::{Quantity, Total};

/// A product at a position.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    pub product_id: ProductId,
    pub position_key: PositionKey,
}

/// Why nothing may move at a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// Somebody counts it.
    Counting(String),
    /// A counting session corrects it.
    Locked(CountSessionKey),
}

/// A row of stock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stock {
    pub key: StockKey,
    pub rev: i64,
    pub product_id: ProductId,
    pub position_key: PositionKey,
    pub serial_key: Option<SerialKey>,
    /// Never zero.
    pub quantity: Quantity,
    /// False: it belongs to a customer or a supplier.
    pub owned: bool,
    /// It was allowed to go below zero when it did.
    pub negative_allowed: bool,
}

impl Stock {
    pub fn pair(&self) -> Pair {
        Pair { product_id: self.product_id, position_key: self.position_key.clone() }
    }

    fn spot(&self) -> Spot {
        Spot { pair: self.pair(), serial_key: self.serial_key }
    }
}

/// Where a row lies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Spot {
    pair: Pair,
    serial_key: Option<SerialKey>,
}

/// More or less of something at a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shift {
    pub pair: Pair,
    pub serial_key: Option<SerialKey>,
    pub quantity: Quantity,
    /// Whose it is.
    pub owned: bool,
    /// Whether it may go below zero.
    pub may_lack: bool,
    /// Whether the marks of counts do not matter.
    pub despite_marks: bool,
}

/// Why stock can't change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    Marked(Mark),
    /// There is less than is taken.
    Insufficient {
        available: Quantity,
        requested: Quantity,
    },
    /// A serial that comes in is there already, or elsewhere.
    SerialInStock(PositionKey),
    /// A serial that leaves is elsewhere or nowhere.
    SerialNotThere,
    /// A serial is one unit.
    NotAUnit,
    OwnerMismatch,
    Overflow,
}

/// The stock that movements change, with what has become of it so far.
#[derive(Debug, Default)]
pub struct Sheet {
    found: BTreeMap<Spot, Stock>,
    rows: BTreeMap<Spot, Stock>,
    places: HashMap<SerialKey, Spot>,
    marks: HashMap<Pair, Mark>,
}

/// How the stored rows have to change, in this order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rewrite {
    pub removed: Vec<Stock>,
    /// Their revisions are raised.
    pub changed: Vec<Stock>,
    pub made: Vec<Stock>,
}

impl Sheet {
    /// Of all rows of the pairs without serials, and of all rows of the serials.
    pub fn new(rows: impl IntoIterator<Item = Stock>, marks: HashMap<Pair, Mark>) -> Self {
        let found: BTreeMap<Spot, Stock> = rows.into_iter().map(|row| (row.spot(), row)).collect();
        let places = found.keys().filter_map(|spot| Some((spot.serial_key?, spot.clone()))).collect::<HashMap<_, _>>();
        Self { rows: found.clone(), found, places, marks }
    }

    /// The row without a serial.
    pub fn row(&self, pair: &Pair) -> Option<&Stock> {
        self.rows.get(&Spot { pair: pair.clone(), serial_key: None })
    }

    /// The row of a serial, wherever it lies.
    pub fn of_serial(&self, key: SerialKey) -> Option<&Stock> {
        self.places.get(&key).and_then(|spot| self.rows.get(spot))
    }

    /// The row that something is taken from: that of the serial if it lies there, else the one without serials.
    pub fn taken_from(&self, pair: &Pair, serial: Option<SerialKey>) -> Option<&Stock> {
        match serial {
            Some(serial) => self
                .of_serial(serial)
                .filter(|row| row.product_id == pair.product_id && row.position_key == pair.position_key),
            None => self.row(pair),
        }
    }

    /// Changes stock, or refuses to and leaves it. A new row has the key `fresh`.
    pub fn shift(&mut self, shift: &Shift, fresh: StockKey) -> Result<(), Refusal> {
        if let Some(mark) = self.marks.get(&shift.pair).filter(|_| !shift.despite_marks) {
            return Err(Refusal::Marked(mark.clone()));
        }
        if let Some(serial) = shift.serial_key {
            self.check_serial(serial, shift)?;
        }
        let spot = Spot { pair: shift.pair.clone(), serial_key: shift.serial_key };
        let (before, lacked) = match self.rows.get(&spot) {
            Some(row) if row.owned != shift.owned => return Err(Refusal::OwnerMismatch),
            Some(row) => (row.quantity, row.negative_allowed),
            None => (Quantity::ZERO, false),
        };
        let after = (Total::from(before) + Total::from(shift.quantity)).quantity().ok_or(Refusal::Overflow)?;
        if after.is_negative() && after < before && !shift.may_lack {
            return Err(Refusal::Insufficient { available: before, requested: size(shift.quantity) });
        }
        let negative_allowed = after.is_negative() && (lacked || shift.may_lack);
        self.set(spot, after, shift.owned, negative_allowed, fresh);
        Ok(())
    }

    fn check_serial(&self, serial: SerialKey, shift: &Shift) -> Result<(), Refusal> {
        let there = self.of_serial(serial);
        if size(shift.quantity) != Quantity::ONE {
            return Err(Refusal::NotAUnit);
        }
        match there {
            Some(row) if !shift.quantity.is_negative() => Err(Refusal::SerialInStock(row.position_key.clone())),
            None if shift.quantity.is_negative() => Err(Refusal::SerialNotThere),
            Some(row) if row.spot().pair != shift.pair => Err(Refusal::SerialNotThere),
            _ => Ok(()),
        }
    }

    fn set(&mut self, spot: Spot, quantity: Quantity, owned: bool, negative_allowed: bool, fresh: StockKey) {
        if quantity == Quantity::ZERO {
            if let Some(serial) = spot.serial_key {
                self.places.remove(&serial);
            }
            self.rows.remove(&spot);
            return;
        }
        let (key, rev) = self.found.get(&spot).map_or((fresh, 1), |row| (row.key, row.rev));
        if let Some(serial) = spot.serial_key {
            self.places.insert(serial, spot.clone());
        }
        let Spot { pair: Pair { product_id, position_key }, serial_key } = spot.clone();
        let row = Stock { key, rev, product_id, position_key, serial_key, quantity, owned, negative_allowed };
        self.rows.insert(spot, row);
    }

    /// What has to be stored.
    pub fn rewrite(self) -> Rewrite {
        let Self { found, rows, .. } = self;
        let removed = found.iter().filter(|(spot, _)| !rows.contains_key(spot)).map(|(_, row)| row.clone()).collect();
        let mut rewrite = Rewrite { removed, ..Rewrite::default() };
        for (spot, mut row) in rows {
            match found.get(&spot) {
                None => rewrite.made.push(row),
                Some(before) if *before != row => {
                    row.rev = before.rev + 1;
                    rewrite.changed.push(row);
                }
                Some(_) => {}
            }
        }
        rewrite
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pair(position: &str) -> Pair {
        Pair { product_id: ProductId(1), position_key: PositionKey::trusted(position) }
    }

    fn shift(position: &str, serial: Option<i64>, millionths: i64) -> Shift {
        Shift {
            pair: pair(position),
            serial_key: serial.map(SerialKey),
            quantity: Quantity::from_millionths(millionths),
            owned: true,
            may_lack: false,
            despite_marks: false,
        }
    }

    const UNIT: i64 = 1_000_000;

    #[test]
    fn a_row_comes_with_the_first_and_goes_with_the_last() {
        let mut sheet = Sheet::default();
        sheet.shift(&shift("A", None, 3), StockKey(1)).unwrap();
        assert_eq!(sheet.row(&pair("A")).unwrap().quantity.millionths(), 3);
        sheet.shift(&shift("A", None, -3), StockKey(2)).unwrap();
        assert_eq!(sheet.rewrite(), Rewrite::default());
    }

    #[test]
    fn less_than_nothing_is_refused_unless_it_is_allowed() {
        let mut sheet = Sheet::default();
        let refused = Refusal::Insufficient { available: Quantity::ZERO, requested: Quantity::ONE };
        assert_eq!(sheet.shift(&shift("A", None, -UNIT), StockKey(1)), Err(refused));
        let allowed = Shift { may_lack: true, ..shift("A", None, -UNIT) };
        sheet.shift(&allowed, StockKey(1)).unwrap();
        assert!(sheet.row(&pair("A")).unwrap().negative_allowed);
        // What comes in is welcome, also if it is not enough.
        sheet.shift(&shift("A", None, 1), StockKey(1)).unwrap();
        assert!(sheet.row(&pair("A")).unwrap().negative_allowed);
        sheet.shift(&shift("A", None, UNIT), StockKey(1)).unwrap();
        let row = sheet.row(&pair("A")).unwrap();
        assert_eq!((row.quantity.millionths(), row.negative_allowed), (1, false));
    }

    #[test]
    fn a_serial_is_in_one_place() {
        let mut sheet = Sheet::default();
        assert_eq!(sheet.shift(&shift("A", Some(7), 2 * UNIT), StockKey(1)), Err(Refusal::NotAUnit));
        assert_eq!(sheet.shift(&shift("A", Some(7), -UNIT), StockKey(1)), Err(Refusal::SerialNotThere));
        sheet.shift(&shift("A", Some(7), UNIT), StockKey(1)).unwrap();
        for place in ["A", "B"] {
            let there = Refusal::SerialInStock(PositionKey::trusted("A"));
            assert_eq!(sheet.shift(&shift(place, Some(7), UNIT), StockKey(2)), Err(there));
        }
        assert_eq!(sheet.shift(&shift("B", Some(7), -UNIT), StockKey(2)), Err(Refusal::SerialNotThere));
        sheet.shift(&shift("A", Some(7), -UNIT), StockKey(2)).unwrap();
        sheet.shift(&shift("B", Some(7), UNIT), StockKey(3)).unwrap();
        let Rewrite { removed, changed, made } = sheet.rewrite();
        assert_eq!((removed.len(), changed.len(), made[0].key), (0, 0, StockKey(3)));
    }

    #[test]
    fn marks_owners_and_ends_of_the_range_refuse() {
        let mark = Mark::Locked(CountSessionKey(5));
        let mut sheet = Sheet::new([], HashMap::from([(pair("A"), mark.clone())]));
        assert_eq!(sheet.shift(&shift("A", None, 1), StockKey(1)), Err(Refusal::Marked(mark)));
        sheet.shift(&Shift { despite_marks: true, ..shift("A", None, 1) }, StockKey(1)).unwrap();
        sheet.shift(&shift("B", None, Quantity::MAX.millionths()), StockKey(2)).unwrap();
        assert_eq!(sheet.shift(&shift("B", None, 1), StockKey(2)), Err(Refusal::Overflow));
        let other = Shift { owned: false, ..shift("B", None, -1) };
        assert_eq!(sheet.shift(&other, StockKey(2)), Err(Refusal::OwnerMismatch));
    }

    proptest! {
        /// Compared with plain sums; what is rewritten turns the rows found into these.
        #[test]
        fn stock_is_the_sum_of_what_moved(moves in prop::collection::vec((0..3_usize, -9_i64..10), 0..60), half in 0..60_usize) {
            let place = |at: usize| ["A", "B", "C"][at];
            let (mut sums, mut stored): (BTreeMap<usize, i64>, BTreeMap<StockKey, Stock>) = Default::default();
            let (early, late) = moves.split_at(half.min(moves.len()));
            for (round, some) in [early, late].into_iter().enumerate() {
                let mut sheet = Sheet::new(stored.values().cloned(), HashMap::new());
                for (number, (at, much)) in some.iter().enumerate().filter(|(_, (_, much))| *much != 0) {
                    let fresh = StockKey((round * 1_000 + number) as i64);
                    let done = sheet.shift(&shift(place(*at), None, *much), fresh);
                    let sum = sums.entry(*at).or_default();
                    prop_assert_eq!(done.is_ok(), *sum + much >= 0);
                    *sum += if done.is_ok() { *much } else { 0 };
                }
                let Rewrite { removed, changed, made } = sheet.rewrite();
                removed.iter().for_each(|row| drop(stored.remove(&row.key)));
                for row in changed.into_iter().chain(made) {
                    stored.insert(row.key, row);
                }
            }
            for (at, sum) in sums {
                let row = stored.values().find(|row| row.position_key.as_str() == place(at));
                prop_assert_eq!(row.map_or(0, |row| row.quantity.millionths()), sum);
            }
            prop_assert!(stored.values().all(|row| row.quantity > Quantity::ZERO));
        }
    }
}
