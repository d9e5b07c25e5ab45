//! What the audit log tells of a value: names and values of members that the operation declares, and none that may be a secret.
//! People send passwords under wrong names and in wrong places, so what is not declared is left out.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{Node, Object, Shape};

/// JSON text of at most so many bytes; what was cut is a text of its beginning.
#[derive(Debug, Clone)]
pub(crate) struct Clipped {
    pub(crate) text: String,
    pub(crate) cut: bool,
}

/// Stands for an object whose members nobody declared.
const FREE: &str = "\"{…}\"";

impl Shape {
    pub(crate) fn summary(&self, value: &Value, bytes: usize) -> Clipped {
        clip(bytes, |out| out.declared(&self.root, value))
    }
}

/// The same of a value that the service made itself.
pub(crate) fn clipped(value: &Value, bytes: usize) -> Clipped {
    clip(bytes, |out| out.made(value, false))
}

fn clip(bytes: usize, write: impl FnOnce(&mut Out) -> Result<(), Full>) -> Clipped {
    let mut out = Out { text: String::new(), bytes };
    let written = write(&mut out);
    let text = out.text;
    if written.is_ok() {
        return Clipped { text, cut: false };
    }
    // Escaping the quotes of what is kept makes it longer, so it is shortened until it fits.
    let mut end = text.floor_char_boundary(bytes);
    loop {
        let shown = json!(text[..end]).to_string();
        match shown.len().checked_sub(bytes) {
            None | Some(0) => return Clipped { text: shown, cut: true },
            Some(over) => end = text.floor_char_boundary(end.saturating_sub(over.max(2) / 2)),
        }
    }
}

struct Full;

/// Written until there is no more room.
struct Out {
    text: String,
    bytes: usize,
}

impl Out {
    fn push(&mut self, text: &str) -> Result<(), Full> {
        self.text.push_str(text);
        if self.text.len() > self.bytes { Err(Full) } else { Ok(()) }
    }

    fn single(&mut self, value: &Value) -> Result<(), Full> {
        match value {
            Value::String(text) => {
                let end = text.floor_char_boundary(self.bytes);
                self.push(&json!(text[..end]).to_string())
            }
            Value::Array(_) | Value::Object(_) => self.push("null"),
            plain => self.push(&plain.to_string()),
        }
    }

    fn list(
        &mut self,
        values: &[Value],
        mut write: impl FnMut(&mut Self, &Value) -> Result<(), Full>,
    ) -> Result<(), Full> {
        self.push("[")?;
        for (index, value) in values.iter().enumerate() {
            self.push(if index > 0 { "," } else { "" })?;
            write(self, value)?;
        }
        self.push("]")
    }

    fn name(&mut self, first: &mut bool, name: &str) -> Result<(), Full> {
        let between = if std::mem::take(first) { "" } else { "," };
        let _ = write!(self.text, "{between}{}:", json!(name));
        self.push("")
    }

    fn made(&mut self, value: &Value, secret: bool) -> Result<(), Full> {
        match value {
            _ if secret => self.push("null"),
            Value::Array(values) => self.list(values, |out, value| out.made(value, false)),
            Value::Object(members) => {
                self.push("{")?;
                let mut first = true;
                for (name, value) in members {
                    self.name(&mut first, name)?;
                    self.made(value, is_secret(name))?;
                }
                self.push("}")
            }
            single => self.single(single),
        }
    }

    fn declared(&mut self, node: &Node, value: &Value) -> Result<(), Full> {
        match (node, value) {
            (Node::Nullable(inner) | Node::Checked(inner, _), value) => self.declared(inner, value),
            (Node::Text(text), _) if text.secret => self.push("null"),
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
            // A text in the place of an object may be anything.
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

impl Node {
    /// Whether a value is of its kind.
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

/// Words that make a member's name that of a secret.
const SECRET_WORDS: [&str; 15] = [
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "pass",
    "psw",
    "pwd",
    "pin",
    "secret",
    "secrets",
    "token",
    "tokens",
    "ticket",
    "credentials",
    "bearer",
];
/// Names with such a word that hold none.
const PLAIN_NAMES: [&str; 5] = ["token_description", "token_expiration", "token_key", "token_type", "reset_password"];

/// Whether a member holds what the log must never know, by its name: `new_password`, `secretKey`, `x-api-key`, …
pub(crate) fn is_secret(name: &str) -> bool {
    if PLAIN_NAMES.contains(&name) {
        return false;
    }
    let words = words(name);
    words.iter().any(|word| SECRET_WORDS.contains(&word.as_str()) || word == "authorization" || word == "apikey")
        || words
            .windows(2)
            .any(|pair| pair == ["api", "key"] || pair == ["private", "key"] || pair == ["access", "key"])
}

/// `newPassword`, `new-password`, `NEW_PASSWORD` and `new_password2` have the same words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_was_small = false;
    for character in name.chars() {
        let begins = !character.is_alphabetic() || (character.is_uppercase() && before_was_small);
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphabetic()) {
            word.extend(character.to_lowercase());
        }
        before_was_small = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde_json::Map;

    #[derive(JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Sample {
        name: String,
        #[schemars(extend("format" = "password"))]
        word: Option<String>,
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
    fn only_what_is_declared_is_told() {
        let told = summary(&json!({
            "name": "n", "word": "p1", "new_password": "p2", "password1": "p3", "bearer": "p4",
            "list": [{ "count": 1, "authToken2": "p5" }], "free": { "p6": "p7" },
            "any": [1, { "p8": "p9" }]
        }));
        assert_eq!(
            told,
            r#"{"name":"n","word":null,"new_password":null,"list":[{"count":1}],"free":{},"any":[1,"{…}"]}"#
        );
        assert_eq!(summary(&json!({ "name": { "p": 1 }, "list": { "p": 1 } })), r#"{"name":null,"list":null}"#);
        assert_eq!(summary(&json!("p")), "null");
        assert_eq!(summary(&json!(["p"])), "null");
    }

    #[test]
    fn secrets_are_known_by_their_names() {
        let names = [
            "accessToken",
            "Secret",
            "passwords",
            "AWS_SECRET_ACCESS_KEY",
            "x-api-key",
            "password_confirm",
            "pass",
            "password1",
            "passwd2",
            "bearer",
            "authToken2",
            "apiKey3",
        ];
        for name in names {
            assert!(is_secret(name), "{name}");
        }
        for name in ["token_description", "passage", "pinned", "keyboard", "reset_password"] {
            assert!(!is_secret(name), "{name}");
        }
        let made = json!({ "a": [{ "smtp": { "Secret": { "x": "hidden" } } }] });
        assert!(!clipped(&made, 1_000).text.contains("hidden"));
    }

    #[test]
    fn what_is_long_is_cut_and_still_json() {
        for body in
            [json!("é".repeat(100_000)), json!(vec!["a\"b"; 10_000]), json!({ "x": { "y": "z".repeat(9_000) } })]
        {
            let clipped = clipped(&body, 1000);
            assert!(clipped.cut && (400..=1000).contains(&clipped.text.len()), "{}", clipped.text.len());
            assert!(serde_json::from_str::<Value>(&clipped.text).is_ok());
        }
        let body = json!({ "x": "y".repeat(990), "password": "hidden", "z": "z".repeat(100) });
        assert!(!clipped(&body, 1000).text.contains("hidden"), "cutting shows no secret");
    }
}
