//! What lies where: rows of stock, and their sums.

use std::collections::HashMap;

use domain::key::{PositionKey, ProductKey, SerialKey, StockKey};
use domain::search::Pattern;
use domain::text::fold;
use domain::warehouse::{INSIDE, OUTSIDE};
use domain::{Quantity, Timestamp, Total};

use super::{links, positions};
use crate::Result;
use crate::product::products;
use crate::row::{FromRow, Row, row_struct};
use crate::serial::search::keys_of_code;
use crate::sql::{Page, Paged, Query};
use crate::tx::Tx;
use crate::value::Value;

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
const FEW_POSITIONS: usize = 50;
/// Up to so many serials, their stock is looked up by serial.
const FEW_SERIALS: usize = 5_000;

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
    let keys = links::within(tx, top).await?.iter().map(ToString::to_string).collect();
    Ok(if inside { Places::AllBut(keys) } else { Places::Among(keys) })
}

/// The positions below a root with such a code on the way to them; the root itself, if it has such a code.
async fn named_below(tx: &mut Tx, root: &PositionKey, pattern: &Pattern) -> Result<Vec<String>> {
    let Some(top) = positions::find(tx, root).await? else { return Ok(Vec::new()) };
    let below = links::below(tx, root).await?;
    let fits = |code: &str| pattern.matches(&fold(code));
    let steps: HashMap<&PositionKey, (&PositionKey, bool)> =
        below.iter().map(|node| (&node.key, (&node.parent_key, fits(&node.code)))).collect();
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
    let mut named: Vec<String> =
        below.iter().filter(|node| is_named(&node.key)).map(|node| node.key.to_string()).collect();
    if fits(&top.data.code) {
        named.push(root.to_string());
    }
    Ok(named)
}

/// Where a statement begins, so that it finds what it looks for in the order of the list, or finds little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    Stock,
    Product,
    Position,
}

impl Begin {
    fn tables(self) -> &'static str {
        match self {
            Begin::Stock => "from stock cross join product cross join position",
            Begin::Product => "from product cross join stock cross join position",
            Begin::Position => "from position cross join stock cross join product",
        }
    }
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

    /// A select of these columns of what is wanted, which begins with `otherwise` unless that is little.
    fn select(&self, columns: &str, otherwise: Begin) -> Query {
        let begin = if self.is_narrow() { Begin::Stock } else { otherwise };
        let text = format!(
            "select {columns} {} cross join stock_pair left join serial on serial.key = stock.serial_key",
            begin.tables()
        );
        let mut query = Query::new(&text)
            .only("product.id = stock.product_id")
            .only("position.key = stock.position_key")
            .only("stock_pair.product_id = stock.product_id")
            .only("stock_pair.position_key = stock.position_key");
        let (condition, keys) = match &self.places {
            Places::AllBut(keys) => ("not (stock.position_key {in {}})", keys),
            Places::Among(keys) if keys.len() <= FEW_POSITIONS => ("stock.position_key {in {}}", keys),
            // Written so that no index is used.
            Places::Among(keys) => ("(stock.position_key || '') {in {}}", keys),
        };
        query = query
            .filter(condition, keys.clone())
            .filter_if("stock.position_key = {}", self.wanted.position_key.as_ref())
            .filter_if("stock.owned = {}", self.wanted.owned);
        if self.wanted.serials_only {
            query = query.only("stock.serial_key is not null");
        }
        if !self.wanted.serial_keys.is_empty() {
            query = query.filter("stock.serial_key {in {}}", self.wanted.serial_keys.clone());
        }
        let coded = match (&self.coded, &self.wanted.serial_code) {
            (Some(keys), _) => Some(("stock.serial_key {in {}}", Value::from(keys.clone()))),
            (None, Some(pattern)) => Some((HAS_CODE, Value::Pattern(pattern.clone()))),
            (None, None) => None,
        };
        if let Some((condition, value)) = coded {
            query = query.filter(condition, value);
        }
        of_products(self.wanted, query)
    }
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

row_struct! {
    /// What lies at a position, of one product or one serial.
    pub struct Stocked {
        pub key: StockKey,
        pub product_key: ProductKey,
        pub product_code: String,
        pub product_description: Option<String>,
        pub unit: String,
        pub position_key: PositionKey,
        pub position_code: String,
        pub serial_key: Option<SerialKey>,
        pub serial_code: Option<String>,
        pub quantity: Quantity,
        pub owned: bool,
        pub counting: bool,
        pub locked: bool,
        pub last_counted: Option<Timestamp>,
    }
}

const ROW: &str =
    "stock.key, product.key, product.code, product.description, product.unit, position.key, position.code,
    stock.serial_key, serial.code, stock.quantity, stock.owned, stock_pair.counting, stock_pair.locked,
    stock_pair.last_counted";

