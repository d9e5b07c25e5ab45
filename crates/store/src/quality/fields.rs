use std::collections::HashMap;

use domain::collection::Collection;
use domain::form::FieldKind;
use domain::key::FieldKey;
use domain::text::fold;

use crate::row::row_struct;
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

row_struct! {
    pub struct Field {
        pub key: FieldKey,
        pub rev: i64,
        pub name: String,
        pub kind: FieldKind,
        pub slug: String,
        pub default_label: Option<String>,
        pub default_hint: Option<String>,
    }
}

fn fields() -> Query {
    Query::new("select key, rev, name, type, slug, default_label, default_hint from custom_field")
}

/// By name ignoring case.
pub async fn list(tx: &mut Tx, name: Option<&str>, key: Option<&FieldKey>, page: &Page) -> Result<Paged<Field>> {
    fields().filter_if("name = {}", name).filter_if("key = {}", key).page(tx, "name_folded, name, key", page).await
}

pub async fn lock(tx: &mut Tx, key: &FieldKey) -> Result<Option<Field>> {
    fields().filter("key = {}", key).locked().maybe(tx).await
}

/// Those of these fields that there are.
pub async fn find_all(tx: &mut Tx, keys: &[String]) -> Result<Vec<Field>> {
    fields().filter("key {in {}}", keys.to_vec()).all(tx, "key").await
}

/// Which of these fields there are, and of which type.
pub async fn kinds(tx: &mut Tx, keys: &[String]) -> Result<HashMap<FieldKey, FieldKind>> {
    let sql = sql!("select key, type from custom_field where key {in $1}");
    Ok(tx.all::<(FieldKey, FieldKind)>(sql, &params![keys.to_vec()]).await?.into_iter().collect())
}

pub async fn by_slug(tx: &mut Tx, slug: &str) -> Result<Option<Field>> {
    fields().filter("slug = {}", slug).maybe(tx).await
}

/// A taken key or slug is a constraint error.
pub async fn insert(tx: &mut Tx, field: &Field) -> Result<()> {
    tx.changed(Collection::CustomField, &field.key);
    tx.run(
        sql!(
            "insert into custom_field (key, rev, name, name_folded, type, slug, default_label, default_hint)
             values ($1, $2, $3, $4, $5, $6, $7, $8)"
        ),
        &values(field),
    )
    .await
    .map(|_| ())
}

/// The record as a whole; the caller raises its revision.
pub async fn update(tx: &mut Tx, field: &Field) -> Result<()> {
    tx.changed(Collection::CustomField, &field.key);
    tx.run(
        sql!(
            "update custom_field
             set rev = $2, name = $3, name_folded = $4, type = $5, slug = $6, default_label = $7, default_hint = $8
             where key = $1"
        ),
        &values(field),
    )
    .await
    .map(|_| ())
}

fn values(field: &Field) -> [Value; 8] {
    params![
        &field.key,
        field.rev,
        &field.name,
        fold(&field.name),
        field.kind,
        &field.slug,
        field.default_label.as_deref(),
        field.default_hint.as_deref()
    ]
}

/// Its list values go with it.
pub async fn remove(tx: &mut Tx, key: &FieldKey) -> Result<()> {
    super::lists::clear(tx, key).await?;
    tx.changed(Collection::CustomField, key);
    tx.run(sql!("delete from custom_field where key = $1"), &params![key]).await.map(|_| ())
}
