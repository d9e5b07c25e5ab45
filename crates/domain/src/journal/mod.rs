//! The journal: what an event is. A stored event never changes, and anyone can prove it.

pub mod canonical;
pub mod listed;
pub mod seal;
mod shortened;
pub mod verify;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::Timestamp;
use crate::key::{
    BatchKey, EventKey, IssueKey, JobKey, MovementKey, PhaseKey, ProductKey, SerialKey, TaskKey, UserKey,
    UserSessionKey, WorkOrderKey,
};

pub use canonical::Digest;

/// The records that an event concerns, by which it can be found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Concerns {
    pub job_key: Option<JobKey>,
    pub phase_key: Option<PhaseKey>,
    pub batch_key: Option<BatchKey>,
    pub work_order_key: Option<WorkOrderKey>,
    pub product_key: Option<ProductKey>,
    pub serial_key: Option<SerialKey>,
    pub issue_key: Option<IssueKey>,
    pub task_key: Option<TaskKey>,
    pub movement_key: Option<MovementKey>,
}

/// An event as it is stored and read.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "StoredEvent")]
pub struct Event {
    #[serde(rename = "_key")]
    pub key: EventKey,
    /// Rises in the order of commits.
    pub seq: i64,
    pub event_type: String,
    /// Whose event it is.
    pub user_key: UserKey,
    /// Who sent it on behalf of that user; null if it was the user.
    pub sent_by: Option<UserKey>,
    pub user_session_key: Option<UserSessionKey>,
    /// When it happened.
    pub timestamp: Timestamp,
    /// When the service stored it.
    pub recorded: Timestamp,
    pub description: Option<String>,
    /// `task`, if it happened while working on one.
    pub context_type: Option<String>,
    pub context_key: Option<TaskKey>,
    /// It was sent; no other event led to it.
    pub primary: bool,
    /// Shared by an event and everything it led to.
    pub event_group: EventKey,
    /// The event that led to it.
    pub source_key: Option<EventKey>,
    #[serde(flatten)]
    pub concerns: Concerns,
    /// The members of its type.
    pub payload: Value,
}
