//! Tasks: how they are found, told and stored.

use std::borrow::Cow;

use domain::Timestamp;
use domain::collaboration::{Task, TaskStep, TaskType, values};
use domain::journal::Concerns;
use domain::key::{TaskKey, UserKey};
use domain::rule::collaboration::{
    TaskNotCreated, TaskNotCreatedError, TaskNotUpdated, TaskNotUpdatedError, TaskStatusError,
};
use serde_json::json;
use store::collaboration::{task_types, tasks};

use super::forms::kinds_of;
use crate::act::Act;
use crate::event::made::collaboration::TaskNamed;
use crate::event::{Outcome, OutcomeMember};
use crate::{Error, Result};

/// Locks a live task.
pub(crate) async fn lock(act: &mut Act<'_>, key: TaskKey) -> Result<Task> {
    tasks::lock(act.tx, key).await?.ok_or_else(|| missing(key))
}

pub(crate) fn missing(key: TaskKey) -> Error {
    Error::missing("task_key", key)
}

/// What an event about a task concerns.
pub(crate) fn concerns(key: TaskKey) -> Concerns {
    Concerns { task_key: Some(key), ..Concerns::default() }
}

/// Locks a task and sets that the event concerns it.
pub(crate) async fn begin(act: &mut Act<'_>, key: TaskKey) -> Result<Task> {
    let task = lock(act, key).await?;
    act.concern(concerns(key)).await?;
    Ok(task)
}

/// Names the task in the event.
pub(crate) fn tell(act: &mut Act<'_>, task: &Task) -> Result<()> {
    act.note(&TaskNamed { task_code: task.code.clone() })
}

/// The type of a live task, which stays while the task is there.
pub(crate) async fn type_of(act: &mut Act<'_>, task: &Task) -> Result<TaskType> {
    let found = task_types::find(act.tx, &task.task_type_key).await?;
    found.ok_or_else(|| Error::broken("a task has no type"))
}

/// Stores what has become of a task.
pub(crate) async fn save(act: &mut Act<'_>, task: &mut Task) -> Result<()> {
    let kinds = kinds_of(act.tx, &values(&task.form_fields)).await?;
    Ok(tasks::save(act.tx, task, &kinds).await?)
}

/// Takes a task from one status to another, and stores it.
pub(crate) async fn step(
    act: &mut Act<'_>,
    task: &mut Task,
    step: TaskStep,
    at: Timestamp,
    by: &UserKey,
) -> Result<Outcome> {
    task.take(step, at, by).map_err(wrong_status)?;
    save(act, task).await?;
    tell(act, task)?;
    Ok(status_outcome(task))
}

/// The answer to an event that changes the status.
fn status_outcome(task: &Task) -> Outcome {
    Outcome(vec![
        ("task_key", OutcomeMember::Json(json!(task.key))),
        ("status", OutcomeMember::Json(json!(task.status))),
    ])
}

/// Refuses to change a task that is closed.
pub(crate) fn must_not_be_closed(task: &Task) -> Result<()> {
    task.must_not_be_closed().map_err(wrong_status)
}

pub(crate) fn wrong_status(rule: TaskStatusError) -> Error {
    Error::rule(&rule, format!("The task is {}.", rule.status.name()))
}

pub(crate) fn not_created(rule: TaskNotCreated, message: impl Into<Cow<'static, str>>) -> Error {
    Error::rule(&TaskNotCreatedError { rule }, message)
}

pub(crate) fn not_updated(rule: TaskNotUpdated, message: impl Into<Cow<'static, str>>) -> Error {
    Error::rule(&TaskNotUpdatedError { rule }, message)
}

pub(crate) const BAD_DATES: &str = "The task would be due before it starts.";
