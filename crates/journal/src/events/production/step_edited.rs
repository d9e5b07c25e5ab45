use domain::form::SentValue;
use domain::key::StepExecutionKey;
use domain::production::StepStatus;
use domain::rule::Refused;
use schemars::JsonSchema;
use serde::Deserialize;
use store::production::executions::{self, StepExecution};

use crate::act::Act;
use crate::effects::production::answer::job_and_batch;
use crate::effects::production::bench::Bench;
use crate::effects::production::rights::SUPERVISE;
use crate::effects::production::sheet::{Sheet, StepData};
use crate::effects::production::units::completing::follow;
use crate::effects::production::units::values::Entered;
use crate::event::made::production::StepRecordChanged;
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;
use crate::{Error, Result};

/// Corrects what was entered at a completed step. Once the batch is completed, this also needs `production:job:update`, and the
/// units of the batch follow where they still have the batch's value.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct StepEdited {
    /// The execution record of the step.
    execution_record_key: StepExecutionKey,
    /// The values that change; null clears one.
    form_data: Vec<SentValue>,
}

impl Postable for StepEdited {
    const TYPE: ClientEvent = ClientEvent::StepEdited;
    const LOCKS: Locks = &[];
    const LEADS_TO: &'static [&'static str] = &["SERIAL_UPDATED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let key = self.execution_record_key;
        let missing = || Error::missing("execution_record_key", key);
        let batch = executions::find(act.tx, key).await?.ok_or_else(missing)?.batch_key;
        let (bench, batch) = Bench::of_batch(act, "execution_record_key", batch).await?;
        // Read again, now that its order is locked.
        let mut record = executions::find(act.tx, key).await?.ok_or_else(missing)?;
        if record.status == StepStatus::ToDo || record.canceled.is_some() {
            return Err(Refused::value("The step is not done, or its batch was taken back.").into());
        }
        if !batch.active {
            act.must_have(SUPERVISE)?;
        } else {
            must_be_session_user(act, &bench, &record).await?;
        }
        let sheet = Sheet::load(act, &bench, &batch).await?;
        let place = sheet.place(record.step_key)?;
        let sent = StepData { step_key: record.step_key, form_data: self.form_data, critical: false };
        let values = sheet.complete(act, &[(place, &sent)]).await?;
        let before = std::mem::replace(&mut record.form_data, values.into_iter().next().unwrap_or_default());
        act.note(&StepRecordChanged { previous_form_data: before.clone() })?;
        record.modified = Some(act.key());
        executions::save(act.tx, &mut record).await?;
        if !batch.active && bench.floor.work.order.is_traced() {
            let entered = Entered {
                batch_key: batch.key,
                phase_key: batch.phase_key,
                step_key: record.step_key,
                values: &record.form_data,
                before: &before,
            };
            follow(act, &batch, &entered).await?;
        }
        let job = bench.job().key;
        job_and_batch(bench.finish(act).await?, job)
    }
}

/// For an active batch: only the operator whose session is running or, if none is, the one who completed the step.
async fn must_be_session_user(act: &mut Act<'_>, bench: &Bench, record: &StepExecution) -> Result<()> {
    if bench.job().active {
        return bench.session(act).await.map(|_| ());
    }
    let (user, supervisor) = (&act.author.user_key, act.author.may(SUPERVISE));
    Ok(bench.job().must_be_session_of(&record.user_key, user, supervisor)?)
}
