//! The OpenAPI 3.1 document of all operations, built from their declarations and types. Programs are generated from it, so names
//! are chosen to stay.

mod answers;
mod errors;
mod examples;
mod files;
mod headers;
mod schemas;
mod tidy;

pub(crate) use answers::pascal_case;

use domain::key::KEY_PATTERN;
use domain::scope::Scope;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::auth::TicketFor;
use crate::idempotency::KEY_NAME;
use crate::input::PlaceOf;
use crate::openapi::tidy::{Side, tidy};
use crate::operation::{Access, Operation, Tag};
use crate::request::LAST_EVENT_ID;

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
    let (mut paths, mut envelopes) = (Map::new(), Map::new());
    for operation in operations {
        let item = paths.entry(operation.path).or_insert_with(|| json!({}));
        item[operation.method.as_str().to_ascii_lowercase()] =
            describe(operation, &mut requests, &mut answers, &mut envelopes);
    }
    paths.insert(files::PATH.to_owned(), files::described());
    envelopes.append(&mut errors::schemas(&mut answers));
    let schemas = schemas::named(requests, answers, envelopes, &mut paths);
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
        "components": { "schemas": schemas, "headers": headers::components(), "securitySchemes": { SCHEME: scheme(operations) } }
    })
}

/// A reference to a named schema.
pub fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// One of several named schemas, told apart by a member that each has one value of.
pub fn one_of<'a>(description: &str, member: &str, named: impl Iterator<Item = (&'a str, String)>) -> Value {
    let (mut variants, mut mapping) = (Vec::new(), Map::new());
    for (value, name) in named {
        let reference = reference(&name);
        mapping.insert(value.to_owned(), reference["$ref"].clone());
        variants.push(reference);
    }
    json!({
        "description": description,
        "oneOf": variants,
        "discriminator": { "propertyName": member, "mapping": mapping }
    })
}

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

fn scheme(operations: &[Operation]) -> Value {
    let scopes: Map<String, Value> =
        Scope::all().map(|scope| (scope.name().to_owned(), json!(what_it_allows(scope, operations)))).collect();
    json!({ "type": "oauth2", "flows": { "password": { "tokenUrl": "/api/auth", "scopes": scopes } } })
}

/// The operations that need the scope; other scopes are asked for within an operation.
fn what_it_allows(scope: Scope, operations: &[Operation]) -> String {
    let allowed = operations.iter().filter(|operation| operation.access == Access::Scope(scope));
    let ids: Vec<String> = allowed.map(|operation| format!("`{}`", operation.id)).collect();
    match ids.is_empty() {
        true => scope.name().replace([':', '-'], " "),
        false => format!("Allows {}.", ids.join(", ")),
    }
}

fn describe(
    operation: &Operation,
    requests: &mut SchemaGenerator,
    answers: &mut SchemaGenerator,
    envelopes: &mut Map<String, Value>,
) -> Value {
    let mut described = json!({
        "operationId": operation.id,
        "tags": [operation.tag.name()],
        "summary": operation.summary,
        "security": match operation.access {
            Access::Public => json!([]),
            Access::Scope(scope) => json!([{ SCHEME: [scope.name()] }]),
        },
    });
    if !operation.description.is_empty() {
        described["description"] = json!(operation.description);
    }
    let mut parameters = Vec::new();
    for (place, schema) in operation.endpoint.parts(requests) {
        let mut schema = schema.to_value();
        tidy(&mut schema, Side::Request);
        match place {
            PlaceOf::Path => parameters.extend(parameters_of("path", &schema)),
            PlaceOf::Query => parameters.extend(parameters_of("query", &schema)),
            body => {
                let mut content = json!({ "schema": schema });
                match body {
                    PlaceOf::JsonBody => add_examples(operation, &mut content),
                    PlaceOf::FormBody | PlaceOf::MultipartBody => {
                        examples::form(operation.id).into_iter().for_each(|form| content["example"] = form);
                    }
                    _ => {}
                }
                described["requestBody"]["required"] = json!(true);
                described["requestBody"]["content"][body.media_type().unwrap_or_default()] = content;
            }
        }
    }
    parameters.extend(extra_parameters(operation));
    let takes_input = !parameters.is_empty() || described.get("requestBody").is_some();
    if !parameters.is_empty() {
        described["parameters"] = json!(parameters);
    }
    described["responses"] = answers::all(operation, takes_input, answers, envelopes);
    described
}

fn add_examples(operation: &Operation, content: &mut Value) {
    if let Some(several) = examples::requests(operation.id) {
        content["examples"] = several.into_iter().map(|(name, value)| (name, json!({ "value": value }))).collect();
    } else if let Some(example) = examples::request(operation.id) {
        content["example"] = example;
    }
}

/// The parameters of operations besides those their handlers read.
fn extra_parameters(operation: &Operation) -> Vec<Value> {
    let text = |name: &str, place: &str, description: &str, schema: Value| json!({ "name": name, "in": place, "required": false, "description": description, "schema": schema });
    let mut extra = Vec::new();
    if let Some(ticket) = operation.ticket {
        let description = match ticket {
            TicketFor::Address => "A ticket for exactly this address, instead of a token.",
            TicketFor::Topics => "A ticket for these topics, perhaps among others, instead of a token.",
        };
        extra.push(text("ticket", "query", description, json!({ "type": "string" })));
    }
    if operation.errors.iter().any(|(status, _)| *status == 412) {
        let description = "The `_rev` that the record is expected to have.";
        extra.push(text("If-Match", "header", description, json!({ "type": "string" })));
    }
    if operation.keeps_answers() {
        let description =
            "With the same key, the same request is carried out once; for 24 hours a repetition gets the same answer.";
        let schema = json!({ "type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[!-~]+$" });
        extra.push(text(KEY_NAME, "header", description, schema));
    }
    if operation.endpoint.ranges() {
        let range = "One range of bytes, such as `bytes=0-99`.";
        extra.push(text("Range", "header", range, json!({ "type": "string" })));
        let known = "The `ETag` that the client already has.";
        extra.push(text("If-None-Match", "header", known, json!({ "type": "string" })));
    }
    if operation.endless() {
        let last =
            "The `id` of the last message that was received: what came after it follows. It wins over `last_event_id`.";
        extra.push(text(LAST_EVENT_ID, "header", last, json!({ "type": "string", "pattern": "^[0-9]+$" })));
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
        // Otherwise readers are shown what the pattern allows.
        if schema["pattern"] == KEY_PATTERN {
            parameter["example"] = json!("0c9qk1tm40000");
        }
        parameter["schema"] = schema;
        parameter
    };
    members.into_iter().flatten().map(parameter).collect()
}
