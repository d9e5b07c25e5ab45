use domain::key::TaskKey;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::collaboration::task_links;

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::tasks::{begin, save, tell};
use crate::event::{ClientEvent, Lockable, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;

/// A task that should not be there is deleted, whatever its status is; its links go, and its code stays taken.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TaskDeleted {
    /// The task.
    task_key: TaskKey,
}

impl Postable for TaskDeleted {
    const TYPE: ClientEvent = ClientEvent::TaskDeleted;
    const LOCKS: Locks = &[("task_key", Lockable::Task)];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut task = begin(act, self.task_key).await?;
        (task.deleted, task.deleted_by) = (Some(act.at), Some(act.author.user_key.clone()));
        task_links::clear(act.tx, task.key).await?;
        save(act, &mut task).await?;
        tell(act, &task)?;
        Ok(Outcome(vec![
            ("task_key", OutcomeMember::Json(json!(task.key))),
            ("mode", OutcomeMember::Json(json!("soft"))),
        ]))
    }
}
