use domain::collection::Collection;
use domain::search::Pattern;
use domain::text::fold;
use serde_json::Value as Json;

use crate::lock::Rows;
use crate::row::row_struct;
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

row_struct! {
    pub struct CustomData {
        pub key: String,
        pub rev: i64,
        pub value: Json,
        pub description: Option<String>,
    }
}

fn entries() -> Query {
    Query::new("select key, rev, value, description from custom_data")
}

pub async fn find(tx: &mut Tx, key: &str) -> Result<Option<CustomData>> {
    entries().filter("key = {}", key).maybe(tx).await
}

pub async fn lock(tx: &mut Tx, key: &str) -> Result<Option<CustomData>> {
    entries().filter("key = {}", key).locked(Rows::CustomData).maybe(tx).await
}

/// By key; `search` looks into key and description.
pub async fn list(tx: &mut Tx, search: Option<&Pattern>, page: &Page) -> Result<Paged<CustomData>> {
    let searched = search.map(|pattern| Value::Pattern(pattern.clone()));
    entries()
        .filter_if("({matches custom_data key {}} or {matches custom_data description_folded {}})", searched)
        .page(tx, "key", page)
        .await
}

/// Inserts or replaces an entry; a new one has this revision.
pub async fn set(tx: &mut Tx, key: &str, first_rev: i64, value: &Json, description: Option<&str>) -> Result<()> {
    tx.changed(Collection::CustomData, key);
    tx.run(
        sql!(
            "insert into custom_data (key, rev, value, description, description_folded)
             values ($1, $2, $3, $4, $5)
             on conflict (key) do update
             set value = excluded.value, description = excluded.description,
                 description_folded = excluded.description_folded, rev = custom_data.rev + 1"
        ),
        &params![key, first_rev, value, description, fold(description.unwrap_or(""))],
    )
    .await
    .map(|_| ())
}

pub async fn remove(tx: &mut Tx, key: &str) -> Result<()> {
    tx.changed(Collection::CustomData, key);
    tx.run(sql!("delete from custom_data where key = $1"), &params![key]).await.map(|_| ())
}
