//! Who is to count what.

use std::sync::LazyLock;

use domain::Timestamp;
use domain::collection::Collection;
use domain::counting::{AssignmentStatus, CountAssignment, CountType};
use domain::key::{CountAssignmentKey, CountSessionKey, PositionKey, ProductKey, UserKey};
use domain::search::Pattern;
use serde_json::{Map, Value as Json};

use crate::columns::{self, Record, columns};
use crate::row::row_struct;
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

columns! {
    CountAssignment in count_assignment {
        key,
        rev,
        session_key,
        target_type,
        product_id,
        position_key,
        assigned_to,
        include_children,
        status,
        created,
        created_by,
        started,
        completed,
        notes,
        extra,
    }
    kept { session_key, target_type, product_id, position_key, created, created_by }
}

pub async fn find(tx: &mut Tx, key: CountAssignmentKey) -> Result<Option<CountAssignment>> {
    CountAssignment::select().filter("count_assignment.key = {}", key).maybe(tx).await
}

/// Those of these that there are.
pub async fn find_all(tx: &mut Tx, keys: &[i64]) -> Result<Vec<CountAssignment>> {
    CountAssignment::select()
        .filter("count_assignment.key {in {}}", keys.to_vec())
        .all(tx, "count_assignment.key")
        .await
}

/// All of a session.
pub async fn of_session(tx: &mut Tx, session: CountSessionKey) -> Result<Vec<CountAssignment>> {
    CountAssignment::select().filter("count_assignment.session_key = {}", session).all(tx, "count_assignment.key").await
}

/// Whether a session has any, canceled ones too.
pub async fn has_any(tx: &mut Tx, session: CountSessionKey) -> Result<bool> {
    tx.one(sql!("select exists (select 1 from count_assignment where session_key = $1)"), &params![session]).await
}

/// So many assignments go with one statement.
const AT_ONCE: usize = 1_000;

/// Stores new ones of a session that is locked.
pub async fn insert_all(tx: &mut Tx, assignments: &[CountAssignment]) -> Result<()> {
    for some in assignments.chunks(AT_ONCE) {
        some.iter().for_each(|assignment| tx.changed(Collection::CountAssignment, assignment.key));
        columns::insert_all(tx, some).await?;
    }
    Ok(())
}

/// Stores what has become of one whose session is locked.
pub async fn save(tx: &mut Tx, assignment: &mut CountAssignment) -> Result<()> {
    tx.changed(Collection::CountAssignment, assignment.key);
    assignment.rev += 1;
    columns::update(tx, assignment).await
}

/// Cancels those of these that are planned; says how many.
pub async fn cancel(tx: &mut Tx, keys: &[i64]) -> Result<u64> {
    let sql = sql!(
        "update count_assignment
         set status = 'canceled', rev = rev + 1
         where key {in $1} and status = 'planned'
         returning key"
    );
    let canceled: Vec<CountAssignmentKey> = tx.all(sql, &params![keys.to_vec()]).await?;
    canceled.iter().for_each(|key| tx.changed(Collection::CountAssignment, key));
    Ok(canceled.len() as u64)
}

/// Ends those of a session that is over: if it was applied, those that were begun are completed; all others that are open are
/// canceled.
pub async fn end_open(tx: &mut Tx, session: CountSessionKey, applied: Option<Timestamp>) -> Result<()> {
    let mut ended: Vec<CountAssignmentKey> = Vec::new();
    if let Some(at) = applied {
        let sql = sql!(
            "update count_assignment
             set status = 'completed', completed = $2, rev = rev + 1
             where session_key = $1 and status = 'started'
             returning key"
        );
        ended = tx.all(sql, &params![session, at]).await?;
    }
    let sql = sql!(
        "update count_assignment
         set status = 'canceled', rev = rev + 1
         where session_key = $1 and status in ('planned', 'started')
         returning key"
    );
    ended.extend(tx.all::<CountAssignmentKey>(sql, &params![session]).await?);
    ended.iter().for_each(|key| tx.changed(Collection::CountAssignment, key));
    Ok(())
}

