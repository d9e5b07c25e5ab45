use domain::collaboration::{
    Assignee, DESCRIPTION_CHARS, FORM_VALUES, TITLE_CHARS, Task, changed_values, dates_fit, definitions, newly_assigned,
};
use domain::form::SentValue;
use domain::key::TaskKey;
use domain::rule::collaboration::TaskNotUpdated;
use domain::{Change, Given, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::act::Act;
use crate::effects::collaboration::assigning::assignment;
use crate::effects::collaboration::forms::{KnownForm, Owner};
use crate::effects::collaboration::tasks::{BAD_DATES, begin, must_not_be_closed, not_updated, save};
use crate::event::made::collaboration::TaskChanged;
use crate::event::{ClientEvent, Lockable, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;

/// A task that is open or pending changes: members left out stay, null clears what can be empty.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TaskUpdated {
    /// The task.
    task_key: TaskKey,
    /// Its title.
    #[serde(default)]
    #[schemars(length(max = TITLE_CHARS))]
    title: Change<String>,
    /// What has to be done.
    #[serde(default)]
    #[schemars(length(max = DESCRIPTION_CHARS))]
    description: Change<String>,
    /// All whom it is assigned to from now on; exactly one of them is its owner.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    assigned_to: Change<Vec<Assignee>>,
    /// When it may be started.
    #[serde(default)]
    start_from: Change<Timestamp>,
    /// When it is due; a bare date is that whole day.
    #[serde(default)]
    due_by: Change<Timestamp>,
    /// Values of its fields; others stay.
    #[serde(default)]
    #[schemars(length(max = FORM_VALUES))]
    form_fields: Given<Vec<SentValue>>,
}

impl TaskUpdated {
    fn is_empty(&self) -> bool {
        !self.title.is_given()
            && !self.description.is_given()
            && !self.assigned_to.is_given()
            && !self.start_from.is_given()
            && !self.due_by.is_given()
            && self.form_fields.0.is_none()
    }
}

impl Postable for TaskUpdated {
    const TYPE: ClientEvent = ClientEvent::TaskUpdated;
    const LOCKS: Locks = &[("task_key", Lockable::Task)];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let before = begin(act, self.task_key).await?;
        must_not_be_closed(&before)?;
        if self.is_empty() {
            return Err(not_updated(TaskNotUpdated::NothingToChange, "The event changes nothing."));
        }
        let mut task = before.clone();
        self.title.apply(&mut task.title);
        self.description.apply(&mut task.description);
        self.start_from.apply(&mut task.start_from);
        self.due_by.apply(&mut task.due_by);
        if !dates_fit(task.start_from, task.due_by) {
            return Err(not_updated(TaskNotUpdated::BadDates, BAD_DATES));
        }
        assign(act, &mut task, self.assigned_to).await?;
        fill(act, &mut task, &self.form_fields.0.unwrap_or_default()).await?;
        save(act, &mut task).await?;
        let newly_assigned = newly_assigned(&before.assigned_to, &task.assigned_to);
        act.note(&TaskChanged { task_code: task.code, task_title: task.title, newly_assigned })?;
        Ok(Outcome(vec![("task", OutcomeMember::Task(task.key))]))
    }
}

async fn assign(act: &mut Act<'_>, task: &mut Task, sent: Change<Vec<Assignee>>) -> Result<()> {
    let sent = match sent {
        Change::Keep => return Ok(()),
        Change::Clear => Vec::new(),
        Change::Set(sent) => sent,
    };
    let assigned = assignment(act, sent).await?;
    task.assigned_to = assigned.map_err(|why| not_updated(TaskNotUpdated::BadAssignment, why))?;
    Ok(())
}

/// Enters values into the fields that the task has.
async fn fill(act: &mut Act<'_>, task: &mut Task, sent: &[SentValue]) -> Result<()> {
    if sent.is_empty() {
        return Ok(());
    }
    let form = KnownForm::load(act.tx, definitions(&task.form_fields), &[]).await?;
    let choices = form.choices(act.tx, sent).await?;
    let values = form.check(act, Owner::Task(task.key), sent, &choices).await?;
    task.form_fields = changed_values(std::mem::take(&mut task.form_fields), values, act.at);
    Ok(())
}
