use std::sync::LazyLock;

use domain::collection::Collection;
use domain::form::Choices;
use domain::key::{FieldKey, ListValueKey};
use domain::search::Pattern;
use domain::text::fold;

use crate::columns::{self, Record, record};
use crate::lock::Rows;
use crate::sql::{Page, Paged, Sql, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Constraint, Result, StoreError, params};

const COLLECTION: Collection = Collection::CustomListValue;

record! {
    pub struct ListValue in custom_list_value {
        pub key: ListValueKey,
        pub field_key: FieldKey,
        pub value: String,
        pub ext_key: Option<String>,
    }
    derived {
        value_folded: String = |value| fold(&value.value);
        ext_key_folded: Option<String> = |value| value.ext_key.as_deref().map(fold);
    }
    kept { field_key }
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
            SortBy::ExtKey => "coalesce(ext_key, '') = '', ext_key_folded, ext_key, key",
            // Keys are plain ASCII.
            SortBy::Key => "lower(key), key",
        }
    }
}

/// The values with these keys, of whichever fields.
pub async fn choices(tx: &mut Tx, keys: Vec<String>) -> Result<Choices> {
    if keys.is_empty() {
        return Ok(Choices::default());
    }
    let sql = sql!("select key, field_key, value from custom_list_value where key {in $1}");
    let found: Vec<(ListValueKey, FieldKey, String)> = tx.all(sql, &params![keys]).await?;
    Ok(found.into_iter().collect())
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
    ListValue::select()
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
        sql!("select key, field_key from custom_list_value where key {in $1} order by key {lock}")
            .locked(Rows::ListValue),
        &params![keys.to_vec()],
    )
    .await
}

/// So many values go with one statement.
const AT_ONCE: usize = 5_000;

/// Only those of the same field.
static UPSERT: LazyLock<String> = LazyLock::new(|| {
    format!("{} where custom_list_value.field_key = excluded.field_key", ListValue::statements().replace_all())
});

/// Inserts values, or replaces those of the same field with the same key.
pub async fn upsert(tx: &mut Tx, values: &[ListValue]) -> Result<()> {
    for some in values.chunks(AT_ONCE) {
        let written = tx.run(Sql::from_literal(&UPSERT), &[columns::rows(some)]).await?;
        if written != some.len() as u64 {
            // Another field took one of the keys since they were looked up.
            return Err(StoreError::Constraint(Constraint::KeyTaken));
        }
        some.iter().for_each(|value| tx.changed(COLLECTION, &value.key));
    }
    Ok(())
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
