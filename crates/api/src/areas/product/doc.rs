use domain::ErrorData;
use domain::collection::Collection;
use domain::key::ProductKey;
use schemars::JsonSchema;
use serde::Deserialize;
use store::attachments::files;
use store::{Page, Tx};

use super::load;
use crate::Result;
use crate::areas::attachments::product_folder;
use crate::areas::paths::ProductPath;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{FilePart, Path, Upload};
use crate::receive::Receive;
use crate::reply::{Bare, Done, Envelope, envelope};

/// The folder of a product's documents.
const FOLDER: &str = "docs";

/// More documents than anybody keeps.
const ALL: Page = Page { limit: 100_000, offset: 0, count: false };

/// The documents of a product, by name.
pub(crate) async fn documents(tx: &mut Tx, product: &ProductKey) -> Result<Vec<(String, i64)>> {
    let found = files::list(tx, &product_folder(product, FOLDER), false, &ALL).await?;
    Ok(found.rows.into_iter().map(|listed| (listed.file.name, listed.file.size)).collect())
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "NewProductDoc")]
#[expect(dead_code, reason = "read part by part; this describes them")]
pub(super) struct NewDoc {
    new_doc: FilePart,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct DocPath {
    /// The key of a product.
    product_key: ProductKey,
    /// The name of one of the product's documents.
    doc_name: String,
}

pub(super) async fn store(cx: Cx, Path(path): Path<ProductPath>, upload: Upload<NewDoc>) -> Result<Done<Bare<String>>> {
    let file = Receive::one("new_doc").file(&cx, upload).await?;
    let uploaded = [file.object.clone()];
    let asking = cx.clone();
    let done = cx
        .change("store product document", async move |tx: &mut Tx| {
            let product = load(tx, &asking, &path.product_key).await?;
            tx.changed(Collection::Product, &product.key);
            files::put(tx, &product_folder(&product.key, FOLDER), &file).await?;
            Ok(Bare(file.name.clone()))
        })
        .await;
    cx.settle(&uploaded, &done).await;
    done
}

pub(super) async fn remove(cx: Cx, Path(path): Path<DocPath>) -> Result<Done<Envelope<()>>> {
    let asking = cx.clone();
    cx.change("delete product document", async move |tx: &mut Tx| {
        let product = load(tx, &asking, &path.product_key).await?;
        let removed =
            files::remove(tx, &product_folder(&product.key, FOLDER), std::slice::from_ref(&path.doc_name)).await?;
        if removed == 0 {
            let data = ErrorData { filename: Some(path.doc_name.to_string()), ..ErrorData::default() };
            return Err(ApiError::not_found_with("The document was not found.", &data));
        }
        tx.changed(Collection::Product, &product.key);
        envelope("Document deleted.", ())
    })
    .await
}
