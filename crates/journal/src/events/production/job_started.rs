use domain::key::JobKey;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::Result;
use crate::act::Act;
use crate::effects::production::answer::job_and_batch;
use crate::effects::production::batch::{self, refuse_serials};
use crate::effects::production::bench::Bench;
use crate::effects::production::job::must_be_free_to_work;
use crate::effects::production::session::{self, Worker};
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// An operator starts a job: its first batch opens, and the time runs.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct JobStarted {
    /// The job.
    job_key: JobKey,
    /// The units of the first batch. Only for products traced by units, which can't be ordered yet: leave it out.
    batch_serials: Option<Vec<Value>>,
}

impl Postable for JobStarted {
    const TYPE: ClientEvent = ClientEvent::JobStarted;
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const LEADS_TO: &'static [&'static str] =
        &["WORK_SESSION_CREATED", "BATCH_CREATED", "WIP_BOOKED", "WORK_ORDER_STARTED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        bench.job().must_be_created()?;
        must_be_free_to_work(act, &bench).await?;
        refuse_serials(self.batch_serials.as_ref())?;
        let worker = Worker::of(act);
        bench.assign(act, &worker.user_key).await?;
        batch::open(act, &mut bench).await?;
        session::open(act, &mut bench, worker).await?;
        job_and_batch(&bench.finish(act).await?, self.job_key)
    }
}
