//! The step sheet of a batch: the steps of its phase, and what was entered at them so far.

use std::collections::HashMap;

use domain::form::{FieldKind, FieldValue, Form, FormFault, FormField, SentValue};
use domain::key::{BatchKey, FieldKey, StepExecutionKey, StepKey, UserKey, WorkOrderKey, WorkSessionKey};
use domain::production::StepStatus;
use domain::rule::Refused;
use domain::rule::production::{FormFieldValueError, StepAlreadyDoneError, StepOrderError, StepsMissingError};
use schemars::JsonSchema;
use serde::Deserialize;
use store::production::batches::Batch;
use store::production::executions::{self, StepExecution};
use store::production::order_phases;
use store::quality::{fields, lists};

use super::bench::Bench;
use crate::act::Act;
use crate::effects::attached::{Digests, step_folder};
use crate::{Error, Result};

/// What was entered at one step.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepData {
    /// The step.
    pub(crate) step_key: StepKey,
    /// What was entered. Values of a draft stay unless they are sent again.
    #[serde(default)]
    pub(crate) form_data: Vec<SentValue>,
    /// Whether it is flagged for review.
    #[serde(default)]
    pub(crate) critical: bool,
}

/// A step as the order copied it.
#[derive(Debug, Deserialize)]
struct Step {
    #[serde(rename = "_key")]
    key: StepKey,
    #[serde(default)]
    form_fields: Vec<FormField>,
}

/// The steps of a batch with what was entered so far.
pub(crate) struct Sheet {
    order: WorkOrderKey,
    batch: BatchKey,
    steps: Vec<Step>,
    entered: HashMap<StepKey, StepExecution>,
    kinds: HashMap<FieldKey, FieldKind>,
}

impl Sheet {
    pub(crate) async fn load(act: &mut Act<'_>, bench: &Bench, batch: &Batch) -> Result<Self> {
        let job = bench.job();
        let steps = order_phases::steps(act.tx, job.work_order_key, job.phase_key).await?;
        let steps: Vec<Step> =
            serde_json::from_value(steps).map_err(|error| Error::broken(&format!("steps of an order: {error}")))?;
        let entered = executions::of_batch(act.tx, batch.key).await?;
        let custom = steps.iter().flat_map(|step| &step.form_fields).map(|field| field.custom_field_key.to_string());
        let mut custom: Vec<String> = custom.collect();
        custom.sort_unstable();
        custom.dedup();
        let kinds = if custom.is_empty() { HashMap::new() } else { fields::kinds(act.tx, &custom).await? };
        let entered = entered.into_iter().map(|record| (record.step_key, record)).collect();
        Ok(Self { order: job.work_order_key, batch: batch.key, steps, entered, kinds })
    }

    /// The step's index among the job's steps.
    pub(crate) fn place(&self, key: StepKey) -> Result<usize> {
        self.steps.iter().position(|step| step.key == key).ok_or_else(|| Error::missing("step_key", key))
    }

    pub(crate) fn is_done(&self, place: usize) -> bool {
        self.entered.get(&self.steps[place].key).is_some_and(|record| record.status != StepStatus::ToDo)
    }

    pub(crate) fn must_be_open(&self, place: usize) -> Result<()> {
        if !self.is_done(place) {
            return Ok(());
        }
        let rule = StepAlreadyDoneError { step_keys: vec![self.steps[place].key] };
        Err(Error::rule(&rule, "The step is already done."))
    }

    /// If the sequence of steps matters, checks that all steps before this one are done.
    pub(crate) fn must_be_next(&self, place: usize, in_order: bool) -> Result<()> {
        let open: Vec<StepKey> = (0..place)
            .filter(|before| in_order && !self.is_done(*before))
            .map(|before| self.steps[before].key)
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        Err(Error::rule(&StepOrderError { step_keys: open }, "Earlier steps are not done."))
    }

