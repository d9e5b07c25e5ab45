//! What is missing, from what is known of a unit.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Missing;
use crate::form::FieldKind;
use crate::key::{FieldKey, FormFieldKey, PhaseKey, ProductKey, StepKey};
use crate::production::StepCopy;
use crate::serial::{Need, ReferenceBom, SerialValue};

/// What the rules look at of a custom field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldFacts {
    pub kind: FieldKind,
    /// What people call it where a form gives it no label.
    pub label: String,
}

/// A phase of an order, with the steps that its units go through.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseSteps {
    pub phase_key: PhaseKey,
    pub alias: String,
    pub steps: Vec<StepCopy>,
}

/// What a batch that was not canceled did for its units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchWork {
    pub phase_key: PhaseKey,
    pub completed: bool,
    /// Whether its steps were confirmed one by one.
    pub step_check: bool,
    /// The steps that were done, or done and flagged for review.
    pub done: HashSet<StepKey>,
}

impl BatchWork {
    fn covers(&self, phase: PhaseKey, step: StepKey) -> bool {
        self.done.contains(&step) || (self.phase_key == phase && self.completed && !self.step_check)
    }
}

/// The digests of the stored files of a unit, in lower-case hex: by form field, then by name.
pub type StoredFiles = HashMap<String, HashMap<String, String>>;

/// What the rules look at of a unit.
#[derive(Debug, Clone)]
pub struct UnitRecord<'a> {
    pub has_code: bool,
    pub is_released: bool,
    pub data: &'a [SerialValue],
    /// The phases of its order, in their order.
    pub phases: &'a [PhaseSteps],
    /// The batches that worked on it, without canceled ones.
    pub batches: Vec<&'a BatchWork>,
    pub files: Option<&'a StoredFiles>,
}

impl UnitRecord<'_> {
    /// Everything that is missing. What components are missing, see [`lacking`], and what issues are open is found out for the whole
    /// tree below the unit.
    pub fn missing(&self, fields: &HashMap<FieldKey, FieldFacts>, in_tree: Vec<Missing>) -> Vec<Missing> {
        let mut missing: Vec<Missing> = self.values(fields).collect();
        missing.extend(in_tree);
        missing.extend(self.steps());
        missing.extend(self.files());
        missing.extend((!self.has_code).then_some(Missing::Code));
        missing.extend((!self.is_released).then_some(Missing::Release));
        missing
    }

    fn values(&self, fields: &HashMap<FieldKey, FieldFacts>) -> impl Iterator<Item = Missing> {
        let mandatory = self.data.iter().filter(|entry| entry.mandatory == Some(true));
        mandatory.filter_map(move |entry| {
            let field = entry.custom_field_key.as_ref().and_then(|key| fields.get(key));
            // Of a field that was deleted, nothing is known but that there is a value.
            let filled = field.map_or(!entry.value.is_null(), |field| {
                field.kind.is_filled(&entry.value, entry.multiple.unwrap_or(false))
            });
            (!filled).then(|| Missing::FormValue {
                form_field_key: entry.form_field_key.clone(),
                label: entry.label.clone().or_else(|| field.map(|field| field.label.clone())),
                phase_key: entry.phase_key,
            })
        })
    }

    fn steps(&self) -> impl Iterator<Item = Missing> {
        let steps = self.phases.iter().flat_map(|phase| phase.steps.iter().map(move |step| (phase, step)));
        let is_done = move |phase: &PhaseSteps, step: &StepCopy| {
            self.batches.iter().any(|work| work.covers(phase.phase_key, step.key))
        };
        let open = steps.filter(move |(phase, step)| !is_done(phase, step));
        open.map(|(phase, step)| Missing::Step {
            phase_key: phase.phase_key,
            phase_alias: phase.alias.clone(),
            step_key: step.key,
            step_title: step.title.clone(),
        })
    }

    fn files(&self) -> impl Iterator<Item = Missing> {
        let named = self.data.iter().flat_map(|entry| named_files(&entry.value).map(move |file| (entry, file)));
        named.filter_map(move |(entry, (name, digest))| {
            let form_field_key = entry.form_field_key.clone();
            match self.stored(entry.form_field_key.as_ref(), name) {
                None => Some(Missing::FileMissing { form_field_key, name: name.to_owned() }),
                // A file that came after its value has no digest to compare.
                Some(stored) if digest.is_some_and(|digest| digest != stored) => {
                    Some(Missing::FileChanged { form_field_key, name: name.to_owned() })
                }
                Some(_) => None,
            }
        })
    }

    fn stored(&self, field: Option<&FormFieldKey>, name: &str) -> Option<&String> {
        self.files?.get(field?.as_str())?.get(name)
    }
}

