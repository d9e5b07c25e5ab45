use domain::collection::Collection;
use domain::key::{KEY_PATTERN, TagKey, record_id, revision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::tags::{self, Tag, Tagged};

use super::{Context, TagPath};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Change, Given, Json, KeyedJson, Name, Paging, Path, Query, Search, record_members};
use crate::reply::{Done, Envelope, EnvelopeList, envelope, envelope_list};

const COLOR: &str = "^#[0-9A-Fa-f]{6}$";

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Tag")]
pub(crate) struct TagRecord {
    _id: String,
    _key: TagKey,
    _rev: String,
    name: String,
    description: Option<String>,
    /// `#RRGGBB`.
    color: Option<String>,
}

pub(crate) fn record(tag: Tag) -> TagRecord {
    TagRecord {
        _id: record_id(Collection::Tag, &tag.key),
        _rev: revision(tag.rev),
        _key: tag.key,
        name: tag.name,
        description: tag.description,
        color: tag.color,
    }
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-checked-as" = "tags-query"))]
pub(super) struct TagsQuery {
    /// In the name.
    #[serde(flatten)]
    search: Search,
    /// Only the tags of one record, with `context_key`.
    context: Option<Context>,
    #[schemars(regex(pattern = KEY_PATTERN))]
    context_key: Option<String>,
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<TagsQuery>,
    Paging(page): Paging<10_000>,
) -> Result<EnvelopeList<TagRecord>> {
    let pattern = query.search.pattern();
    let on = query.context.zip(query.context_key);
    let on = on.map(|(context, key)| Tagged { collection: context.collection(), key });
    let found =
        cx.db.read_long(async move |tx: &mut Tx| tags::list(tx, pattern.as_ref(), on.as_ref(), &page).await).await?;
    envelope_list("Tags.", found.rows.into_iter().map(record).collect(), found.total)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = record_members)]
pub(super) struct NewTag {
    /// Made by the server when left out.
    _key: Option<TagKey>,
    name: Name<64>,
    #[schemars(length(max = 1000))]
    description: Option<String>,
    #[schemars(regex(pattern = COLOR))]
    color: Option<String>,
}

pub(super) async fn create(cx: Cx, Json(body): Json<NewTag>) -> Result<Done<Envelope<TagRecord>>> {
    let tag = Tag {
        key: body._key.map_or_else(|| cx.new_key().map(TagKey::trusted), Ok)?,
        rev: 1,
        name: body.name.0,
        description: body.description,
        color: body.color,
    };
    let created = cx.change("create tag", async move |tx: &mut Tx| {
        tags::insert(tx, &tag).await?;
        envelope("Tag created.", record(tag.clone()))
    });
    created.await.map_err(ApiError::or_key_taken)
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = record_members)]
pub(super) struct TagChange {
    /// The same as in the address, if it is sent at all.
    _key: Option<TagKey>,
    #[serde(default)]
    name: Given<Name<64>>,
    #[serde(default)]
    #[schemars(length(max = 1000))]
    description: Change<String>,
    #[serde(default)]
    #[schemars(regex(pattern = COLOR))]
    color: Change<String>,
}

pub(super) async fn change(
    cx: Cx,
    Path(path): Path<TagPath>,
    KeyedJson(body): KeyedJson<TagChange>,
) -> Result<Done<Envelope<TagRecord>>> {
    let asking = cx.clone();
    cx.change("change tag", async move |tx: &mut Tx| {
        let mut tag = load(tx, &asking, &path.tag_key).await?;
        let body = body.clone();
        tag.rev += 1;
        if let Some(Name(name)) = body.name.0 {
            tag.name = name;
        }
        body.description.apply(&mut tag.description);
        body.color.apply(&mut tag.color);
        tags::update(tx, &tag).await?;
        envelope("Tag changed.", record(tag))
    })
    .await
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Removed {
    tag_key: TagKey,
    removed_links: u64,
}

pub(super) async fn remove(cx: Cx, Path(path): Path<TagPath>) -> Result<Done<Envelope<Removed>>> {
    let asking = cx.clone();
    cx.change("delete tag", async move |tx: &mut Tx| {
        let tag = load(tx, &asking, &path.tag_key).await?;
        let removed_links = tags::remove(tx, &tag.key).await?;
        envelope("Tag deleted.", Removed { tag_key: tag.key, removed_links })
    })
    .await
}

async fn load(tx: &mut Tx, cx: &Cx, key: &TagKey) -> Result<Tag> {
    let tag = tags::lock(tx, key).await?.ok_or_else(|| ApiError::missing(Collection::Tag))?;
    cx.check_revision(Some(tag.rev))?;
    Ok(tag)
}
