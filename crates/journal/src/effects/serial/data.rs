//! The field values of serials.

use std::collections::{BTreeSet, HashMap};

use domain::form::{Choices, FieldKind, FormFault, ValueRule};
use domain::key::{BatchKey, FieldKey, FormFieldKey, PhaseKey, StepKey};
use domain::rule::Refused;
use domain::rule::production::FormFieldValueError;
use domain::serial::{Serial, SerialValue};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::Tx;
use store::quality::{fields, lists};

use crate::act::Act;
use crate::effects::attached::{Digests, serial_folder};
use crate::event::made::serial::PreviousValue;
use crate::{Error, Result};

/// A value for a field of a serial.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SerialFieldValueInput")]
pub(crate) struct SentData {
    /// The field of a form.
    pub(crate) form_field_key: Option<FormFieldKey>,
    /// The custom field; at least one of both keys is needed.
    pub(crate) custom_field_key: Option<FieldKey>,
    /// A value of the type of the custom field (`FieldKind` says what each type takes); null clears.
    pub(crate) value: Value,
}

/// A value for a field of a new serial.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NewSerialFieldValue")]
pub(crate) struct NewData {
    /// The field of a form.
    form_field_key: Option<FormFieldKey>,
    /// The custom field, which has to exist.
    custom_field_key: Option<FieldKey>,
    /// A value of the type of the custom field.
    value: Value,
    /// What people read beside the value.
    #[schemars(length(max = 200))]
    label: Option<String>,
    /// A hint for whoever fills it in.
    #[schemars(length(max = 1000))]
    hint: Option<String>,
    /// Whether it has to be filled.
    mandatory: Option<bool>,
    /// The phase it was entered in.
    phase_key: Option<PhaseKey>,
    /// The step it was entered at.
    step_key: Option<StepKey>,
    /// The batch it was entered for.
    batch_key: Option<BatchKey>,
}

/// What is known of the custom fields that some values are of.
pub(crate) struct Fields {
    pub(crate) kinds: HashMap<FieldKey, FieldKind>,
    choices: Choices,
    digests: Digests,
}

impl Fields {
    /// Loads the types of these custom fields, and the list values that the values name.
    pub(crate) async fn load<'v>(tx: &mut Tx, values: impl Iterator<Item = (&'v FieldKey, &'v Value)>) -> Result<Self> {
        let values: Vec<(&FieldKey, &Value)> = values.collect();
        let keys: BTreeSet<String> = values.iter().map(|(field, _)| field.to_string()).collect();
        if keys.is_empty() {
            return Ok(Self { kinds: HashMap::new(), choices: Choices::default(), digests: Digests::default() });
        }
        let keys: Vec<String> = keys.into_iter().collect();
        let kinds = fields::kinds(tx, &keys).await?;
        let named = values.iter().filter_map(|(field, value)| Some(kinds.get(*field)?.list_values(value)));
        let named: BTreeSet<String> = named.flatten().map(|key| key.to_string()).collect();
        let choices = lists::choices(tx, named.into_iter().collect()).await?;
        Ok(Self { kinds, choices, digests: Digests::default() })
    }

    fn read(&self, field: &FieldKey, value: &Value, multiple: bool) -> Result<Value, ValueRule> {
        let kind = self.kinds.get(field).ok_or(ValueRule::UnknownField)?;
        kind.read(value, multiple, field, &self.choices)
    }
}

fn refuse(faults: Vec<FormFault>) -> Error {
    Error::rule(&FormFieldValueError::of(faults), "Values do not fit their fields.")
}

/// The data of new serials, with the types of its fields.
pub(crate) async fn of_new(act: &mut Act<'_>, sent: Vec<NewData>) -> Result<(Vec<SerialValue>, Fields)> {
    let named = sent.iter().filter_map(|entry| Some((entry.custom_field_key.as_ref()?, &entry.value)));
    let fields = Fields::load(act.tx, named).await?;
    let (mut data, mut faults): (Vec<SerialValue>, Vec<FormFault>) = (Vec::with_capacity(sent.len()), Vec::new());
    for entry in sent {
        let repeated =
            data.iter().any(|known| known.is_named(entry.form_field_key.as_ref(), entry.custom_field_key.as_ref()));
        let read = match &entry.custom_field_key {
            Some(_) if repeated => Err(ValueRule::WrongType),
            Some(field) => fields.read(field, &entry.value, false),
            None => Err(ValueRule::UnknownField),
        };
        match read {
            Ok(value) => data.push(SerialValue {
                form_field_key: entry.form_field_key,
                custom_field_key: entry.custom_field_key,
                label: entry.label,
                hint: entry.hint,
                mandatory: entry.mandatory,
                multiple: None,
                hidden: None,
                last_updated: (!value.is_null()).then_some(act.at),
                last_updated_by: (!value.is_null()).then(|| act.author.user_key.clone()),
                value,
                batch_key: entry.batch_key,
                step_key: entry.step_key,
                phase_key: entry.phase_key,
            }),
            Err(rule) => faults.push(FormFault {
                form_field_key: entry.form_field_key,
                custom_field_key: entry.custom_field_key,
                rule,
            }),
        }
    }
    must_be_few(&data)?;
    if faults.is_empty() { Ok((data, fields)) } else { Err(refuse(faults)) }
}

/// More entries than any form has would only be a burden.
const MOST_ENTRIES: usize = 1_000;

fn must_be_few(data: &[SerialValue]) -> Result<()> {
    if data.len() > MOST_ENTRIES {
        return Err(Refused::value(format!("A serial has at most {MOST_ENTRIES} values.")).into());
    }
    Ok(())
}

