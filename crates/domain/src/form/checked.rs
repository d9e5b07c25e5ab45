//! Checks a form's values against its fields.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::{Choices, FieldKind, FieldValue, FormFault, FormField, SentValue, ValueRule, merge};
use crate::key::{FieldKey, FormFieldKey, ListValueKey};

/// A form, with the types of its custom fields. A field whose custom field is gone is ignored.
#[derive(Debug, Clone, Copy)]
pub struct Form<'a> {
    pub fields: &'a [FormField],
    pub kinds: &'a HashMap<FieldKey, FieldKind>,
}

impl<'a> Form<'a> {
    /// The existing fields, with their types.
    fn known(&self) -> impl Iterator<Item = (&'a FormField, FieldKind)> {
        let kinds = self.kinds;
        self.fields.iter().filter_map(|field| Some((field, *kinds.get(&field.custom_field_key)?)))
    }

    fn by_key(&self) -> HashMap<&'a FormFieldKey, (&'a FormField, FieldKind)> {
        self.known().map(|(field, kind)| (&field.key, (field, kind))).collect()
    }

    /// The list values that have to be looked up for these values and for the defaults of this form.
    pub fn list_values(&self, sent: &[SentValue]) -> BTreeSet<ListValueKey> {
        let by_key = self.by_key();
        let named = sent.iter().flat_map(|sent| {
            let kind = by_key.get(&sent.form_field_key).map(|(_, kind)| *kind);
            kind.map(|kind| kind.list_values(&sent.value)).unwrap_or_default()
        });
        let defaults = self.known().filter(|(_, kind)| *kind == FieldKind::Choice);
        let defaults = defaults.filter_map(|(field, _)| ListValueKey::new(field.default.clone()?).ok());
        named.chain(defaults).collect()
    }

    /// The values as they are stored, in the order sent, or all their faults. Mandatory fields may be missing:
    /// [`Form::complete`] checks those.
    pub fn check(&self, sent: &[SentValue], choices: &Choices) -> Result<Vec<FieldValue>, Vec<FormFault>> {
        let (values, faults) = self.read(sent, choices);
        if faults.is_empty() { Ok(values) } else { Err(faults) }
    }

    /// The valid values, and the faults of the others.
    fn read(&self, sent: &[SentValue], choices: &Choices) -> (Vec<FieldValue>, Vec<FormFault>) {
        let by_key = self.by_key();
        let mut seen = HashSet::new();
        let (mut values, mut faults) = (Vec::new(), Vec::new());
        for sent in sent {
            let defined = by_key.get(&sent.form_field_key).filter(|(field, _)| {
                sent.custom_field_key.as_ref().is_none_or(|custom| *custom == field.custom_field_key)
            });
            let Some(&(field, kind)) = defined else {
                faults.push(FormFault {
                    form_field_key: Some(sent.form_field_key.clone()),
                    custom_field_key: sent.custom_field_key.clone(),
                    rule: ValueRule::UnknownField,
                });
                continue;
            };
            let read = match seen.insert(&field.key) {
                true => kind.read(&sent.value, field.multiple, &field.custom_field_key, choices),
                // With two values for one field, neither counts.
                false => Err(ValueRule::WrongType),
            };
            match read {
                Ok(value) => values.push(value_of(field, value)),
                Err(rule) => faults.push(fault_of(field, rule)),
            }
        }
        (values, faults)
    }

    /// The mandatory fields that are not filled, in the order of the form.
    pub fn missing(&self, values: &[FieldValue]) -> Vec<FormFault> {
        let values: HashMap<_, _> = values.iter().map(|value| (&value.form_field_key, &value.value)).collect();
        let filled = |field: &FormField, kind: FieldKind| {
            let value = values.get(&field.key).copied().unwrap_or(&Value::Null);
            kind.is_filled(value, field.multiple)
        };
        let missing = self.known().filter(|&(field, kind)| field.mandatory && !filled(field, kind));
        missing.map(|(field, _)| fault_of(field, ValueRule::Missing)).collect()
    }

    /// The value of a field's default; `None` if it has none, or one that does not fit its type.
    pub fn default_value(&self, field: &FormField, choices: &Choices) -> Option<Value> {
        let kind = self.kinds.get(&field.custom_field_key)?;
        kind.read_default(field.default.as_deref()?, field.multiple, &field.custom_field_key, choices)
    }

    /// Gives hidden fields without a value their default. A sent value stays, and a default that does not fit the field's
    /// type is left out: custom fields and lists may have changed since it was written.
    pub fn with_hidden_defaults(&self, values: Vec<FieldValue>, choices: &Choices) -> Vec<FieldValue> {
        let set = values.iter().filter(|value| !value.value.is_null());
        let set: HashSet<&FormFieldKey> = set.map(|value| &value.form_field_key).collect();
        let hidden = self.fields.iter().filter(|field| field.hidden && !set.contains(&field.key));
        let defaults = hidden.filter_map(|field| Some(value_of(field, self.default_value(field, choices)?))).collect();
        merge(values, defaults)
    }

    /// All values of a form that is completed with these, or all faults. A faulty field is not reported as missing too.
    pub fn complete(
        &self,
        old: Vec<FieldValue>,
        sent: &[SentValue],
        choices: &Choices,
    ) -> Result<Vec<FieldValue>, Vec<FormFault>> {
        let (values, mut faults) = self.read(sent, choices);
        let values = self.with_hidden_defaults(merge(old, values), choices);
        let named: HashSet<_> = faults.iter().map(|fault| fault.form_field_key.clone()).collect();
        faults.extend(self.missing(&values).into_iter().filter(|fault| !named.contains(&fault.form_field_key)));
        if faults.is_empty() { Ok(values) } else { Err(faults) }
    }
}

fn value_of(field: &FormField, value: Value) -> FieldValue {
    FieldValue { form_field_key: field.key.clone(), custom_field_key: field.custom_field_key.clone(), value }
}

fn fault_of(field: &FormField, rule: ValueRule) -> FormFault {
    FormFault { form_field_key: Some(field.key.clone()), custom_field_key: Some(field.custom_field_key.clone()), rule }
}
