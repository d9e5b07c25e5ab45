//! Searching serials.

use std::sync::LazyLock;

use domain::Timestamp;
use domain::key::SerialKey;
use domain::search::Pattern;
use domain::serial::SerialState;

use super::serials::{CODE, IN_STOCK, SerialView, USED, VALUES, VIEW_LIST};
use crate::product::products;
use crate::row::{FromRow, Row};
use crate::search::{behind, is_selective};
use crate::sql::{Page, Paged, Query, Sql, one_by_one};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, production::work_orders};

pub use crate::values::Fields;

/// Which serials are wanted; empty lists and `None` ask for nothing, all else has to fit.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub keys: Vec<i64>,
    pub product_keys: Vec<String>,
    pub wo_keys: Vec<i64>,
    pub created_by: Vec<String>,
    pub states: Vec<SerialState>,
    pub code: Option<Pattern>,
    /// One of these serials contains it, at any depth.
    pub contained_in: Option<Vec<i64>>,
    /// It contains one of these serials, at any depth.
    pub containing: Option<Vec<i64>>,
    pub product_code: Option<Pattern>,
    pub wo_code: Option<Pattern>,
    pub project_code: Option<Pattern>,
    /// Inclusive, as are the others.
    pub created_from: Option<Timestamp>,
    pub created_to: Option<Timestamp>,
    pub released_from: Option<Timestamp>,
    pub released_to: Option<Timestamp>,
    pub released_only: bool,
    pub deleted_too: bool,
    pub fields: Option<Fields>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Created,
    Released,
    Code,
    ProductCode,
    WorkOrderCode,
    ProjectCode,
}

impl Sort {
    /// Empty ones come last in both directions. Text is sorted by its folded form, then by itself.
    fn order(self, descending: bool) -> String {
        let columns: &[&str] = match self {
            Sort::Created => &["serial.created"],
            Sort::Released => &["serial.released"],
            Sort::Code => &["serial.code", "serial.searched"],
            Sort::ProductCode => &["product.code", "product.code_folded"],
            Sort::WorkOrderCode => &["work_order.wo_code", "{part work_order searched 1}"],
            Sort::ProjectCode => &["work_order.project_code", "{part work_order searched 3}"],
        };
        let direction = if descending { " desc" } else { "" };
        let mut order: Vec<String> = columns.iter().rev().map(|column| format!("{column}{direction}")).collect();
        if self != Sort::Created {
            order.insert(0, format!("{} is null", columns[0]));
        }
        order.push(format!("serial.key{direction}"));
        order.join(", ")
    }
}

/// A serial with the codes of its order.
#[derive(Debug, Clone)]
pub struct Found {
    pub view: SerialView,
    pub wo_code: Option<String>,
    pub project_code: Option<String>,
}

impl FromRow for Found {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { view: SerialView::from_row(row)?, wo_code: row.column()?, project_code: row.column()? })
    }
}

/// Outer joins, since the engines leave out those of which nothing is used.
const BESIDE: &str = "left join product on product.id = serial.product_id
    left join work_order on work_order.key = serial.wo_key";

static KEYS: LazyLock<String> = LazyLock::new(|| format!("select serial.key from serial {BESIDE}"));
static FIRST_KEYS: LazyLock<String> = LazyLock::new(|| format!("select serial.key from {{rows}} as serial {BESIDE}"));
static KEYS_CREATED: LazyLock<String> =
    LazyLock::new(|| format!("select serial.key, serial.created from serial {BESIDE}"));
static SELECT: LazyLock<String> = LazyLock::new(|| {
    format!("select {}, work_order.wo_code, work_order.project_code from serial {BESIDE}", *VIEW_LIST)
});

/// The keys of serials with such a code; `None` if there are more than so many.
pub async fn keys_of_code(tx: &mut Tx, pattern: &Pattern, most: usize) -> Result<Option<Vec<i64>>> {
    let page = Page { limit: most as i64 + 1, offset: 0, count: false };
    let query = with_code(Query::new("select serial.key from serial"), pattern);
    let found: Paged<SerialKey> = query.page(tx, "serial.key", &page).await?;
    Ok((found.rows.len() <= most).then(|| found.rows.into_iter().map(|key| key.0).collect()))
}

