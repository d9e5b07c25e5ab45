use domain::key::{JobKey, WorkSessionKey};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::act::Act;
use crate::effects::production::bench::Bench;
use crate::effects::production::job::pause;
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// The operator stops working on a job for now; the batch is kept.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct JobPaused {
    /// The job.
    job_key: JobKey,
    /// The running work session, to be sure that it is the one that ends.
    work_session_key: Option<WorkSessionKey>,
}

impl Postable for JobPaused {
    const TYPE: ClientEvent = ClientEvent::JobPaused;
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const LEADS_TO: &'static [&'static str] = &["WORK_SESSION_CLOSED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let bench = Bench::of_job(act, self.job_key).await?;
        pause(act, bench, self.work_session_key, None).await
    }
}
