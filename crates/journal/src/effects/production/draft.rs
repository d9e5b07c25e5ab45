//! Drafts: what was entered at a step before the step is completed.

use domain::form::{SentValue, merge};
use domain::key::{BatchKey, StepExecutionKey, StepKey};
use store::production::batches::Batch;
use store::production::executions;

use super::batch::must_be_active;
use super::bench::Bench;
use super::sheet::Sheet;
use crate::act::Act;
use crate::{Error, Result};

/// A step of a batch, given by the step or by its execution record.
#[derive(Debug, Clone, Copy)]
pub enum StepTarget {
    Step(BatchKey, StepKey),
    Record(StepExecutionKey),
}

/// Saves what was entered before the step is completed. This is not an event, and none is stored.
pub async fn save_draft(act: &mut Act<'_>, target: StepTarget, form_data: &[SentValue]) -> Result<StepExecutionKey> {
    let (field, batch, step) = match target {
        StepTarget::Step(batch, step) => ("batch_key", batch, step),
        StepTarget::Record(key) => {
            let missing = || Error::missing("execution_record_key", key);
            let record = executions::find(act.tx, key).await?.ok_or_else(missing)?;
            ("execution_record_key", record.batch_key, record.step_key)
        }
    };
    let (bench, batch) = Bench::of_batch(act, field, batch).await?;
    keep_draft(act, &bench, &batch, step, form_data).await
}

async fn keep_draft(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: &Batch,
    step: StepKey,
    form_data: &[SentValue],
) -> Result<StepExecutionKey> {
    must_be_active(bench, batch)?;
    let session = bench.last_session(act).await?;
    let sheet = Sheet::load(act, bench, batch).await?;
    let place = sheet.place(step)?;
    sheet.must_be_open(place)?;
    let values = sheet.check(act, place, form_data).await?;
    let mut record = sheet.record(act, batch, place)?;
    record.user_key = session.user_key;
    record.work_session_key = Some(session.key);
    record.form_data = merge(record.form_data, values);
    executions::save(act.tx, &mut record).await?;
    Ok(record.key)
}
