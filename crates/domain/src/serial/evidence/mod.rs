//! Evidence that the record of a unit lacks. The rules are in the order in which a record names what is missing.

mod rules;
mod shown;

pub use rules::{BatchWork, FieldFacts, PhaseSteps, StoredFiles, UnitRecord, lacking, named_files};
pub use shown::{MissingEvidence, MissingKind};

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::key::{FormFieldKey, IssueKey, PhaseKey, ProductKey, SerialKey, StepKey};

/// One piece of evidence that the record of a unit lacks. It is answered as a [`MissingEvidence`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// A mandatory field is not filled.
    FormValue { form_field_key: Option<FormFieldKey>, label: Option<String>, phase_key: Option<PhaseKey> },
    /// A unit that is traced completely, or one inside it that is, lacks units of a component.
    Component {
        parent_serial_key: SerialKey,
        parent_code: Option<String>,
        product_key: ProductKey,
        product_code: String,
        quantity: u64,
    },
    /// An open, critical issue is about the unit, one inside it, or its order.
    Issue { issue_key: IssueKey, issue_type_name: Option<String>, title: Option<String> },
    /// A step of the order was not done for the unit.
    Step { phase_key: PhaseKey, phase_alias: String, step_key: StepKey, step_title: String },
    /// A value names a file that is not stored.
    FileMissing { form_field_key: Option<FormFieldKey>, name: String },
    /// A file has other bytes than when the value that names it was stored.
    FileChanged { form_field_key: Option<FormFieldKey>, name: String },
    /// The unit has no code.
    Code,
    /// The unit is not released.
    Release,
}

impl Missing {
    pub fn kind(&self) -> MissingKind {
        match self {
            Missing::FormValue { .. } => MissingKind::FormValueMissing,
            Missing::Component { .. } => MissingKind::ComponentMissing,
            Missing::Issue { .. } => MissingKind::IssueOpen,
            Missing::Step { .. } => MissingKind::StepNotDone,
            Missing::FileMissing { .. } => MissingKind::FileMissing,
            Missing::FileChanged { .. } => MissingKind::FileChanged,
            Missing::Code => MissingKind::CodeMissing,
            Missing::Release => MissingKind::NotReleased,
        }
    }

    /// What people read.
    pub fn message(&self) -> String {
        match self {
            Missing::FormValue { label: Some(label), .. } => format!("The mandatory field {label} is not filled."),
            Missing::FormValue { label: None, .. } => "A mandatory field is not filled.".to_owned(),
            Missing::Component { parent_serial_key, parent_code, product_code, quantity, .. } => {
                let parent = parent_code.clone().unwrap_or_else(|| parent_serial_key.to_string());
                match quantity {
                    1 => format!("A unit of {product_code} is not linked to {parent}."),
                    _ => format!("{quantity} units of {product_code} are not linked to {parent}."),
                }
            }
            Missing::Issue { title: Some(title), .. } => format!("The critical issue {title} is open."),
            Missing::Issue { issue_type_name: Some(name), .. } => {
                format!("A critical issue of the type {name} is open.")
            }
            Missing::Issue { .. } => "A critical issue is open.".to_owned(),
            Missing::Step { phase_alias, step_title, .. } => {
                format!("The step {step_title} of the phase {phase_alias} is not done.")
            }
            Missing::FileMissing { name, .. } => format!("The file {name} is not stored."),
            Missing::FileChanged { name, .. } => format!("The file {name} has changed since its value was stored."),
            Missing::Code => "The unit has no code.".to_owned(),
            Missing::Release => "The unit is not released.".to_owned(),
        }
    }

    /// Whether it can block a release: a release gives the unit its code, and can't wait for itself.
    pub fn blocks_release(&self) -> bool {
        !matches!(self, Missing::Code | Missing::Release)
    }
}

/// Whether a record is complete, though the unit may not be released yet.
pub fn is_complete(missing: &[Missing]) -> bool {
    missing.iter().all(|one| *one == Missing::Release)
}

impl Serialize for Missing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        MissingEvidence::from(self).serialize(serializer)
    }
}

