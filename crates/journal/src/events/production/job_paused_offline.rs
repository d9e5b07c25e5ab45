use domain::Timestamp;
use domain::key::JobKey;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::act::Act;
use crate::effects::production::bench::Bench;
use crate::effects::production::job::pause;
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;
use crate::{Error, Result};

/// A job is paused, because the operator's device has been silent for too long; the batch is kept.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct JobPausedOffline {
    /// The job.
    job_key: JobKey,
    /// When the work ended; when left out, the last time the job was heard from.
    work_session_end: Option<Timestamp>,
}

impl Postable for JobPausedOffline {
    const TYPE: ClientEvent = ClientEvent::JobPausedOffline;
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const LEADS_TO: &'static [&'static str] = &["WORK_SESSION_CLOSED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let bench = Bench::of_job(act, self.job_key).await?;
        let running = bench.session(act).await?;
        if self.work_session_end.is_some_and(|end| end > act.at) {
            return Err(Error::timestamp("The work can't have ended after the event.", Some(running.started)));
        }
        // A user who started slightly ahead of the service's clock has not been heard from since.
        let heard = bench.job().last_online.unwrap_or(act.at).max(running.started);
        pause(act, bench, None, Some(self.work_session_end.unwrap_or(heard))).await
    }
}
