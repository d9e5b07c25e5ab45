//! What stock adds up to, by product or by position.

use std::collections::HashMap;

use domain::key::{PositionKey, ProductId, ProductKey};
use domain::{Quantity, Total};

use super::{Search, Table, Wanted, of_products, texts};
use crate::Result;
use crate::row::{FromRow, Row, row_struct};
use crate::sql::{Page, Paged, Query};
use crate::tx::Tx;

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

/// What all stock of a product adds up to. What is large of the product is read of those that are shown.
#[derive(Debug, Clone)]
struct Sums {
    product_id: ProductId,
    quantity: Total,
    positions: i64,
    serials: i64,
}

impl FromRow for Sums {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            product_id: row.column()?,
            quantity: row.sum().map(Total::from_millionths)?,
            positions: row.column()?,
            serials: row.column()?,
        })
    }
}

row_struct! {
    /// What the sums are of.
    struct Product {
        id: ProductId,
        key: ProductKey,
        code: String,
        description: Option<String>,
        unit: String,
        minimum: Option<Quantity>,
    }
}

fn by_id(sums: Vec<Sums>) -> HashMap<i64, Sums> {
    sums.into_iter().map(|sums| (sums.product_id.0, sums)).collect()
}

const PRODUCTS: &str =
    "select product.id, product.key, product.code, product.description, product.unit, product.minimum_stock_qt
    from product";

/// The sums of these products in this order, each with its product.
async fn with_products(tx: &mut Tx, ids: Vec<i64>, sums: Vec<Sums>) -> Result<Vec<OfProduct>> {
    let mut sums = by_id(sums);
    let products = Query::new(PRODUCTS).in_order(tx, "product.id", ids, |product: &Product| product.id.0).await?;
    let both = products.into_iter().filter_map(|product| {
        let Sums { quantity, positions, serials, .. } = sums.remove(&product.id.0)?;
        Some(OfProduct {
            product_key: product.key,
            product_code: product.code,
            product_description: product.description,
            unit: product.unit,
            minimum: product.minimum,
            quantity,
            positions,
            serials,
        })
    });
    Ok(both.collect())
}

/// What is added up of each product or position, without what it is of.
const QUANTITY: &str = "cast(sum(stock.quantity / 1000000) as {int}), cast(sum(stock.quantity % 1000000) as {int})";
const OF_PRODUCT: &str = "count(distinct stock.position_key), count(stock.serial_key)";
const OF_POSITION: &str = "count(distinct stock.product_id), count(stock.serial_key)";

const BY_PRODUCT: &str = "product.code_folded, product.code, product.key";

const PRODUCT: &str = "product.code_folded, product.code, product.key, product.id";

