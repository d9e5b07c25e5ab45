//! The wire format of tasks.

use domain::Timestamp;
use domain::collaboration::{Assignee, TaskField, TaskRole, TaskStatus};
use domain::collection::Collection;
use domain::key::{TaskKey, TaskTypeKey, UserKey, record_id, revision};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use store::Tx;
use store::collaboration::task_views::{self, TaskView};

use crate::Result;

/// Something that somebody has to do.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Task")]
pub(crate) struct TaskRecord {
    _id: String,
    _key: TaskKey,
    _rev: String,
    task_type_key: TaskTypeKey,
    /// Of its type.
    task_type_name: Option<String>,
    /// In upper case; unique among all tasks.
    code: String,
    status: TaskStatus,
    /// Who answers for it; null if it is assigned to nobody.
    owner_key: Option<UserKey>,
    /// The owner first.
    assigned_to: Vec<Assignee>,
    start_from: Option<Timestamp>,
    due_by: Option<Timestamp>,
    created: Timestamp,
    created_by: UserKey,
    /// When it was completed or canceled.
    closed: Option<Timestamp>,
    closed_by: Option<UserKey>,
    /// Always null: deleted tasks are not shown.
    deleted: Option<Timestamp>,
    deleted_by: Option<UserKey>,
    title: Option<String>,
    description: Option<String>,
    /// The form, as its type had it when the task was created, with the values.
    #[schemars(with = "Vec<TaskField>")]
    form_fields: Box<RawValue>,
    /// Of its type.
    icon: Option<String>,
}

pub(super) fn record(task: TaskView) -> TaskRecord {
    let owner = task.assigned_to.iter().find(|assignee| assignee.role == TaskRole::Owner);
    TaskRecord {
        _id: record_id(Collection::Task, task.key),
        _key: task.key,
        _rev: revision(task.rev),
        task_type_name: task.task_type_name,
        icon: task.icon,
        owner_key: owner.map(|owner| owner.user_key.clone()),
        task_type_key: task.task_type_key,
        code: task.code,
        status: task.status,
        assigned_to: task.assigned_to,
        start_from: task.start_from,
        due_by: task.due_by,
        created: task.created,
        created_by: task.created_by,
        closed: task.closed,
        closed_by: task.closed_by,
        deleted: None,
        deleted_by: None,
        title: task.title,
        description: task.description,
        form_fields: task.form_fields,
    }
}

/// A task as it is in this transaction.
pub(crate) async fn task_record(tx: &mut Tx, key: TaskKey) -> Result<Option<TaskRecord>> {
    Ok(task_views::find(tx, key).await?.map(record))
}
