//! Each type by examples, and random forms.

mod examples;
mod properties;

use std::collections::HashMap;

use super::*;
use crate::key::ListValueKey;

const ALL: [FieldKind; 9] = [
    FieldKind::Text,
    FieldKind::Number,
    FieldKind::Boolean,
    FieldKind::Ternary,
    FieldKind::Choice,
    FieldKind::Date,
    FieldKind::Time,
    FieldKind::Files,
    FieldKind::Separator,
];

/// A custom field of each type, named like it.
fn kinds() -> HashMap<FieldKey, FieldKind> {
    ALL.into_iter().map(|kind| (custom(kind.name()), kind)).collect()
}

/// The list of the custom field `choice`, and a value of another one.
fn choices() -> Choices {
    let found = [("red", "choice", "Red"), ("green", "choice", "Green"), ("blue", "other", "Blue")];
    found.into_iter().map(|(key, field, text)| (ListValueKey::trusted(key), custom(field), text.to_owned())).collect()
}

fn custom(key: &str) -> FieldKey {
    FieldKey::trusted(key)
}

fn field(key: &str, custom_field: &str) -> FormField {
    FormField {
        key: FormFieldKey::trusted(key),
        custom_field_key: custom(custom_field),
        multiple: false,
        label: None,
        hint: None,
        default: None,
        mandatory: false,
        hidden: false,
    }
}

fn sent(key: &str, value: serde_json::Value) -> SentValue {
    SentValue { form_field_key: FormFieldKey::trusted(key), custom_field_key: None, value }
}

/// The value as a client that got it in an answer sends it back.
fn sent_again(value: &FieldValue) -> SentValue {
    SentValue {
        form_field_key: value.form_field_key.clone(),
        custom_field_key: Some(value.custom_field_key.clone()),
        value: value.value.clone(),
    }
}
