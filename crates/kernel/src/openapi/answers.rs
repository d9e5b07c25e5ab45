//! What an operation answers, by status.

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::tidy::{Side, tidy};
use super::{errors, examples, headers, reference, too_large};
use crate::operation::{Access, Operation};
use crate::reply::{JSON, bytes_schema};
use crate::stream::EVENT_STREAM;

pub(super) fn all(
    operation: &Operation,
    takes_input: bool,
    generator: &mut SchemaGenerator,
    named: &mut Map<String, Value>,
) -> Value {
    let mut all = Map::new();
    let mut add = |status: u16, description: &str, content: Option<Value>| {
        let mut answer = json!({ "description": description, "headers": headers::of(operation, status) });
        if let Some(content) = content {
            answer["content"] = content;
        }
        all.insert(status.to_string(), answer);
    };
    let content = contents(operation, generator, named);
    add(
        operation.status.as_u16(),
        if operation.mutates() { "It is done." } else { "What was asked for." },
        Some(content.clone()),
    );
    if operation.endpoint.ranges() {
        add(206, "The requested range.", Some(content));
        add(304, "The file still has the `ETag` in `If-None-Match`.", None);
    }
    let refusals = refusals(operation, takes_input);
    // Whatever an operation takes, a request may be no HTTP.
    if !refusals.iter().any(|(status, _)| *status < 500) {
        add(400, "The request is not well-formed.", None);
    }
    for (status, when) in refusals {
        let mut content = json!({ "schema": reference(errors::schema_of(status)) });
        errors::add_example(operation, status, &mut content);
        add(status, &when, Some(json!({ JSON: content })));
    }
    Value::Object(all)
}

/// The errors that it can answer with, and when.
fn refusals(operation: &Operation, takes_input: bool) -> Vec<(u16, String)> {
    let declared = operation.errors.iter().map(|(status, when)| (*status, (*when).to_owned()));
    let mut errors: Vec<(u16, String)> = declared.collect();
    let mut also = |status: u16, when: &str| {
        if !errors.iter().any(|(declared, _)| *declared == status) {
            errors.push((status, when.to_owned()));
        }
    };
    if let Access::Scope(_) = operation.access {
        also(401, "The token is missing, expired, revoked or unknown.");
        also(403, "The caller lacks the scope.");
        if !operation.mutates() {
            also(413, "What is read does not fit into the memory for requests: ask for fewer records at a time.");
        }
    }
    if operation.endpoint.ranges() {
        also(416, "The file has no such range.");
    }
    if operation.endpoint.body().is_some() {
        also(400, "The body ended before it was complete.");
        also(413, &too_large(operation));
        also(415, "The body has the wrong content type.");
    }
    if takes_input {
        also(422, "The input does not fit, or a rule refuses it. All faults are reported at once.");
    }
    also(500, "Something unexpected; `error_id` finds it in the log.");
    also(503, "The database can't be reached, the node is shutting down, or too many large requests are under way.");
    errors.sort_unstable();
    errors
}

/// The content of a successful answer, by media type.
fn contents(operation: &Operation, generator: &mut SchemaGenerator, named: &mut Map<String, Value>) -> Value {
    let mut contents = Map::new();
    for media_type in operation.endpoint.media_types() {
        let content = match *media_type {
            JSON => {
                let mut schema = operation.endpoint.answer(generator).to_value();
                tidy(&mut schema, Side::Answer);
                let mut content = json!({ "schema": name_envelope(operation, schema, named) });
                if let Some(example) = examples::answer(operation.id) {
                    content["example"] = example;
                }
                content
            }
            // Text, which programs read as such.
            "text/csv" | EVENT_STREAM => json!({ "schema": { "type": "string" } }),
            _ => {
                let mut schema = bytes_schema().to_value();
                tidy(&mut schema, Side::Answer);
                json!({ "schema": schema })
            }
        };
        contents.insert((*media_type).to_owned(), content);
    }
    Value::Object(contents)
}

/// An envelope is named by what it holds, so that it is shared by all operations that answer with it.
fn name_envelope(operation: &Operation, schema: Value, named: &mut Map<String, Value>) -> Value {
    let Some(detail) = schema.pointer("/properties/detail").filter(|_| schema.pointer("/properties/status").is_some())
    else {
        return schema;
    };
    let name = match (referred(detail), detail.get("items").and_then(referred)) {
        (Some(record), _) => format!("{record}Response"),
        (None, Some(record)) => format!("{record}ListResponse"),
        _ if detail.get("type") == Some(&json!("null")) => "EmptyResponse".to_owned(),
        _ => format!("{}Response", pascal_case(operation.id)),
    };
    let reference = reference(&name);
    named.insert(name, schema);
    reference
}

fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}

/// `list_users` becomes `ListUsers`.
pub(crate) fn pascal_case(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    name.split('_').map(word).collect()
}
