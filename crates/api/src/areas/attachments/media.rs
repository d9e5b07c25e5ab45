use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{MediaKey, record_id, revision};
use domain::rule::records::MediaInUse;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::attachments::files::File;
use store::attachments::media_files::{self, MediaFile};
use store::{Constraint, Tx};

use super::serve::{RequestedFile, Served, serve};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{FilePart, Path, Upload};
use crate::receive::Receive;
use crate::reply::{Done, Envelope, envelope};

#[derive(Deserialize, JsonSchema)]
pub(super) struct MediaPath {
    /// The key of a media file.
    media_key: MediaKey,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "read part by part; this describes them")]
pub(super) struct NewMedia {
    file: FilePart,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Media")]
pub(crate) struct MediaRecord {
    _id: String,
    _key: MediaKey,
    _rev: String,
    name: String,
    /// In bytes.
    size: i64,
    /// Detected by the service.
    content_type: String,
    created_at: Timestamp,
}

pub(crate) fn record(media: MediaFile) -> MediaRecord {
    MediaRecord {
        _id: record_id(Collection::Media, media.key),
        _key: media.key,
        _rev: revision(media.rev),
        name: media.name,
        size: media.size,
        content_type: media.content_type,
        created_at: media.created_at,
    }
}

pub(crate) fn media_file(key: MediaKey, rev: i64, file: &File, created_at: Timestamp) -> MediaFile {
    MediaFile {
        key,
        rev,
        name: file.name.clone(),
        object: file.object.clone(),
        size: file.size,
        content_type: file.content_type.clone(),
        sha256: file.sha256.clone(),
        created_at,
    }
}

pub(super) async fn create(cx: Cx, upload: Upload<NewMedia>) -> Result<Done<Envelope<MediaRecord>>> {
    let file = Receive::one("file").file(&cx, upload).await?;
    let uploaded = [file.object.clone()];
    let media = media_file(MediaKey(cx.new_id()?), 1, &file, cx.now());
    let done = cx
        .change("create media", async move |tx: &mut Tx| {
            media_files::insert(tx, &media).await?;
            envelope("Media file created.", record(media.clone()))
        })
        .await;
    cx.settle(&uploaded, &done).await;
    done
}

pub(super) async fn replace(
    cx: Cx,
    Path(path): Path<MediaPath>,
    upload: Upload<NewMedia>,
) -> Result<Done<Envelope<MediaRecord>>> {
    let file = Receive::one("file").file(&cx, upload).await?;
    let uploaded = [file.object.clone()];
    let asking = cx.clone();
    let done = cx
        .change("replace media", async move |tx: &mut Tx| {
            let before = load(tx, &asking, path.media_key).await?;
            let media = media_file(before.key, before.rev + 1, &file, before.created_at);
            media_files::replace(tx, &media, &before.object).await?;
            envelope("Media file replaced.", record(media))
        })
        .await;
    cx.settle(&uploaded, &done).await;
    done
}

pub(super) async fn bytes(cx: Cx, Path(path): Path<MediaPath>) -> Result<Served> {
    serve(&cx.app, &cx.request.conditions, &RequestedFile::Media(path.media_key)).await
}

pub(super) async fn remove(cx: Cx, Path(path): Path<MediaPath>) -> Result<Done<Envelope<MediaRecord>>> {
    let asking = cx.clone();
    let removed = cx.change("delete media", async move |tx: &mut Tx| {
        let media = load(tx, &asking, path.media_key).await?;
        let connections = media_files::connections(tx, media.key).await?;
        if !connections.is_empty() {
            return Err(in_use(&connections));
        }
        media_files::remove(tx, &media).await?;
        envelope("Media file deleted.", record(media))
    });
    match removed.await {
        // A record has started to link to it in the meantime.
        Err(error) if error.constraint() == Some(Constraint::Reference) => {
            let connections = async |tx: &mut Tx| media_files::connections(tx, path.media_key).await;
            Err(in_use(&cx.db.glance(connections).await?))
        }
        removed => removed,
    }
}

fn in_use(connections: &[String]) -> ApiError {
    ApiError::rule(&MediaInUse { connections: connections.to_vec() }, "Records link to this file.")
}

async fn load(tx: &mut Tx, cx: &Cx, key: MediaKey) -> Result<MediaFile> {
    let media = media_files::lock(tx, key).await?.ok_or_else(|| ApiError::missing(Collection::Media))?;
    cx.check_revision(Some(media.rev))?;
    Ok(media)
}