/// By code. Unless little is wanted, finds the products of a page first: only their stock is added up, by the number in the index of
/// stock, and not by their codes, by which all rows would be sorted.
pub async fn by_product(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<OfProduct>> {
    let search = Search::new(tx, wanted).await?;
    if search.is_narrow() {
        let columns = format!("product.id, {QUANTITY}, {OF_PRODUCT}");
        let sums = search.select(&columns, &[Table::Stock, Table::Product]).grouped(PRODUCT);
        let found: Paged<Sums> = sums.page(tx, BY_PRODUCT, page).await?;
        let ids = found.rows.iter().map(|sums| sums.product_id.0).collect();
        return Ok(Paged { rows: with_products(tx, ids, found.rows).await?, total: found.total });
    }
    let products = of_products(wanted, Query::new("select product.id from product"));
    let found: Paged<ProductId> =
        search.with_stock("stock.product_id = product.id", products).page(tx, BY_PRODUCT, page).await?;
    let ids: Vec<i64> = found.rows.into_iter().map(|id| id.0).collect();
    let columns = format!("stock.product_id, {QUANTITY}, {OF_PRODUCT}");
    let sums = search.select(&columns, &[Table::Stock]).filter("stock.product_id {in {}}", ids.clone());
    let sums = sums.grouped("stock.product_id").all(tx, "stock.product_id").await?;
    Ok(Paged { rows: with_products(tx, ids, sums).await?, total: found.total })
}

/// The products of which there is less than their minimum, by code; also those of which there is nothing.
pub async fn below_minimum(tx: &mut Tx, wanted: &Wanted) -> Result<Vec<OfProduct>> {
    let search = Search::new(tx, wanted).await?;
    let stocked: Vec<Sums> = search
        .select(&format!("product.id, {QUANTITY}, {OF_PRODUCT}"), &[Table::Product, Table::Stock])
        .only("product.minimum_stock_qt is not null")
        .grouped("product.id")
        .all(tx, "product.id")
        .await?;
    let mut stocked = by_id(stocked);
    let asked = Query::new("select product.id, product.minimum_stock_qt from product")
        .only("product.minimum_stock_qt is not null")
        .only("not product.trash");
    let asked: Vec<(ProductId, Quantity)> = of_products(wanted, asked).all(tx, BY_PRODUCT).await?;
    let nothing = |product_id| Sums { product_id, quantity: Total::from_millionths(0), positions: 0, serials: 0 };
    let short = asked.into_iter().filter_map(|(id, minimum)| {
        let sums = stocked.remove(&id.0).unwrap_or_else(|| nothing(id));
        (sums.quantity < Total::from(minimum)).then_some((id.0, sums))
    });
    let (ids, sums) = short.unzip();
    with_products(tx, ids, sums).await
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

/// What all stock at a position adds up to.
#[derive(Debug)]
struct SumsAt {
    position_key: PositionKey,
    quantity: Total,
    products: i64,
    serials: i64,
}

impl FromRow for SumsAt {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            position_key: row.column()?,
            quantity: row.sum().map(Total::from_millionths)?,
            products: row.column()?,
            serials: row.column()?,
        })
    }
}

/// The sums in the order of these positions.
async fn with_positions(tx: &mut Tx, keys: Vec<String>, sums: Vec<SumsAt>) -> Result<Vec<AtPosition>> {
    let mut sums: HashMap<PositionKey, SumsAt> =
        sums.into_iter().map(|sums| (sums.position_key.clone(), sums)).collect();
    let positions = Query::new("select position.key, position.code from position");
    let positions = positions.in_order(tx, "position.key", keys, |(key, _): &(PositionKey, String)| key.to_string());
    let both = positions.await?.into_iter().filter_map(|(position_key, position_code)| {
        let SumsAt { quantity, products, serials, .. } = sums.remove(&position_key)?;
        Some(AtPosition { position_key, position_code, quantity, products, serials })
    });
    Ok(both.collect())
}

const POSITION: &str = "position.code_folded, position.code, position.key";

/// By code. Unless little is wanted, finds the positions of a page first: only their stock is added up, likewise by their keys.
pub async fn by_position(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<AtPosition>> {
    let search = Search::new(tx, wanted).await?;
    if search.is_narrow() || search.is_of_products() {
        let columns = format!("position.key, {QUANTITY}, {OF_POSITION}");
        let sums = search.select(&columns, &search.tables()).grouped(POSITION);
        let found: Paged<SumsAt> = sums.page(tx, POSITION, page).await?;
        let keys = found.rows.iter().map(|sums| sums.position_key.to_string()).collect();
        return Ok(Paged { rows: with_positions(tx, keys, found.rows).await?, total: found.total });
    }
    let positions = Query::new("select position.key from position");
    let found: Paged<PositionKey> =
        search.with_stock("stock.position_key = position.key", positions).page(tx, POSITION, page).await?;
    let keys = texts(&found.rows);
    let columns = format!("stock.position_key, {QUANTITY}, {OF_POSITION}");
    let sums = search.select(&columns, &[Table::Stock]).filter("stock.position_key {in {}}", keys.clone());
    let sums = sums.grouped("stock.position_key").all(tx, "stock.position_key").await?;
    Ok(Paged { rows: with_positions(tx, keys, sums).await?, total: found.total })
}
