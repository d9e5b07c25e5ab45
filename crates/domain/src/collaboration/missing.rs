use schemars::JsonSchema;
use serde::Serialize;

use crate::form::{FieldValue, Form, FormField};
use crate::key::FormFieldKey;

/// A mandatory field that is not filled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "MissingFormField")]
pub struct MissingField {
    pub form_field_key: FormFieldKey,
    /// What people read beside it.
    pub label: Option<String>,
}

/// The mandatory fields of a form that these values do not fill, in the order of the form.
pub fn missing_fields(
    form: &Form<'_>,
    values: &[FieldValue],
    label: impl Fn(&FormField) -> Option<String>,
) -> Vec<MissingField> {
    let missing = form.missing(values).into_iter().filter_map(|fault| fault.form_field_key);
    let shown = missing.map(|form_field_key| {
        let field = form.fields.iter().find(|field| field.key == form_field_key);
        MissingField { label: field.and_then(&label), form_field_key }
    });
    shown.collect()
}
