//! The values of an issue, in the form of its type.

use std::collections::{BTreeSet, HashMap};

use domain::form::{FieldKind, FieldValue, FormField};
use domain::key::{FieldKey, FormFieldKey};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::Tx;
use store::collaboration::issue_views::IssueView;
use store::quality::fields::{self, Field};

use crate::Result;

/// A field of an issue.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IssueField")]
pub(super) struct IssueField {
    form_field_key: FormFieldKey,
    custom_field_key: FieldKey,
    /// Of the custom field; null if that was deleted.
    #[serde(rename = "type")]
    kind: Option<FieldKind>,
    /// What people read beside the value: that of the form, else that of the custom field.
    label: Option<String>,
    hint: Option<String>,
    /// Whether it has to be filled before the issue is closed.
    mandatory: bool,
    /// The value, as its type has it; null if it is empty.
    value: Value,
}

/// The custom fields that some issues have values of, or are asked for.
pub(super) struct KnownFields(HashMap<FieldKey, Field>);

impl KnownFields {
    pub(super) async fn load(tx: &mut Tx, issues: &[IssueView]) -> Result<Self> {
        let asked = issues.iter().flat_map(|view| &view.form_template).map(|field| &field.custom_field_key);
        let filled = issues.iter().flat_map(|view| &view.issue.data).map(|value| &value.custom_field_key);
        let keys: BTreeSet<&FieldKey> = asked.chain(filled).collect();
        if keys.is_empty() {
            return Ok(Self(HashMap::new()));
        }
        let keys: Vec<String> = keys.into_iter().map(ToString::to_string).collect();
        let found = fields::find_all(tx, &keys).await?;
        Ok(Self(found.into_iter().map(|field| (field.key.clone(), field)).collect()))
    }

    /// The fields of the form in their order, then the values that it does not ask for. It does not ask for fields that were deleted.
    pub(super) fn shown(&self, form: Vec<FormField>, values: Vec<FieldValue>) -> Vec<IssueField> {
        let mut values: Vec<Option<FieldValue>> = values.into_iter().map(Some).collect();
        let places: HashMap<FormFieldKey, usize> = values
            .iter()
            .enumerate()
            .filter_map(|(place, value)| value.as_ref().map(|value| (value.form_field_key.clone(), place)))
            .collect();
        let mut all = Vec::with_capacity(form.len().max(values.len()));
        for field in form.into_iter().filter(|field| self.0.contains_key(&field.custom_field_key)) {
            let value = places.get(&field.key).and_then(|place| values[*place].take());
            all.push(self.asked(field, value.map(|value| value.value).unwrap_or_default()));
        }
        all.extend(values.into_iter().flatten().map(|value| self.besides(value)));
        all
    }

    fn asked(&self, field: FormField, value: Value) -> IssueField {
        let custom = self.0.get(&field.custom_field_key);
        IssueField {
            kind: custom.map(|custom| custom.kind),
            label: field.label.or_else(|| custom.map(label)),
            hint: field.hint.or_else(|| custom.and_then(|custom| custom.default_hint.clone())),
            form_field_key: field.key,
            custom_field_key: field.custom_field_key,
            mandatory: field.mandatory,
            value,
        }
    }

    fn besides(&self, value: FieldValue) -> IssueField {
        let custom = self.0.get(&value.custom_field_key);
        IssueField {
            kind: custom.map(|custom| custom.kind),
            label: custom.map(label),
            hint: custom.and_then(|custom| custom.default_hint.clone()),
            form_field_key: value.form_field_key,
            custom_field_key: value.custom_field_key,
            mandatory: false,
            value: value.value,
        }
    }
}

fn label(field: &Field) -> String {
    field.default_label.clone().unwrap_or_else(|| field.name.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn known(keys: &[&str]) -> KnownFields {
        let field = |key: &&str| {
            let field = Field {
                key: FieldKey::trusted(*key),
                rev: 1,
                name: format!("Name of {key}"),
                kind: FieldKind::Text,
                slug: (*key).to_owned(),
                default_label: None,
                default_hint: Some("as printed".to_owned()),
            };
            (field.key.clone(), field)
        };
        KnownFields(keys.iter().map(field).collect())
    }

    fn asked(key: &str, custom: &str, label: Option<&str>) -> FormField {
        FormField {
            key: FormFieldKey::trusted(key),
            custom_field_key: FieldKey::trusted(custom),
            multiple: false,
            label: label.map(str::to_owned),
            hint: None,
            default: None,
            mandatory: true,
            hidden: false,
        }
    }

    fn value(key: &str, custom: &str, value: Value) -> FieldValue {
        FieldValue { form_field_key: FormFieldKey::trusted(key), custom_field_key: FieldKey::trusted(custom), value }
    }

    #[test]
    fn the_form_comes_first_and_no_value_is_lost() {
        let form = vec![asked("a", "cause", Some("Cause")), asked("b", "gone", None), asked("c", "place", None)];
        let values =
            vec![value("x", "cause", json!("old")), value("b", "gone", json!(1)), value("a", "cause", json!("rust"))];
        let shown: Vec<Value> = known(&["cause", "place"])
            .shown(form, values)
            .into_iter()
            .map(|field| json!([field.form_field_key, field.kind, field.label, field.mandatory, field.value]))
            .collect();
        assert_eq!(
            shown,
            [
                json!(["a", "text", "Cause", true, "rust"]),
                json!(["c", "text", "Name of place", true, null]),
                json!(["x", "text", "Name of cause", false, "old"]),
                json!(["b", null, null, false, 1]),
            ]
        );
    }
}
