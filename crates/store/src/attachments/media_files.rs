//! Files that records link to, under keys of their own.

use domain::Timestamp;
use domain::collection::Collection;
use domain::key::MediaKey;
use serde_json::{Value as Json, json};

use super::files::objects_gone;
use crate::columns::{self, Record, record};
use crate::lock::Rows;
use crate::row::{FromRow, Row};
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct MediaFile in media {
        pub key: MediaKey,
        pub rev: i64,
        pub name: String,
        pub object: String,
        pub size: i64,
        pub content_type: String,
        pub sha256: Vec<u8>,
        pub created_at: Timestamp,
    }
}

pub async fn find(tx: &mut Tx, key: MediaKey) -> Result<Option<MediaFile>> {
    MediaFile::select().filter("key = {}", key).maybe(tx).await
}

pub async fn lock(tx: &mut Tx, key: MediaKey) -> Result<Option<MediaFile>> {
    MediaFile::select().filter("key = {}", key).locked(Rows::Media).maybe(tx).await
}

/// Those that are there, locked in key order: none of them goes, and nothing begins to link to it.
pub async fn lock_all(tx: &mut Tx, keys: &[i64]) -> Result<Vec<MediaFile>> {
    MediaFile::select().filter("key {in {}}", keys.to_vec()).locked_by(tx, Rows::Media, "key").await
}

pub async fn insert(tx: &mut Tx, file: &MediaFile) -> Result<()> {
    tx.changed(Collection::Media, file.key);
    columns::insert(tx, file).await
}

/// Other bytes, name and type under the same key; the object of before is let go.
pub async fn replace(tx: &mut Tx, file: &MediaFile, object_before: &str) -> Result<()> {
    tx.changed(Collection::Media, file.key);
    objects_gone(tx, &[object_before.to_owned()]).await?;
    columns::update(tx, file).await
}

/// The `_id`s of the records that link to it.
pub async fn connections(tx: &mut Tx, key: MediaKey) -> Result<Vec<String>> {
    tx.all(sql!("select from_id from media_connection where media_key = $1 order by key"), &params![key]).await
}

pub async fn remove(tx: &mut Tx, file: &MediaFile) -> Result<()> {
    tx.changed(Collection::Media, file.key);
    objects_gone(tx, std::slice::from_ref(&file.object)).await?;
    tx.run(sql!("delete from media where key = $1"), &params![file.key]).await.map(|_| ())
}

/// A file and the `_id` of a record that links to it.
#[derive(Debug, Clone)]
pub struct Linked {
    pub from_id: String,
    pub media: MediaFile,
}

impl FromRow for Linked {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { from_id: row.column()?, media: MediaFile::from_row(row)? })
    }
}

/// What these records link to, each record's in order.
pub async fn linked(tx: &mut Tx, from_ids: &[String]) -> Result<Vec<Linked>> {
    let select = format!(
        "select media_connection.from_id, {} from media_connection join media on media.key = media_connection.media_key",
        MediaFile::list()
    );
    let linked = Query::new(&select).filter("media_connection.from_id {in {}}", from_ids.to_vec());
    linked.all(tx, "media_connection.key").await
}

/// The link of a record to a file, under a key that says its place among the record's links.
#[derive(Debug, Clone)]
pub struct Link {
    pub key: i64,
    pub media_key: MediaKey,
    pub from_id: String,
}

/// So many links go with one statement.
const AT_ONCE: usize = 5_000;

/// Links records to files, which are locked or linked already.
pub async fn link(tx: &mut Tx, links: &[Link]) -> Result<()> {
    for some in links.chunks(AT_ONCE) {
        let row = |link: &Link| json!({ "key": link.key, "media_key": link.media_key.0, "from_id": link.from_id });
        tx.run(
            sql!(
                "insert into media_connection (key, media_key, from_id)
                 select cast(key as {int}), cast(media_key as {int}), from_id
                 from {rows $1 key media_key from_id}"
            ),
            &params![&some.iter().map(row).collect::<Json>()],
        )
        .await?;
    }
    Ok(())
}

/// Takes away all links of these records.
pub async fn unlink(tx: &mut Tx, from_ids: &[String]) -> Result<()> {
    tx.run(sql!("delete from media_connection where from_id {in $1}"), &params![from_ids.to_vec()]).await.map(|_| ())
}

/// Takes away all links of records that go, and the files that nothing else links to.
pub async fn let_go(tx: &mut Tx, from_ids: &[String]) -> Result<()> {
    let sql = sql!("select distinct media_key from media_connection where from_id {in $1}");
    let keys: Vec<i64> = tx.all(sql, &params![from_ids.to_vec()]).await?;
    if keys.is_empty() {
        return Ok(());
    }
    lock_all(tx, &keys).await?;
    unlink(tx, from_ids).await?;
    remove_unlinked(tx, &keys).await
}

/// Takes away all links of all records of a collection, and the files that nothing else links to.
pub async fn let_go_collection(tx: &mut Tx, collection: Collection) -> Result<()> {
    // What begins with the name and a slash sorts before the name with the next character.
    let of_collection = params![format!("{collection}/"), format!("{collection}0")];
    let sql = sql!("select distinct media_key from media_connection where from_id >= $1 and from_id < $2");
    let keys: Vec<i64> = tx.all(sql, &of_collection).await?;
    if keys.is_empty() {
        return Ok(());
    }
    lock_all(tx, &keys).await?;
    tx.run(sql!("delete from media_connection where from_id >= $1 and from_id < $2"), &of_collection).await?;
    remove_unlinked(tx, &keys).await
}

/// Takes away the links of one record to these files.
pub async fn unlink_some(tx: &mut Tx, from_id: &str, keys: &[i64]) -> Result<()> {
    tx.run(
        sql!("delete from media_connection where from_id = $1 and media_key {in $2}"),
        &params![from_id, keys.to_vec()],
    )
    .await
    .map(|_| ())
}

/// Puts a file into the place of another among a record's links.
pub async fn relink(tx: &mut Tx, from_id: &str, before: MediaKey, after: MediaKey) -> Result<()> {
    tx.run(
        sql!("update media_connection set media_key = $3 where from_id = $1 and media_key = $2"),
        &params![from_id, before, after],
    )
    .await
    .map(|_| ())
}

/// Removes those of these files that no record links to any more; they are locked.
pub async fn remove_unlinked(tx: &mut Tx, keys: &[i64]) -> Result<()> {
    let gone: Vec<(MediaKey, String)> = tx
        .all(
            sql!(
                "delete from media
                 where key {in $1}
                 and not exists (select 1 from media_connection where media_connection.media_key = media.key)
                 returning key, object"
            ),
            &params![keys.to_vec()],
        )
        .await?;
    if gone.is_empty() {
        return Ok(());
    }
    gone.iter().for_each(|(key, _)| tx.changed(Collection::Media, key));
    let objects: Vec<String> = gone.into_iter().map(|(_, object)| object).collect();
    objects_gone(tx, &objects).await
}
