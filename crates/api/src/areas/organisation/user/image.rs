use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use store::attachments::files::{self, File};
use store::organisation::accounts;

use super::UserPath;
use super::guard::load;
use crate::Result;
use crate::areas::attachments::{Receive, address, user_folder};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{FilePart, Path, Upload};
use crate::reply::{Done, Envelope, envelope};

const MOST_BYTES: u64 = 5 * 1024 * 1024;
/// Kinds of images and how their files are called.
const KINDS: [(&str, &str); 3] =
    [("image/jpeg", "image.jpg"), ("image/png", "image.png"), ("image/webp", "image.webp")];

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "read part by part; this describes them")]
pub(super) struct NewImage {
    new_image: FilePart,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Image {
    /// Where the image is served, or null when there is none.
    image: Option<String>,
}

pub(super) async fn set(cx: Cx, Path(path): Path<UserPath>, upload: Upload<NewImage>) -> Result<Done<Envelope<Image>>> {
    let file = Receive::one("new_image").at_most(MOST_BYTES).from(&cx, upload).await?.the_file()?;
    let uploaded = [file.object.clone()];
    let Some(name) = image_name(&file.content_type) else {
        cx.discard(&file.object).await;
        return Err(ApiError::content_type("a JPEG, PNG or WebP image"));
    };
    let asking = cx.clone();
    let done = cx
        .change("set user image", async move |tx: &mut Tx| {
            let account = load(tx, &asking, &path.user_key).await?;
            let folder = user_folder(&account.key);
            files::remove(tx, &folder, &image_names()).await?;
            files::insert(tx, &folder, &File { name: name.clone(), ..file.clone() }).await?;
            accounts::set_image(tx, &account.key, Some(&name)).await?;
            envelope("Image set.", Image { image: Some(address(&folder, &name)) })
        })
        .await;
    cx.settle(&uploaded, &done).await;
    done
}

/// What an image of that kind is called; none for what is no image.
fn image_name(kind: &str) -> Option<String> {
    KINDS.iter().find(|(known, _)| *known == kind).map(|(_, name)| (*name).to_owned())
}

fn image_names() -> Vec<String> {
    KINDS.iter().map(|(_, name)| (*name).to_owned()).collect()
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
