//! Each type by examples, and random filters compared with the values themselves.

mod examples;
mod properties;

use std::collections::HashMap;

use serde_json::{Value, json};

use super::*;
use crate::form::FieldKind;
use crate::key::FieldKey;

/// A custom field of each type, named like it.
fn kinds() -> HashMap<FieldKey, FieldKind> {
    FieldKind::ALL.iter().map(|kind| (FieldKey::trusted(kind.name()), *kind)).collect()
}

fn sent(operator: &str, filters: &[(&str, Value)]) -> String {
    let filters: Vec<Value> = filters.iter().map(|(key, value)| json!({ "_key": key, "value": value })).collect();
    json!({ "operator": operator, "filters": filters }).to_string()
}

fn read(text: &str) -> Result<(Operator, Vec<FieldCondition>), BadFilters> {
    let filters = AdvancedFilters::parse(text)?;
    Ok((filters.operator, filters.conditions(&kinds())?))
}

/// The condition that one filter on a field of this type gives.
fn condition(kind: FieldKind, value: &Value) -> Result<Condition, BadFilters> {
    let (_, mut conditions) = read(&sent("AND", &[(kind.name(), value.clone())]))?;
    Ok(conditions.remove(0).condition)
}

fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Whether a filter finds a value, both of a field of this type.
fn finds(kind: FieldKind, filter: &Value, stored: &Value) -> bool {
    let condition = condition(kind, filter).unwrap();
    search_texts(kind, stored).iter().any(|text| condition.matches(text))
}
