//! What lies where: which stock is looked for. Its rows and its sums are in files of their own.

use std::collections::HashMap;

use domain::key::{PositionKey, ProductKey};
use domain::search::Pattern;
use domain::text::fold;
use domain::warehouse::{INSIDE, OUTSIDE};

use super::{links, positions};
use crate::Result;
use crate::product::products;
use crate::serial::search::keys_of_code;
use crate::sql::{Page, Query};
use crate::tx::Tx;
use crate::value::Value;

mod rows;
mod sums;

pub use rows::{Stocked, list, page_statements};
pub use sums::{AtPosition, OfProduct, below_minimum, by_position, by_product};

/// Which rows of stock are wanted; each condition that is given narrows them.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// There, and at any depth below.
    pub root: PositionKey,
    /// Exactly there.
    pub position_key: Option<PositionKey>,
    /// Of the code of any position on the way from the root.
    pub position_code: Option<Pattern>,
    pub product_key: Option<ProductKey>,
    pub product_code: Option<Pattern>,
    pub serials_only: bool,
    pub serial_code: Option<Pattern>,
    pub serial_keys: Vec<i64>,
    pub owned: Option<bool>,
}

impl Wanted {
    /// Everything at a position and below it.
    pub fn within(root: PositionKey) -> Self {
        Self {
            root,
            position_key: None,
            position_code: None,
            product_key: None,
            product_code: None,
            serials_only: false,
            serial_code: None,
            serial_keys: Vec::new(),
            owned: None,
        }
    }
}

/// Up to so many positions, their stock is looked up by position. Of more, most of what there is would have to be sorted.
const FEW_POSITIONS: usize = 150;
/// Up to so many serials, their stock is looked up by serial.
const FEW_SERIALS: usize = 5_000;
/// Up to so many positions with a code that is searched for, what is in them is looked up from there.
const FEW_NAMED: i64 = 500;

/// The positions that a search asks for.
enum Places {
    /// All but these: the own warehouse has most of them.
    AllBut(Vec<String>),
    Among(Vec<String>),
}

async fn places(tx: &mut Tx, wanted: &Wanted) -> Result<Places> {
    if let Some(pattern) = &wanted.position_code {
        return named_below(tx, &wanted.root, pattern).await.map(Places::Among);
    }
    let inside = wanted.root.as_str() == INSIDE;
    let outside = PositionKey::trusted(OUTSIDE);
    let top = if inside { &outside } else { &wanted.root };
    let keys = texts(&links::within(tx, top).await?);
    Ok(if inside { Places::AllBut(keys) } else { Places::Among(keys) })
}

fn texts(keys: &[PositionKey]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}

/// The positions below a root with such a code on the way to them; the root itself, if it has such a code.
async fn named_below(tx: &mut Tx, root: &PositionKey, pattern: &Pattern) -> Result<Vec<String>> {
    let Some(top) = positions::find(tx, root).await? else { return Ok(Vec::new()) };
    let wanted = positions::Wanted { search: Some(pattern.clone()), ..positions::Wanted::within(root.clone()) };
    let page = Page { limit: FEW_NAMED + 1, offset: 0, count: false };
    let found = positions::keys(tx, &wanted, &page).await?.rows;
    let mut named = match i64::try_from(found.len()) {
        Ok(..=FEW_NAMED) => texts(&links::within_all(tx, &texts(&found)).await?),
        _ => named_among_all(tx, root, pattern).await?,
    };
    if pattern.matches(&fold(&top.data.code)) {
        named.push(root.to_string());
    }
    Ok(named)
}

/// Of everything below a root, what has such a code on the way to it.
async fn named_among_all(tx: &mut Tx, root: &PositionKey, pattern: &Pattern) -> Result<Vec<String>> {
    let below = links::below(tx, root).await?;
    let steps: HashMap<&PositionKey, (&PositionKey, bool)> =
        below.iter().map(|node| (&node.key, (&node.parent_key, pattern.matches(&fold(&node.code))))).collect();
    let is_named = |key: &PositionKey| {
        let mut at = key;
        while let Some((parent, fits)) = steps.get(at) {
            if *fits {
                return true;
            }
            at = *parent;
        }
        false
    };
    Ok(below.iter().filter(|node| is_named(&node.key)).map(|node| node.key.to_string()).collect())
}

/// What is looked for, as far as other records had to be asked.
struct Search<'a> {
    wanted: &'a Wanted,
    places: Places,
    /// The serials with such a code; none if they are many.
    coded: Option<Vec<i64>>,
}

impl<'a> Search<'a> {
    async fn new(tx: &mut Tx, wanted: &'a Wanted) -> Result<Self> {
        let coded = match &wanted.serial_code {
            Some(pattern) => keys_of_code(tx, pattern, FEW_SERIALS).await?,
            None => None,
        };
        Ok(Self { wanted, places: places(tx, wanted).await?, coded })
    }

