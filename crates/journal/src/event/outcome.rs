use domain::key::{BatchKey, JobKey, WorkOrderKey};
use serde_json::Value;

/// What an event's answer shows, by the names of its members.
#[derive(Debug, Clone, Default)]
pub struct Outcome(pub Vec<(&'static str, Shown)>);

/// A record as it is after the event.
#[derive(Debug, Clone)]
pub enum Shown {
    Job(JobKey),
    Batch(Option<BatchKey>),
    Order(WorkOrderKey),
    Json(Value),
}
