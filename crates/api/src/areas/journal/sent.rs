//! Events as they are sent: one flat object with the members all events share, the members of the type, and keys that have
//! to agree.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use domain::Fault;
use domain::fault::Faults;
use domain::json;
use journal::catalogue::POSTABLE;
use journal::{Common, EventType, Posted, References, ServerEvent};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::stored::{name_sent_payloads, one_of, type_name};
use crate::Result;
use crate::input::{Clipped, Part, PlaceOf, Shape, Source, json_body, read_value};
use crate::operation::LARGE_BODY;

/// The body of a request that sends one event.
pub(super) struct SentEvent(pub(super) SentOrNotAllowed);

/// The type of a sent event.
#[derive(Clone, Copy)]
pub(super) enum SentType {
    Sent(&'static KnownType),
    /// Only the service makes such events.
    ServerOnly(ServerEvent),
}

/// An event whose shape is right, or one of a type that only the service makes.
pub(super) enum SentOrNotAllowed {
    Event(Box<Posted>),
    NotAllowed(ServerEvent),
}

/// Any event that can be sent.
pub(super) struct AnyEvent;

impl JsonSchema for AnyEvent {
    fn schema_name() -> Cow<'static, str> {
        "SentEvent".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let types: Vec<Schema> = POSTABLE.iter().map(|event_type| schema(event_type, generator)).collect();
        json_schema!({ "oneOf": types })
    }
}

impl SentEvent {
    /// The schema for readers: each type has a name, and the payloads of stored events are named beside them.
    fn documented(generator: &mut SchemaGenerator) -> Schema {
        for event_type in POSTABLE {
            let schema = schema(event_type, generator).to_value();
            generator.definitions_mut().insert(format!("{}Event", type_name(event_type.name)), schema);
        }
        name_sent_payloads(generator);
        let types = POSTABLE.iter().map(|event_type| event_type.name);
        let any = one_of(types, "Event", "An event to be sent; `event_type` says which members it has.");
        generator.definitions_mut().insert("SentEvent".to_owned(), any.to_value());
        json_schema!({ "$ref": "#/components/schemas/SentEvent" })
    }
}

/// The schema of all members an event of this type may have.
fn schema(event_type: &EventType, generator: &mut SchemaGenerator) -> Schema {
    let payload = (event_type.schema)(generator);
    let mut members = Map::new();
    members.insert("event_type".to_owned(), json!({ "type": "string", "const": event_type.name }));
    for part in [&payload, &References::json_schema(generator), &Common::json_schema(generator)] {
        for (name, schema) in properties(part) {
            // A key that the type requires is not declared again.
            members.entry(name.clone()).or_insert_with(|| schema.clone());
        }
    }
    let mut required = vec![json!("event_type")];
    required.extend(payload.get("required").and_then(Value::as_array).into_iter().flatten().cloned());
    let description = payload.get("description").cloned().unwrap_or_default();
    json_schema!({
        "type": "object",
        "description": description,
        "required": required,
        "properties": members,
        "additionalProperties": false
    })
}

fn properties(schema: &Schema) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// An event of this size is small, whatever it holds.
const SMALL: usize = 1024 * 1024;
/// Maximum memory that one event may take, in bytes.
const MOST_WEIGHT: usize = 128 * 1024 * 1024;
pub(super) const TOO_MUCH: &str = "Is too large for one event.";
/// Everything derived from a type, computed once.
pub(super) struct KnownType {
    pub(super) event_type: &'static EventType,
    shape: Shape,
    payload: Vec<String>,
}

static KNOWN_TYPES: LazyLock<HashMap<&'static str, KnownType>> = LazyLock::new(|| {
    let kind = |event_type: &'static EventType| {
        let mut payload = Vec::new();
        let shape = Shape::of_schema(|generator| {
            payload = properties(&(event_type.schema)(generator)).map(|(name, _)| name.clone()).collect();
            schema(event_type, generator)
        });
        (event_type.name, KnownType { event_type, shape, payload })
    };
    POSTABLE.iter().map(kind).collect()
});

static REFERENCES: LazyLock<Vec<String>> = LazyLock::new(|| Shape::of::<References>().members());

/// Whether an event, or what several share, holds no more than one event may.
pub(super) fn is_bearable(text: &[u8]) -> bool {
    let small = text.len() <= SMALL;
    small || (text.len() <= LARGE_BODY && json::measure(text).weight() <= MOST_WEIGHT)
}

impl SentType {
    pub(super) fn of(name: &Value, faults: &mut Faults) -> Option<Self> {
        let text = name.as_str().unwrap_or_default();
        if let Some(event) = ServerEvent::parse(text) {
            return Some(Self::ServerOnly(event));
        }
        let known = KNOWN_TYPES.get(text).map(Self::Sent);
        if known.is_none() {
            faults.within("event_type", |faults| match name {
                Value::Null => faults.add("missing", "Is required.", name),
                _ => faults.add("event_type_unknown", "There is no such type of event.", name),
            });
        }
        known
    }
}

impl KnownType {
    /// What the audit log shows of an event of this type.
    pub(super) fn summary(&self, event: &Value, bytes: usize) -> Clipped {
        self.shape.summary(event, bytes)
    }

    /// An event of this type, or all its faults, located below `body`.
    pub(super) fn read(&'static self, event: Value) -> Result<Posted, Vec<Fault>> {
        let mut faults = Vec::new();
        let Some(Value::Object(members)) = read_value::<Value>(event, "body", &self.shape, &mut faults) else {
            return Err(faults);
        };
        let (mut payload, mut references, mut common) = (Map::new(), Map::new(), Map::new());
        for (name, value) in members {
            let part = match &name {
                name if self.payload.contains(name) => &mut payload,
                name if REFERENCES.contains(name) => &mut references,
                name if name == "event_type" => continue,
                _ => &mut common,
            };
            part.insert(name, value);
        }
        let (references, common) = (typed(references)?, typed(common)?);
        Ok(Posted { event_type: self.event_type, common, references, payload: Value::Object(payload) })
    }
}

fn typed<T: DeserializeOwned>(members: Map<String, Value>) -> Result<T, Vec<Fault>> {
    serde_json::from_value(Value::Object(members)).map_err(|error| {
        let mut faults = Faults::at("body");
        faults.add("value_error", error.to_string(), &Value::Null);
        faults.into_vec()
    })
}

impl Part for SentEvent {
    const PLACE: PlaceOf = PlaceOf::JsonBody;
    type Fields = AnyEvent;

    fn places(generator: &mut SchemaGenerator) -> Vec<(PlaceOf, Schema)> {
        vec![(Self::PLACE, Self::documented(generator))]
    }

    fn read(source: &Source, shape: &Shape, faults: &mut Vec<Fault>) -> Option<Self> {
        if !is_bearable(&source.body) {
            faults.push(Fault::new("too_long", &["body".into()], TOO_MUCH, &Value::Null));
            return None;
        }
        let event: Value = json_body(source, faults)?;
        source.note_body(&event, shape);
        let mut wrong = Faults::at("body");
        if !event.is_object() {
            wrong.add("object_type", "Must be an object.", &event);
        }
        let read = match SentType::of(&event["event_type"], &mut wrong) {
            Some(SentType::ServerOnly(event)) => return Some(Self(SentOrNotAllowed::NotAllowed(event))),
            Some(SentType::Sent(kind)) => kind.read(event),
            None => Err(wrong.into_vec()),
        };
        match read {
            Ok(posted) => Some(Self(SentOrNotAllowed::Event(Box::new(posted)))),
            Err(wrong) => {
                faults.extend(wrong);
                None
            }
        }
    }
}
