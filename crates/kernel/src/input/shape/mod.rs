//! A JSON Schema compiled into a tree that finds every fault of a value. It understands the keywords that our own types use.

mod check;
mod compile;
mod formats;
mod summary;

use std::collections::BTreeMap;

use domain::Quantity;
use domain::fault::Faults;
use domain::json::{self, Objection, Unread};
use regex_lite::Regex;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Number, Value, json};

#[derive(Debug)]
pub struct Shape {
    root: Node,
    secrets: bool,
}

/// The check of a format or a named rule.
type Check = fn(&Value, &mut Faults);

#[derive(Debug)]
enum Node {
    Any,
    /// Members that readers get and writers may send back; removed before the value is read.
    ReadOnly,
    Boolean,
    Integer {
        min: Option<i64>,
        max: Option<i64>,
    },
    Number {
        min: Option<Quantity>,
        /// Exclusive minimum.
        above: Option<Quantity>,
        max: Option<Quantity>,
        /// A quantity, which may also be text.
        exact: bool,
    },
    Text(Text),
    Choice(Vec<Value>),
    List {
        items: Box<Node>,
        min: usize,
        max: usize,
    },
    Object(Object),
    Nullable(Box<Node>),
    /// A value with an additional check, made if its shape is right.
    Checked(Box<Node>, Check),
    AnyOf(Vec<Node>),
    /// Objects of several forms; a tag says which one is meant.
    Tagged {
        tag: String,
        forms: Vec<(Value, Object)>,
    },
}

#[derive(Debug, Default)]
struct Text {
    min: usize,
    max: Option<usize>,
    pattern: Option<Regex>,
    /// What a text must be that does not match the pattern, in words.
    must: Option<String>,
    time: bool,
    /// Surrounding whitespace does not count.
    trimmed: bool,
    /// A password, or what only some may read: its value is never repeated.
    secret: bool,
    /// An address, of which only scheme and host are repeated.
    origin_only: bool,
}

#[derive(Debug)]
struct Object {
    members: BTreeMap<String, Node>,
    required: Vec<String>,
    others: Option<Box<Node>>,
    /// Undeclared members whose values the audit log may show.
    told: Vec<String>,
}

impl Shape {
    /// # Panics
    ///
    /// If the schema contains a keyword that is not understood: the service refuses to start with it.
    pub fn of<T: JsonSchema>() -> Self {
        Self::compiled(&T::schema_name(), |generator| generator.subschema_for::<T>())
    }

    /// The shape of a schema that belongs to no single type. Panics like [`Shape::of`].
    pub fn of_schema(make: impl FnOnce(&mut SchemaGenerator) -> Schema) -> Self {
        Self::compiled("of several types", make)
    }

