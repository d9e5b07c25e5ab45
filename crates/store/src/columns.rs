//! Columns, spelled once. A record names its columns where it is declared, and everything that lists them follows: what a
//! select reads and in which order, what an insert and an update write, and what is compared to find out what has changed.
//!
//! ```ignore
//! record! {
//!     pub struct Department in department {
//!         pub key: DepartmentKey,
//!         pub rev: i64,
//!         pub name: String,
//!     }
//!     derived {
//!         name_folded: String = |department| fold(&department.name);
//!     }
//! }
//! ```
//!
//! makes `select department.key, department.rev, department.name from department`,
//! `insert into department (key, rev, name, name_folded) values ($1, $2, $3, $4)` and
//! `update department set rev = $2, name = $3, name_folded = $4 where key = $1`. The first column is the key; with
//! `in order_phase keyed by 2` it is the first two. A column that has another name than its field is said by
//! `pub kind: FieldKind as type`.
//!
//! [`columns!`] does the same for a struct of another crate, which has its fields there. Both may be followed by
//!
//! - `within`: a struct inside the record, whose fields are columns of the same table;
//! - `read`: fields that are read by an expression, or by several, and not written as such;
//! - `derived`: columns that are written and never read, made from the record. `in "…"` is an expression around the value, whose
//!   place in it is `{}`;
//! - `kept`: columns that no update writes. A new column is written unless it is named here.
//!
//! The texts are made once, when a record is first used. A test prepares all of them on both engines ([`made_statements`]).

use serde_json::Value as Json;

use crate::row::FromRow;
use crate::schema::{Kind, Table};
use crate::sql::{Query, Sql, Update};
use crate::tx::Tx;
use crate::value::{ToColumn, Value};
use crate::{Result, StoreError};

/// What a table keeps. Declared by [`record!`] or [`columns!`].
pub(crate) trait Record: FromRow + 'static {
    const TABLE: &'static str;
    /// What a select reads from: the table, and what it joins.
    const FROM: &'static str;
    /// How many columns the key has.
    const KEYS: usize;
    /// Columns that are read and written, the key first.
    const COLUMNS: &'static [Column<Self>];
    /// Expressions that are read behind the columns.
    const READ: &'static [&'static str];
    /// Columns that are only written.
    const DERIVED: &'static [Column<Self>];
    /// Columns that no update writes.
    const KEPT: &'static [&'static str];

    fn statements() -> &'static Statements;

    /// The columns as a select lists them.
    fn list() -> &'static str {
        &Self::statements().list
    }

    /// A select of whole records, to which conditions are added.
    #[track_caller]
    fn select() -> Query {
        Query::new(&Self::statements().select)
    }
}

pub(crate) struct Column<R> {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) value: fn(&R) -> Value,
    /// What an insert says for it, `{}` for the value's place.
    pub(crate) place: &'static str,
    pub(crate) differs: fn(&R, &R) -> bool,
}

impl<R: Record> Column<R> {
    fn is_kept(&self) -> bool {
        R::KEPT.contains(&self.name)
    }
}

/// The kind of the column that a field is.
pub(crate) const fn kind_of<R, T: ToColumn>(_: fn(&R) -> &T) -> Kind {
    T::KIND
}

/// The statements of one record.
pub(crate) struct Statements {
    list: String,
    select: String,
    insert: String,
    insert_all: String,
    replace: String,
    replace_all: String,
    update: String,
}

