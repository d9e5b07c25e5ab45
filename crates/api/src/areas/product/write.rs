use domain::ErrorData;
use domain::key::{ProductId, ProductKey, id_to_text};
use domain::product::ProductData;
use store::attachments::files::{self, File};
use store::product::products::{self, Product};
use store::production::work_orders;
use store::{Constraint, Lock, Tx};

use super::check::{check_references, refuse_reserved};
use super::load;
use super::wire::{ProductChange, ProductDetail, WholeProduct, detail};
use crate::Result;
use crate::areas::attachments::product_folder;
use crate::areas::paths::ProductPath;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{JsonOrUpload, KeyedJson, Path};
use crate::receive::{Receive, as_image};
use crate::reply::{Bare, Done, Envelope, envelope};

pub(super) async fn create(cx: Cx, body: JsonOrUpload<WholeProduct>) -> Result<Done<Envelope<ProductDetail>>> {
    let (body, image) = Receive::either(&cx, body).await?;
    let uploaded: Vec<String> = image.iter().map(|file| file.object.clone()).collect();
    let prepared = prepare(&cx, body, image);
    let (product, image) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            for object in &uploaded {
                cx.discard(object).await;
            }
            return Err(error);
        }
    };
    let asking = cx.clone();
    let created = cx.change("create product", async move |tx: &mut Tx| {
        check_references(tx, None, &product.data).await?;
        let mut product = product.clone();
        products::save(tx, std::slice::from_ref(&product)).await?;
        if let Some(file) = &image {
            files::insert(tx, &product_folder(&product.key, ""), file).await?;
            products::set_image(tx, &mut product, Some(&file.name), asking.now()).await?;
        }
        envelope("Product created.", detail(tx, product).await?)
    });
    let done = created.await.map_err(taken);
    cx.settle(&uploaded, &done).await;
    done
}

/// The new record, and its image under the fixed name of images.
fn prepare(cx: &Cx, body: WholeProduct, image: Option<File>) -> Result<(Product, Option<File>)> {
    let (id, now) = (cx.new_id()?, cx.now());
    let key = match body.key() {
        Some(key) => key.clone(),
        None => ProductKey::trusted(id_to_text(id)),
    };
    refuse_reserved(&key)?;
    let image = image.map(as_image).transpose()?;
    let product = Product {
        id: ProductId(id),
        key,
        rev: 1,
        data: body.into_data(),
        trash: false,
        created: now,
        updated: now,
        bom_version: 0,
        img_name: None,
    };
    Ok((product, image))
}

/// Turns a violated database constraint into an error for the client.
pub(super) fn taken(error: ApiError) -> ApiError {
    match error.constraint() {
        Some(Constraint::ProductCodeTaken) => ApiError::conflict("Another product has this code."),
        _ => error.or_key_taken(),
    }
}

pub(super) async fn change(
    cx: Cx,
    Path(path): Path<ProductPath>,
    KeyedJson(body): KeyedJson<ProductChange>,
) -> Result<Done<Envelope<ProductDetail>>> {
    let (asking, now) = (cx.clone(), cx.now());
    let changed = cx.change("change product", async move |tx: &mut Tx| {
        let mut product = load(tx, &asking, &path.product_key).await?;
        let before = product.data.clone();
        body.clone().apply(&mut product.data);
        save(tx, &mut product, &before, now).await?;
        envelope("Product changed.", detail(tx, product).await?)
    });
    changed.await.map_err(taken)
}

pub(super) async fn replace(
    cx: Cx,
    Path(path): Path<ProductPath>,
    KeyedJson(body): KeyedJson<WholeProduct>,
) -> Result<Done<Bare<ProductDetail>>> {
    let (asking, now) = (cx.clone(), cx.now());
    let replaced = cx.change("replace product", async move |tx: &mut Tx| {
        let mut product = load(tx, &asking, &path.product_key).await?;
        let before = std::mem::replace(&mut product.data, body.clone().into_data());
        save(tx, &mut product, &before, now).await?;
        Ok(Bare(detail(tx, product).await?))
    });
    replaced.await.map_err(taken)
}

/// Stores a changed product, if everything it refers to exists.
async fn save(tx: &mut Tx, product: &mut Product, before: &ProductData, now: domain::Timestamp) -> Result<()> {
    check_references(tx, Some(before), &product.data).await?;
    product.rev += 1;
    product.updated = now;
    Ok(products::save(tx, std::slice::from_ref(product)).await?)
}

pub(super) async fn remove(cx: Cx, Path(path): Path<ProductPath>) -> Result<Done<Envelope<ProductDetail>>> {
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("delete product", async move |tx: &mut Tx| {
        // No bill of materials may start to use it in the meantime.
        tx.lock(Lock::Bom).await?;
        let mut product = load(tx, &asking, &path.product_key).await?;
        let used_in = products::used_in(tx, product.id).await?;
        // The product is locked, so nobody can create an order of it now.
        let orders = work_orders::open_codes(tx, product.id).await?;
        if !used_in.is_empty() || !orders.is_empty() {
            let data = ErrorData { work_order_codes: Some(orders), used_in: Some(used_in), ..ErrorData::default() };
            return Err(ApiError::conflict_with("It has open work orders, or other products contain it.", &data));
        }
        products::trash(tx, &mut product, now).await?;
        envelope("Product deleted.", detail(tx, product).await?)
    })
    .await
}
