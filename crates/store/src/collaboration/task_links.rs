//! What tasks are linked to. A link between two tasks is the same from both ends.

use std::collections::HashMap;
use std::sync::LazyLock;

use domain::collaboration::{TaskLink, TaskLinkType, TaskTarget};
use domain::collection::Collection;
use domain::key::{IssueKey, ProductKey, SerialKey, TaskKey, TaskLinkKey, WorkOrderKey};

use crate::columns::{self, Record, columns};
use crate::row::{FromRow, Row};
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, StoreError, entities, params};

impl FromRow for TaskTarget {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        match (row.column()?, row.column::<Option<i64>>()?, row.column::<Option<ProductKey>>()?) {
            (TaskLinkType::Issue, Some(id), None) => Ok(TaskTarget::Issue(IssueKey(id))),
            (TaskLinkType::WorkOrder, Some(id), None) => Ok(TaskTarget::WorkOrder(WorkOrderKey(id))),
            (TaskLinkType::Serial, Some(id), None) => Ok(TaskTarget::Serial(SerialKey(id))),
            (TaskLinkType::Task, Some(id), None) => Ok(TaskTarget::Task(TaskKey(id))),
            (TaskLinkType::Product, None, Some(key)) => Ok(TaskTarget::Product(key)),
            _ => Err(StoreError::Stored("a link of a task has no record, or two".to_owned())),
        }
    }
}

columns! {
    TaskLink in task_rel {
        key,
        rev,
        task_key,
        created,
        created_by,
    }
    read {
        target = "task_rel.type, task_rel.record_id, task_rel.record_key",
    }
    derived {
        type: TaskLinkType = |link| link.target.kind();
        record_id: Option<i64> = |link| link.target.id();
        record_key: Option<String> = |link| link.target.id().is_none().then(|| link.target.key());
    }
    kept { task_key, type, record_id, record_key, created, created_by }
}

/// Which record a link names: the condition, and its value.
pub(super) fn names(target: &TaskTarget) -> (&'static str, Value) {
    let id = target.id().map(Value::from);
    match target {
        TaskTarget::Issue(_) => (ISSUE, id.unwrap_or(Value::Null)),
        TaskTarget::WorkOrder(_) => (WORK_ORDER, id.unwrap_or(Value::Null)),
        TaskTarget::Serial(_) => (SERIAL, id.unwrap_or(Value::Null)),
        TaskTarget::Task(_) => (TASK, id.unwrap_or(Value::Null)),
        TaskTarget::Product(key) => (PRODUCT, Value::from(key)),
    }
}

const ISSUE: &str = "task_rel.type = 'issue' and task_rel.record_id = {} and task_rel.record_id is not null";
const WORK_ORDER: &str = "task_rel.type = 'work_order' and task_rel.record_id = {} and task_rel.record_id is not null";
const SERIAL: &str = "task_rel.type = 'serial' and task_rel.record_id = {} and task_rel.record_id is not null";
const TASK: &str = "task_rel.type = 'task' and task_rel.record_id = {} and task_rel.record_id is not null";
const PRODUCT: &str = "task_rel.type = 'product' and task_rel.record_key = {} and task_rel.record_key is not null";

/// The links of a task, made from it or to it, the oldest first.
pub async fn of_task(tx: &mut Tx, task: TaskKey) -> Result<Vec<TaskLink>> {
    let mut links: Vec<TaskLink> =
        TaskLink::select().filter("task_rel.task_key = {}", task).all(tx, "task_rel.key").await?;
    let to_it = TaskLink::select().filter(TASK, task);
    links.extend(to_it.all::<TaskLink>(tx, "task_rel.key").await?);
    links.sort_by_key(|link| (link.created, link.key));
    Ok(links)
}

/// The link of a task to this record; between two tasks, also the one that was made from the other.
pub async fn find(tx: &mut Tx, task: TaskKey, target: &TaskTarget) -> Result<Option<TaskLink>> {
    let (condition, value) = names(target);
    let query = TaskLink::select().filter("task_rel.task_key = {}", task);
    let link: Option<TaskLink> = query.filter(condition, value).maybe(tx).await?;
    match (link, target) {
        (None, TaskTarget::Task(other)) => {
            TaskLink::select().filter("task_rel.task_key = {}", *other).filter(TASK, task).maybe(tx).await
        }
        (link, _) => Ok(link),
    }
}

