use domain::key::{BatchKey, JobKey, TaskKey, WorkOrderKey};
use domain::production::{Job, Order, Work};
use serde_json::Value;

/// What an event's answer shows, by member name.
#[derive(Debug, Clone, Default)]
pub struct Outcome(pub Vec<(&'static str, OutcomeMember)>);

/// A member of an event's answer: a record as it is after the event, or a value.
#[derive(Debug, Clone)]
pub enum OutcomeMember {
    /// Null without a key.
    Batch(Option<BatchKey>),
    /// Null if it is gone.
    Job(Option<Box<KnownJob>>),
    Task(TaskKey),
    WorkOrder(WorkOrderKey),
    Json(Value),
}

/// A job and its order as an event leaves them: the answer need not read them again.
#[derive(Debug, Clone)]
pub struct KnownJob {
    pub order: Order,
    pub job: Job,
}

impl OutcomeMember {
    /// A job of an order whose work is done.
    pub(crate) fn job(work: Work, key: JobKey) -> Self {
        let job = work.jobs.into_iter().find(|job| job.key == key);
        Self::Job(job.map(|job| Box::new(KnownJob { order: work.order, job })))
    }
}
