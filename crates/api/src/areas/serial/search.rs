use std::collections::HashMap;

use domain::filter::AdvancedFilters;
use domain::key::{FieldKey, FormFieldKey, ProductKey, SerialKey, UserKey, WorkOrderKey};
use domain::search::Pattern;
use domain::serial::{SerialState, SerialValue};
use domain::{Fault, Timestamp, Until};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use store::Tx;
use store::product::products;
use store::serial::search::{self, Found, Sort, Wanted};

use super::read::configured_fields;
use super::wire::{SerialRecord, record};
use crate::Result;
use crate::areas::filters;
use crate::areas::product::{ProductDetail, details};
use crate::areas::sharing::{Shared, written_bytes};
use crate::areas::sorting::SortingOrder;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Query};
use crate::reply::Listed;

/// So many serials are looked for above or below.
const MOST_RELATIVES: usize = 10_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct SearchQuery {
    /// Only these serials.
    #[serde(default)]
    serial_key: Vec<SerialKey>,
    /// Only of these products.
    #[serde(default)]
    product_key: Vec<ProductKey>,
    /// Only of these work orders.
    #[serde(default)]
    wo_key: Vec<WorkOrderKey>,
    /// Only those that these users created.
    #[serde(default)]
    created_by: Vec<UserKey>,
    /// Only in these states.
    #[serde(default)]
    state: Vec<SerialState>,
    /// What the code contains; `*` and `?` are wildcards.
    serial_search: Option<String>,
    /// The code of a unit that contains it, at any depth; `*` and `?` are wildcards.
    is_contained_in: Option<String>,
    /// The code of a unit that it contains, at any depth; `*` and `?` are wildcards.
    contains: Option<String>,
    /// What the code of the product contains; `*` and `?` are wildcards.
    product_code_search: Option<String>,
    /// What the code of the work order contains; `*` and `?` are wildcards.
    work_order_search: Option<String>,
    /// What the project code of the work order contains; `*` and `?` are wildcards.
    project_search: Option<String>,
    /// Created then or later.
    time_created_from: Option<Timestamp>,
    /// Created then or earlier; a bare date means the end of that day.
    time_created_to: Option<Until>,
    /// Released then or later.
    time_released_from: Option<Timestamp>,
    /// Released then or earlier; a bare date means the end of that day.
    time_released_to: Option<Until>,
    /// Only those that were released.
    #[serde(default)]
    filter_unreleased: bool,
    /// Also deleted ones; `state=deleted` implies it.
    #[serde(default)]
    include_deleted: bool,
    /// Conditions on field values: `{"operator": "AND", "filters": [{"_key": "<custom field>", "value": …}]}` as JSON or in base64;
    /// `operator` is `AND` or `OR`. A number is compared by `{"min": …, "max": …}`, of which one is enough.
    advanced_filters: Option<String>,
    /// What to sort by; those without a value come last.
    #[serde(default)]
    sort_by: SortBy,
    /// Ascending or descending.
    #[serde(default)]
    sorting_order: SortingOrder,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SerialSortBy")]
pub(super) enum SortBy {
    #[default]
    Created,
    Released,
    Code,
    ProductCode,
    WoCode,
    ProjectCode,
}

impl From<SortBy> for Sort {
    fn from(sort: SortBy) -> Self {
        match sort {
            SortBy::Created => Sort::Created,
            SortBy::Released => Sort::Released,
            SortBy::Code => Sort::Code,
            SortBy::ProductCode => Sort::ProductCode,
            SortBy::WoCode => Sort::WorkOrderCode,
            SortBy::ProjectCode => Sort::ProjectCode,
        }
    }
}

/// A serial that was found.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SerialFound")]
pub(super) struct SerialFound {
    #[serde(flatten)]
    serial: SerialRecord,
    /// Its product.
    product: Option<Shared<ProductDetail>>,
    /// The fields of the site's `serial_fields`, each with the serial's `value`.
    grid_data: Vec<Map<String, Value>>,
    wo_code: Option<String>,
    project_code: Option<String>,
}

pub(super) async fn search(
    cx: Cx,
    Query(query): Query<SearchQuery>,
    Paging(page): Paging<200>,
) -> Result<Listed<SerialFound>> {
    let filters = filters::parsed(query.advanced_filters.as_deref())?;
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let order = (Sort::from(query.sort_by), query.sorting_order == SortingOrder::Desc);
            let wanted = wanted(tx, &query, filters.as_ref()).await?;
            let found = search::search(tx, &wanted, order, &page).await?;
            Ok::<_, ApiError>(Listed { rows: shown(tx, found.rows).await?, total: found.total })
        })
        .await
}

