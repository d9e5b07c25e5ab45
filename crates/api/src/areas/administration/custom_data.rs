use domain::collection::Collection;
use domain::fault::Faults;
use domain::key::{record_id, revision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Tx;
use store::administration::custom_data::{self, CustomData};

use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Json, Paging, Path, Query, Search, record_members};
use crate::reply::{Bare, Done, Envelope, Listed, envelope};

const KEY: &str = "^[a-z][a-z0-9_]{0,63}$";
const VALUE_BYTES: usize = 1024 * 1024;

#[derive(Deserialize, JsonSchema)]
pub(super) struct EntryPath {
    /// The key of an entry: a lower-case letter, then up to 63 lower-case letters, digits and `_`.
    #[schemars(regex(pattern = KEY))]
    key: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CustomData")]
pub(super) struct CustomDataRecord {
    _id: String,
    _key: String,
    _rev: String,
    value: Value,
    description: Option<String>,
}

fn record(entry: CustomData) -> CustomDataRecord {
    CustomDataRecord {
        _id: record_id(Collection::CustomData, &entry.key),
        _rev: revision(entry.rev),
        _key: entry.key,
        value: entry.value,
        description: entry.description,
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct EntriesQuery {
    /// Case-insensitive substring of key or description.
    #[serde(default)]
    search: Search,
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<EntriesQuery>,
    Paging(page): Paging<10_000>,
) -> Result<Listed<CustomDataRecord>> {
    let pattern = query.search.pattern();
    let found = cx.db.read_long(async move |tx: &mut Tx| custom_data::list(tx, pattern.as_ref(), &page).await).await?;
    Ok(Listed { rows: found.rows.into_iter().map(record).collect(), total: found.total })
}

pub(super) async fn one(cx: Cx, Path(path): Path<EntryPath>) -> Result<Bare<CustomDataRecord>> {
    let found = cx.db.glance(async |tx: &mut Tx| custom_data::find(tx, &path.key).await).await?;
    found.map(|entry| Bare(record(entry))).ok_or_else(absent)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CustomDataInput")]
#[serde(deny_unknown_fields)]
#[schemars(transform = record_members)]
pub(super) struct EntryBody {
    /// Ignored: the key in the address counts.
    #[serde(rename = "_key")]
    #[schemars(regex(pattern = KEY))]
    _key: Option<String>,
    /// Any JSON of at most 1 MiB; null is a value too.
    value: Value,
    description: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CustomDataKey")]
pub(super) struct EntryKey {
    _key: String,
}

pub(super) async fn put(
    cx: Cx,
    Path(path): Path<EntryPath>,
    Json(body): Json<EntryBody>,
) -> Result<Done<Envelope<EntryKey>>> {
    let size = body.value.to_string().len();
    if size > VALUE_BYTES {
        let mut faults = Faults::at("body");
        let why = format!("A value has at most {VALUE_BYTES} bytes.");
        faults.within("value", |faults| faults.add("value_error", why, &json!(size)));
        return Err(ApiError::validation(faults.into_vec()));
    }
    let (asking, first_rev) = (cx.clone(), cx.new_revision()?);
    cx.change("set custom data", async move |tx: &mut Tx| {
        let before = custom_data::lock(tx, &path.key).await?;
        asking.check_revision(before.as_ref().map(|entry| entry.rev))?;
        custom_data::set(tx, &path.key, first_rev, &body.value, body.description.as_deref()).await?;
        let message = if before.is_some() { "Custom data updated." } else { "Custom data created." };
        envelope(message, EntryKey { _key: path.key.clone() })
    })
    .await
}

pub(super) async fn remove(cx: Cx, Path(path): Path<EntryPath>) -> Result<Done<Envelope<EntryKey>>> {
    let asking = cx.clone();
    cx.change("delete custom data", async move |tx: &mut Tx| {
        let entry = custom_data::lock(tx, &path.key).await?.ok_or_else(absent)?;
        asking.check_revision(Some(entry.rev))?;
        custom_data::remove(tx, &entry.key).await?;
        envelope("Custom data deleted.", EntryKey { _key: entry.key })
    })
    .await
}

fn absent() -> ApiError {
    ApiError::missing(Collection::CustomData)
}
