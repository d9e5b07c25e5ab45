//! The small value type of parameters, and how each engine takes it.

use std::rc::Rc;

use bytes::BytesMut;
use domain::bom_line::BomSource;
use domain::collaboration::{Assignee, IssueLinkType, LinkSetting, Recipient, TaskField, TaskLinkType, TaskStatus};
use domain::counting::{AssignmentStatus, CountType, MarkStatus, RecordStatus, ScopeType, SessionStatus, SnapshotType};
use domain::form::{FieldKind, FieldValue, FormField};
use domain::journal::listed::ListedKind;
use domain::journal::seal::SealKind;
use domain::json::Opaque;
use domain::key;
use domain::notification::webhook::{DeliveryState, EventFilter};
use domain::process::{PhaseParameters, StepKind};
use domain::product::{Metadata, TraceabilityLevel, WindowType};
use domain::production::{CloseReason, QueueKind, Stage, StepStatus};
use domain::search::Pattern;
use domain::serial::SerialValue;
use domain::warehouse::StockProblem;
use domain::warehouse::movement::{ListStatus, MovementStatus, MovementType, References as MovementReferences};
use domain::{Quantity, Timestamp};
use postgres_types::{IsNull, ToSql, Type};
use serde_json::{Map, Value as Json, json};

use crate::row::{FromColumn, column_via};
use crate::schema::Kind;
use crate::{StoreError, search};

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
    /// For `{in $n}`.
    Texts(Vec<String>),
    /// For `{in $n}`.
    Ints(Vec<i64>),
    /// For `{matches …}` and `{indexed …}`.
    Pattern(Pattern),
    /// For `{containing …}`: a text of three characters or more.
    Part(String),
}

impl Value {
    /// Its approximate size.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Pattern(_) => 8,
            Value::Text(text) | Value::Part(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            Value::Texts(texts) => texts.iter().map(String::len).sum(),
            Value::Ints(numbers) => numbers.len() * 8,
        }
    }
}

/// Parameters of a statement, in the order of their numbers.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { [$($crate::Value::from($value)),*] };
}

macro_rules! into_value {
    ($($from:ty => |$value:ident| $to:expr;)+) => {$(
        impl From<$from> for Value {
            fn from($value: $from) -> Self { $to }
        }
    )+};
}

into_value! {
    bool => |value| Value::Bool(value);
    i64 => |value| Value::Int(value);
    &str => |value| Value::Text(value.to_owned());
    String => |value| Value::Text(value);
    &String => |value| Value::Text(value.clone());
    Vec<u8> => |value| Value::Bytes(value);
    &[u8] => |value| Value::Bytes(value.to_vec());
    Vec<String> => |value| Value::Texts(value);
    Vec<i64> => |value| Value::Ints(value);
    Timestamp => |value| Value::Int(value.millis());
    Quantity => |value| Value::Int(value.millionths());
    &serde_json::Value => |value| Value::Text(value.to_string());
    &serde_json::Map<String, serde_json::Value> => |value| Value::Text(json_text(value));
    &Opaque => |value| Value::Text(value.text().to_owned());
}

fn json_text(members: &serde_json::Map<String, serde_json::Value>) -> String {
    serde_json::to_string(members).unwrap_or_default()
}

/// What a column of a record holds: the other direction of [`crate::FromColumn`].
pub(crate) trait ToColumn {
    const KIND: Kind;
    fn to_value(&self) -> Value;
}

macro_rules! to_column {
    ($($type:ty: $kind:ident => |$value:ident| $to:expr;)+) => {$(
        impl ToColumn for $type {
            const KIND: Kind = Kind::$kind;
            fn to_value(&self) -> Value {
                let $value = self;
                $to.into()
            }
        }
    )+};
}

