//! How the keys of a page are found: in the order of an index, merged from several lists, or in two parts.

use std::sync::LazyLock;

use domain::Timestamp;
use domain::key::{MovementKey, PositionKey, ProductKey, UserKey};
use domain::warehouse::is_reserved;
use domain::warehouse::movement::{ListStatus, MovementType};

use super::super::latest;
use super::wanted::{ENDED, FROM, OF_PRODUCTS, PRODUCT, STARTED, TO, Wanted, at, exactly_at};
use crate::Result;
use crate::dialect::Dialect;
use crate::sql::{Page, Paged, Query};
use crate::tx::Tx;
use crate::value::Value;

/// Those without an end first, then those that ended last.
pub(in crate::warehouse) static LATEST_FIRST: LazyLock<String> =
    LazyLock::new(|| format!("{ENDED} desc, {STARTED} desc, movement.key desc"));

/// Movements of up to so many products or positions are merged, each one's in their order: planning takes longer with each of them.
const MERGED: usize = 16;

const KEYS: &str = "select movement.key from movement";
/// With what they are sorted by.
static SORTED_KEYS: LazyLock<String> =
    LazyLock::new(|| format!("select movement.key, {ENDED} as ended, {STARTED} as started from movement"));
const SORTED_LATEST_FIRST: &str = "ended desc, started desc, key desc";

