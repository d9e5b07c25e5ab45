//! The schemas of errors, from the declarations of the rules.

use domain::rule::{self, RuleType};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::examples;
use super::tidy::{Side, tidy};
use crate::error::{ApiError, Unauthorized};
use crate::input::PlaceOf;
use crate::operation::{Access, Operation};

const WRONG_INPUT: &str = "HTTPValidationError";
const OTHER: &str = "ErrorResponse";

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
        (415, _, Some(body)) => ApiError::content_type(body.media_type().unwrap_or_default()),
        (429, _, _) => ApiError::too_many_tries(30),
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
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let variants: Vec<Value> = rule::all().map(|rule| reference(rule.name)).collect();
    let mapping: Map<String, Value> =
        rule::all().map(|rule| (rule.name.to_owned(), reference(rule.name)["$ref"].clone())).collect();
    let mut add = |name: &str, schema: Value| drop(schemas.insert(name.to_owned(), schema));
    add(
        "RuleError",
        json!({
            "description": "A rule refuses the request: `error_type` names it, and its data says more.",
            "oneOf": variants,
            "discriminator": { "propertyName": "error_type", "mapping": mapping }
        }),
    );
    add(
        "ValidationFault",
        json!({
            "type": "object",
            "required": ["type", "loc", "msg", "input"],
            "properties": {
                "type": { "type": "string", "description": "Stable name of the kind of fault." },
                "loc": {
                    "type": "array",
                    "description": "The path to the value, beginning with path, query, header or body.",
                    "items": { "type": ["string", "integer"] }
                },
                "msg": { "type": "string", "description": "For people." },
                "input": { "description": "The value at fault; a long one is shortened." }
            }
        }),
    );
    add(
        WRONG_INPUT,
        json!({
            "type": "object",
            "description": "All faults of the input, or the rule that refuses it.",
            "required": ["detail"],
            "properties": {
                "detail": { "anyOf": [{ "type": "array", "items": reference("ValidationFault") }, reference("RuleError")] }
            }
        }),
    );
    add("ErrorDetail", detail_schema());
    add(
        OTHER,
        json!({
            "type": "object",
            "required": ["detail"],
            "properties": { "detail": { "anyOf": [{ "type": "string" }, reference("ErrorDetail")] } }
        }),
    );
    schemas
}

fn detail_schema() -> Value {
    json!({
        "type": "object",
        "description": "Further members depend on the operation, which names them.",
        "required": ["message"],
        "properties": {
            "message": { "type": "string", "description": "For people." },
            "code": {
                "type": "string",
                "description": "Which of several reasons it is. Of 401: `token`, the token is not valid; `credentials`, the username \
                                or password is wrong; `owner`, it belongs to another user."
            },
            "required_scope": { "type": "string", "description": "Of 403: the scope that is missing." },
            "error_id": { "type": "string", "description": "Of 500: finds the cause in the log." }
        },
        "additionalProperties": true
    })
}

/// A rule error: its name, a message, and its data.
fn rule_schema(rule: &RuleType, generator: &mut SchemaGenerator) -> Value {
    let mut schema = (rule.schema)(generator).to_value();
    tidy(&mut schema, Side::Answer);
    let mut properties = Map::new();
    properties.insert("error_type".to_owned(), json!({ "type": "string", "const": rule.name }));
    properties.insert("message".to_owned(), json!({ "type": "string", "description": "For people." }));
    if let Some(data) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.append(data);
    }
    let mut required = vec![json!("error_type"), json!("message")];
    required.extend(schema.get("required").and_then(Value::as_array).into_iter().flatten().cloned());
    json!({
        "type": "object",
        "description": format!("{} {}", rule.meaning(), rule.remedy),
        "required": required,
        "properties": properties
    })
}