/// The types of all fields of a serial, for its search texts, and of values that are sent for it.
pub(crate) async fn fields_of(act: &mut Act<'_>, serial: &Serial, sent: &[SentData]) -> Result<Fields> {
    let stored = serial.data.iter().filter_map(|entry| entry.custom_field_key.as_ref());
    let of_entry = |entry: &'_ SentData| {
        let named =
            |known: &&SerialValue| known.is_named(entry.form_field_key.as_ref(), entry.custom_field_key.as_ref());
        let field = entry.custom_field_key.clone();
        field.or_else(|| serial.data.iter().find(named).and_then(|known| known.custom_field_key.clone()))
    };
    let sent: Vec<(FieldKey, &Value)> =
        sent.iter().filter_map(|entry| Some((of_entry(entry)?, &entry.value))).collect();
    let nothing = Value::Null;
    let all = stored.map(|field| (field, &nothing)).chain(sent.iter().map(|(field, value)| (field, *value)));
    Fields::load(act.tx, all).await
}

/// The same, with the digests of the stored files that the values name.
pub(crate) async fn fields_with_files(act: &mut Act<'_>, serial: &Serial, sent: &[SentData]) -> Result<Fields> {
    let mut fields = fields_of(act, serial, sent).await?;
    for entry in sent {
        let named =
            |known: &&SerialValue| known.is_named(entry.form_field_key.as_ref(), entry.custom_field_key.as_ref());
        let known = serial.data.iter().find(named).and_then(|known| known.form_field_key.as_ref());
        if let Some(field) = entry.form_field_key.as_ref().or(known) {
            fields.digests.load(act, field, &entry.value, || serial_folder(serial.key, field)).await?;
        }
    }
    Ok(fields)
}

/// Sets values of a serial. Returns the old ones of those that changed.
pub(crate) fn set(
    act: &Act<'_>,
    serial: &mut Serial,
    sent: &[SentData],
    fields: &Fields,
) -> Result<Vec<PreviousValue>> {
    let (mut previous, mut faults) = (Vec::new(), Vec::new());
    let mut seen: Vec<usize> = Vec::new();
    for entry in sent {
        let keys = (entry.form_field_key.as_ref(), entry.custom_field_key.as_ref());
        match set_one(serial, keys, &entry.value, fields, &mut seen) {
            Ok(Some((place, old))) => {
                let changed = &mut serial.data[place];
                changed.last_updated = Some(act.at);
                changed.last_updated_by = Some(act.author.user_key.clone());
                previous.push(PreviousValue {
                    form_field_key: changed.form_field_key.clone(),
                    custom_field_key: changed.custom_field_key.clone(),
                    value: old,
                });
            }
            Ok(None) => {}
            Err(rule) => faults.push(FormFault {
                form_field_key: entry.form_field_key.clone(),
                custom_field_key: entry.custom_field_key.clone(),
                rule,
            }),
        }
    }
    must_be_few(&serial.data)?;
    if faults.is_empty() { Ok(previous) } else { Err(refuse(faults)) }
}

/// Sets the value of one field; its place and the old value if it changed.
fn set_one(
    serial: &mut Serial,
    (form_field, custom_field): (Option<&FormFieldKey>, Option<&FieldKey>),
    value: &Value,
    fields: &Fields,
    seen: &mut Vec<usize>,
) -> Result<Option<(usize, Value)>, ValueRule> {
    let named: Vec<usize> =
        (0..serial.data.len()).filter(|place| serial.data[*place].is_named(form_field, custom_field)).collect();
    let place = match named[..] {
        [place] => place,
        [] => {
            let field = custom_field.filter(|field| fields.kinds.contains_key(*field));
            let field = field.ok_or(ValueRule::UnknownField)?;
            serial.data.push(SerialValue {
                form_field_key: form_field.cloned(),
                custom_field_key: Some(field.clone()),
                ..SerialValue::default()
            });
            serial.data.len() - 1
        }
        // One custom field, several entries: the form field has to say which.
        _ => return Err(ValueRule::UnknownField),
    };
    if seen.contains(&place) {
        return Err(ValueRule::WrongType);
    }
    seen.push(place);
    let entry = &mut serial.data[place];
    if custom_field.is_some() && custom_field != entry.custom_field_key.as_ref() {
        return Err(ValueRule::UnknownField);
    }
    let field = entry.custom_field_key.as_ref().ok_or(ValueRule::UnknownField)?;
    let mut read = fields.read(field, value, entry.multiple.unwrap_or(false))?;
    if let Some(field) = &entry.form_field_key {
        fields.digests.add_to(field, &mut read);
    }
    if read == entry.value {
        return Ok(None);
    }
    Ok(Some((place, std::mem::replace(&mut entry.value, read))))
}

/// Empties the values that were entered in these phases. Returns the old ones of those that changed.
pub(crate) fn remove_of_phases(act: &Act<'_>, serial: &mut Serial, phases: &[PhaseKey]) -> Vec<PreviousValue> {
    let mut previous = Vec::new();
    for entry in &mut serial.data {
        if !entry.phase_key.is_some_and(|phase| phases.contains(&phase)) {
            continue;
        }
        entry.batch_key = None;
        let old = std::mem::take(&mut entry.value);
        if !old.is_null() {
            entry.last_updated = Some(act.at);
            entry.last_updated_by = Some(act.author.user_key.clone());
            previous.push(PreviousValue {
                form_field_key: entry.form_field_key.clone(),
                custom_field_key: entry.custom_field_key.clone(),
                value: old,
            });
        }
    }
    previous
}
