//! Links of tasks.

use std::collections::BTreeSet;

use domain::collaboration::{Task, TaskLinkType, TaskTarget};
use domain::collection::Collection;
use domain::journal::Concerns;
use domain::key::TaskKey;
use domain::rule::collaboration::{TaskNotLinked, TaskNotLinkedError};
use domain::rule::journal::RecordNotFoundError;
use serde_json::json;
use store::collaboration::{task_links, tasks};
use store::entities;

use super::tasks::{concerns, missing};
use crate::act::Act;
use crate::{Error, Result};

/// The record that an event links a task to.
pub(crate) fn target(kind: TaskLinkType, key: &str) -> Result<TaskTarget> {
    TaskTarget::of(kind, key).ok_or_else(|| not_there(kind, key))
}

fn not_there(kind: TaskLinkType, key: &str) -> Error {
    let rule = RecordNotFoundError { field: "link_key".to_owned(), key: json!(key) };
    Error::rule(&rule, format!("There is no such {}.", kind.name().replace('_', " ")))
}

/// Locks a task, and the other one if it is about a link between tasks.
pub(crate) async fn lock_ends(act: &mut Act<'_>, key: TaskKey, target: &TaskTarget) -> Result<(Task, bool)> {
    let other = match target {
        TaskTarget::Task(other) => Some(other.0),
        _ => None,
    };
    let keys: BTreeSet<i64> = other.into_iter().chain([key.0]).collect();
    let locked = tasks::lock_all(act.tx, &keys.into_iter().collect::<Vec<_>>()).await?;
    let both = other.is_some_and(|other| locked.iter().any(|task| task.key.0 == other));
    let task = locked.into_iter().find(|task| task.key == key);
    Ok((task.ok_or_else(|| missing(key))?, both))
}

/// Locks a task, and holds the record that it is to be linked to: what can be removed stays until the transaction ends.
pub(crate) async fn hold_ends(act: &mut Act<'_>, key: TaskKey, target: &TaskTarget) -> Result<Task> {
    let other = target.key();
    let held = match target {
        TaskTarget::Issue(_) => entities::hold(act.tx, Collection::Issue, &other).await?,
        TaskTarget::WorkOrder(_) => entities::hold(act.tx, Collection::WorkOrder, &other).await?,
        _ => false,
    };
    let (task, both) = lock_ends(act, key, target).await?;
    let there = match target {
        TaskTarget::Issue(_) | TaskTarget::WorkOrder(_) => held,
        TaskTarget::Task(_) => both,
        TaskTarget::Serial(_) => entities::hold(act.tx, Collection::Serial, &other).await?,
        TaskTarget::Product(_) => entities::exists(act.tx, Collection::Product, &other).await?,
    };
    if there { Ok(task) } else { Err(not_there(target.kind(), &other)) }
}

/// What a task is linked to.
pub(crate) async fn linked(act: &mut Act<'_>, task: TaskKey) -> Result<Vec<TaskTarget>> {
    let links = task_links::of_task(act.tx, task).await?;
    Ok(links.iter().map(|link| link.seen_from(task)).collect())
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

pub(crate) fn not_linked(rule: TaskNotLinked) -> Error {
    let message = match rule {
        TaskNotLinked::NotEnabled => "Tasks of the type are not linked to such records.",
        TaskNotLinked::OnlyOne => "The task is linked to such a record already, and its type allows only one.",
        TaskNotLinked::Exists => "The task is linked to the record already.",
        TaskNotLinked::Itself => "A task can't be linked to itself.",
        TaskNotLinked::NoSuchLink => "The task is not linked to the record.",
    };
    Error::rule(&TaskNotLinkedError { rule }, message)
}
