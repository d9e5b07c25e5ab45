//! The serials of what was counted: those that stock had, those that were found, and what has moved since.

use std::collections::HashMap;

use domain::counting::{Content, CountRecord};
use domain::key::{CountRecordKey, CountSessionKey, SerialKey};

use crate::columns::{self, Record, record};
use crate::sql::{Page, Paged, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct CountSerial in count_serial keyed by 2 {
        pub record_key: CountRecordKey,
        pub serial_key: SerialKey,
        /// Stock had it there when the count began.
        pub in_system: bool,
        pub counted: bool,
        /// How many completed movements it had when the count ended.
        pub moves: Option<i64>,
    }
}

/// So many serials go with one statement.
const AT_ONCE: usize = 5_000;

/// Stores new ones, and what has become of others.
pub async fn save_all(tx: &mut Tx, serials: &[CountSerial]) -> Result<()> {
    for some in serials.chunks(AT_ONCE) {
        columns::replace_all_later(tx, some).await?;
    }
    Ok(())
}

/// Those of these records, by serial.
pub async fn of_records(tx: &mut Tx, keys: &[i64]) -> Result<HashMap<CountRecordKey, Vec<CountSerial>>> {
    let mut found: HashMap<CountRecordKey, Vec<CountSerial>> = HashMap::new();
    for some in keys.chunks(AT_ONCE) {
        let serials: Vec<CountSerial> = CountSerial::select()
            .filter("count_serial.record_key {in {}}", some.to_vec())
            .all(tx, "count_serial.record_key, count_serial.serial_key")
            .await?;
        for serial in serials {
            found.entry(serial.record_key).or_default().push(serial);
        }
    }
    Ok(found)
}

/// What stock said when a count began, and what was counted.
pub fn contents(record: &CountRecord, serials: &[CountSerial]) -> (Content, Content) {
    let in_system = serials.iter().filter(|serial| serial.in_system).map(|serial| serial.serial_key);
    let counted = serials.iter().filter(|serial| serial.counted).map(|serial| serial.serial_key);
    (Content::of(record.system_qt, in_system), Content::of(record.counted_qt.unwrap_or_default(), counted))
}

/// The next serials of a record that stock and the count differ in, behind this one.
pub async fn left(
    tx: &mut Tx,
    record: CountRecordKey,
    behind: Option<SerialKey>,
    most: i64,
) -> Result<Vec<CountSerial>> {
    let next: Paged<CountSerial> = CountSerial::select()
        .filter("count_serial.record_key = {}", record)
        .only("count_serial.in_system <> count_serial.counted")
        .filter_if("count_serial.serial_key > {}", behind)
        .page(tx, "count_serial.serial_key", &Page { limit: most, offset: 0, count: false })
        .await?;
    Ok(next.rows)
}

/// How many completed movements these serials have; those without any are left out. They are locked.
pub async fn moves(tx: &mut Tx, keys: &[i64]) -> Result<HashMap<SerialKey, i64>> {
    let mut found = HashMap::with_capacity(keys.len());
    for some in keys.chunks(AT_ONCE) {
        let sql = sql!(
            "select serial_key, count(*)
             from movement
             where serial_key {in $1} and serial_key is not null and status = 'completed'
             group by serial_key"
        );
        found.extend(tx.all::<(SerialKey, i64)>(sql, &params![some.to_vec()]).await?);
    }
    Ok(found)
}

/// The same, without the corrections of a session.
pub async fn moves_outside(tx: &mut Tx, session: CountSessionKey, keys: &[i64]) -> Result<HashMap<SerialKey, i64>> {
    let mut found = HashMap::with_capacity(keys.len());
    for some in keys.chunks(AT_ONCE) {
        let sql = sql!(
            "select serial_key, count(*)
             from movement
             where serial_key {in $1} and serial_key is not null and status = 'completed'
             and (count_session_key is null or count_session_key <> $2)
             group by serial_key"
        );
        found.extend(tx.all::<(SerialKey, i64)>(sql, &params![some.to_vec(), session]).await?);
    }
    Ok(found)
}
