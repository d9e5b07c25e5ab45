use domain::Timestamp;
use domain::collaboration::{
    Assignee, DESCRIPTION_CHARS, TITLE_CHARS, Task, TaskStatus, TaskType, dates_fit, new_fields, newly_assigned,
};
use domain::key::{TaskKey, TaskTypeKey, UserKey};
use domain::rule::collaboration::TaskNotCreated;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::collaboration::{task_types, tasks};

use crate::act::Act;
use crate::effects::collaboration::assigning::assignment;
use crate::effects::collaboration::codes::{code, if_somebody_was_faster};
use crate::effects::collaboration::forms::KnownForm;
use crate::effects::collaboration::rights::{done_at, done_by};
use crate::effects::collaboration::tasks::{BAD_DATES, concerns, not_created};
use crate::event::made::collaboration::TaskMade;
use crate::event::{ClientEvent, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;
use crate::{Error, Result};

/// Somebody gets something to do. The task is open, and has the fields of its type.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TaskCreated {
    /// Its type, which has to be active.
    task_type_key: TaskTypeKey,
    /// Its code, kept in upper case; unique among all tasks. From the counter of the configuration entry `system_counters` when left out.
    #[schemars(length(min = 1, max = 128), extend("format" = "trimmed"))]
    code: Option<String>,
    /// Its title.
    #[schemars(length(max = TITLE_CHARS))]
    title: Option<String>,
    /// What has to be done.
    #[schemars(length(max = DESCRIPTION_CHARS))]
    description: Option<String>,
    /// Whom it is assigned to: to nobody, or to known users, exactly one of them as its owner.
    #[schemars(length(max = 1000))]
    assigned_to: Option<Vec<Assignee>>,
    /// When it may be started.
    start_from: Option<Timestamp>,
    /// When it is due; a bare date is that whole day.
    due_by: Option<Timestamp>,
    /// When it was created; at the time of the event when left out, and never later.
    created: Option<Timestamp>,
    /// Who created it: the user whose event it is when left out. For another user you need the scope `traceability:event:behalf`.
    created_by: Option<UserKey>,
    /// Anything, stored as it is.
    #[schemars(extend("x-checked-as" = "extra"))]
    extra: Option<Map<String, Value>>,
}

impl Postable for TaskCreated {
    const TYPE: ClientEvent = ClientEvent::TaskCreated;
    const LOCKS: Locks = &[];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let created_by = done_by(act, "created_by", self.created_by).await?;
        let created = done_at(act, "created", self.created)?;
        let task_type = active_type(act, &self.task_type_key).await?;
        let assigned_to = assignment(act, self.assigned_to.unwrap_or_default()).await?;
        let assigned_to = assigned_to.map_err(|why| not_created(TaskNotCreated::BadAssignment, why))?;
        if !dates_fit(self.start_from, self.due_by) {
            return Err(not_created(TaskNotCreated::BadDates, BAD_DATES));
        }
        let key = TaskKey(act.new_id()?);
        act.concern(concerns(key)).await?;
        let form = KnownForm::load(act.tx, task_type.form_fields, &[]).await?;
        let choices = form.choices(act.tx, &[]).await?;
        let code = code(act, self.code.as_deref()).await?;
        let task = Task {
            key,
            rev: 1,
            task_type_key: self.task_type_key,
            code,
            status: TaskStatus::Open,
            assigned_to,
            start_from: self.start_from,
            due_by: self.due_by,
            created,
            created_by,
            closed: None,
            closed_by: None,
            deleted: None,
            deleted_by: None,
            title: self.title,
            description: self.description,
            form_fields: new_fields(&form.form(), &form.texts, &choices),
            extra: self.extra.unwrap_or_default(),
        };
        tasks::insert(act.tx, &task, &form.kinds).await.map_err(if_somebody_was_faster)?;
        let newly_assigned = newly_assigned(&[], &task.assigned_to);
        act.note(&TaskMade { task_key: key, task_code: task.code.clone(), newly_assigned })?;
        Ok(Outcome(vec![
            ("task_key", OutcomeMember::Json(json!(key))),
            ("code", OutcomeMember::Json(json!(task.code))),
        ]))
    }
}

async fn active_type(act: &mut Act<'_>, key: &TaskTypeKey) -> Result<TaskType> {
    let found = task_types::find(act.tx, key).await?.ok_or_else(|| Error::missing("task_type_key", key))?;
    if found.active {
        Ok(found)
    } else {
        Err(not_created(TaskNotCreated::TypeInactive, "New tasks can't have the type."))
    }
}
