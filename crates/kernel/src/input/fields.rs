//! Types for the fields of bodies: trimmed and read-only ones.

use std::borrow::Cow;

use domain::text::NOT_BLANK;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

/// Adds members that readers get and writers may send back, for `#[schemars(transform = …)]` of a body: the document shows
/// them, and their values are ignored.
pub fn read_only(schema: &mut Schema, names: &[&str]) {
    let members = schema.ensure_object().entry("properties").or_insert_with(|| serde_json::json!({}));
    for name in names {
        let own = members.get(*name).and_then(|member| member.get("description")).cloned();
        let text = own.unwrap_or_else(|| serde_json::json!(NOT_WRITABLE));
        members[*name] = serde_json::json!({ "description": text, "readOnly": true });
    }
}

/// What the document says of a read-only member that has no text of its own.
const NOT_WRITABLE: &str = "Not writable here: ignored if sent.";

/// The read-only members of every record.
pub fn record_members(schema: &mut Schema) {
    read_only(schema, &["_id", "_rev"]);
}

/// Text of 1 to `MAX` characters, without the surrounding whitespace that was sent.
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

/// The search parameter of a list: a substring, ignoring case. Declared with `#[serde(default)]`, and with a text that says
/// where it is searched for.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Search(Option<String>);

impl JsonSchema for Search {
    fn schema_name() -> Cow<'static, str> {
        "Search".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Option::<String>::json_schema(generator);
        schema.insert("maxLength".to_owned(), domain::search::LONGEST.into());
        schema
    }
}

impl Search {
    /// The pattern, if anything is searched for.
    pub fn pattern(&self) -> Option<domain::search::Pattern> {
        self.0.as_deref().filter(|text| !text.is_empty()).map(domain::search::Pattern::substring)
    }
}
