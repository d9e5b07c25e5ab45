use std::collections::HashMap;

use domain::bom_line::BomSource;
use domain::collection::Collection;
use domain::key::{BomLineKey, FileKey, PhaseKey, ProductId, ProductKey, TagKey, id_to_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::attachments::files::{self, Share};
use store::product::boms::{self, Deed};
use store::product::products::{self, Product};
use store::tags::{self, Tagged};
use store::{Lock, Tx};

use super::write::taken;
use super::{named, not_found};
use crate::Result;
use crate::areas::process::copy_process;
use crate::cx::Cx;
use crate::input::{Json, Name};
use crate::reply::{Done, Envelope, envelope};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CopyProduct {
    /// The key of the product to copy, or its code with `by_code`.
    original_product: Name<128>,
    new_code: Name<128>,
    /// The source's when left out.
    #[schemars(length(max = 10_000))]
    new_description: Option<String>,
    #[serde(default)]
    by_code: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProductCopied")]
pub(super) struct Copied {
    new_product_key: ProductKey,
}

pub(super) async fn copy(cx: Cx, Json(body): Json<CopyProduct>) -> Result<Done<Envelope<Copied>>> {
    let (asking, id) = (cx.clone(), cx.new_id()?);
    let copied = cx.change("copy product", async move |tx: &mut Tx| {
        // A component of the copied lines must not be deleted in the meantime.
        tx.lock(Lock::Bom).await?;
        let source = named(tx, &body.original_product.0, body.by_code).await?.ok_or_else(not_found)?;
        // Its image may have been added while we waited for the lock.
        let source = products::find(tx, &source.key).await?.ok_or_else(not_found)?;
        let mut copy = source.clone();
        copy.id = ProductId(id);
        copy.key = ProductKey::trusted(id_to_text(id));
        copy.rev = 1;
        copy.data.code.clone_from(&body.new_code.0);
        if let Some(description) = &body.new_description {
            copy.data.description = Some(description.clone());
        }
        (copy.created, copy.updated, copy.bom_version) = (asking.now(), asking.now(), 0);
        products::save(tx, std::slice::from_ref(&copy)).await?;
        copy_tags(tx, &source, &copy).await?;
        copy_files(tx, &asking, &source, &copy).await?;
        if let Some(name) = &source.img_name {
            products::set_image(tx, &mut copy, Some(name), asking.now()).await?;
        }
        let phases = Box::pin(copy_process(tx, &asking, source.id, copy.id)).await?;
        copy_bom(tx, &asking, &source, &mut copy, phases).await?;
        envelope("Product copied.", Copied { new_product_key: copy.key })
    });
    copied.await.map_err(taken)
}

async fn copy_tags(tx: &mut Tx, source: &Product, copy: &Product) -> Result<()> {
    let on_source = tags::of_records(tx, Collection::Product, &[source.key.to_string()]).await?;
    let keys: Vec<TagKey> = on_source.into_iter().map(|tagged| tagged.tag.key).collect();
    let link = |key: TagKey| (key, Tagged { collection: Collection::Product, key: copy.key.to_string() });
    tags::connect(tx, &keys.into_iter().map(link).collect::<Vec<_>>()).await?;
    Ok(())
}

/// The copy's files share their bytes with the source's; neither is affected by changes to the other.
async fn copy_files(tx: &mut Tx, cx: &Cx, source: &Product, copy: &Product) -> Result<()> {
    let mut shares = Vec::new();
    for (file, _) in files::of_records(tx, "product", &[source.key.to_string()]).await? {
        shares.push(Share { file, key: FileKey(cx.new_id()?), object_key: copy.key.to_string() });
    }
    Ok(files::share(tx, &shares).await?)
}

/// Copies each line to the copy of its phase.
async fn copy_bom(
    tx: &mut Tx,
    cx: &Cx,
    source: &Product,
    copy: &mut Product,
    phases: Vec<(PhaseKey, PhaseKey)>,
) -> Result<()> {
    if source.bom_version == 0 {
        return Ok(());
    }
    let copies: HashMap<PhaseKey, PhaseKey> = phases.into_iter().collect();
    let mut lines = boms::lines(tx, source.id).await?;
    for line in &mut lines {
        line.line.bom_line_key = BomLineKey(cx.new_id()?);
        if let Some(phase) = copies.get(&line.line.phase_key) {
            line.line.phase_key = *phase;
        }
    }
    let deed = Deed { source: BomSource::Copy, by: cx.caller.user_key.clone(), now: cx.now() };
    Ok(boms::replace(tx, copy, &lines, &deed).await?)
}
