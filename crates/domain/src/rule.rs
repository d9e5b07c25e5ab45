//! A refusal by a rule: its name, the reason, and the data a program needs.

use std::borrow::Cow;

use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    pub error_type: &'static str,
    pub message: Cow<'static, str>,
    /// The additional members of its type.
    pub data: Value,
}

impl Refused {
    pub fn new(error_type: &'static str, message: impl Into<Cow<'static, str>>, data: Value) -> Self {
        Self { error_type, message: message.into(), data }
    }

    /// A refused value for which no other rule has a name.
    pub fn value(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("ValueError", message, Value::Null)
    }
}