impl Statements {
    pub(crate) fn of<R: Record>() -> Self {
        for kept in R::KEPT {
            debug_assert!(written::<R>().any(|column| column.name == *kept), "{} has no column {kept}", R::TABLE);
        }
        let table = R::TABLE;
        let own = R::COLUMNS.iter().map(|column| format!("{table}.{}", column.name));
        let list = own.chain(R::READ.iter().map(|read| (*read).to_owned())).collect::<Vec<_>>().join(", ");
        let members = names::<R>().collect::<Vec<_>>().join(" ");
        let (names, places) = (joined(names::<R>()), joined(places::<R>()));
        let casts = joined(written::<R>().map(|column| match column.kind {
            Kind::Int => format!("cast({} as {{int}})", column.name),
            Kind::Bool => format!("cast({} as {{bool}})", column.name),
            Kind::Text | Kind::Bytes => column.name.to_owned(),
        }));
        let replaced = joined(changing::<R>().map(|column| format!("{0} = excluded.{0}", column.name)));
        let equal = |(at, column): (usize, &Column<R>)| format!("{} = ${}", column.name, at + 1);
        let set = joined(changing::<R>().enumerate().map(|(at, column)| equal((R::KEYS + at, column))));
        let this = key::<R>().enumerate().map(equal).collect::<Vec<_>>().join(" and ");
        let key = joined(key::<R>().map(|column| column.name.to_owned()));
        // Bytes can't be in a list of rows.
        let bytes = written::<R>().any(|column| column.kind == Kind::Bytes);
        let listed = |text: String| if bytes { String::new() } else { text };
        let insert = format!("insert into {table} ({names}) values ({places})");
        let insert_all = format!("insert into {table} ({names}) select {casts} from {{rows $1 {members}}}");
        Self {
            select: format!("select {list} from {}", R::FROM),
            replace: format!("{insert} on conflict ({key}) do update set {replaced}"),
            replace_all: listed(format!("{insert_all} where true on conflict ({key}) do update set {replaced}")),
            insert,
            insert_all: listed(insert_all),
            update: format!("update {table} set {set} where {this}"),
            list,
        }
    }

    fn all(&'static self) -> impl Iterator<Item = Sql> {
        let Self { list: _, select, insert, insert_all, replace, replace_all, update } = self;
        let all = [select, insert, insert_all, replace, replace_all, update].into_iter();
        all.filter(|text| !text.is_empty()).map(|text| statement(text))
    }

    /// Inserts records that come as a list, and replaces those that are there.
    pub(crate) fn replace_all(&self) -> &str {
        &self.replace_all
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn written<R: Record>() -> impl Iterator<Item = &'static Column<R>> {
    R::COLUMNS.iter().chain(R::DERIVED)
}

fn names<R: Record>() -> impl Iterator<Item = String> {
    written::<R>().map(|column| column.name.to_owned())
}

fn places<R: Record>() -> impl Iterator<Item = String> {
    written::<R>().enumerate().map(|(at, column)| column.place.replace("{}", &format!("${}", at + 1)))
}

fn key<R: Record>() -> impl Iterator<Item = &'static Column<R>> {
    R::COLUMNS[..R::KEYS].iter()
}

/// What an update writes.
fn changing<R: Record>() -> impl Iterator<Item = &'static Column<R>> {
    written::<R>().skip(R::KEYS).filter(|column| !column.is_kept())
}

/// The values of all columns that are written, in their order.
pub(crate) fn values<R: Record>(record: &R) -> Vec<Value> {
    written::<R>().map(|column| (column.value)(record)).collect()
}

/// The one parameter of a statement that takes many records.
pub(crate) fn rows<R: Record>(records: &[R]) -> Value {
    let member = |record: &R, column: &Column<R>| (column.name.to_owned(), (column.value)(record).into_json());
    let row = |record| Json::Object(written::<R>().map(|column| member(record, column)).collect());
    Value::from(&records.iter().map(row).collect::<Json>())
}

fn statement(text: &'static str) -> Sql {
    Sql::from_literal(text)
}

pub(crate) async fn insert<R: Record>(tx: &mut Tx, record: &R) -> Result<()> {
    tx.run(statement(&R::statements().insert), &values(record)).await.map(|_| ())
}

/// Inserts a record with further columns that are no fields of it.
pub(crate) async fn insert_with<R: Record>(tx: &mut Tx, record: &R, more: &[(&str, Value)]) -> Result<()> {
    let names = joined(names::<R>().chain(more.iter().map(|(name, _)| (*name).to_owned())));
    let mut params = values(record);
    let behind = (1..=more.len()).map(|at| format!("${}", params.len() + at));
    let places = joined(places::<R>().chain(behind));
    params.extend(more.iter().map(|(_, value)| value.clone()));
    let text = format!("insert into {} ({names}) values ({places})", R::TABLE);
    tx.run(Sql::raw(text), &params).await.map(|_| ())
}

/// Inserts a record when the next statement runs; for one that can't be refused.
pub(crate) async fn insert_later<R: Record>(tx: &mut Tx, record: &R) -> Result<()> {
    tx.run_later(statement(&R::statements().insert), &values(record)).await
}

/// Inserts a record at the end, in one statement with those of other requests that share the transaction. Nothing may read it
/// before, or write what refers to it.
pub(crate) async fn insert_last<R: Record>(tx: &mut Tx, record: &R) -> Result<()> {
    tx.insert_last(statement(&R::statements().insert), vec![values(record)]).await
}

