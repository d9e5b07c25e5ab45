//! The wire formats of assignments.

use domain::Timestamp;
use domain::collection::Collection;
use domain::counting::{AssignmentStatus, CountType};
use domain::key::{CountAssignmentKey, CountSessionKey, UserKey, record_id, revision};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use store::counting::assignments::AssignmentView;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CountAssignment")]
pub(super) struct AssignmentRecord {
    _id: String,
    _key: CountAssignmentKey,
    _rev: String,
    inventory_count_session_key: CountSessionKey,
    target_type: CountType,
    /// The key of the position or product.
    target_key: String,
    target_data: TargetData,
    /// Null: anyone.
    assigned_to: Option<UserKey>,
    /// Whether everything that is in the position is to be counted as well, at any depth.
    include_children: bool,
    status: AssignmentStatus,
    created: Timestamp,
    created_by: UserKey,
    started: Option<Timestamp>,
    completed: Option<Timestamp>,
    notes: Option<String>,
    /// Anything, stored as it is.
    extra: Map<String, Value>,
}

/// What the target is called.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CountTargetData")]
struct TargetData {
    code: String,
    /// Of a product; null of a position.
    description: Option<String>,
}

/// A target of a session.
#[derive(Serialize, JsonSchema)]
pub(in crate::areas::counting) struct AssignedTarget {
    /// The key of the assignment.
    _key: CountAssignmentKey,
    /// The key of the position or product.
    target_key: String,
    status: AssignmentStatus,
    target_data: TargetData,
    /// Whether everything that is in the position is to be counted as well, at any depth.
    include_children: bool,
}

pub(super) fn record(view: AssignmentView) -> AssignmentRecord {
    AssignmentRecord {
        _id: record_id(Collection::CountAssignment, view.key),
        _key: view.key,
        _rev: revision(view.rev),
        inventory_count_session_key: view.session_key,
        target_type: view.target_type,
        target_key: view.target_key,
        target_data: TargetData { code: view.target_code, description: view.target_description },
        assigned_to: view.assigned_to,
        include_children: view.include_children,
        status: view.status,
        created: view.created,
        created_by: view.created_by,
        started: view.started,
        completed: view.completed,
        notes: view.notes,
        extra: view.extra,
    }
}

pub(in crate::areas::counting) fn assigned_target(view: AssignmentView) -> AssignedTarget {
    AssignedTarget {
        _key: view.key,
        target_key: view.target_key,
        status: view.status,
        target_data: TargetData { code: view.target_code, description: view.target_description },
        include_children: view.include_children,
    }
}