/// How many records of each kind a task is linked to; a kind that is left out has none.
pub async fn counts(tx: &mut Tx, task: TaskKey) -> Result<HashMap<TaskLinkType, i64>> {
    let sql = sql!(
        "select type, count(*)
         from (
             select type from task_rel where task_key = $1
             union all
             select type from task_rel where type = 'task' and record_id = $1 and record_id is not null
         ) as linked
         group by type"
    );
    Ok(tx.all::<(TaskLinkType, i64)>(sql, &params![task]).await?.into_iter().collect())
}

/// Stores a new one of a task that is locked.
pub async fn insert(tx: &mut Tx, link: &TaskLink) -> Result<()> {
    note(tx, link);
    columns::insert(tx, link).await
}

pub async fn remove(tx: &mut Tx, link: &TaskLink) -> Result<()> {
    note(tx, link);
    tx.run(sql!("delete from task_rel where key = $1"), &params![link.key]).await.map(|_| ())
}

fn note(tx: &mut Tx, link: &TaskLink) {
    tx.changed(Collection::TaskRel, link.key);
    tx.changed(Collection::Task, link.task_key);
}

/// Removes all links of a task, made from it or to it.
pub async fn clear(tx: &mut Tx, task: TaskKey) -> Result<()> {
    let sql = sql!("delete from task_rel where task_key = $1 returning key");
    let gone: Vec<TaskLinkKey> = tx.all(sql, &params![task]).await?;
    gone.iter().for_each(|key| tx.changed(Collection::TaskRel, key));
    let_go(tx, &TaskTarget::Task(task)).await.map(|_| ())
}

/// Removes all links to a record; gives their number.
pub async fn let_go(tx: &mut Tx, target: &TaskTarget) -> Result<u64> {
    let (condition, value) = names(target);
    let gone: Vec<TaskLinkKey> =
        Query::new("select task_rel.key from task_rel").filter(condition, value).all(tx, "task_rel.key").await?;
    gone.iter().for_each(|key| tx.changed(Collection::TaskRel, key));
    let keys: Vec<i64> = gone.iter().map(|key| key.0).collect();
    if keys.is_empty() {
        return Ok(0);
    }
    tx.run(sql!("delete from task_rel where key {in $1}"), &params![keys]).await
}

/// Whether there is such a record, not deleted or in the trash.
pub async fn exists(tx: &mut Tx, target: &TaskTarget) -> Result<bool> {
    let collection = match target {
        TaskTarget::Issue(_) => Collection::Issue,
        TaskTarget::WorkOrder(_) => Collection::WorkOrder,
        TaskTarget::Product(_) => Collection::Product,
        TaskTarget::Serial(_) => Collection::Serial,
        TaskTarget::Task(_) => Collection::Task,
    };
    entities::exists(tx, collection, &target.key()).await
}

/// A record that a task is linked to, with what people know it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub link: TaskLink,
    /// What it is linked to, seen from the task.
    pub target: TaskTarget,
    /// Of an issue its title.
    pub code: Option<String>,
}

struct ShownRow {
    link: TaskLink,
    code: Option<String>,
}

impl FromRow for ShownRow {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { link: TaskLink::from_row(row)?, code: row.column()? })
    }
}

static MADE_FROM_IT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "select {},
            case task_rel.type
                when 'issue' then (select issue.title from issue where issue.key = task_rel.record_id)
                when 'work_order' then (
                    select work_order.wo_code from work_order where work_order.key = task_rel.record_id
                )
                when 'product' then (select product.code from product where product.key = task_rel.record_key)
                when 'serial' then (select serial.code from serial where serial.key = task_rel.record_id)
                when 'task' then (select task.code from task where task.key = task_rel.record_id)
            end
        from task_rel",
        TaskLink::list()
    )
});

static MADE_TO_IT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "select {}, (select task.code from task where task.key = task_rel.task_key) from task_rel",
        TaskLink::list()
    )
});

/// What a task is linked to, the oldest link first.
pub async fn shown(tx: &mut Tx, task: TaskKey) -> Result<Vec<Shown>> {
    let from_it = Query::new(&MADE_FROM_IT).filter("task_rel.task_key = {}", task);
    let mut rows: Vec<ShownRow> = from_it.all(tx, "task_rel.key").await?;
    let to_it = Query::new(&MADE_TO_IT).filter(TASK, task);
    rows.extend(to_it.all::<ShownRow>(tx, "task_rel.key").await?);
    rows.sort_by_key(|row| (row.link.created, row.link.key));
    let shown = |ShownRow { link, code }| Shown { target: link.seen_from(task), link, code };
    Ok(rows.into_iter().map(shown).collect())
}
