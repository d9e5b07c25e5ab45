//! What the service has stored, stored once more by the engine alone: the same rows, in the same tables with their indexes, by one
//! transaction on a copy of the database from before.

use std::io::Cursor;
use std::path::Path;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, TryStreamExt};
use rusqlite::Connection;
use rusqlite::types::Value;

use crate::floor;

/// The tables that an event about serials adds rows to, each with a column that only grows.
const TABLES: [(&str, &str); 5] =
    [("serial", "key"), ("event", "seq"), ("event_listed", "seq"), ("audit", "key"), ("audit_target", "audit_key")];

fn newest(table: &str, column: &str) -> String {
    format!("select coalesce(max({column}), 0) from {table}")
}

/// By prepared inserts.
pub fn sqlite(original: &Path, copy: &Path) -> Duration {
    let original = Connection::open(original.join(floor::DATABASE)).unwrap();
    let copy = floor::writer(copy);
    let inserts: Vec<(String, Vec<Vec<Value>>)> = TABLES
        .iter()
        .map(|(table, column)| {
            let last: i64 = copy.query_row(&newest(table, column), [], |row| row.get(0)).unwrap();
            let mut statement = original.prepare(&format!("select * from {table} where {column} > ?1")).unwrap();
            let columns = statement.column_count();
            let values = |row: &rusqlite::Row<'_>| (0..columns).map(|column| row.get(column)).collect();
            let rows = statement.query_map([last], values).unwrap().map(Result::unwrap).collect();
            (format!("insert into {table} values ({})", vec!["?"; columns].join(", ")), rows)
        })
        .collect();
    let begun = Instant::now();
    copy.execute_batch("begin immediate").unwrap();
    for (text, rows) in &inserts {
        let mut statement = copy.prepare(text).unwrap();
        for row in rows {
            for (index, value) in row.iter().enumerate() {
                statement.raw_bind_parameter(index + 1, value).unwrap();
            }
            statement.raw_execute().unwrap();
        }
    }
    copy.execute_batch("commit").unwrap();
    begun.elapsed()
}

/// By `copy`, which is the fastest way.
pub async fn postgres(original: &str, copy: &str) -> Duration {
    let (from, reading) = tokio_postgres::connect(original, tokio_postgres::NoTls).await.unwrap();
    let (to, writing) = tokio_postgres::connect(copy, tokio_postgres::NoTls).await.unwrap();
    let (reading, writing) = (tokio::spawn(reading), tokio::spawn(writing));
    let mut copies = Vec::new();
    for (table, column) in TABLES {
        let last: i64 = to.query_one(&newest(table, column), &[]).await.unwrap().get(0);
        let text = format!("copy (select * from {table} where {column} > {last}) to stdout (format binary)");
        let rows: Vec<_> = from.copy_out(&text).await.unwrap().try_collect().await.unwrap();
        let mut whole: Vec<u8> = Vec::new();
        rows.iter().for_each(|row| whole.extend_from_slice(row));
        copies.push((format!("copy {table} from stdin (format binary)"), whole));
    }
    let begun = Instant::now();
    to.batch_execute("begin").await.unwrap();
    for (text, whole) in &copies {
        let mut sink = pin!(to.copy_in::<_, Cursor<Vec<u8>>>(text).await.unwrap());
        for piece in whole.chunks(PIECE) {
            sink.send(Cursor::new(piece.to_vec())).await.unwrap();
        }
        sink.finish().await.unwrap();
    }
    to.batch_execute("commit").await.unwrap();
    let took = begun.elapsed();
    drop((from, to));
    let _ = (reading.await, writing.await);
    took
}

/// How much is sent at a time, in bytes.
const PIECE: usize = 64 * 1024;
