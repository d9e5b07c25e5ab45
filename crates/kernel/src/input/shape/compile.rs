//! From a schema to the tree.

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::formats::check_of;
use super::{Node, Object, Text};

impl Node {
    pub(super) fn compile(schema: &Value) -> Self {
        let Some(schema) = schema.as_object() else { return Node::Any };
        match (Self::compile_shape(schema), check_of(schema)) {
            // Null needs no closer look.
            (Node::Nullable(inner), Some(check)) => Node::Nullable(Box::new(Node::Checked(inner, check))),
            (node, Some(check)) => Node::Checked(Box::new(node), check),
            (node, None) => node,
        }
    }

    fn compile_shape(schema: &Map<String, Value>) -> Self {
        if schema.get("readOnly") == Some(&Value::Bool(true)) {
            return Node::ReadOnly;
        }
        if let Some(alternatives) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
            return Self::compile_alternatives(alternatives);
        }
        if let Some(constant) = schema.get("const") {
            return Node::Choice(vec![constant.clone()]);
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            let choices: Vec<Value> = values.iter().filter(|value| !value.is_null()).cloned().collect();
            let nullable = choices.len() < values.len();
            let choice = Node::Choice(choices);
            return if nullable { Node::Nullable(Box::new(choice)) } else { choice };
        }
        match schema.get("type") {
            Some(Value::String(name)) => Self::compile_type(name, schema),
            Some(Value::Array(names)) => {
                let named: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                // Of a quantity that may be text, only the number is looked at: it reads both.
                let quantity =
                    named.contains(&"number") && schema.get("format").is_some_and(|format| format == "decimal");
                let meant = named.iter().filter(|name| **name != "null" && (!quantity || **name == "number"));
                let mut types: Vec<Node> = meant.map(|name| Self::compile_type(name, schema)).collect();
                let inner = if types.len() == 1 { types.swap_remove(0) } else { Node::AnyOf(types) };
                if named.contains(&"null") { Node::Nullable(Box::new(inner)) } else { inner }
            }
            _ => Node::Any,
        }
    }

    fn compile_alternatives(alternatives: &[Value]) -> Self {
        let is_null = |schema: &&Value| schema.get("type").and_then(Value::as_str) == Some("null");
        let nullable = alternatives.iter().any(|schema| is_null(&schema));
        let mut others: Vec<Node> = alternatives.iter().filter(|schema| !is_null(schema)).map(Self::compile).collect();
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
        if nullable { Node::Nullable(Box::new(inner)) } else { inner }
    }

    /// Objects that one required member, a different constant in each of them, tells apart.
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

    fn compile_type(name: &str, schema: &Map<String, Value>) -> Self {
        let format = schema.get("format").and_then(Value::as_str);
        let size = |key: &str| schema.get(key).and_then(Value::as_u64).map(|size| size as usize);
        let bound = |key: &str| {
            let number = schema.get(key).and_then(Value::as_number);
            number.and_then(|number| number.as_str().trim_end_matches(".0").parse().ok())
        };
        match name {
            "boolean" => Node::Boolean,
            "integer" => Node::Integer {
                min: schema.get("minimum").and_then(Value::as_i64),
                max: schema.get("maximum").and_then(Value::as_i64),
            },
            "number" => Node::Number {
                min: bound("minimum"),
                above: bound("exclusiveMinimum"),
                exact: format == Some("decimal"),
            },
            "string" => Node::Text(Text {
                min: size("minLength").unwrap_or(0),
                max: size("maxLength"),
                pattern: schema.get("pattern").and_then(Value::as_str).and_then(|pattern| Regex::new(pattern).ok()),
                time: format == Some("date-time"),
                trimmed: format == Some("trimmed"),
                secret: format == Some("password"),
            }),
            "array" => Node::List {
                items: Box::new(schema.get("items").map_or(Node::Any, Self::compile)),
                min: size("minItems").unwrap_or(0),
                max: size("maxItems").unwrap_or(usize::MAX),
            },
            "object" => Node::Object(Object::compile(schema)),
            _ => Node::Any,
        }
    }
}

impl Object {
    fn compile(schema: &Map<String, Value>) -> Self {
        let members = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        Self {
            members: members
                .map(|members| members.iter().map(|(name, schema)| (name.clone(), Node::compile(schema))).collect())
                .unwrap_or_default(),
            required: required
                .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
                .unwrap_or_default(),
            told: schema
                .get("x-told")
                .and_then(Value::as_array)
                .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
                .unwrap_or_default(),
            others: match schema.get("additionalProperties") {
                Some(Value::Bool(false)) => None,
                Some(schema @ Value::Object(_)) => Some(Box::new(Node::compile(schema))),
                _ => Some(Box::new(Node::Any)),
            },
        }
    }
}
