//! Events of production, by what they are about.

pub mod batch;
pub mod correction;
pub mod job;
pub mod order;
pub mod plan;
mod session;
pub mod step;
mod wip;
mod worth;

use domain::key::JobKey;
use domain::production::Work;
use domain::rule::Refused;
use serde_json::Value;

use crate::Result;
use crate::catalogue::{Outcome, Shown};

/// What most events answer: the job, and its active batch.
fn shown(work: Work, key: JobKey) -> Result<Outcome> {
    let batch = work.job(key).and_then(|job| job.active_batch_key);
    Ok(Outcome(vec![("job_data", Shown::Job(key)), ("batch_data", Shown::Batch(batch))]))
}

/// Units are named only where the product is traced by them.
fn refuse_serials(sent: Option<&Vec<Value>>) -> Result<()> {
    match sent.filter(|named| !named.is_empty()) {
        None => Ok(()),
        Some(_) => Err(Refused::value("The product is not traced by units: none can be named.").into()),
    }
}
