use domain::key::JobKey;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::act::Act;
use crate::effects::production::answer::job_and_batch;
use crate::effects::production::bench::Bench;
use crate::effects::production::rights::SUPERVISE;
use crate::effects::production::undoing::cancel_active;
use crate::effects::production::{session, taking_back};
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// The active batch of a paused job is removed as if it had never existed.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct BatchCanceled {
    /// The job.
    job_key: JobKey,
}

impl Postable for BatchCanceled {
    const TYPE: ClientEvent = ClientEvent::BatchCanceled;
    const SCOPE: Option<Scope> = Some(SUPERVISE);
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const MAY_MOVE_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] =
        &["WORK_SESSION_CANCELED", "WIP_UNBOOKED", "SERIAL_UNLINKED", "SERIAL_DELETED", "MOVEMENT_REVERSED"];
    const MAY_CHANGE_LINKS: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        bench.job().must_be_idle()?;
        taking_back::hold_made(act, &bench, &[bench.job().must_have_batch()?]).await?;
        let units = cancel_active(act, &bench).await?;
        act.note(&units)?;
        let index = bench.index;
        bench.floor.work.cancel_batch(index)?;
        session::recall_last(act, &mut bench).await?;
        job_and_batch(bench.finish(act).await?, self.job_key)
    }
}