impl JsonSchema for Missing {
    fn schema_name() -> Cow<'static, str> {
        MissingEvidence::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        MissingEvidence::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        MissingEvidence::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_kind_is_shown_with_its_data_alone() {
        let field = Some(FormFieldKey::trusted("f"));
        let cases = [
            (
                Missing::FormValue { form_field_key: field.clone(), label: None, phase_key: None },
                json!({ "kind": "form_value_missing", "form_field_key": "f", "label": null, "phase_key": null }),
            ),
            (
                Missing::Component {
                    parent_serial_key: SerialKey(1),
                    parent_code: None,
                    product_key: ProductKey::trusted("b"),
                    product_code: "B".to_owned(),
                    quantity: 2,
                },
                json!({
                    "kind": "component_missing", "parent_serial_key": SerialKey(1), "product_key": "b",
                    "product_code": "B", "quantity": 2
                }),
            ),
            (
                Missing::Issue { issue_key: IssueKey(5), issue_type_name: None, title: Some("Leak".to_owned()) },
                json!({ "kind": "issue_open", "issue_key": IssueKey(5), "issue_type_name": null }),
            ),
            (
                Missing::Step {
                    phase_key: PhaseKey(1),
                    phase_alias: "Weld".to_owned(),
                    step_key: StepKey(2),
                    step_title: "Look".to_owned(),
                },
                json!({
                    "kind": "step_not_done", "phase_key": PhaseKey(1), "phase_alias": "Weld", "step_key": StepKey(2),
                    "step_title": "Look"
                }),
            ),
            (
                Missing::FileMissing { form_field_key: field, name: "a.pdf".to_owned() },
                json!({ "kind": "file_missing", "form_field_key": "f", "name": "a.pdf" }),
            ),
            (
                Missing::FileChanged { form_field_key: None, name: "a.pdf".to_owned() },
                json!({ "kind": "file_changed", "form_field_key": null, "name": "a.pdf" }),
            ),
            (Missing::Code, json!({ "kind": "code_missing" })),
            (Missing::Release, json!({ "kind": "not_released" })),
        ];
        assert_eq!(cases.len(), MissingKind::ALL.len());
        for (missing, mut shown) in cases {
            shown["message"] = json!(missing.message());
            assert_eq!(json!(missing), shown);
        }
    }

    #[test]
    fn a_missing_component_says_what_lacks_it() {
        let missing = |parent_code: Option<&str>, quantity| Missing::Component {
            parent_serial_key: SerialKey(1),
            parent_code: parent_code.map(str::to_owned),
            product_key: ProductKey::trusted("b"),
            product_code: "B".to_owned(),
            quantity,
        };
        assert_eq!(missing(Some("A-1"), 1).message(), "A unit of B is not linked to A-1.");
        assert_eq!(missing(None, 2).message(), format!("2 units of B are not linked to {}.", SerialKey(1)));
    }

    #[test]
    fn an_open_issue_is_called_by_what_is_known_of_it() {
        let message = |title: Option<&str>, of_type: Option<&str>| {
            let [title, issue_type_name] = [title, of_type].map(|text| text.map(str::to_owned));
            Missing::Issue { issue_key: IssueKey(1), issue_type_name, title }.message()
        };
        assert_eq!(message(Some("Leak"), Some("Defect")), "The critical issue Leak is open.");
        assert_eq!(message(None, Some("Defect")), "A critical issue of the type Defect is open.");
        assert_eq!(message(None, None), "A critical issue is open.");
    }

    #[test]
    fn a_release_alone_may_be_missing_from_a_complete_record() {
        assert!(is_complete(&[]) && is_complete(&[Missing::Release]));
        assert!(!is_complete(&[Missing::Code, Missing::Release]));
        assert!(!Missing::Code.blocks_release() && !Missing::Release.blocks_release());
        assert!(Missing::FileMissing { form_field_key: None, name: String::new() }.blocks_release());
        assert!(Missing::Issue { issue_key: IssueKey(1), issue_type_name: None, title: None }.blocks_release());
    }
}
