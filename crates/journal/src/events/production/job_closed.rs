use domain::Quantity;
use domain::key::JobKey;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::act::Act;
use crate::effects::production::answer::job_and_batch;
use crate::effects::production::bench::Bench;
use crate::effects::production::job::{Closing, close_by_hand};
use crate::effects::production::rights::SUPERVISE;
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// A supervisor closes a job, whatever is left of it.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct JobClosed {
    /// The job.
    job_key: JobKey,
    /// The completed quantity you expect, to be sure that nobody has completed more in the meantime.
    completed_qt: Option<Quantity>,
    /// Sets the planned quantity to what is made and scrapped.
    #[serde(default)]
    update_planned_qt: bool,
    /// The new notes of the job; those it has stay when left out.
    #[schemars(length(max = 10_000))]
    notes: Option<String>,
}

impl Postable for JobClosed {
    const TYPE: ClientEvent = ClientEvent::JobClosed;
    const SCOPE: Option<Scope> = Some(SUPERVISE);
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const LEADS_TO: &'static [&'static str] = &["JOB_CLOSED", "WORK_ORDER_STARTED", "WORK_ORDER_CLOSED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        let closing =
            Closing { completed_qt: self.completed_qt, update_planned_qt: self.update_planned_qt, notes: self.notes };
        close_by_hand(bench.job_mut(), &closing, act.at)?;
        job_and_batch(bench.finish(act).await?, self.job_key)
    }
}
