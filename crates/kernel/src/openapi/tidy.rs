//! The schemas that the service checks requests with, as others read them: what only our own checks use is left out, and what
//! generators of clients stumble over is said in another way.

use serde_json::{Map, Value, json};

/// Whether a schema is of what is sent or of what is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Request,
    Answer,
}

/// Keywords of our own.
const OURS: [&str; 5] = ["x-told", "x-checked-as", "x-private", "x-origin-only", "x-must"];

pub(super) fn tidy(schema: &mut Value, side: Side) {
    if *schema == Value::Bool(true) {
        // Any value.
        *schema = json!({});
    }
    let Value::Object(members) = schema else { return };
    OURS.iter().for_each(|name| drop(members.remove(*name)));
    for name in ["items", "additionalProperties", "propertyNames", "not"] {
        if let Some(inner) = members.get_mut(name).filter(|inner| name == "items" || inner.is_object()) {
            tidy(inner, side);
        }
    }
    for name in ["properties", "$defs"] {
        let inner = members.get_mut(name).and_then(Value::as_object_mut);
        inner.into_iter().flat_map(Map::values_mut).for_each(|inner| tidy(inner, side));
    }
    for name in ["anyOf", "oneOf", "allOf"] {
        let inner = members.get_mut(name).and_then(Value::as_array_mut);
        inner.into_iter().flatten().for_each(|inner| tidy(inner, side));
    }
    tidy_defaults(members, side);
    tidy_file(members);
    if side == Side::Request {
        tidy_time(members);
    }
    join_names(members);
    bound_text(members);
    if members.get("format").is_some_and(|format| format == "uint") {
        members.insert("format".to_owned(), json!("uint64"));
    }
    // No generator knows an enum of booleans.
    let one_of_booleans = |values: &Value| values.as_array().is_some_and(|all| all.iter().any(Value::is_boolean));
    if members.get("enum").is_some_and(one_of_booleans) {
        members.remove("enum");
    }
}

/// A member with a default need not be sent; an answer has no defaults; and null is what is left out anyhow.
fn tidy_defaults(members: &mut Map<String, Value>, side: Side) {
    if side == Side::Answer || members.get("default").is_some_and(Value::is_null) {
        members.remove("default");
    }
    let Some(properties) = members.get("properties").and_then(Value::as_object) else { return };
    let with_default: Vec<String> =
        properties.iter().filter(|(_, schema)| schema.get("default").is_some()).map(|(name, _)| name.clone()).collect();
    let Some(required) = members.get_mut("required").and_then(Value::as_array_mut) else { return };
    required.retain(|name| !with_default.iter().any(|other| name == other));
    if required.is_empty() {
        members.remove("required");
    }
}

/// Generators know files by their format.
fn tidy_file(members: &mut Map<String, Value>) {
    if members.remove("contentMediaType").is_some() {
        members.insert("format".to_owned(), json!("binary"));
    }
}

/// A time that is sent may be a bare date.
fn tidy_time(members: &mut Map<String, Value>) {
    if members.get("format").is_none_or(|format| format != "date-time") {
        return;
    }
    let nullable = members.get("type").is_some_and(Value::is_array);
    members.remove("format");
    members.remove("type");
    let mut forms =
        vec![json!({ "type": "string", "format": "date-time" }), json!({ "type": "string", "format": "date" })];
    forms.extend(nullable.then(|| json!({ "type": "null" })));
    members.insert("anyOf".to_owned(), Value::Array(forms));
}

/// Names of which some are described come as a choice of constants: they become one list, and their descriptions a part of its own.
fn join_names(members: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = members.get("oneOf") else { return };
    let mut names = Vec::new();
    let mut described = String::new();
    for choice in choices {
        let (constant, listed) = (choice.get("const"), choice.get("enum").and_then(Value::as_array));
        if choice.get("type") != Some(&json!("string")) || constant.is_none() == listed.is_none() {
            return;
        }
        names.extend(constant.into_iter().chain(listed.into_iter().flatten()).cloned());
        if let (Some(Value::String(name)), Some(Value::String(meaning))) = (constant, choice.get("description")) {
            described += &format!("\n- `{name}`: {meaning}");
        }
    }
    members.remove("oneOf");
    members.insert("type".to_owned(), json!("string"));
    members.insert("enum".to_owned(), Value::Array(names));
    if !described.is_empty() {
        let whole =
            members.get("description").and_then(Value::as_str).map_or_else(String::new, |text| format!("{text}\n"));
        members.insert("description".to_owned(), json!(format!("{whole}{described}").trim_start()));
    }
}

