//! What may be logged of a value: as much as there is room for, and no secrets.

use std::fmt::Write;

use serde_json::{Value, json};

/// JSON text of limited size; if it was cut, it is a JSON string with its beginning.
#[derive(Debug, Clone)]
pub struct Clipped {
    pub text: String,
    pub cut: bool,
}

/// A value that the service made itself, without the members whose names say they are secrets.
pub(crate) fn clipped(value: &Value, bytes: usize) -> Clipped {
    clip(bytes, |out| out.made(value, false))
}

/// The output of `write`, as far as there is room.
pub(crate) fn clip(bytes: usize, write: impl FnOnce(&mut Out) -> Result<(), Full>) -> Clipped {
    let mut out = Out { text: String::new(), bytes };
    let written = write(&mut out);
    let text = out.text;
    if written.is_ok() {
        return Clipped { text, cut: false };
    }
    // Escaping the quotes makes the text longer, so it is shortened until it fits.
    let mut end = text.floor_char_boundary(bytes);
    loop {
        let shown = json!(text[..end]).to_string();
        match shown.len().checked_sub(bytes) {
            None | Some(0) => return Clipped { text: shown, cut: true },
            Some(over) => end = text.floor_char_boundary(end.saturating_sub(over.max(2) / 2)),
        }
    }
}

pub(crate) struct Full;

/// Output that stops when there is no more room.
pub(crate) struct Out {
    text: String,
    bytes: usize,
}

impl Out {
    pub(crate) fn push(&mut self, text: &str) -> Result<(), Full> {
        self.text.push_str(text);
        if self.text.len() > self.bytes { Err(Full) } else { Ok(()) }
    }

    pub(crate) fn single(&mut self, value: &Value) -> Result<(), Full> {
        match value {
            Value::String(text) => {
                let end = text.floor_char_boundary(self.bytes);
                self.push(&json!(text[..end]).to_string())
            }
            Value::Array(_) | Value::Object(_) => self.push("null"),
            plain => self.push(&plain.to_string()),
        }
    }

    pub(crate) fn list(
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

    pub(crate) fn name(&mut self, first: &mut bool, name: &str) -> Result<(), Full> {
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
}

/// Words that mark a member's name as that of a secret.
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
/// Names that contain such a word but hold no secret.
const PLAIN_NAMES: [&str; 5] = ["token_description", "token_expiration", "token_key", "token_type", "reset_password"];

/// Whether, by its name, a member holds what must never be logged: `new_password`, `secretKey`, `x-api-key`, …
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
