//! The tables as the migrations make them, the same for both engines: found by running the migrations once in memory.

use postgres_types::Type;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::dialect::Dialect;
use crate::migrate::Migration;
use crate::{Result, StoreError};

/// What a column holds, whatever an engine calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Int,
    Bool,
    Text,
    Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: Kind,
}

#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    /// The columns of its primary key; all of them where it has none.
    key: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Schema {
    pub(crate) tables: Vec<Table>,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Int => "integer",
            Kind::Bool => "boolean",
            Kind::Text => "text",
            Kind::Bytes => "bytes",
        }
    }

    pub(crate) fn postgres_type(self) -> Type {
        match self {
            Kind::Int => Type::INT8,
            Kind::Bool => Type::BOOL,
            Kind::Text => Type::TEXT,
            Kind::Bytes => Type::BYTEA,
        }
    }

    fn declared(table: &str, column: &str, declared: &str) -> Result<Self> {
        match declared.to_ascii_lowercase().as_str() {
            "integer" => Ok(Kind::Int),
            "boolean" => Ok(Kind::Bool),
            "text" => Ok(Kind::Text),
            "blob" => Ok(Kind::Bytes),
            other => Err(StoreError::Stored(format!("the column {table}.{column} has the unknown type {other}"))),
        }
    }
}

impl Table {
    /// These columns of a table, to be filled.
    pub(crate) fn with_columns(name: &str, columns: &[(&str, Kind)]) -> Self {
        let column = |(name, kind): &(&str, Kind)| Column { name: (*name).to_owned(), kind: *kind };
        Self { name: name.to_owned(), columns: columns.iter().map(column).collect(), key: Vec::new() }
    }

    /// Another table with these columns.
    pub(crate) fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    pub(crate) fn quoted(&self) -> String {
        quoted(&self.name)
    }

    pub(crate) fn column_list(&self) -> String {
        self.columns.iter().map(|column| quoted(&column.name)).collect::<Vec<_>>().join(", ")
    }

    /// An order that is total and the same on both engines.
    pub(crate) fn order(&self) -> String {
        self.key.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ")
    }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

impl Schema {
    pub(crate) fn of(migrations: &[Migration]) -> Result<Self> {
        let connection = Connection::open_in_memory()?;
        for migration in migrations {
            // SQLite's strict tables have no name for booleans; others take any.
            let logical = migration.text.replace("{bool}", "boolean").replace("{strict}", "");
            let logical = logical.replace("{strict_keyed}", "without rowid");
            connection.execute_batch(&Dialect::Sqlite.migration(&logical))?;
        }
        let mut names = connection.prepare(
            "select name from pragma_table_list
             where schema = 'main' and type = 'table' and name not glob 'sqlite_*'
             order by name",
        )?;
        let names = names.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
        let tables = names.into_iter().map(|name| table(&connection, name)).collect::<Result<Vec<_>>>()?;
        Ok(Self { tables })
    }

    pub(crate) fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }
}

fn table(connection: &Connection, name: String) -> Result<Table> {
    let mut info = connection.prepare("select name, type, pk from pragma_table_info(?1) order by cid")?;
    let found = info
        .query_map([&name], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?)))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let mut key: Vec<(i64, String)> =
        found.iter().filter(|(_, _, place)| *place > 0).map(|(column, _, place)| (*place, column.clone())).collect();
    key.sort();
    let columns = found
        .iter()
        .map(|(column, declared, _)| {
            Ok(Column { name: column.clone(), kind: Kind::declared(&name, column, declared)? })
        })
        .collect::<Result<Vec<_>>>()?;
    let key = match key.len() {
        0 => columns.iter().map(|column| column.name.clone()).collect(),
        _ => key.into_iter().map(|(_, column)| column).collect(),
    };
    Ok(Table { name, columns, key })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attachments::files::NAMING;
    use crate::migrate::MIGRATIONS;

    const SOME: &[Migration] = &[
        Migration { number: 1, name: "one", text: "create table b (name {text}, key {id}, \"on\" {bool}) {strict};" },
        Migration {
            number: 2,
            name: "two",
            text: "create table a (x {bytes}, y {int}) {strict};\ncreate table c (z {bool}, y {text}, x {id}) {strict_keyed};\nalter table b add column folded {text} not null default '';\n{trigram b key folded}",
        },
    ];

    #[test]
    fn tables_are_known_with_their_kinds_and_keys() {
        let schema = Schema::of(SOME).unwrap();
        let shown: Vec<String> = schema
            .tables
            .iter()
            .map(|table| {
                let kinds: Vec<&str> = table.columns.iter().map(|column| column.kind.name()).collect();
                format!("{} ({}) {} by {}", table.name, table.column_list(), kinds.join(" "), table.order())
            })
            .collect();
        assert_eq!(
            shown,
            [
                "a (\"x\", \"y\") bytes integer by \"x\", \"y\"",
                "b (\"name\", \"key\", \"on\", \"folded\") text integer boolean text by \"key\"",
                "c (\"z\", \"y\", \"x\") boolean text integer by \"x\"",
            ],
            "the tables of the search are none of ours"
        );
    }

    /// Whoever adds a column for objects has to say so, or backups and sweeps would not know them.
    #[test]
    fn every_column_for_objects_is_known() {
        let schema = Schema::of(MIGRATIONS).unwrap();
        for (table, column) in NAMING {
            let table = schema.table(table).unwrap();
            assert!(table.columns.iter().any(|known| known.name == *column && known.kind == Kind::Text));
        }
        for table in schema.tables.iter().filter(|table| table.name != "object_gone") {
            for column in table.columns.iter().filter(|column| column.name.split('_').any(|word| word == "object")) {
                let known = NAMING.contains(&(table.name.as_str(), column.name.as_str()));
                assert!(known || column.name == "object_key", "{}.{}", table.name, column.name);
            }
        }
    }
}
