//! Reading rows, the same way from both engines.

use domain::collaboration::{Assignee, LinkSetting, TaskField};
use domain::form::{FieldValue, FormField};
use domain::json::Opaque;
use domain::key::id_to_text;
use domain::notification::webhook::EventFilter;
use domain::process::PhaseParameters;
use domain::product::Metadata;
use domain::production::{KeptLine, StepCopy};
use domain::serial::SerialValue;
use domain::warehouse::movement::References as MovementReferences;
use domain::{Quantity, Timestamp, json};
use rusqlite::types::ValueRef;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use crate::error::Damaged;
use crate::schema::Kind;
use crate::sql::Sql;
use crate::usage::Usage;
use crate::{Result, StoreError, Value};

/// One row of a result; columns are read in order.
pub struct Row<'a> {
    source: Source<'a>,
    next: usize,
    /// What its values take, as far as they are read and nobody has been asked for it.
    unpaid: usize,
    usage: Option<&'a mut Usage>,
}

enum Source<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

/// What a row, and each of its values, takes besides texts.
const ROW_BYTES: usize = 64;
const VALUE_BYTES: usize = 32;
/// A text is in memory as it comes from the database, in the record, and in the answer.
const COPIES: usize = 3;
/// What JSON of up to this size holds does not count.
const SMALL: usize = 64;
/// Memory for a text of more than this is asked for before it is read.
const LARGE: usize = 4096;

impl<'a> Row<'a> {
    pub(crate) fn sqlite(row: &'a rusqlite::Row<'a>) -> Self {
        Self { source: Source::Sqlite(row), next: 0, unpaid: 0, usage: None }
    }

    /// A row whose values take memory as they are read.
    pub(crate) fn sqlite_with(row: &'a rusqlite::Row<'a>, usage: &'a mut Usage) -> Self {
        Self { source: Source::Sqlite(row), next: 0, unpaid: ROW_BYTES, usage: Some(usage) }
    }

    /// A row that memory was taken for as it came.
    pub(crate) fn postgres(row: &'a tokio_postgres::Row) -> Self {
        Self { source: Source::Postgres(row), next: 0, unpaid: 0, usage: None }
    }

    /// All of it; what does not fit names the record that it is of.
    pub(crate) fn read<T: FromRow>(mut self, sql: &Sql) -> Result<T> {
        let record = T::from_row(&mut self).map_err(|error| match error {
            StoreError::Stored(reason) => StoreError::Damaged(Box::new(self.damaged(sql, reason))),
            error => error,
        })?;
        self.pay()?;
        Ok(record)
    }

    /// Takes memory for the values that are read.
    fn pay(&mut self) -> Result<()> {
        let weight = std::mem::take(&mut self.unpaid);
        self.usage.as_mut().map_or(Ok(()), |usage| usage.take(weight))
    }

    /// Counts a value, before it is copied and parsed. At a large one the whole row is counted and paid for: what is asked for in one
    /// piece can always be had, however large it is.
    fn weigh(&mut self, row: &rusqlite::Row<'_>, value: ValueRef<'_>, is_parsed: bool) -> Result<()> {
        if self.usage.is_none() {
            return Ok(());
        }
        self.unpaid += match bytes_of(value) {
            Some(text) if !is_parsed => VALUE_BYTES + text.len() * COPIES + escapes(text),
            _ => weight_of_value(value),
        };
        if bytes_of(value).is_some_and(|text| text.len() > LARGE) {
            let values = (0..row.as_ref().column_count()).filter_map(|index| row.get_ref(index).ok());
            self.unpaid = ROW_BYTES + values.map(weight_of_value).sum::<usize>();
            self.pay()?;
            self.usage = None;
        }
        Ok(())
    }

    fn damaged(&self, sql: &Sql, reason: String) -> Damaged {
        let names: Vec<&str> = match self.source {
            Source::Sqlite(row) => row.as_ref().column_names().collect(),
            Source::Postgres(row) => row.columns().iter().map(tokio_postgres::Column::name).collect(),
        };
        let read = self.next.saturating_sub(1);
        Damaged {
            table: sql.table().to_owned(),
            key: self.key(names.iter().position(|name| *name == "key").unwrap_or(0)),
            column: names.get(read).map_or_else(String::new, |name| (*name).to_owned()),
            reason,
        }
    }

    /// The key in that column: a text, or the number that it is shown for.
    fn key(&self, index: usize) -> String {
        let id = match self.source {
            Source::Sqlite(row) => match row.get_ref(index) {
                Ok(ValueRef::Text(text)) => return text_of(text),
                Ok(ValueRef::Integer(id)) => Some(id),
                _ => None,
            },
            Source::Postgres(row) => match row.try_get::<_, String>(index) {
                Ok(text) => return text,
                Err(_) => row.try_get::<_, i64>(index).ok(),
            },
        };
        id.map_or_else(|| "?".to_owned(), id_to_text)
    }

