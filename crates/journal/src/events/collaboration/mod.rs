//! Events about issues, messages and tasks.

mod issue;
mod message;
mod task;

pub use issue::{IssueClosed, IssueCreated, IssueDeleted, IssueReopened, IssueUpdated};
pub use message::{MessageDeleted, MessagePosted, MessageUpdated};
pub use task::{
    TaskCanceled, TaskCompleted, TaskCreated, TaskDeleted, TaskLinked, TaskReopened, TaskSuspended, TaskTimeRecorded,
    TaskUnlinked, TaskUpdated,
};
