//! Steps are confirmed, kept for later, and corrected.

mod sheet;

use domain::Timestamp;
use domain::form::{SentValue, merge};
use domain::key::{BatchKey, StepExecutionKey, StepKey};
use domain::production::StepStatus;
use domain::rule::Refused;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::Tx;
use store::node::Node;
use store::production::batches::Batch;
use store::production::executions::{self, StepExecution};
use store::production::sessions::{self, WorkSession};

use self::sheet::Sheet;
use super::batch::{self, Completion, StepData, must_be_active};
use super::shown;
use crate::act::{Act, Author};
use crate::catalogue::{Outcome, Postable, Shown};
use crate::floor::Bench;
use crate::{Error, Result};

/// One step of a batch is done.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "StepCompleted")]
pub struct Completed {
    batch_key: BatchKey,
    step_key: StepKey,
    /// What was entered; what was kept before is taken over.
    #[serde(default)]
    form_data: Vec<SentValue>,
    /// Done, and flagged for review.
    #[serde(default)]
    critical: bool,
    /// The last step completes the batch.
    #[serde(default = "yes")]
    complete_batch: bool,
}

fn yes() -> bool {
    true
}

impl Postable for Completed {
    const TYPE: &'static str = "STEP_COMPLETED";

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let (mut bench, batch) = Bench::of_batch(act, "batch_key", self.batch_key).await?;
        must_be_active(&bench, &batch)?;
        let session = bench.session(act).await?;
        let sheet = Sheet::load(act, &bench, &batch).await?;
        let place = sheet.place(self.step_key)?;
        sheet.must_be_open(place)?;
        sheet.must_be_next(place, bench.job().parameters.step_check_force_order)?;
        let sent = StepData { step_key: self.step_key, form_data: self.form_data, critical: self.critical };
        let values = sheet.complete(act, &[(place, &sent)]).await?;
        let by = (session.user_key.clone(), session.key);
        let record =
            sheet.store(act, &batch, place, values.into_iter().next().unwrap_or_default(), sent.critical, by).await?;
        bench.job_mut().steps_done += 1;
        let all_done = bench.job().steps_done == bench.job().step_count;
        let Outcome(mut members) = if bench.job().parameters.step_check && all_done && self.complete_batch {
            complete_batch(act, bench, batch, session).await?
        } else {
            let job = bench.job().key;
            shown(bench.finish(act).await?, job)?
        };
        members.push(("execution_record_key", Shown::Json(json!(record))));
        Ok(Outcome(members))
    }
}

/// The last step leads to the completion of all of the batch.
async fn complete_batch(act: &mut Act<'_>, bench: Bench, batch: Batch, session: WorkSession) -> Result<Outcome> {
    let payload = json!({ "active_batch_key": batch.key, "completed_batch_qt": batch.qt_total });
    let outer = act.enter(batch::Completed::TYPE, bench.concerns(), payload)?;
    let completion = Completion { pass: batch.qt_total, ..Completion::default() };
    let outcome = batch::complete(act, bench, batch, session, completion).await;
    act.leave(outer);
    outcome
}

/// What was entered at a step that is done is corrected.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "StepEdited")]
pub struct Edited {
    execution_record_key: StepExecutionKey,
    /// The values that change; null clears one.
    form_data: Vec<SentValue>,
}

