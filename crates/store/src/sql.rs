//! Statement texts. `sql!("…")` is the only way to make one from a literal, so that a test can find them all in the source
//! and prepare each on both engines; [`Query`] puts fragments together where filters come and go, and [`Update`] names the columns
//! that have changed.
//!
//! What those two put together no test can find in the source. Instead a debug build remembers each place where a fragment was
//! added ([`places_built`]), and a test (`tests/it/queries.rs`) runs all of them on both engines and fails for a place that it
//! did not reach. So every fragment was part of a statement that both engines could run; not every combination of fragments was.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::hash::Hash;
use std::panic::Location;
use std::sync::{LazyLock, Mutex, PoisonError};

use parking_lot::RwLock;

use crate::dialect::Dialect;
use crate::lock::Rows;
use crate::row::FromRow;
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, StoreError};

/// A statement: `$1`, `$2`, … for parameters, `{tokens}` for what the engines spell differently (see `dialect`).
#[derive(Debug, Clone)]
pub struct Sql(pub(crate) Cow<'static, str>, pub(crate) Option<Rows>);

impl Sql {
    /// The table that its rows are of, not those of queries within it.
    pub(crate) fn table(&self) -> &str {
        let (mut words, mut open) = (self.0.split_whitespace(), 0);
        while let Some(word) = words.next() {
            if open == 0 && word == "from" {
                return words.next().unwrap_or_default();
            }
            open += word.matches('(').count();
            open -= word.matches(')').count().min(open);
        }
        ""
    }

    #[doc(hidden)]
    pub const fn from_literal(text: &'static str) -> Self {
        Sql(Cow::Borrowed(text), None)
    }

    /// Any text, for tools and tests that look behind the service's back.
    pub fn raw(text: impl Into<Cow<'static, str>>) -> Self {
        Sql(text.into(), None)
    }

    /// The engine's own text of it. What comes from a literal is spelled once.
    pub(crate) fn spelled(&self, dialect: Dialect) -> Cow<'_, str> {
        match self.0 {
            Cow::Borrowed(text) => Cow::Borrowed(spelled_once(dialect, text)),
            Cow::Owned(ref text) => dialect.spell(text),
        }
    }

    /// For a text that is put together once and kept: it is spelled once, too.
    pub(crate) fn for_good(self) -> Self {
        Sql(Cow::Borrowed(self.0.into_owned().leak()), self.1)
    }

    /// Says which rows it locks, where its text does: `Tx` looks whether they come in the order of [`crate::lock`].
    pub(crate) fn locked(self, rows: Rows) -> Self {
        Sql(self.0, Some(rows))
    }
}

/// Found by where the text is in memory: literals stay where they are, and there are only so many.
fn spelled_once(dialect: Dialect, text: &'static str) -> &'static str {
    type Place = (Dialect, usize, usize);
    static SPELLED: LazyLock<RwLock<HashMap<Place, &'static str>>> = LazyLock::new(RwLock::default);
    let place: Place = (dialect, text.as_ptr().addr(), text.len());
    if let Some(spelled) = SPELLED.read().get(&place) {
        return spelled;
    }
    let spelled: &'static str = match dialect.spell(text) {
        Cow::Borrowed(same) => same,
        Cow::Owned(other) => other.leak(),
    };
    SPELLED.write().insert(place, spelled);
    spelled
}

macro_rules! sql {
    ($text:literal) => {
        $crate::sql::Sql::from_literal($text)
    };
}
pub(crate) use sql;

static BUILT: Mutex<BTreeSet<(&str, u32)>> = Mutex::new(BTreeSet::new());

/// Remembers where a fragment was added, in a debug build.
#[track_caller]
fn built() {
    if cfg!(debug_assertions) {
        let place = Location::caller();
        BUILT.lock().unwrap_or_else(PoisonError::into_inner).insert((place.file(), place.line()));
    }
}

