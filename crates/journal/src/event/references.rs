use domain::journal::Concerns;
use domain::key::{BatchKey, JobKey, PhaseKey, ProductKey, WorkOrderKey, WorkSessionKey};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Tx;
use store::production::sessions as work_sessions;

use super::locks::{Lockable, Locks};
use crate::{Error, Result};

/// Keys that every event may have; they have to agree with what the event concerns.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct References {
    /// The order that the event concerns.
    pub work_order_key: Option<WorkOrderKey>,
    /// The product that the event concerns.
    pub product_key: Option<ProductKey>,
    /// The job that the event concerns.
    pub job_key: Option<JobKey>,
    /// The phase that the event concerns.
    pub phase_key: Option<PhaseKey>,
    /// The batch that the event concerns.
    pub batch_key: Option<BatchKey>,
    /// A work session of the job; the running one if the event ends or continues it.
    pub work_session_key: Option<WorkSessionKey>,
}

impl References {
    pub(crate) const LOCKS: Locks =
        &[("work_order_key", Lockable::WorkOrder), ("job_key", Lockable::Job), ("batch_key", Lockable::Batch)];

    pub(crate) fn must_agree(&self, with: &Concerns) -> Result<()> {
        agree("work_order_key", self.work_order_key, with.work_order_key)?;
        agree("product_key", self.product_key.clone(), with.product_key.clone())?;
        agree("job_key", self.job_key, with.job_key)?;
        agree("phase_key", self.phase_key, with.phase_key)?;
        agree("batch_key", self.batch_key, with.batch_key)
    }

    /// Checks that a named work session belongs to the job that the event concerns.
    pub(crate) async fn must_have_session(&self, tx: &mut Tx, job: Option<JobKey>) -> Result<()> {
        let Some(key) = self.work_session_key else { return Ok(()) };
        let session = work_sessions::find(tx, key).await?.ok_or_else(|| Error::missing("work_session_key", key))?;
        if job.is_none() || session.job_key != job {
            return Err(Error::mismatch("work_session_key", key, None));
        }
        Ok(())
    }

    pub(crate) fn session_must_agree(&self, with: WorkSessionKey) -> Result<()> {
        agree("work_session_key", self.work_session_key, Some(with))
    }
}

/// Checks that a key names what is known; one that was not sent does.
pub(crate) fn agree<T: PartialEq + std::fmt::Display>(field: &str, sent: Option<T>, known: Option<T>) -> Result<()> {
    match sent {
        Some(sent) if known.as_ref() != Some(&sent) => {
            Err(Error::mismatch(field, sent, known.map(|known| known.to_string())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use domain::rule::journal::ReferenceMismatchError;

    use super::*;

    const JOB: JobKey = JobKey(1);

    fn concerns() -> Concerns {
        Concerns { job_key: Some(JOB), phase_key: Some(PhaseKey(2)), ..Concerns::default() }
    }

    /// Why references are refused: the member, what was given, and what was expected.
    fn refusal(references: &References) -> serde_json::Value {
        match references.must_agree(&concerns()) {
            Err(Error::Refused(refused)) if refused.is::<ReferenceMismatchError>() => refused.data,
            other => panic!("expected a mismatch, got {other:?}"),
        }
    }

    #[test]
    fn what_agrees_or_is_left_out_is_taken() {
        assert!(References::default().must_agree(&concerns()).is_ok());
        let references = References { job_key: Some(JOB), phase_key: Some(PhaseKey(2)), ..References::default() };
        assert!(references.must_agree(&concerns()).is_ok());
    }

    #[test]
    fn another_key_is_refused_with_the_one_that_fits() {
        let refused = refusal(&References { job_key: Some(JobKey(3)), ..References::default() });
        let (given, expected) = (JobKey(3).to_string(), JOB.to_string());
        assert_eq!(refused, serde_json::json!({ "field": "job_key", "given": given, "expected": expected }));
    }

    #[test]
    fn a_key_of_what_the_event_does_not_concern_is_refused() {
        let refused = refusal(&References { product_key: Some(ProductKey::trusted("p")), ..References::default() });
        assert_eq!(refused, serde_json::json!({ "field": "product_key", "given": "p", "expected": null }));
    }

    #[test]
    fn a_named_session_is_the_running_one() {
        let references = References { work_session_key: Some(WorkSessionKey(4)), ..References::default() };
        assert!(references.session_must_agree(WorkSessionKey(4)).is_ok());
        assert!(references.session_must_agree(WorkSessionKey(5)).is_err());
    }
}