fn wrong(parameter: &str, why: &str) -> ApiError {
    ApiError::validation(vec![Fault::new("value_error", &["query".into(), parameter.into()], why, &Value::Null)])
}

fn pattern(text: Option<&String>) -> Option<Pattern> {
    text.filter(|text| !text.is_empty()).map(|text| Pattern::wildcard(text))
}

async fn wanted(tx: &mut Tx, query: &SearchQuery, filters: Option<&AdvancedFilters>) -> Result<Wanted> {
    Ok(Wanted {
        keys: query.serial_key.iter().map(|key| key.0).collect(),
        product_keys: query.product_key.iter().map(ToString::to_string).collect(),
        wo_keys: query.wo_key.iter().map(|key| key.0).collect(),
        created_by: query.created_by.iter().map(ToString::to_string).collect(),
        states: query.state.clone(),
        code: pattern(query.serial_search.as_ref()),
        contained_in: relatives(tx, "is_contained_in", query.is_contained_in.as_ref()).await?,
        containing: relatives(tx, "contains", query.contains.as_ref()).await?,
        product_code: pattern(query.product_code_search.as_ref()),
        wo_code: pattern(query.work_order_search.as_ref()),
        project_code: pattern(query.project_search.as_ref()),
        created_from: query.time_created_from,
        created_to: query.time_created_to.map(|until| until.0),
        released_from: query.time_released_from,
        released_to: query.time_released_to.map(|until| until.0),
        released_only: query.filter_unreleased,
        deleted_too: query.include_deleted,
        fields: filters::conditions(tx, filters).await?,
    })
}

/// The serials with such a code.
async fn relatives(tx: &mut Tx, parameter: &str, sent: Option<&String>) -> Result<Option<Vec<i64>>> {
    let Some(pattern) = pattern(sent) else { return Ok(None) };
    match search::keys_of_code(tx, &pattern, MOST_RELATIVES).await? {
        Some(keys) => Ok(Some(keys)),
        None => Err(wrong(parameter, "More than 10,000 codes match: narrow it down.")),
    }
}

async fn shown(tx: &mut Tx, found: Vec<Found>) -> Result<Vec<SerialFound>> {
    let mut keys: Vec<String> = found.iter().map(|found| found.view.serial.product_key.to_string()).collect();
    keys.sort_unstable();
    keys.dedup();
    let of_serials = products::find_all(tx, &keys).await?;
    let keys: Vec<ProductKey> = of_serials.iter().map(|product| product.key.clone()).collect();
    let details = details(tx, of_serials).await?.into_iter().map(Shared::new);
    let details: HashMap<ProductKey, Shared<ProductDetail>> = keys.into_iter().zip(details).collect();
    let fields = configured_fields(tx).await?;
    let products = found.iter().filter_map(|found| details.get(&found.view.serial.product_key));
    tx.take_memory(products.map(Shared::bytes).sum::<usize>() + found.len() * written_bytes(&fields))?;
    let row = |found: Found| SerialFound {
        product: details.get(&found.view.serial.product_key).cloned(),
        grid_data: fields.iter().map(|field| with_value(field, &found.view.serial.data)).collect(),
        wo_code: found.wo_code,
        project_code: found.project_code,
        serial: record(found.view),
    };
    Ok(found.into_iter().map(row).collect())
}

/// The definition of a field, with the serial's value.
fn with_value(field: &Map<String, Value>, data: &[SerialValue]) -> Map<String, Value> {
    let key = field.get("_key").and_then(Value::as_str);
    let custom = field.get("custom_field_key").and_then(Value::as_str).or(key);
    let of_form =
        |entry: &&SerialValue| key.is_some() && entry.form_field_key.as_ref().map(FormFieldKey::as_str) == key;
    let of_custom =
        |entry: &&SerialValue| custom.is_some() && entry.custom_field_key.as_ref().map(FieldKey::as_str) == custom;
    let entry = data.iter().find(of_form).or_else(|| data.iter().find(of_custom));
    let mut field = field.clone();
    field.insert("value".to_owned(), entry.map_or(Value::Null, |entry| json!(entry.value)));
    field
}