to_column! {
    bool: Bool => |value| *value;
    i64: Int => |value| *value;
    String: Text => |value| value;
    Vec<u8>: Bytes => |value| value.as_slice();
    Timestamp: Int => |value| *value;
    Quantity: Int => |value| *value;
    Json: Text => |value| value;
    Map<String, Json>: Text => |value| value;
    Opaque: Text => |value| value;
    PhaseParameters: Text => |value| &json!(value);
    Vec<Assignee>: Text => |value| &json!(value);
    Vec<FieldValue>: Text => |value| &json!(value);
    Vec<FormField>: Text => |value| &json!(value);
    Vec<LinkSetting>: Text => |value| &json!(value);
    Vec<Metadata>: Text => |value| &json!(value);
    Vec<SerialValue>: Text => |value| &json!(value);
    Vec<TaskField>: Text => |value| &json!(value);
    Recipient: Text => |recipient| recipient.to_string();
    MovementReferences: Text => |value| &json!(value);
    EventFilter: Text => |value| &json!(value);
}

impl<T: ToColumn> ToColumn for Option<T> {
    const KIND: Kind = T::KIND;
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
}

macro_rules! text_keys {
    ($($name:ident),+) => {$(
        to_column! { key::$name: Text => |key| key; }
        impl From<&key::$name> for Value {
            fn from(key: &key::$name) -> Self { Value::Text(key.as_str().to_owned()) }
        }
        $crate::row::column_via!(key::$name, String, key::$name::trusted);
    )+};
}

macro_rules! id_keys {
    ($($name:ident),+) => {$(
        to_column! { key::$name: Int => |key| *key; }
        impl From<key::$name> for Value {
            fn from(key: key::$name) -> Self { Value::Int(key.0) }
        }
        $crate::row::column_via!(key::$name, i64, key::$name);
    )+};
}

text_keys!(
    UserKey,
    TokenKey,
    CounterKey,
    DepartmentKey,
    PositionKey,
    FieldKey,
    ListValueKey,
    TagKey,
    ProductKey,
    OperationKey,
    QueueKey,
    IssueTypeKey,
    TaskTypeKey,
    WebhookKey
);
id_keys!(
    UserSessionKey,
    FileKey,
    MediaKey,
    ImportKey,
    AuditKey,
    WorkOrderKey,
    ProductId,
    PhaseKey,
    StepKey,
    BomLineKey,
    JobKey,
    BatchKey,
    WorkSessionKey,
    StepExecutionKey,
    WipKey,
    EventKey,
    SerialKey,
    LinkKey,
    PositionLinkKey,
    StockKey,
    IssueKey,
    MessageKey,
    TaskKey,
    TaskLinkKey,
    MovementKey,
    MovementListKey,
    CountSessionKey,
    CountAssignmentKey,
    CountRecordKey,
    SnapshotKey,
    DeliveryKey
);

/// Enums that are stored by their name.
macro_rules! named_values {
    ($($name:ty),+) => {$(
        to_column! { $name: Text => |value| *value; }
        impl From<$name> for Value {
            fn from(value: $name) -> Self { Value::Text(value.name().to_owned()) }
        }

        impl $crate::row::FromColumn for $name {
            fn from_sqlite(value: rusqlite::types::ValueRef<'_>) -> $crate::Result<Self> {
                <$crate::value::Named as $crate::row::FromColumn>::from_sqlite(value)?.read(<$name>::parse)
            }
            fn from_postgres(row: &tokio_postgres::Row, index: usize) -> $crate::Result<Self> {
                <$crate::value::Named as $crate::row::FromColumn>::from_postgres(row, index)?.read(<$name>::parse)
            }
        }
    )+};
}

/// The stored name of an enum's value.
struct Named(String);
column_via!(Named, String, Named);

impl Named {
    fn read<T>(&self, parse: impl Fn(&str) -> Option<T>) -> crate::Result<T> {
        parse(&self.0).ok_or_else(|| StoreError::Stored(format!("{} is no value of its column", self.0)))
    }
}

named_values!(
    AssignmentStatus,
    BomSource,
    CloseReason,
    CountType,
    DeliveryState,
    FieldKind,
    IssueLinkType,
    ListStatus,
    ListedKind,
    MarkStatus,
    MovementStatus,
    MovementType,
    QueueKind,
    RecordStatus,
    ScopeType,
    SealKind,
    SessionStatus,
    SnapshotType,
    Stage,
    StepKind,
    StepStatus,
    StockProblem,
    TaskLinkType,
    TaskStatus,
    TraceabilityLevel,
    WindowType
);

