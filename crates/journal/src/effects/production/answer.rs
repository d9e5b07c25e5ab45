//! What events of production answer.

use domain::key::{BatchKey, EntityKey, JobKey, WorkOrderKey};
use domain::production::Work;

use crate::Result;
use crate::event::{Collection, Outcome, Shown};

/// What most events answer: the job, and its active batch.
pub(crate) fn job_and_batch(work: &Work, key: JobKey) -> Result<Outcome> {
    let active = work.job(key).and_then(|job| job.active_batch_key);
    Ok(Outcome(vec![("job_data", job(key)), ("batch_data", batch(active))]))
}

pub(crate) fn job(key: JobKey) -> Shown {
    Shown::Record(Collection::Job, Some(EntityKey(key.0)))
}

pub(crate) fn batch(key: Option<BatchKey>) -> Shown {
    Shown::Record(Collection::Batch, key.map(|key| EntityKey(key.0)))
}

pub(crate) fn order(key: WorkOrderKey) -> Shown {
    Shown::Record(Collection::WorkOrder, Some(EntityKey(key.0)))
}
