use std::collections::BTreeSet;

use domain::key::{BatchKey, JobKey};
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use store::production::batches;
use store::production::sessions;

use crate::Result;
use crate::act::Act;
use crate::effects::production::answer::job_and_batch;
use crate::effects::production::bench::Bench;
use crate::effects::production::rights::SUPERVISE;
use crate::effects::production::undoing::{cancel_active, take_back, units_must_be_left};
use crate::effects::production::{session, taking_back, worth};
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// Everything done on a job is removed as if it had never happened, as long as the next phase has taken nothing of it.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct JobReset {
    /// The job.
    job_key: JobKey,
}

impl Postable for JobReset {
    const TYPE: ClientEvent = ClientEvent::JobReset;
    const SCOPE: Option<Scope> = Some(SUPERVISE);
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const MAY_MOVE_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] = &[
        "WORK_SESSION_CANCELED",
        "WIP_UNBOOKED",
        "WIP_REMOVED",
        "SERIAL_UNLINKED",
        "SERIAL_DELETED",
        "SERIAL_UPDATED",
        "JOB_CLOSED",
        "WORK_ORDER_CLOSED",
        "WORK_ORDER_REOPENED",
        "MOVEMENT_COMPLETED",
        "MOVEMENT_REVERSED",
    ];
    const MAY_CHANGE_LINKS: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        let index = bench.index;
        bench.job().must_have_begun()?;
        bench.job().must_be_idle()?;
        let completed = batches::completed(act.tx, self.job_key).await?;
        let worked_on: Vec<BatchKey> = completed.iter().map(|batch| batch.key).chain(bench.batch_key()).collect();
        taking_back::hold_made(act, &bench, &worked_on).await?;
        // First, since it names the units.
        units_must_be_left(act, &bench, &completed).await?;
        bench.floor.work.must_be_resettable(index)?;
        if bench.batch_key().is_some() {
            cancel_active(act, &bench).await?;
        }
        let mut changed = BTreeSet::new();
        for batch in completed {
            take_back(act, &bench, batch, &mut changed).await?;
        }
        worth::recalculate(act, changed).await?;
        cancel_other_sessions(act, &bench).await?;
        bench.floor.work.reset(index)?;
        job_and_batch(bench.finish(act).await?, self.job_key)
    }
}

/// Cancels time that batches which were taken back earlier have left behind.
async fn cancel_other_sessions(act: &mut Act<'_>, bench: &Bench) -> Result<()> {
    for left in sessions::of_job(act.tx, bench.job().key).await? {
        session::cancel(act, bench, left).await?;
    }
    Ok(())
}
