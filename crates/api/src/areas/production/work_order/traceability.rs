//! What was entered for an order, and by whom.

use std::collections::{BTreeSet, HashMap};

use domain::Quantity;
use domain::form::{FieldKind, FieldValue};
use domain::key::{BatchKey, FieldKey, FormFieldKey, JobKey, PhaseKey, SerialKey, StepKey, UserKey, WorkOrderKey};
use domain::production::{FieldCopy, StepCopy, StepStatus};
use domain::serial::SerialValue;
use domain::{Timestamp, json};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::organisation::accounts;
use store::production::executions::{self, StepExecution};
use store::production::traces::{self, Traced, TracedUnit};
use store::production::{order_phases, work_orders};
use store::{Page, Tx};

use super::read::OrderPath;
use super::wire::not_found;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path};
use crate::reply::{EnvelopeList, envelope_list};

/// One step of one batch; for traced products, of one of its units.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TraceabilityRow")]
pub(super) struct TraceRow {
    step_key: StepKey,
    step_title: String,
    serial_code: Option<String>,
    /// The unit; null if the order is not traced.
    serial_key: Option<SerialKey>,
    batch_key: BatchKey,
    batch_qt: Quantity,
    job_key: JobKey,
    /// Who completed the step; null if it is not done.
    operator_key: Option<UserKey>,
    operator_username: Option<String>,
    timestamp: Option<Timestamp>,
    phase_key: PhaseKey,
    phase_alias: String,
    form_fields: Vec<TracedField>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct TracedField {
    form_field_key: FormFieldKey,
    custom_field_key: FieldKey,
    field_type: FieldKind,
    field_label: String,
    /// What was entered at the step for the whole batch.
    value: Value,
    /// The present value of the unit; null if the order is not traced.
    serial_field_value: Value,
}

pub(super) async fn read(
    cx: Cx,
    Path(path): Path<OrderPath>,
    Paging(page): Paging<10_000>,
) -> Result<EnvelopeList<TraceRow>> {
    let key = path.work_order_key;
    cx.db
        .read_long(async move |tx: &mut Tx| {
            work_orders::find(tx, key).await?.ok_or_else(not_found)?;
            let total = if page.count { Some(traces::count(tx, key).await?) } else { None };
            let rows = rows(tx, key, &page).await?;
            Ok::<_, ApiError>((rows, total))
        })
        .await
        .and_then(|(rows, total)| envelope_list("Entered values listed.", rows, total))
}

async fn rows(tx: &mut Tx, order: WorkOrderKey, page: &Page) -> Result<Vec<TraceRow>> {
    let batches = traces::batches(tx, order, page).await?;
    if batches.is_empty() {
        return Ok(Vec::new());
    }
    let entered = Entered::load(tx, order, &batches).await?;
    let units = traces::units(tx, &batches, page).await?;
    let units: HashMap<(BatchKey, i64), Unit> =
        units.into_iter().map(|(place, unit)| (place, Unit::from(unit))).collect();
    let mut rows = Vec::new();
    let places = batches.iter().flat_map(|batch| batch.places_on(page).map(move |(step, unit)| (batch, step, unit)));
    for (batch, step, unit) in places {
        let Some(step) = entered.steps.get(&batch.phase_key).and_then(|steps| steps.get(step)) else { continue };
        let row = entered.row(batch, step, units.get(&(batch.batch_key, unit)));
        // The fields of a step are read once, and repeated in each of its rows.
        tx.take_memory(row.weight())?;
        rows.push(row);
    }
    Ok(rows)
}

impl TraceRow {
    /// About how much memory it takes, by itself and in the answer.
    fn weight(&self) -> usize {
        const MEMBERS: usize = 256;
        let values = |field: &TracedField| json::weight(&field.value) + json::weight(&field.serial_field_value);
        let field = |field: &TracedField| MEMBERS + field.field_label.len() + values(field);
        2 * (2 * MEMBERS + self.form_fields.iter().map(field).sum::<usize>())
    }
}

/// What was entered at the steps of some batches.
struct Entered {
    steps: HashMap<PhaseKey, Vec<StepCopy>>,
    done: HashMap<(BatchKey, StepKey), StepExecution>,
    usernames: HashMap<UserKey, String>,
}

impl Entered {
    async fn load(tx: &mut Tx, order: WorkOrderKey, batches: &[Traced]) -> Result<Self> {
        let phases: BTreeSet<i64> = batches.iter().map(|batch| batch.phase_key.0).collect();
        let phases: Vec<i64> = phases.into_iter().collect();
        let keys: Vec<i64> = batches.iter().map(|batch| batch.batch_key.0).collect();
        let mut steps = HashMap::with_capacity(phases.len());
        for (phase, copies) in order_phases::steps_of(tx, order, &phases).await? {
            steps.insert(phase, copies);
        }
        let found = executions::of_batches(tx, &keys).await?;
        let done: HashMap<(BatchKey, StepKey), StepExecution> = found
            .into_iter()
            .filter(|record| record.status != StepStatus::ToDo)
            .map(|record| ((record.batch_key, record.step_key), record))
            .collect();
        let users: BTreeSet<String> = done.values().map(|record| record.user_key.to_string()).collect();
        let users: Vec<String> = users.into_iter().collect();
        let usernames = accounts::usernames(tx, &users).await?.into_iter().collect();
        Ok(Self { steps, done, usernames })
    }

