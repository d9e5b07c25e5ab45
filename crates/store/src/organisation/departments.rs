use domain::collection::Collection;
use domain::key::DepartmentKey;
use domain::search::Pattern;
use domain::text::fold;

use crate::columns::{self, Record, record};
use crate::lock::Rows;
use crate::sql::{Page, Paged, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

record! {
    pub struct Department in department {
        pub key: DepartmentKey,
        pub rev: i64,
        pub name: String,
        pub code: Option<String>,
        pub description: Option<String>,
    }
    derived {
        name_folded: String = |department| fold(&department.name);
        code_folded: Option<String> = |department| department.code.as_deref().map(fold);
    }
}

/// By name; `search` looks into name and code.
pub async fn list(tx: &mut Tx, search: Option<&Pattern>, page: &Page) -> Result<Paged<Department>> {
    let searched = search.map(|pattern| Value::Pattern(pattern.clone()));
    Department::select()
        .filter_if("({matches department name_folded {}} or {matches department code_folded {}})", searched)
        .page(tx, "name_folded, name, key", page)
        .await
}

pub async fn find(tx: &mut Tx, key: &DepartmentKey) -> Result<Option<Department>> {
    Department::select().filter("key = {}", key).maybe(tx).await
}

pub async fn lock(tx: &mut Tx, key: &DepartmentKey) -> Result<Option<Department>> {
    Department::select().filter("key = {}", key).locked(Rows::Department).maybe(tx).await
}

/// A taken key or code is a constraint error.
pub async fn insert(tx: &mut Tx, department: &Department) -> Result<()> {
    tx.changed(Collection::Department, &department.key);
    columns::insert(tx, department).await
}

/// The record as a whole; the caller raises its revision.
pub async fn update(tx: &mut Tx, department: &Department) -> Result<()> {
    tx.changed(Collection::Department, &department.key);
    columns::update(tx, department).await
}

/// How many users, not counting the trash, belong to it.
pub async fn members(tx: &mut Tx, key: &DepartmentKey) -> Result<i64> {
    tx.one(sql!("select count(*) from user_account where department_key = $1 and not trash"), &params![key]).await
}

pub async fn remove(tx: &mut Tx, key: &DepartmentKey) -> Result<()> {
    tx.changed(Collection::Department, key);
    tx.run(sql!("delete from department where key = $1"), &params![key]).await.map(|_| ())
}
