use domain::Fault;
use domain::key::{PositionKey, ProductKey, SerialKey};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::warehouse::inventory::{self, Wanted};
use store::{Page, Tx};

use super::wire::{POSITION_COLUMNS, PRODUCT_COLUMNS, Row, STOCK_COLUMNS, Ways, position_row, product_row, stock_row};
use crate::Result;
use crate::areas::filters::wildcard;
use crate::areas::warehouse::position::inside;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::export::ListOrTable;
use crate::input::{Paging, Query};
use crate::reply::Listed;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "InventoryGroup")]
enum Group {
    Product,
    Position,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct InventoryQuery {
    /// Only what lies at this position, or at any depth below it.
    #[serde(default = "inside")]
    root_position_key: PositionKey,
    /// Only what lies at exactly this position.
    position_key: Option<PositionKey>,
    /// Wildcard pattern for the code of any position on the way to what lies there: `*` is any run of characters, `?` one character.
    position_search: Option<String>,
    /// Only this product.
    product_key: Option<ProductKey>,
    /// Wildcard pattern for the code of the product.
    product_search: Option<String>,
    /// Whether to leave out what has no serial.
    #[serde(default)]
    serials_only: bool,
    /// Wildcard pattern for the code of the serial.
    serial_search: Option<String>,
    /// Only these serials, by key.
    #[serde(default)]
    serial_keys: Vec<SerialKey>,
    /// Only what belongs to this site (true), or to customers and suppliers (false).
    owned: Option<bool>,
    /// Whether to return sums by product or by position.
    group_by: Option<Group>,
    /// With `group_by=product`: only products of which there is less than their minimum.
    #[serde(default)]
    below_minimum: bool,
}

impl InventoryQuery {
    fn wanted(self) -> Wanted {
        Wanted {
            root: self.root_position_key,
            position_key: self.position_key,
            position_code: wildcard(self.position_search),
            product_key: self.product_key,
            product_code: wildcard(self.product_search),
            serials_only: self.serials_only,
            serial_code: wildcard(self.serial_search),
            serial_keys: self.serial_keys.iter().map(|key| key.0).collect(),
            owned: self.owned,
        }
    }
}

/// What a client wants to see of the stock that fits the filters.
#[derive(Debug, Clone, Copy)]
enum Form {
    Rows,
    Products,
    Short,
    Positions,
}

impl Form {
    fn of(query: &InventoryQuery) -> Result<Self> {
        match (query.group_by, query.below_minimum) {
            (None, false) => Ok(Form::Rows),
            (Some(Group::Product), false) => Ok(Form::Products),
            (Some(Group::Product), true) => Ok(Form::Short),
            (Some(Group::Position), false) => Ok(Form::Positions),
            (_, true) => {
                let why = "Only products have a minimum: it needs `group_by=product`.";
                let fault =
                    Fault::new("value_error", &["query".into(), "below_minimum".into()], why, &Value::Bool(true));
                Err(ApiError::validation(vec![fault]))
            }
        }
    }

    fn columns(self) -> &'static [&'static str] {
        match self {
            Form::Rows => STOCK_COLUMNS,
            Form::Products | Form::Short => PRODUCT_COLUMNS,
            Form::Positions => POSITION_COLUMNS,
        }
    }
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<InventoryQuery>,
    Paging(page): Paging<200>,
) -> Result<ListOrTable<Row>> {
    let form = Form::of(&query)?;
    let wanted = query.wanted();
    let listed = cx.db.read_long(async move |tx: &mut Tx| rows(tx, form, &wanted, &page).await).await?;
    ListOrTable::new(&cx, "inventory", form.columns(), listed)
}

async fn rows(tx: &mut Tx, form: Form, wanted: &Wanted, page: &Page) -> Result<Listed<Row>> {
    match form {
        Form::Rows => {
            let found = inventory::list(tx, wanted, page).await?;
            let ways = Ways::to(tx, &wanted.root, found.rows.iter().map(|row| &row.position_key)).await?;
            let rows = found.rows.into_iter().map(|row| stock_row(row, &ways)).collect();
            Ok(Listed { rows, total: found.total })
        }
        Form::Products => {
            let found = inventory::by_product(tx, wanted, page).await?;
            Ok(Listed { rows: found.rows.into_iter().map(product_row).collect(), total: found.total })
        }
        Form::Short => {
            let found = inventory::below_minimum(tx, wanted).await?;
            Ok(Listed::page(found.into_iter().map(product_row).collect(), page))
        }
        Form::Positions => {
            let found = inventory::by_position(tx, wanted, page).await?;
            let ways = Ways::to(tx, &wanted.root, found.rows.iter().map(|row| &row.position_key)).await?;
            let rows = found.rows.into_iter().map(|row| position_row(row, &ways)).collect();
            Ok(Listed { rows, total: found.total })
        }
    }
}