/// Stored as the `_id` that it is shown as.
impl FromColumn for Recipient {
    fn from_sqlite(value: rusqlite::types::ValueRef<'_>) -> crate::Result<Self> {
        Named::from_sqlite(value)?.read(Recipient::parse)
    }
    fn from_postgres(row: &tokio_postgres::Row, index: usize) -> crate::Result<Self> {
        Named::from_postgres(row, index)?.read(Recipient::parse)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        use rusqlite::types::{ToSqlOutput, Value as Owned, ValueRef};
        Ok(match self {
            Value::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Value::Bool(value) => ToSqlOutput::Borrowed(ValueRef::Integer(i64::from(*value))),
            Value::Int(value) => ToSqlOutput::Borrowed(ValueRef::Integer(*value)),
            Value::Text(value) => ToSqlOutput::Borrowed(ValueRef::Text(value.as_bytes())),
            Value::Bytes(value) => ToSqlOutput::Borrowed(ValueRef::Blob(value)),
            Value::Pattern(pattern) => ToSqlOutput::Owned(Owned::Text(search::glob(pattern))),
            Value::Part(text) => ToSqlOutput::Owned(Owned::Text(search::phrase(text))),
            // As they are: JSON would have to be written and read.
            Value::Texts(values) => listed(values.iter().map(|text| Owned::Text(text.clone()))),
            Value::Ints(values) => listed(values.iter().map(|number| Owned::Integer(*number))),
        })
    }
}

/// A list for SQLite's `rarray`.
fn listed(values: impl Iterator<Item = rusqlite::types::Value>) -> rusqlite::types::ToSqlOutput<'static> {
    rusqlite::types::ToSqlOutput::from_rc(Rc::new(values.collect::<Vec<_>>()), c"rarray")
}

impl Value {
    /// As a member of the rows that `{rows …}` reads. Bytes and lists are never among them.
    pub(crate) fn into_json(self) -> Json {
        match self {
            Value::Bool(value) => value.into(),
            Value::Int(value) => value.into(),
            Value::Text(value) => value.into(),
            Value::Null => Json::Null,
            Value::Bytes(_) | Value::Texts(_) | Value::Ints(_) | Value::Pattern(_) | Value::Part(_) => {
                debug_assert!(false, "{self:?} can't be a member of a row");
                Json::Null
            }
        }
    }

    /// For statements that PostgreSQL gets together with their values.
    pub(crate) fn postgres_type(&self) -> Type {
        match self {
            // It finds out by itself.
            Value::Null => Type::UNKNOWN,
            Value::Bool(_) => Type::BOOL,
            Value::Int(_) => Type::INT8,
            Value::Text(_) | Value::Pattern(_) | Value::Part(_) => Type::TEXT,
            Value::Bytes(_) => Type::BYTEA,
            Value::Texts(_) => Type::TEXT_ARRAY,
            Value::Ints(_) => Type::INT8_ARRAY,
        }
    }
}

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Bool(value) => value.to_sql(ty, out),
            Value::Int(value) if *ty == Type::INT4 => i32::try_from(*value)?.to_sql(ty, out),
            Value::Int(value) => value.to_sql(ty, out),
            Value::Text(value) => value.to_sql(ty, out),
            Value::Bytes(value) => value.to_sql(ty, out),
            Value::Texts(values) => values.to_sql(ty, out),
            Value::Ints(values) => values.to_sql(ty, out),
            Value::Pattern(pattern) => search::like(pattern).to_sql(ty, out),
            Value::Part(text) => search::like_part(text).to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        let fits = match self {
            Value::Null => true,
            Value::Bool(_) => <bool as ToSql>::accepts(ty),
            Value::Int(_) => *ty == Type::INT8 || *ty == Type::INT4,
            Value::Text(_) | Value::Pattern(_) | Value::Part(_) => <String as ToSql>::accepts(ty),
            Value::Bytes(_) => <Vec<u8> as ToSql>::accepts(ty),
            Value::Texts(_) => <Vec<String> as ToSql>::accepts(ty),
            Value::Ints(_) => <Vec<i64> as ToSql>::accepts(ty),
        };
        if !fits {
            return Err(format!("a parameter of type {ty} can't take {self:?}").into());
        }
        self.to_sql(ty, out)
    }
}