impl Postable for Edited {
    const TYPE: &'static str = "STEP_EDITED";

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let key = self.execution_record_key;
        let missing = || Error::missing("execution_record_key", key);
        let batch = executions::find(act.tx, key).await?.ok_or_else(missing)?.batch_key;
        let (bench, batch) = Bench::of_batch(act, "execution_record_key", batch).await?;
        // Again, now that its order is held.
        let mut record = executions::find(act.tx, key).await?.ok_or_else(missing)?;
        if record.status == StepStatus::ToDo || record.canceled.is_some() {
            return Err(Refused::value("The step is not done, or its batch was taken back.").into());
        }
        if !batch.active {
            act.must_be_supervisor()?;
        } else {
            must_be_session_user(act, &bench, &record).await?;
        }
        let sheet = Sheet::load(act, &bench, &batch).await?;
        let place = sheet.place(record.step_key)?;
        let sent = StepData { step_key: record.step_key, form_data: self.form_data, critical: false };
        let values = sheet.complete(act, &[(place, &sent)]).await?;
        act.note("previous_form_data", json!(record.form_data));
        record.form_data = values.into_iter().next().unwrap_or_default();
        record.modified = Some(act.key());
        executions::save(act.tx, &mut record).await?;
        let job = bench.job().key;
        shown(bench.finish(act).await?, job)
    }
}

/// Of an active batch: whose session runs, or while nobody works at it who did the step.
async fn must_be_session_user(act: &mut Act<'_>, bench: &Bench, record: &StepExecution) -> Result<()> {
    if bench.job().active {
        return bench.session(act).await.map(|_| ());
    }
    let (user, supervisor) = (&act.author.user_key, act.author.supervisor);
    Ok(bench.job().must_be_session_of(&record.user_key, user, supervisor)?)
}

/// The step of a batch, named by itself or by what is kept of it.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    Step(BatchKey, StepKey),
    Record(StepExecutionKey),
}

/// Keeps what was entered before the step is done. It is no event, and none is stored.
pub async fn save_draft(
    tx: &mut Tx,
    node: &Node,
    author: &Author,
    now: Timestamp,
    target: Target,
    form_data: &[SentValue],
) -> Result<StepExecutionKey> {
    let mut act = Act::begin(tx, node, author, now).await?;
    let (field, batch, step) = match target {
        Target::Step(batch, step) => ("batch_key", batch, step),
        Target::Record(key) => {
            let missing = || Error::missing("execution_record_key", key);
            let record = executions::find(act.tx, key).await?.ok_or_else(missing)?;
            ("execution_record_key", record.batch_key, record.step_key)
        }
    };
    let (bench, batch) = Bench::of_batch(&mut act, field, batch).await?;
    keep_draft(&mut act, &bench, &batch, step, form_data).await
}

async fn keep_draft(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: &Batch,
    step: StepKey,
    form_data: &[SentValue],
) -> Result<StepExecutionKey> {
    must_be_active(bench, batch)?;
    let session = last_session(act, bench).await?;
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

/// The running session, or while the job is paused the one before: what was entered until then is not lost.
async fn last_session(act: &mut Act<'_>, bench: &Bench) -> Result<WorkSession> {
    if bench.job().active {
        return bench.session(act).await;
    }
    let last = match bench.job().last_work_session_started {
        Some(key) => sessions::find(act.tx, key).await?,
        None => None,
    };
    let last = last.ok_or_else(|| Error::broken("a job with a batch has no session"))?;
    bench.job().must_be_session_of(&last.user_key, &act.author.user_key, act.author.supervisor)?;
    Ok(last)
}

/// Whether every step of a batch is done.
pub(super) async fn must_all_be_done(act: &mut Act<'_>, bench: &Bench, batch: &Batch) -> Result<()> {
    let sheet = Sheet::load(act, bench, batch).await?;
    let open: Vec<StepKey> =
        (0..sheet.steps.len()).filter(|place| !sheet.is_done(*place)).map(|place| sheet.steps[place].key).collect();
    if open.is_empty() {
        return Ok(());
    }
    Err(Error::rule("StepsMissingError", "Steps of the batch are not done.", json!({ "step_keys": open })))
}

/// Keeps what was entered at the steps of a batch as done; drafts and hidden fields with it, and nothing mandatory missing.
pub(super) async fn keep_all(act: &mut Act<'_>, bench: &Bench, batch: &Batch, sent: &[StepData]) -> Result<()> {
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
    // What a step asks for counts also when nothing was sent for it, unless it is done already.
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
