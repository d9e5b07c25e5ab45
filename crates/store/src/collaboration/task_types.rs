use domain::collaboration::TaskType;
use domain::collection::Collection;
use domain::key::TaskTypeKey;
use domain::search::Pattern;
use domain::text::fold;

use crate::columns::{self, Record, columns};
use crate::lock::Rows;
use crate::sql::{Page, Paged, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

columns! {
    TaskType in task_type {
        key,
        rev,
        name,
        description,
        icon,
        active,
        created,
        form_fields,
        require_time_entry,
        link_settings,
    }
    derived {
        name_folded: String = |of| fold(&of.name);
    }
    kept { created }
}

/// Which types are wanted; each condition that is given narrows them.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub active_only: bool,
    pub name: Option<Pattern>,
}

/// By name.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<TaskType>> {
    let mut query = TaskType::select();
    if wanted.active_only {
        query = query.only("task_type.active");
    }
    query
        .filter_if("{matches task_type name_folded {}}", wanted.name.clone().map(Value::Pattern))
        .page(tx, "task_type.name_folded, task_type.name, task_type.key", page)
        .await
}

pub async fn find(tx: &mut Tx, key: &TaskTypeKey) -> Result<Option<TaskType>> {
    TaskType::select().filter("task_type.key = {}", key).maybe(tx).await
}

/// Those of these that there are.
pub async fn find_all(tx: &mut Tx, keys: &[String]) -> Result<Vec<TaskType>> {
    TaskType::select().filter("task_type.key {in {}}", keys.to_vec()).all(tx, "task_type.key").await
}

pub async fn lock(tx: &mut Tx, key: &TaskTypeKey) -> Result<Option<TaskType>> {
    TaskType::select().filter("task_type.key = {}", key).locked(Rows::TaskType).maybe(tx).await
}

/// A taken key is a constraint error.
pub async fn insert(tx: &mut Tx, task_type: &TaskType) -> Result<()> {
    tx.changed(Collection::TaskType, &task_type.key);
    columns::insert(tx, task_type).await
}

/// The record as a whole; the caller raises its revision.
pub async fn update(tx: &mut Tx, task_type: &TaskType) -> Result<()> {
    tx.changed(Collection::TaskType, &task_type.key);
    columns::update(tx, task_type).await
}

/// How many live tasks have it.
pub async fn task_count(tx: &mut Tx, key: &TaskTypeKey) -> Result<i64> {
    tx.one(sql!("select count(*) from task where live_type_key = $1"), &params![key]).await
}

/// Removes one that no live task has.
pub async fn remove(tx: &mut Tx, key: &TaskTypeKey) -> Result<()> {
    tx.changed(Collection::TaskType, key);
    tx.run(sql!("delete from task_type where key = $1"), &params![key]).await.map(|_| ())
}
