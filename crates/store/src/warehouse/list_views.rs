//! Lists of movements, with how many rows of each status they have.

use std::collections::HashMap;

use domain::Timestamp;
use domain::key::MovementListKey;
use domain::search::Pattern;
use domain::warehouse::movement::{ListStatus, MovementStatus, MovementType, References};
use serde_json::{Map, Value as Json};

use crate::row::row_struct;
use crate::search::Searched;
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

pub(super) const CODE: Searched = Searched { table: "movement_list", id: "key", column: "code_folded" };

row_struct! {
    pub struct ListView {
        pub key: MovementListKey,
        pub rev: i64,
        pub code: String,
        pub kind: MovementType,
        pub status: ListStatus,
        /// A day, as YYYY-MM-DD.
        pub due_by: String,
        pub created: Timestamp,
        pub start: Option<Timestamp>,
        pub end: Option<Timestamp>,
        pub closed: Option<Timestamp>,
        pub notes: Option<String>,
        pub references: Option<References>,
        pub extra: Map<String, Json>,
    }
}

const VIEWS: &str =
    "select movement_list.key, movement_list.rev, movement_list.code, movement_list.type, movement_list.status,
        movement_list.due_by, movement_list.created, movement_list.start_at, movement_list.end_at, movement_list.closed,
        movement_list.notes, movement_list.refers_to, movement_list.extra
    from movement_list";

/// Which lists are wanted; each condition that is given narrows them.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// In the code.
    pub search: Option<Pattern>,
    pub keys: Vec<i64>,
    pub statuses: Vec<ListStatus>,
    pub kind: Option<MovementType>,
    /// Only those with a row of one of these products.
    pub product_keys: Vec<String>,
    pub product_codes: Vec<String>,
    /// Days, as YYYY-MM-DD, inclusive.
    pub due_from: Option<String>,
    pub due_to: Option<String>,
    /// Only those that are planned or started.
    pub open_only: bool,
}

impl Wanted {
    /// Whether no list that has ended is wanted.
    fn is_open(&self) -> bool {
        let open = |status: &ListStatus| matches!(status, ListStatus::Planned | ListStatus::Started);
        self.open_only || (!self.statuses.is_empty() && self.statuses.iter().all(open))
    }
}

/// By the day they are due, then by code. Finds the keys of a page first: only what is on the page is read as a whole.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<ListView>> {
    let mut query = Query::new("select movement_list.key from movement_list");
    if wanted.is_open() {
        // What the index of those says.
        query = query.only("movement_list.status in ('planned', 'started')");
    }
    if let Some(pattern) = &wanted.search {
        query = query.matching(CODE, pattern);
    }
    if !wanted.keys.is_empty() {
        query = query.filter("movement_list.key {in {}}", wanted.keys.clone());
    }
    let statuses: Vec<String> = wanted.statuses.iter().map(|status| status.name().to_owned()).collect();
    let found: Paged<MovementListKey> = query
        .filter_any("movement_list.status {in {}}", &statuses)
        .filter_if("movement_list.type = {}", wanted.kind)
        .filter_any(HAS_KEY, &wanted.product_keys)
        .filter_any(HAS_CODE, &wanted.product_codes)
        .filter_if("movement_list.due_by >= {}", wanted.due_from.as_ref())
        .filter_if("movement_list.due_by <= {}", wanted.due_to.as_ref())
        .page(tx, "movement_list.due_by, movement_list.code_folded, movement_list.code, movement_list.key", page)
        .await?;
    let keys = found.rows.into_iter().map(|key| key.0).collect();
    let rows = Query::new(VIEWS).in_order(tx, "movement_list.key", keys, |view: &ListView| view.key.0).await?;
    Ok(Paged { rows, total: found.total })
}

const HAS_KEY: &str = "movement_list.key in (
    select movement.movement_list_key
    from movement
    where movement.product_id in (select product.id from product where product.key {in {}})
    and movement.movement_list_key is not null
)";
const HAS_CODE: &str = "movement_list.key in (
    select movement.movement_list_key
    from movement
    where movement.product_id in (select product.id from product where product.code {in {}})
    and movement.movement_list_key is not null
)";

pub async fn find(tx: &mut Tx, key: MovementListKey) -> Result<Option<ListView>> {
    Query::new(VIEWS).filter("movement_list.key = {}", key).maybe(tx).await
}

/// How many rows of each status a list has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub planned: i64,
    pub completed: i64,
    pub canceled: i64,
}

/// Of these lists, as far as they have rows.
pub async fn counts(tx: &mut Tx, keys: &[i64]) -> Result<HashMap<MovementListKey, Counts>> {
    let sql = sql!(
        "select movement_list_key, status, count(*)
         from movement
         where movement_list_key {in $1} and movement_list_key is not null
         group by movement_list_key, status"
    );
    let found: Vec<(MovementListKey, MovementStatus, i64)> = tx.all(sql, &params![keys.to_vec()]).await?;
    let mut counts: HashMap<MovementListKey, Counts> = HashMap::new();
    for (list, status, count) in found {
        let of_list = counts.entry(list).or_default();
        match status {
            MovementStatus::Planned => of_list.planned = count,
            MovementStatus::Completed => of_list.completed = count,
            MovementStatus::Canceled => of_list.canceled = count,
        }
    }
    Ok(counts)
}
