use domain::key::{FieldKey, ListValueKey};
use domain::search::Pattern;
use domain::text::fold;

use crate::row::row_struct;
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

const COLLECTION: &str = "CustomListValue";

row_struct! {
    pub struct ListValue {
        pub key: ListValueKey,
        pub field_key: FieldKey,
        pub value: String,
        pub ext_key: Option<String>,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortBy {
    Value,
    ExtKey,
    Key,
}

impl SortBy {
    fn order(self) -> &'static str {
        match self {
            SortBy::Value => "value_folded, value, key",
            SortBy::ExtKey => "ext_key is null, ext_key_folded, ext_key, key",
            SortBy::Key => "key",
        }
    }
}

/// `search` looks into value and external key.
pub async fn list(
    tx: &mut Tx,
    field: &FieldKey,
    search: Option<&Pattern>,
    sort_by: SortBy,
    page: &Page,
) -> Result<Paged<ListValue>> {
    let searched = search.map(|pattern| Value::Pattern(pattern.clone()));
    Query::new("select key, field_key, value, ext_key from custom_list_value")
        .filter("field_key = {}", field)
        .filter_if(
            "({matches custom_list_value value_folded {}} or {matches custom_list_value ext_key_folded {}})",
            searched,
        )
        .page(tx, sort_by.order(), page)
        .await
}

/// Which of these values there are, and of which field; locked in key order.
pub async fn owners(tx: &mut Tx, keys: &[String]) -> Result<Vec<(ListValueKey, FieldKey)>> {
    tx.all(
        sql!("select key, field_key from custom_list_value where key {in $1} order by key {lock}"),
        &params![keys.to_vec()],
    )
    .await
}

/// A taken key is a constraint error.
pub async fn insert(tx: &mut Tx, value: &ListValue) -> Result<()> {
    tx.changed(COLLECTION, &value.key);
    tx.run(
        sql!(
            "insert into custom_list_value (key, field_key, value, value_folded, ext_key, ext_key_folded)
             values ($1, $2, $3, $4, $5, $6)"
        ),
        &values(value),
    )
    .await
    .map(|_| ())
}

pub async fn update(tx: &mut Tx, value: &ListValue) -> Result<()> {
    tx.changed(COLLECTION, &value.key);
    tx.run(
        sql!(
            "update custom_list_value
             set field_key = $2, value = $3, value_folded = $4, ext_key = $5, ext_key_folded = $6
             where key = $1"
        ),
        &values(value),
    )
    .await
    .map(|_| ())
}

fn values(value: &ListValue) -> [Value; 6] {
    params![
        &value.key,
        &value.field_key,
        &value.value,
        fold(&value.value),
        value.ext_key.as_deref(),
        value.ext_key.as_deref().map(fold)
    ]
}

/// Removes all values of a field; gives their number.
pub async fn clear(tx: &mut Tx, field: &FieldKey) -> Result<usize> {
    let sql = sql!("delete from custom_list_value where field_key = $1 returning key");
    let gone: Vec<ListValueKey> = tx.all(sql, &params![field]).await?;
    Ok(note(tx, &gone))
}

/// Removes values by their keys, whatever field they belong to; unknown keys are passed over.
pub async fn remove(tx: &mut Tx, keys: &[String]) -> Result<usize> {
    let sql = sql!("delete from custom_list_value where key {in $1} returning key");
    let gone: Vec<ListValueKey> = tx.all(sql, &params![keys.to_vec()]).await?;
    Ok(note(tx, &gone))
}

fn note(tx: &mut Tx, gone: &[ListValueKey]) -> usize {
    gone.iter().for_each(|key| tx.changed(COLLECTION, key));
    gone.len()
}
