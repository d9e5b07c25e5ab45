//! The fields of a form and their values: what each one holds, when it counts as filled, and the faults of what was sent.
//!
//! A form consists of its fields alone, whatever it belongs to. The caller loads the types of their custom fields and the
//! list values that [`Form::list_values`] asks for; the rest is decided here.

mod checked;
mod choice;
mod kind;
mod number;
#[cfg(test)]
mod tests;
mod value;

use serde::{Deserialize, Serialize};

pub use checked::Form;
pub use choice::Choices;
pub(crate) use choice::chosen;
pub use kind::FieldKind;
pub(crate) use number::{FRACTION_DIGITS, WHOLE_DIGITS};
pub use value::{FieldValue, FormFault, SentValue, ValueRule, merge};

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