/// Inserts many records with one statement.
pub(crate) async fn insert_all<R: Record>(tx: &mut Tx, records: &[R]) -> Result<()> {
    tx.run(statement(&R::statements().insert_all), &[rows(records)]).await.map(|_| ())
}

/// From so many on, records are streamed to the engine.
const MANY: usize = 200;

/// Inserts however many records.
pub(crate) async fn insert_many<R: Record>(tx: &mut Tx, records: &[R]) -> Result<()> {
    if records.len() < MANY {
        return insert_all(tx, records).await;
    }
    let columns: Vec<(&str, Kind)> = written::<R>().map(|column| (column.name, column.kind)).collect();
    let rows = records.iter().map(|record| Ok::<_, StoreError>(values(record)));
    tx.fill(&Table::with_columns(R::TABLE, &columns), rows).await.map(|_| ())
}

/// Inserts many records when the next statement runs; for those that can't be refused.
pub(crate) async fn insert_all_later<R: Record>(tx: &mut Tx, records: &[R]) -> Result<()> {
    tx.run_later(statement(&R::statements().insert_all), &[rows(records)]).await
}

/// Inserts a new record or replaces a known one.
pub(crate) async fn replace<R: Record>(tx: &mut Tx, record: &R) -> Result<()> {
    tx.run(statement(&R::statements().replace), &values(record)).await.map(|_| ())
}

/// Inserts new records and replaces known ones with one statement.
pub(crate) async fn replace_all<R: Record>(tx: &mut Tx, records: &[R]) -> Result<()> {
    tx.run(statement(&R::statements().replace_all), &[rows(records)]).await.map(|_| ())
}

/// Inserts new records and replaces known ones when the next statement runs; for those that can't be refused.
pub(crate) async fn replace_all_later<R: Record>(tx: &mut Tx, records: &[R]) -> Result<()> {
    tx.run_later(statement(&R::statements().replace_all), &[rows(records)]).await
}

fn update_values<R: Record>(record: &R) -> Vec<Value> {
    key::<R>().chain(changing::<R>()).map(|column| (column.value)(record)).collect()
}

/// Writes the record as a whole, without what is kept; the caller raises its revision.
pub(crate) async fn update<R: Record>(tx: &mut Tx, record: &R) -> Result<()> {
    tx.run(statement(&R::statements().update), &update_values(record)).await.map(|_| ())
}

/// Writes the record when the next statement runs.
pub(crate) async fn update_later<R: Record>(tx: &mut Tx, record: &R) -> Result<()> {
    tx.run_later(statement(&R::statements().update), &update_values(record)).await
}

/// An update of the columns that have changed; the revision rises by itself.
#[track_caller]
pub(crate) fn changes<R: Record>(before: &R, now: &R) -> Update {
    let mut update = Update::new(R::TABLE, (R::COLUMNS[0].value)(now));
    for column in R::COLUMNS[1..].iter().filter(|column| (column.differs)(before, now)) {
        if column.name != "rev" && !column.is_kept() {
            update.set(column.name, (column.value)(now));
        }
    }
    update
}

/// Every record of the store. A test looks whether one is missing.
macro_rules! each_record {
    ($($record:path),+ $(,)?) => { [$(<$record as Record>::statements()),+] };
}

/// All statements that this module makes, to be prepared by a test: the number of records, and the texts.
pub fn made_statements() -> (usize, Vec<Sql>) {
    let made = each_record!(
        crate::attachments::files::File,
        crate::attachments::media_files::MediaFile,
        crate::collaboration::issue_links::IssueRel,
        crate::collaboration::tasks::TaskAssignee,
        crate::counting::marks::CountMark,
        crate::counting::serials::CountSerial,
        crate::imports::ImportFile,
        crate::notification::deliveries::Delivery,
        crate::notification::webhooks::Webhook,
        crate::organisation::accounts::Account,
        crate::organisation::departments::Department,
        crate::process::operations::Operation,
        crate::process::phases::Phase,
        crate::process::steps::Step,
        crate::product::products::Product,
        crate::production::batches::Batch,
        crate::production::executions::StepExecution,
        crate::production::order_phases::OrderPhase,
        crate::production::queues::Queue,
        crate::production::sessions::WorkSession,
        crate::quality::fields::Field,
        crate::quality::lists::ListValue,
        crate::security::sessions::UserSession,
        crate::tags::Tag,
        crate::warehouse::links::PositionLink,
        crate::warehouse::movement_lists::MovementList,
        crate::warehouse::movements::Movement,
        crate::warehouse::positions::Position,
        domain::collaboration::Issue,
        domain::collaboration::IssueType,
        domain::collaboration::Message,
        domain::collaboration::Task,
        domain::collaboration::TaskLink,
        domain::collaboration::TaskType,
        domain::counting::CountAssignment,
        domain::counting::CountRecord,
        domain::counting::CountSession,
        domain::counting::Snapshot,
        domain::journal::seal::Seal,
        domain::production::Job,
        domain::production::Order,
        domain::serial::Link,
        domain::serial::Serial,
        domain::warehouse::stock::Stock,
    );
    (made.len(), made.into_iter().flat_map(Statements::all).collect())
}

