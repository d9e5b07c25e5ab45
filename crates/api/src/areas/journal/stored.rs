//! Events as they are read: one named schema for each type, so that programs know the payload by the type.

use std::borrow::Cow;

use journal::catalogue::POSTABLE;
use journal::{ClientEvent, EventType, ServerEvent, added_members, made_payloads};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::read::{EventLine, EventWithChildren};
use crate::openapi::{self, reference};

/// The name of an event type as types are named: `JOB_STARTED` becomes `JobStarted`.
pub(super) fn type_name(event_type: &str) -> String {
    let word = |word: &str| word[..1].to_owned() + &word[1..].to_ascii_lowercase();
    event_type.split('_').map(word).collect()
}

/// One of the types, told apart by `event_type`.
pub(super) fn one_of(types: impl Iterator<Item = &'static str>, ending: &str, description: &str) -> Schema {
    let named = types.map(|event_type| (event_type, format!("{}{ending}", type_name(event_type))));
    let schema = openapi::one_of(description, "event_type", named);
    schema.try_into().unwrap_or_default()
}

/// All types of events that are stored.
fn stored_types() -> impl Iterator<Item = &'static str> {
    let sent = ClientEvent::ALL.iter().map(|event| event.name());
    sent.chain(ServerEvent::ALL.iter().map(|event| event.name()))
}

/// The payload of a type that is sent, as it is stored: what is sent, and what the service adds or has in those that it makes.
fn payload(sent: &EventType, generator: &mut SchemaGenerator) -> Value {
    let mut schema = (sent.schema)(generator).to_value();
    // What the service writes is described like answers: it may have the names of what is sent, and be something else.
    let mut writing = generator.settings().clone().for_serialize().into_generator();
    for made in added_members().chain(made_payloads()).filter(|made| made.of(sent.name).is_some()) {
        let made = (made.schema)(&mut writing).to_value();
        let Some(members) = schema["properties"].as_object_mut() else { continue };
        for (name, member) in made["properties"].as_object().into_iter().flatten() {
            let known = members.entry(name.clone()).or_insert_with(|| member.clone());
            // What the service writes may have more members or values than what is sent.
            if let (Some(sent), Some(made)) = (reference_in(known), reference_in(&mut member.clone())) {
                *sent = made.take();
            }
        }
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !sent.withheld().iter().any(|withheld| name == withheld));
    }
    schema
}

/// The reference to the named schema of a member, which may be null as well.
fn reference_in(schema: &mut Value) -> Option<&mut Value> {
    if schema.get("$ref").is_some() {
        return schema.get_mut("$ref");
    }
    schema.get_mut("anyOf")?.as_array_mut()?.iter_mut().find_map(|choice| choice.get_mut("$ref"))
}

/// Names the payloads of types that are sent. They are stored as they were sent, so they are described like requests.
pub(super) fn name_sent_payloads(generator: &mut SchemaGenerator) {
    for event_type in POSTABLE {
        let mut schema = payload(event_type, generator);
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("additionalProperties");
        }
        generator.definitions_mut().insert(format!("{}Payload", type_name(event_type.name)), schema);
    }
}

/// Names the payloads of types that only the service makes, and the objects in everything that it makes or adds.
fn name_made_payloads(generator: &mut SchemaGenerator) {
    for made in added_members().chain(made_payloads()) {
        let schema = (made.schema)(generator).to_value();
        for event_type in made.types.iter().filter(|event_type| ServerEvent::parse(event_type.name).is_some()) {
            let mut schema = schema.clone();
            schema["description"] = json!(event_type.meaning());
            generator.definitions_mut().insert(format!("{}Payload", type_name(event_type.name)), schema);
        }
    }
}

/// The schema of what is read, with its named parts.
fn schema(generator: &mut SchemaGenerator) -> Schema {
    let mut head = EventLine::members(generator).to_value();
    for name in ["event_type", "payload"] {
        head["properties"].as_object_mut().into_iter().for_each(|members| drop(members.shift_remove(name)));
    }
    if let Some(required) = head["required"].as_array_mut() {
        required.retain(|name| {
            !["event_type", "payload", "context_code", "context_name", "context_icon"].iter().any(|other| name == other)
        });
    }
    head["properties"]["children"] = json!({
        "type": "array",
        "description": "The events it led to directly, in order; only when it is read alone.",
        "items": reference(NAME)
    });
    head["description"] = json!("What all events have.");
    generator.definitions_mut().insert(HEAD.to_owned(), head);
    name_made_payloads(generator);
    for event_type in stored_types() {
        let name = type_name(event_type);
        let own = json!({
            "type": "object",
            "required": ["event_type", "payload"],
            "properties": {
                "event_type": { "type": "string", "const": event_type },
                "payload": reference(&format!("{name}Payload"))
            }
        });
        generator.definitions_mut().insert(format!("{name}Stored"), json!({ "allOf": [reference(HEAD), own] }));
    }
    one_of(stored_types(), "Stored", "An event as the journal keeps it; `event_type` says what its payload is.")
}

const NAME: &str = "StoredEvent";
const HEAD: &str = "StoredEventHead";

macro_rules! read_as_stored {
    ($($type:ty),+) => {$(
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                NAME.into()
            }
            fn schema_id() -> Cow<'static, str> {
                NAME.into()
            }
            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                schema(generator)
            }
        }
    )+};
}

read_as_stored!(EventLine, EventWithChildren);
