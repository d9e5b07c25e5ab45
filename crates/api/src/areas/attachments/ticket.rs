use domain::key::{MediaKey, id_from_text};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Tx;
use store::attachments::{files, media_files};

use super::folder::address;
use super::serve::parse_address;
use crate::Result;
use crate::areas::ticket::{self, Ticket};
use crate::auth::media_topic;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Json;
use crate::reply::{Bare, NoStore};
use crate::scope;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FileTicketRequest")]
pub(super) struct TicketFor {
    /// The address of a stored file, `/media/…` or `/api/media/…`.
    #[schemars(length(max = 8192))]
    path: String,
}

pub(super) async fn issue(cx: Cx, Json(body): Json<TicketFor>) -> Result<NoStore<Bare<Ticket>>> {
    let address = match body.path.strip_prefix("/api/media/") {
        Some(key) => media_address(&cx, key).await?,
        None => file_address(&cx, &body.path).await?,
    };
    ticket::issue(&cx, media_topic(&address)).await
}

fn absent() -> ApiError {
    ApiError::not_found("The file was")
}

async fn media_address(cx: &Cx, key: &str) -> Result<String> {
    let scope = scope!("attachment:media:read");
    if !cx.caller.rights.contains(scope) {
        return Err(ApiError::scope(scope.name()));
    }
    let key = MediaKey(id_from_text(key).ok_or_else(absent)?);
    let found = cx.db.glance(async |tx: &mut Tx| media_files::find(tx, key).await).await?;
    found.map(|media| format!("/api/media/{}", media.key)).ok_or_else(absent)
}

async fn file_address(cx: &Cx, path: &str) -> Result<String> {
    let (folder, name) = parse_address(path).ok_or_else(absent)?;
    let found = cx.db.glance(async |tx: &mut Tx| files::find(tx, &folder, &name).await).await?;
    found.map(|file| address(&folder, &file.name)).ok_or_else(absent)
}
