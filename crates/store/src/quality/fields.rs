use std::collections::HashMap;

use domain::collection::Collection;
use domain::form::FieldKind;
use domain::key::FieldKey;
use domain::text::fold;

use crate::columns::{self, Record, record};
use crate::lock::Rows;
use crate::sql::{Page, Paged, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct Field in custom_field {
        pub key: FieldKey,
        pub rev: i64,
        pub name: String,
        pub kind: FieldKind as type,
        pub slug: String,
        pub default_label: Option<String>,
        pub default_hint: Option<String>,
    }
    derived {
        name_folded: String = |field| fold(&field.name);
    }
}

/// By name ignoring case.
pub async fn list(tx: &mut Tx, name: Option<&str>, key: Option<&FieldKey>, page: &Page) -> Result<Paged<Field>> {
    Field::select()
        .filter_if("name = {}", name)
        .filter_if("key = {}", key)
        .page(tx, "name_folded, name, key", page)
        .await
}

pub async fn lock(tx: &mut Tx, key: &FieldKey) -> Result<Option<Field>> {
    Field::select().filter("key = {}", key).locked(Rows::CustomField).maybe(tx).await
}

/// Those of these fields that there are.
pub async fn find_all(tx: &mut Tx, keys: &[String]) -> Result<Vec<Field>> {
    Field::select().filter("key {in {}}", keys.to_vec()).all(tx, "key").await
}

/// Which of these fields there are, and of which type.
pub async fn kinds(tx: &mut Tx, keys: &[String]) -> Result<HashMap<FieldKey, FieldKind>> {
    let sql = sql!("select key, type from custom_field where key {in $1}");
    Ok(tx.all::<(FieldKey, FieldKind)>(sql, &params![keys.to_vec()]).await?.into_iter().collect())
}

pub async fn by_slug(tx: &mut Tx, slug: &str) -> Result<Option<Field>> {
    Field::select().filter("slug = {}", slug).maybe(tx).await
}

/// A taken key or slug is a constraint error.
pub async fn insert(tx: &mut Tx, field: &Field) -> Result<()> {
    tx.changed(Collection::CustomField, &field.key);
    columns::insert(tx, field).await
}

/// The record as a whole; the caller raises its revision.
pub async fn update(tx: &mut Tx, field: &Field) -> Result<()> {
    tx.changed(Collection::CustomField, &field.key);
    columns::update(tx, field).await
}

/// Its list values go with it.
pub async fn remove(tx: &mut Tx, key: &FieldKey) -> Result<()> {
    super::lists::clear(tx, key).await?;
    tx.changed(Collection::CustomField, key);
    tx.run(sql!("delete from custom_field where key = $1"), &params![key]).await.map(|_| ())
}
