//! Many rows for one table. SQLite writes new trigrams to the database whenever a statement begins, so each statement inserts as
//! many rows as it can.

use rusqlite::Connection;

use crate::schema::Table;
use crate::value::Value;
use crate::{Result, StoreError};

/// How many values one statement takes; SQLite's own limit is twice as high.
const VALUES: usize = 16_384;
/// The bytes of values after which a statement takes no further row.
const BYTES: usize = 1024 * 1024;

/// Returns how many rows there were.
pub(crate) fn fill<E: From<StoreError>>(
    connection: &Connection,
    table: &Table,
    mut rows: impl Iterator<Item = Result<Vec<Value>, E>>,
) -> Result<u64, E> {
    let most = (VALUES / table.columns.len()).max(1);
    let (mut filled, mut some) = (0, Vec::with_capacity(most));
    let mut inserting: Option<(usize, rusqlite::Statement<'_>)> = None;
    loop {
        some.clear();
        let mut bytes = 0;
        while some.len() < most
            && bytes < BYTES
            && let Some(row) = rows.next().transpose()?
        {
            bytes += row.iter().map(Value::bytes).sum::<usize>();
            some.push(row);
        }
        if some.is_empty() {
            return Ok(filled);
        }
        let (_, statement) = match inserting.take() {
            Some(same) if same.0 == some.len() => inserting.insert(same),
            _ => inserting.insert((some.len(), prepare(connection, table, some.len())?)),
        };
        for (place, value) in some.iter().flatten().enumerate() {
            statement.raw_bind_parameter(place + 1, value).map_err(StoreError::from)?;
        }
        filled += statement.raw_execute().map_err(StoreError::from)? as u64;
    }
}

fn prepare<'a>(connection: &'a Connection, table: &Table, rows: usize) -> Result<rusqlite::Statement<'a>> {
    let row = format!("({})", vec!["?"; table.columns.len()].join(", "));
    let rows = vec![row.as_str(); rows].join(", ");
    let text = format!("insert into {} ({}) values {rows}", table.quoted(), table.column_list());
    Ok(connection.prepare(&text)?)
}
