//! The fields of a form: which custom field each one is, and how it is asked for.

use serde::{Deserialize, Serialize};

use crate::key::{FieldKey, FormFieldKey};

/// One field of a form, as it is stored with its step or type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormField {
    #[serde(rename = "_key")]
    pub key: FormFieldKey,
    pub custom_field_key: FieldKey,
    /// Takes a list of values.
    pub multiple: bool,
    pub label: Option<String>,
    pub hint: Option<String>,
    pub default: Option<String>,
    pub mandatory: bool,
    /// Filled with its default, never shown.
    pub hidden: bool,
}
