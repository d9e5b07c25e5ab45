//! Compiles a schema into the tree. If a keyword were ignored here, the document would promise what nobody checks; so a
//! schema is understood completely or rejected.

use std::fmt;

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::formats::{CHECKED_AS, check_of};
use super::{Node, Object, Text};

/// Keywords that say nothing about a value, or are read elsewhere.
const ALWAYS: [&str; 6] = ["title", "description", "default", "examples", "type", CHECKED_AS];
/// The types, with the keywords and the formats of each.
const TYPES: [(&str, &[&str], &[&str]); 7] = [
    ("null", &[], &[]),
    ("boolean", &[], &[]),
    ("integer", &["minimum", "maximum"], &["int64", "uint", "uint16", "uint32", "uint64"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum"], &["decimal"]),
    (
        "string",
        &["minLength", "maxLength", "pattern", "contentMediaType", PRIVATE, ORIGIN_ONLY, MUST],
        &["date-time", "trimmed", "password"],
    ),
    ("array", &["items", "minItems", "maxItems"], &[]),
    // Names of members are left to the operation, which reports their faults together with those of the values.
    ("object", &["properties", "required", "additionalProperties", "propertyNames", "x-told"], &[]),
];

/// Marks a text that only some may read: like a password, its value is never repeated.
const PRIVATE: &str = "x-private";

/// Marks the address of a webhook, of which only scheme and host are repeated: the rest may hold a token.
const ORIGIN_ONLY: &str = "x-origin-only";

/// Says in words what the pattern of a text asks for: "Must " and a dot stand around it.
const MUST: &str = "x-must";

/// What is not understood in a schema, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unknown {
    what: String,
    /// From the inside out.
    within: Vec<String>,
}

type Compiled<T> = Result<T, Unknown>;

impl Unknown {
    fn keyword(name: &str) -> Self {
        Self::of(format!("the keyword `{name}`"))
    }

    fn value(keyword: &str, value: &Value) -> Self {
        Self::of(format!("`{keyword}` with {value}"))
    }

    fn of(what: String) -> Self {
        Self { what, within: Vec::new() }
    }

    fn within(mut self, name: &str) -> Self {
        self.within.push(name.to_owned());
        self
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is not understood", self.what)?;
        self.within.iter().try_for_each(|name| write!(formatter, " in `{name}`"))
    }
}

/// Rejects unknown keywords.
fn know(schema: &Map<String, Value>, known: &[&str]) -> Compiled<()> {
    let unknown = schema.keys().find(|name| !ALWAYS.contains(&name.as_str()) && !known.contains(&name.as_str()));
    unknown.map_or(Ok(()), |name| Err(Unknown::keyword(name)))
}

/// The value of a keyword, which must have this type if the keyword is there.
fn read<'a, T>(
    schema: &'a Map<String, Value>,
    keyword: &str,
    read: impl FnOnce(&'a Value) -> Option<T>,
) -> Compiled<Option<T>> {
    let Some(value) = schema.get(keyword) else { return Ok(None) };
    read(value).map(Some).ok_or_else(|| Unknown::value(keyword, value))
}

fn names(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|name| Some(name.as_str()?.to_owned())).collect()
}

impl Node {
    pub(super) fn compile(schema: &Value) -> Compiled<Self> {
        let Some(schema) = schema.as_object() else {
            // `true` accepts everything.
            return if *schema == Value::Bool(true) { Ok(Node::Any) } else { Err(Unknown::of(format!("`{schema}`"))) };
        };
        Ok(match (Self::compile_shape(schema)?, read(schema, CHECKED_AS, check_of)?) {
            // Null needs no further check.
            (Node::Nullable(inner), Some(check)) => Node::Nullable(Box::new(Node::Checked(inner, check))),
            (node, Some(check)) => Node::Checked(Box::new(node), check),
            (node, None) => node,
        })
    }

