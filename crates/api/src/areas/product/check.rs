//! Checks that what a product refers to exists.

use std::collections::HashSet;

use domain::collection::Collection;
use domain::fault::Faults;
use domain::key::ProductKey;
use domain::product::ProductData;
use serde_json::json;
use store::administration::counters;
use store::quality::fields;
use store::{Tx, entities};

use crate::Result;
use crate::error::ApiError;

/// Paths below `/product` that are not products.
const RESERVED: [&str; 3] = ["export", "import", "copy"];

pub(super) fn refuse_reserved(key: &ProductKey) -> Result<()> {
    let mut faults = Faults::at("body");
    if RESERVED.contains(&key.as_str()) {
        faults.within("_key", |faults| {
            faults.add("value_error", "Is reserved: it would be the address of something else.", &json!(key));
        });
    }
    ApiError::check(faults)
}

/// Refuses changed references to records that don't exist; stored references may have become outdated.
pub(super) async fn check_references(tx: &mut Tx, before: Option<&ProductData>, data: &ProductData) -> Result<()> {
    let mut faults = Faults::at("body");
    if let Some(key) = &data.counter_key
        && before.is_none_or(|before| before.counter_key.as_ref() != Some(key))
        && !counters::exists(tx, key).await?
    {
        faults
            .within("counter_key", |faults| faults.add("counter_not_found", "There is no such counter.", &json!(key)));
    }
    let positions = [
        (
            "default_production_position_key",
            &data.default_production_position_key,
            before.and_then(|before| before.default_production_position_key.as_ref()),
        ),
        (
            "default_consumption_position_key",
            &data.default_consumption_position_key,
            before.and_then(|before| before.default_consumption_position_key.as_ref()),
        ),
    ];
    for (name, key, before) in positions {
        if let Some(key) = key
            && before != Some(key)
            && !entities::exists(tx, Collection::Position, key.as_str()).await?
        {
            faults.within(name, |faults| faults.add("position_not_found", "There is no such position.", &json!(key)));
        }
    }
    if before.is_none_or(|before| before.metadata != data.metadata) {
        check_metadata(tx, data, &mut faults).await?;
    }
    ApiError::check(faults)
}

async fn check_metadata(tx: &mut Tx, data: &ProductData, faults: &mut Faults) -> Result<()> {
    if data.metadata.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = data.metadata.iter().map(|entry| entry.custom_field_key.to_string()).collect();
    let known = fields::kinds(tx, &named).await?;
    let mut seen = HashSet::new();
    for (index, entry) in data.metadata.iter().enumerate() {
        let key = &entry.custom_field_key;
        let fault = if !known.contains_key(key) {
            Some(("custom_field_not_found", "There is no such custom field."))
        } else if !seen.insert(key) {
            Some(("value_error", "Each custom field may occur only once."))
        } else {
            None
        };
        if let Some((kind, why)) = fault {
            faults.within("metadata", |faults| {
                faults.within(index, |faults| {
                    faults.within("custom_field_key", |faults| faults.add(kind, why, &json!(key)));
                });
            });
        }
    }
    Ok(())
}
