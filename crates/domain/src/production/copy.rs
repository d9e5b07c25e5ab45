//! What an order copies from its product's process, as far as the service itself reads it again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Timestamp;
use crate::form::FieldKind;
use crate::key::{BatchKey, FieldKey, FormFieldKey, MediaKey, PhaseKey, StepKey, UserKey};

/// A step as an order has copied it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct StepCopy {
    #[serde(rename = "_key")]
    pub key: StepKey,
    pub title: String,
    pub form_fields: Vec<FieldCopy>,
    pub media: Vec<MediaCopy>,
}

/// A field of its form, with the data of its custom field at that time.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct FieldCopy {
    #[serde(rename = "_key")]
    pub key: FormFieldKey,
    pub custom_field_key: FieldKey,
    #[serde(rename = "type")]
    pub kind: FieldKind,
    pub name: String,
    pub label: Option<String>,
    pub hint: Option<String>,
    pub mandatory: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct MediaCopy {
    #[serde(rename = "_key")]
    pub key: MediaKey,
}

impl FieldCopy {
    /// What people call it.
    pub fn title(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

/// The value of a field of a unit's forms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SerialField {
    pub form_field_key: Option<FormFieldKey>,
    pub custom_field_key: Option<FieldKey>,
    pub label: Option<String>,
    pub hint: Option<String>,
    pub mandatory: Option<bool>,
    pub value: Value,
    pub batch_key: Option<BatchKey>,
    pub step_key: Option<StepKey>,
    pub phase_key: Option<PhaseKey>,
    pub last_updated: Option<Timestamp>,
    pub last_updated_by: Option<UserKey>,
}

/// The fields of a unit before anything is entered: those of all steps of a phase, without values.
pub fn empty_fields(phase: PhaseKey, steps: &[StepCopy]) -> impl Iterator<Item = SerialField> {
    let fields = steps.iter().flat_map(|step| step.form_fields.iter().map(|field| (step.key, field)));
    fields.map(move |(step, field)| SerialField {
        form_field_key: Some(field.key.clone()),
        custom_field_key: Some(field.custom_field_key.clone()),
        label: field.label.clone(),
        hint: field.hint.clone(),
        mandatory: Some(field.mandatory),
        value: Value::Null,
        batch_key: None,
        step_key: Some(step),
        phase_key: Some(phase),
        last_updated: None,
        last_updated_by: None,
    })
}
