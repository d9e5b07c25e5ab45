//! The wire formats of stock: single rows, and sums by product or position.

use std::collections::HashMap;

use domain::key::{PositionKey, ProductKey, SerialKey, StockKey};
use domain::{Quantity, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value};
use sheet::Cell;
use store::Tx;
use store::warehouse::inventory::{AtPosition, OfProduct, Stocked};
use store::warehouse::links;

use crate::Result;
use crate::areas::warehouse::position::Step;
use crate::export::TableRow;

/// What lies at a position, of one product or one serial.
#[derive(Serialize, JsonSchema)]
pub(super) struct StockRow {
    /// The inventory key.
    _key: StockKey,
    product_key: ProductKey,
    product_code: String,
    product_description: Option<String>,
    /// The unit in which the product is counted. Empty: pieces.
    unit: String,
    position_key: PositionKey,
    position_code: String,
    /// The way from below the root down to the position; of the root itself, only that.
    path: Vec<Step>,
    serial_key: Option<SerialKey>,
    serial_code: Option<String>,
    /// Never 0; of a serial 1.
    quantity: Quantity,
    value: Option<Quantity>,
    /// False: it belongs to a customer or a supplier.
    owned: bool,
    /// Whether the product is being counted at this position.
    counting: bool,
    /// Whether a counting session is correcting the product at this position.
    locked: bool,
    /// When the product was last counted at this position.
    last_counted: Option<Timestamp>,
    extra: Option<Map<String, Value>>,
}

/// All stock of a product, as far as it fits the filters.
#[derive(Serialize, JsonSchema)]
pub(super) struct ProductStock {
    product_key: ProductKey,
    product_code: String,
    product_description: Option<String>,
    /// The unit in which the product is counted. Empty: pieces.
    unit: String,
    /// The exact sum. Null: more than a quantity can be.
    quantity: Option<Quantity>,
    /// The stock below which people are told.
    minimum_stock_qt: Option<Quantity>,
    /// At how many positions it lies.
    positions: i64,
    /// How many serials there are.
    serials: i64,
}

/// All stock at a position, as far as it fits the filters.
#[derive(Serialize, JsonSchema)]
pub(super) struct PositionStock {
    position_key: PositionKey,
    position_code: String,
    /// The way from below the root down to the position; of the root itself, only that.
    path: Vec<Step>,
    /// The exact sum. Null: more than a quantity can be.
    quantity: Option<Quantity>,
    /// How many products lie there.
    products: i64,
    /// How many serials lie there.
    serials: i64,
}

/// A row in the requested form.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Row {
    Stock(Box<StockRow>),
    Product(Box<ProductStock>),
    Position(Box<PositionStock>),
}

impl JsonSchema for Row {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "InventoryRow".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let forms = [
            generator.subschema_for::<StockRow>(),
            generator.subschema_for::<ProductStock>(),
            generator.subschema_for::<PositionStock>(),
        ];
        schemars::json_schema!({
            "anyOf": forms,
            "description": "Stock of one product or serial at one position, or with `group_by` that of a product or a position."
        })
    }
}

pub(super) const STOCK_COLUMNS: &[&str] = &[
    "_key",
    "product_key",
    "product_code",
    "product_description",
    "unit",
    "position_key",
    "position_code",
    "path",
    "serial_key",
    "serial_code",
    "quantity",
    "owned",
    "counting",
    "locked",
    "last_counted",
];
pub(super) const PRODUCT_COLUMNS: &[&str] = &[
    "product_key",
    "product_code",
    "product_description",
    "unit",
    "quantity",
    "minimum_stock_qt",
    "positions",
    "serials",
];
pub(super) const POSITION_COLUMNS: &[&str] =
    &["position_key", "position_code", "path", "quantity", "products", "serials"];

/// The codes on the way to a position.
fn way(path: &[Step]) -> String {
    path.iter().map(|step| step.position_code.as_str()).collect::<Vec<_>>().join(" / ")
}

