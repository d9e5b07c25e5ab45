//! Whose database it is. A start writes into an empty one or into one of ours, never into somebody else's.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::dialect::Dialect;
use crate::migrate::Migration;
use crate::schema::Schema;
use crate::sql::sql;
use crate::sqlite::poll_once;
use crate::tx::{Link, Tx};
use crate::usage::Usage;
use crate::{OpenError, Result, Sql, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Empty,
    /// With the number of its last migration.
    Ours(i64),
    /// With what tells so.
    Foreign(String),
}

impl Origin {
    /// The number of the last migration, 0 of an empty database; somebody else's is refused.
    pub(crate) fn number_at(self, at: &str) -> Result<i64, OpenError> {
        match self {
            Origin::Empty => Ok(0),
            Origin::Ours(number) => Ok(number),
            Origin::Foreign(found) => Err(OpenError::Foreign { at: at.to_owned(), found }),
        }
    }
}

/// The table that says which migrations were run.
const HISTORY: &str = "migration";
/// Made and filled by a migration; databases from before it are known by their history and their tables alone.
pub(crate) const MARK: &str = "site_mark";

/// Tables, views and sequences, without those of the engine and of its extensions.
fn things(dialect: Dialect) -> Sql {
    match dialect {
        Dialect::Sqlite => Sql::raw(
            "select name from sqlite_schema where type in ('table', 'view') and name not glob 'sqlite_*' order by name",
        ),
        Dialect::Postgres => Sql::raw(
            "select relname::text
             from pg_class
             join pg_namespace on pg_namespace.oid = relnamespace
             where nspname = any(current_schemas(false))
               and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
               and not exists (
                   select 1 from pg_depend
                   where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e'
               )
             order by 1",
        ),
    }
}

/// What else somebody may have made: the types and functions of PostgreSQL, without those that come with a table, with another type
/// or with an extension.
fn others(dialect: Dialect) -> Option<Sql> {
    match dialect {
        Dialect::Sqlite => None,
        Dialect::Postgres => Some(Sql::raw(
            "select 'the type ' || typname
             from pg_type as type
             join pg_namespace on pg_namespace.oid = typnamespace
             where nspname = any(current_schemas(false))
               and (typrelid = 0 or exists (select 1 from pg_class where oid = typrelid and relkind = 'c'))
               and not exists (
                   select 1 from pg_depend
                   where classid = 'pg_type'::regclass and objid = type.oid and deptype in ('e', 'i')
               )
             union all
             select 'the function ' || proname
             from pg_proc
             join pg_namespace on pg_namespace.oid = pronamespace
             where nspname = any(current_schemas(false))
               and not exists (
                   select 1 from pg_depend
                   where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype in ('e', 'i')
               )
             order by 1",
        )),
    }
}

/// Names and types of the history's columns.
fn history_columns(dialect: Dialect) -> Sql {
    match dialect {
        Dialect::Sqlite => Sql::raw("select name, lower(type) from pragma_table_info('migration') order by cid"),
        Dialect::Postgres => Sql::raw(
            "select attname::text, format_type(atttypid, atttypmod)
             from pg_attribute
             where attrelid = to_regclass('migration') and attnum > 0 and not attisdropped
             order by attnum",
        ),
    }
}

/// Looks at a database with no more than reads, whoever made it.
pub(crate) async fn of(tx: &mut Tx, steps: &[Migration]) -> Result<Origin> {
    let things: Vec<String> = tx.all(things(tx.dialect()), &[]).await?;
    let has = |name: &str| things.iter().any(|thing| thing == name);
    if things.is_empty() {
        return empty_of_others(tx).await;
    }
    if !has(HISTORY) {
        return Ok(foreign(&things));
    }
    let integer = if tx.dialect() == Dialect::Sqlite { "integer" } else { "bigint" };
    let columns: Vec<(String, String)> = tx.all(history_columns(tx.dialect()), &[]).await?;
    let shape: Vec<(&str, &str)> = columns.iter().map(|(name, kind)| (name.as_str(), kind.as_str())).collect();
    if shape != [("number", integer), ("name", "text")] {
        return Ok(foreign(&things));
    }
    let history: Vec<(i64, String)> = tx.all(sql!("select number, name from migration order by number"), &[]).await?;
    let Some((number, _)) = history.last() else {
        // A first start that was cut off had made no more than this.
        return if things.len() == 1 { empty_of_others(tx).await } else { Ok(foreign(&things)) };
    };
    let same = history.iter().zip(steps).all(|((number, name), step)| *number == step.number && name == step.name);
    if !same {
        return Ok(Origin::Foreign("its table migration is another program's".to_owned()));
    }
    let done = &steps[..steps.len().min(history.len())];
    let tables = Schema::of(done)?.tables;
    if let Some(missing) = tables.iter().find(|table| !has(&table.name)) {
        return Ok(Origin::Foreign(format!(
            "its table migration looks like ours, but there is no table {}",
            missing.name
        )));
    }
    if tables.iter().any(|table| table.name == MARK) {
        let marks: i64 = tx.one(sql!("select count(*) from site_mark where program = 'tracewright'"), &[]).await?;
        if marks == 0 {
            return Ok(Origin::Foreign("it has lost the mark in its table site_mark".to_owned()));
        }
    }
    Ok(Origin::Ours(*number))
}

/// Without tables; there may be types or functions all the same.
async fn empty_of_others(tx: &mut Tx) -> Result<Origin> {
    let Some(others) = others(tx.dialect()) else { return Ok(Origin::Empty) };
    let others: Vec<String> = tx.all(others, &[]).await?;
    Ok(if others.is_empty() { Origin::Empty } else { foreign(&others) })
}

fn foreign(things: &[String]) -> Origin {
    const SHOWN: usize = 3;
    let named = things.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if things.len() > SHOWN { ", …" } else { "" };
    Origin::Foreign(format!("it has {named}{more}"))
}

/// What a file of the embedded database is; it is not touched. A file that is not there, or has nothing in it, is empty.
pub(crate) fn of_file(file: &Path, steps: &[Migration]) -> Result<Origin, OpenError> {
    if !std::fs::metadata(file).is_ok_and(|found| found.len() > 0) {
        return Ok(Origin::Empty);
    }
    let failed =
        |error: StoreError| OpenError::Database { at: file.display().to_string(), reason: crate::describe(&error) };
    let log = beside(file, "-wal").exists();
    let index = beside(file, "-shm");
    let had_index = index.exists();
    let connection = if log { read_only(file) } else { untouched(file) };
    let mut tx = Tx::new(Link::Sqlite(connection.map_err(|error| failed(error.into()))?), Usage::default());
    let origin = poll_once(|| of(&mut tx, steps)).map_err(failed)?;
    drop(tx);
    if !had_index && matches!(origin, Origin::Foreign(_)) {
        // Reading a log makes an index of it.
        let _ = std::fs::remove_file(index);
    }
    Ok(origin)
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn read_only(file: &Path) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

/// Without a log beside it, a file is read so that nothing at all comes to be beside it.
fn untouched(file: &Path) -> rusqlite::Result<Connection> {
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let mut address = String::from("file:");
    for byte in whole.to_string_lossy().bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => address.push(char::from(byte)),
            byte => address.push_str(&format!("%{byte:02x}")),
        }
    }
    address.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(address, flags)
}