    fn compiled(name: &str, make: impl FnOnce(&mut SchemaGenerator) -> Schema) -> Self {
        let mut generator =
            SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true).into_generator();
        match Node::compile(make(&mut generator).as_value()) {
            Ok(root) => Shape { secrets: root.has_secrets(), root },
            Err(unknown) => panic!("schema {name}: {unknown}"),
        }
    }

    pub fn check(&self, value: &Value, faults: &mut Faults) {
        self.root.check(value, faults);
    }

    /// Normalises a value for serde: whole numbers lose their fraction (7.0 is an integer to a schema, but not to serde),
    /// quantities become numbers however they were sent, and read-only members are removed.
    pub fn tidy(&self, value: &mut Value) {
        self.root.tidy(value);
    }

    /// Reads query or form fields with the types of the schema. A value that can't be read stays text, and `check` refuses
    /// it.
    pub fn read_fields(&self, fields: &[(String, String)]) -> Map<String, Value> {
        let mut read: Map<String, Value> = Map::new();
        for (name, text) in fields {
            let node = match self.root.bare() {
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

    /// Reads the fields of a form in which objects and lists are JSON text.
    pub fn read_form(&self, fields: &[(String, String)], faults: &mut Faults) -> Map<String, Value> {
        let mut read = Map::new();
        for (name, text) in fields {
            let node = match self.root.bare() {
                Node::Object(object) => object.members.get(name),
                _ => None,
            };
            let value = match node.map(|node| node.read_json(text)) {
                Some(Ok(value)) => value,
                Some(Err(objection)) => {
                    faults.within(name.as_str(), |faults| {
                        faults.add(objection.kind(), format!("{objection}."), &Value::Null);
                    });
                    continue;
                }
                None => Value::String(text.clone()),
            };
            read.insert(name.clone(), value);
        }
        read
    }

    /// Whether a member is a list.
    pub fn takes_many(&self, name: &str) -> bool {
        matches!(self.root.bare(), Node::Object(object) if matches!(object.members.get(name), Some(Node::List { .. })))
    }

    /// The names of its members.
    pub fn members(&self) -> Vec<String> {
        match self.root.bare() {
            Node::Object(object) => object.members.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// Whether a password is among its members.
    pub fn has_secrets(&self) -> bool {
        self.secrets
    }

    /// Whether this shape has the field: several parts of a request read the same query.
    pub fn knows(&self, field: &str) -> bool {
        matches!(self.root.bare(), Node::Object(object) if object.members.contains_key(field))
    }
}

impl Node {
    fn read_text(&self, text: &str) -> Value {
        match self {
            Node::Nullable(inner) if text == "null" || (text.is_empty() && !matches!(inner.bare(), Node::Text(_))) => {
                Value::Null
            }
            Node::Nullable(inner) | Node::Checked(inner, _) => inner.read_text(text),
            Node::Boolean => match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Value::Bool(true),
                "false" | "0" | "no" | "off" => Value::Bool(false),
                _ => Value::String(text.to_owned()),
            },
            Node::Integer { .. } | Node::Number { .. } => {
                json::read_number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
            }
            _ => Value::String(text.to_owned()),
        }
    }

    /// Reads objects and lists from their JSON text, everything else like `read_text`.
    fn read_json(&self, text: &str) -> Result<Value, Objection> {
        Ok(match self {
            Node::Checked(inner, _) => return inner.read_json(text),
            Node::Nullable(inner) if matches!(inner.bare(), Node::Object(_) | Node::List { .. }) => {
                return inner.read_json(text);
            }
            // Text stays text, whatever it says.
            Node::Nullable(inner) if matches!(inner.bare(), Node::Text(_)) => Value::String(text.to_owned()),
            Node::Object(_) | Node::List { .. } | Node::AnyOf(_) | Node::Tagged { .. } | Node::Any => {
                match json::read(text.as_bytes()) {
                    Ok(value) => value,
                    Err(Unread::Objection(objection)) => return Err(objection),
                    Err(Unread::Invalid(_)) => Value::String(text.to_owned()),
                }
            }
            _ => self.read_text(text),
        })
    }

    /// The node without its additional check.
    fn bare(&self) -> &Self {
        match self {
            Node::Checked(inner, _) => inner.bare(),
            node => node,
        }
    }

    fn has_secrets(&self) -> bool {
        match self {
            Node::Text(text) => text.secret,
            Node::Nullable(inner) | Node::Checked(inner, _) => inner.has_secrets(),
            Node::List { items, .. } => items.has_secrets(),
            Node::Object(object) => object.has_secrets(),
            Node::AnyOf(nodes) => nodes.iter().any(Node::has_secrets),
            Node::Tagged { forms, .. } => forms.iter().any(|(_, form)| form.has_secrets()),
            _ => false,
        }
    }

    fn tidy(&self, value: &mut Value) {
        match (self, value) {
            (Node::Integer { .. }, Value::Number(number)) => {
                if let Some(whole) = whole(number) {
                    *number = whole.into();
                }
            }
            (Node::Number { exact: true, .. }, value @ (Value::Number(_) | Value::String(_))) => {
                if let Ok(quantity) = Quantity::deserialize(&*value) {
                    *value = json!(quantity);
                }
            }
            (Node::Nullable(inner) | Node::Checked(inner, _), value) => inner.tidy(value),
            (Node::List { items, .. }, Value::Array(values)) => values.iter_mut().for_each(|value| items.tidy(value)),
            (Node::Object(object), Value::Object(members)) => object.tidy(members),
            (Node::Tagged { tag, forms }, Value::Object(members)) => {
                let meant = forms.iter().find(|(name, _)| members.get(tag) == Some(name));
                if let Some((_, form)) = meant {
                    form.tidy(members);
                }
            }
            (Node::AnyOf(nodes), value) => {
                let fits = |node: &&Node| {
                    let mut tried = Faults::default();
                    node.check(value, &mut tried);
                    tried.is_empty()
                };
                if let Some(meant) = nodes.iter().find(fits) {
                    meant.tidy(value);
                }
            }
            _ => {}
        }
    }
}

impl Object {
    fn has_secrets(&self) -> bool {
        self.members.values().any(Node::has_secrets) || self.others.as_ref().is_some_and(|others| others.has_secrets())
    }

    fn tidy(&self, members: &mut Map<String, Value>) {
        members.retain(|name, _| !matches!(self.members.get(name), Some(Node::ReadOnly)));
        for (name, value) in members {
            if let Some(node) = self.members.get(name).or(self.others.as_deref()) {
                node.tidy(value);
            }
        }
    }
}

/// The integer that a number with a point or an exponent stands for, if it is one.
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

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;

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
    fn quantities_are_numbers_however_they_are_sent() {
        let tidied = |text: &str| {
            let mut value = serde_json::from_str(&format!(r#"{{"name": "a", "amount": {text}}}"#)).unwrap();
            Shape::of::<Sample>().tidy(&mut value);
            (value["amount"].to_string(), faults(value).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>())
        };
        for text in ["0.3", "\"0.3\"", "0.30000000000000004", "\"0.30000000000000004\"", "\"+3e-1\""] {
            assert_eq!(tidied(text), ("0.3".to_owned(), vec![]), "{text}");
        }
        for (text, kind) in [
            ("\"\"", "float_type"),
            ("\"NaN\"", "float_type"),
            ("\" 1\"", "float_type"),
            ("true", "float_type"),
            ("\"0.0000001\"", "decimal_parsing"),
            ("1e13", "less_than_equal"),
            ("\"1e13\"", "less_than_equal"),
        ] {
            let as_sent: Value = serde_json::from_str(text).unwrap();
            assert_eq!(tidied(text), (as_sent.to_string(), vec![kind.to_owned()]), "{text}");
        }
    }

    #[test]
    fn read_only_members_are_documented_and_taken_out() {
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(transform = crate::input::record_members)]
        struct Record {
            name: String,
        }
        let shape = Shape::of::<Vec<Record>>();
        let mut value = json!([{ "_id": 3, "_rev": null, "name": "x" }]);
        shape.tidy(&mut value);
        let mut faults = Faults::at("body");
        shape.check(&value, &mut faults);
        assert!(faults.is_empty());
        let read: Vec<Record> = serde_json::from_value(value).unwrap();
        assert_eq!(read[0].name, "x");
    }

    #[test]
    fn of_several_forms_the_one_that_is_meant_has_the_faults() {
        #[derive(JsonSchema)]
        #[serde(tag = "action", content = "data", rename_all = "snake_case", deny_unknown_fields)]
        #[expect(dead_code, reason = "only its schema is used")]
        enum Deed {
            Count { count: i64 },
            Name { name: String },
        }
        let found = |value: Value| {
            let (mut value, mut faults) = (json!([value]), Faults::at("body"));
            let shape = Shape::of::<Vec<Deed>>();
            shape.tidy(&mut value);
            shape.check(&value, &mut faults);
            let shown = |fault: domain::Fault| format!("{} {}", fault.kind, json!(fault.loc));
            faults.into_vec().into_iter().map(shown).collect::<Vec<String>>()
        };
        assert_eq!(found(json!({ "data": { "count": 7.0 }, "action": "count" })), Vec::<String>::new());
        let both = [r#"int_parsing ["body",0,"data","count"]"#, r#"extra_forbidden ["body",0,"more"]"#];
        assert_eq!(found(json!({ "action": "count", "data": { "count": "x" }, "more": 1 })), both);
        assert_eq!(found(json!({ "action": "name", "data": {} })), [r#"missing ["body",0,"data","name"]"#]);
        assert_eq!(found(json!({ "action": "x", "data": {} })), [r#"enum ["body",0,"action"]"#]);
        assert_eq!(found(json!({ "data": {} })), [r#"missing ["body",0,"action"]"#]);
        assert_eq!(found(json!(3)), [r#"dict_type ["body",0]"#]);
    }

    #[test]
    fn fields_of_a_query_are_typed_by_the_schema() {
        let fields = [("count", "7"), ("name", "7"), ("name", "8"), ("kind", "one")];
        let fields: Vec<(String, String)> = fields.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let read = Shape::of::<Sample>().read_fields(&fields);
        assert_eq!(Value::Object(read), json!({"count": 7, "name": "8", "kind": "one"}));
    }

    #[test]
    #[should_panic(expected = "schema Unsound: the keyword `uniqueItems` is not understood in `list`")]
    fn a_schema_that_is_not_understood_stops_the_service() {
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is used")]
        struct Unsound {
            list: std::collections::BTreeSet<String>,
        }
        Shape::of::<Unsound>();
    }

    #[test]
    fn null_in_a_query_is_null_wherever_it_may_be() {
        let fields = ["count", "when", "kind"].map(|name| (name.to_owned(), "null".to_owned()));
        let read = Shape::of::<Sample>().read_fields(&fields);
        assert_eq!(Value::Object(read), json!({"count": null, "when": null, "kind": null}));
    }
}
