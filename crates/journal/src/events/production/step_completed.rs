use domain::form::SentValue;
use domain::key::{BatchKey, StepKey};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::production::batches::Batch;
use store::production::sessions::WorkSession;

use crate::Result;
use crate::act::Act;
use crate::effects::production::answer::job_and_batch;
use crate::effects::production::batch::must_be_active;
use crate::effects::production::bench::Bench;
use crate::effects::production::completion::complete;
use crate::effects::production::result::Completion;
use crate::effects::production::session::must_end_after_its_start;
use crate::effects::production::sheet::{Sheet, StepData};
use crate::event::made::production::BatchCompletedBySteps;
use crate::event::{ClientEvent, Lockable, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;

/// One step of a batch is done.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct StepCompleted {
    /// The active batch of the job.
    batch_key: BatchKey,
    /// The step.
    step_key: StepKey,
    /// What was entered. Values of a draft stay unless they are sent again.
    #[serde(default)]
    form_data: Vec<SentValue>,
    /// Whether it is flagged for review.
    #[serde(default)]
    critical: bool,
    /// Whether the last step completes the batch, if the steps of the phase are confirmed one by one. True when left out.
    #[serde(default = "yes")]
    complete_batch: bool,
}

fn yes() -> bool {
    true
}

impl Postable for StepCompleted {
    const TYPE: ClientEvent = ClientEvent::StepCompleted;
    const LOCKS: Locks = &[("batch_key", Lockable::Batch)];
    const MAY_CHANGE_LINKS: bool = true;
    const MAY_MOVE_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] = &["BATCH_COMPLETED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let (mut bench, batch) = Bench::of_batch(act, "batch_key", self.batch_key).await?;
        must_be_active(&bench, &batch)?;
        let session = bench.session(act).await?;
        let sheet = Sheet::load(act, &bench, &batch).await?;
        let place = sheet.place(self.step_key)?;
        sheet.must_be_open(place)?;
        sheet.must_be_next(place, bench.job().parameters.step_check_force_order)?;
        let completes = bench.job().parameters.step_check
            && self.complete_batch
            && bench.job().steps_done + 1 == bench.job().step_count;
        let sent = StepData { step_key: self.step_key, form_data: self.form_data, critical: self.critical };
        let values = sheet.complete(act, &[(place, &sent)]).await?;
        if completes {
            must_end_after_its_start(&session, act.at)?;
        }
        let by = (session.user_key.clone(), session.key);
        let record =
            sheet.store(act, &batch, place, values.into_iter().next().unwrap_or_default(), sent.critical, by).await?;
        bench.job_mut().steps_done += 1;
        let Outcome(mut members) = if completes {
            complete_batch(act, bench, batch, session).await?
        } else {
            let job = bench.job().key;
            job_and_batch(bench.finish(act).await?, job)?
        };
        members.push(("execution_record_key", OutcomeMember::Json(json!(record))));
        Ok(Outcome(members))
    }
}

/// Completes the whole batch after its last step.
async fn complete_batch(act: &mut Act<'_>, bench: Bench, batch: Batch, session: WorkSession) -> Result<Outcome> {
    let payload = BatchCompletedBySteps { active_batch_key: batch.key, completed_batch_qt: batch.qt_total };
    let outer = act.enter(ClientEvent::BatchCompleted.name(), bench.concerns(), &payload)?;
    let completion = Completion { pass: batch.qt_total, ..Completion::default() };
    let outcome = complete(act, bench, batch, session, completion).await;
    act.leave(outer);
    outcome
}
