//! The fields of a form, as steps and the types of issues and tasks define them.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::fault::Faults;
use domain::form::{FieldKind, FormField};
use domain::key::{FieldKey, FormFieldKey};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Tx;
use store::quality::fields::{self, Field};

use crate::Result;
use crate::cx::Cx;
use crate::input::read_only;

/// What readers get of a form's field besides what writers send.
fn form_members(schema: &mut Schema) {
    read_only(schema, &["type", "name"]);
}

/// A field of a form, as it is sent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "FormFieldIn", transform = form_members)]
#[serde(deny_unknown_fields)]
pub(crate) struct FormFieldIn {
    /// Made by the server when left out; unique within the form.
    _key: Option<FormFieldKey>,
    /// Of an existing custom field.
    custom_field_key: FieldKey,
    /// Takes a list of values, if it is text, a number, a choice, a date or a time.
    #[serde(default)]
    multiple: bool,
    #[schemars(length(max = 1000))]
    label: Option<String>,
    #[schemars(length(max = 1000))]
    hint: Option<String>,
    #[schemars(length(max = 10_000))]
    default: Option<String>,
    #[serde(default)]
    mandatory: bool,
    /// Filled with its default, never shown; needs `default`.
    #[serde(default)]
    hidden: bool,
}

/// A field of a form, with what its custom field says.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FormField")]
pub(crate) struct FormFieldOut {
    _key: FormFieldKey,
    custom_field_key: FieldKey,
    /// That of the custom field.
    #[serde(rename = "type")]
    kind: FieldKind,
    /// That of the custom field.
    name: String,
    multiple: bool,
    label: Option<String>,
    hint: Option<String>,
    default: Option<String>,
    mandatory: bool,
    hidden: bool,
}

/// The custom fields that forms name.
pub(crate) struct CustomFields(HashMap<FieldKey, Field>);

impl CustomFields {
    /// Of forms that are sent, to check them.
    pub(crate) async fn of_sent(tx: &mut Tx, forms: impl Iterator<Item = &FormFieldIn>) -> Result<Self> {
        Self::load(tx, forms.map(|field| &field.custom_field_key).collect()).await
    }

    /// Of forms that are stored, to show them.
    pub(crate) async fn of_stored(tx: &mut Tx, forms: impl Iterator<Item = &FormField>) -> Result<Self> {
        Self::load(tx, forms.map(|field| &field.custom_field_key).collect()).await
    }

    async fn load(tx: &mut Tx, keys: BTreeSet<&FieldKey>) -> Result<Self> {
        if keys.is_empty() {
            return Ok(Self(HashMap::new()));
        }
        let keys: Vec<String> = keys.into_iter().map(ToString::to_string).collect();
        let found = fields::find_all(tx, &keys).await?;
        Ok(Self(found.into_iter().map(|field| (field.key.clone(), field)).collect()))
    }

    /// Finds everything that is wrong with a form.
    pub(crate) fn check(&self, form: &[FormFieldIn], faults: &mut Faults) {
        let mut seen = HashSet::new();
        for (index, field) in form.iter().enumerate() {
            faults.within(index, |faults| {
                let mut fault = |member: &str, kind: &'static str, why: &str, sent: &Value| {
                    faults.within(member, |faults| faults.add(kind, why, sent));
                };
                if field._key.as_ref().is_some_and(|key| !seen.insert(key)) {
                    fault("_key", "value_error", "Another field of this form has the same key.", &json!(field._key));
                }
                if !self.0.contains_key(&field.custom_field_key) {
                    let (kind, why) = ("custom_field_not_found", "There is no such custom field.");
                    fault("custom_field_key", kind, why, &json!(field.custom_field_key));
                }
                if field.hidden && field.default.is_none() {
                    fault("default", "value_error", "A hidden field needs a default.", &Value::Null);
                }
            });
        }
    }

    /// The form as readers see it, without the entries whose custom field is gone.
    pub(crate) fn shown(&self, form: Vec<FormField>) -> Vec<FormFieldOut> {
        let shown = |field: FormField| {
            let custom = self.0.get(&field.custom_field_key)?;
            Some(FormFieldOut {
                _key: field.key,
                kind: custom.kind,
                name: custom.name.clone(),
                custom_field_key: field.custom_field_key,
                multiple: field.multiple,
                label: field.label,
                hint: field.hint,
                default: field.default,
                mandatory: field.mandatory,
                hidden: field.hidden,
            })
        };
        form.into_iter().filter_map(shown).collect()
    }
}

/// The form as it is stored, with keys for the fields that have none.
pub(crate) fn stored(cx: &Cx, form: &[FormFieldIn]) -> Result<Vec<FormField>> {
    form.iter()
        .map(|field| {
            Ok(FormField {
                key: field._key.clone().map_or_else(|| cx.new_key().map(FormFieldKey::trusted), Ok)?,
                custom_field_key: field.custom_field_key.clone(),
                multiple: field.multiple,
                label: field.label.clone(),
                hint: field.hint.clone(),
                default: field.default.clone(),
                mandatory: field.mandatory,
                hidden: field.hidden,
            })
        })
        .collect()
}
