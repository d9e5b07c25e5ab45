use domain::collaboration::TaskStep;
use domain::key::TaskKey;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::tasks::{begin, step};
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// A task that is not done any more is closed.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TaskCanceled {
    /// The task.
    task_key: TaskKey,
    /// Why.
    #[schemars(length(max = 500))]
    #[serde(rename = "reason")]
    _reason: Option<String>,
}

impl Postable for TaskCanceled {
    const TYPE: ClientEvent = ClientEvent::TaskCanceled;
    const LOCKS: Locks = &[("task_key", Lockable::Task)];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let (at, by) = (act.at, act.author.user_key.clone());
        let mut task = begin(act, self.task_key).await?;
        step(act, &mut task, TaskStep::Cancel, at, &by).await
    }
}
