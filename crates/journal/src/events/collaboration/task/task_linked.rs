use domain::collaboration::{TaskLink, TaskLinkType};
use domain::key::{TaskKey, TaskLinkKey};
use schemars::JsonSchema;
use serde::Deserialize;
use store::collaboration::task_links;

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::linking::{concerns_both, hold_ends, must_allow, outcome, target};
use crate::effects::collaboration::tasks::{must_not_be_closed, tell};
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// A task has to do with a record from now on, as far as its type allows that. A link between two tasks is the same from both ends, and
/// the types of both have to allow it. `link_key` in the answer is the key of the link.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TaskLinked {
    /// The task.
    task_key: TaskKey,
    /// What kind of record it is linked to.
    link_type: TaskLinkType,
    /// The key of the record.
    #[schemars(length(min = 1, max = 64))]
    link_key: String,
}

impl Postable for TaskLinked {
    const TYPE: ClientEvent = ClientEvent::TaskLinked;
    const LOCKS: Locks = &[("task_key", Lockable::Task)];
    const NAMES_RECORDS: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let target = target(self.link_type, &self.link_key)?;
        let ends = hold_ends(act, self.task_key, &target).await?;
        let task = &ends.task;
        act.concern(concerns_both(task.key, &target)).await?;
        must_not_be_closed(task)?;
        must_allow(act, &ends, &target).await?;
        let link = TaskLink {
            key: TaskLinkKey(act.new_id()?),
            rev: 1,
            task_key: task.key,
            target,
            created: act.at,
            created_by: act.author.user_key.clone(),
        };
        task_links::insert(act.tx, &link).await?;
        tell(act, task)?;
        Ok(outcome(link.key))
    }
}
