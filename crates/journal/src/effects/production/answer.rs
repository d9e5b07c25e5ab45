//! The answers of production events.

use domain::key::JobKey;
use domain::production::Work;

use crate::Result;
use crate::event::{Outcome, OutcomeMember};

/// The answer of most events: the job and its active batch.
pub(crate) fn job_and_batch(work: Work, key: JobKey) -> Result<Outcome> {
    let active = work.job(key).and_then(|job| job.active_batch_key);
    Ok(Outcome(vec![("job_data", OutcomeMember::job(work, key)), ("batch_data", OutcomeMember::Batch(active))]))
}
