//! Values chosen from a list.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::ValueRule;
use crate::key::{FieldKey, ListValueKey};

/// The list values that forms name, as the caller has loaded them: the custom field of each, and its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices(HashMap<ListValueKey, (FieldKey, String)>);

impl FromIterator<(ListValueKey, FieldKey, String)> for Choices {
    fn from_iter<I: IntoIterator<Item = (ListValueKey, FieldKey, String)>>(found: I) -> Self {
        Self(found.into_iter().map(|(key, field, text)| (key, (field, text))).collect())
    }
}

impl Choices {
    /// The value as it is stored, with its present text from the list.
    pub(super) fn read(&self, value: &Value, field: &FieldKey) -> Result<Value, ValueRule> {
        let key = chosen(value).ok_or(ValueRule::WrongType)?;
        let entry = ListValueKey::new(key).ok().and_then(|key| self.0.get(&key));
        match entry {
            Some((owner, text)) if owner == field => Ok(json!({ "_key": key, "value": text })),
            _ => Err(ValueRule::NotInList),
        }
    }
}

/// The key that a value names: the value itself, or the `_key` of a record as readers get it.
pub(crate) fn chosen(value: &Value) -> Option<&str> {
    match value {
        Value::String(key) => Some(key),
        Value::Object(members) if members.keys().all(|name| name == "_key" || name == "value") => {
            members.get("_key")?.as_str()
        }
        _ => None,
    }
}
