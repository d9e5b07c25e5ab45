use std::collections::{HashMap, HashSet};

use domain::Timestamp;
use domain::collaboration::{Assignee, Task, TaskRole, TaskStatus};
use domain::collection::Collection;
use domain::form::FieldKind;
use domain::key::{FieldKey, TaskKey, TaskTypeKey, UserKey};
use domain::text::fold;

use crate::columns::{self, Record, columns, record};
use crate::lock::Rows;
use crate::sql::sql;
use crate::tx::Tx;
use crate::values::{self, ValueTable};
use crate::{Result, params};

columns! {
    Task in task {
        key,
        rev,
        task_type_key,
        code,
        status,
        assigned_to,
        start_from,
        due_by,
        created,
        created_by,
        closed,
        closed_by,
        deleted,
        deleted_by,
        title,
        description,
        form_fields,
        extra,
    }
    derived {
        live_type_key: Option<TaskTypeKey> = |task| task.deleted.is_none().then(|| task.task_type_key.clone());
        code_folded: String = |task| fold(&task.code);
        searched: String = searched;
        due_sort: i64 = |task| sorted(task.due_by);
        start_sort: i64 = |task| sorted(task.start_from);
        closed_sort: i64 = |task| sorted(task.closed);
    }
    kept { task_type_key, code, created, created_by, code_folded }
}

record! {
    /// Whom a live task is assigned to, with what the tasks of one user are listed and narrowed by.
    pub struct TaskAssignee in task_assignee keyed by 6 {
        pub user_key: UserKey,
        pub due_sort: i64,
        pub created: Timestamp,
        pub start_sort: i64,
        pub closed_sort: i64,
        pub task_key: TaskKey,
        pub owner: bool,
        pub status: TaskStatus,
        pub live_type_key: TaskTypeKey,
    }
}

pub(super) const VALUES: ValueTable = ValueTable { table: "task_value", record: "task_key" };

/// A date by which lists are sorted: those that have none come last.
fn sorted(date: Option<Timestamp>) -> i64 {
    date.map_or(i64::MAX, Timestamp::millis)
}

/// What a search looks at: nothing is found across the border of the two.
fn searched(task: &Task) -> String {
    let text = |text: Option<&str>| fold(text.unwrap_or_default());
    format!("{}\u{1f}{}", text(task.title.as_deref()), text(task.description.as_deref()))
}

pub async fn find(tx: &mut Tx, key: TaskKey) -> Result<Option<Task>> {
    Task::select().filter("task.key = {}", key).only("task.deleted is null").maybe(tx).await
}

/// Locked to the end of the transaction: its events come one after the other.
pub async fn lock(tx: &mut Tx, key: TaskKey) -> Result<Option<Task>> {
    Task::select().filter("task.key = {}", key).only("task.deleted is null").locked(Rows::Task).maybe(tx).await
}

/// Those that there are, locked in the order of their keys.
pub async fn lock_all(tx: &mut Tx, keys: &[i64]) -> Result<Vec<Task>> {
    Task::select()
        .filter("task.key {in {}}", keys.to_vec())
        .only("task.deleted is null")
        .locked_by(tx, Rows::Task, "task.key")
        .await
}

/// Locks those that there are, in the order of their keys, and reads nothing of them.
pub async fn lock_keys(tx: &mut Tx, keys: &[i64]) -> Result<()> {
    let sql = sql!("select key from task where key {in $1} order by key {lock}").locked(Rows::Task);
    tx.all::<TaskKey>(sql, &params![keys.to_vec()]).await.map(|_| ())
}

/// A taken code is a constraint error.
pub async fn insert(tx: &mut Tx, task: &Task, kinds: &HashMap<FieldKey, FieldKind>) -> Result<()> {
    tx.changed(Collection::Task, task.key);
    columns::insert(tx, task).await?;
    insert_parts(tx, task, kinds).await
}

/// Stores what has become of one that is locked; its revision rises.
pub async fn save(tx: &mut Tx, task: &mut Task, kinds: &HashMap<FieldKey, FieldKind>) -> Result<()> {
    tx.changed(Collection::Task, task.key);
    task.rev += 1;
    columns::update(tx, task).await?;
    for sql in
        [sql!("delete from task_assignee where task_key = $1"), sql!("delete from task_value where task_key = $1")]
    {
        tx.run(sql, &params![task.key]).await?;
    }
    insert_parts(tx, task, kinds).await
}

/// What it is found by; a deleted one is not found.
async fn insert_parts(tx: &mut Tx, task: &Task, kinds: &HashMap<FieldKey, FieldKind>) -> Result<()> {
    if task.deleted.is_some() {
        return Ok(());
    }
    let assignees = assignees(task);
    if !assignees.is_empty() {
        columns::insert_all(tx, &assignees).await?;
    }
    let values = task.form_fields.iter().map(|field| (&field.custom_field_key, &field.value));
    let rows = values::rows_of(task.key.0, values, kinds);
    VALUES.insert(tx, rows).await
}

fn assignees(task: &Task) -> Vec<TaskAssignee> {
    let of = |assignee: &Assignee| TaskAssignee {
        user_key: assignee.user_key.clone(),
        due_sort: sorted(task.due_by),
        created: task.created,
        start_sort: sorted(task.start_from),
        closed_sort: sorted(task.closed),
        task_key: task.key,
        owner: assignee.role == TaskRole::Owner,
        status: task.status,
        live_type_key: task.task_type_key.clone(),
    };
    task.assigned_to.iter().map(of).collect()
}

/// Which of these codes tasks have, deleted ones included.
pub async fn taken_codes(tx: &mut Tx, codes: &[String]) -> Result<HashSet<String>> {
    let sql = sql!("select code from task where code {in $1}");
    Ok(tx.all::<String>(sql, &params![codes.to_vec()]).await?.into_iter().collect())
}
