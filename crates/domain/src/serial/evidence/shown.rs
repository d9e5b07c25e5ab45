//! Missing evidence as it is answered.

use schemars::JsonSchema;
use serde::Serialize;

use super::Missing;
use crate::key::{FormFieldKey, IssueKey, PhaseKey, ProductKey, SerialKey, StepKey};
use crate::named;

named! {
    /// What kind of evidence is missing.
    #[schemars(rename = "MissingEvidenceKind")]
    pub enum MissingKind {
        /// A mandatory field is not filled.
        FormValueMissing = "form_value_missing",
        /// The unit, or one inside it, is traced completely and lacks units of a component.
        ComponentMissing = "component_missing",
        /// An open, critical issue is about the unit, one inside it, or its order.
        IssueOpen = "issue_open",
        /// A step of the order was not done for the unit.
        StepNotDone = "step_not_done",
        /// A value names a file that is not stored.
        FileMissing = "file_missing",
        /// A file has other bytes than when the value that names it was stored.
        FileChanged = "file_changed",
        /// The unit has no code.
        CodeMissing = "code_missing",
        /// The unit is not released.
        NotReleased = "not_released",
    }
}

/// Evidence that the record of a unit lacks. Its members depend on `kind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MissingEvidence {
    pub kind: MissingKind,
    /// What people read; it may change.
    pub message: String,
    /// Of `form_value_missing`, `file_missing` and `file_changed`: the field of the form, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_field_key: Option<Option<FormFieldKey>>,
    /// Of `form_value_missing`: what people call the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<Option<String>>,
    /// Of `form_value_missing` and `step_not_done`: the phase; null of a field that belongs to none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase_key: Option<Option<PhaseKey>>,
    /// Of `component_missing`: the unit that lacks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_serial_key: Option<SerialKey>,
    /// Of `component_missing`: the component.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product_key: Option<ProductKey>,
    /// Of `component_missing`: the code of the component.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product_code: Option<String>,
    /// Of `component_missing`: how many units are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<u64>,
    /// Of `issue_open`: the issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue_key: Option<IssueKey>,
    /// Of `issue_open`: the name of its type, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue_type_name: Option<Option<String>>,
    /// Of `step_not_done`: the name of the phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase_alias: Option<String>,
    /// Of `step_not_done`: the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_key: Option<StepKey>,
    /// Of `step_not_done`: the title of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_title: Option<String>,
    /// Of `file_missing` and `file_changed`: the name of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl MissingEvidence {
    fn bare(missing: &Missing) -> Self {
        Self {
            kind: missing.kind(),
            message: missing.message(),
            form_field_key: None,
            label: None,
            phase_key: None,
            parent_serial_key: None,
            product_key: None,
            product_code: None,
            quantity: None,
            issue_key: None,
            issue_type_name: None,
            phase_alias: None,
            step_key: None,
            step_title: None,
            name: None,
        }
    }
}

impl From<&Missing> for MissingEvidence {
    fn from(missing: &Missing) -> Self {
        let bare = Self::bare(missing);
        match missing.clone() {
            Missing::FormValue { form_field_key, label, phase_key } => {
                Self { form_field_key: Some(form_field_key), label: Some(label), phase_key: Some(phase_key), ..bare }
            }
            Missing::Component { parent_serial_key, product_key, product_code, quantity, .. } => Self {
                parent_serial_key: Some(parent_serial_key),
                product_key: Some(product_key),
                product_code: Some(product_code),
                quantity: Some(quantity),
                ..bare
            },
            Missing::Issue { issue_key, issue_type_name, .. } => {
                Self { issue_key: Some(issue_key), issue_type_name: Some(issue_type_name), ..bare }
            }
            Missing::Step { phase_key, phase_alias, step_key, step_title } => Self {
                phase_key: Some(Some(phase_key)),
                phase_alias: Some(phase_alias),
                step_key: Some(step_key),
                step_title: Some(step_title),
                ..bare
            },
            Missing::FileMissing { form_field_key, name } | Missing::FileChanged { form_field_key, name } => {
                Self { form_field_key: Some(form_field_key), name: Some(name), ..bare }
            }
            Missing::Code | Missing::Release => bare,
        }
    }
}