/// Where fragments were added so far: file, line. Only a debug build knows.
pub fn places_built() -> BTreeSet<(&'static str, u32)> {
    BUILT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

static SORTED: Mutex<BTreeMap<(&str, u32), String>> = Mutex::new(BTreeMap::new());

/// Remembers what was put in order where, in a debug build.
#[track_caller]
fn sorted(text: &str, order: &str) {
    if cfg!(debug_assertions) {
        let (place, text) = (Location::caller(), format!("{text}\norder by {order}"));
        SORTED.lock().unwrap_or_else(PoisonError::into_inner).insert((place.file(), place.line()), text);
    }
}

/// The latest statement of each place that puts rows in order: file, line. Only a debug build knows.
pub fn sorted_statements() -> BTreeMap<(&'static str, u32), String> {
    SORTED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// What most statements need besides their select.
const ROOM: usize = 256;

/// Adds a fragment; each `{}` in it is the place of that parameter.
fn push_with_place(text: &mut String, fragment: &str, parameter: usize) {
    let mut parts = fragment.split("{}");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let _ = write!(text, "${parameter}");
        text.push_str(part);
    }
}

/// A condition that is looked at row by row, without an index. PostgreSQL takes it to leave one of two rows; otherwise it would
/// expect to find next to nothing by several of them, and sort all that one of them leaves instead of reading the first in order.
pub(crate) fn one_by_one(condition: &str) -> String {
    format!("coalesce({condition}, false)")
}

/// A statement that grows by the filters a caller asks for; a filter left out is not in the text at all.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    text: String,
    params: Vec<Value>,
    filtered: bool,
    locked: Option<Rows>,
}

impl Query {
    /// Starts with a select without conditions.
    #[track_caller]
    pub(crate) fn new(select: &str) -> Self {
        built();
        let mut text = String::with_capacity(select.len() + ROOM);
        text.push_str(select);
        Self { text, params: Vec::new(), filtered: false, locked: None }
    }

    /// Adds a join, before any condition; `{}` in it is the value's place.
    #[track_caller]
    pub(crate) fn join(mut self, join: &str, value: impl Into<Value>) -> Self {
        built();
        self.params.push(value.into());
        self.text.push('\n');
        push_with_place(&mut self.text, join, self.params.len());
        self
    }

    /// Adds a condition without a value. The engines use a partial index only where its own condition stands word for word.
    #[track_caller]
    pub(crate) fn only(mut self, condition: &str) -> Self {
        built();
        self.begin_condition();
        self.text.push_str(condition);
        self
    }

    fn begin_condition(&mut self) {
        self.text.push_str(if self.filtered { "\nand " } else { "\nwhere " });
        self.filtered = true;
    }

    /// Adds a condition; `{}` in it is the value's place.
    #[track_caller]
    pub(crate) fn filter(mut self, condition: &str, value: impl Into<Value>) -> Self {
        built();
        self.params.push(value.into());
        self.begin_condition();
        push_with_place(&mut self.text, condition, self.params.len());
        self
    }

