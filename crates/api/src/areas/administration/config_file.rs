use domain::config::{KEY_PATTERN, is_known_and_no_file};
use domain::fault::Faults;
use domain::key::FileKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::administration::config;
use store::attachments::files::{self, File, Folder};
use store::{Lock, Tx};

use crate::Result;
use crate::areas::attachments::{address, config_folder, store_file};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{FilePart, Path, Upload, file_name};
use crate::reply::{Done, Envelope, envelope};

#[derive(Deserialize, JsonSchema)]
pub(super) struct EntryPath {
    #[schemars(regex(pattern = KEY_PATTERN))]
    key: String,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "read part by part; this describes them")]
pub(super) struct EntryFile {
    /// The new file; without it the stored one is erased.
    file: Option<FilePart>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct StoredFile {
    /// Where the file is served, or null when there is none.
    file_path: Option<String>,
}

pub(super) async fn put(
    cx: Cx,
    Path(path): Path<EntryPath>,
    mut upload: Upload<EntryFile>,
) -> Result<Done<Envelope<StoredFile>>> {
    let folder = config_folder(&path.key);
    let file = receive(&cx, &mut upload, &folder).await?;
    let uploaded: Vec<String> = file.iter().map(|file| file.object.clone()).collect();
    let (writing, key) = (cx.clone(), path.key);
    let done = cx
        .change("config file", async move |tx: &mut Tx| {
            let file_path = set(tx, &writing, &key, &folder, file.as_ref()).await?;
            envelope("File set.", StoredFile { file_path })
        })
        .await;
    cx.settle(&uploaded, &done).await;
    done
}

/// Stores the one file of the body, if there is one; whatever is wrong with the body, nothing is left behind.
async fn receive(cx: &Cx, upload: &mut Upload<EntryFile>, folder: &Folder) -> Result<Option<File>> {
    let mut stored = None;
    let read = read_parts(cx, upload, folder, &mut stored).await;
    if let (Err(_), Some(File { object, .. })) = (&read, &stored) {
        cx.discard(object).await;
    }
    read.map(|()| stored)
}

async fn read_parts(cx: &Cx, upload: &mut Upload<EntryFile>, folder: &Folder, stored: &mut Option<File>) -> Result<()> {
    let mut faults = Faults::at("body");
    while let Some(part) = upload.next().await? {
        if part.name() != Some("file") || stored.is_some() {
            let name = part.name().unwrap_or_default().to_owned();
            faults.within(name.as_str(), |faults| {
                faults.add("extra_forbidden", "Only one part named file.", &Value::Null);
            });
        } else if let Some(name) = file_name(&part, &mut faults) {
            *stored = Some(store_file(cx, part, folder, FileKey(cx.new_id()?), name).await?);
        }
    }
    ApiError::check(faults)
}

/// The entry's new value: the address of its file.
async fn set(tx: &mut Tx, cx: &Cx, key: &str, folder: &Folder, file: Option<&File>) -> Result<Option<String>> {
    tx.lock(Lock::Config).await?;
    cx.check_revision(config::revision(tx, key).await?)?;
    if is_known_and_no_file(key) {
        return Err(ApiError::rule(
            "NotAFileEntry",
            "This entry is no file: change it with PATCH /config.",
            json!({ "key": key }),
        ));
    }
    files::clear(tx, folder).await?;
    let path = match file {
        None => None,
        Some(file) => {
            files::insert(tx, folder, file).await?;
            Some(address(folder, &file.name))
        }
    };
    config::set(tx, key, &json!(path)).await?;
    Ok(path)
}
