use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use store::attachments::files;
use store::product::products;

use super::load;
use crate::Result;
use crate::areas::attachments::product_folder;
use crate::areas::paths::ProductPath;
use crate::cx::Cx;
use crate::input::{FilePart, Path, Upload};
use crate::receive::{Receive, image_names};
use crate::reply::{Done, Envelope, envelope};

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "NewProductImage")]
#[expect(dead_code, reason = "read part by part; this describes them")]
pub(super) struct NewImage {
    /// JPEG, PNG or WebP.
    new_image: FilePart,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProductImage")]
pub(super) struct Image {
    /// The file's name; it is served at `/media/product/{product_key}/{img_name}`.
    img_name: String,
}

pub(super) async fn set(
    cx: Cx,
    Path(path): Path<ProductPath>,
    upload: Upload<NewImage>,
) -> Result<Done<Envelope<Image>>> {
    let file = Receive::one("new_image").image(&cx, upload).await?;
    let uploaded = [file.object.clone()];
    let (asking, now) = (cx.clone(), cx.now());
    let done = cx
        .change("set product image", async move |tx: &mut Tx| {
            let mut product = load(tx, &asking, &path.product_key).await?;
            let folder = product_folder(&product.key, "");
            files::remove(tx, &folder, &image_names()).await?;
            files::insert(tx, &folder, &file).await?;
            products::set_image(tx, &mut product, Some(&file.name), now).await?;
            envelope("Image set.", Image { img_name: file.name.clone() })
        })
        .await;
    cx.settle(&uploaded, &done).await;
    done
}

pub(super) async fn remove(cx: Cx, Path(path): Path<ProductPath>) -> Result<Done<Envelope<()>>> {
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("remove product image", async move |tx: &mut Tx| {
        let mut product = load(tx, &asking, &path.product_key).await?;
        let removed = files::remove(tx, &product_folder(&product.key, ""), &image_names()).await?;
        if removed > 0 {
            products::set_image(tx, &mut product, None, now).await?;
        }
        envelope("Image removed.", ())
    })
    .await
}
