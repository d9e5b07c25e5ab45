//! Parameters that lists of several areas are filtered by.

use domain::Fault;
use domain::filter::{AdvancedFilters, BadFilters};
use domain::search::Pattern;
use serde_json::Value;
use store::Tx;
use store::quality::fields;
use store::values::Fields;

use crate::Result;
use crate::error::ApiError;

/// The pattern of a text with wildcards, if anything is searched for.
pub(super) fn wildcard(text: Option<String>) -> Option<Pattern> {
    text.filter(|text| !text.is_empty()).map(|text| Pattern::wildcard(&text))
}

/// Reads `advanced_filters`; an empty text asks for nothing.
pub(super) fn parsed(sent: Option<&str>) -> Result<Option<AdvancedFilters>> {
    sent.filter(|text| !text.is_empty()).map(AdvancedFilters::parse).transpose().map_err(wrong)
}

/// What the filters mean for the fields that they name.
pub(super) async fn conditions(tx: &mut Tx, filters: Option<&AdvancedFilters>) -> Result<Option<Fields>> {
    let Some(filters) = filters else { return Ok(None) };
    let keys: Vec<String> = filters.fields().map(ToString::to_string).collect();
    let kinds = fields::kinds(tx, &keys).await?;
    let conditions = filters.conditions(&kinds).map_err(wrong)?;
    Ok(Some(Fields { operator: filters.operator, conditions }))
}

fn wrong(why: BadFilters) -> ApiError {
    let text = why.to_string();
    ApiError::validation(vec![Fault::new(
        "value_error",
        &["query".into(), "advanced_filters".into()],
        text,
        &Value::Null,
    )])
}
