//! What a serial is part of, and what its parts are.

use domain::Timestamp;
use domain::key::{BatchKey, LinkKey, ProductKey, SerialKey, UserKey};
use domain::named;
use domain::serial::{Link, SerialState, TreeChild, TreeLink, order_children};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::production::batches;
use store::serial::references::References;
use store::serial::{serials, tree};

use super::not_found;
use super::read::names;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{ALL, Paging, Query};
use crate::reply::Listed;

#[derive(Deserialize, JsonSchema)]
pub(super) struct OfSerial {
    /// The key of a serial; without it the list is empty.
    serial_key: Option<SerialKey>,
}

named! {
    /// What contains a serial.
    #[schemars(rename = "SerialRelativeType")]
    pub enum RelativeType {
        Serial = "serial",
        /// A batch of an order that is not traced.
        Batch = "batch",
    }
}

/// A unit or batch, and the link between it and the next one.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SerialRelative")]
pub(super) struct Relative {
    r#type: RelativeType,
    /// Null of a batch.
    serial_key: Option<SerialKey>,
    serial_code: Option<String>,
    /// Null of a serial.
    batch_key: Option<BatchKey>,
    product_key: ProductKey,
    product_code: String,
    product_description: Option<String>,
    /// Null of a batch.
    state: Option<SerialState>,
    link_key: LinkKey,
    /// Whether the link has ended.
    replaced: bool,
    /// False: temporary, until the batch is completed.
    confirmed: bool,
    linked: Option<Timestamp>,
    linked_by: Option<UserKey>,
    unlinked: Option<Timestamp>,
    /// Why the link has ended.
    reason: Option<String>,
    /// Always 1.
    quantity: u8,
    /// Of children: the serial that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_key: Option<SerialKey>,
}

pub(super) async fn parents(
    cx: Cx,
    Query(query): Query<OfSerial>,
    Paging(page): Paging<ALL>,
) -> Result<Listed<Relative>> {
    let Some(key) = query.serial_key else { return Ok(Listed::page(Vec::new(), &page)) };
    cx.db
        .read_long(async move |tx: &mut Tx| {
            serials::view(tx, key).await?.ok_or_else(not_found)?;
            let mut rows = Vec::new();
            for link in tree::above(tx, key, None).await?.into_iter().rev() {
                rows.push(parent(tx, link).await?);
            }
            Ok::<_, ApiError>(Listed::page(rows, &page))
        })
        .await
}

async fn parent(tx: &mut Tx, link: Link) -> Result<Relative> {
    let view = match link.parent_key {
        Some(key) => Some(serials::view(tx, key).await?.ok_or_else(not_found)?),
        None => None,
    };
    let batch = match (&view, link.parent_batch_key) {
        (None, Some(key)) => batches::view(tx, key).await?,
        _ => None,
    };
    let product_key = match (&view, &batch) {
        (Some(view), _) => view.serial.product_key.clone(),
        (None, Some((_, product))) => product.clone(),
        (None, None) => return Err(not_found()),
    };
    let name = store::product::products::find(tx, &product_key).await?.ok_or_else(not_found)?;
    let state = view.as_ref().map(serials::SerialView::state);
    Ok(Relative {
        r#type: if view.is_some() { RelativeType::Serial } else { RelativeType::Batch },
        serial_key: link.parent_key,
        serial_code: view.and_then(|view| view.serial.code),
        batch_key: batch.map(|(batch, _)| batch.key),
        product_key,
        product_code: name.data.code,
        product_description: name.data.description,
        state,
        link_key: link.key,
        replaced: link.replaced,
        confirmed: link.confirmed,
        linked: link.linked,
        linked_by: link.linked_by,
        unlinked: link.unlinked,
        reason: link.reason,
        quantity: 1,
        parent_key: None,
    })
}

pub(super) async fn children(
    cx: Cx,
    Query(query): Query<OfSerial>,
    Paging(page): Paging<ALL>,
) -> Result<Listed<Relative>> {
    let Some(key) = query.serial_key else { return Ok(Listed::page(Vec::new(), &page)) };
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let view = serials::view(tx, key).await?.ok_or_else(not_found)?;
            let found = tree::children(tx, key).await?;
            let names = names(tx, found.iter().map(|child| child.row.product_id)).await?;
            let references = References::load(tx, [(view.serial.wo_key, view.serial.product_id)].into_iter()).await?;
            let bom = references.of(view.serial.wo_key, view.serial.product_id);
            let links = found.iter().map(|child| TreeLink {
                key: child.row.key,
                component_key: &names[&child.row.product_id].key,
                linked: child.row.linked,
                replaced: child.row.replaced(),
            });
            let order = order_children(bom, links).into_iter().filter_map(|child| match child {
                TreeChild::Linked { link, .. } => Some(link),
                TreeChild::Expected { .. } => None,
            });
            let rows = order.map(|place| {
                let child = &found[place];
                let name = &names[&child.row.product_id];
                Relative {
                    r#type: RelativeType::Serial,
                    serial_key: Some(child.row.child_key),
                    serial_code: child.row.code.clone(),
                    batch_key: None,
                    product_key: name.key.clone(),
                    product_code: name.code.clone(),
                    product_description: name.description.clone(),
                    state: Some(child.row.state()),
                    link_key: child.row.key,
                    replaced: child.row.replaced(),
                    confirmed: child.row.confirmed(),
                    linked: child.row.linked,
                    linked_by: child.linked_by.clone(),
                    unlinked: child.row.unlinked,
                    reason: child.row.reason.clone(),
                    quantity: 1,
                    parent_key: Some(key),
                }
            });
            Ok::<_, ApiError>(Listed::page(rows.collect(), &page))
        })
        .await
}