/// Repeats the bound of a quantity as a pattern for its text form: the numeric bounds of a schema apply to numbers only.
fn bound_text(members: &mut Map<String, Value>) {
    let least = |name: &str, members: &Map<String, Value>| members.get(name).and_then(Value::as_i64);
    let more_than_nothing = least("exclusiveMinimum", members) == Some(0);
    let not_negative = least("minimum", members) == Some(0);
    if more_than_nothing {
        members.remove("minimum");
    }
    if members.get("format").is_some_and(|format| format == "decimal") && members.contains_key("pattern") {
        if more_than_nothing {
            members.insert("pattern".to_owned(), json!(MORE_THAN_NOTHING));
        } else if not_negative {
            members.insert("pattern".to_owned(), json!("^([0-9]{1,12}([.][0-9]{1,6})?|1000000000000)$"));
        }
    }
}

/// The pattern of a quantity above zero, in syntax that every regex dialect understands.
const MORE_THAN_NOTHING: &str = "^([1-9][0-9]{0,11}([.][0-9]{1,6})?|0[.]([1-9][0-9]{0,5}|0[1-9][0-9]{0,4}|00[1-9][0-9]{0,3}\
                                 |000[1-9][0-9]{0,2}|0000[1-9][0-9]?|00000[1-9])|1000000000000)$";

#[cfg(test)]
mod tests {
    use super::*;

    fn tidied(mut schema: Value, side: Side) -> Value {
        tidy(&mut schema, side);
        schema
    }

    #[test]
    fn any_value_is_an_empty_schema() {
        let schema = json!({ "type": "object", "properties": { "value": true }, "additionalProperties": true });
        let expected = json!({ "type": "object", "properties": { "value": {} }, "additionalProperties": true });
        assert_eq!(tidied(schema, Side::Request), expected);
    }

    #[test]
    fn what_has_a_default_need_not_be_sent() {
        let schema = json!({
            "required": ["a", "b"],
            "properties": { "a": { "default": 1 }, "b": { "default": null }, "c": {} }
        });
        let expected = json!({ "required": ["b"], "properties": { "a": { "default": 1 }, "b": {}, "c": {} } });
        assert_eq!(tidied(schema.clone(), Side::Request), expected);
        let expected = json!({ "required": ["a", "b"], "properties": { "a": {}, "b": {}, "c": {} } });
        assert_eq!(tidied(schema, Side::Answer), expected);
    }

    #[test]
    fn a_time_that_is_sent_may_be_a_date() {
        let schema = json!({ "description": "When.", "type": ["string", "null"], "format": "date-time" });
        let forms = [json!({ "type": "string", "format": "date-time" }), json!({ "type": "string", "format": "date" })];
        let expected = json!({ "description": "When.", "anyOf": [forms[0], forms[1], { "type": "null" }] });
        assert_eq!(tidied(schema.clone(), Side::Request), expected);
        assert_eq!(tidied(schema.clone(), Side::Answer), schema);
    }

    #[test]
    fn described_names_are_one_list() {
        let schema = json!({
            "description": "How.",
            "oneOf": [{ "type": "string", "enum": ["a", "b"] }, { "type": "string", "const": "c", "description": "See." }]
        });
        let expected = json!({ "description": "How.\n\n- `c`: See.", "type": "string", "enum": ["a", "b", "c"] });
        assert_eq!(tidied(schema, Side::Request), expected);
        let variants = json!({ "oneOf": [{ "type": "object" }, { "type": "string", "const": "c" }] });
        assert_eq!(tidied(variants.clone(), Side::Request), variants);
    }
}
