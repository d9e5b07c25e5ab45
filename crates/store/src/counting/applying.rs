//! What is left to be corrected by the records of a session.

use domain::key::{CountRecordKey, SerialKey};

use super::serials::CountSerial;
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// The next serials that stock and the counts differ in, of these records in the order of their keys; of the first of them only those
/// behind `behind`.
pub async fn left(tx: &mut Tx, records: &[i64], behind: Option<SerialKey>, most: i64) -> Result<Vec<CountSerial>> {
    let Some(first) = records.iter().min() else { return Ok(Vec::new()) };
    let sql = sql!(
        "select record_key, serial_key, in_system, counted, moves
         from count_serial
         where record_key {in $1} and in_system <> counted and (record_key > $2 or serial_key > $3)
         order by record_key, serial_key
         limit $4"
    );
    tx.all(sql, &params![records.to_vec(), *first, behind.map_or(-1, |serial| serial.0), most]).await
}

/// How many serials a count has found, and how many it has missed.
pub async fn found_and_missing(tx: &mut Tx, record: CountRecordKey) -> Result<(i64, i64)> {
    let sql = sql!(
        "select count(*) filter (where counted), count(*) filter (where in_system)
         from count_serial
         where record_key = $1 and in_system <> counted"
    );
    tx.one(sql, &params![record]).await
}