    /// The next column.
    pub fn column<T: FromColumn>(&mut self) -> Result<T> {
        let index = self.next;
        self.next += 1;
        match self.source {
            Source::Sqlite(row) => {
                let value = row.get_ref(index)?;
                self.weigh(row, value, T::IS_PARSED)?;
                T::from_sqlite(value)
            }
            Source::Postgres(row) => T::from_postgres(row, index),
        }
    }

    /// The next two columns, a sum of many numbers: one of millions and one of what is left of each, since both fit where the
    /// sum itself may not. Nothing is zero.
    pub fn sum(&mut self) -> Result<i128> {
        let (millions, rest): (Option<i64>, Option<i64>) = (self.column()?, self.column()?);
        Ok(i128::from(millions.unwrap_or(0)) * 1_000_000 + i128::from(rest.unwrap_or(0)))
    }

    /// The next column of a table, exactly as it is: what its kind does not allow is an error, never repaired.
    pub(crate) fn value(&mut self, kind: Kind) -> Result<Value> {
        let Source::Sqlite(row) = self.source else {
            return Ok(match kind {
                Kind::Int => self.column::<Option<i64>>()?.into(),
                Kind::Bool => self.column::<Option<bool>>()?.into(),
                Kind::Text => self.column::<Option<String>>()?.into(),
                Kind::Bytes => self.column::<Option<Vec<u8>>>()?.into(),
            });
        };
        self.next += 1;
        match (kind, row.get_ref(self.next - 1)?) {
            (_, ValueRef::Null) => Ok(Value::Null),
            (Kind::Int, ValueRef::Integer(value)) => Ok(Value::Int(value)),
            (Kind::Bool, ValueRef::Integer(value @ 0..=1)) => Ok(Value::Bool(value == 1)),
            (Kind::Text, ValueRef::Text(value)) => match std::str::from_utf8(value) {
                Ok(text) => Ok(Value::from(text)),
                Err(error) => Err(StoreError::Stored(error.to_string())),
            },
            (Kind::Bytes, ValueRef::Blob(value)) => Ok(Value::from(value)),
            (kind, other) => Err(wrong_type(kind.name(), other)),
        }
    }
}

/// About how much memory a row takes: as it comes from the database, as it is read, and in the answer. Rather too much than too
/// little.
pub(crate) fn weight_of_row(row: &tokio_postgres::Row) -> usize {
    let texts = (0..row.len()).filter_map(|index| row.try_get::<_, Option<Raw<'_>>>(index).ok().flatten());
    ROW_BYTES + row.len() * VALUE_BYTES + texts.map(|raw| weight_of(raw.0)).sum::<usize>()
}

fn weight_of_value(value: ValueRef<'_>) -> usize {
    VALUE_BYTES + bytes_of(value).map_or(0, weight_of)
}

/// The bytes of a text or of bytes.
fn bytes_of(value: ValueRef<'_>) -> Option<&[u8]> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes),
        _ => None,
    }
}

/// What a text takes, and what it holds if it is JSON, or what JSON adds to it in the answer.
fn weight_of(text: &[u8]) -> usize {
    let parsed = text.len() > SMALL && matches!(text[0], b'{' | b'[');
    text.len() * COPIES + if parsed { json::measure(text).weight() } else { escapes(text) }
}

/// By how much a text grows when it is written as JSON: a control character becomes `\u0001`.
fn escapes(text: &[u8]) -> usize {
    let added = |byte: &u8| match byte {
        0..0x20 => 5,
        b'"' | b'\\' => 1,
        _ => 0,
    };
    text.iter().map(added).sum()
}

pub trait FromColumn: Sized {
    /// Whether JSON in it is parsed, and takes more memory than its text.
    const IS_PARSED: bool = true;

    fn from_sqlite(value: ValueRef<'_>) -> Result<Self>;
    fn from_postgres(row: &tokio_postgres::Row, index: usize) -> Result<Self>;
}

/// A type that is stored as another one.
macro_rules! column_via {
    ($type:ty, $stored:ty, $make:expr) => {
        impl $crate::row::FromColumn for $type {
            fn from_sqlite(value: rusqlite::types::ValueRef<'_>) -> $crate::Result<Self> {
                <$stored as $crate::row::FromColumn>::from_sqlite(value).map($make)
            }
            fn from_postgres(row: &tokio_postgres::Row, index: usize) -> $crate::Result<Self> {
                <$stored as $crate::row::FromColumn>::from_postgres(row, index).map($make)
            }
        }
    };
}
pub(crate) use column_via;

fn wrong_type(wanted: &str, found: ValueRef<'_>) -> StoreError {
    StoreError::Stored(format!("wanted {wanted}, found {}", found.data_type()))
}

/// A text, with a mark for whatever is not UTF-8; nearly always nothing is.
fn text_of(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes).into_owned(), str::to_owned)
}

macro_rules! plain_column {
    ($type:ty, $name:literal, $pattern:pat => $value:expr) => {
        impl FromColumn for $type {
            fn from_sqlite(value: ValueRef<'_>) -> Result<Self> {
                match value {
                    $pattern => Ok($value),
                    other => Err(wrong_type($name, other)),
                }
            }
            fn from_postgres(row: &tokio_postgres::Row, index: usize) -> Result<Self> {
                Ok(row.try_get(index)?)
            }
        }
    };
}

