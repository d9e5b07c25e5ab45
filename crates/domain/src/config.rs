//! Configuration entries: the known ones with their types and initial values, and how a PATCH changes them.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::fault::Faults;
use crate::quantity::NotAQuantity;
use crate::warehouse::INSIDE;
use crate::warehouse::movement::MovementType;
use crate::{Quantity, counter, key};

pub const COMPANY_NAME: &str = "company_name";
pub const COMPANY_LOGO: &str = "company_logo";
pub const OPERATOR_COST: &str = "operator_cost";
pub const OPERATION_PARAMETERS: &str = "default_operation_parameters";
pub const ALLOW_SERIAL_DELETE: &str = "allow_serial_delete";
pub const ALLOW_SERIAL_CODE_EDIT: &str = "allow_serial_code_edit";
/// Whether a unit is released only when its record lacks nothing else.
pub const BLOCK_RELEASE: &str = "block_release_on_missing_evidence";
pub const SERIAL_FIELDS: &str = "serial_fields";
pub const SHOW_UNASSIGNED_JOBS: &str = "show_unassigned_jobs_to_operators";
pub const INDEPENDENT_QUEUES: &str = "allow_independent_reordering_of_job_queues";
pub const INVENTORY: &str = "enable_inventory_management";
/// The types of movements for which people have to say why.
pub const MANDATORY_REASONS: &str = "mandatory_reason_for_movement_types";
pub const PRODUCTION_POSITION: &str = "default_production_position";
pub const CONSUMPTION_POSITION: &str = "default_consumption_position";
pub const SESSION_POLICY: &str = "session_policy";
pub const SYSTEM_COUNTERS: &str = "system_counters";
pub const TIMEZONE: &str = "timezone";

/// Reset by every PATCH that does not name them.
const RESET_WHEN_MISSING: [&str; 2] = [PRODUCTION_POSITION, CONSUMPTION_POSITION];
const RESET_TO: &str = INSIDE;
const COUNTER_SLOTS: [&str; 6] =
    ["work_orders", "warehouse_missions", "movement_lists", "counting_sessions", "positions", "tasks"];
const OPERATION_FLAGS: [&str; 6] = [
    "parallel_job_allowed",
    "display_job_timer",
    "step_check",
    "step_check_force_order",
    "auto_new_batch",
    "unsupervised_work_allowed",
];
/// The type of a known entry; other entries may hold anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    Text { max: usize },
    Flag,
    Cost,
    KeyText,
    File,
    OperationParameters,
    Counters,
    Policy,
    Zone,
    SerialFields,
    List,
    MovementTypes,
    Template,
}

/// The entries that have a fixed meaning.
pub const KNOWN: [&str; 20] = [
    COMPANY_NAME,
    COMPANY_LOGO,
    OPERATION_PARAMETERS,
    "show_unassigned_jobs_to_operators",
    "allow_serial_delete",
    "allow_serial_code_edit",
    "allow_independent_reordering_of_job_queues",
    "enable_inventory_management",
    "block_release_on_missing_evidence",
    "default_production_position",
    "default_consumption_position",
    "operator_cost",
    SYSTEM_COUNTERS,
    SESSION_POLICY,
    TIMEZONE,
    "serial_fields",
    "printers",
    "mandatory_reason_for_movement_types",
    "product_label_template",
    "position_label_template",
];

fn kind_of(entry: &str) -> Option<EntryKind> {
    Some(match entry {
        COMPANY_NAME => EntryKind::Text { max: 128 },
        COMPANY_LOGO => EntryKind::File,
        OPERATION_PARAMETERS => EntryKind::OperationParameters,
        "show_unassigned_jobs_to_operators"
        | "allow_serial_delete"
        | "allow_serial_code_edit"
        | "allow_independent_reordering_of_job_queues"
        | "enable_inventory_management"
        | "block_release_on_missing_evidence" => EntryKind::Flag,
        "default_production_position" | "default_consumption_position" => EntryKind::KeyText,
        "operator_cost" => EntryKind::Cost,
        SYSTEM_COUNTERS => EntryKind::Counters,
        SESSION_POLICY => EntryKind::Policy,
        TIMEZONE => EntryKind::Zone,
        "serial_fields" => EntryKind::SerialFields,
        "printers" => EntryKind::List,
        "mandatory_reason_for_movement_types" => EntryKind::MovementTypes,
        "product_label_template" | "position_label_template" => EntryKind::Template,
        _ => return None,
    })
}