const BY_CODES: &str = "product.code_folded, product.code, position.code_folded, position.code, serial.code is null,
    coalesce(serial.searched, ''), serial.code, stock.key";

/// By product, position and serial, each by its code; serials without one last.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<Stocked>> {
    Search::new(tx, wanted).await?.select(ROW, Begin::Product).page(tx, BY_CODES, page).await
}

/// A page of all stock of the own warehouse: a test looks whether the engines read it product by product.
pub fn first_page() -> (String, Vec<Value>) {
    let wanted = Wanted::within(PositionKey::trusted(INSIDE));
    let search = Search { wanted: &wanted, places: Places::AllBut(vec![OUTSIDE.to_owned()]), coded: None };
    let (sql, params) = search.select(ROW, Begin::Product).ordered(BY_CODES);
    (format!("{} limit 200", sql.0), params)
}

/// All stock of a product.
#[derive(Debug, Clone)]
pub struct OfProduct {
    pub product_key: ProductKey,
    pub product_code: String,
    pub product_description: Option<String>,
    pub unit: String,
    pub minimum: Option<Quantity>,
    pub quantity: Total,
    pub positions: i64,
    pub serials: i64,
}

impl FromRow for OfProduct {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            product_key: row.column()?,
            product_code: row.column()?,
            product_description: row.column()?,
            unit: row.column()?,
            minimum: row.column()?,
            quantity: row.sum().map(Total::from_millionths)?,
            positions: row.column()?,
            serials: row.column()?,
        })
    }
}

const OF_PRODUCT: &str = "product.key, product.code, product.description, product.unit, product.minimum_stock_qt,
    cast(sum(stock.quantity / 1000000) as {int}), cast(sum(stock.quantity % 1000000) as {int}),
    count(distinct stock.position_key), count(stock.serial_key)";
const BY_PRODUCT: &str = "product.code_folded, product.code, product.key";

/// By code.
pub async fn by_product(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<OfProduct>> {
    let search = Search::new(tx, wanted).await?;
    search
        .select(OF_PRODUCT, Begin::Product)
        .grouped("product.code_folded, product.code, product.key, product.id")
        .page(tx, BY_PRODUCT, page)
        .await
}

/// The products of which there is less than their minimum, by code; also those of which there is nothing.
pub async fn below_minimum(tx: &mut Tx, wanted: &Wanted) -> Result<Vec<OfProduct>> {
    let search = Search::new(tx, wanted).await?;
    let stocked: Vec<OfProduct> = search
        .select(OF_PRODUCT, Begin::Product)
        .only("product.minimum_stock_qt is not null")
        .grouped("product.code_folded, product.code, product.key, product.id")
        .all(tx, BY_PRODUCT)
        .await?;
    let mut stocked: HashMap<ProductKey, OfProduct> =
        stocked.into_iter().map(|found| (found.product_key.clone(), found)).collect();
    let asked = Query::new(
        "select product.key, product.code, product.description, product.unit, product.minimum_stock_qt,
                cast(0 as {int}), cast(0 as {int}), cast(0 as {int}), cast(0 as {int})
         from product",
    )
    .only("product.minimum_stock_qt is not null")
    .only("not product.trash");
    let asked: Vec<OfProduct> = of_products(wanted, asked).all(tx, BY_PRODUCT).await?;
    let found = asked.into_iter().map(|product| stocked.remove(&product.product_key).unwrap_or(product));
    let is_short = |found: &OfProduct| found.minimum.is_some_and(|minimum| found.quantity < Total::from(minimum));
    Ok(found.filter(is_short).collect())
}

/// All stock at a position.
#[derive(Debug, Clone)]
pub struct AtPosition {
    pub position_key: PositionKey,
    pub position_code: String,
    pub quantity: Total,
    pub products: i64,
    pub serials: i64,
}

impl FromRow for AtPosition {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            position_key: row.column()?,
            position_code: row.column()?,
            quantity: row.sum().map(Total::from_millionths)?,
            products: row.column()?,
            serials: row.column()?,
        })
    }
}

/// By code.
pub async fn by_position(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<AtPosition>> {
    let search = Search::new(tx, wanted).await?;
    search
        .select(
            "position.key, position.code,
             cast(sum(stock.quantity / 1000000) as {int}), cast(sum(stock.quantity % 1000000) as {int}),
             count(distinct stock.product_id), count(stock.serial_key)",
            Begin::Position,
        )
        .grouped("position.code_folded, position.code, position.key")
        .page(tx, "position.code_folded, position.code, position.key", page)
        .await
}
