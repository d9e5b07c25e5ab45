use domain::key::JobKey;
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

/// An operator starts a job: its first batch opens, and the time runs.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct JobStarted {
    /// The job.
    job_key: JobKey,
    /// The units of the first batch, if the product is traced by units. In the first phase: the codes of the units that it makes, which
    /// may be left out. In a later one: units that wait in front of it; they have to be named.
    #[schemars(length(max = 100_000))]
    batch_serials: Option<Vec<BatchUnit>>,
}

impl Postable for JobStarted {
    const TYPE: ClientEvent = ClientEvent::JobStarted;
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const LEADS_TO: &'static [&'static str] =
        &["WORK_SESSION_CREATED", "BATCH_CREATED", "SERIAL_CREATED", "WIP_BOOKED", "WORK_ORDER_STARTED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        bench.job().must_be_created()?;
        must_be_free_to_work(act, &bench).await?;
        let worker = Worker::of(act);
        bench.assign(act, &worker.user_key).await?;
        opening::open(act, &mut bench, self.batch_serials.as_deref()).await?;
        session::open(act, &mut bench, worker).await?;
        job_and_batch(bench.finish(act).await?, self.job_key)
    }
}