    fn compile_shape(schema: &Map<String, Value>) -> Compiled<Self> {
        if schema.get("readOnly") == Some(&Value::Bool(true)) {
            return Ok(Node::ReadOnly);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(alternatives) = read(schema, keyword, Value::as_array)? {
                know(schema, &[keyword])?;
                return Self::compile_alternatives(alternatives);
            }
        }
        if let Some(constant) = schema.get("const") {
            know(schema, &["const"])?;
            return Ok(Node::Choice(vec![constant.clone()]));
        }
        if let Some(values) = read(schema, "enum", Value::as_array)? {
            know(schema, &["enum"])?;
            let choices: Vec<Value> = values.iter().filter(|value| !value.is_null()).cloned().collect();
            let nullable = choices.len() < values.len();
            let choice = Node::Choice(choices);
            return Ok(if nullable { Node::Nullable(Box::new(choice)) } else { choice });
        }
        let named: Vec<&str> = match schema.get("type") {
            None => {
                know(schema, &[])?;
                return Ok(Node::Any);
            }
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            Some(other) => return Err(Unknown::value("type", other)),
        };
        Self::know_types(&named, schema)?;
        // For a quantity that may be text, only the number branch counts: it reads both.
        let quantity = named.contains(&"number") && schema.get("format").is_some_and(|format| format == "decimal");
        let meant = named.iter().filter(|name| **name != "null" && (!quantity || **name == "number"));
        let mut types = meant.map(|name| Self::compile_type(name, schema)).collect::<Compiled<Vec<Node>>>()?;
        let inner = if types.len() == 1 { types.swap_remove(0) } else { Node::AnyOf(types) };
        Ok(if named.contains(&"null") { Node::Nullable(Box::new(inner)) } else { inner })
    }

    /// Rejects unknown types, and keywords that none of these types has.
    fn know_types(named: &[&str], schema: &Map<String, Value>) -> Compiled<()> {
        let (mut keywords, mut formats) = (vec!["format"], Vec::new());
        for name in named {
            let Some((_, of_type, its_formats)) = TYPES.iter().find(|(known, ..)| known == name) else {
                return Err(Unknown::of(format!("the type `{name}`")));
            };
            keywords.extend(*of_type);
            formats.extend(*its_formats);
        }
        know(schema, &keywords)?;
        read(schema, "format", |format| formats.contains(&format.as_str()?).then_some(())).map(|_| ())
    }

    fn compile_alternatives(alternatives: &[Value]) -> Compiled<Self> {
        let is_null = |schema: &&Value| schema.get("type").and_then(Value::as_str) == Some("null");
        let nullable = alternatives.iter().any(|schema| is_null(&schema));
        let others = alternatives.iter().filter(|schema| !is_null(schema)).map(Self::compile);
        let mut others = others.collect::<Compiled<Vec<Node>>>()?;
        let all_constants = others.iter().all(|node| matches!(node, Node::Choice(_)));
        let inner = if others.len() == 1 {
            others.swap_remove(0)
        } else if all_constants {
            let values = others.into_iter().flat_map(|node| match node {
                Node::Choice(values) => values,
                _ => Vec::new(),
            });
            Node::Choice(values.collect())
        } else {
            Self::tagged(others).unwrap_or_else(Node::AnyOf)
        };
        Ok(if nullable { Node::Nullable(Box::new(inner)) } else { inner })
    }

    /// Objects told apart by one required member with a different constant in each.
    fn tagged(nodes: Vec<Node>) -> Result<Self, Vec<Node>> {
        let tag_of = |node: &Node, name: &str| match node {
            Node::Object(object) if object.required.iter().any(|required| required == name) => {
                match object.members.get(name) {
                    Some(Node::Choice(values)) if values.len() == 1 => values.first().cloned(),
                    _ => None,
                }
            }
            _ => None,
        };
        let tells_apart = |name: &&String| {
            let tags: Vec<Value> = nodes.iter().filter_map(|node| tag_of(node, name)).collect();
            let different = tags.iter().enumerate().all(|(index, tag)| !tags[..index].contains(tag));
            tags.len() == nodes.len() && different
        };
        let tag = match nodes.first() {
            Some(Node::Object(first)) => first.required.iter().find(tells_apart).cloned(),
            _ => None,
        };
        let Some(tag) = tag else { return Err(nodes) };
        let forms = nodes.into_iter().filter_map(|node| {
            let name = tag_of(&node, &tag)?;
            match node {
                Node::Object(object) => Some((name, object)),
                _ => None,
            }
        });
        Ok(Node::Tagged { forms: forms.collect(), tag })
    }

