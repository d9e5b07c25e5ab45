use domain::key::EntityKey;
use serde_json::Value;

domain::named! {
    /// Collections whose records answers show.
    pub enum Collection {
        Batch = "Batch",
        Job = "Job",
        WorkOrder = "WorkOrder",
    }
}

/// What an event's answer shows, by the names of its members.
#[derive(Debug, Clone, Default)]
pub struct Outcome(pub Vec<(&'static str, Shown)>);

/// A member of an event's answer.
#[derive(Debug, Clone)]
pub enum Shown {
    /// A record as it is after the event; null without a key.
    Record(Collection, Option<EntityKey>),
    Json(Value),
}
