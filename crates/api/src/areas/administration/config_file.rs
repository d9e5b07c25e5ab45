use domain::config::{KEY_PATTERN, is_known_and_no_file};
use domain::rule::records::NotAFileEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::administration::config;
use store::attachments::files::{self, File, Folder};
use store::{Lock, Tx};

use crate::Result;
use crate::areas::attachments::{address, config_folder};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{FilePart, Given, Path, Upload};
use crate::receive::Receive;
use crate::reply::{Done, Envelope, envelope};

#[derive(Deserialize, JsonSchema)]
pub(super) struct EntryPath {
    /// The key of a configuration entry.
    #[schemars(regex(pattern = KEY_PATTERN))]
    key: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "read part by part; this describes them")]
#[schemars(rename = "ConfigFile")]
pub(super) struct EntryFile {
    /// The new file; without it the stored one is erased.
    #[schemars(default)]
    file: Given<FilePart>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct StoredFile {
    /// Where the file is served, or null if there is none.
    file_path: Option<String>,
}

pub(super) async fn put(
    cx: Cx,
    Path(path): Path<EntryPath>,
    upload: Upload<EntryFile>,
) -> Result<Done<Envelope<StoredFile>>> {
    let folder = config_folder(&path.key);
    let received = Receive::one("file").from(&cx, upload).await?;
    let uploaded = received.objects();
    let file = received.files.into_iter().next();
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

/// Sets the entry to the address of its file.
async fn set(tx: &mut Tx, cx: &Cx, key: &str, folder: &Folder, file: Option<&File>) -> Result<Option<String>> {
    tx.lock(Lock::Config).await?;
    cx.check_revision(config::revision(tx, key).await?)?;
    if is_known_and_no_file(key) {
        return Err(ApiError::rule(
            &NotAFileEntry { key: key.to_string() },
            "This entry is not a file: change it with PATCH /config.",
        ));
    }
    files::clear(tx, folder, &[]).await?;
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