impl TableRow for Row {
    fn cells(&self) -> Vec<Cell<'_>> {
        match self {
            Row::Stock(row) => vec![
                Cell::text(row._key.to_string()),
                Cell::text(row.product_key.as_str()),
                Cell::text(row.product_code.as_str()),
                Cell::maybe(row.product_description.as_deref(), Cell::text),
                Cell::text(row.unit.as_str()),
                Cell::text(row.position_key.as_str()),
                Cell::text(row.position_code.as_str()),
                Cell::text(way(&row.path)),
                Cell::maybe(row.serial_key, |key| Cell::text(key.to_string())),
                Cell::maybe(row.serial_code.as_deref(), Cell::text),
                Cell::number(row.quantity),
                Cell::Boolean(row.owned),
                Cell::Boolean(row.counting),
                Cell::Boolean(row.locked),
                Cell::maybe(row.last_counted, |time| Cell::text(time.to_string())),
            ],
            Row::Product(row) => vec![
                Cell::text(row.product_key.as_str()),
                Cell::text(row.product_code.as_str()),
                Cell::maybe(row.product_description.as_deref(), Cell::text),
                Cell::text(row.unit.as_str()),
                Cell::maybe(row.quantity, Cell::number),
                Cell::maybe(row.minimum_stock_qt, Cell::number),
                Cell::number(row.positions),
                Cell::number(row.serials),
            ],
            Row::Position(row) => vec![
                Cell::text(row.position_key.as_str()),
                Cell::text(row.position_code.as_str()),
                Cell::text(way(&row.path)),
                Cell::maybe(row.quantity, Cell::number),
                Cell::number(row.products),
                Cell::number(row.serials),
            ],
        }
    }
}

/// The ways to these positions, from below a root.
pub(super) struct Ways {
    root: PositionKey,
    of_holder: HashMap<PositionKey, Vec<links::Step>>,
}

impl Ways {
    pub(super) async fn to<'a>(
        tx: &mut Tx,
        root: &PositionKey,
        holders: impl Iterator<Item = &'a PositionKey>,
    ) -> Result<Self> {
        let mut keys: Vec<String> = holders.map(ToString::to_string).collect();
        keys.sort_unstable();
        keys.dedup();
        Ok(Self { root: root.clone(), of_holder: links::paths(tx, &keys).await? })
    }

    fn path(&self, holder: &PositionKey) -> Vec<Step> {
        let Some(whole) = self.of_holder.get(holder) else { return Vec::new() };
        let below = match whole.iter().position(|step| step.key == self.root) {
            Some(at) if *holder == self.root => at,
            Some(at) => at + 1,
            None => 0,
        };
        let shown = |step: &links::Step| Step { position_key: step.key.clone(), position_code: step.code.clone() };
        whole[below..].iter().map(shown).collect()
    }
}

pub(super) fn stock_row(stocked: Stocked, ways: &Ways) -> Row {
    Row::Stock(Box::new(StockRow {
        _key: stocked.key,
        product_key: stocked.product_key,
        product_code: stocked.product_code,
        product_description: stocked.product_description,
        unit: stocked.unit,
        path: ways.path(&stocked.position_key),
        position_key: stocked.position_key,
        position_code: stocked.position_code,
        serial_key: stocked.serial_key,
        serial_code: stocked.serial_code,
        quantity: stocked.quantity,
        value: None,
        owned: stocked.owned,
        counting: stocked.counting,
        locked: stocked.locked,
        last_counted: stocked.last_counted,
        extra: None,
    }))
}

pub(super) fn product_row(found: OfProduct) -> Row {
    Row::Product(Box::new(ProductStock {
        product_key: found.product_key,
        product_code: found.product_code,
        product_description: found.product_description,
        unit: found.unit,
        quantity: found.quantity.quantity(),
        minimum_stock_qt: found.minimum,
        positions: found.positions,
        serials: found.serials,
    }))
}

pub(super) fn position_row(found: AtPosition, ways: &Ways) -> Row {
    Row::Position(Box::new(PositionStock {
        path: ways.path(&found.position_key),
        position_key: found.position_key,
        position_code: found.position_code,
        quantity: found.quantity.quantity(),
        products: found.products,
        serials: found.serials,
    }))
}
