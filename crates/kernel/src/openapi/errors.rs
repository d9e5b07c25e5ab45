//! The schemas of errors, from the declarations of the rules.

use domain::rule::{self, RuleType};
use domain::{ErrorData, Fault};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::tidy::{Side, tidy};
use super::{examples, one_of, reference};
use crate::error::{ApiError, UNEXPECTED, Unauthorized};
use crate::input::PlaceOf;
use crate::operation::{Access, Operation};

const WRONG_INPUT: &str = "HTTPValidationError";
const OTHER: &str = "ErrorResponse";
const DETAIL: &str = "ErrorDetail";

/// The schema of an error with this status.
pub(super) fn schema_of(status: u16) -> &'static str {
    if status == 422 { WRONG_INPUT } else { OTHER }
}

/// Shows what is answered, where that is the same whatever was sent.
pub(super) fn add_example(operation: &Operation, status: u16, content: &mut Value) {
    let error = match (status, operation.access, operation.endpoint.body()) {
        (401, Access::Scope(_), _) => ApiError::unauthorized(Unauthorized::Token),
        (401, Access::Public, _) => ApiError::unauthorized(Unauthorized::Credentials),
        (403, Access::Scope(scope), _) => ApiError::scope(scope.name()),
        (412, _, _) => ApiError::precondition(),
        (413, _, Some(PlaceOf::JsonBody)) => ApiError::too_large(operation.body_limit as u64),
        (415, _, Some(PlaceOf::MultipartBody)) if operation.path.ends_with("/image") => ApiError::image_type(),
        (415, _, Some(body)) => ApiError::content_type(body.media_type().unwrap_or_default()),
        (429, _, None) => ApiError::too_many_streams(),
        (429, _, _) => ApiError::too_many_tries(30),
        (500, _, _) => ApiError::unexpected(UNEXPECTED, "c1f0a94be27d5836".to_owned()),
        (503, _, _) => ApiError::unavailable(),
        // What fits one operation would mislead at another.
        (422, _, _) if operation.id == "post_event" => {
            let recorded = examples::errors(status).into_iter().map(|(name, value)| (name, json!({ "value": value })));
            content["examples"] = Value::Object(recorded.collect());
            return;
        }
        _ => return,
    };
    content["example"] = json!({ "detail": error.into_detail() });
}

pub(super) fn schemas(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut schemas: Map<String, Value> =
        rule::all().map(|rule| (rule.name.to_owned(), rule_schema(rule, generator))).collect();
    let named = rule::all().map(|rule| (rule.name, rule.name.to_owned()));
    let any = one_of("A rule refuses the request: `error_type` names it, and its data says more.", "error_type", named);
    let faults = json!({ "type": "array", "items": generator.subschema_for::<Fault>() });
    let mut add = |name: &str, schema: Value| drop(schemas.insert(name.to_owned(), schema));
    add("RuleError", any);
    add(
        WRONG_INPUT,
        with_detail(
            "All faults of the input, or the rule that refuses it. A rule that a later version adds is read as an `ErrorDetail`.",
            &[faults, reference("RuleError"), reference(DETAIL)],
        ),
    );
    add(OTHER, with_detail("Why the request is refused.", &[json!({ "type": "string" }), reference(DETAIL)]));
    let data = ErrorData::schema(generator).to_value();
    add(
        DETAIL,
        beside_message(
            None,
            data,
            "Why, and what else a program needs: the members depend on the operation and the status.",
        ),
    );
    schemas
}

fn with_detail(description: &str, choices: &[Value]) -> Value {
    json!({
        "type": "object",
        "description": description,
        "required": ["detail"],
        "properties": { "detail": { "anyOf": choices } }
    })
}

/// A rule error: its name, a message, and its data.
fn rule_schema(rule: &RuleType, generator: &mut SchemaGenerator) -> Value {
    let data = (rule.schema)(generator).to_value();
    beside_message(Some(rule.name), data, &format!("{} {}", rule.meaning(), rule.remedy))
}

/// An object with a message for people, and the data beside it.
fn beside_message(error_type: Option<&str>, mut data: Value, description: &str) -> Value {
    tidy(&mut data, Side::Answer);
    let (mut properties, mut required) = (Map::new(), Vec::new());
    if let Some(error_type) = error_type {
        properties.insert("error_type".to_owned(), json!({ "type": "string", "const": error_type }));
        required.push(json!("error_type"));
    }
    properties
        .insert("message".to_owned(), json!({ "type": "string", "description": "A text for people; it may change." }));
    required.push(json!("message"));
    if let Some(data) = data.get_mut("properties").and_then(Value::as_object_mut) {
        properties.append(data);
    }
    required.extend(data.get("required").and_then(Value::as_array).into_iter().flatten().cloned());
    json!({ "type": "object", "description": description, "required": required, "properties": properties })
}
