//! Rows of stock by the codes of products, positions and serials.

use std::collections::BTreeSet;

use domain::key::{PositionKey, ProductKey, SerialKey, StockKey};
use domain::warehouse::{INSIDE, OUTSIDE};
use domain::{Quantity, Timestamp};

use super::{Places, Search, Table, Wanted, joined};
use crate::Result;
use crate::row::row_struct;
use crate::sql::{Page, Paged, Query, Sql};
use crate::tx::Tx;
use crate::value::Value;

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

/// So many rows are counted ahead of a page, where most of what is read counts. To sort fewer than these and those of the page costs
/// less than to count them by place.
const AHEAD: i64 = 400;

/// By product, position and serial, each by its code; serials without one last. Finds the page first: what is on the pages
/// before it is not read whole.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<Stocked>> {
    let search = Search::new(tx, wanted).await?;
    let found = match search.is_narrow() || page.offset == 0 && !search.wants_most() {
        true => search.keys().page(tx, BY_CODES, page).await?,
        false => counted_page(tx, &search, page).await?,
    };
    let keys = found.rows.into_iter().map(|key| key.0).collect();
    let rows = joined(ROW, &[Table::Stock, Table::Product, Table::Position, Table::Pair]);
    let rows = rows.in_order(tx, "stock.key", keys, |stocked: &Stocked| stocked.key.0).await?;
    Ok(Paged { rows, total: found.total })
}

/// What is on the pages before is only counted, product by product, and not sorted. So is, place by place, what the products that
/// reach into the page have besides it, if that is much.
async fn counted_page(tx: &mut Tx, search: &Search<'_>, page: &Page) -> Result<Paged<StockKey>> {
    let total = match page.count {
        true => Some(search.keys().count(tx).await?),
        false => None,
    };
    let ahead = page.end().saturating_add(if search.wants_most() { AHEAD } else { 0 });
    let all = Page { limit: ahead, offset: 0, count: false };
    let products: Paged<(String, i64)> = until(search, ahead).page(tx, "folded", &all).await?;
    let (products, mut rest) = reaching_into(products.rows, page);
    let rows: i64 = products.iter().map(|(_, rows)| rows).sum();
    let codes: Vec<String> = products.into_iter().map(|(folded, _)| folded).collect();
    let mut keys = search.keys().filter("product.code_folded {in {}}", codes.clone());
    if rows >= page.limit.saturating_add(AHEAD) {
        let (sql, params) = by_place(search, codes);
        let places: Vec<Place> = tx.all(sql, &params).await?;
        let (places, page) = reaching_into(together(places), &rest);
        keys = among(keys, &places.into_iter().flat_map(|(places, _)| places).collect::<Vec<_>>());
        rest = page;
    }
    let found = keys.page(tx, BY_CODES, &rest).await?;
    Ok(Paged { rows: found.rows, total })
}

/// The groups of counted rows that a page shows some of, and where the page is among them.
fn reaching_into<T>(counted: Vec<(T, i64)>, page: &Page) -> (Vec<(T, i64)>, Page) {
    let (mut at, mut before, mut reaching) = (0, 0, Vec::new());
    for (group, rows) in counted {
        if at >= page.end() {
            break;
        }
        at += rows;
        if at <= page.offset {
            before = at;
        } else {
            reaching.push((group, rows));
        }
    }
    (reaching, Page { offset: page.offset - before, count: false, ..*page })
}

/// The first rows, counted by the folded codes of products. Products with the same one are counted together: where one is in the
/// trash, even their codes may be the same, and their stock is mixed.
fn until(search: &Search<'_>, end: i64) -> Query {
    search
        .select("product.code_folded as folded", &[Table::Product, Table::Stock])
        .first("product.code_folded", end, "select folded, count(*) from {rows} as counted")
        .grouped("folded")
}

const PLACE: &str = "counted.product_folded, counted.product_code, position.code_folded, position.key";

row_struct! {
    /// All rows of such products at a position.
    struct Place {
        product_folded: String,
        product_code: String,
        position_folded: String,
        position_key: String,
        rows: i64,
    }
}

impl Place {
    fn codes(&self) -> [&String; 3] {
        [&self.product_folded, &self.product_code, &self.position_folded]
    }
}

/// The rows of products with these folded codes, counted by place.
fn by_place(search: &Search<'_>, codes: Vec<String>) -> (Sql, Vec<Value>) {
    let counted =
        "product.code_folded as product_folded, product.code as product_code, stock.position_key, count(*) as number";
    search
        .select(counted, &[Table::Product, Table::Stock])
        .filter("product.code_folded {in {}}", codes)
        .grouped("product.code_folded, product.code, stock.position_key")
        .inside(&format!(
            "select {PLACE}, counted.number
             from {{rows}} as counted
             join position on position.key = counted.position_key"
        ))
        .ordered(PLACE)
}

/// Places with the same codes are counted together: where one is in the trash, what is there is mixed.
fn together(places: Vec<Place>) -> Vec<(Vec<Place>, i64)> {
    let alike = places.chunk_by(|one, next| one.codes() == next.codes());
    alike.map(|places| (places.to_vec(), places.iter().map(|place| place.rows).sum())).collect()
}

/// Only the rows from the first of these places to the last, which are found by their positions.
fn among(keys: Query, places: &[Place]) -> Query {
    let [first, last] = [places.first(), places.last()];
    let (Some(first), Some(last)) = (first, last) else { return keys };
    let positions: BTreeSet<&String> = places.iter().map(|place| &place.position_key).collect();
    let codes = |place: &Place| place.codes().map(Value::from);
    keys.filter("stock.position_key {in {}}", positions.into_iter().cloned().collect::<Vec<_>>())
        .filter_row("(product.code_folded, product.code, position.code_folded) >= ({}, {}, {})", codes(first))
        .filter_row("(product.code_folded, product.code, position.code_folded) <= ({}, {}, {})", codes(last))
}

/// A page of all stock of the own warehouse, or of its serials, and what is counted for it: a test looks whether the engines read them
/// product by product.
pub fn page_statements(serials_only: bool) -> [(String, Vec<Value>); 3] {
    let wanted = Wanted { serials_only, ..Wanted::within(PositionKey::trusted(INSIDE)) };
    let search = Search { wanted: &wanted, places: Places::AllBut(vec![OUTSIDE.to_owned()]), coded: None };
    let codes = || vec!["p".to_owned()];
    let [product_folded, product_code, position_folded, position_key] = ["p", "P", "p1", "p1"].map(ToOwned::to_owned);
    let place = Place { product_folded, product_code, position_folded, position_key, rows: 1 };
    let keys = among(search.keys().filter("product.code_folded {in {}}", codes()), &[place]).ordered(BY_CODES);
    [keys, until(&search, 400).ordered("folded"), by_place(&search, codes())]
        .map(|(sql, params)| (format!("{} limit 200", sql.0), params))
}
