//! Files that records link to, under keys of their own.

use domain::Timestamp;
use domain::key::MediaKey;

use super::files::objects_gone;
use crate::row::row_struct;
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

row_struct! {
    pub struct MediaFile {
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

fn media() -> Query {
    Query::new("select key, rev, name, object, size, content_type, sha256, created_at from media")
}

pub async fn find(tx: &mut Tx, key: MediaKey) -> Result<Option<MediaFile>> {
    media().filter("key = {}", key).maybe(tx).await
}

pub async fn lock(tx: &mut Tx, key: MediaKey) -> Result<Option<MediaFile>> {
    media().filter("key = {}", key).locked().maybe(tx).await
}

pub async fn insert(tx: &mut Tx, file: &MediaFile) -> Result<()> {
    tx.changed("Media", file.key);
    tx.run(
        sql!(
            "insert into media (key, rev, name, object, size, content_type, sha256, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8)"
        ),
        &values(file),
    )
    .await
    .map(|_| ())
}

/// Other bytes, name and type under the same key; the object of before is let go.
pub async fn replace(tx: &mut Tx, file: &MediaFile, object_before: &str) -> Result<()> {
    tx.changed("Media", file.key);
    objects_gone(tx, &[object_before.to_owned()]).await?;
    tx.run(
        sql!(
            "update media
             set rev = $2, name = $3, object = $4, size = $5, content_type = $6, sha256 = $7, created_at = $8
             where key = $1"
        ),
        &values(file),
    )
    .await
    .map(|_| ())
}

fn values(file: &MediaFile) -> [Value; 8] {
    params![
        file.key,
        file.rev,
        &file.name,
        &file.object,
        file.size,
        &file.content_type,
        file.sha256.as_slice(),
        file.created_at
    ]
}

/// The `_id`s of the records that link to it.
pub async fn connections(tx: &mut Tx, key: MediaKey) -> Result<Vec<String>> {
    tx.all(sql!("select from_id from media_connection where media_key = $1 order by key"), &params![key]).await
}

pub async fn remove(tx: &mut Tx, file: &MediaFile) -> Result<()> {
    tx.changed("Media", file.key);
    objects_gone(tx, std::slice::from_ref(&file.object)).await?;
    tx.run(sql!("delete from media where key = $1"), &params![file.key]).await.map(|_| ())
}
