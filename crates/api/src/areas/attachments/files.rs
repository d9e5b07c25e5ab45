use domain::ErrorData;
use std::collections::HashSet;

use domain::Timestamp;
use domain::fault::Faults;
use domain::key::{KEY_PATTERN, UserKey, is_key};
use domain::text::hex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Tx;
use store::attachments::files::{self, File, Folder};

use super::folder::{Bucket, FolderTarget, address};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{FilePart, Given, Json, Paging, Query, Upload};
use crate::receive::{Receive, Received, is_image_name};
use crate::reply::{Done, Envelope, Listed, envelope};

const IMAGE_APART: &str = "The image of a record is set and removed by its own operations.";

/// Maximum number of files in one upload.
pub(super) const MOST_FILES: usize = 100;

#[derive(Serialize, JsonSchema)]
pub(super) struct FileEntry {
    name: String,
    #[schemars(with = "Bucket")]
    bucket: &'static str,
    object_key: String,
    subfolder: String,
    /// In bytes.
    size: i64,
    /// Detected by the service.
    content_type: String,
    sha256: String,
    created: Timestamp,
    /// Who stored it.
    user_key: Option<UserKey>,
    /// Where it is served, percent-encoded.
    path: String,
}

fn entry(folder: &Folder, file: File) -> FileEntry {
    FileEntry {
        path: address(folder, &file.name),
        name: file.name,
        bucket: folder.bucket,
        object_key: folder.object_key.clone(),
        subfolder: folder.subfolder.clone(),
        size: file.size,
        content_type: file.content_type,
        sha256: hex(&file.sha256),
        created: file.created,
        user_key: file.user_key,
    }
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "read part by part; this describes them")]
pub(super) struct NewFiles {
    #[schemars(length(min = 1, max = MOST_FILES))]
    contents: Vec<FilePart>,
    bucket: Bucket,
    /// Key of the record they belong to.
    #[schemars(regex(pattern = KEY_PATTERN))]
    object_key: String,
    /// Folder names joined by `/`, at most 8.
    #[schemars(default)]
    subfolder: Given<String>,
    /// Removes the files directly in the folder first, except the image of a user or product.
    #[schemars(default)]
    reset_folder: Given<bool>,
}

pub(super) async fn store(cx: Cx, upload: Upload<NewFiles>) -> Result<Done<Envelope<Vec<FileEntry>>>> {
    const FIELDS: &[&str] = &["bucket", "object_key", "subfolder", "reset_folder"];
    let form = Receive::many("contents", MOST_FILES, FIELDS).form(&cx, upload, read_form);
    let (received, (target, reset)) = form.await?;
    let uploaded = received.objects();
    let stored = received.files;
    let done = cx
        .change("store files", async move |tx: &mut Tx| {
            let folder = target.hold(tx).await?;
            tx.changed(target.bucket.collection(), &target.object_key);
            if reset {
                files::clear(tx, &folder, &target.reserved()).await?;
            }
            for file in &stored {
                files::put(tx, &folder, file).await?;
            }
            let entries = stored.iter().map(|file| entry(&folder, file.clone())).collect();
            envelope("Files stored.", entries)
        })
        .await;
    cx.settle(&uploaded, &done).await;
    done
}

fn read_form(received: &Received, faults: &mut Faults) -> Option<(FolderTarget, bool)> {
    if received.files.is_empty() {
        faults.within("contents", |faults| faults.add("missing", "At least one file is required.", &Value::Null));
    }
    let field = |name: &str| received.fields.get(name).map(String::as_str);
    let bucket = match field("bucket") {
        None => required("bucket", faults),
        Some(name) => Bucket::named(name).or_else(|| {
            faults.within("bucket", |faults| faults.add("enum", "Is not a bucket.", &json!(name)));
            None
        }),
    };
    let object_key = match field("object_key") {
        None => required("object_key", faults),
        Some(key) if is_key(key) => Some(key.to_owned()),
        Some(other) => {
            let why = format!("Must match {KEY_PATTERN}.");
            faults.within("object_key", |faults| faults.add("string_pattern_mismatch", why, &json!(other)));
            None
        }
    };
    let reset = match field("reset_folder") {
        None | Some("" | "false") => false,
        Some("true") => true,
        Some(other) => {
            faults.within("reset_folder", |faults| faults.add("bool_type", "Must be true or false.", &json!(other)));
            false
        }
    };
    let subfolder = field("subfolder").unwrap_or("").to_owned();
    let target = FolderTarget { bucket: bucket?, object_key: object_key?, subfolder };
    for file in received.files.iter().filter(|file| target.keeps_image() && is_image_name(&file.name)) {
        faults.within("contents", |faults| faults.add("value_error", IMAGE_APART, &json!(file.name)));
    }
    Some((target, reset))
}

fn required<T>(name: &str, faults: &mut Faults) -> Option<T> {
    faults.within(name, |faults| faults.add("missing", "Is required.", &Value::Null));
    None
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RemoveFiles {
    #[schemars(length(min = 1))]
    filenames: Vec<String>,
    bucket: Bucket,
    #[schemars(regex(pattern = KEY_PATTERN))]
    object_key: String,
    #[serde(default)]
    subfolder: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FilesDeleted")]
pub(super) struct Deleted {
    deleted: usize,
}

pub(super) async fn remove(cx: Cx, Json(body): Json<RemoveFiles>) -> Result<Done<Envelope<Deleted>>> {
    let target = FolderTarget { bucket: body.bucket, object_key: body.object_key, subfolder: body.subfolder };
    let names = body.filenames;
    let (images, mut faults) = (target.reserved(), Faults::at("body"));
    for name in names.iter().filter(|name| images.contains(name)) {
        faults.within("filenames", |faults| faults.add("value_error", IMAGE_APART, &json!(name)));
    }
    ApiError::check(faults)?;
    cx.change("delete files", async move |tx: &mut Tx| {
        let folder = target.hold(tx).await?;
        let present: HashSet<String> = files::present(tx, &folder, &names).await?.into_iter().collect();
        if let Some(missing) = names.iter().find(|name| !present.contains(*name)) {
            let data = ErrorData { filename: Some(missing.to_string()), ..ErrorData::default() };
            return Err(ApiError::not_found_with("The file was not found.", &data));
        }
        tx.changed(target.bucket.collection(), &target.object_key);
        let deleted = files::remove(tx, &folder, &names).await?;
        envelope("Files deleted.", Deleted { deleted })
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct FilesQuery {
    /// The kind of record that the files belong to.
    bucket: Bucket,
    /// The key of that record.
    #[schemars(regex(pattern = KEY_PATTERN))]
    object_key: String,
    /// A folder of the record, such as `docs`; its top folder when left out.
    #[serde(default)]
    subfolder: String,
    /// Whether to include the files of all folders below this one.
    #[serde(default)]
    recursive: bool,
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<FilesQuery>,
    Paging(page): Paging<10_000>,
) -> Result<Listed<FileEntry>> {
    let FilesQuery { bucket, object_key, subfolder, recursive } = query;
    let target = FolderTarget { bucket, object_key: object_key.clone(), subfolder };
    let found = cx
        .db
        .read_long(async move |tx: &mut Tx| {
            let folder = target.find(tx).await?;
            Ok::<_, ApiError>(files::list(tx, &folder, recursive, &page).await?)
        })
        .await?;
    let rows = found.rows.into_iter().map(|listed| {
        let folder = Folder { bucket: bucket.name(), object_key: object_key.clone(), subfolder: listed.subfolder };
        entry(&folder, listed.file)
    });
    Ok(Listed { rows: rows.collect(), total: found.total })
}
