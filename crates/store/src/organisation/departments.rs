use domain::collection::Collection;
use domain::key::DepartmentKey;
use domain::search::Pattern;
use domain::text::fold;

use crate::row::row_struct;
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

row_struct! {
    pub struct Department {
        pub key: DepartmentKey,
        pub rev: i64,
        pub name: String,
        pub code: Option<String>,
        pub description: Option<String>,
    }
}

fn departments() -> Query {
    Query::new("select key, rev, name, code, description from department")
}

/// By name; `search` looks into name and code.
pub async fn list(tx: &mut Tx, search: Option<&Pattern>, page: &Page) -> Result<Paged<Department>> {
    let searched = search.map(|pattern| Value::Pattern(pattern.clone()));
    departments()
        .filter_if("({matches department name_folded {}} or {matches department code_folded {}})", searched)
        .page(tx, "name_folded, name, key", page)
        .await
}

pub async fn find(tx: &mut Tx, key: &DepartmentKey) -> Result<Option<Department>> {
    departments().filter("key = {}", key).maybe(tx).await
}

pub async fn lock(tx: &mut Tx, key: &DepartmentKey) -> Result<Option<Department>> {
    departments().filter("key = {}", key).locked().maybe(tx).await
}

/// A taken key or code is a constraint error.
pub async fn insert(tx: &mut Tx, department: &Department) -> Result<()> {
    tx.changed(Collection::Department, &department.key);
    tx.run(
        sql!(
            "insert into department (key, rev, name, name_folded, code, code_folded, description)
             values ($1, $2, $3, $4, $5, $6, $7)"
        ),
        &values(department),
    )
    .await
    .map(|_| ())
}

/// The record as a whole; the caller raises its revision.
pub async fn update(tx: &mut Tx, department: &Department) -> Result<()> {
    tx.changed(Collection::Department, &department.key);
    tx.run(
        sql!(
            "update department
             set rev = $2, name = $3, name_folded = $4, code = $5, code_folded = $6, description = $7
             where key = $1"
        ),
        &values(department),
    )
    .await
    .map(|_| ())
}

fn values(department: &Department) -> [Value; 7] {
    params![
        &department.key,
        department.rev,
        &department.name,
        fold(&department.name),
        department.code.as_deref(),
        department.code.as_deref().map(fold),
        department.description.as_deref()
    ]
}

/// How many users, not counting the trash, belong to it.
pub async fn members(tx: &mut Tx, key: &DepartmentKey) -> Result<i64> {
    tx.one(sql!("select count(*) from user_account where department_key = $1 and not trash"), &params![key]).await
}

pub async fn remove(tx: &mut Tx, key: &DepartmentKey) -> Result<()> {
    tx.changed(Collection::Department, key);
    tx.run(sql!("delete from department where key = $1"), &params![key]).await.map(|_| ())
}
