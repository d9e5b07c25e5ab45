//! A JSON Schema compiled into a tree that finds every fault of a value. Understands what our own types' schemas use.

use std::borrow::Cow;
use std::collections::BTreeMap;

use domain::fault::Faults;
use domain::{Quantity, Timestamp};
use regex_lite::Regex;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Number, Value};

#[derive(Debug)]
pub struct Shape(Node);

#[derive(Debug)]
enum Node {
    Any,
    Boolean,
    Integer { min: Option<i64>, max: Option<i64> },
    Number { min: Option<Quantity>, exact: bool },
    Text(Text),
    Choice(Vec<Value>),
    List { items: Box<Node>, min: usize, max: usize },
    Object(Object),
    Nullable(Box<Node>),
    AnyOf(Vec<Node>),
}

#[derive(Debug, Default)]
struct Text {
    min: usize,
    max: Option<usize>,
    pattern: Option<Regex>,
    time: bool,
    /// Blanks around it do not count.
    trimmed: bool,
    /// A password: what was sent is never repeated.
    secret: bool,
}

#[derive(Debug)]
struct Object {
    members: BTreeMap<String, Node>,
    required: Vec<String>,
    others: Option<Box<Node>>,
}

impl Shape {
    pub fn of<T: JsonSchema>() -> Self {
        let mut generator =
            SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true).into_generator();
        let schema = generator.subschema_for::<T>();
        Shape(Node::compile(schema.as_value()))
    }

    pub fn check(&self, value: &Value, faults: &mut Faults) {
        self.0.check(value, faults);
    }

    /// Writes whole numbers as such: to a schema 7.0 is an integer, to serde it is not.
    pub fn tidy(&self, value: &mut Value) {
        self.0.tidy(value);
    }

    /// The value of one query or form field, typed as the schema says; what can't be read stays text, for `check` to refuse.
    pub fn read_fields(&self, fields: &[(String, String)]) -> Map<String, Value> {
        let mut read: Map<String, Value> = Map::new();
        for (name, text) in fields {
            let node = match &self.0 {
                Node::Object(object) => object.members.get(name),
                _ => None,
            };
            match (node, read.get_mut(name)) {
                (Some(Node::List { items, .. }), Some(Value::Array(values))) => values.push(items.read_text(text)),
                (Some(Node::List { items, .. }), _) => {
                    read.insert(name.clone(), Value::Array(vec![items.read_text(text)]));
                }
                (Some(node), _) => {
                    read.insert(name.clone(), node.read_text(text));
                }
                (None, _) => {
                    read.insert(name.clone(), Value::String(text.clone()));
                }
            }
        }
        read
    }

    /// What may be shown of a value to whoever reads logs. Where a password belongs in, people also send it under wrong names
    /// and in wrong places, so only known members that are none are left.
    pub fn without_secrets<'a>(&self, value: &'a Value) -> Cow<'a, Value> {
        let Node::Object(object) = &self.0 else { return Cow::Borrowed(value) };
        let is_secret = |node: &Node| match node {
            Node::Text(text) => text.secret,
            Node::Nullable(inner) => matches!(&**inner, Node::Text(text) if text.secret),
            _ => false,
        };
        if !object.members.values().any(is_secret) {
            return Cow::Borrowed(value);
        }
        let members = value.as_object().into_iter().flatten();
        let shown = members.filter(|(name, _)| object.members.get(*name).is_some_and(|node| !is_secret(node)));
        Cow::Owned(Value::Object(shown.map(|(name, value)| (name.clone(), value.clone())).collect()))
    }

    /// Only the fields this shape knows: several parts of a request read the same query.
    pub fn knows(&self, field: &str) -> bool {
        matches!(&self.0, Node::Object(object) if object.members.contains_key(field))
    }
}

