use domain::collection::Collection;
use domain::fault::Faults;
use domain::form::FieldKind;
use domain::key::{FieldKey, record_id, revision};
use domain::slug::slug;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::quality::fields::{self, Field};
use store::quality::lists;
use store::{Constraint, Tx};

use super::FieldPath;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Json, KeyedJson, Name, Paging, Path, Query, read_only, record_members};
use crate::reply::{Done, Envelope, Listed, envelope};

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CustomField")]
pub(super) struct FieldRecord {
    _id: String,
    _key: FieldKey,
    _rev: String,
    name: String,
    #[serde(rename = "type")]
    kind: FieldKind,
    /// Derived from the name; unique.
    slug: String,
    default_label: Option<String>,
    default_hint: Option<String>,
}

fn record(field: Field) -> FieldRecord {
    FieldRecord {
        _id: record_id(Collection::CustomField, &field.key),
        _rev: revision(field.rev),
        _key: field.key,
        name: field.name,
        kind: field.kind,
        slug: field.slug,
        default_label: field.default_label,
        default_hint: field.default_hint,
    }
}

/// What readers get of a field besides what writers send.
fn field_members(schema: &mut Schema) {
    record_members(schema);
    read_only(schema, &["slug"]);
}

/// A field to be stored: `K` is its key, which may be left out of a creation only.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CustomFieldWith{K}", transform = field_members)]
#[serde(deny_unknown_fields)]
pub(super) struct FieldBody<K> {
    /// Made by the server when left out of a creation; in a replacement the same as in the address.
    _key: K,
    #[schemars(extend("x-checked-as" = "field-name"))]
    name: Name<128>,
    #[serde(rename = "type")]
    kind: FieldKind,
    #[schemars(length(max = 1000))]
    default_label: Option<String>,
    #[schemars(length(max = 1000))]
    default_hint: Option<String>,
}

impl<K> FieldBody<K> {
    /// The record, unless there is anything at fault.
    fn into_field(self, key: FieldKey) -> Result<Field> {
        let mut faults = Faults::at("body");
        let slug = slug(&self.name.0);
        if slug.is_empty() {
            let why = "A name has a letter or digit outside parentheses.";
            faults.within("name", |faults| faults.add("value_error", why, &json!(self.name.0)));
        }
        ApiError::check(faults)?;
        Ok(Field {
            key,
            rev: 1,
            name: self.name.0,
            kind: self.kind,
            slug,
            default_label: self.default_label,
            default_hint: self.default_hint,
        })
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Created {
    field_key: FieldKey,
    slug: String,
}

pub(super) async fn create(
    cx: Cx,
    Json(mut body): Json<FieldBody<Option<FieldKey>>>,
) -> Result<Done<Envelope<Created>>> {
    let key = body._key.take().map_or_else(|| cx.new_key().map(FieldKey::trusted), Ok)?;
    let field = body.into_field(key)?;
    let slug = field.slug.clone();
    let done = cx
        .change("create field", async move |tx: &mut Tx| {
            fields::insert(tx, &field).await?;
            envelope("Field created.", Created { field_key: field.key.clone(), slug: field.slug.clone() })
        })
        .await;
    match done {
        Err(error) => Err(taken(&cx, error, &slug).await),
        done => done,
    }
}

/// Names the field that has the slug.
async fn taken(cx: &Cx, error: ApiError, slug: &str) -> ApiError {
    match error.constraint() {
        Some(Constraint::SlugTaken) => {
            let other = cx.db.glance(async |tx: &mut Tx| fields::by_slug(tx, slug).await).await;
            let key = other.ok().flatten().map(|field| field.key);
            ApiError::conflict_with("Another field has the same slug.", json!({ "slug": slug, "field_key": key }))
        }
        _ => error.or_key_taken(),
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct FieldsQuery {
    /// Exact name.
    name: Option<String>,
    key: Option<FieldKey>,
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<FieldsQuery>,
    Paging(page): Paging<10_000>,
) -> Result<Listed<FieldRecord>> {
    let found = cx
        .db
        .read_long(async move |tx: &mut Tx| fields::list(tx, query.name.as_deref(), query.key.as_ref(), &page).await)
        .await?;
    Ok(Listed { rows: found.rows.into_iter().map(record).collect(), total: found.total })
}

pub(super) async fn replace(
    cx: Cx,
    Path(path): Path<FieldPath>,
    KeyedJson(body): KeyedJson<FieldBody<FieldKey>>,
) -> Result<Done<Envelope<FieldRecord>>> {
    let field = body.into_field(path.field_key)?;
    let slug = field.slug.clone();
    let asking = cx.clone();
    let done = cx
        .change("replace field", async move |tx: &mut Tx| {
            let before = load(tx, &asking, &field.key).await?;
            let field = Field { rev: before.rev + 1, ..field.clone() };
            fields::update(tx, &field).await?;
            if before.kind == FieldKind::Choice && field.kind != FieldKind::Choice {
                lists::clear(tx, &field.key).await?;
            }
            envelope("Field replaced.", record(field))
        })
        .await;
    match done {
        Err(error) => Err(taken(&cx, error, &slug).await),
        done => done,
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Removed {
    field_key: FieldKey,
}

pub(super) async fn remove(cx: Cx, Path(path): Path<FieldPath>) -> Result<Done<Envelope<Removed>>> {
    let asking = cx.clone();
    cx.change("delete field", async move |tx: &mut Tx| {
        let field = load(tx, &asking, &path.field_key).await?;
        fields::remove(tx, &field.key).await?;
        envelope("Field deleted.", Removed { field_key: field.key })
    })
    .await
}

async fn load(tx: &mut Tx, cx: &Cx, key: &FieldKey) -> Result<Field> {
    let field = fields::lock(tx, key).await?.ok_or_else(|| ApiError::missing(Collection::CustomField))?;
    cx.check_revision(Some(field.rev))?;
    Ok(field)
}
