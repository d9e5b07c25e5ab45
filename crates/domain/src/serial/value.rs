use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Timestamp;
use crate::key::{BatchKey, FieldKey, FormFieldKey, PhaseKey, StepKey, UserKey};

/// The value of one field of a serial, with where it comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SerialFieldValue")]
pub struct SerialValue {
    /// The field of the form it was entered in.
    pub form_field_key: Option<FormFieldKey>,
    /// The custom field, which says of what type the value is.
    pub custom_field_key: Option<FieldKey>,
    /// What people read beside the value.
    pub label: Option<String>,
    /// A hint for whoever fills it in.
    pub hint: Option<String>,
    /// Whether it has to be filled.
    pub mandatory: Option<bool>,
    /// Whether it takes several values.
    pub multiple: Option<bool>,
    /// Whether it is filled with its default, and never shown.
    pub hidden: Option<bool>,
    /// The value, as its type has it; null if it is empty.
    pub value: Value,
    /// The batch it was entered for.
    pub batch_key: Option<BatchKey>,
    /// The step it was entered at.
    pub step_key: Option<StepKey>,
    /// The phase it was entered in.
    pub phase_key: Option<PhaseKey>,
    /// When the value changed last.
    pub last_updated: Option<Timestamp>,
    /// Who changed it last.
    pub last_updated_by: Option<UserKey>,
}

impl SerialValue {
    /// Whether these keys name this entry: the form field if it is given, else the custom field.
    pub fn is_named(&self, form_field: Option<&FormFieldKey>, custom_field: Option<&FieldKey>) -> bool {
        match form_field {
            Some(key) => self.form_field_key.as_ref() == Some(key),
            None => custom_field.is_some() && self.custom_field_key.as_ref() == custom_field,
        }
    }
}
