use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::read_stored;

/// JSON that is stored and handed on, and that hardly anybody looks into. It is kept as its text, and copies share it.
#[derive(Debug, Clone)]
pub struct Opaque(Arc<str>);

const NULL: &str = "null";

impl Opaque {
    /// A stored text. One that is damaged is shown as the text that it is.
    pub fn stored(text: &str) -> Self {
        Self(text.into())
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// Its value, parsed.
    pub fn value(&self) -> Value {
        read_stored(self.text()).unwrap_or_else(|_| Value::from(self.text()))
    }

    /// The size of its text, in bytes. There is nothing to `null`.
    pub fn size(&self) -> usize {
        match self.text() {
            NULL => 0,
            text => text.len(),
        }
    }
}

impl Default for Opaque {
    fn default() -> Self {
        Self(NULL.into())
    }
}

impl From<&Value> for Opaque {
    fn from(value: &Value) -> Self {
        Self(value.to_string().into())
    }
}

impl PartialEq for Opaque {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.text() == other.text()
    }
}

impl Serialize for Opaque {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match serde_json::from_str::<&RawValue>(self.text()) {
            Ok(raw) => raw.serialize(to),
            Err(_) => self.text().serialize(to),
        }
    }
}

impl JsonSchema for Opaque {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Value::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Value::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_is_handed_on_as_it_is_stored() {
        for text in ["null", "1.50", r#"{"b":[1e5,"\u00e9"],"a":{}}"#] {
            let opaque = Opaque::stored(text);
            assert_eq!(serde_json::to_string(&opaque).unwrap(), text);
            assert_eq!(opaque.value(), serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(opaque, Opaque::stored(text));
            assert_eq!(opaque.size(), if text == "null" { 0 } else { text.len() });
            assert_ne!(opaque, Opaque::from(&json!("another")));
        }
        assert_eq!(Opaque::default(), Opaque::from(&Value::Null));
    }

    #[test]
    fn what_is_damaged_is_a_text() {
        for text in ["", "{", "{\"a\":", "1 2"] {
            assert_eq!(Opaque::stored(text).value(), json!(text));
            assert_eq!(serde_json::to_value(Opaque::stored(text)).unwrap(), json!(text));
        }
    }

    #[test]
    fn it_can_be_nested_deeply() {
        let text = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(serde_json::to_string(&Opaque::stored(&text)).unwrap(), text);
    }
}
