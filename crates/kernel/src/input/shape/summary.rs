//! What the audit log shows of a value: the names and values of declared members, and none that may be a secret. People send
//! passwords under wrong names and in wrong places, so undeclared members are left out.

use domain::notification::webhook::WebhookUrl;
use serde_json::Value;

use super::{Node, Object, Shape};
use crate::redaction::{Clipped, Full, Out, clip, is_secret};

/// Stands for an object with undeclared members.
const FREE: &str = "\"{…}\"";

impl Shape {
    pub fn summary(&self, value: &Value, bytes: usize) -> Clipped {
        clip(bytes, |out| out.declared(&self.root, value))
    }
}

impl Out {
    fn declared(&mut self, node: &Node, value: &Value) -> Result<(), Full> {
        match (node, value) {
            (Node::Nullable(inner) | Node::Checked(inner, _), value) => self.declared(inner, value),
            (Node::Text(text), _) if text.secret => self.push("null"),
            (Node::Text(text), value) if text.origin_only => self.single(&origin(value)),
            (Node::ReadOnly, _) => self.push("null"),
            (Node::Any, Value::Object(_)) => self.push(FREE),
            (Node::Any, Value::Array(values)) => self.list(values, |out, value| out.declared(&Node::Any, value)),
            (Node::List { items, .. }, Value::Array(values)) => {
                self.list(values, |out, value| out.declared(items, value))
            }
            (Node::Object(object), Value::Object(members)) => self.object(object, members),
            (Node::Tagged { tag, forms }, Value::Object(members)) => {
                let meant = forms.iter().find(|(name, _)| members.get(tag) == Some(name));
                match meant {
                    Some((_, form)) => self.object(form, members),
                    None => self.push(FREE),
                }
            }
            (Node::AnyOf(nodes), value) => match nodes.iter().find(|node| node.is_for(value)) {
                Some(node) => self.declared(node, value),
                None => self.push("null"),
            },
            // Text where an object belongs may be anything.
            (Node::Object(_) | Node::Tagged { .. }, _) => self.push("null"),
            (_, value) => self.single(value),
        }
    }

    fn object(&mut self, object: &Object, members: &serde_json::Map<String, Value>) -> Result<(), Full> {
        self.push("{")?;
        let mut first = true;
        for (name, value) in members {
            let told = || object.told.contains(name).then_some(&Node::Any);
            let Some(node) = object.members.get(name).or_else(told) else { continue };
            self.name(&mut first, name)?;
            match is_secret(name) {
                true => self.push("null")?,
                false => self.declared(node, value)?,
            }
        }
        self.push("}")
    }
}

/// Scheme and host of an address.
fn origin(value: &Value) -> Value {
    let url = value.as_str().and_then(|text| WebhookUrl::parse(text).ok());
    url.map_or(Value::Null, |url| Value::from(url.origin()))
}

impl Node {
    /// Whether the value has this node's type.
    fn is_for(&self, value: &Value) -> bool {
        match (self, value) {
            (Node::Nullable(inner) | Node::Checked(inner, _), value) => inner.is_for(value),
            (Node::Any, _) => true,
            (Node::List { .. }, value) => value.is_array(),
            (Node::Object(_) | Node::Tagged { .. }, value) => value.is_object(),
            (Node::Text(_), value) => value.is_string(),
            (_, value) => !value.is_array() && !value.is_object(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde_json::{Map, json};

    #[derive(JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Sample {
        name: String,
        #[schemars(extend("format" = "password"))]
        word: Option<String>,
        #[schemars(extend("x-private" = true))]
        letter: Option<String>,
        #[schemars(extend("x-origin-only" = true))]
        url: Option<String>,
        new_password: Option<String>,
        list: Vec<Inner>,
        free: Map<String, Value>,
        any: Value,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Inner {
        count: i64,
    }

    fn summary(value: &Value) -> String {
        Shape::of::<Sample>().summary(value, 1_000).text
    }

    #[test]
    fn of_an_address_only_scheme_and_host_are_told() {
        let told = |url: &str| summary(&json!({ "url": url }));
        assert_eq!(told("https://erp.example:81/hooks/s3cret?token=s3cret"), r#"{"url":"https://erp.example:81"}"#);
        assert_eq!(told("https://me:s3cret@erp.example/"), r#"{"url":null}"#);
        assert_eq!(summary(&json!({ "url": ["s3cret"] })), r#"{"url":null}"#);
    }

    #[test]
    fn only_what_is_declared_is_told() {
        let told = summary(&json!({
            "name": "n", "word": "p1", "letter": "p0", "new_password": "p2", "password1": "p3", "bearer": "p4",
            "list": [{ "count": 1, "authToken2": "p5" }], "free": { "p6": "p7" },
            "any": [1, { "p8": "p9" }]
        }));
        assert_eq!(
            told,
            r#"{"name":"n","word":null,"letter":null,"new_password":null,"list":[{"count":1}],"free":{},"any":[1,"{…}"]}"#
        );
        assert_eq!(summary(&json!({ "name": { "p": 1 }, "list": { "p": 1 } })), r#"{"name":null,"list":null}"#);
        assert_eq!(summary(&json!("p")), "null");
        assert_eq!(summary(&json!(["p"])), "null");
    }
}
