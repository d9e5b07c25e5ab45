//! What is directly in a position: other positions, and stock.

use std::collections::HashMap;

use domain::Quantity;
use domain::key::{PositionKey, ProductKey, SerialKey};
use domain::search::Pattern;

use crate::row::row_struct;
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

row_struct! {
    /// A position in another one, or a row of stock.
    pub struct Held {
        /// Of the link.
        pub key: i64,
        /// Of a position, its code; of a serial, its own; else that of the product.
        pub code: Option<String>,
        pub position_key: Option<PositionKey>,
        pub position_fixed: Option<bool>,
        pub product_key: Option<ProductKey>,
        pub product_code: Option<String>,
        pub product_description: Option<String>,
        pub quantity: Option<Quantity>,
        pub serial_key: Option<SerialKey>,
        pub serial_code: Option<String>,
    }
}

/// By code, serials without one last; `search` looks into codes and codes of products. All that is in a position is sorted, without
/// descriptions: those are read of what is on the page.
pub async fn list(tx: &mut Tx, key: &PositionKey, search: Option<&Pattern>, page: &Page) -> Result<Paged<Held>> {
    let mut found: Paged<Held> = Query::new(
        "select held.key, held.code, held.position_key, held.position_fixed, held.product_key, held.product_code,
                cast(null as text), held.quantity, held.serial_key, held.serial_code",
    )
    .join(HELD, key)
    .filter_if(
        "({matches held folded {}} or {matches held product_folded {}})",
        search.map(|pattern| Value::Pattern(pattern.clone())),
    )
    .page(tx, "held.folded is null, held.folded, held.code, held.key", page)
    .await?;
    let stock: Vec<&mut Held> = found.rows.iter_mut().filter(|held| held.product_key.is_some()).collect();
    let mut descriptions = descriptions(tx, stock.iter().map(|held| held.key).collect()).await?;
    for held in stock {
        held.product_description = descriptions.remove(&held.key);
    }
    Ok(found)
}

/// Those of the products of some rows of stock, for each row.
async fn descriptions(tx: &mut Tx, stock: Vec<i64>) -> Result<HashMap<i64, String>> {
    if stock.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = sql!(
        "select stock.key, product.description
         from stock
         join product on product.id = stock.product_id
         where stock.key {in $1} and product.description is not null"
    );
    let found: Vec<(i64, String)> = tx.all(sql, &params![stock]).await?;
    Ok(found.into_iter().collect())
}

/// `{}` is the place of the position's key.
const HELD: &str = "from (
        select position_link.key as key, position.code as code, position.code_folded as folded,
               position.key as position_key, position.fixed as position_fixed,
               cast(null as text) as product_key, cast(null as text) as product_code,
               cast(null as text) as product_folded, cast(null as {int}) as quantity,
               cast(null as {int}) as serial_key, cast(null as text) as serial_code
        from position_link
        join position on position.key = position_link.child_key
        where position_link.parent_key = {}
        union all
        select stock.key,
               case when stock.serial_key is null then product.code else serial.code end,
               case when stock.serial_key is null then product.code_folded
                    when serial.code is not null then serial.searched end,
               cast(null as text), cast(null as {bool}), product.key, product.code, product.code_folded,
               stock.quantity, stock.serial_key, serial.code
        from stock
        join product on product.id = stock.product_id
        left join serial on serial.key = stock.serial_key
        where stock.position_key = {}
    ) as held";

/// How many rows of stock lie in a position.
pub async fn stock_rows(tx: &mut Tx, key: &PositionKey) -> Result<i64> {
    tx.one(sql!("select count(*) from stock where position_key = $1"), &params![key]).await
}

/// How many products are being counted in a position, or are locked by a counting session.
pub async fn busy_pairs(tx: &mut Tx, key: &PositionKey) -> Result<i64> {
    let sql = sql!("select count(*) from stock_pair where position_key = $1 and (counting or locked)");
    tx.one(sql, &params![key]).await
}
