use domain::key::{BatchKey, JobKey, TaskKey, WorkOrderKey};
use serde_json::Value;

/// What an event's answer shows, by member name.
#[derive(Debug, Clone, Default)]
pub struct Outcome(pub Vec<(&'static str, OutcomeMember)>);

/// A member of an event's answer: a record as it is after the event, or a value.
#[derive(Debug, Clone)]
pub enum OutcomeMember {
    /// Null without a key.
    Batch(Option<BatchKey>),
    Job(JobKey),
    Task(TaskKey),
    WorkOrder(WorkOrderKey),
    Json(Value),
}
