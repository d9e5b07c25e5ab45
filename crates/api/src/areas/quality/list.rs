use std::collections::{HashMap, HashSet};

use domain::collection::Collection;
use domain::fault::Faults;
use domain::form::FieldKind;
use domain::key::{FieldKey, ListValueKey, record_id};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::quality::fields;
use store::quality::lists::{self, ListValue};
use store::{Constraint, Tx};

use super::FieldPath;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Json, Paging, Path, Query, Search, record_members};
use crate::reply::{Done, Envelope, Listed, envelope};

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CustomListValue")]
pub(super) struct ListValueRecord {
    _id: String,
    _key: ListValueKey,
    field_key: FieldKey,
    value: String,
    /// Key of the value in another system.
    ext_key: Option<String>,
}

fn record(value: ListValue) -> ListValueRecord {
    ListValueRecord {
        _id: record_id(Collection::CustomListValue, &value.key),
        _key: value.key,
        field_key: value.field_key,
        value: value.value,
        ext_key: value.ext_key,
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListQuery {
    field_key: FieldKey,
    /// In value and external key.
    #[serde(flatten)]
    search: Search,
    #[serde(default)]
    sort_by: SortBy,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
enum SortBy {
    #[default]
    #[serde(rename = "value")]
    Value,
    /// Those without come last.
    #[serde(rename = "ext_key")]
    ExtKey,
    #[serde(rename = "_key")]
    Key,
}

pub(super) async fn read(
    cx: Cx,
    Query(query): Query<ListQuery>,
    Paging(page): Paging<100>,
) -> Result<Listed<ListValueRecord>> {
    let pattern = query.search.pattern();
    let sort_by = match query.sort_by {
        SortBy::Value => lists::SortBy::Value,
        SortBy::ExtKey => lists::SortBy::ExtKey,
        SortBy::Key => lists::SortBy::Key,
    };
    let found = cx
        .db
        .read_long(async move |tx: &mut Tx| lists::list(tx, &query.field_key, pattern.as_ref(), sort_by, &page).await)
        .await?;
    Ok(Listed { rows: found.rows.into_iter().map(record).collect(), total: found.total })
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct StoreQuery {
    /// Removes all earlier values of the field first.
    #[serde(default)]
    reset: bool,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CustomListValueIn")]
#[serde(deny_unknown_fields)]
#[schemars(transform = record_members)]
pub(super) struct ValueBody {
    /// Made by the server when left out.
    _key: Option<ListValueKey>,
    /// That of the address, if it is sent at all.
    field_key: Option<FieldKey>,
    #[schemars(length(min = 1, max = 256))]
    value: String,
    #[schemars(length(max = 256))]
    ext_key: Option<String>,
}

/// Up to 100,000 values.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Values(#[schemars(length(max = 100_000))] Vec<ValueBody>);

#[derive(Serialize, JsonSchema)]
pub(super) struct Counts {
    inserted: usize,
    updated: usize,
    deleted: usize,
}

pub(super) async fn store(
    cx: Cx,
    Path(path): Path<FieldPath>,
    Query(query): Query<StoreQuery>,
    Json(Values(body)): Json<Values>,
) -> Result<Done<Envelope<Counts>>> {
    check(&body, &path.field_key)?;
    let sent: Vec<String> = body.iter().filter_map(|value| value._key.as_ref().map(ToString::to_string)).collect();
    let values = body.into_iter().map(|value| into_value(&cx, value, &path.field_key));
    let values: Vec<ListValue> = values.collect::<Result<_>>()?;
    let stored = cx.change("store list values", async move |tx: &mut Tx| {
        let field = fields::lock(tx, &path.field_key).await?;
        let field = field.ok_or_else(|| ApiError::missing(Collection::CustomField))?;
        if field.kind != FieldKind::Choice {
            let data = json!({ "field_key": field.key, "type": field.kind });
            return Err(ApiError::rule("NotAChoiceField", "Only fields of type choice have a list.", data));
        }
        let owners: HashMap<ListValueKey, FieldKey> = lists::owners(tx, &sent).await?.into_iter().collect();
        if let Some((key, owner)) = owners.iter().find(|(_, owner)| **owner != field.key) {
            let data = json!({ "_key": key, "field_key": owner });
            return Err(ApiError::conflict_with("This key belongs to a value of another field.", data));
        }
        let deleted = if query.reset { lists::clear(tx, &field.key).await? } else { 0 };
        let updated = if query.reset { 0 } else { owners.len() };
        lists::upsert(tx, &values).await?;
        envelope("List stored.", Counts { inserted: values.len() - updated, updated, deleted })
    });
    stored.await.map_err(|error| match error.constraint() {
        Some(Constraint::KeyTaken) => ApiError::conflict("A key belongs to a value of another field."),
        _ => error,
    })
}

fn check(values: &[ValueBody], field: &FieldKey) -> Result<()> {
    let mut faults = Faults::at("body");
    let mut known = HashSet::new();
    for (index, value) in values.iter().enumerate() {
        faults.within(index, |faults| {
            if let Some(key) = value._key.as_ref().filter(|key| !known.insert(*key)) {
                let why = "Another value of this request has the same key.";
                faults.within("_key", |faults| faults.add("value_error", why, &json!(key)));
            }
            if let Some(other) = value.field_key.as_ref().filter(|sent| *sent != field) {
                let why = "Must be the field in the address.";
                faults.within("field_key", |faults| faults.add("value_error", why, &json!(other)));
            }
        });
    }
    ApiError::check(faults)
}

fn into_value(cx: &Cx, body: ValueBody, field: &FieldKey) -> Result<ListValue> {
    Ok(ListValue {
        key: body._key.map_or_else(|| cx.new_key().map(ListValueKey::trusted), Ok)?,
        field_key: field.clone(),
        value: body.value,
        ext_key: body.ext_key,
    })
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct RemoveQuery {
    /// Keys of the values.
    #[schemars(length(min = 1))]
    value_key: Vec<ListValueKey>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Deleted {
    deleted: usize,
}

pub(super) async fn remove(
    cx: Cx,
    Path(_): Path<FieldPath>,
    Query(query): Query<RemoveQuery>,
) -> Result<Done<Envelope<Deleted>>> {
    let keys: Vec<String> = query.value_key.iter().map(ToString::to_string).collect();
    cx.change("delete list values", async move |tx: &mut Tx| {
        let deleted = lists::remove(tx, &keys).await?;
        envelope("Values deleted.", Deleted { deleted })
    })
    .await
}