plain_column!(i64, "integer", ValueRef::Integer(value) => value);
plain_column!(bool, "boolean", ValueRef::Integer(value) => value != 0);
plain_column!(String, "text", ValueRef::Text(value) => text_of(value));
plain_column!(Vec<u8>, "bytes", ValueRef::Blob(value) => value.to_vec());
column_via!(Timestamp, i64, Timestamp::from_millis);
column_via!(Quantity, i64, Quantity::from_millionths);

impl<T: FromColumn> FromColumn for Option<T> {
    const IS_PARSED: bool = T::IS_PARSED;

    fn from_sqlite(value: ValueRef<'_>) -> Result<Self> {
        match value {
            ValueRef::Null => Ok(None),
            value => T::from_sqlite(value).map(Some),
        }
    }

    fn from_postgres(row: &tokio_postgres::Row, index: usize) -> Result<Self> {
        // Asking for a nullable value of the stored type would need its name here; the raw column tells as well.
        let null = row.try_get::<_, Option<Raw<'_>>>(index)?.is_none();
        if null { Ok(None) } else { T::from_postgres(row, index).map(Some) }
    }
}

/// Any column, unread.
struct Raw<'a>(&'a [u8]);

impl<'a> postgres_types::FromSql<'a> for Raw<'a> {
    fn from_sql(
        _: &postgres_types::Type,
        bytes: &'a [u8],
    ) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Raw(bytes))
    }
    fn accepts(_: &postgres_types::Type) -> bool {
        true
    }
}

/// Types kept as JSON text.
macro_rules! json_columns {
    (parsed $parsed:literal: $($type:ty = $read:expr),+ $(,)?) => {$(
        impl FromColumn for $type {
            const IS_PARSED: bool = $parsed;

            fn from_sqlite(value: ValueRef<'_>) -> Result<Self> {
                $read(String::from_sqlite(value)?)
            }
            fn from_postgres(row: &tokio_postgres::Row, index: usize) -> Result<Self> {
                $read(String::from_postgres(row, index)?)
            }
        }
    )+};
}

json_columns!(
    parsed true:
    Json = any_value,
    Map<String, Json> = members,
    EventFilter = typed,
    MovementReferences = typed,
    PhaseParameters = typed,
    Vec<Assignee> = typed,
    Vec<FieldValue> = typed,
    Vec<FormField> = typed,
    Vec<KeptLine> = typed,
    Vec<LinkSetting> = typed,
    Vec<Metadata> = typed,
    Vec<SerialValue> = typed,
    Vec<StepCopy> = typed,
    Vec<TaskField> = typed,
);

// JSON that is only handed on.
json_columns!(parsed false: Box<RawValue> = handed_on, Opaque = opaque);

fn typed<T: serde::de::DeserializeOwned>(text: String) -> Result<T> {
    json::read_stored_as(&text).map_err(|error| StoreError::Stored(error.to_string()))
}

/// Any value. A text that is damaged is shown as the text that it is: one broken row must not hide all others, nor stop the seals.
fn any_value(text: String) -> Result<Json> {
    Ok(json::read_stored(&text).unwrap_or(Json::String(text)))
}

/// Any object. A text that is damaged, or no object, is its only member.
fn members(text: String) -> Result<Map<String, Json>> {
    Ok(match json::read_stored(&text) {
        Ok(Json::Object(members)) => members,
        _ => Map::from_iter([(UNREADABLE.to_owned(), Json::String(text))]),
    })
}

/// The member under which a damaged text is found.
const UNREADABLE: &str = "unreadable";

fn opaque(text: String) -> Result<Opaque> {
    Ok(Opaque::stored(&text))
}

fn handed_on(text: String) -> Result<Box<RawValue>> {
    RawValue::from_string(text).map_err(|error| StoreError::Stored(error.to_string()))
}

pub trait FromRow: Sized {
    fn from_row(row: &mut Row<'_>) -> Result<Self>;
}

impl<T: FromColumn> FromRow for T {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        row.column()
    }
}

macro_rules! tuple_rows {
    ($($name:ident)+) => {
        impl<$($name: FromColumn),+> FromRow for ($($name,)+) {
            fn from_row(row: &mut Row<'_>) -> Result<Self> {
                Ok(($(row.column::<$name>()?,)+))
            }
        }
    };
}

tuple_rows!(A B);
tuple_rows!(A B C);
tuple_rows!(A B C D);

/// A struct whose fields are the columns of a statement, in order.
macro_rules! row_struct {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        $vis struct $name { $($(#[$field_meta])* $field_vis $field: $type,)+ }

        impl $crate::row::FromRow for $name {
            fn from_row(row: &mut $crate::row::Row<'_>) -> $crate::Result<Self> {
                Ok(Self { $($field: row.column()?,)+ })
            }
        }
    };
}
pub(crate) use row_struct;
