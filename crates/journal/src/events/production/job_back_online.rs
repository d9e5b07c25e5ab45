use domain::key::JobKey;
use domain::rule::Refused;
use schemars::JsonSchema;
use serde::Deserialize;
use store::journal::events;

use crate::Result;
use crate::act::Act;
use crate::effects::production::answer::job_and_batch;
use crate::effects::production::bench::Bench;
use crate::effects::production::job::must_be_free_to_work;
use crate::effects::production::session::{self, Worker};
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// The operator's device is back after an offline pause, and the work resumes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct JobBackOnline {
    /// The job.
    job_key: JobKey,
}

impl Postable for JobBackOnline {
    const TYPE: ClientEvent = ClientEvent::JobBackOnline;
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const LEADS_TO: &'static [&'static str] = &["WORK_SESSION_CREATED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        bench.job().must_be_started()?;
        bench.job().must_be_idle()?;
        bench.job().must_have_batch()?;
        let pauses =
            [ClientEvent::JobPaused, ClientEvent::JobPauseForced, ClientEvent::JobPausedOffline].map(ClientEvent::name);
        let last = events::last_type_of_job(act.tx, self.job_key, &pauses).await?;
        if last.as_deref() != Some(ClientEvent::JobPausedOffline.name()) {
            return Err(Refused::value("The job was not paused because its device was offline.").into());
        }
        must_be_free_to_work(act, &bench).await?;
        bench.go_on_after_last_session(act).await?;
        session::open(act, &mut bench, Worker::of(act)).await?;
        job_and_batch(bench.finish(act).await?, self.job_key)
    }
}
