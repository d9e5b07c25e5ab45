use domain::Timestamp;
use domain::collaboration::{TaskLinkType, TaskStep, lacking, values};
use domain::key::{TaskKey, UserKey};
use domain::rule::collaboration::{TaskNotCompletedError, TaskStatusError};
use schemars::JsonSchema;
use serde::Deserialize;
use store::collaboration::{task_links, task_time};

use crate::act::Act;
use crate::effects::collaboration::forms::kinds_of;
use crate::effects::collaboration::rights::{done_at, done_by};
use crate::effects::collaboration::tasks::{begin, step, type_of, wrong_status};
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;
use crate::{Error, Result};

/// A task is done. It needs everything that its type asks for: mandatory fields, required links, and perhaps recorded time.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TaskCompleted {
    /// The task.
    task_key: TaskKey,
    /// When it was done; at the time of the event when left out, and never later.
    closed: Option<Timestamp>,
    /// Who did it: the user whose event it is when left out. For another user you need the scope `traceability:event:behalf`.
    closed_by: Option<UserKey>,
}

impl Postable for TaskCompleted {
    const TYPE: ClientEvent = ClientEvent::TaskCompleted;
    const LOCKS: Locks = &[("task_key", Lockable::Task)];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let closed_by = done_by(act, "closed_by", self.closed_by).await?;
        let closed = done_at(act, "closed", self.closed)?;
        let mut task = begin(act, self.task_key).await?;
        if task.status.after(TaskStep::Complete).is_none() {
            return Err(wrong_status(TaskStatusError { status: task.status }));
        }
        let task_type = type_of(act, &task).await?;
        let kinds = kinds_of(act.tx, &values(&task.form_fields)).await?;
        let linked: Vec<TaskLinkType> = task_links::counts(act.tx, task.key).await?.into_keys().collect();
        let timed = task_time::is_recorded(act.tx, task.key).await?;
        let lacking = lacking(&task, &kinds, &task_type, &linked, timed);
        if !lacking.is_nothing() {
            let rule = TaskNotCompletedError::from(lacking);
            return Err(Error::rule(&rule, "The task lacks something that its type asks for."));
        }
        step(act, &mut task, TaskStep::Complete, closed, &closed_by).await
    }
}
