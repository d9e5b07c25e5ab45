//! What supervisors take back or set by hand.

mod batch_canceled;
mod extra_update;
mod job_reset;
mod progress_override;
mod time_override;

pub use batch_canceled::BatchCanceled;
pub use extra_update::ExtraUpdate;
pub use job_reset::JobReset;
pub use progress_override::ProgressOverride;
pub use time_override::TimeOverride;

use domain::key::BatchKey;
use store::production::batches::{self, Batch};
use store::production::executions;

use super::{session, wip};
use crate::act::Act;
use crate::floor::Bench;
use crate::{Error, Result};

/// What was entered for a batch, and how long was worked at it, counts no more.
async fn cancel_work(act: &mut Act<'_>, bench: &Bench, batch: BatchKey) -> Result<()> {
    let by = act.key();
    executions::cancel_of_batch(act.tx, batch, by).await?;
    session::cancel_of_batch(act, bench, batch).await
}

async fn cancel(act: &mut Act<'_>, batch: &mut Batch) -> Result<()> {
    batch.active = false;
    batch.canceled = Some(act.key());
    Ok(batches::save(act.tx, batch).await?)
}

/// The batch that a job has in work goes as if it had never been. The job itself is left for the caller to change.
async fn cancel_active(act: &mut Act<'_>, bench: &Bench) -> Result<()> {
    let key = bench.job().must_have_batch()?;
    // Traced products: the links of components end.
    cancel_work(act, bench, key).await?;
    wip::unbook(act, bench, bench.job().active_batch_qt).await?;
    // Traced products: the units of the first phase are discarded, those of a later one wait in front of it again.
    let batch = batches::find(act.tx, key).await?;
    cancel(act, &mut batch.ok_or_else(|| Error::broken("the active batch of a job is not there"))?).await
}
