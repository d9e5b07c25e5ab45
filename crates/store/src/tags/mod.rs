//! Tags, and the records they are put on.

use domain::collection::Collection;
use domain::key::TagKey;
use domain::search::Pattern;
use domain::text::fold;
use serde_json::{Value as Json, json};

use crate::columns::{self, Record, record};
use crate::lock::Rows;
use crate::row::{FromRow, Row};
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

record! {
    pub struct Tag in tag {
        pub key: TagKey,
        pub rev: i64,
        pub name: String,
        pub description: Option<String>,
        pub color: Option<String>,
    }
    derived {
        name_folded: String = |tag| fold(&tag.name);
    }
}

/// A record that tags are put on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagged {
    pub collection: Collection,
    pub key: String,
}

/// By name; all of them, or those of one record.
pub async fn list(tx: &mut Tx, search: Option<&Pattern>, on: Option<&Tagged>, page: &Page) -> Result<Paged<Tag>> {
    let mut query = Tag::select();
    if let Some(on) = on {
        query = query
            .join("join has_tag on has_tag.tag_key = tag.key and has_tag.collection = {}", on.collection.name())
            .filter("has_tag.record_key = {}", &on.key);
    }
    query
        .filter_if("{matches tag name_folded {}}", search.map(|pattern| Value::Pattern(pattern.clone())))
        .page(tx, "tag.name_folded, tag.name, tag.key", page)
        .await
}

/// A tag with the record that it is on.
#[derive(Debug, Clone)]
pub struct OnRecord {
    pub record_key: String,
    pub tag: Tag,
}

impl FromRow for OnRecord {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { record_key: row.column()?, tag: Tag::from_row(row)? })
    }
}

/// The tags of these records of a collection, each record's by name.
pub async fn of_records(tx: &mut Tx, collection: Collection, keys: &[String]) -> Result<Vec<OnRecord>> {
    let select =
        format!("select has_tag.record_key, {} from has_tag join tag on tag.key = has_tag.tag_key", Tag::list());
    Query::new(&select)
        .filter("has_tag.collection = {}", collection.name())
        .filter("has_tag.record_key {in {}}", keys.to_vec())
        .all(tx, "tag.name_folded, tag.name, tag.key")
        .await
}

pub async fn lock(tx: &mut Tx, key: &TagKey) -> Result<Option<Tag>> {
    Tag::select().filter("tag.key = {}", key).locked(Rows::Tag).maybe(tx).await
}

/// Which of these tags there are, locked in key order so that none goes while it is being put on something.
pub async fn lock_known(tx: &mut Tx, keys: &[String]) -> Result<Vec<TagKey>> {
    tx.all(sql!("select key from tag where key {in $1} order by key {lock}").locked(Rows::Tag), &params![keys.to_vec()])
        .await
}

/// The tags with these names, in the order of their keys: key, name.
pub async fn named(tx: &mut Tx, names: &[String]) -> Result<Vec<(TagKey, String)>> {
    tx.all(sql!("select key, name from tag where name {in $1} order by key"), &params![names.to_vec()]).await
}

/// A taken key is a constraint error.
pub async fn insert(tx: &mut Tx, tag: &Tag) -> Result<()> {
    tx.changed(Collection::Tag, &tag.key);
    columns::insert(tx, tag).await
}

/// Many at once.
pub async fn insert_all(tx: &mut Tx, tags: &[Tag]) -> Result<()> {
    if tags.is_empty() {
        return Ok(());
    }
    columns::insert_all(tx, tags).await?;
    tags.iter().for_each(|tag| tx.changed(Collection::Tag, &tag.key));
    Ok(())
}

/// The record as a whole; the caller raises its revision.
pub async fn update(tx: &mut Tx, tag: &Tag) -> Result<()> {
    tx.changed(Collection::Tag, &tag.key);
    columns::update(tx, tag).await
}

/// The tag and all its links; gives their number.
pub async fn remove(tx: &mut Tx, key: &TagKey) -> Result<u64> {
    let links = tx.run(sql!("delete from has_tag where tag_key = $1"), &params![key]).await?;
    tx.changed(Collection::Tag, key);
    tx.run(sql!("delete from tag where key = $1"), &params![key]).await?;
    Ok(links)
}

/// A tag and a record that it is put on or taken off.
pub type Link = (TagKey, Tagged);

/// Puts tags on records; gives how many were not there.
pub async fn connect(tx: &mut Tx, links: &[Link]) -> Result<usize> {
    let made = tx
        .all(
            sql!(
                "insert into has_tag (collection, record_key, tag_key)
                 select distinct collection, record_key, tag_key
                 from {rows $1 collection record_key tag_key}
                 where true
                 on conflict (collection, record_key, tag_key) do nothing
                 returning collection, record_key, tag_key"
            ),
            &params![&rows(links)],
        )
        .await?;
    Ok(note(tx, &made))
}

/// Takes tags off records; gives how many were there.
pub async fn disconnect(tx: &mut Tx, links: &[Link]) -> Result<usize> {
    let gone = tx
        .all(
            sql!(
                "delete from has_tag
                 where exists (
                     select 1
                     from {rows $1 collection record_key tag_key}
                     where listed.collection = has_tag.collection and listed.record_key = has_tag.record_key
                     and listed.tag_key = has_tag.tag_key
                 )
                 returning collection, record_key, tag_key"
            ),
            &params![&rows(links)],
        )
        .await?;
    Ok(note(tx, &gone))
}

fn rows(links: &[Link]) -> Json {
    let row = |(tag, on): &Link| json!({ "collection": on.collection.name(), "record_key": on.key, "tag_key": tag });
    links.iter().map(row).collect()
}

fn note(tx: &mut Tx, links: &[(String, String, TagKey)]) -> usize {
    for (collection, key, tag) in links {
        tx.changed(Collection::Tag, tag);
        if let Some(collection) = Collection::named(collection) {
            tx.changed(collection, key);
        }
    }
    links.len()
}

/// Takes all tags off one record.
pub async fn clear_record(tx: &mut Tx, collection: Collection, key: &str) -> Result<u64> {
    tx.run(sql!("delete from has_tag where collection = $1 and record_key = $2"), &params![collection.name(), key])
        .await
}

/// Takes all tags off all records of a collection.
pub async fn clear(tx: &mut Tx, collection: Collection) -> Result<u64> {
    tx.run(sql!("delete from has_tag where collection = $1"), &params![collection.name()]).await
}