impl Node {
    fn compile(schema: &Value) -> Self {
        let Some(schema) = schema.as_object() else { return Node::Any };
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
                let mut types: Vec<Node> =
                    named.iter().filter(|name| **name != "null").map(|name| Self::compile_type(name, schema)).collect();
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
            Node::AnyOf(others)
        };
        if nullable { Node::Nullable(Box::new(inner)) } else { inner }
    }

    fn compile_type(name: &str, schema: &Map<String, Value>) -> Self {
        let format = schema.get("format").and_then(Value::as_str);
        let size = |key: &str| schema.get(key).and_then(Value::as_u64).map(|size| size as usize);
        match name {
            "boolean" => Node::Boolean,
            "integer" => Node::Integer {
                min: schema.get("minimum").and_then(Value::as_i64),
                max: schema.get("maximum").and_then(Value::as_i64),
            },
            "number" => Node::Number {
                min: schema
                    .get("minimum")
                    .and_then(Value::as_number)
                    .and_then(|number| number.as_str().trim_end_matches(".0").parse().ok()),
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

    fn read_text(&self, text: &str) -> Value {
        match self {
            Node::Nullable(inner) if text == "null" || (text.is_empty() && !matches!(**inner, Node::Text(_))) => {
                Value::Null
            }
            Node::Nullable(inner) => inner.read_text(text),
            Node::Boolean => match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Value::Bool(true),
                "false" | "0" | "no" | "off" => Value::Bool(false),
                _ => Value::String(text.to_owned()),
            },
            Node::Integer { .. } | Node::Number { .. } => match serde_json::from_str::<Value>(text.trim()) {
                Ok(number @ Value::Number(_)) => number,
                _ => Value::String(text.to_owned()),
            },
            _ => Value::String(text.to_owned()),
        }
    }

    fn tidy(&self, value: &mut Value) {
        match (self, value) {
            (Node::Integer { .. }, Value::Number(number)) => {
                if let Some(whole) = whole(number) {
                    *number = whole.into();
                }
            }
            (Node::Nullable(inner), value) => inner.tidy(value),
            (Node::List { items, .. }, Value::Array(values)) => values.iter_mut().for_each(|value| items.tidy(value)),
            (Node::Object(object), Value::Object(members)) => {
                for (name, value) in members {
                    if let Some(node) = object.members.get(name).or(object.others.as_deref()) {
                        node.tidy(value);
                    }
                }
            }
            _ => {}
        }
    }

    fn check(&self, value: &Value, faults: &mut Faults) {
        match self {
            Node::Any => {}
            Node::Boolean => {
                if !value.is_boolean() {
                    faults.add("bool_type", "Must be true or false.", value);
                }
            }
            Node::Integer { min, max } => check_integer(*min, *max, value, faults),
            Node::Number { min, exact } => check_number(*min, *exact, value, faults),
            Node::Text(text) => text.check(value, faults),
            Node::Choice(values) => {
                if !values.contains(value) {
                    let shown: Vec<String> = values.iter().map(shown).collect();
                    faults.add("enum", format!("Must be one of: {}.", shown.join(", ")), value);
                }
            }
            Node::List { items, min, max } => check_list(items, *min, *max, value, faults),
            Node::Object(object) => object.check(value, faults),
            Node::Nullable(inner) => {
                if !value.is_null() {
                    inner.check(value, faults);
                }
            }
            Node::AnyOf(nodes) => {
                let fits = nodes.iter().any(|node| {
                    let mut tried = Faults::default();
                    node.check(value, &mut tried);
                    tried.is_empty()
                });
                if !fits {
                    faults.add("no_match", "Fits none of the allowed forms.", value);
                }
            }
        }
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The whole number that one with a point or an exponent stands for.
fn whole(number: &Number) -> Option<i64> {
    if number.as_i64().is_some() {
        return None;
    }
    let (mantissa, exponent) = number.as_str().split_once(['e', 'E']).unwrap_or((number.as_str(), "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let after = after.trim_end_matches('0');
    let zeros = exponent.parse::<usize>().ok()?.checked_sub(after.len()).filter(|zeros| *zeros < 19)?;
    format!("{before}{after}{:0<zeros$}", "").parse().ok()
}

fn check_integer(min: Option<i64>, max: Option<i64>, value: &Value, faults: &mut Faults) {
    let Some(number) = value.as_number() else {
        let kind = if value.is_string() { "int_parsing" } else { "int_type" };
        return faults.add(kind, "Must be a whole number.", value);
    };
    match (number.as_i64(), min, max) {
        (None, _, _) => faults.add("int_type", "Must be a whole number of at most 64 bits.", value),
        (Some(number), Some(min), _) if number < min => {
            faults.add("greater_than_equal", format!("Must be {min} or more."), value);
        }
        (Some(number), _, Some(max)) if number > max => {
            faults.add("less_than_equal", format!("Must be {max} or less."), value);
        }
        _ => {}
    }
}

fn check_number(min: Option<Quantity>, exact: bool, value: &Value, faults: &mut Faults) {
    let Some(number) = value.as_number() else {
        return faults.add("float_type", "Must be a number.", value);
    };
    match number.as_str().parse::<Quantity>() {
        Err(why) if exact => faults.add("decimal_parsing", format!("{why}."), value),
        Ok(number) if min.is_some_and(|min| number < min) => {
            faults.add("greater_than_equal", format!("Must be {} or more.", min.unwrap_or_default()), value);
        }
        _ => {}
    }
}

fn check_list(items: &Node, min: usize, max: usize, value: &Value, faults: &mut Faults) {
    let Some(values) = value.as_array() else {
        return faults.add("list_type", "Must be a list.", value);
    };
    if values.len() < min {
        faults.add("too_short", format!("Must have at least {min} entries."), &Value::from(values.len()));
    }
    if values.len() > max {
        return faults.add("too_long", format!("Must have at most {max} entries."), &Value::from(values.len()));
    }
    for (index, value) in values.iter().enumerate() {
        faults.within(index, |faults| items.check(value, faults));
    }
}

impl Text {
    fn check(&self, value: &Value, faults: &mut Faults) {
        let Some(text) = value.as_str() else {
            return faults.add("string_type", "Must be text.", if self.secret { &Value::Null } else { value });
        };
        let value = if self.secret { &Value::Null } else { value };
        let text = if self.trimmed { text.trim() } else { text };
        let chars = if self.min > 0 || self.max.is_some() { text.chars().count() } else { 0 };
        if chars < self.min {
            faults.add("string_too_short", format!("Must have at least {} characters.", self.min), value);
        } else if self.max.is_some_and(|max| chars > max) {
            faults.add("string_too_long", format!("Must have at most {} characters.", self.max.unwrap_or(0)), value);
        } else if self.pattern.as_ref().is_some_and(|pattern| !pattern.is_match(text)) {
            let pattern = self.pattern.as_ref().map_or("", Regex::as_str);
            faults.add("string_pattern_mismatch", format!("Must match {pattern}."), value);
        } else if self.time && Timestamp::parse(text).is_err() {
            faults.add("datetime_parsing", "Must be a date or time such as 2026-01-31T08:00:00Z.", value);
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
            others: match schema.get("additionalProperties") {
                Some(Value::Bool(false)) => None,
                Some(schema @ Value::Object(_)) => Some(Box::new(Node::compile(schema))),
                _ => Some(Box::new(Node::Any)),
            },
        }
    }

    fn check(&self, value: &Value, faults: &mut Faults) {
        let Some(members) = value.as_object() else {
            return faults.add("dict_type", "Must be an object.", value);
        };
        for name in &self.required {
            if !members.contains_key(name) {
                faults.within(name.as_str(), |faults| faults.add("missing", "Is required.", &Value::Null));
            }
        }
        for (name, value) in members {
            faults.within(name.as_str(), |faults| match (self.members.get(name), &self.others) {
                (Some(node), _) => node.check(value, faults),
                (None, Some(others)) => others.check(value, faults),
                (None, None) => faults.add("extra_forbidden", "Is not a known field.", value),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Sample {
        #[schemars(length(min = 1, max = 3))]
        name: String,
        #[schemars(range(min = 0, max = 9))]
        count: Option<i64>,
        amount: Option<Quantity>,
        when: Option<Timestamp>,
        kind: Option<Kind>,
        #[serde(default)]
        list: Vec<Inner>,
        free: Option<Map<String, Value>>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        /// A first one.
        One,
        Two,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Inner {
        flag: bool,
    }

    fn faults(value: Value) -> Vec<(String, String)> {
        let mut faults = Faults::at("body");
        Shape::of::<Sample>().check(&value, &mut faults);
        let shown = |fault: domain::Fault| (fault.kind.to_owned(), json!(fault.loc).to_string());
        faults.into_vec().into_iter().map(shown).collect()
    }

    #[test]
    fn what_fits_has_no_faults() {
        let value = json!({
            "name": "abc", "count": 9, "amount": 0.000001, "when": "2026-01-01", "kind": "one",
            "list": [{"flag": true}], "free": {"x": [1]}
        });
        assert!(faults(value).is_empty());
        assert!(faults(json!({"name": "a", "count": null, "kind": null})).is_empty());
    }

    #[test]
    fn all_faults_are_found_at_once() {
        let value = json!({
            "count": 10, "amount": serde_json::from_str::<Value>("0.0000001").unwrap(), "when": "soon", "kind": "three",
            "list": [{"flag": 1}, {}, 3], "free": [], "other": 1
        });
        let expected = [
            ("missing", r#"["body","name"]"#),
            ("less_than_equal", r#"["body","count"]"#),
            ("decimal_parsing", r#"["body","amount"]"#),
            ("datetime_parsing", r#"["body","when"]"#),
            ("enum", r#"["body","kind"]"#),
            ("bool_type", r#"["body","list",0,"flag"]"#),
            ("missing", r#"["body","list",1,"flag"]"#),
            ("dict_type", r#"["body","list",2]"#),
            ("dict_type", r#"["body","free"]"#),
            ("extra_forbidden", r#"["body","other"]"#),
        ];
        let found = faults(value);
        let found: Vec<(&str, &str)> = found.iter().map(|(kind, loc)| (kind.as_str(), loc.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn whole_numbers_may_have_a_point() {
        let tidied = |text: &str| {
            let mut value = serde_json::from_str(&format!(r#"{{"name": "a", "count": {text}}}"#)).unwrap();
            Shape::of::<Sample>().tidy(&mut value);
            (value["count"].to_string(), faults(value))
        };
        assert_eq!(tidied("7.0"), ("7".to_owned(), vec![]));
        assert_eq!(tidied("0.90e1"), ("9".to_owned(), vec![]));
        for (text, shown) in
            [("-1.5E+3", "-1500"), ("13268635175949.0", "13268635175949"), ("9e18", "9000000000000000000")]
        {
            assert_eq!(tidied(text).0, shown);
        }
        let refused = [("7.5", "int_type"), ("1e-9", "int_type"), ("1e19", "int_type"), ("1e999999", "int_type")];
        for (text, kind) in refused.into_iter().chain([("10.0", "less_than_equal")]) {
            let (_, found) = tidied(text);
            assert_eq!(found, [(kind.to_owned(), r#"["body","count"]"#.to_owned())], "{text}");
        }
    }

    #[test]
    fn fields_of_a_query_are_typed_by_the_schema() {
        let fields = [("count", "7"), ("name", "7"), ("name", "8"), ("kind", "one")];
        let fields: Vec<(String, String)> = fields.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let read = Shape::of::<Sample>().read_fields(&fields);
        assert_eq!(Value::Object(read), json!({"count": 7, "name": "8", "kind": "one"}));
    }

    #[test]
    fn null_in_a_query_is_null_wherever_it_may_be() {
        let fields = ["count", "when", "kind"].map(|name| (name.to_owned(), "null".to_owned()));
        let read = Shape::of::<Sample>().read_fields(&fields);
        assert_eq!(Value::Object(read), json!({"count": null, "when": null, "kind": null}));
    }
}