    fn row(&self, batch: &Traced, step: &StepCopy, unit: Option<&Unit>) -> TraceRow {
        let record = self.done.get(&(batch.batch_key, step.key));
        let values = record.map_or(&[][..], |record| &record.form_data);
        let operator_key = record.map(|record| record.user_key.clone());
        TraceRow {
            step_key: step.key,
            step_title: step.title.clone(),
            serial_code: unit.and_then(|unit| unit.code.clone()),
            serial_key: unit.map(|unit| unit.key),
            batch_key: batch.batch_key,
            batch_qt: batch.qt_total,
            job_key: batch.job_key,
            operator_username: operator_key.as_ref().and_then(|key| self.usernames.get(key)).cloned(),
            operator_key,
            timestamp: record.and_then(|record| record.completed),
            phase_key: batch.phase_key,
            phase_alias: batch.phase_alias.clone(),
            form_fields: fields(step, values, unit),
        }
    }
}

/// A unit with its values by the step that they were entered at.
struct Unit {
    key: SerialKey,
    code: Option<String>,
    values: HashMap<Option<StepKey>, Vec<SerialValue>>,
}

impl From<TracedUnit> for Unit {
    fn from(unit: TracedUnit) -> Self {
        let mut values: HashMap<Option<StepKey>, Vec<SerialValue>> = HashMap::new();
        for value in unit.data {
            values.entry(value.step_key).or_default().push(value);
        }
        Self { key: unit.key, code: unit.code, values }
    }
}

impl Unit {
    /// The value of a field of a step, or one of no step. Fields of other steps may have the same key.
    fn value_of(&self, step: StepKey, field: &FormFieldKey) -> Option<&Value> {
        let mut values = [Some(step), None].into_iter().filter_map(|step| self.values.get(&step)).flatten();
        values.find(|value| value.form_field_key.as_ref() == Some(field)).map(|value| &value.value)
    }
}

fn fields(step: &StepCopy, values: &[FieldValue], unit: Option<&Unit>) -> Vec<TracedField> {
    let value_of = |key: &FormFieldKey| values.iter().find(|value| value.form_field_key == *key);
    let of_unit = |key: &FormFieldKey| unit.and_then(|unit| unit.value_of(step.key, key));
    let field = |field: &FieldCopy| TracedField {
        form_field_key: field.key.clone(),
        custom_field_key: field.custom_field_key.clone(),
        field_type: field.kind,
        field_label: field.title().to_owned(),
        value: value_of(&field.key).map(|entry| entry.value.clone()).unwrap_or_default(),
        serial_field_value: of_unit(&field.key).cloned().unwrap_or_default(),
    };
    step.form_fields.iter().map(field).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_unit_has_its_values_by_step() {
        let entry = |step: Option<i64>, field: &str, value: Value| SerialValue {
            form_field_key: Some(FormFieldKey::trusted(field)),
            step_key: step.map(StepKey),
            value,
            ..SerialValue::default()
        };
        let data = vec![
            entry(Some(1), "torque", json!(5.5)),
            entry(Some(2), "torque", Value::Null),
            entry(None, "torque", json!(7)),
            entry(None, "weight", json!(41)),
        ];
        let unit = Unit::from(TracedUnit { key: SerialKey(1), code: None, data });
        let value = |step: i64, field: &str| unit.value_of(StepKey(step), &FormFieldKey::trusted(field)).cloned();
        assert_eq!([value(1, "torque"), value(2, "torque")], [Some(json!(5.5)), Some(Value::Null)]);
        assert_eq!([value(3, "torque"), value(3, "weight")], [Some(json!(7)), Some(json!(41))], "set without a step");
        assert_eq!(value(1, "colour"), None);
    }
}
