//! Movements as lists show them, and what was moved last.

use std::sync::LazyLock;

use domain::key::{
    BatchKey, JobKey, MovementKey, MovementListKey, PositionKey, ProductId, ProductKey, SerialKey, UserKey,
    WorkOrderKey,
};
use domain::search::Pattern;
use domain::warehouse::is_reserved;
use domain::warehouse::movement::{ListStatus, MovementStatus, MovementType, References};
use domain::{Quantity, Timestamp};
use serde_json::{Map, Value as Json};

use super::{links, list_views};
use crate::Result;
use crate::dialect::Dialect;
use crate::product::products;
use crate::production::work_orders;
use crate::row::{FromColumn, row_struct};
use crate::serial::search::keys_of_code;
use crate::sql::{Page, Paged, Query, Sql};
use crate::tx::Tx;
use crate::value::Value;

row_struct! {
    /// A movement with the codes of what it names.
    pub struct MovementView {
        pub key: MovementKey,
        pub rev: i64,
        pub kind: MovementType,
        pub status: MovementStatus,
        pub from_key: PositionKey,
        pub to_key: PositionKey,
        pub product_key: Option<ProductKey>,
        pub serial_key: Option<SerialKey>,
        pub qt_planned: Quantity,
        pub qt_confirmed: Quantity,
        pub owned: bool,
        pub created: Timestamp,
        pub start: Option<Timestamp>,
        pub end: Option<Timestamp>,
        pub movement_list_key: Option<MovementListKey>,
        pub movement_list_item: Option<i64>,
        pub inverse_movement_key: Option<MovementKey>,
        pub origin_movement_key: Option<MovementKey>,
        pub work_order_key: Option<WorkOrderKey>,
        pub job_key: Option<JobKey>,
        pub batch_key: Option<BatchKey>,
        pub references: Option<References>,
        pub reason: Option<String>,
        pub user_key: UserKey,
        pub extra: Map<String, Json>,
        pub from_code: String,
        pub from_deleted: bool,
        pub to_code: String,
        pub to_deleted: bool,
        pub movement_list_code: Option<String>,
        pub product_code: Option<String>,
        pub product_description: Option<String>,
        pub unit: Option<String>,
        pub serial_code: Option<String>,
    }
}

const VIEWS: &str =
    "select movement.key, movement.rev, movement.type, movement.status, movement.from_key, movement.to_key,
        product.key, movement.serial_key, movement.qt_planned, movement.qt_confirmed, movement.owned, movement.created,
        movement.start_at, movement.end_at, movement.movement_list_key, movement.movement_list_item,
        movement.inverse_movement_key, movement.origin_movement_key, movement.work_order_key, movement.job_key,
        movement.batch_key, movement.refers_to, movement.reason, movement.user_key, movement.extra,
        source.code, source.deleted, target.code, target.deleted, movement_list.code, product.code, product.description,
        product.unit, serial.code
    from movement
    left join position as source on source.key = movement.from_key
    left join position as target on target.key = movement.to_key
    left join movement_list on movement_list.key = movement.movement_list_key
    left join product on product.id = movement.product_id
    left join serial on serial.key = movement.serial_key";

/// When a movement ended, and the end of time for one that has not: word for word what the indexes of lists have.
const ENDED: &str = "coalesce(movement.end_at, 9223372036854775807)";
const STARTED: &str = "coalesce(movement.start_at, 9223372036854775807)";

/// Those without an end first, then those that ended last.
static LATEST_FIRST: LazyLock<String> = LazyLock::new(|| format!("{ENDED} desc, {STARTED} desc, movement.key desc"));

/// A position that movements leave or reach.
#[derive(Debug, Clone)]
pub struct Side {
    pub key: PositionKey,
    /// Whether what is in it counts as well, at any depth.
    pub below_too: bool,
}

/// Which movements are wanted; each condition that is given narrows them.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub kind: Option<MovementType>,
    /// No movement is started.
    pub status: Option<ListStatus>,
    pub without_planned: bool,
    pub without_completed: bool,
    /// Inclusive, as are the others.
    pub start_from: Option<Timestamp>,
    pub start_to: Option<Timestamp>,
    pub end_from: Option<Timestamp>,
    pub end_to: Option<Timestamp>,
    pub product_key: Option<ProductKey>,
    pub product_code: Option<Pattern>,
    pub serial_code: Option<Pattern>,
    pub list_code: Option<Pattern>,
    pub wo_code: Option<Pattern>,
    pub serial_keys: Vec<i64>,
    pub list_keys: Vec<i64>,
    pub from: Option<Side>,
    pub to: Option<Side>,
    /// One of the sides is enough.
    pub either_side: bool,
}

