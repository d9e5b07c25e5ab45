use std::collections::HashMap;

use domain::config::SERIAL_FIELDS;
use domain::key::{BatchKey, PositionKey, ProductId, ProductKey, SerialKey, WorkOrderKey};
use domain::search::Pattern;
use domain::serial::code_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::Tx;
use store::administration::config;
use store::product::products::{self, Name};
use store::serial::serials::{self, Choice};

use super::not_found;
use super::wire::{SerialRecord, record};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{ALL, Paging, Path, Query};
use crate::reply::{Bare, Listed};

#[derive(Deserialize, JsonSchema)]
pub(super) struct SerialPath {
    /// The key of a serial.
    pub(super) serial_key: SerialKey,
}

pub(super) async fn one(cx: Cx, Path(path): Path<SerialPath>) -> Result<Bare<SerialRecord>> {
    cx.app
        .read(async |tx: &mut Tx| {
            let view = serials::view(tx, path.serial_key).await?.ok_or_else(not_found)?;
            Ok(Bare(record(view)))
        })
        .await
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CodeQuery {
    /// The code; spaces around it and its case do not matter.
    serial_code: String,
    /// Only of this product.
    product_key: Option<ProductKey>,
}

pub(super) async fn by_code(
    cx: Cx,
    Query(query): Query<CodeQuery>,
    Paging(page): Paging<ALL>,
) -> Result<Listed<SerialRecord>> {
    let Some(code) = code_of(&query.serial_code) else { return Ok(Listed::page(Vec::new(), &page)) };
    cx.read(async |tx: &mut Tx| {
        let found = serials::with_code(tx, &code, query.product_key.as_ref()).await?;
        Ok(Listed::page(found.into_iter().map(record).collect(), &page))
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct FreeQuery {
    /// The code; spaces around it and its case do not matter.
    serial_code: String,
    /// Only serials of this product count.
    product_key: Option<ProductKey>,
    /// This serial does not count.
    serial_key: Option<SerialKey>,
}

pub(super) async fn verify_free(cx: Cx, Query(query): Query<FreeQuery>) -> Result<Bare<bool>> {
    let Some(code) = code_of(&query.serial_code) else { return Ok(Bare(true)) };
    cx.read(async |tx: &mut Tx| {
        let found = serials::with_code(tx, &code, query.product_key.as_ref()).await?;
        Ok(Bare(found.iter().all(|view| Some(view.serial.key) == query.serial_key)))
    })
    .await
}

/// The definition of a field of serials, as the site has configured it.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "SerialFieldDefinition")]
pub(super) struct SerialField(Map<String, Value>);

pub(super) async fn configured_fields(tx: &mut Tx) -> Result<Vec<Map<String, Value>>> {
    let entry = config::get(tx, SERIAL_FIELDS).await?;
    let fields = entry.and_then(|entry| match entry {
        Value::Array(fields) => Some(fields),
        _ => None,
    });
    let fields = fields.unwrap_or_default().into_iter().filter_map(|field| match field {
        Value::Object(field) => Some(field),
        _ => None,
    });
    Ok(fields.collect())
}

pub(super) async fn fields(cx: Cx, Paging(page): Paging<ALL>) -> Result<Listed<SerialField>> {
    cx.read(async |tx: &mut Tx| {
        let fields = configured_fields(tx).await?;
        Ok(Listed::page(fields.into_iter().map(SerialField).collect(), &page))
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct SelectionQuery {
    /// What the code contains.
    search: Option<String>,
    /// Only of this work order.
    wo_key: Option<WorkOrderKey>,
    /// Only of this product.
    product_key: Option<ProductKey>,
    /// Only those that this batch works or worked on.
    batch_key: Option<BatchKey>,
    /// Only those that no other unit contains.
    #[serde(default)]
    free_only: bool,
    /// Only those that are in stock and that no other unit contains.
    #[serde(default)]
    inventory_only: bool,
    /// Only those that are in stock in this very position.
    inventory_in_position_key: Option<PositionKey>,
    /// Also those that are still in production.
    #[serde(default)]
    include_unreleased: bool,
}

/// A serial to choose.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SerialOption")]
pub(super) struct SerialOption {
    #[serde(flatten)]
    serial: SerialRecord,
    /// Whether another unit contains it.
    used: bool,
    /// Whether it is in stock, and no other unit contains it.
    available: bool,
    product_code: String,
    product_description: Option<String>,
}

pub(super) async fn selection(
    cx: Cx,
    Query(query): Query<SelectionQuery>,
    Paging(page): Paging<100>,
) -> Result<Listed<SerialOption>> {
    let choice = Choice {
        code: query.search.filter(|text| !text.is_empty()).map(|text| Pattern::substring(&text)),
        wo_key: query.wo_key,
        product_key: query.product_key,
        batch_key: query.batch_key,
        free_only: query.free_only,
        in_stock_only: query.inventory_only,
        in_position: query.inventory_in_position_key,
        include_unreleased: query.include_unreleased,
    };
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = serials::choose(tx, &choice, &page).await?;
            let names = names(tx, found.rows.iter().map(|view| view.serial.product_id)).await?;
            let option = |view: serials::SerialView| {
                let name = names.get(&view.serial.product_id);
                SerialOption {
                    used: view.standing.used,
                    available: view.standing.available(),
                    product_code: name.map(|name| name.code.clone()).unwrap_or_default(),
                    product_description: name.and_then(|name| name.description.clone()),
                    serial: record(view),
                }
            };
            let rows = found.rows.into_iter().map(option).collect();
            Ok::<_, ApiError>(Listed { rows, total: found.total })
        })
        .await
}

/// The names of the products of rows, which all show them: with the memory for that.
pub(crate) async fn names(tx: &mut Tx, ids: impl Iterator<Item = ProductId>) -> Result<HashMap<ProductId, Name>> {
    let rows: Vec<ProductId> = ids.collect();
    let mut ids: Vec<i64> = rows.iter().map(|id| id.0).collect();
    ids.sort_unstable();
    ids.dedup();
    let names = products::names_by_id(tx, &ids).await?;
    let names: HashMap<ProductId, Name> = names.into_iter().map(|name| (name.id, name)).collect();
    let bytes = |name: &Name| name.code.len() + name.description.as_ref().map_or(0, String::len);
    tx.take_memory(rows.iter().filter_map(|id| names.get(id)).map(bytes).sum())?;
    Ok(names)
}
