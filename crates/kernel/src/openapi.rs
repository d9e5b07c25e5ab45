//! The OpenAPI 3.1 document of all operations, built from their declarations and types.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::idempotency::KEY_NAME;
use crate::input::PlaceOf;
use crate::operation::{Access, Operation, Tag};
use crate::reply::{JSON, bytes_schema};

/// The version of the interface.
pub const VERSION: &str = "0.1.0";
const SCHEME: &str = "OAuth2PasswordBearer";

pub fn document(operations: &[Operation]) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut requests = settings.clone().for_deserialize().into_generator();
    let mut answers = settings.for_serialize().into_generator();
    let mut paths = Map::new();
    for operation in operations {
        let item = paths.entry(operation.path).or_insert_with(|| json!({}));
        item[operation.method.as_str().to_ascii_lowercase()] = describe(operation, &mut requests, &mut answers);
    }
    let mut schemas = requests.take_definitions(true);
    schemas.extend(answers.take_definitions(true));
    schemas.extend(error_schemas());
    paths.values_mut().chain(schemas.values_mut()).for_each(bound_texts);
    let tags: Vec<Value> =
        Tag::ALL.iter().map(|(tag, description)| json!({ "name": tag.name(), "description": description })).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Tracewright",
            "version": VERSION,
            "description": "Production and traceability: products with their bills of materials and processes, work orders, jobs, batches and a journal of everything that happens.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" }
        },
        "servers": [{ "url": "/api" }],
        "tags": tags,
        "paths": paths,
        "components": { "schemas": schemas, "securitySchemes": { SCHEME: scheme() } }
    })
}

/// Repeats the bound of a quantity as a pattern for its text form: the numeric bounds of a schema apply to numbers only.
fn bound_texts(schema: &mut Value) {
    match schema {
        Value::Array(values) => values.iter_mut().for_each(bound_texts),
        Value::Object(members) => {
            let least = |name: &str, members: &Map<String, Value>| members.get(name).and_then(Value::as_i64);
            let more_than_nothing = least("exclusiveMinimum", members) == Some(0);
            let not_negative = least("minimum", members) == Some(0);
            if members.get("format").is_some_and(|format| format == "decimal") && members.contains_key("pattern") {
                if more_than_nothing {
                    members.insert("pattern".to_owned(), json!(MORE_THAN_NOTHING));
                    members.remove("minimum");
                } else if not_negative {
                    members.insert("pattern".to_owned(), json!("^([0-9]{1,12}([.][0-9]{1,6})?|1000000000000)$"));
                }
            }
            members.values_mut().for_each(bound_texts);
        }
        _ => {}
    }
}

/// The pattern of a quantity above zero, in syntax that every regex dialect understands.
const MORE_THAN_NOTHING: &str = "^([1-9][0-9]{0,11}([.][0-9]{1,6})?|0[.]([1-9][0-9]{0,5}|0[1-9][0-9]{0,4}|00[1-9][0-9]{0,3}\
                                 |000[1-9][0-9]{0,2}|0000[1-9][0-9]?|00000[1-9])|1000000000000)$";

/// The description of 413.
fn too_large(operation: &Operation) -> String {
    let limit = match operation.body_limit {
        bytes if bytes < 1024 * 1024 => format!("{} KiB", bytes / 1024),
        bytes => format!("{} MiB", bytes / (1024 * 1024)),
    };
    match operation.endpoint.body() {
        Some(PlaceOf::MultipartBody) => "A file, or all of the body, is too large.".to_owned(),
        Some(PlaceOf::JsonOrMultipartBody) => format!("The JSON body is larger than {limit}, or a file is too large."),
        _ => format!("The body is larger than {limit}."),
    }
}

fn scheme() -> Value {
    let scopes: Map<String, Value> = domain::scope::Scope::all()
        .map(|scope| (scope.name().to_owned(), json!(scope.name().replace([':', '-'], " "))))
        .collect();
    json!({ "type": "oauth2", "flows": { "password": { "tokenUrl": "/api/auth", "scopes": scopes } } })
}

fn describe(operation: &Operation, requests: &mut SchemaGenerator, answers: &mut SchemaGenerator) -> Value {
    let mut described = json!({
        "operationId": operation.id(),
        "tags": [operation.tag.name()],
        "summary": operation.summary,
    });
    if !operation.description.is_empty() {
        described["description"] = json!(operation.description);
    }
    if let Access::Scope(scope) = operation.access
        && operation.security_declared
    {
        described["security"] = json!([{ SCHEME: [scope.name()] }]);
    }
    let mut parameters = Vec::new();
    for (place, schema) in operation.endpoint.parts(requests) {
        match place {
            PlaceOf::Path => parameters.extend(parameters_of("path", schema.as_value())),
            PlaceOf::Query => parameters.extend(parameters_of("query", schema.as_value())),
            body => {
                described["requestBody"]["required"] = json!(true);
                let media_type = body.media_type().unwrap_or_default();
                described["requestBody"]["content"][media_type] = json!({ "schema": schema });
                if body == PlaceOf::JsonBody && !operation.example.is_empty() {
                    let example: Value = serde_json::from_str(operation.example).unwrap_or_default();
                    described["requestBody"]["content"][media_type]["example"] = example;
                }
            }
        }
    }
    parameters.extend(extra_parameters(operation));
    let takes_input = !parameters.is_empty() || described.get("requestBody").is_some();
    if !parameters.is_empty() {
        described["parameters"] = json!(parameters);
    }
    described["responses"] = responses(operation, takes_input, answers);
    described
}

