//! Stored files: taking them in, and serving them so that nothing in them runs.

mod media_type;
mod serve;

use domain::key::{FileKey, id_to_text};
use multer::Field;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use store::attachments::files::{File, Folder};
use store::media::MediaError;

pub(crate) use serve::routes;

use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;

/// What stays as it is in an address.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The folder of a configuration entry's file.
pub(crate) fn config_folder(key: &str) -> Folder {
    Folder { bucket: "config", object_key: key.to_owned(), subfolder: String::new() }
}

/// Where a file is served: percent-encoded, below `/media`.
pub(crate) fn address(folder: &Folder, name: &str) -> String {
    let subfolder = folder.subfolder.split('/').filter(|part| !part.is_empty());
    let parts = [folder.bucket, &folder.object_key].into_iter().chain(subfolder).chain([name]);
    let encoded: Vec<String> = parts.map(|part| utf8_percent_encode(part, PLAIN).to_string()).collect();
    format!("/media/{}", encoded.join("/"))
}

/// Writes the bytes of one uploaded part as a new object; the record that names it is the caller's to commit.
pub(crate) async fn store_file(
    cx: &Cx,
    part: Field<'static>,
    folder: &Folder,
    key: FileKey,
    name: String,
) -> Result<File> {
    let object_name = id_to_text(key.0);
    let parts = [folder.bucket, &folder.object_key, &object_name];
    let stored = cx.media.put(&parts, part, cx.settings.upload_limit).await.map_err(refusal)?;
    Ok(File {
        key,
        content_type: media_type::of(&name, &stored.head).to_owned(),
        name,
        object: stored.object,
        size: stored.size,
        sha256: stored.sha256,
        created: cx.now(),
        user_key: Some(cx.caller.user_key.clone()),
    })
}

fn refusal(error: MediaError) -> ApiError {
    match error {
        MediaError::TooLarge(limit) => ApiError::too_large(limit),
        MediaError::Cut => ApiError::body_cut(),
        MediaError::Storage(error) => ApiError::internal(&format!("storing a file: {error}"), None),
    }
}
