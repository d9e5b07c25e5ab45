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

const PRODUCTS: &str =
    "select product.id, product.key, product.code, product.description, product.unit, product.minimum_stock_qt
    from product";

/// The sums in the order in which they come, each with its product.
async fn with_products(tx: &mut Tx, sums: Vec<Sums>) -> Result<Vec<OfProduct>> {
    let ids: Vec<i64> = sums.iter().map(|sums| sums.product_id.0).collect();
    let mut sums: HashMap<i64, Sums> = sums.into_iter().map(|sums| (sums.product_id.0, sums)).collect();
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

const SUMS: &str =
    "product.id, cast(sum(stock.quantity / 1000000) as {int}), cast(sum(stock.quantity % 1000000) as {int}),
    count(distinct stock.position_key), count(stock.serial_key)";
const BY_PRODUCT: &str = "product.code_folded, product.code, product.key";

const PRODUCT: &str = "product.code_folded, product.code, product.key, product.id";

/// By code. Unless little is wanted, finds the products of a page first: only their stock is added up.
pub async fn by_product(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<OfProduct>> {
    let search = Search::new(tx, wanted).await?;
    if search.is_narrow() {
        let sums = search.select(SUMS, &[Table::Stock, Table::Product]).grouped(PRODUCT);
        let found: Paged<Sums> = sums.page(tx, BY_PRODUCT, page).await?;
        return Ok(Paged { rows: with_products(tx, found.rows).await?, total: found.total });
    }
    let products = of_products(wanted, Query::new("select product.id from product"));
    let found: Paged<ProductId> =
        search.with_stock("stock.product_id = product.id", products).page(tx, BY_PRODUCT, page).await?;
    let ids: Vec<i64> = found.rows.into_iter().map(|id| id.0).collect();
    let sums = search.select(SUMS, &[Table::Product, Table::Stock]).filter("product.id {in {}}", ids);
    let sums = sums.grouped(PRODUCT).all(tx, BY_PRODUCT).await?;
    Ok(Paged { rows: with_products(tx, sums).await?, total: found.total })
}

/// The products of which there is less than their minimum, by code; also those of which there is nothing.
pub async fn below_minimum(tx: &mut Tx, wanted: &Wanted) -> Result<Vec<OfProduct>> {
    let search = Search::new(tx, wanted).await?;
    let stocked: Vec<Sums> = search
        .select(SUMS, &[Table::Product, Table::Stock])
        .only("product.minimum_stock_qt is not null")
        .grouped("product.id")
        .all(tx, "product.id")
        .await?;
    let mut stocked: HashMap<i64, Sums> = stocked.into_iter().map(|sums| (sums.product_id.0, sums)).collect();
    let asked = Query::new("select product.id, product.minimum_stock_qt from product")
        .only("product.minimum_stock_qt is not null")
        .only("not product.trash");
    let asked: Vec<(ProductId, Quantity)> = of_products(wanted, asked).all(tx, BY_PRODUCT).await?;
    let nothing = |product_id| Sums { product_id, quantity: Total::from_millionths(0), positions: 0, serials: 0 };
    let short = asked.into_iter().filter_map(|(id, minimum)| {
        let sums = stocked.remove(&id.0).unwrap_or_else(|| nothing(id));
        (sums.quantity < Total::from(minimum)).then_some(sums)
    });
    with_products(tx, short.collect()).await
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

const AT_POSITION: &str = "position.key, position.code,
    cast(sum(stock.quantity / 1000000) as {int}), cast(sum(stock.quantity % 1000000) as {int}),
    count(distinct stock.product_id), count(stock.serial_key)";
const POSITION: &str = "position.code_folded, position.code, position.key";

/// By code. Unless little is wanted, finds the positions of a page first: only their stock is added up.
pub async fn by_position(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<AtPosition>> {
    let search = Search::new(tx, wanted).await?;
    if search.is_narrow() || search.is_of_products() {
        let sums = search.select(AT_POSITION, &search.tables()).grouped(POSITION);
        return sums.page(tx, POSITION, page).await;
    }
    let positions = Query::new("select position.key from position");
    let found: Paged<PositionKey> =
        search.with_stock("stock.position_key = position.key", positions).page(tx, POSITION, page).await?;
    let sums = search.select(AT_POSITION, &[Table::Position, Table::Stock]);
    let sums = sums.filter("position.key {in {}}", texts(&found.rows)).grouped(POSITION);
    Ok(Paged { rows: sums.all(tx, POSITION).await?, total: found.total })
}
