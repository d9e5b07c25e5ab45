//! What an order copies from its product's process, as far as the service itself reads it again.

use serde::Deserialize;

use crate::form::FieldKind;
use crate::key::{FieldKey, FormFieldKey, MediaKey, PhaseKey, StepKey};
use crate::serial::SerialValue;

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
    /// Takes a list of values. Copies of earlier versions may lack it, and the next one.
    #[serde(default)]
    pub multiple: bool,
    /// Filled with its default, never shown.
    #[serde(default)]
    pub hidden: bool,
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

/// The fields of a unit before anything is entered: those of all steps of a phase, without values.
pub fn empty_fields(phase: PhaseKey, steps: &[StepCopy]) -> impl Iterator<Item = SerialValue> {
    let fields = steps.iter().flat_map(|step| step.form_fields.iter().map(|field| (step.key, field)));
    fields.map(move |(step, field)| SerialValue {
        form_field_key: Some(field.key.clone()),
        custom_field_key: Some(field.custom_field_key.clone()),
        label: field.label.clone(),
        hint: field.hint.clone(),
        mandatory: Some(field.mandatory),
        multiple: Some(field.multiple),
        hidden: Some(field.hidden),
        step_key: Some(step),
        phase_key: Some(phase),
        ..SerialValue::default()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn step(form_fields: Value) -> StepCopy {
        let step = json!({ "_key": "0000000000002", "title": "Torque", "form_fields": form_fields, "media": [] });
        serde_json::from_value(step).unwrap()
    }

    fn field(key: &str) -> Value {
        json!({
            "_key": key, "custom_field_key": "torque", "type": "number", "name": "Torque", "label": null, "hint": "Nm",
            "mandatory": true
        })
    }

    #[test]
    fn units_begin_with_all_fields_and_no_values() {
        let mut several = field("b");
        (several["multiple"], several["hidden"]) = (json!(true), json!(true));
        let steps = [step(json!([])), step(json!([field("a"), several]))];
        let fields: Vec<SerialValue> = empty_fields(PhaseKey(1), &steps).collect();
        let shown = |field: &SerialValue| (field.form_field_key.clone(), field.multiple, field.hidden);
        let wanted = |key: &str, is: bool| (Some(FormFieldKey::trusted(key)), Some(is), Some(is));
        assert_eq!(fields.iter().map(shown).collect::<Vec<_>>(), [wanted("a", false), wanted("b", true)]);
        assert_eq!((fields[0].phase_key, fields[0].step_key), (Some(PhaseKey(1)), Some(StepKey(2))));
        assert_eq!((fields[0].mandatory, fields[0].hint.as_deref()), (Some(true), Some("Nm")));
        assert_eq!((&fields[0].value, fields[0].batch_key, fields[0].last_updated), (&Value::Null, None, None));
    }

    #[test]
    fn fields_of_earlier_orders_are_read() {
        let old = json!([{
            "form_field_key": "a", "custom_field_key": "torque", "label": null, "hint": null, "mandatory": true,
            "value": null, "batch_key": null, "step_key": "0000000000002", "phase_key": "0000000000001",
            "last_updated": null, "last_updated_by": null
        }]);
        let fields: Vec<SerialValue> = serde_json::from_value(old).unwrap();
        assert_eq!((fields[0].mandatory, fields[0].multiple, fields[0].hidden), (Some(true), None, None));
    }
}