    #[track_caller]
    pub(crate) fn filter_if(self, condition: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.filter(condition, value),
            None => self,
        }
    }

    /// Adds a condition with several values; each `{}` in it is the next one's place.
    #[track_caller]
    pub(crate) fn filter_row(mut self, condition: &str, values: impl IntoIterator<Item = Value>) -> Self {
        let mut text = condition.to_owned();
        for value in values {
            self.params.push(value);
            text = text.replacen("{}", &format!("${}", self.params.len()), 1);
        }
        self.only(&text)
    }

    /// Any of a list of values, `{in {}}` in the condition; an empty list asks for nothing.
    #[track_caller]
    pub(crate) fn filter_any(self, condition: &str, values: &[String]) -> Self {
        if values.is_empty() { self } else { self.filter(condition, values.to_vec()) }
    }

    /// The rows whose column has any of these values, as one list for each value, or as the first so many of each in an order: an
    /// engine that reads every list in order merges them, and reads no more than a page has. SQLite does so with whole lists; of
    /// their first rows it would sort all. PostgreSQL does so only if each list has its order. Behind all conditions; the order names
    /// columns of the select.
    #[track_caller]
    pub(crate) fn merged(
        self,
        column: &str,
        values: impl IntoIterator<Item = impl Into<Value>>,
        first: Option<(&str, i64)>,
    ) -> Self {
        let mut lists = Self { text: String::new(), ..self.clone() };
        for value in values {
            lists.params.push(value.into());
            let list = self.clone().only(&format!("{column} = ${}", lists.params.len())).text;
            lists.text.push_str(if lists.text.is_empty() { "" } else { "\nunion all\n" });
            lists.text.push_str(&match first {
                Some((order, number)) => format!("select * from ({list}\norder by {order}\nlimit {number}) as listed"),
                None => list,
            });
        }
        lists
    }

    /// A select from the first of these rows in their order; they are `{rows}` in it.
    #[track_caller]
    pub(crate) fn first(mut self, order: &str, number: i64, select: &str) -> Self {
        self.text.push_str(&format!("\norder by {order}\nlimit {number}"));
        self.inside(select)
    }

    /// A select from these rows, which are `{rows}` in it; behind all conditions.
    #[track_caller]
    pub(crate) fn inside(self, select: &str) -> Self {
        built();
        let text = select.replace("{rows}", &format!("({})", self.text));
        Self { text, filtered: false, ..self }
    }

    /// Makes one row of all that have the same values of these columns; behind all conditions.
    #[track_caller]
    pub(crate) fn grouped(mut self, by: &str) -> Self {
        built();
        self.text.push_str("\ngroup by ");
        self.text.push_str(by);
        self
    }

    /// Locks the rows found to the end of the transaction.
    pub(crate) fn locked(mut self, rows: Rows) -> Self {
        self.text.push_str("\n{lock}");
        self.locked = Some(rows);
        self
    }

    /// The statement and its values; the rows in that order.
    #[track_caller]
    pub(crate) fn ordered(mut self, order: &str) -> (Sql, Vec<Value>) {
        built();
        sorted(&self.text, order);
        self.text.push_str("\norder by ");
        self.text.push_str(order);
        (Sql(Cow::Owned(self.text), self.locked), self.params)
    }

    #[track_caller]
    pub(crate) fn parts(self) -> (Sql, Vec<Value>) {
        built();
        (Sql(Cow::Owned(self.text), self.locked), self.params)
    }

    #[track_caller]
    pub(crate) fn all<T: FromRow>(self, tx: &mut Tx, order: &str) -> impl Future<Output = Result<Vec<T>>> {
        let (sql, params) = self.ordered(order);
        async move { tx.all(sql, &params).await }
    }

    /// The rows with these keys, numbers or texts, in this order. They are read by key and sorted here: an engine that sorts rows
    /// holds all of them before the first one counts as memory of its request.
    #[track_caller]
    pub(crate) fn in_order<T: FromRow, K: Clone + Eq + Hash>(
        self,
        tx: &mut Tx,
        key: &str,
        keys: Vec<K>,
        key_of: impl Fn(&T) -> K,
    ) -> impl Future<Output = Result<Vec<T>>>
    where
        Vec<K>: Into<Value>,
    {
        let places: HashMap<K, usize> = keys.iter().cloned().zip(0..).collect();
        let (sql, params) = self.of_keys(key, keys);
        async move {
            if places.is_empty() {
                return Ok(Vec::new());
            }
            let mut found = tx.all(sql, &params).await?;
            found.sort_by_cached_key(|row| places.get(&key_of(row)).copied());
            Ok(found)
        }
    }

    /// The statement for the rows with these keys, by key.
    #[track_caller]
    pub(crate) fn of_keys(self, key: &str, keys: impl Into<Value>) -> (Sql, Vec<Value>) {
        self.filter(&format!("{key} {{in {{}}}}"), keys).ordered(key)
    }

    /// All rows, each locked to the end of the transaction, in that order.
    #[track_caller]
    pub(crate) fn locked_by<T: FromRow>(
        mut self,
        tx: &mut Tx,
        rows: Rows,
        order: &str,
    ) -> impl Future<Output = Result<Vec<T>>> {
        self.text.push_str(&format!("\norder by {order}"));
        let (sql, params) = self.locked(rows).parts();
        async move { tx.all(sql, &params).await }
    }

    #[track_caller]
    pub(crate) fn maybe<T: FromRow>(self, tx: &mut Tx) -> impl Future<Output = Result<Option<T>>> {
        let (sql, params) = self.parts();
        async move { tx.maybe(sql, &params).await }
    }

    fn counting(&self) -> Sql {
        Sql::raw(format!("select count(*) from ({}) as counted", self.text))
    }

    /// How many rows there are in all.
    pub(crate) async fn count(self, tx: &mut Tx) -> Result<i64> {
        tx.all_once(self.counting(), &self.params).await?.pop().ok_or(StoreError::RowCount(0))
    }

    /// One page of the rows and, when asked for, how many there are in all.
    #[track_caller]
    pub(crate) fn page<T: FromRow>(
        mut self,
        tx: &mut Tx,
        order: &str,
        page: &Page,
    ) -> impl Future<Output = Result<Paged<T>>> {
        built();
        sorted(&self.text, order);
        let counting = page.count.then(|| self.counting());
        let (at, limits) = (self.params.len(), [Value::Int(page.limit), Value::Int(page.offset)]);
        self.text.push_str(&format!("\norder by {order}\nlimit ${} offset ${}", at + 1, at + 2));
        async move {
            let total = match counting {
                Some(counting) => {
                    let counted = tx.all_once(counting, &self.params).await?.pop();
                    Some(counted.ok_or(StoreError::RowCount(0))?)
                }
                None => None,
            };
            self.params.extend(limits);
            let rows = tx.all_once(Sql::raw(self.text), &self.params).await?;
            Ok(Paged { rows, total })
        }
    }
}

