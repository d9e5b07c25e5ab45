//! Tasks: what somebody has to do, by when, and what it has to do with.

mod links;
mod read;
mod wire;

pub(crate) use wire::{TaskRecord, task_record};

use domain::collection::Collection;
use domain::key::TaskKey;
use schemars::JsonSchema;
use serde::Deserialize;

use super::TAG;
use crate::error::ApiError;
use crate::operation::{Operation, get};
use crate::scope;

#[derive(Deserialize, JsonSchema)]
struct TaskPath {
    /// The key of a task.
    task_key: TaskKey,
}

fn not_found() -> ApiError {
    ApiError::missing(Collection::Task)
}

pub(super) fn operations() -> Vec<Operation> {
    let read = scope!("collaboration:task:read");
    vec![
        get("search_tasks", "/task", TAG, "Search tasks", read::search)
            .scope(read)
            .describe(
                "Lists tasks by when they are due, were created, are to be started and were closed; those without the date come last. \
                 All filters combine. If some of the flags `status_pending`, `status_open`, `status_completed` and `status_canceled` \
                 are true, only tasks in these statuses are returned; otherwise all but those whose flag is false. Deleted tasks are \
                 never returned. Tasks are created and changed by events.",
            ),
        get("get_task", "/task/{task_key}", TAG, "Read a task", read::one)
            .scope(read)
            .describe(
                "Returns a task with everything that it is linked to, as a whole, the time that was spent on it, and what tasks of its \
                 type can be linked to. A link between two tasks is shown by both.",
            )
            .error(404, "There is no such task, or it was deleted."),
    ]
}
