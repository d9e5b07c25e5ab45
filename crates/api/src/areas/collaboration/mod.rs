//! What people have to look after and to do: issues, messages, tasks, and the types of issues and tasks.

mod issue;
mod issue_type;
mod message;
mod task;
mod task_type;

/// For the answers of events: one task.
pub(crate) use task::{TaskRecord, task_record};

use crate::input::Change;
use crate::operation::{Operation, Tag};

const TAG: Tag = Tag::Collaboration;

pub fn operations() -> Vec<Operation> {
    [issue_type::operations(), issue::operations(), message::operations(), task_type::operations(), task::operations()]
        .into_iter()
        .flatten()
        .collect()
}

const REVISION: &str = "`If-Match` names another revision.";

/// Maximum number of fields in a form.
const FORM_FIELDS: u64 = 500;

/// A list that was sent, or an empty one for null; none if it was left out.
fn list_sent<T>(sent: Change<Vec<T>>) -> Option<Vec<T>> {
    match sent {
        Change::Keep => None,
        Change::Clear => Some(Vec::new()),
        Change::Set(list) => Some(list),
    }
}

fn yes() -> bool {
    true
}
