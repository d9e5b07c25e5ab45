use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Timestamp;
use crate::form::{Choices, FieldValue, Form, FormField};
use crate::key::{FieldKey, FormFieldKey};

/// A field of a task, as its type had it when the task was made, and its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TaskFormField")]
pub struct TaskField {
    pub form_field_key: FormFieldKey,
    /// The custom field, which says of what type the value is.
    pub custom_field_key: FieldKey,
    /// What people read beside the value.
    pub label: Option<String>,
    /// A hint for whoever fills it in.
    pub hint: Option<String>,
    /// Whether it has to be filled before the task is completed.
    pub mandatory: bool,
    /// Whether it takes several values.
    pub multiple: bool,
    /// Whether it is filled with its default, and never shown.
    pub hidden: bool,
    /// The value, as its type has it; null if it is empty.
    pub value: Value,
    /// When the value changed last.
    pub last_updated: Option<Timestamp>,
}

/// What people read beside a custom field, where a form says nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldTexts {
    /// The default label, else the name.
    pub label: String,
    pub hint: Option<String>,
}

/// The fields of a new task, with the defaults of their definitions.
pub fn new_fields(form: &Form<'_>, texts: &HashMap<FieldKey, FieldTexts>, choices: &Choices) -> Vec<TaskField> {
    let field = |definition: &FormField| {
        let texts = texts.get(&definition.custom_field_key);
        TaskField {
            form_field_key: definition.key.clone(),
            custom_field_key: definition.custom_field_key.clone(),
            label: definition.label.clone().or_else(|| texts.map(|texts| texts.label.clone())),
            hint: definition.hint.clone().or_else(|| texts.and_then(|texts| texts.hint.clone())),
            mandatory: definition.mandatory,
            multiple: definition.multiple,
            hidden: definition.hidden,
            value: form.default_value(definition, choices).unwrap_or_default(),
            last_updated: None,
        }
    };
    form.fields.iter().map(field).collect()
}

/// The form that these fields make.
pub fn definitions(fields: &[TaskField]) -> Vec<FormField> {
    let definition = |field: &TaskField| FormField {
        key: field.form_field_key.clone(),
        custom_field_key: field.custom_field_key.clone(),
        multiple: field.multiple,
        label: field.label.clone(),
        hint: field.hint.clone(),
        default: None,
        mandatory: field.mandatory,
        hidden: field.hidden,
    };
    fields.iter().map(definition).collect()
}

/// What is entered in these fields.
pub fn values(fields: &[TaskField]) -> Vec<FieldValue> {
    let value = |field: &TaskField| FieldValue {
        form_field_key: field.form_field_key.clone(),
        custom_field_key: field.custom_field_key.clone(),
        value: field.value.clone(),
    };
    fields.iter().map(value).collect()
}

/// The fields with these values, which were checked; what changes is stamped.
pub fn changed_values(mut fields: Vec<TaskField>, new: Vec<FieldValue>, now: Timestamp) -> Vec<TaskField> {
    let mut new: HashMap<FormFieldKey, Value> =
        new.into_iter().map(|value| (value.form_field_key, value.value)).collect();
    for field in &mut fields {
        if let Some(value) = new.remove(&field.form_field_key).filter(|value| *value != field.value) {
            (field.value, field.last_updated) = (value, Some(now));
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::FieldKind;
    use serde_json::json;

    fn definition(key: &str, default: Option<&str>, label: Option<&str>) -> FormField {
        FormField {
            key: FormFieldKey::trusted(key),
            custom_field_key: FieldKey::trusted(format!("{key}-field")),
            multiple: false,
            label: label.map(str::to_owned),
            hint: None,
            default: default.map(str::to_owned),
            mandatory: true,
            hidden: false,
        }
    }

    fn fields() -> Vec<TaskField> {
        let definitions =
            [definition("a", Some("3"), None), definition("b", Some("x"), Some("B")), definition("c", None, None)];
        let kinds: HashMap<FieldKey, FieldKind> =
            ["a", "b"].map(|key| (FieldKey::trusted(format!("{key}-field")), FieldKind::Number)).into_iter().collect();
        let texts = HashMap::from([
            (FieldKey::trusted("a-field"), FieldTexts { label: "Weight".to_owned(), hint: Some("kg".to_owned()) }),
            (FieldKey::trusted("b-field"), FieldTexts { label: "Other".to_owned(), hint: None }),
        ]);
        new_fields(&Form { fields: &definitions, kinds: &kinds }, &texts, &Choices::default())
    }

    #[test]
    fn a_new_task_has_the_fields_of_its_type_with_their_defaults() {
        let fields = fields();
        let shown: Vec<(Option<&str>, Option<&str>, &Value)> =
            fields.iter().map(|field| (field.label.as_deref(), field.hint.as_deref(), &field.value)).collect();
        assert_eq!(
            shown,
            [(Some("Weight"), Some("kg"), &json!(3)), (Some("B"), None, &Value::Null), (None, None, &Value::Null)],
            "a default that does not fit its type is none"
        );
        assert_eq!(definitions(&fields).len(), 3);
        assert_eq!(values(&fields)[0].value, json!(3));
    }

    #[test]
    fn only_what_changes_is_stamped() {
        let now = Timestamp::from_millis(5);
        let value = |key: &str, value: Value| FieldValue {
            form_field_key: FormFieldKey::trusted(key),
            custom_field_key: FieldKey::trusted(format!("{key}-field")),
            value,
        };
        let after = changed_values(fields(), vec![value("a", json!(3)), value("b", json!(4))], now);
        let stamped: Vec<Option<Timestamp>> = after.iter().map(|field| field.last_updated).collect();
        assert_eq!(stamped, [None, Some(now), None]);
        assert_eq!(after[1].value, json!(4));
    }
}