    /// Whether little enough is wanted to begin with the rows of stock themselves.
    fn is_narrow(&self) -> bool {
        let few = matches!(&self.places, Places::Among(keys) if keys.len() <= FEW_POSITIONS);
        few || self.coded.is_some() || self.wanted.position_key.is_some() || !self.wanted.serial_keys.is_empty()
    }

    /// Whether most of a product's stock is wanted, so that little is read in vain.
    fn wants_most(&self) -> bool {
        let Wanted { owned, serial_code, .. } = self.wanted;
        matches!(self.places, Places::AllBut(_)) && owned.is_none() && serial_code.is_none()
    }

    fn is_of_products(&self) -> bool {
        self.wanted.product_key.is_some() || self.wanted.product_code.is_some()
    }

    /// The tables of rows, so that they are found product by product, or few.
    fn tables(&self) -> [Table; 3] {
        match self.is_narrow() {
            true => [Table::Stock, Table::Product, Table::Position],
            false => [Table::Product, Table::Stock, Table::Position],
        }
    }

    fn keys(&self) -> Query {
        self.select("stock.key", &self.tables())
    }

    /// What rows of stock have to be like, whatever the product; `serial` is that of the row.
    fn conditions(&self) -> Vec<Condition> {
        let Wanted { position_key, serials_only, serial_code, serial_keys, owned, .. } = self.wanted;
        let with = |condition, value: Value| (condition, Some(value));
        let mut conditions = vec![match &self.places {
            Places::AllBut(keys) => with("not (stock.position_key {in {}})", keys.clone().into()),
            Places::Among(keys) if keys.len() <= FEW_POSITIONS => {
                with("stock.position_key {in {}}", keys.clone().into())
            }
            // Written so that no index is used.
            Places::Among(keys) => with("(stock.position_key || '') {in {}}", keys.clone().into()),
        }];
        conditions.extend(position_key.as_ref().map(|key| with("stock.position_key = {}", key.into())));
        conditions.extend(owned.map(|owned| with("stock.owned = {}", owned.into())));
        conditions.extend(serials_only.then_some(("stock.serial_key is not null", None)));
        if !serial_keys.is_empty() {
            conditions.push(with("stock.serial_key {in {}}", serial_keys.clone().into()));
        }
        conditions.extend(match (&self.coded, serial_code) {
            (Some(keys), _) => Some(with("stock.serial_key {in {}}", keys.clone().into())),
            (None, Some(pattern)) => Some(with(HAS_CODE, Value::Pattern(pattern.clone()))),
            (None, None) => None,
        });
        conditions
    }

    /// A select of these columns of what is wanted, from tables in the order in which they are read.
    fn select(&self, columns: &str, tables: &[Table]) -> Query {
        let mut query = joined(columns, tables);
        for (condition, value) in self.conditions() {
            query = match value {
                Some(value) => query.filter(condition, value),
                None => query.only(condition),
            };
        }
        if tables.contains(&Table::Product) { of_products(self.wanted, query) } else { query }
    }

    /// Only records of which there is such stock: it is looked up for one after the other, until a page is full.
    fn with_stock(&self, of_record: &str, query: Query) -> Query {
        let (conditions, values): (Vec<&str>, Vec<Option<Value>>) = self.conditions().into_iter().unzip();
        let condition = format!(
            "coalesce((
                 select true
                 from stock
                 left join serial on serial.key = stock.serial_key
                 where {of_record} and {}
                 limit 1
             ), false)",
            conditions.join(" and ")
        );
        query.filter_row(&condition, values.into_iter().flatten())
    }
}

/// A condition, and the value at its place if it has one.
type Condition = (&'static str, Option<Value>);

/// What is read with stock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    Stock,
    Product,
    Position,
    Pair,
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Product => "product",
            Self::Position => "position",
            Self::Pair => "stock_pair",
        }
    }

    fn joined_by(self) -> Option<&'static str> {
        match self {
            Self::Stock => None,
            Self::Product => Some("product.id = stock.product_id"),
            Self::Position => Some("position.key = stock.position_key"),
            Self::Pair => {
                Some("stock_pair.product_id = stock.product_id and stock_pair.position_key = stock.position_key")
            }
        }
    }
}

/// A select of these columns of stock, from tables in the order in which they are read.
fn joined(columns: &str, tables: &[Table]) -> Query {
    let names: Vec<&str> = tables.iter().map(|table| table.name()).collect();
    let text = format!(
        "select {columns} from {} left join serial on serial.key = stock.serial_key",
        names.join(" cross join ")
    );
    tables.iter().filter_map(|table| table.joined_by()).fold(Query::new(&text), Query::only)
}

/// Whether the serial has such a code.
const HAS_CODE: &str = "(serial.code is not null and {matches serial searched {}})";

/// Only of the products that are wanted.
fn of_products(wanted: &Wanted, query: Query) -> Query {
    let query = query.filter_if("product.key = {}", wanted.product_key.as_ref());
    match &wanted.product_code {
        Some(pattern) => query.matching(products::CODE, pattern),
        None => query,
    }
}