/// Says which columns a struct is stored in; see the module.
macro_rules! columns {
    (
        $record:ident in $table:ident $(keyed by $keys:literal)? $(from $from:literal)? {
            $($field:ident $(as $column:ident)?),+ $(,)?
        }
        $(within $part:ident: $inner:ident { $($inner_field:ident),+ $(,)? })?
        $(read { $($shown:ident = $expression:literal),+ $(,)? })?
        $(derived { $($derived:ident: $type:ty = $make:expr $(, in $place:literal)?);+ $(;)? })?
        $(kept { $($kept:ident),+ $(,)? })?
    ) => {
        impl $crate::row::FromRow for $record {
            fn from_row(row: &mut $crate::row::Row<'_>) -> $crate::Result<Self> {
                Ok(Self {
                    $($field: row.column()?,)+
                    $($part: $inner { $($inner_field: row.column()?,)+ },)?
                    $($($shown: $crate::row::FromRow::from_row(row)?,)+)?
                })
            }
        }

        impl $crate::columns::Record for $record {
            const TABLE: &'static str = stringify!($table);
            const FROM: &'static str = $crate::columns::either!(stringify!($table) $(, $from)?);
            const KEYS: usize = $crate::columns::either!(1 $(, $keys)?);
            const COLUMNS: &'static [$crate::columns::Column<Self>] = &[
                $($crate::columns::column!($crate::columns::either!(stringify!($field) $(, stringify!($column))?), $field),)+
                $($($crate::columns::column!(stringify!($inner_field), $part.$inner_field),)+)?
            ];
            const READ: &'static [&'static str] = &[$($($expression),+)?];
            const DERIVED: &'static [$crate::columns::Column<Self>] = &[
                $($($crate::columns::Column {
                    name: stringify!($derived),
                    kind: <$type as $crate::value::ToColumn>::KIND,
                    value: |record| {
                        let make: fn(&Self) -> $type = $make;
                        $crate::value::ToColumn::to_value(&make(record))
                    },
                    place: $crate::columns::either!("{}" $(, $place)?),
                    differs: |_, _| false,
                },)+)?
            ];
            const KEPT: &'static [&'static str] = &[$($(stringify!($kept)),+)?];

            fn statements() -> &'static $crate::columns::Statements {
                static MADE: std::sync::LazyLock<$crate::columns::Statements> =
                    std::sync::LazyLock::new($crate::columns::Statements::of::<$record>);
                &MADE
            }
        }
    };
}
pub(crate) use columns;

/// A column that is read into a field and written from it.
macro_rules! column {
    ($name:expr, $($field:ident).+) => {
        $crate::columns::Column {
            name: $name,
            kind: $crate::columns::kind_of(|record: &Self| &record.$($field).+),
            value: |record| $crate::value::ToColumn::to_value(&record.$($field).+),
            place: "{}",
            differs: |one, other| one.$($field).+ != other.$($field).+,
        }
    };
}
pub(crate) use column;

/// The second, if there is one.
macro_rules! either {
    ($usual:expr) => {
        $usual
    };
    ($usual:expr, $other:expr) => {
        $other
    };
}
pub(crate) use either;

/// Declares a struct whose fields are columns; see the module.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $name:ident in $table:ident $(keyed by $keys:literal)? {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty $(as $column:ident)?,)+
        }
        $($more:tt)*
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)+ }

        $crate::columns::columns! { $name in $table $(keyed by $keys)? { $($field $(as $column)?),+ } $($more)* }
    };
}
pub(crate) use record;
