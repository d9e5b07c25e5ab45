//! What was entered for an order, and by whom.

use std::collections::{BTreeSet, HashMap};

use domain::Quantity;
use domain::form::{FieldKind, FieldValue};
use domain::key::{BatchKey, FieldKey, FormFieldKey, JobKey, PhaseKey, SerialKey, StepKey, UserKey, WorkOrderKey};
use domain::production::{StepCopy, StepStatus};
use domain::{Timestamp, json};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::organisation::accounts;
use store::production::executions::{self, StepExecution};
use store::production::traces::{self, Traced};
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
    value: Value,
    /// The unit's current value, if it is traced.
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
    let first = batches.first().map_or(0, |batch| batch.up_to - batch.step_count);
    let all = batches.iter().flat_map(|batch| entered.of_batch(batch));
    let mut rows = Vec::new();
    for row in all.skip((page.offset - first) as usize).take(page.limit as usize) {
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
        let field = |field: &TracedField| MEMBERS + field.field_label.len() + json::weight(&field.value);
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

    fn of_batch<'a>(&'a self, batch: &'a Traced) -> impl Iterator<Item = TraceRow> + 'a {
        let steps = self.steps.get(&batch.phase_key).into_iter().flatten();
        steps.map(move |step| self.row(batch, step))
    }

    fn row(&self, batch: &Traced, step: &StepCopy) -> TraceRow {
        let record = self.done.get(&(batch.batch_key, step.key));
        let values = record.map_or(&[][..], |record| &record.form_data);
        let operator_key = record.map(|record| record.user_key.clone());
        TraceRow {
            step_key: step.key,
            step_title: step.title.clone(),
            // Until units are traced, no step belongs to one.
            serial_code: None,
            serial_key: None,
            batch_key: batch.batch_key,
            batch_qt: batch.qt_total,
            job_key: batch.job_key,
            operator_username: operator_key.as_ref().and_then(|key| self.usernames.get(key)).cloned(),
            operator_key,
            timestamp: record.and_then(|record| record.completed),
            phase_key: batch.phase_key,
            phase_alias: batch.phase_alias.clone(),
            form_fields: fields(step, values),
        }
    }
}

fn fields(step: &StepCopy, values: &[FieldValue]) -> Vec<TracedField> {
    let value_of = |key: &FormFieldKey| values.iter().find(|value| value.form_field_key == *key);
    let field = |field: &domain::production::FieldCopy| TracedField {
        form_field_key: field.key.clone(),
        custom_field_key: field.custom_field_key.clone(),
        field_type: field.kind,
        field_label: field.title().to_owned(),
        value: value_of(&field.key).map(|entry| entry.value.clone()).unwrap_or_default(),
        serial_field_value: Value::Null,
    };
    step.form_fields.iter().map(field).collect()
}
