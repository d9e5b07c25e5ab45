use domain::key::JobKey;
use domain::rule::Refused;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::act::Act;
use crate::effects::production::answer::job_and_batch;
use crate::effects::production::bench::Bench;
use crate::effects::production::job::must_be_free_to_work;
use crate::effects::production::opening;
use crate::effects::production::session::{self, Worker};
use crate::effects::production::units::named::BatchUnit;
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// A user resumes a job, with the batch that was left or with a new one.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct JobResumed {
    /// The job.
    job_key: JobKey,
    /// The units of the new batch, if the product is traced by units. In the first phase: the codes of the units that it makes, which
    /// may be left out. In a later one: units that wait in front of it; they have to be named.
    #[schemars(length(max = 100_000))]
    batch_serials: Option<Vec<BatchUnit>>,
}

impl Postable for JobResumed {
    const TYPE: ClientEvent = ClientEvent::JobResumed;
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const LEADS_TO: &'static [&'static str] =
        &["WORK_SESSION_CREATED", "BATCH_CREATED", "SERIAL_CREATED", "WIP_BOOKED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        bench.job().must_be_started()?;
        bench.job().must_be_idle()?;
        must_be_free_to_work(act, &bench).await?;
        bench.go_on_after_last_session(act).await?;
        if bench.job().active_batch_key.is_none() {
            opening::open(act, &mut bench, self.batch_serials.as_deref()).await?;
        } else if self.batch_serials.is_some_and(|named| !named.is_empty()) {
            return Err(Refused::value("The job goes on with the batch that was left: no units can be named.").into());
        }
        session::open(act, &mut bench, Worker::of(act)).await?;
        job_and_batch(bench.finish(act).await?, self.job_key)
    }
}