/// Up to so many of each kind, their movements are looked up one by one and sorted. More of them have so many movements that they
/// are soon found among all, in the order of the list.
const FEW_PRODUCTS: usize = 50;
const FEW_POSITIONS: usize = 50;
const FEW_SERIALS: usize = 5_000;
/// Movements of up to so many products or positions are merged, each one's in their order: planning takes longer with each of them.
const MERGED: usize = 16;
const FEW_LISTS: usize = 1_000;
const FEW_ORDERS: usize = 500;

/// A condition, and the value at its places.
type Condition = (&'static str, Value);

impl Wanted {
    /// The products by their code, if there are few.
    async fn few_products(&self, tx: &mut Tx) -> Result<Option<Vec<i64>>> {
        let Some(pattern) = &self.product_code else { return Ok(None) };
        let query = Query::new("select product.id from product").matching(products::CODE, pattern);
        let found: Paged<ProductId> = query.page(tx, "product.id", &first(FEW_PRODUCTS)).await?;
        Ok(few(found.rows.into_iter().map(|id| id.0).collect(), FEW_PRODUCTS))
    }

    /// The conditions on the codes of other records than products. Those for many are written so that no index of movements is used.
    async fn codes(&self, tx: &mut Tx) -> Result<Vec<Condition>> {
        let mut conditions = Vec::new();
        let mut add = |found: Option<Vec<i64>>, few: &'static str, many: &'static str, pattern: &Pattern| {
            conditions.push(match found {
                Some(keys) => (few, Value::from(keys)),
                None => (many, Value::Pattern(pattern.clone())),
            });
        };
        if let Some(pattern) = &self.serial_code {
            let found = keys_of_code(tx, pattern, FEW_SERIALS).await?;
            add(found, "movement.serial_key {in {}} and movement.serial_key is not null", OF_SERIALS, pattern);
        }
        if let Some(pattern) = &self.list_code {
            let query = Query::new("select movement_list.key from movement_list").matching(list_views::CODE, pattern);
            let found: Paged<MovementListKey> = query.page(tx, "movement_list.key", &first(FEW_LISTS)).await?;
            let found = few(found.rows.into_iter().map(|key| key.0).collect(), FEW_LISTS);
            add(found, OF_LIST_KEYS, OF_LISTS, pattern);
        }
        if let Some(pattern) = &self.wo_code {
            let found = work_orders::keys_of_code(tx, pattern, FEW_ORDERS).await?;
            add(found, "movement.work_order_key {in {}} and movement.work_order_key is not null", OF_ORDERS, pattern);
        }
        Ok(conditions)
    }

    /// The positions of each side that is asked for, by its column.
    async fn sides(&self, tx: &mut Tx) -> Result<Vec<(&'static str, Vec<PositionKey>)>> {
        let mut sides = Vec::new();
        for (column, side) in [(FROM, &self.from), (TO, &self.to)] {
            if let Some(Side { key, below_too }) = side {
                let keys = if *below_too { links::within(tx, key).await? } else { vec![key.clone()] };
                sides.push((column, keys));
            }
        }
        Ok(sides)
    }

    /// All conditions but those on sides and on products by their code.
    async fn narrowed(&self, tx: &mut Tx, select: Query) -> Result<Query> {
        let mut query = self.own(select);
        for (condition, value) in self.codes(tx).await? {
            query = query.filter(condition, value);
        }
        Ok(query)
    }

    /// Whether others than sides say which few movements there can be: they are looked up by those.
    fn names_others(&self) -> bool {
        let codes = [&self.product_code, &self.serial_code, &self.list_code, &self.wo_code];
        let keys = self.product_key.is_some() || !self.serial_keys.is_empty() || !self.list_keys.is_empty();
        keys || codes.into_iter().any(Option::is_some)
    }

    fn status_of(&self, mut query: Query) -> Query {
        let open = self.without_completed || !matches!(self.status, None | Some(ListStatus::Completed));
        if open {
            // What the index of those says.
            query = query.only("movement.status <> 'completed'");
        }
        if self.without_planned {
            query = query.only("movement.status <> 'planned'");
        }
        if self.status == Some(ListStatus::Planned) {
            query = query.only(&format!("{ENDED} >= {}", i64::MAX));
        }
        query.filter_if("movement.status = {}", self.status)
    }

    /// What is known without other records.
    fn own(&self, query: Query) -> Query {
        let mut query = self
            .status_of(query)
            .filter_if("movement.type = {}", self.kind)
            // Nothing ends before it starts.
            .filter_if(&format!("(movement.start_at >= {{}} and {ENDED} >= {{}})"), self.start_from)
            .filter_if("movement.start_at <= {}", self.start_to)
            .filter_if(&format!("(movement.end_at is not null and {ENDED} >= {{}})"), self.end_from)
            .filter_if(&format!("{ENDED} <= {{}}"), self.end_to)
            .filter_if(
                "movement.product_id = (select product.id from product where product.key = {})",
                self.product_key.as_ref(),
            );
        if !self.serial_keys.is_empty() {
            let keys = self.serial_keys.clone();
            query = query.filter("movement.serial_key {in {}} and movement.serial_key is not null", keys);
        }
        if !self.list_keys.is_empty() {
            query = query.filter(OF_LIST_KEYS, self.list_keys.clone());
        }
        query
    }
}

const PRODUCT: &str = "movement.product_id";
const FROM: &str = "movement.from_key";
const TO: &str = "movement.to_key";
const OF_LIST_KEYS: &str = "movement.movement_list_key {in {}} and movement.movement_list_key is not null";
const OF_PRODUCTS: &str = "exists (
    select 1 from product where product.id = movement.product_id + 0 and {matches product code_folded {}}
)";
const OF_SERIALS: &str = "exists (
    select 1 from serial
    where serial.key = movement.serial_key + 0 and serial.code is not null and {matches serial searched {}}
)";
const OF_LISTS: &str = "exists (
    select 1 from movement_list
    where movement_list.key = movement.movement_list_key + 0 and {matches movement_list code_folded {}}
)";
const OF_ORDERS: &str = "exists (
    select 1 from work_order
    where work_order.key = movement.work_order_key + 0 and {part-matches work_order searched 1 {}}
)";

