//! Types for the fields of bodies: what may be left out, trimmed or repeated without effect.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

/// A field that may be left out but not be null. Declared with `#[serde(default)]`.
#[derive(Debug, Clone)]
pub struct Given<T>(pub Option<T>);

impl<T> Default for Given<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(|value| Self(Some(value)))
    }
}

impl<T: JsonSchema> JsonSchema for Given<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T> Given<T> {
    /// Puts what was given into its place.
    pub fn apply(self, place: &mut T) {
        if let Some(value) = self.0 {
            *place = value;
        }
    }
}

/// Adds members that readers get and writers may repeat, for `#[schemars(transform = …)]` of a body: the document shows them,
/// and what is sent of them is not looked at.
pub fn read_only(schema: &mut Schema, names: &[&str]) {
    let members = schema.ensure_object().entry("properties").or_insert_with(|| serde_json::json!({}));
    for name in names {
        members[*name] = serde_json::json!({ "readOnly": true });
    }
}

/// The read-only members of every record.
pub fn record_members(schema: &mut Schema) {
    read_only(schema, &["_id", "_rev"]);
}

/// Something else than blanks, of which not all dialects count U+0085 as one.
const NOT_BLANK: &str = r"[^\s\u0085]";

/// Text of 1 to `MAX` characters without blanks around it; those that are sent are cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name<const MAX: u32>(pub String);

impl<'de, const MAX: u32> Deserialize<'de> for Name<MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(|text| Self(text.trim().to_owned()))
    }
}

impl<const MAX: u32> JsonSchema for Name<MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Name{MAX}").into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": MAX, "format": "trimmed", "pattern": NOT_BLANK })
    }
}

/// What a list is searched for: a substring, ignoring case.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Search {
    /// Case-insensitive substring.
    search: Option<String>,
}

impl Search {
    /// The pattern, when anything is searched for.
    pub fn pattern(&self) -> Option<domain::search::Pattern> {
        self.search.as_deref().filter(|text| !text.is_empty()).map(domain::search::Pattern::substring)
    }
}