/// Whether an entry has a fixed meaning that is not a file.
pub fn is_known_and_no_file(entry: &str) -> bool {
    kind_of(entry).is_some_and(|kind| kind != EntryKind::File)
}

pub const KEY_PATTERN: &str = "^[A-Za-z][A-Za-z0-9_-]{0,63}$";

pub fn is_entry_key(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// The entries of a new site.
pub fn seeds() -> Vec<(&'static str, Value)> {
    let counters: Map<String, Value> =
        COUNTER_SLOTS.iter().map(|slot| ((*slot).to_owned(), json!("default"))).collect();
    vec![
        (COMPANY_NAME, json!("Tracewright")),
        (COMPANY_LOGO, Value::Null),
        (
            OPERATION_PARAMETERS,
            json!({
                "parallel_job_allowed": true,
                "display_job_timer": false,
                "step_check": false,
                "step_check_force_order": false,
                "auto_new_batch": true,
                "unsupervised_work_allowed": false,
                "production_batch_qt": 1,
                "max_offline": 300,
                "std_processing_time": 60,
            }),
        ),
        ("show_unassigned_jobs_to_operators", json!(true)),
        ("allow_serial_delete", json!(true)),
        ("allow_serial_code_edit", json!(true)),
        ("allow_independent_reordering_of_job_queues", json!(false)),
        ("enable_inventory_management", json!(false)),
        ("block_release_on_missing_evidence", json!(false)),
        ("default_production_position", json!(RESET_TO)),
        ("default_consumption_position", json!(RESET_TO)),
        ("operator_cost", json!(25)),
        (SYSTEM_COUNTERS, Value::Object(counters)),
        (SESSION_POLICY, json!("single")),
        (TIMEZONE, json!("UTC")),
    ]
}

/// What a PATCH writes: entry and new value, only where something changes. Either all faults, or none.
pub fn patch(
    current: &Map<String, Value>,
    change: &Map<String, Value>,
    counters: &HashSet<String>,
    faults: &mut Faults,
) -> Vec<(String, Value)> {
    let mut written = Vec::new();
    for (entry, value) in change {
        faults.within(entry.as_str(), |faults| {
            if !is_entry_key(entry) {
                faults.add(
                    "string_pattern_mismatch",
                    format!("A configuration key matches {KEY_PATTERN}."),
                    &json!(entry),
                );
            } else if let Some(new) = new_value(entry, current.get(entry), value, counters, faults) {
                written.push((entry.clone(), new));
            }
        });
    }
    for entry in RESET_WHEN_MISSING {
        if !change.contains_key(entry) {
            written.push((entry.to_owned(), json!(RESET_TO)));
        }
    }
    written.retain(|(entry, new)| current.get(entry) != Some(new));
    written
}

fn new_value(
    entry: &str,
    stored: Option<&Value>,
    sent: &Value,
    counters: &HashSet<String>,
    faults: &mut Faults,
) -> Option<Value> {
    if sent.is_null() {
        return RESET_WHEN_MISSING.contains(&entry).then(|| json!(RESET_TO));
    }
    if let Some(kind) = kind_of(entry) {
        check(kind, sent, stored.unwrap_or(&Value::Null), counters, faults);
    }
    let sent = plain(entry, sent);
    Some(match (stored, &sent) {
        (Some(Value::Object(old)), Value::Object(new)) => Value::Object(merged(old, new)),
        _ => sent,
    })
}

/// The sent value, with quantities as numbers however they were written.
fn plain(entry: &str, sent: &Value) -> Value {
    let number = |value: &Value| match Quantity::deserialize(value) {
        Ok(quantity) => json!(quantity),
        Err(_) => value.clone(),
    };
    match (kind_of(entry), sent) {
        (Some(EntryKind::Cost), cost) => number(cost),
        (Some(EntryKind::OperationParameters), Value::Object(members)) => {
            members.iter().map(|(name, value)| (name.clone(), number(value))).collect()
        }
        _ => sent.clone(),
    }
}

/// Merges field by field at every depth; fields not named stay, a null field is stored.
fn merged(old: &Map<String, Value>, new: &Map<String, Value>) -> Map<String, Value> {
    let mut result = old.clone();
    for (name, value) in new {
        let value = match (old.get(name), value) {
            (Some(Value::Object(inner_old)), Value::Object(inner_new)) => Value::Object(merged(inner_old, inner_new)),
            _ => value.clone(),
        };
        result.insert(name.clone(), value);
    }
    result
}

fn check(kind: EntryKind, value: &Value, stored: &Value, counters: &HashSet<String>, faults: &mut Faults) {
    match kind {
        EntryKind::Text { max } => match value.as_str() {
            None => faults.add("string_type", "Must be text.", value),
            Some(text) if text.chars().count() > max => {
                faults.add("string_too_long", format!("Must have at most {max} characters."), value);
            }
            Some(_) => {}
        },
        EntryKind::Template if !value.is_string() => faults.add("string_type", "Must be text.", value),
        EntryKind::Flag if !value.is_boolean() => faults.add("bool_type", "true or false.", value),
        EntryKind::Cost => check_not_negative(value, faults),
        EntryKind::KeyText if !value.as_str().is_some_and(key::is_key) => {
            faults.add("string_pattern_mismatch", "Must be the key of a position.", value);
        }
        EntryKind::File if value != stored => {
            faults.add("value_error", "Is a file: change it with PUT /config/{key}/file.", value);
        }
        EntryKind::Policy if !value.as_str().is_some_and(|text| ["single", "multiple"].contains(&text)) => {
            faults.add("enum", "One of: single, multiple.", value);
        }
        EntryKind::Zone if value.as_str().and_then(counter::zone).is_none() => {
            faults.add("value_error", "The IANA name of a time zone, such as Europe/Rome.", value);
        }
        EntryKind::OperationParameters => check_operation_parameters(value, faults),
        EntryKind::Counters => check_counters(value, counters, faults),
        EntryKind::SerialFields => check_serial_fields(value, faults),
        EntryKind::List if !value.is_array() => faults.add("list_type", "A list.", value),
        EntryKind::MovementTypes => check_movement_types(value, faults),
        _ => {}
    }
}

fn check_not_negative(value: &Value, faults: &mut Faults) {
    let text = value.as_number().map(|number| number.as_str()).or(value.as_str());
    match text.map(str::parse::<Quantity>) {
        None | Some(Err(NotAQuantity::NotANumber)) => faults.add("float_type", "A number.", value),
        Some(Err(why)) => faults.add("value_error", why.to_string(), value),
        Some(Ok(quantity)) if quantity.is_negative() => faults.add("greater_than_equal", "0 or more.", value),
        Some(Ok(_)) => {}
    }
}

fn check_operation_parameters(value: &Value, faults: &mut Faults) {
    let Some(members) = value.as_object() else {
        return faults.add("dict_type", "An object.", value);
    };
    for (name, value) in members {
        match name.as_str() {
            flag if OPERATION_FLAGS.contains(&flag) => {
                if !value.is_boolean() {
                    faults.within(flag, |faults| faults.add("bool_type", "true or false.", value));
                }
            }
            figure @ ("production_batch_qt" | "max_offline" | "std_processing_time") => {
                faults.within(figure, |faults| check_not_negative(value, faults));
            }
            unknown => faults.add_unknown(unknown, "No such operation parameter."),
        }
    }
}

fn check_counters(value: &Value, counters: &HashSet<String>, faults: &mut Faults) {
    let Some(slots) = value.as_object() else {
        return faults.add("dict_type", "An object of slot and counter key.", value);
    };
    for (slot, counter) in slots {
        if !COUNTER_SLOTS.contains(&slot.as_str()) {
            faults.add_unknown(slot, format!("One of: {}.", COUNTER_SLOTS.join(", ")));
        } else if !counter.as_str().is_some_and(|key| counters.contains(key)) {
            faults.within(slot.as_str(), |faults| {
                faults.add("value_error", "The key of an existing counter.", counter);
            });
        }
    }
}

fn check_serial_fields(value: &Value, faults: &mut Faults) {
    let Some(fields) = value.as_array() else {
        return faults.add("list_type", "A list of objects.", value);
    };
    let mut seen = HashSet::new();
    for (index, field) in fields.iter().enumerate() {
        faults.within(index, |faults| match (field.is_object(), field.get("_key")) {
            (false, _) => faults.add("dict_type", "An object.", field),
            (true, None) => {}
            (true, Some(Value::String(key))) if seen.insert(key.as_str()) => {}
            (true, Some(key)) => faults.within("_key", |faults| {
                faults.add("value_error", "Text that no other field of the list has.", key);
            }),
        });
    }
}

fn check_movement_types(value: &Value, faults: &mut Faults) {
    let Some(types) = value.as_array() else {
        return faults.add("list_type", "A list of movement types.", value);
    };
    for (index, kind) in types.iter().enumerate() {
        if kind.as_str().and_then(MovementType::parse).is_none() {
            let names: Vec<&str> = MovementType::ALL.iter().map(|kind| kind.name()).collect();
            faults.within(index, |faults| {
                faults.add("enum", format!("One of: {}.", names.join(", ")), kind);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    fn site() -> Map<String, Value> {
        seeds().into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn apply(current: &mut Map<String, Value>, change: Value) -> Result<(), usize> {
        let mut faults = Faults::at("body");
        let counters = HashSet::from(["default".to_owned()]);
        let written = patch(current, &object(change), &counters, &mut faults);
        if !faults.is_empty() {
            return Err(faults.into_vec().len());
        }
        current.extend(written);
        Ok(())
    }

    #[test]
    fn the_acceptance_scenario_of_config_reset() {
        let mut config = site();
        let first = json!({"default_production_position": "A1", "default_consumption_position": "A1", "x": {"a": 1, "b": [1, 2]}});
        apply(&mut config, first).unwrap();
        let second = json!({"x": {"b": [3]}, "company_name": null, "nope": null, "default_consumption_position": "A1"});
        apply(&mut config, second).unwrap();
        assert_eq!(config["default_production_position"], "IN");
        assert_eq!(config["default_consumption_position"], "A1");
        assert_eq!(config["x"], json!({"a": 1, "b": [3]}));
        assert_eq!(config["company_name"], "Tracewright");
        assert!(!config.contains_key("nope"));
        assert_eq!(apply(&mut config, json!({"operator_cost": "a", "session_policy": "many"})), Err(2));
    }

    #[test]
    fn every_known_type_is_checked() {
        let bad = json!({
            "1x": 1,
            "company_logo": "/media/x",
            "default_operation_parameters": {"step_check": 1, "max_offline": -1, "zz": true},
            "allow_serial_delete": "yes",
            "system_counters": {"work_orders": "nobody", "cars": "default"},
            "timezone": "Mars/Base",
            "serial_fields": [{"_key": "a"}, {"_key": "a"}, 3],
            "printers": {},
            "mandatory_reason_for_movement_types": ["flight"],
            "product_label_template": 4,
            "default_production_position": "a b",
        });
        assert_eq!(apply(&mut site(), bad), Err(15));
    }

    #[test]
    fn good_values_of_every_known_type_pass() {
        let good = json!({
            "company_logo": null,
            "default_operation_parameters": {"step_check": true, "production_batch_qt": 2.5},
            "operator_cost": "30.25",
            "system_counters": {"tasks": "default"},
            "timezone": "Europe/Rome",
            "serial_fields": [{"_key": "a"}, {}],
            "printers": ["zebra"],
            "mandatory_reason_for_movement_types": ["adjustment"],
            "x-free": {"value": 1},
        });
        let mut config = site();
        apply(&mut config, good).unwrap();
        assert_eq!(config["default_operation_parameters"]["max_offline"], 300, "fields not named stay");
        assert_eq!(config["operator_cost"], json!(30.25), "kept as a number");
        assert_eq!(config["x-free"], json!({"value": 1}));
    }

    proptest! {
        #[test]
        fn sending_the_same_again_changes_nothing(name in "[a-z]{1,8}", number in any::<i32>(), text in ".{0,12}") {
            let mut config = site();
            let change = json!({name: {"n": number, "t": text, "l": [number]}, "company_name": "Acme"});
            apply(&mut config, change.clone()).unwrap();
            let once = config.clone();
            apply(&mut config, change).unwrap();
            prop_assert_eq!(once, config);
        }
    }
}