row_struct! {
    /// An assignment with what its target is called.
    pub struct AssignmentView {
        pub key: CountAssignmentKey,
        pub rev: i64,
        pub session_key: CountSessionKey,
        pub target_type: CountType,
        /// Of the product or the position.
        pub target_key: String,
        pub target_code: String,
        /// Of a product.
        pub target_description: Option<String>,
        pub assigned_to: Option<UserKey>,
        pub include_children: bool,
        pub status: AssignmentStatus,
        pub created: Timestamp,
        pub created_by: UserKey,
        pub started: Option<Timestamp>,
        pub completed: Option<Timestamp>,
        pub notes: Option<String>,
        pub extra: Map<String, Json>,
    }
}

const FROM: &str = "from count_assignment
    left join product on product.id = count_assignment.product_id
    left join position on position.key = count_assignment.position_key";

static KEYS: LazyLock<String> = LazyLock::new(|| format!("select count_assignment.key {FROM}"));
static VIEWS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "select count_assignment.key, count_assignment.rev, count_assignment.session_key, count_assignment.target_type,
            coalesce(product.key, count_assignment.position_key), coalesce(product.code, position.code),
            product.description, count_assignment.assigned_to, count_assignment.include_children,
            count_assignment.status, count_assignment.created, count_assignment.created_by, count_assignment.started,
            count_assignment.completed, count_assignment.notes, count_assignment.extra
        {FROM}"
    )
});

/// By the code of the target.
const BY_CODE: &str = "coalesce(product.code_folded, position.code_folded), coalesce(product.code, position.code),
    count_assignment.key";
const PRODUCTS_FIRST: &str = "product.code_folded is null, product.code_folded, product.code, position.code_folded,
    position.code, count_assignment.key";
const POSITIONS_FIRST: &str = "position.code_folded is null, position.code_folded, position.code, product.code_folded,
    product.code, count_assignment.key";

/// Which assignments are wanted; each condition that is given narrows them.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub session_key: Option<CountSessionKey>,
    pub target_type: Option<CountType>,
    pub product_key: Option<ProductKey>,
    pub product_code: Option<Pattern>,
    pub position_key: Option<PositionKey>,
    pub position_code: Option<Pattern>,
    pub assigned_to: Option<UserKey>,
    pub status: Option<AssignmentStatus>,
    /// Which targets come first; none: all by code.
    pub first: Option<CountType>,
}

/// By the code of the target. Finds the keys of a page first: only what is on the page is read as a whole.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<AssignmentView>> {
    let order = match wanted.first {
        None => BY_CODE,
        Some(CountType::Product) => PRODUCTS_FIRST,
        Some(CountType::Position) => POSITIONS_FIRST,
    };
    let found: Paged<CountAssignmentKey> = Query::new(&KEYS)
        .filter_if("count_assignment.session_key = {}", wanted.session_key)
        .filter_if("count_assignment.target_type = {}", wanted.target_type)
        .filter_if(OF_PRODUCT, wanted.product_key.as_ref())
        .filter_if("{matches product code_folded {}}", wanted.product_code.clone().map(Value::Pattern))
        .filter_if(
            "count_assignment.position_key = {} and count_assignment.position_key is not null",
            wanted.position_key.as_ref(),
        )
        .filter_if("{matches position code_folded {}}", wanted.position_code.clone().map(Value::Pattern))
        .filter_if(
            "count_assignment.assigned_to = {} and count_assignment.assigned_to is not null",
            wanted.assigned_to.as_ref(),
        )
        .filter_if("count_assignment.status = {}", wanted.status)
        .page(tx, order, page)
        .await?;
    Ok(Paged { rows: in_order(tx, found.rows).await?, total: found.total })
}

async fn in_order(tx: &mut Tx, keys: Vec<CountAssignmentKey>) -> Result<Vec<AssignmentView>> {
    let keys = keys.into_iter().map(|key| key.0).collect();
    Query::new(&VIEWS).in_order(tx, "count_assignment.key", keys, |view: &AssignmentView| view.key.0).await
}

const OF_PRODUCT: &str = "count_assignment.product_id = (select named.id from product as named where named.key = {})
    and count_assignment.product_id is not null";

/// Those of a session that were not canceled, by the code of the target.
pub async fn views_of_session(tx: &mut Tx, session: CountSessionKey) -> Result<Vec<AssignmentView>> {
    let keys = Query::new(&KEYS)
        .filter("count_assignment.session_key = {}", session)
        .only("count_assignment.status <> 'canceled'")
        .all(tx, BY_CODE)
        .await?;
    in_order(tx, keys).await
}