/// An update of one row that names only what has changed: an index on other columns is left alone, and so is what others
/// may change meanwhile. Its revision rises.
pub(crate) struct Update {
    text: String,
    params: Vec<Value>,
}

impl Update {
    /// Of the row with this key.
    #[track_caller]
    pub(crate) fn new(table: &str, key: impl Into<Value>) -> Self {
        built();
        let mut text = String::with_capacity(ROOM);
        for part in ["update ", table, " set rev = rev + 1"] {
            text.push_str(part);
        }
        Self { text, params: vec![key.into()] }
    }

    #[track_caller]
    pub(crate) fn set(&mut self, column: &str, value: impl Into<Value>) {
        self.set_as(column, "{}", value);
    }

    /// Sets a column to an expression; each `{}` in it is the value's place.
    #[track_caller]
    pub(crate) fn set_as(&mut self, column: &str, expression: &str, value: impl Into<Value>) {
        built();
        self.params.push(value.into());
        self.begin_column(column);
        push_with_place(&mut self.text, expression, self.params.len());
    }

    /// Sets a column to an expression without a value.
    #[track_caller]
    pub(crate) fn set_to(&mut self, column: &str, expression: &str) {
        built();
        self.begin_column(column);
        self.text.push_str(expression);
    }

    fn begin_column(&mut self, column: &str) {
        for part in [", ", column, " = "] {
            self.text.push_str(part);
        }
    }

    pub(crate) async fn run_later(mut self, tx: &mut Tx) -> Result<()> {
        self.text.push_str(" where key = $1");
        tx.run_later(Sql::raw(self.text), &self.params).await
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    pub limit: i64,
    pub offset: i64,
    /// Whether the number of all rows is wanted too.
    pub count: bool,
}

impl Page {
    /// How many rows come before the next page.
    pub(crate) fn end(&self) -> i64 {
        self.offset.saturating_add(self.limit)
    }
}

#[derive(Debug)]
pub struct Paged<T> {
    pub rows: Vec<T>,
    pub total: Option<i64>,
}