/// Enough to see whether there are more than so many.
fn first(most: usize) -> Page {
    Page { limit: most as i64 + 1, offset: 0, count: false }
}

fn few(keys: Vec<i64>, most: usize) -> Option<Vec<i64>> {
    (keys.len() <= most).then_some(keys)
}

/// The condition that a movement leaves or reaches one of these positions: `{}` is the place of its value. Many positions, and those
/// that every site moves most from and to, are looked for in the order of the list.
fn at(column: &str, keys: &[PositionKey]) -> (String, Value) {
    if let [one] = keys {
        return exactly_at(column, one);
    }
    let many = keys.len() > FEW_POSITIONS || keys.iter().any(is_reserved);
    let column = if many { format!("({column} || '')") } else { column.to_owned() };
    let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
    (format!("{column} {{in {{}}}}"), Value::from(keys))
}

fn exactly_at(column: &str, key: &PositionKey) -> (String, Value) {
    (format!("{column} = {{}}"), Value::from(key))
}

const KEYS: &str = "select movement.key from movement";
/// With what they are sorted by.
static SORTED_KEYS: LazyLock<String> =
    LazyLock::new(|| format!("select movement.key, {ENDED} as ended, {STARTED} as started from movement"));
const SORTED_LATEST_FIRST: &str = "ended desc, started desc, key desc";

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
    let user = Recent { user_key: Some(UserKey::trusted("mario")), kind: None };
    queries.push(user.query("movement.to_key"));
    queries.push(Recent { user_key: None, kind: Some(MovementType::Receipt) }.query("movement.product_id"));
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

/// Those without an end first, then those that ended last. Finds the keys of a page first: only what is on the page is read as a
/// whole.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<MovementView>> {
    let products = wanted.few_products(tx).await?;
    let sides = wanted.sides(tx).await?;
    let lists = lists_of(wanted, products.as_deref(), &sides);
    let mut query = wanted.narrowed(tx, Query::new(if lists.is_some() { &SORTED_KEYS } else { KEYS })).await?;
    if lists.as_ref().is_none_or(|(column, _)| *column == PRODUCT) && !sides.is_empty() {
        let (conditions, values): (Vec<_>, Vec<_>) = sides.iter().map(|(column, keys)| at(column, keys)).unzip();
        let operator = if wanted.either_side { " or " } else { " and " };
        query = query.filter_row(&format!("({})", conditions.join(operator)), values);
    }
    let found = match lists {
        Some((column, values)) => merged(tx, query, column, values, page).await?,
        None => {
            let few = products.map(|few| ("movement.product_id {in {}}", Value::from(few)));
            let many = || wanted.product_code.clone().map(|many| (OF_PRODUCTS, Value::Pattern(many)));
            if let Some((condition, value)) = few.or_else(many) {
                query = query.filter(condition, value);
            }
            match wanted.start_to {
                Some(until) => started_until(tx, query, until, page).await?,
                None => query.page(tx, &LATEST_FIRST, page).await?,
            }
        }
    };
    let keys = found.rows.into_iter().map(|key: MovementKey| key.0).collect();
    let rows = Query::new(VIEWS).in_order(tx, "movement.key", keys, |view: &MovementView| view.key.0).await?;
    Ok(Paged { rows, total: found.total })
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

