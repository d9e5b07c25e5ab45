//! Values of a form's fields, as they are sent, stored and refused.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::key::{FieldKey, FormFieldKey};
use crate::named;

/// A value for a form field, as it is sent.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FieldValueInput")]
pub struct SentValue {
    /// The form field.
    pub form_field_key: FormFieldKey,
    /// The custom field of the form field; if sent, it has to be that one.
    pub custom_field_key: Option<FieldKey>,
    /// A value of the type of the custom field (`FieldKind` says what each type takes), or a list of at most 1,000 of them if the
    /// form field takes several; null clears.
    pub value: Value,
}

/// The value of a form field, as it is stored and answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldValue {
    /// The form field.
    pub form_field_key: FormFieldKey,
    /// The custom field of the form field.
    pub custom_field_key: FieldKey,
    /// What was entered; null if it was cleared.
    pub value: Value,
}

named! {
    /// What is wrong with the value of a form field.
#[schemars(rename = "FormFaultKind")]
    pub enum ValueRule {
        /// The form has no such field, or its custom field is another one or gone.
        UnknownField = "unknown_field",
        /// Not a value of the custom field's type, a list of more than 1,000, or a second value for the same field.
        WrongType = "wrong_type",
        /// Not a value of the custom field's list.
        NotInList = "not_in_list",
        /// It is mandatory and not filled.
        Missing = "missing",
    }
}

/// One fault of a form's values. If only one of a field's keys is known, the other is left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct FormFault {
    pub form_field_key: Option<FormFieldKey>,
    pub custom_field_key: Option<FieldKey>,
    pub rule: ValueRule,
}

/// Merges `new` into `old`: a new value replaces the old one, others are appended in order. A cleared field keeps its entry,
/// with null: that somebody cleared it is part of the record, and readers can see that it was once there.
pub fn merge(old: Vec<FieldValue>, new: Vec<FieldValue>) -> Vec<FieldValue> {
    let mut merged = old;
    let mut places: HashMap<FormFieldKey, usize> =
        merged.iter().enumerate().map(|(place, value)| (value.form_field_key.clone(), place)).collect();
    for value in new {
        match places.get(&value.form_field_key) {
            Some(&place) => merged[place] = value,
            None => {
                places.insert(value.form_field_key.clone(), merged.len());
                merged.push(value);
            }
        }
    }
    merged
}
