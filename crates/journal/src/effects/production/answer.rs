use domain::key::JobKey;
use domain::production::Work;

use crate::Result;
use crate::event::{Outcome, Shown};

/// What most events answer: the job, and its active batch.
pub(crate) fn job_and_batch(work: &Work, key: JobKey) -> Result<Outcome> {
    let batch = work.job(key).and_then(|job| job.active_batch_key);
    Ok(Outcome(vec![("job_data", Shown::Job(key)), ("batch_data", Shown::Batch(batch))]))
}
