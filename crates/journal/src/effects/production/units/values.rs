//! What was entered for a batch reaches its units.

use std::collections::HashMap;

use domain::form::{FieldKind, FieldValue};
use domain::key::{BatchKey, FieldKey, FormFieldKey, PhaseKey, SerialKey, StepKey};
use domain::serial::{Serial, SerialValue};
use serde_json::Value;
use store::serial::serials;

use crate::Result;
use crate::act::Act;
use crate::effects::serial::data::Fields;
use crate::effects::serial::naming::concerns;
use crate::event::ClientEvent;
use crate::event::made::serial::{PreviousValue, UnitChanged};

/// What was entered at one step of a batch.
pub(crate) struct Entered<'a> {
    pub(crate) batch_key: BatchKey,
    pub(crate) phase_key: PhaseKey,
    pub(crate) step_key: StepKey,
    pub(crate) values: &'a [FieldValue],
    /// What had been entered until then.
    pub(crate) before: &'a [FieldValue],
}

/// What has happened to a unit.
pub(crate) struct Change {
    pub(crate) serial: Serial,
    pub(crate) told: UnitChanged,
}

impl Change {
    pub(crate) fn of(serial: Serial) -> Self {
        let told = UnitChanged {
            serial_key: serial.key,
            serial_code: None,
            serial_data: Vec::new(),
            remove_data_from_phases: Vec::new(),
            unrelease: false,
            unscrap: false,
            previous: Vec::new(),
        };
        Self { serial, told }
    }

    /// A unit that has no code gets one.
    pub(crate) fn give_code(&mut self, code: String) {
        self.serial.code = Some(code.clone());
        self.told.serial_code = Some(code);
    }

    /// Values of the batch reach the unit where it still has what the batch had before: those set on the unit itself stay.
    pub(crate) fn carry(&mut self, act: &Act<'_>, entered: &Entered<'_>) {
        for field in entered.values {
            let before = value_of(entered.before, &field.form_field_key);
            let entry = entry_of(&mut self.serial.data, entered, field);
            if entry.value != *before || entry.value == field.value {
                continue;
            }
            let old = std::mem::replace(&mut entry.value, field.value.clone());
            entry.batch_key = Some(entered.batch_key);
            entry.last_updated = Some(act.at);
            entry.last_updated_by = Some(act.author.user_key.clone());
            self.told.previous.push(PreviousValue {
                form_field_key: entry.form_field_key.clone(),
                custom_field_key: entry.custom_field_key.clone(),
                value: old,
            });
            self.told.serial_data.push(field.clone());
        }
    }

    /// Whether anything has happened.
    fn is_one(&self) -> bool {
        let told = &self.told;
        told.serial_code.is_some()
            || !told.serial_data.is_empty()
            || !told.previous.is_empty()
            || told.unrelease
            || told.unscrap
    }
}

fn value_of<'a>(values: &'a [FieldValue], field: &FormFieldKey) -> &'a Value {
    values.iter().find(|value| value.form_field_key == *field).map_or(&Value::Null, |value| &value.value)
}

/// The unit's entry for a field; a new one if it has none.
fn entry_of<'d>(data: &'d mut Vec<SerialValue>, entered: &Entered<'_>, field: &FieldValue) -> &'d mut SerialValue {
    let named = data.iter().position(|entry| entry.form_field_key.as_ref() == Some(&field.form_field_key));
    let place = named.unwrap_or_else(|| {
        data.push(SerialValue {
            form_field_key: Some(field.form_field_key.clone()),
            custom_field_key: Some(field.custom_field_key.clone()),
            step_key: Some(entered.step_key),
            phase_key: Some(entered.phase_key),
            ..SerialValue::default()
        });
        data.len() - 1
    });
    &mut data[place]
}

/// Stores the units that have changed, and tells of each. Returns all of them as they are now.
pub(crate) async fn store(act: &mut Act<'_>, changes: Vec<Change>) -> Result<Vec<Serial>> {
    let (mut changed, mut places) = (Vec::new(), HashMap::<SerialKey, usize>::new());
    let mut units = Vec::with_capacity(changes.len());
    for change in changes {
        if change.is_one() {
            let serial_concerns = concerns(std::slice::from_ref(&change.serial));
            act.child(ClientEvent::SerialUpdated.name(), serial_concerns, &change.told)?;
            places.insert(change.serial.key, units.len());
            changed.push(change.serial.clone());
        }
        units.push(change.serial);
    }
    if changed.is_empty() {
        return Ok(units);
    }
    let kinds = kinds_of(act, &changed).await?;
    serials::save_all(act.tx, &mut changed, &kinds).await?;
    for serial in changed {
        if let Some(place) = places.get(&serial.key) {
            units[*place] = serial;
        }
    }
    Ok(units)
}

/// The types of all fields that some serials have values for.
async fn kinds_of(act: &mut Act<'_>, serials: &[Serial]) -> Result<HashMap<FieldKey, FieldKind>> {
    let fields: std::collections::HashSet<&FieldKey> =
        serials.iter().flat_map(|serial| &serial.data).filter_map(|entry| entry.custom_field_key.as_ref()).collect();
    let nothing = Value::Null;
    Ok(Fields::load(act.tx, fields.into_iter().map(|field| (field, &nothing))).await?.kinds)
}
