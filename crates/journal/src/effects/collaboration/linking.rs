//! Links of tasks.

use std::collections::BTreeSet;

use domain::collaboration::{Linked, Task, TaskLinkType, TaskTarget, may_link, setting_of};
use domain::collection::Collection;
use domain::journal::Concerns;
use domain::key::{TaskKey, TaskLinkKey};
use domain::rule::collaboration::{TaskNotLinked, TaskNotLinkedError};
use serde_json::json;
use store::collaboration::{task_links, tasks};
use store::entities;

use super::tasks::{concerns, missing, type_of};
use crate::act::Act;
use crate::event::{Outcome, OutcomeMember};
use crate::{Error, Result};

/// The record that an event links a task to.
pub(crate) fn target(kind: TaskLinkType, key: &str) -> Result<TaskTarget> {
    TaskTarget::of(kind, key).ok_or_else(|| not_there(kind, key))
}

fn not_there(kind: TaskLinkType, key: &str) -> Error {
    Error::missing_as("link_key", &kind.name().replace('_', " "), key)
}

/// The ends of a link, locked.
pub(crate) struct Ends {
    pub(crate) task: Task,
    /// The other end, if that is a live task.
    pub(crate) other: Option<Task>,
}

/// Locks a task, and the other one if it is about a link between tasks.
pub(crate) async fn lock_ends(act: &mut Act<'_>, key: TaskKey, target: &TaskTarget) -> Result<Ends> {
    let other = match target {
        TaskTarget::Task(other) => Some(other.0),
        _ => None,
    };
    let keys: BTreeSet<i64> = other.into_iter().chain([key.0]).collect();
    let locked = tasks::lock_all(act.tx, &keys.into_iter().collect::<Vec<_>>()).await?;
    let other = locked.iter().find(|task| Some(task.key.0) == other).cloned();
    let task = locked.into_iter().find(|task| task.key == key);
    Ok(Ends { task: task.ok_or_else(|| missing(key))?, other })
}

/// Locks a task, and holds the record that it is to be linked to: what can be removed stays until the transaction ends.
pub(crate) async fn hold_ends(act: &mut Act<'_>, key: TaskKey, target: &TaskTarget) -> Result<Ends> {
    let other = target.key();
    let held = match target {
        TaskTarget::Issue(_) => entities::hold(act.tx, Collection::Issue, &other).await?,
        TaskTarget::WorkOrder(_) => entities::hold(act.tx, Collection::WorkOrder, &other).await?,
        _ => false,
    };
    let ends = lock_ends(act, key, target).await?;
    let there = match target {
        TaskTarget::Issue(_) | TaskTarget::WorkOrder(_) => held,
        TaskTarget::Task(_) => ends.other.is_some(),
        TaskTarget::Serial(_) => entities::hold(act.tx, Collection::Serial, &other).await?,
        TaskTarget::Product(_) => entities::exists(act.tx, Collection::Product, &other).await?,
    };
    if there { Ok(ends) } else { Err(not_there(target.kind(), &other)) }
}

/// Refuses a new link that the type of the task does not allow, or between two tasks that of the other one.
pub(crate) async fn must_allow(act: &mut Act<'_>, ends: &Ends, target: &TaskTarget) -> Result<()> {
    let to_it = task_links::find(act.tx, ends.task.key, target).await?.is_some();
    end_must_allow(act, &ends.task, target, to_it).await?;
    match &ends.other {
        Some(other) => end_must_allow(act, other, &TaskTarget::Task(ends.task.key), to_it).await,
        None => Ok(()),
    }
}

async fn end_must_allow(act: &mut Act<'_>, task: &Task, target: &TaskTarget, to_it: bool) -> Result<()> {
    let setting = setting_of(&type_of(act, task).await?.link_settings, target.kind());
    let counts = task_links::counts(act.tx, task.key).await?;
    let links = counts.values().sum::<i64>().unsigned_abs();
    let linked = Linked { to_it, of_kind: counts.contains_key(&target.kind()), links };
    may_link(setting, task.key, target, linked).map_err(not_linked)
}

/// What an event about a link concerns: the task, and the record at the other end.
pub(crate) fn concerns_both(task: TaskKey, target: &TaskTarget) -> Concerns {
    let mut concerns = concerns(task);
    match target {
        TaskTarget::Issue(key) => concerns.issue_key = Some(*key),
        TaskTarget::WorkOrder(key) => concerns.work_order_key = Some(*key),
        TaskTarget::Product(key) => concerns.product_key = Some(key.clone()),
        TaskTarget::Serial(key) => concerns.serial_key = Some(*key),
        // The event has room for one task.
        TaskTarget::Task(_) => {}
    }
    concerns
}

/// What the answer shows: the link itself, as with units.
pub(crate) fn outcome(link: TaskLinkKey) -> Outcome {
    Outcome(vec![("link_key", OutcomeMember::Json(json!(link)))])
}

pub(crate) fn not_linked(rule: TaskNotLinked) -> Error {
    let message = match rule {
        TaskNotLinked::NotEnabled => "Tasks of the type are not linked to such records.",
        TaskNotLinked::OnlyOne => "One task is linked to such a record already, and its type allows only one.",
        TaskNotLinked::TooMany => "One task has 1,000 links already.",
        TaskNotLinked::Exists => "The task is linked to the record already.",
        TaskNotLinked::Itself => "A task can't be linked to itself.",
        TaskNotLinked::NoSuchLink => "The task is not linked to the record.",
    };
    Error::rule(&TaskNotLinkedError { rule }, message)
}