/// The files that a value of type `files` names, with the digests from when it was stored; none in values of other types.
pub fn named_files(value: &Value) -> impl Iterator<Item = (&str, Option<&str>)> {
    let files = value.as_array().into_iter().flatten();
    files.filter_map(|file| Some((file.get("name")?.as_str()?, file.get("sha256").and_then(Value::as_str))))
}

/// The traced components of which a unit contains fewer than it takes, and how many units are missing, in the order of the bill of
/// materials. `linked` has how many units of each it contains.
pub fn lacking<'b>(bom: &'b ReferenceBom, linked: &HashMap<&ProductKey, u64>) -> impl Iterator<Item = (&'b Need, u64)> {
    let traced = bom.needs().iter().filter(|need| need.traced);
    let missing = traced.map(move |need| {
        let there = linked.get(&need.component_key).copied().unwrap_or(0);
        (need, need.quantity.units().saturating_sub(there))
    });
    missing.filter(|(_, units)| *units > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::key::LinkKey;
    use crate::serial::{TreeChild, TreeLink, order_children};
    use crate::{Quantity, Timestamp, Total};

    fn unit(data: &[SerialValue]) -> UnitRecord<'_> {
        UnitRecord { has_code: true, is_released: true, data, phases: &[], batches: Vec::new(), files: None }
    }

    fn entry(field: &str, mandatory: bool, value: Value) -> SerialValue {
        SerialValue {
            form_field_key: Some(FormFieldKey::trusted(field)),
            custom_field_key: Some(FieldKey::trusted(field)),
            mandatory: Some(mandatory),
            value,
            ..SerialValue::default()
        }
    }

    fn fields() -> HashMap<FieldKey, FieldFacts> {
        let kinds = [("text", FieldKind::Text), ("tick", FieldKind::Boolean), ("files", FieldKind::Files)];
        let field =
            |(key, kind): (&str, FieldKind)| (FieldKey::trusted(key), FieldFacts { kind, label: key.to_owned() });
        kinds.into_iter().map(field).collect()
    }

    fn label(missing: &Missing) -> Option<&str> {
        match missing {
            Missing::FormValue { label, .. } => label.as_deref(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn mandatory_fields_are_filled_as_their_type_says() {
        let filled = [
            entry("text", true, json!("x")),
            entry("tick", true, json!(true)),
            entry("gone", true, json!(0)),
            entry("text", false, json!(null)),
        ];
        assert!(unit(&filled).missing(&fields(), Vec::new()).is_empty());
        let mut own = entry("text", true, json!("  "));
        own.label = Some("own".to_owned());
        let empty = [
            own,
            entry("text", true, json!(null)),
            entry("tick", true, json!(false)),
            entry("files", true, json!([])),
            entry("gone", true, json!(null)),
        ];
        let missing = unit(&empty).missing(&fields(), Vec::new());
        let labels: Vec<Option<&str>> = missing.iter().map(label).collect();
        assert_eq!(labels, [Some("own"), Some("text"), Some("tick"), Some("files"), None]);
    }

    fn step(key: i64) -> StepCopy {
        StepCopy { key: StepKey(key), title: format!("Step {key}"), form_fields: Vec::new(), media: Vec::new() }
    }

    fn work(phase: i64, completed: bool, step_check: bool, done: &[i64]) -> BatchWork {
        let done = done.iter().map(|key| StepKey(*key)).collect();
        BatchWork { phase_key: PhaseKey(phase), completed, step_check, done }
    }

    #[test]
    fn a_step_is_done_by_its_record_or_by_a_batch_that_does_not_check_steps() {
        let phases = [(1, vec![step(1), step(2)]), (2, vec![step(3)])].map(|(key, steps)| PhaseSteps {
            phase_key: PhaseKey(key),
            alias: format!("Phase {key}"),
            steps,
        });
        let open = |batches: &[BatchWork]| {
            let unit = UnitRecord { phases: &phases, batches: batches.iter().collect(), ..unit(&[]) };
            let key = |one: Missing| match one {
                Missing::Step { step_key, .. } => step_key.0,
                other => panic!("{other:?}"),
            };
            unit.missing(&HashMap::new(), Vec::new()).into_iter().map(key).collect::<Vec<i64>>()
        };
        assert_eq!(open(&[]), [1, 2, 3]);
        assert_eq!(open(&[work(1, true, true, &[1])]), [2, 3], "it was completed before step 2 was added");
        assert_eq!(open(&[work(1, true, true, &[1]), work(1, false, true, &[2])]), [3]);
        assert_eq!(open(&[work(1, true, false, &[])]), [3]);
        assert_eq!(open(&[work(1, false, false, &[]), work(2, true, false, &[])]), [1, 2]);
    }

    #[test]
    fn files_are_compared_with_what_they_were() {
        let named = json!([
            { "name": "same", "size": 1, "sha256": "aa" },
            { "name": "changed", "size": 1, "sha256": "aa" },
            { "name": "late", "size": 1 },
            { "name": "gone", "size": 1, "sha256": "aa" },
        ]);
        let data = [entry("files", false, named), entry("text", false, json!("name"))];
        let digests = [("same", "aa"), ("changed", "bb"), ("late", "cc"), ("other", "dd")];
        let digests = digests.map(|(name, digest)| (name.to_owned(), digest.to_owned()));
        let stored = StoredFiles::from([("files".to_owned(), HashMap::from(digests))]);
        let field = Some(FormFieldKey::trusted("files"));
        let changed = Missing::FileChanged { form_field_key: field.clone(), name: "changed".to_owned() };
        let gone = Missing::FileMissing { form_field_key: field, name: "gone".to_owned() };
        let unit = UnitRecord { files: Some(&stored), ..unit(&data) };
        assert_eq!(unit.missing(&fields(), Vec::new()), [changed, gone]);
        let nothing = UnitRecord { files: None, ..unit };
        assert_eq!(nothing.missing(&fields(), Vec::new()).len(), 4);
    }

    #[test]
    fn what_is_missing_comes_in_the_order_of_the_kinds() {
        let data = [entry("text", true, json!(null)), entry("files", false, json!([{ "name": "a", "size": 1 }]))];
        let phases = [PhaseSteps { phase_key: PhaseKey(1), alias: String::new(), steps: vec![step(1)] }];
        let unit = UnitRecord { has_code: false, is_released: false, phases: &phases, ..unit(&data) };
        let component = Missing::Component {
            parent_serial_key: crate::key::SerialKey(1),
            parent_code: None,
            product_key: ProductKey::trusted("b"),
            product_code: "B".to_owned(),
            quantity: 1,
        };
        let issue = Missing::Issue { issue_key: crate::key::IssueKey(1), issue_type_name: None, title: None };
        let missing = unit.missing(&fields(), vec![component, issue]);
        let kinds: Vec<&str> = missing.iter().map(|one| one.kind().name()).collect();
        assert_eq!(
            kinds,
            [
                "form_value_missing",
                "component_missing",
                "issue_open",
                "step_not_done",
                "file_missing",
                "code_missing",
                "not_released",
            ]
        );
    }

    fn product(number: usize) -> ProductKey {
        ProductKey::trusted(format!("p{number}"))
    }

    proptest! {
        /// What a unit lacks is what its tree expects.
        #[test]
        fn a_unit_lacks_what_its_tree_expects(
            lines in prop::collection::vec((0..5_usize, 0..4_000_000_i64, any::<bool>()), 0..8),
            linked in prop::collection::vec(0..6_usize, 0..15),
        ) {
            let bom: ReferenceBom = lines
                .into_iter()
                .map(|(component, millionths, traced)| Need {
                    component_key: product(component),
                    quantity: Total::from(Quantity::from_millionths(millionths)),
                    traced,
                })
                .collect();
            let linked: Vec<ProductKey> = linked.into_iter().map(product).collect();
            let links = linked.iter().zip(0..).map(|(component_key, key)| TreeLink {
                key: LinkKey(key),
                component_key,
                linked: Some(Timestamp::from_millis(0)),
                replaced: false,
            });
            let expected: Vec<(ProductKey, u64)> = order_children(Some(&bom), links)
                .into_iter()
                .filter_map(|child| match child {
                    TreeChild::Expected { need, units } => Some((bom.needs()[need].component_key.clone(), units)),
                    TreeChild::Linked { .. } => None,
                })
                .collect();
            let mut counts: HashMap<&ProductKey, u64> = HashMap::new();
            for component in &linked {
                *counts.entry(component).or_default() += 1;
            }
            let found = lacking(&bom, &counts).map(|(need, units)| (need.component_key.clone(), units));
            prop_assert_eq!(found.collect::<Vec<_>>(), expected);
        }
    }
}