    fn form(&self, place: usize) -> Form<'_> {
        Form { fields: &self.steps[place].form_fields, kinds: &self.kinds }
    }

    /// Checks the values of a draft.
    pub(crate) async fn check(&self, act: &mut Act<'_>, place: usize, sent: &[SentValue]) -> Result<Vec<FieldValue>> {
        let form = self.form(place);
        let named = form.list_values(sent).iter().map(ToString::to_string).collect();
        let choices = lists::choices(act.tx, named).await?;
        let mut values = form.check(sent, &choices).map_err(wrong_values)?;
        let digests = self.digests(act, place, sent).await?;
        values.iter_mut().for_each(|value| digests.add_to(&value.form_field_key, &mut value.value));
        Ok(values)
    }

    /// The digests of the stored files that values of a step name.
    async fn digests(&self, act: &mut Act<'_>, place: usize, sent: &[SentValue]) -> Result<Digests> {
        let (step, mut digests) = (&self.steps[place], Digests::default());
        for value in sent {
            let defined = step.form_fields.iter().find(|field| field.key == value.form_field_key);
            let Some(field) = defined else { continue };
            let folder = || step_folder(self.order, self.batch, step.key, &field.custom_field_key, &field.key);
            digests.load(act, &field.key, &value.value, folder).await?;
        }
        Ok(digests)
    }

    /// Checks all values of the steps being completed, and returns them or all faults.
    pub(crate) async fn complete(
        &self,
        act: &mut Act<'_>,
        sent: &[(usize, &StepData)],
    ) -> Result<Vec<Vec<FieldValue>>> {
        let named = sent.iter().flat_map(|(place, data)| self.form(*place).list_values(&data.form_data));
        let named = named.map(|key| key.to_string()).collect();
        let choices = lists::choices(act.tx, named).await?;
        let (mut all, mut faults) = (Vec::with_capacity(sent.len()), Vec::new());
        for (place, data) in sent {
            let old = self.entered.get(&self.steps[*place].key).map(|record| record.form_data.clone());
            match self.form(*place).complete(old.unwrap_or_default(), &data.form_data, &choices) {
                Ok(mut values) => {
                    let digests = self.digests(act, *place, &data.form_data).await?;
                    values.iter_mut().for_each(|value| digests.add_to(&value.form_field_key, &mut value.value));
                    all.push(values);
                }
                Err(more) => faults.extend(more),
            }
        }
        if faults.is_empty() { Ok(all) } else { Err(wrong_values(faults)) }
    }

    /// The record of a step: its draft, or a new one.
    pub(crate) fn record(&self, act: &Act<'_>, batch: &Batch, place: usize) -> Result<StepExecution> {
        let step = self.steps[place].key;
        if let Some(record) = self.entered.get(&step) {
            return Ok(record.clone());
        }
        Ok(StepExecution {
            key: StepExecutionKey(act.new_id()?),
            rev: 0,
            job_key: batch.job_key,
            batch_key: batch.key,
            step_key: step,
            user_key: act.author.user_key.clone(),
            work_session_key: None,
            completed: None,
            status: StepStatus::ToDo,
            form_data: Vec::new(),
            modified: None,
            canceled: None,
        })
    }

    /// Stores a step as done.
    pub(crate) async fn store(
        &self,
        act: &mut Act<'_>,
        batch: &Batch,
        place: usize,
        values: Vec<FieldValue>,
        critical: bool,
        (user, session): (UserKey, WorkSessionKey),
    ) -> Result<StepExecutionKey> {
        let mut record = self.record(act, batch, place)?;
        record.user_key = user;
        record.work_session_key = Some(session);
        record.completed = Some(act.at);
        record.status = if critical { StepStatus::Critical } else { StepStatus::Done };
        record.form_data = values;
        executions::save(act.tx, &mut record).await?;
        Ok(record.key)
    }
}

pub(crate) fn wrong_values(faults: Vec<FormFault>) -> Error {
    Error::rule(&FormFieldValueError::of(faults), "Values do not fit their fields.")
}

/// Checks that every step of a batch is done.
pub(crate) async fn must_all_be_done(act: &mut Act<'_>, bench: &Bench, batch: &Batch) -> Result<()> {
    let sheet = Sheet::load(act, bench, batch).await?;
    let open: Vec<StepKey> =
        (0..sheet.steps.len()).filter(|place| !sheet.is_done(*place)).map(|place| sheet.steps[place].key).collect();
    if open.is_empty() {
        return Ok(());
    }
    Err(Error::rule(&StepsMissingError { step_keys: open }, "Steps of the batch are not done."))
}

/// Stores what was entered at the steps of a batch as done, including drafts and hidden fields; nothing mandatory may be
/// missing.
pub(crate) async fn keep_all(act: &mut Act<'_>, bench: &Bench, batch: &Batch, sent: &[StepData]) -> Result<()> {
    if bench.job().step_count == 0 && sent.is_empty() {
        return Ok(());
    }
    let sheet = Sheet::load(act, bench, batch).await?;
    let nothing: Vec<StepData> = sheet
        .steps
        .iter()
        .map(|step| StepData { step_key: step.key, form_data: Vec::new(), critical: false })
        .collect();
    let mut by_place: Vec<&StepData> = nothing.iter().collect();
    let mut named = vec![false; sheet.steps.len()];
    for data in sent {
        let place = sheet.place(data.step_key)?;
        if std::mem::replace(&mut named[place], true) {
            return Err(Refused::value("A step is named twice.").into());
        }
        sheet.must_be_open(place)?;
        by_place[place] = data;
    }
    // A step's mandatory fields count even if nothing was sent for it, unless the step is already done.
    let asked: Vec<(usize, &StepData)> =
        by_place.into_iter().enumerate().filter(|(place, _)| !sheet.is_done(*place)).collect();
    let values = sheet.complete(act, &asked).await?;
    let session = bench.running_session(act).await?;
    for ((place, data), values) in asked.into_iter().zip(values) {
        let by = (session.user_key.clone(), session.key);
        if named[place] || !values.is_empty() {
            sheet.store(act, batch, place, values, data.critical, by).await?;
        }
    }
    Ok(())
}
