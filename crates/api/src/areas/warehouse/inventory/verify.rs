use domain::key::{PositionKey, ProductKey, SerialKey};
use domain::warehouse::StockProblem;
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::warehouse::verify::{self, Compared};
use tokio::sync::Semaphore;

use crate::Result;
use crate::cx::Cx;
use crate::input::Query;
use crate::reply::Bare;

#[derive(Deserialize, JsonSchema)]
pub(super) struct VerifyQuery {
    /// Only the stock of this product.
    product_key: Option<ProductKey>,
}

/// Whether stock is what the movements say.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InventoryVerification")]
pub(super) struct Verified {
    /// Whether there are neither differences nor problems.
    ok: bool,
    checked_at: Timestamp,
    /// How many rows of stock were looked at.
    stock_rows: i64,
    /// How many completed movements were looked at.
    movements: i64,
    differences: Vec<Difference>,
    problems: Vec<Problem>,
}

/// Where stock is not what the movements say.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StockDifference")]
struct Difference {
    product_key: ProductKey,
    product_code: String,
    position_key: PositionKey,
    position_code: String,
    serial_key: Option<SerialKey>,
    /// What lies there. Null: more than a quantity can be.
    stock_quantity: Option<Quantity>,
    /// What completed movements make of it. Null: more than a quantity can be.
    journal_quantity: Option<Quantity>,
}

/// What is wrong with a row of stock, or with the marks of a product at a position.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FaultyStock")]
struct Problem {
    kind: StockProblem,
    product_key: ProductKey,
    position_key: PositionKey,
    serial_key: Option<SerialKey>,
}

/// It takes seconds of work and a connection: each node runs one at a time.
static TURN: Semaphore = Semaphore::const_new(1);

pub(super) async fn verify(cx: Cx, Query(query): Query<VerifyQuery>) -> Result<Bare<Verified>> {
    let turn = TURN.acquire().await;
    let comparing = async move |tx: &mut Tx| {
        let _turn = turn;
        Ok(verify::compare(tx, query.product_key.as_ref()).await?)
    };
    let found = cx.read_apart(comparing).await?;
    Ok(Bare(shown(found, cx.now())))
}

fn shown(found: Compared, checked_at: Timestamp) -> Verified {
    let difference = |found: verify::Difference| Difference {
        product_key: found.product_key,
        product_code: found.product_code,
        position_key: found.position_key,
        position_code: found.position_code,
        serial_key: found.serial_key,
        stock_quantity: found.stock_quantity,
        journal_quantity: found.journal_quantity,
    };
    let problem = |found: verify::Problem| Problem {
        kind: found.kind,
        product_key: found.product_key,
        position_key: found.position_key,
        serial_key: found.serial_key,
    };
    Verified {
        ok: found.is_right(),
        checked_at,
        stock_rows: found.stock_rows,
        movements: found.movements,
        differences: found.differences.into_iter().map(difference).collect(),
        problems: found.problems.into_iter().map(problem).collect(),
    }
}
