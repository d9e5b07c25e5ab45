//! A rule that refuses something: its name, why, and what a program needs to know of it.

use std::borrow::Cow;

use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    pub error_type: &'static str,
    pub message: Cow<'static, str>,
    /// The members that its type adds.
    pub data: Value,
}

impl Refused {
    pub fn new(error_type: &'static str, message: impl Into<Cow<'static, str>>, data: Value) -> Self {
        Self { error_type, message: message.into(), data }
    }

    /// A value that no other rule has a name for.
    pub fn value(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("ValueError", message, Value::Null)
    }
}