/// The rows of a list, by item.
pub async fn of_list(tx: &mut Tx, list: MovementListKey) -> Result<Vec<MovementView>> {
    Query::new(VIEWS)
        .filter("movement.movement_list_key = {} and movement.movement_list_key is not null", list)
        .all(tx, "movement.movement_list_item, movement.key")
        .await
}

/// Whose movements, and of which type, are looked at for what was moved last.
#[derive(Debug, Clone, Default)]
pub struct Recent {
    pub user_key: Option<UserKey>,
    pub kind: Option<MovementType>,
}

/// So many completed movements are looked at.
const LOOKED_AT: usize = 5_000;
/// So many are looked at first: most pages are full by then.
const FIRST_LOOKED_AT: usize = 500;

impl Recent {
    fn query(&self, column: &str) -> Query {
        Query::new(&format!("select {column} as id, movement.end_at as moved from movement"))
            .only("movement.status = 'completed'")
            .filter_if("movement.user_key = {}", self.user_key.as_ref())
            .filter_if("movement.type = {}", self.kind)
    }

    /// What the latest completed movements name in a column, the latest first, each once; the first `few`, if not all are wanted.
    /// `{found}` in the text is their place: its rows have an `id` and when it `moved`.
    async fn of<T: FromColumn>(&self, tx: &mut Tx, column: &str, text: &str, few: Option<usize>) -> Result<Vec<T>> {
        if let Some(few) = few {
            let found: Vec<(T, Timestamp)> = self.among(tx, column, text, FIRST_LOOKED_AT).await?;
            // Movements that were not looked at may have ended with the last of these.
            let last = found.last().map(|(_, moved)| *moved);
            let certain = found.iter().filter(|(_, moved)| Some(*moved) > last).count();
            if certain >= few {
                return Ok(found.into_iter().take(few).map(|(found, _)| found).collect());
            }
        }
        let found: Vec<(T, Timestamp)> = self.among(tx, column, text, LOOKED_AT).await?;
        Ok(found.into_iter().map(|(found, _)| found).collect())
    }

    /// The same among so many movements, with when each was moved.
    async fn among<T: FromColumn>(
        &self,
        tx: &mut Tx,
        column: &str,
        text: &str,
        movements: usize,
    ) -> Result<Vec<(T, Timestamp)>> {
        let (latest, params) = self.query(column).ordered(&LATEST_FIRST);
        let found = format!("({} limit {movements}) as found", latest.0);
        tx.all_once(Sql::raw(text.replace("{found}", &found)), &params).await
    }
}

/// The live positions of the latest movements: those they came from, or those they went to; the first `few`, if not all are wanted.
pub async fn latest_positions(
    tx: &mut Tx,
    recent: &Recent,
    from: bool,
    few: Option<usize>,
) -> Result<Vec<PositionKey>> {
    // All of them begin, or end, beyond the positions that are shown.
    let none = |kind: MovementType| if from { kind.brings_in() } else { kind.takes_out() };
    if recent.kind.is_some_and(none) {
        return Ok(Vec::new());
    }
    let column = if from { "movement.from_key" } else { "movement.to_key" };
    let text = "select position.key, max(found.moved)
                from {found}
                join position on position.key = found.id
                where not position.deleted and position.key not in ('OUT', 'NULL')
                group by position.key
                order by max(found.moved) desc, position.key";
    recent.of(tx, column, text, few).await
}

/// The active products of the latest movements; the first `few`, if not all are wanted.
pub async fn latest_products(tx: &mut Tx, recent: &Recent, few: Option<usize>) -> Result<Vec<ProductKey>> {
    let text = "select product.key, max(found.moved)
                from {found}
                join product on product.id = found.id
                where product.active and not product.trash
                group by product.id, product.key
                order by max(found.moved) desc, product.key";
    recent.of(tx, "movement.product_id", text, few).await
}