/// The movements of a page, those without an end first, then those that ended last.
pub(super) async fn keys(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<MovementKey>> {
    let products = wanted.few_products(tx).await?;
    let sides = wanted.sides(tx).await?;
    let lists = lists_of(wanted, products.as_deref(), &sides);
    let mut query = wanted.narrowed(tx, Query::new(if lists.is_some() { &SORTED_KEYS } else { KEYS })).await?;
    if lists.as_ref().is_none_or(|(column, _)| *column == PRODUCT) && !sides.is_empty() {
        let (conditions, values): (Vec<_>, Vec<_>) = sides.iter().map(|(column, keys)| at(column, keys)).unzip();
        let operator = if wanted.either_side { " or " } else { " and " };
        query = query.filter_row(&format!("({})", conditions.join(operator)), values);
    }
    if let Some((column, values)) = lists {
        return merged(tx, query, column, values, page).await;
    }
    let few = products.map(|few| ("movement.product_id {in {}}", Value::from(few)));
    let many = || wanted.product_code.clone().map(|many| (OF_PRODUCTS, Value::Pattern(many)));
    if let Some((condition, value)) = few.or_else(many) {
        query = query.filter(condition, value);
    }
    match wanted.start_to {
        Some(until) => started_until(tx, query, until, page).await,
        None => query.page(tx, &LATEST_FIRST, page).await,
    }
}

/// The column and the values by which a page is merged from several lists: movements of a few products, or at a few positions of one
/// side, each in their order.
fn lists_of(
    wanted: &Wanted,
    products: Option<&[i64]>,
    sides: &[(&'static str, Vec<PositionKey>)],
) -> Option<(&'static str, Vec<Value>)> {
    if wanted.start_to.is_some() {
        return None;
    }
    match (products, sides) {
        (Some(few), _) if (1..=MERGED).contains(&few.len()) => {
            Some((PRODUCT, few.iter().copied().map(Value::from).collect()))
        }
        (None, [(column, few)])
            if (2..=MERGED).contains(&few.len()) && !few.iter().any(is_reserved) && !wanted.names_others() =>
        {
            Some((column, few.iter().map(Value::from).collect()))
        }
        _ => None,
    }
}

/// A page of lists that are merged.
async fn merged(
    tx: &mut Tx,
    query: Query,
    column: &str,
    values: Vec<Value>,
    page: &Page,
) -> Result<Paged<MovementKey>> {
    let total = match page.count {
        true => Some(query.clone().merged(column, values.clone(), None).count(tx).await?),
        false => None,
    };
    let first = match tx.dialect() {
        Dialect::Sqlite => None,
        Dialect::Postgres => Some((SORTED_LATEST_FIRST, page.end())),
    };
    let sorted = query.merged(column, values, first);
    let found: Paged<(MovementKey, i64, i64)> =
        sorted.page(tx, SORTED_LATEST_FIRST, &Page { count: false, ..*page }).await?;
    Ok(Paged { rows: found.rows.into_iter().map(|(key, _, _)| key).collect(), total })
}

/// Movements that last longer than this, or have no end, have an index of their own.
const HOUR: i64 = 3_600_000;
/// Word for word what the index has.
const LONG: &str = "movement.start_at is not null
    and (movement.end_at is null or movement.end_at - movement.start_at > 3600000)";

/// A page of movements that started until then. All but the long ones ended at most an hour later, which is where the list is begun;
/// the long ones that ended after that come before it.
async fn started_until(tx: &mut Tx, query: Query, until: Timestamp, page: &Page) -> Result<Paged<MovementKey>> {
    let [long, others] = parts_until(query, until);
    let counted = Page { count: page.count || page.offset > 0, ..*page };
    let long: Paged<MovementKey> = long.page(tx, &LATEST_FIRST, &counted).await?;
    let found = i64::try_from(long.rows.len()).unwrap_or(page.limit);
    let before = long.total.unwrap_or(found);
    let left = Page { limit: page.limit - found, offset: page.offset.saturating_sub(before).max(0), count: page.count };
    let others: Paged<MovementKey> = others.page(tx, &LATEST_FIRST, &left).await?;
    Ok(Paged { rows: [long.rows, others.rows].concat(), total: others.total.map(|total| total + before) })
}

/// The long ones that ended more than an hour later, and all that ended before.
fn parts_until(query: Query, until: Timestamp) -> [Query; 2] {
    let hour_later = until.millis().saturating_add(HOUR);
    let long = query.clone().only(LONG).filter(&format!("{ENDED} > {{}}"), hour_later);
    [long, query.filter(&format!("{ENDED} <= {{}}"), hour_later)]
}

/// A page of lists with at most one filter each: a test looks whether the engines find the rows in their order.
pub fn ordered_statements() -> Vec<(String, Vec<Value>)> {
    let time = Some(Timestamp::from_millis(1));
    let of = [
        Wanted::default(),
        Wanted { kind: Some(MovementType::Receipt), ..Wanted::default() },
        Wanted { product_key: Some(ProductKey::trusted("P")), ..Wanted::default() },
        Wanted { status: Some(ListStatus::Planned), ..Wanted::default() },
        Wanted { without_completed: true, ..Wanted::default() },
        Wanted { end_from: time, end_to: time, ..Wanted::default() },
        Wanted { start_from: time, ..Wanted::default() },
    ];
    let mut queries: Vec<Query> = of.iter().map(|wanted| wanted.own(Query::new(KEYS))).collect();
    for column in [FROM, TO] {
        let (condition, key) = exactly_at(column, &PositionKey::trusted("p7"));
        queries.push(Query::new(KEYS).filter(&condition, key));
    }
    let early = Wanted { start_to: time, ..Wanted::default() };
    queries.extend(parts_until(early.own(Query::new(KEYS)), Timestamp::from_millis(1)));
    let user = latest::Recent { user_key: Some(UserKey::trusted("mario")), kind: None };
    queries.push(user.query("movement.to_key"));
    queries.push(latest::Recent { user_key: None, kind: Some(MovementType::Receipt) }.query("movement.product_id"));
    let text = |query: Query, order: &str| {
        let (sql, params) = query.ordered(order);
        (format!("{} limit 500", sql.0), params)
    };
    let merged = [(PRODUCT, [1, 2].map(Value::from)), (TO, ["p1", "p2"].map(Value::from))];
    let merged =
        merged.map(|(column, values)| text(Query::new(&SORTED_KEYS).merged(column, values, None), SORTED_LATEST_FIRST));
    queries.into_iter().map(|query| text(query, &LATEST_FIRST)).chain(merged).collect()
}

/// Pages of a few products, and of a few positions, as PostgreSQL reads them: a test looks whether it merges their lists.
pub fn merged_statements() -> [(String, Vec<Value>); 2] {
    let order = SORTED_LATEST_FIRST;
    [(PRODUCT, [1, 2, 3].map(Value::from)), (FROM, ["p1", "p2", "p3"].map(Value::from))].map(|(column, values)| {
        let (sql, params) = Query::new(&SORTED_KEYS).merged(column, values, Some((order, 500))).ordered(order);
        (format!("{} limit 500", sql.0), params)
    })
}
