//! The named schemas of the document.

use std::collections::{BTreeMap, BTreeSet};

use schemars::SchemaGenerator;
use serde_json::{Map, Value};

use super::tidy::{Side, tidy};

const PLACE: &str = "#/components/schemas/";

/// All of them, in the order of their names. A type that is sent with other members than it is answered with, such as those that may be
/// left out, has two: what is sent is then called an input.
pub(super) fn named(
    requests: SchemaGenerator,
    answers: SchemaGenerator,
    further: Map<String, Value>,
    paths: &mut Map<String, Value>,
) -> Map<String, Value> {
    let mut sent = definitions(requests, Side::Request);
    let mut all: BTreeMap<String, Value> = definitions(answers, Side::Answer);
    all.extend(further);
    let inputs = different(&sent, &all);
    sent.values_mut().for_each(|schema| rename(schema, &inputs));
    for operation in paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        for part in ["requestBody", "parameters"] {
            operation.get_mut(part).into_iter().for_each(|part| rename(part, &inputs));
        }
    }
    for (name, schema) in sent {
        let name = if inputs.contains(&name) { input(&name) } else { name };
        all.insert(name, schema);
    }
    all.into_iter().collect()
}

fn definitions(mut generator: SchemaGenerator, side: Side) -> BTreeMap<String, Value> {
    let mut definitions: BTreeMap<String, Value> = generator.take_definitions(true).into_iter().collect();
    definitions.values_mut().for_each(|schema| tidy(schema, side));
    definitions
}

/// The names of those that are sent otherwise than they are answered, and of those that refer to one of them.
fn different(sent: &BTreeMap<String, Value>, answered: &BTreeMap<String, Value>) -> BTreeSet<String> {
    let both: Vec<(&String, &Value, &Value)> =
        sent.iter().filter_map(|(name, schema)| Some((name, schema, answered.get(name)?))).collect();
    let mut found: BTreeSet<String> =
        both.iter().filter(|(_, sent, answered)| sent != answered).map(|(name, _, _)| (*name).clone()).collect();
    loop {
        let more: Vec<String> = both
            .iter()
            .filter(|(name, sent, _)| !found.contains(*name) && refers(sent, &found))
            .map(|(name, _, _)| (*name).clone())
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

fn input(name: &str) -> String {
    format!("{name}Input")
}

fn refers(schema: &Value, names: &BTreeSet<String>) -> bool {
    match schema {
        Value::Array(values) => values.iter().any(|value| refers(value, names)),
        Value::Object(members) => {
            let here = members.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix(PLACE));
            here.is_some_and(|name| names.contains(name)) || members.values().any(|value| refers(value, names))
        }
        _ => false,
    }
}

fn rename(schema: &mut Value, inputs: &BTreeSet<String>) {
    match schema {
        Value::Array(values) => values.iter_mut().for_each(|value| rename(value, inputs)),
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(name) = reference.strip_prefix(PLACE).filter(|name| inputs.contains(*name))
            {
                *reference = format!("{PLACE}{}", input(name));
            }
            members.values_mut().for_each(|value| rename(value, inputs));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_sent_otherwise_is_an_input_and_so_is_what_refers_to_it() {
        let reference = |name: &str| json!({ "$ref": format!("{PLACE}{name}") });
        let sent = BTreeMap::from_iter([
            ("Line".to_owned(), json!({ "type": "object" })),
            ("Order".to_owned(), json!({ "items": reference("Line") })),
            ("Same".to_owned(), json!({ "type": "string" })),
            ("OnlySent".to_owned(), reference("Line")),
        ]);
        let mut answered = sent.clone();
        answered.remove("OnlySent");
        answered.insert("Line".to_owned(), json!({ "type": "object", "required": ["qt"] }));
        let inputs = different(&sent, &answered);
        assert_eq!(inputs, BTreeSet::from(["Line".to_owned(), "Order".to_owned()]));
        let mut schema = json!({ "a": reference("Order"), "b": [reference("Same")] });
        rename(&mut schema, &inputs);
        assert_eq!(schema, json!({ "a": reference("OrderInput"), "b": [reference("Same")] }));
    }
}
