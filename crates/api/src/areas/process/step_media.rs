//! The media of one step.

use domain::collection::Collection;
use domain::key::{MediaKey, StepKey, record_id};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Tx;
use store::attachments::media_files::{self, Link, MediaFile};
use store::process::steps;

use super::StepPath;
use crate::Result;
use crate::areas::attachments::{Media, media_file, media_record};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{FilePart, Paging, Path, Upload};
use crate::receive::Receive;
use crate::reply::{Bare, Done, Envelope, Listed, envelope};

pub(super) async fn list(cx: Cx, Path(path): Path<StepPath>, Paging(page): Paging<10_000>) -> Result<Listed<Media>> {
    let read = async move |tx: &mut Tx| {
        steps::find(tx, path.step_key).await?.ok_or_else(absent)?;
        media_of(tx, path.step_key).await
    };
    let media = cx.db.read_long(read).await?;
    Ok(Listed::page(media.into_iter().map(media_record).collect(), &page))
}

fn absent() -> ApiError {
    ApiError::missing(Collection::Step)
}

async fn media_of(tx: &mut Tx, key: StepKey) -> Result<Vec<MediaFile>> {
    let linked = media_files::linked(tx, &[record_id(Collection::Step, key)]).await?;
    Ok(linked.into_iter().map(|linked| linked.media).collect())
}

/// Locks the media of this name of a live step.
async fn lock_named(tx: &mut Tx, key: StepKey, name: &str) -> Result<Vec<i64>> {
    if !steps::touch(tx, key).await? {
        return Err(absent());
    }
    let media: Vec<i64> = media_of(tx, key).await?.iter().map(|media| media.key.0).collect();
    if media.is_empty() {
        return Ok(media);
    }
    let locked = media_files::lock_all(tx, &media).await?;
    Ok(locked.iter().filter(|media| media.name == name).map(|media| media.key.0).collect())
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "NewStepMedia")]
#[expect(dead_code, reason = "read part by part; this describes them")]
pub(super) struct NewMedia {
    media_file: FilePart,
}

pub(super) async fn add(cx: Cx, Path(path): Path<StepPath>, upload: Upload<NewMedia>) -> Result<Done<Bare<String>>> {
    let file = Receive::one("media_file").file(&cx, upload).await?;
    let uploaded = [file.object.clone()];
    let media = media_file(MediaKey(cx.new_id()?), 1, &file, cx.now());
    let link = Link { key: cx.new_id()?, media_key: media.key, from_id: record_id(Collection::Step, path.step_key) };
    let done = cx
        .change("add step media", async move |tx: &mut Tx| {
            let before = lock_named(tx, path.step_key, &media.name).await?;
            media_files::insert(tx, &media).await?;
            match before.as_slice() {
                [] => media_files::link(tx, std::slice::from_ref(&link)).await?,
                [first, others @ ..] => {
                    media_files::relink(tx, &link.from_id, MediaKey(*first), media.key).await?;
                    media_files::unlink_some(tx, &link.from_id, others).await?;
                    media_files::remove_unlinked(tx, &before).await?;
                }
            }
            Ok(Bare(media.name.clone()))
        })
        .await;
    cx.settle(&uploaded, &done).await;
    done
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct StepMediaPath {
    /// The key of a step.
    step_key: StepKey,
    /// The name of a file linked to the step.
    filename: String,
}

pub(super) async fn remove(cx: Cx, Path(path): Path<StepMediaPath>) -> Result<Done<Envelope<()>>> {
    cx.change("remove step media", async move |tx: &mut Tx| {
        let named = lock_named(tx, path.step_key, &path.filename).await?;
        if named.is_empty() {
            return Err(ApiError::not_found("The file was"));
        }
        media_files::unlink_some(tx, &record_id(Collection::Step, path.step_key), &named).await?;
        media_files::remove_unlinked(tx, &named).await?;
        envelope("File removed from the step.", ())
    })
    .await
}
