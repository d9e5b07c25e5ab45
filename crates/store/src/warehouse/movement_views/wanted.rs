//! Which movements are wanted, as conditions.

use domain::Timestamp;
use domain::key::{MovementListKey, PositionKey, ProductId, ProductKey};
use domain::search::Pattern;
use domain::warehouse::is_reserved;
use domain::warehouse::movement::{ListStatus, MovementType};

use super::super::{links, list_views};
use crate::Result;
use crate::product::products;
use crate::production::work_orders;
use crate::serial::search::keys_of_code;
use crate::sql::{Page, Paged, Query};
use crate::tx::Tx;
use crate::value::Value;

/// When a movement ended, and the end of time for one that has not: word for word what the indexes of lists have.
pub(super) const ENDED: &str = "coalesce(movement.end_at, 9223372036854775807)";
pub(super) const STARTED: &str = "coalesce(movement.start_at, 9223372036854775807)";

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
const FEW_LISTS: usize = 1_000;
const FEW_ORDERS: usize = 500;

/// A condition, and the value at its places.
type Condition = (&'static str, Value);

impl Wanted {
    /// The products by their code, if there are few.
    pub(super) async fn few_products(&self, tx: &mut Tx) -> Result<Option<Vec<i64>>> {
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
    pub(super) async fn sides(&self, tx: &mut Tx) -> Result<Vec<(&'static str, Vec<PositionKey>)>> {
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
    pub(super) async fn narrowed(&self, tx: &mut Tx, select: Query) -> Result<Query> {
        let mut query = self.own(select);
        for (condition, value) in self.codes(tx).await? {
            query = query.filter(condition, value);
        }
        Ok(query)
    }

    /// Whether others than sides say which few movements there can be: they are looked up by those.
    pub(super) fn names_others(&self) -> bool {
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
    pub(super) fn own(&self, query: Query) -> Query {
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

pub(super) const PRODUCT: &str = "movement.product_id";
pub(super) const FROM: &str = "movement.from_key";
pub(super) const TO: &str = "movement.to_key";
const OF_LIST_KEYS: &str = "movement.movement_list_key {in {}} and movement.movement_list_key is not null";
pub(super) const OF_PRODUCTS: &str = "exists (
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
pub(super) fn at(column: &str, keys: &[PositionKey]) -> (String, Value) {
    if let [one] = keys {
        return exactly_at(column, one);
    }
    let many = keys.len() > FEW_POSITIONS || keys.iter().any(is_reserved);
    let column = if many { format!("({column} || '')") } else { column.to_owned() };
    let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
    (format!("{column} {{in {{}}}}"), Value::from(keys))
}

pub(super) fn exactly_at(column: &str, key: &PositionKey) -> (String, Value) {
    (format!("{column} = {{}}"), Value::from(key))
}
