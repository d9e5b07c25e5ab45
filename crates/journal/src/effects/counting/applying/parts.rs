//! What one step corrects: whole records, and perhaps a part of one that is too large for a step.

use std::iter::Peekable;

use domain::Quantity;
use domain::counting::CountRecord;
use store::counting::applying;
use store::counting::serials::CountSerial;

use crate::Result;
use crate::act::Act;

/// The most corrections of one step.
const MOST_CORRECTIONS: usize = 5_000;

/// A record, or a part of it.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) record: CountRecord,
    /// How much more of what has no serial was counted than stock said.
    pub(super) quantity: Quantity,
    /// The serials of this part that stock and the count differ in.
    pub(super) serials: Vec<CountSerial>,
    /// Nothing of the record was corrected before.
    pub(super) begins: bool,
    /// Nothing of the record is left behind it.
    pub(super) ends: bool,
}

/// The next parts of records that are sorted by key. Only the first of them can have been begun.
pub(super) async fn next(act: &mut Act<'_>, records: Vec<CountRecord>) -> Result<Vec<Part>> {
    let keys: Vec<i64> = records.iter().map(|record| record.key.0).collect();
    let behind = records.first().and_then(|record| record.done);
    // One more than fit, so that the last part knows whether it ends its record.
    let left = applying::left(act.tx, &keys, behind, MOST_CORRECTIONS as i64 + 1).await?;
    let mut parts = cut(records, left, MOST_CORRECTIONS);
    for part in &mut parts {
        let (found, missing) = if part.begins && part.ends {
            let found = part.serials.iter().filter(|serial| serial.counted).count();
            (found, part.serials.len() - found)
        } else {
            let (found, missing) = applying::found_and_missing(act.tx, part.record.key).await?;
            (usize::try_from(found).unwrap_or_default(), usize::try_from(missing).unwrap_or_default())
        };
        let delta = part.record.counted_qt.unwrap_or_default() - part.record.system_qt;
        part.quantity = delta - Quantity::units(found) + Quantity::units(missing);
    }
    Ok(parts)
}

/// How many movements a serial may take: one that was found may lie elsewhere.
fn cost(serial: &CountSerial) -> usize {
    if serial.counted { 2 } else { 1 }
}

/// Takes records, and serials in the order of the records, until there is no room for more.
fn cut(records: Vec<CountRecord>, left: Vec<CountSerial>, most: usize) -> Vec<Part> {
    let mut room = most;
    let mut left = left.into_iter().peekable();
    let mut parts = Vec::with_capacity(records.len());
    for record in records {
        let begins = record.done.is_none();
        let Some(rest) = room.checked_sub(usize::from(begins)) else { break };
        room = rest;
        let serials = take(&mut left, &record, &mut room);
        let ends = left.peek().is_none_or(|serial| serial.record_key != record.key);
        // A part of nothing would leave no trace of what was done.
        if !ends && serials.is_empty() {
            break;
        }
        parts.push(Part { record, quantity: Quantity::ZERO, serials, begins, ends });
        if !ends {
            break;
        }
    }
    parts
}

fn take(
    left: &mut Peekable<impl Iterator<Item = CountSerial>>,
    record: &CountRecord,
    room: &mut usize,
) -> Vec<CountSerial> {
    let mut taken = Vec::new();
    while let Some(serial) = left.next_if(|serial| serial.record_key == record.key && cost(serial) <= *room) {
        *room -= cost(&serial);
        taken.push(serial);
    }
    taken
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use domain::counting::RecordStatus;
    use domain::key::{CountRecordKey, CountSessionKey, PositionKey, ProductId, SerialKey, UserKey};
    use serde_json::Map;

    use super::*;

    fn record(key: i64, done: Option<i64>) -> CountRecord {
        CountRecord {
            key: CountRecordKey(key),
            rev: 1,
            session_key: CountSessionKey(1),
            product_id: ProductId(1),
            position_key: PositionKey::trusted("A"),
            assignment_key: None,
            user_key: UserKey::trusted("mario"),
            status: RecordStatus::Confirmed,
            system_qt: Quantity::ZERO,
            system_at: Timestamp::from_millis(1),
            started_at: None,
            system_corrections: 0,
            counted_qt: Some(Quantity::ZERO),
            counted_at: Some(Timestamp::from_millis(2)),
            reviewed_at: None,
            processed: false,
            done: done.map(SerialKey),
            error_details: None,
            notes: None,
            extra: Map::new(),
        }
    }

    fn missing(record: i64, serial: i64) -> CountSerial {
        CountSerial {
            record_key: CountRecordKey(record),
            serial_key: SerialKey(serial),
            in_system: true,
            counted: false,
            moves: Some(0),
        }
    }

    fn found(record: i64, serial: i64) -> CountSerial {
        CountSerial { in_system: false, counted: true, ..missing(record, serial) }
    }

    /// Record, serials, begins, ends.
    fn shown(parts: &[Part]) -> Vec<(i64, usize, bool, bool)> {
        parts.iter().map(|part| (part.record.key.0, part.serials.len(), part.begins, part.ends)).collect()
    }

    #[test]
    fn records_go_whole_as_long_as_there_is_room() {
        let records = || (1..=4).map(|key| record(key, None)).collect::<Vec<_>>();
        assert_eq!(shown(&cut(records(), vec![], 3)), [(1, 0, true, true), (2, 0, true, true), (3, 0, true, true)]);
        let left = || vec![missing(2, 1), found(2, 2), missing(3, 3)];
        assert_eq!(shown(&cut(records(), left(), 7)), [(1, 0, true, true), (2, 2, true, true), (3, 1, true, true)]);
        // What was found may take two movements.
        assert_eq!(shown(&cut(records(), left(), 4)), [(1, 0, true, true), (2, 1, true, false)]);
        // Not even one serial of the next record fits.
        assert_eq!(shown(&cut(records(), left(), 2)), [(1, 0, true, true)]);
    }

    #[test]
    fn a_large_record_goes_in_parts() {
        let serials = |from: i64| (from..=10).map(|serial| missing(1, serial)).collect::<Vec<_>>();
        let first = cut(vec![record(1, None), record(2, None)], serials(1), 5);
        assert_eq!(shown(&first), [(1, 4, true, false)]);
        let second = cut(vec![record(1, Some(4)), record(2, None)], serials(5), 5);
        assert_eq!(shown(&second), [(1, 5, false, false)]);
        let last = cut(vec![record(1, Some(9)), record(2, None)], serials(10), 5);
        assert_eq!(shown(&last), [(1, 1, false, true), (2, 0, true, true)]);
    }
}
