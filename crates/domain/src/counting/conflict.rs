use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Content, Correction};
use crate::key::{CountRecordKey, SerialKey, UserKey};
use crate::warehouse::stock::Pair;
use crate::{Quantity, Timestamp, Total, named};

named! {
    /// Why stock can't be corrected by a record.
    #[schemars(rename = "CountConflictKind")]
    pub enum ConflictKind {
        /// Records of the product at the position correct it differently.
        DifferentCounts = "different_counts",
        /// The serial was counted in two positions.
        SerialTwice = "serial_twice",
        /// The correction takes more than is left.
        Shortage = "shortage",
        /// Another session counts or corrects the product at the position, or where a serial lies that was found.
        Busy = "busy",
        /// Another session has corrected the product at the position since.
        CountedElsewhere = "counted_elsewhere",
        /// A serial that was found was deleted or scrapped, is built into a unit, or was not released.
        SerialBlocked = "serial_blocked",
    }
}

/// A live record, as whoever confirms it looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    pub key: CountRecordKey,
    pub pair: Pair,
    pub user_key: UserKey,
    pub system: Content,
    /// When the count began, by the clock of the service.
    pub system_at: Timestamp,
    pub counted: Content,
    pub counted_at: Timestamp,
    /// How often the pair had been corrected when the count began.
    pub system_corrections: i64,
}

impl Counted {
    pub fn correction(&self) -> Correction {
        Correction::between(&self.system, &self.counted)
    }
}

/// What is known of a pair, under its lock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KnownPair {
    /// How much of it has no serial.
    pub quantity: Quantity,
    /// Whether that may go below zero.
    pub may_lack: bool,
    /// Whether units of the product are traced.
    pub traced: bool,
    /// Whether another session counts or corrects it.
    pub busy: bool,
    /// How often counting sessions have corrected it.
    pub corrections: i64,
}

/// What is known of a serial that was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownSerial {
    /// Where it lies; what is known of that pair is among the pairs.
    pub pair: Option<Pair>,
    /// Deleted, scrapped, built into a unit or not released.
    pub blocked: bool,
}

/// What stock says: of all pairs that were counted, of all serials that were found, and of the pairs where these lie.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub pairs: HashMap<Pair, KnownPair>,
    pub serials: HashMap<SerialKey, KnownSerial>,
}

impl Known {
    fn pair(&self, pair: &Pair) -> KnownPair {
        self.pairs.get(pair).copied().unwrap_or_default()
    }
}

/// What stands in the way of a correction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    pub kind: ConflictKind,
    pub pair: Pair,
    pub serial_key: Option<SerialKey>,
    /// Of a shortage: how much is there.
    pub available: Option<Quantity>,
    /// The places of its records among those that were looked at.
    pub records: Vec<usize>,
}

/// The places of the records of each pair, the newest last: the one that counts. Nobody counts a pair while another does, so the
/// newest is the one that began last; when it ended is what the counter's clock says.
fn by_pair(records: &[Counted]) -> BTreeMap<&Pair, Vec<usize>> {
    let mut pairs: BTreeMap<&Pair, Vec<usize>> = BTreeMap::new();
    for (place, record) in records.iter().enumerate() {
        pairs.entry(&record.pair).or_default().push(place);
    }
    for places in pairs.values_mut() {
        places.sort_by_key(|place| (records[*place].system_at, records[*place].key));
    }
    pairs
}

/// The place of the newest record of each pair: stock is corrected by these, and by no other.
pub fn newest_of_each(records: &[Counted]) -> Vec<usize> {
    by_pair(records).into_values().filter_map(|places| places.last().copied()).collect()
}

/// All that stands in the way of correcting stock by these records, pair by pair.
pub fn conflicts(records: &[Counted], known: &Known) -> Vec<Conflict> {
    let mut found = Vec::new();
    for (pair, places) in by_pair(records) {
        let of =
            |kind| Conflict { kind, pair: pair.clone(), serial_key: None, available: None, records: places.clone() };
        let corrections: Vec<Correction> = places.iter().map(|place| records[*place].correction()).collect();
        if corrections.windows(2).any(|two| two[0] != two[1]) {
            found.push(of(ConflictKind::DifferentCounts));
        }
        if let (Some(newest), Some(correction)) = (places.last(), corrections.last()) {
            found.extend(of_newest(&records[*newest], correction, known, &of));
        }
    }
    found.extend(twice(records));
    found
}

/// What stands in the way of the record that a pair is corrected by.
fn of_newest(
    record: &Counted,
    correction: &Correction,
    known: &Known,
    of: &impl Fn(ConflictKind) -> Conflict,
) -> Vec<Conflict> {
    let here = known.pair(&record.pair);
    let mut found = Vec::new();
    if lacks(&here, correction) {
        found.push(Conflict { available: Some(here.quantity), ..of(ConflictKind::Shortage) });
    }
    if here.busy && !correction.is_none() {
        found.push(of(ConflictKind::Busy));
    }
    if !here.traced && here.corrections > record.system_corrections {
        found.push(of(ConflictKind::CountedElsewhere));
    }
    for serial in &correction.found {
        let Some(there) = known.serials.get(serial) else { continue };
        let elsewhere = there.pair.as_ref().filter(|pair| **pair != record.pair);
        if elsewhere.is_some_and(|pair| known.pair(pair).busy) {
            found.push(Conflict { serial_key: Some(*serial), ..of(ConflictKind::Busy) });
        }
        if there.blocked {
            found.push(Conflict { serial_key: Some(*serial), ..of(ConflictKind::SerialBlocked) });
        }
    }
    found
}

/// Whether a correction takes more than is left.
fn lacks(here: &KnownPair, correction: &Correction) -> bool {
    let left = Total::from(here.quantity) + Total::from(correction.quantity);
    correction.quantity.is_negative() && left < Total::ZERO && !here.may_lack
}

/// Serials that were counted in two positions.
fn twice(records: &[Counted]) -> Vec<Conflict> {
    let mut counted: BTreeMap<SerialKey, Vec<usize>> = BTreeMap::new();
    for (place, record) in records.iter().enumerate() {
        record.counted.serials.iter().for_each(|serial| counted.entry(*serial).or_default().push(place));
    }
    let conflict = |(serial, places): (SerialKey, Vec<usize>)| {
        let pairs: BTreeSet<&Pair> = places.iter().map(|place| &records[*place].pair).collect();
        let pair = pairs.first().filter(|_| pairs.len() > 1).map(|pair| (*pair).clone())?;
        Some(Conflict {
            kind: ConflictKind::SerialTwice,
            pair,
            serial_key: Some(serial),
            available: None,
            records: places,
        })
    };
    counted.into_iter().filter_map(conflict).collect()
}

#[cfg(test)]
mod tests;