/// Finds the keys of a page first: all that fits has to be sorted, but only what is on the page is read as a whole.
pub async fn search(
    tx: &mut Tx,
    wanted: &Wanted,
    (sort, descending): (Sort, bool),
    page: &Page,
) -> Result<Paged<Found>> {
    let order = sort.order(descending);
    let quick = match sort {
        Sort::Created => wanted.first_by_part(tx, &order, page).await?,
        _ => None,
    };
    let found: Paged<SerialKey> = match quick {
        Some(rows) => Paged { rows, total: None },
        None => wanted.among(Query::new(&KEYS), Codes::Indexed).page(tx, &order, page).await?,
    };
    let keys = found.rows.into_iter().map(|key| key.0).collect();
    let rows = Query::new(&SELECT).in_order(tx, "serial.key", keys, |found: &Found| found.view.serial.key.0).await?;
    Ok(Paged { rows, total: found.total })
}

/// How codes are compared with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Codes {
    Indexed,
    OneByOne,
}

/// So many serials are looked at before anything else, if they can hold the page several times.
const FIRST: i64 = 2_000;
/// So many are sorted.
const FEW: i64 = 6_000;

impl Wanted {
    /// The first keys by a part of codes, in the order of creation. The engines can't tell how many codes contain it: if many
    /// do, the first serials fill the page; if few do, all of them are sorted. `None` if it is neither.
    async fn first_by_part(&self, tx: &mut Tx, order: &str, page: &Page) -> Result<Option<Vec<SerialKey>>> {
        let by_part = self.code.as_ref().is_some_and(|pattern| lead(pattern).is_none());
        let end = page.end();
        if !by_part || page.count || end > FIRST / 4 {
            return Ok(None);
        }
        let first = Query::new("select * from serial").first(order, FIRST, &FIRST_KEYS);
        let start = Page { limit: end, offset: 0, count: false };
        let near: Paged<SerialKey> = self.among(first, Codes::OneByOne).page(tx, order, &start).await?;
        let on_page = |keys: Vec<SerialKey>| Some(keys.into_iter().skip(page.offset as usize).collect());
        match near.rows.len() {
            found if found as i64 == end => return Ok(on_page(near.rows)),
            // Reading on in the order is the fastest way to the rest.
            found if 2 * found as i64 >= end => return Ok(None),
            _ => {}
        }
        let (all, params) = self.among(Query::new(&KEYS_CREATED), Codes::Indexed).parts();
        let few = format!(
            "select serial.key, count(*) over () from ({}\nlimit {}) as serial order by {order} limit {end}",
            all.0,
            FEW + 1
        );
        let rows: Vec<(SerialKey, i64)> = tx.all_once(Sql::raw(few), &params).await?;
        let are_few = rows.first().is_none_or(|(_, number)| *number <= FEW);
        Ok(are_few.then(|| rows.into_iter().map(|(key, _)| key).collect()).and_then(on_page))
    }

