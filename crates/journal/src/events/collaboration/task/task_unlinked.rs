use domain::collaboration::TaskLinkType;
use domain::key::TaskKey;
use domain::rule::collaboration::TaskNotLinked;
use schemars::JsonSchema;
use serde::Deserialize;
use store::collaboration::task_links;

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::linking::{concerns_both, lock_ends, not_linked, outcome, target};
use crate::effects::collaboration::tasks::{must_not_be_closed, tell};
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// A task has nothing to do with a record any more. `link_key` in the answer is the key that the link had.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TaskUnlinked {
    /// The task.
    task_key: TaskKey,
    /// What kind of record it is linked to.
    link_type: TaskLinkType,
    /// The key of the record.
    #[schemars(length(min = 1, max = 64))]
    link_key: String,
}

impl Postable for TaskUnlinked {
    const TYPE: ClientEvent = ClientEvent::TaskUnlinked;
    const LOCKS: Locks = &[("task_key", Lockable::Task)];
    const NAMES_RECORDS: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let target = target(self.link_type, &self.link_key)?;
        let task = lock_ends(act, self.task_key, &target).await?.task;
        act.concern(concerns_both(task.key, &target)).await?;
        must_not_be_closed(&task)?;
        let link = task_links::find(act.tx, task.key, &target).await?;
        let link = link.ok_or_else(|| not_linked(TaskNotLinked::NoSuchLink))?;
        task_links::remove(act.tx, &link).await?;
        tell(act, &task)?;
        Ok(outcome(link.key))
    }
}