    fn compile_type(name: &str, schema: &Map<String, Value>) -> Compiled<Self> {
        let format = schema.get("format").and_then(Value::as_str);
        let size = |keyword: &str| read(schema, keyword, |size| usize::try_from(size.as_u64()?).ok());
        let bound = |keyword: &str| {
            read(schema, keyword, |bound| bound.as_number()?.as_str().trim_end_matches(".0").parse().ok())
        };
        Ok(match name {
            "boolean" => Node::Boolean,
            "integer" => Node::Integer {
                min: read(schema, "minimum", Value::as_i64)?,
                max: read(schema, "maximum", Value::as_i64)?,
            },
            "number" => Node::Number {
                min: bound("minimum")?,
                above: bound("exclusiveMinimum")?,
                max: bound("maximum")?,
                exact: format == Some("decimal"),
            },
            "string" => Node::Text(Text {
                min: size("minLength")?.unwrap_or(0),
                max: size("maxLength")?,
                pattern: read(schema, "pattern", |pattern| Regex::new(pattern.as_str()?).ok())?,
                must: read(schema, MUST, |words| words.as_str().map(str::to_owned))?,
                time: format == Some("date-time"),
                trimmed: format == Some("trimmed"),
                secret: format == Some("password") || read(schema, PRIVATE, Value::as_bool)? == Some(true),
                origin_only: read(schema, ORIGIN_ONLY, Value::as_bool)? == Some(true),
            }),
            "array" => Node::List {
                items: Box::new(schema.get("items").map_or(Ok(Node::Any), Self::compile)?),
                min: size("minItems")?.unwrap_or(0),
                max: size("maxItems")?.unwrap_or(usize::MAX),
            },
            "object" => Node::Object(Object::compile(schema)?),
            other => return Err(Unknown::of(format!("the type `{other}`"))),
        })
    }
}

impl Object {
    fn compile(schema: &Map<String, Value>) -> Compiled<Self> {
        let members = read(schema, "properties", Value::as_object)?.into_iter().flatten();
        let members = members.map(|(name, schema)| {
            let node = Node::compile(schema).map_err(|unknown| unknown.within(name))?;
            Ok((name.clone(), node))
        });
        Ok(Self {
            members: members.collect::<Compiled<_>>()?,
            required: read(schema, "required", names)?.unwrap_or_default(),
            told: read(schema, "x-told", names)?.unwrap_or_default(),
            others: match schema.get("additionalProperties") {
                Some(Value::Bool(false)) => None,
                None => Some(Box::new(Node::Any)),
                Some(others) => {
                    let others = Node::compile(others).map_err(|unknown| unknown.within("additionalProperties"))?;
                    Some(Box::new(others))
                }
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn unknown(schema: Value) -> String {
        Node::compile(&schema).map_or_else(|unknown| unknown.to_string(), |_| "understood".to_owned())
    }

    #[test]
    fn what_is_not_understood_is_refused_by_its_name() {
        let within =
            json!({ "type": "object", "properties": { "a": { "type": "array", "items": { "uniqueItems": true } } } });
        assert_eq!(unknown(within), "the keyword `uniqueItems` is not understood in `a`");
        for (schema, what) in [
            (json!({ "type": "integer", "exclusiveMinimum": 0 }), "the keyword `exclusiveMinimum`"),
            (json!({ "type": ["string", "null"], "minimum": 0 }), "the keyword `minimum`"),
            (json!({ "type": "string", "format": "email" }), "`format` with \"email\""),
            (json!({ "type": "string", "pattern": "(" }), "`pattern` with \"(\""),
            (json!({ "type": "string", "maxLength": -1 }), "`maxLength` with -1"),
            (json!({ "type": "integer", "minimum": 0.5 }), "`minimum` with 0.5"),
            (json!({ "type": "text" }), "the type `text`"),
            (json!({ "allOf": [] }), "the keyword `allOf`"),
            (json!({ "anyOf": [{ "type": "string" }], "minLength": 1 }), "the keyword `minLength`"),
            (json!({ "enum": ["a"], "pattern": "a" }), "the keyword `pattern`"),
            (json!({ "$ref": "#/$defs/Self" }), "the keyword `$ref`"),
            (json!({ "type": "string", "x-checked-as": "nothing" }), "`x-checked-as` with \"nothing\""),
            (json!(false), "`false`"),
        ] {
            assert_eq!(unknown(schema), format!("{what} is not understood"));
        }
    }

    #[test]
    fn what_our_types_say_is_understood() {
        for schema in [
            json!(true),
            json!({ "description": "anything" }),
            json!({ "type": ["number", "string", "null"], "format": "decimal", "maximum": 1e12, "pattern": "^1$" }),
            json!({ "type": "object", "additionalProperties": { "type": "integer", "format": "int64" } }),
            json!({ "readOnly": true, "type": "whatever" }),
        ] {
            assert_eq!(unknown(schema), "understood");
        }
    }
}