    /// Those of the serials that are wanted.
    fn among(&self, serials: Query, codes: Codes) -> Query {
        let mut query = serials;
        let deleted = self.deleted_too || self.states.contains(&SerialState::Deleted);
        if !deleted {
            query = query.only("serial.deleted is null");
        }
        if self.released_only {
            query = query.only("serial.released is not null");
        }
        if !self.keys.is_empty() {
            query = query.filter("serial.key {in {}}", self.keys.clone());
        }
        if !self.wo_keys.is_empty() {
            query = query.filter("serial.wo_key {in {}}", self.wo_keys.clone());
        }
        query = query
            .filter_any("product.key {in {}}", &self.product_keys)
            .filter_any("serial.created_by {in {}}", &self.created_by)
            .filter_if("serial.created >= {}", self.created_from)
            .filter_if("serial.created <= {}", self.created_to)
            .filter_if("serial.released >= {}", self.released_from)
            .filter_if("serial.released <= {}", self.released_to);
        if !self.states.is_empty() {
            let wanted = SerialState::ALL.iter().filter(|state| self.states.contains(state));
            let states: Vec<String> = wanted.map(|state| condition_of(*state)).collect();
            query = query.only(&format!("({})", states.join(" or ")));
        }
        if let Some(pattern) = &self.code {
            query = match codes {
                Codes::Indexed => with_code(query, pattern),
                Codes::OneByOne => query.filter(&one_by_one(FITS), Value::Pattern(pattern.clone())),
            };
        }
        if let Some(pattern) = &self.product_code {
            query = query.matching(products::CODE, pattern);
        }
        if let Some(pattern) = &self.wo_code {
            query = query.filter(work_orders::CODE_FITS, Value::Pattern(pattern.clone()));
        }
        if let Some(pattern) = &self.project_code {
            query = query.filter(work_orders::PROJECT_FITS, Value::Pattern(pattern.clone()));
        }
        if let Some(keys) = &self.contained_in {
            query = query.filter(BELOW, keys.clone());
        }
        if let Some(keys) = &self.containing {
            query = query.filter(ABOVE, keys.clone());
        }
        if let Some(fields) = &self.fields {
            query = with_fields(query, fields);
        }
        query
    }
}

const FITS: &str = "{matches serial searched {}}";

/// What all codes that fit start with, if it narrows a search down.
fn lead(pattern: &Pattern) -> Option<&str> {
    pattern.prefix().filter(|prefix| is_selective(prefix))
}

/// Only those with such a code. What all of them start with is looked up in the index by which lists are sorted, never by
/// trigrams, which many other codes share.
pub(super) fn with_code(query: Query, pattern: &Pattern) -> Query {
    match lead(pattern) {
        Some(prefix) => query
            .only("(serial.code is null) {is_false}")
            .filter("serial.searched >= {}", prefix)
            .filter_if("serial.searched < {}", behind(prefix))
            .filter(&one_by_one(FITS), Value::Pattern(pattern.clone())),
        None => query.matching(CODE, pattern),
    }
}

const BELOW: &str = "serial.key in (
    with recursive below (id) as (
        select child_key from serial_link where parent_key {in {}} and parent_key is not null and not replaced
        union
        select next.child_key from {along below serial_link parent_key} where not next.replaced
    )
    select id from below)";

const ABOVE: &str = "serial.key in (
    with recursive above (id) as (
        select parent_key from serial_link where child_key {in {}} and parent_key is not null and not replaced
        union
        select next.parent_key
        from {along above serial_link child_key}
        where next.parent_key is not null and not next.replaced
    )
    select id from above)";

/// The condition that makes this the first state that holds.
fn condition_of(state: SerialState) -> String {
    let live = "serial.deleted is null and serial.scrapped is null";
    let nowhere = format!("not {USED} and not {IN_STOCK}");
    match state {
        SerialState::Deleted => "serial.deleted is not null".to_owned(),
        SerialState::Scrapped => "(serial.deleted is null and serial.scrapped is not null)".to_owned(),
        SerialState::Used => format!("({live} and {USED})"),
        SerialState::InStock => format!("({live} and not {USED} and {IN_STOCK})"),
        SerialState::Released => format!("({live} and {nowhere} and serial.released is not null)"),
        SerialState::Wip => format!("({live} and {nowhere} and serial.released is null and serial.code is not null)"),
        SerialState::Uncoded => format!("({live} and {nowhere} and serial.released is null and serial.code is null)"),
    }
}

fn with_fields(query: Query, fields: &Fields) -> Query {
    let has = |row: &str| format!("serial.key in (select serial_key from serial_value where {row})");
    match fields.condition(VALUES, has) {
        Some((condition, values)) => query.filter_row(&condition, values),
        None => query,
    }
}
