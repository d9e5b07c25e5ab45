use domain::Timestamp;
use domain::collaboration::time_fits;
use domain::key::{TaskKey, WorkSessionKey};
use domain::rule::collaboration::{TaskNotUpdated, TaskNotUpdatedError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::production::sessions::{self, WorkSession};

use crate::act::Act;
use crate::effects::collaboration::tasks::{begin, must_not_be_closed, tell};
use crate::effects::production::session::hourly_cost;
use crate::event::{ClientEvent, Lockable, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;
use crate::{Error, Result};

/// A user has worked on a task for some time.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TaskTimeRecorded {
    /// The task.
    task_key: TaskKey,
    /// When the work began.
    start: Timestamp,
    /// When it ended: after it began, at most a year (366 days) later, and not in the future.
    end: Timestamp,
}

impl Postable for TaskTimeRecorded {
    const TYPE: ClientEvent = ClientEvent::TaskTimeRecorded;
    const LOCKS: Locks = &[("task_key", Lockable::Task)];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let task = begin(act, self.task_key).await?;
        must_not_be_closed(&task)?;
        if !time_fits(self.start, self.end, act.now) {
            let rule = TaskNotUpdatedError { rule: TaskNotUpdated::BadDates };
            return Err(Error::rule(&rule, "Work ends after it began, at most a year later, and not in the future."));
        }
        let user_key = act.author.user_key.clone();
        let session = WorkSession {
            key: WorkSessionKey(act.new_id()?),
            rev: 1,
            user_session_key: act.session(),
            batch_key: None,
            job_key: None,
            phase_key: None,
            work_order_key: None,
            task_key: Some(task.key),
            started: self.start,
            ended: Some(self.end),
            duration: Some(self.end.millis() - self.start.millis()),
            active: false,
            hourly_cost: hourly_cost(act, &user_key).await?,
            user_key,
            canceled: None,
            forced: None,
        };
        sessions::insert(act.tx, &session).await?;
        tell(act, &task)?;
        Ok(Outcome(vec![("work_session_key", OutcomeMember::Json(json!(session.key)))]))
    }
}
