use std::collections::HashMap;

use domain::Quantity;
use domain::key::{BatchKey, JobKey, UserKey};
use domain::production::{LONGEST_WORK, shares};
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use store::production::batches::{self, Batch};
use store::production::sessions;

use crate::Result;
use crate::act::Act;
use crate::effects::production::answer::job_and_batch;
use crate::effects::production::bench::Bench;
use crate::effects::production::rights::SUPERVISE;
use crate::effects::production::{session, worth};
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// A supervisor sets how long a job took.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TimeOverride {
    /// The job.
    job_key: JobKey,
    /// How long it took, in milliseconds; when left out, the standard time of what was made and scrapped.
    #[schemars(range(min = 0, max = LONGEST_WORK))]
    new_job_duration: Option<i64>,
}

impl Postable for TimeOverride {
    const TYPE: ClientEvent = ClientEvent::TimeOverride;
    const SCOPE: Option<Scope> = Some(SUPERVISE);
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const LEADS_TO: &'static [&'static str] = &["WORK_SESSION_CREATED", "WORK_SESSION_CLOSED", "WORK_SESSION_CANCELED"];
    const ORDER_ALONE: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        let job = bench.job();
        job.must_be_idle()?;
        job.must_have_settled()?;
        let whole = match self.new_job_duration {
            Some(duration) => duration,
            None => job.standard_time(job.settled())?,
        };
        let mut workers = cancel_all(act, &bench).await?;
        let mut completed = batches::completed(act.tx, self.job_key).await?;
        completed.reverse();
        let weights: Vec<Quantity> = completed.iter().map(|batch| batch.qt_pass + batch.qt_scrap).collect();
        for (batch, duration) in completed.iter().zip(shares(whole, &weights)) {
            let worker = workers.remove(&batch.key);
            set_time(act, &bench, batch, worker, duration).await?;
        }
        worth::recalculate(act, completed.iter().map(|batch| batch.key).collect()).await?;
        session::recall_last(act, &mut bench).await?;
        job_and_batch(bench.finish(act).await?, self.job_key)
    }
}

/// Cancels all time of the job. Returns who worked on each batch last.
async fn cancel_all(act: &mut Act<'_>, bench: &Bench) -> Result<HashMap<BatchKey, UserKey>> {
    let mut workers = HashMap::new();
    for canceled in sessions::of_job(act.tx, bench.job().key).await? {
        if let Some(batch) = canceled.batch_key {
            workers.insert(batch, canceled.user_key.clone());
        }
        session::cancel(act, bench, canceled).await?;
    }
    Ok(workers)
}

/// Adds one session of the user who worked on the batch last.
async fn set_time(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: &Batch,
    worker: Option<UserKey>,
    duration: i64,
) -> Result<()> {
    let user = worker.or_else(|| bench.job().assigned_to.clone()).unwrap_or_else(|| act.author.user_key.clone());
    session::force(act, bench, batch, &user, duration).await
}
