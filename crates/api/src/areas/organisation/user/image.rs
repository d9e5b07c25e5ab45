use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use store::attachments::files;
use store::organisation::accounts;

use super::guard::load;
use crate::Result;
use crate::areas::attachments::{address, user_folder};
use crate::areas::paths::UserPath;
use crate::cx::Cx;
use crate::input::{FilePart, Path, Upload};
use crate::receive::{Receive, image_names};
use crate::reply::{Done, Envelope, envelope};

const MOST_BYTES: u64 = 5 * 1024 * 1024;

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "read part by part; this describes them")]
#[schemars(rename = "NewUserImage")]
pub(super) struct NewImage {
    new_image: FilePart,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UserImage")]
pub(super) struct Image {
    /// Where the image is served, or null if there is none.
    image: Option<String>,
}

pub(super) async fn set(cx: Cx, Path(path): Path<UserPath>, upload: Upload<NewImage>) -> Result<Done<Envelope<Image>>> {
    let file = Receive::one("new_image").at_most(MOST_BYTES).image(&cx, upload).await?;
    let uploaded = [file.object.clone()];
    let asking = cx.clone();
    let done = cx
        .change("set user image", async move |tx: &mut Tx| {
            let account = load(tx, &asking, &path.user_key).await?;
            let folder = user_folder(&account.key);
            files::remove(tx, &folder, &image_names()).await?;
            files::insert(tx, &folder, &file).await?;
            accounts::set_image(tx, &account.key, Some(&file.name)).await?;
            envelope("Image set.", Image { image: Some(address(&folder, &file.name)) })
        })
        .await;
    cx.settle(&uploaded, &done).await;
    done
}

pub(super) async fn remove(cx: Cx, Path(path): Path<UserPath>) -> Result<Done<Envelope<Image>>> {
    let asking = cx.clone();
    cx.change("remove user image", async move |tx: &mut Tx| {
        let account = load(tx, &asking, &path.user_key).await?;
        files::remove(tx, &user_folder(&account.key), &image_names()).await?;
        accounts::set_image(tx, &account.key, None).await?;
        envelope("Image removed.", Image { image: None })
    })
    .await
}