/// The parameters of operations besides those their handlers read.
fn extra_parameters(operation: &Operation) -> Vec<Value> {
    let text = |name: &str, place: &str, description: &str, schema: Value| json!({ "name": name, "in": place, "required": false, "description": description, "schema": schema });
    let mut extra = Vec::new();
    if operation.ticket {
        let description = "A ticket for exactly this address, instead of a token.";
        extra.push(text("ticket", "query", description, json!({ "type": "string" })));
    }
    if operation.errors.iter().any(|(status, _)| *status == 412) {
        let description = "The `_rev` that the record is expected to have.";
        extra.push(text("If-Match", "header", description, json!({ "type": "string" })));
    }
    if operation.keeps_answers() {
        let description = "With the same key, the same request is carried out once and answered alike for 24 hours.";
        let schema = json!({ "type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[!-~]+$" });
        extra.push(text(KEY_NAME, "header", description, schema));
    }
    if operation.endpoint.ranges() {
        let range = "One range of bytes, such as `bytes=0-99`.";
        extra.push(text("Range", "header", range, json!({ "type": "string" })));
        let known = "The `ETag` that the client already has.";
        extra.push(text("If-None-Match", "header", known, json!({ "type": "string" })));
    }
    extra
}

/// One parameter per member of an object schema.
fn parameters_of(place: &str, schema: &Value) -> Vec<Value> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let members = schema["properties"].as_object();
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let mut parameter = json!({
            "name": name,
            "in": place,
            "required": place == "path" || required.contains(&name.as_str()),
        });
        if let Some(description) = schema.as_object_mut().and_then(|schema| schema.remove("description")) {
            parameter["description"] = description;
        }
        parameter["schema"] = schema;
        parameter
    };
    members.into_iter().flatten().map(parameter).collect()
}

fn responses(operation: &Operation, takes_input: bool, answers: &mut SchemaGenerator) -> Value {
    let content = contents(operation, answers);
    let mut all = Map::new();
    all.insert(operation.status.as_str().to_owned(), json!({ "description": "Done.", "content": content }));
    if operation.endpoint.ranges() {
        all.insert("206".to_owned(), json!({ "description": "The requested range.", "content": content }));
        all.insert("304".to_owned(), json!({ "description": "The file still has the `ETag` in `If-None-Match`." }));
    }
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
        also(422, "The input does not fit, or a rule refuses it. All faults at once.");
    }
    also(500, "Something unexpected; `error_id` finds it in the log.");
    also(503, "The database can't be reached, the node is shutting down, or too many large requests are under way.");
    errors.sort_unstable();
    for (status, when) in errors {
        let schema = if status == 422 { "HTTPValidationError" } else { "Error" };
        let reference = format!("#/components/schemas/{schema}");
        all.insert(
            status.to_string(),
            json!({ "description": when, "content": { "application/json": { "schema": { "$ref": reference } } } }),
        );
    }
    Value::Object(all)
}

/// The content of a successful answer, by media type.
fn contents(operation: &Operation, answers: &mut SchemaGenerator) -> Value {
    let content = |media_type: &&str| {
        let schema = if *media_type == JSON { operation.endpoint.answer(answers) } else { bytes_schema() };
        ((*media_type).to_owned(), json!({ "schema": schema }))
    };
    operation.endpoint.media_types().iter().map(content).collect::<Map<_, _>>().into()
}

fn error_schemas() -> Map<String, Value> {
    let mut schemas = Map::new();
    let rule = json!({
        "type": "object",
        "description": "A rule refuses it; further members say more.",
        "required": ["error_type", "message"],
        "properties": { "error_type": { "type": "string" }, "message": { "type": "string" } }
    });
    let fault = json!({
        "type": "object",
        "required": ["type", "loc", "msg", "input"],
        "properties": {
            "type": { "type": "string", "description": "Stable name of the kind of fault." },
            "loc": {
                "type": "array",
                "description": "The path to the value, beginning with path, query, header or body.",
                "items": { "type": ["string", "integer"] }
            },
            "msg": { "type": "string" },
            "input": { "description": "The value at fault." }
        }
    });
    schemas.insert(
        "HTTPValidationError".to_owned(),
        json!({
            "type": "object",
            "required": ["detail"],
            "properties": { "detail": { "anyOf": [{ "type": "array", "items": fault }, rule] } }
        }),
    );
    schemas.insert(
        "Error".to_owned(),
        json!({
            "type": "object",
            "required": ["detail"],
            "properties": {
                "detail": {
                    "anyOf": [
                        { "type": "string" },
                        { "type": "object", "required": ["message"], "properties": { "message": { "type": "string" } } }
                    ]
                }
            }
        }),
    );
    schemas
}
