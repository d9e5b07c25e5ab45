use domain::Quantity;
use domain::key::{PositionKey, ProductKey, SerialKey, id_to_text};
use domain::search::Pattern;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::warehouse::contents::{self, Held};
use store::warehouse::links;
use store::warehouse::positions::{self, Wanted};

use super::wire::{PositionRecord, record, records};
use super::{PositionPath, inside, not_found};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path, Query, Search};
use crate::reply::{Counted, Listed};

/// Filters for positions; all conditions combine.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Filters {
    /// Wildcard pattern for the code: `*` is any run of characters, `?` one character.
    search: Option<String>,
    /// Only these positions, by key.
    #[serde(default)]
    position_keys: Vec<PositionKey>,
    /// Only positions in this one, at any depth, without itself.
    #[serde(default = "inside")]
    is_in_position: PositionKey,
    /// Only positions that contain this one, at any depth.
    contains_position: Option<PositionKey>,
    /// Only positions that directly hold stock of one of these products, by key.
    #[serde(default)]
    has_product_key: Vec<ProductKey>,
    /// Only positions that directly hold stock of one of these products, by code.
    #[serde(default)]
    has_product_code: Vec<String>,
    /// Whether to leave out carriers.
    #[serde(default)]
    fixed_only: bool,
}

impl Filters {
    pub(super) fn wanted(self) -> Wanted {
        Wanted {
            is_in: self.is_in_position,
            search: self.search.filter(|text| !text.is_empty()).map(|text| Pattern::wildcard(&text)),
            keys: self.position_keys.iter().map(ToString::to_string).collect(),
            contains: self.contains_position,
            product_keys: self.has_product_key.iter().map(ToString::to_string).collect(),
            product_codes: self.has_product_code,
            fixed_only: self.fixed_only,
        }
    }
}

pub(super) async fn list(
    cx: Cx,
    Query(filters): Query<Filters>,
    Paging(page): Paging<200>,
) -> Result<Listed<PositionRecord>> {
    let wanted = filters.wanted();
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = positions::list(tx, &wanted, &page).await?;
            Ok::<_, ApiError>(Listed { rows: records(tx, found.rows).await?, total: found.total })
        })
        .await
}

/// A position with what is directly in it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PositionContents")]
pub(super) struct Opened {
    position: PositionRecord,
    /// The way to it: from the first level in `IN` or `OUT` down to itself. Empty of `IN`, `OUT` and `NULL`.
    path: Vec<Step>,
    contents: Vec<Content>,
}

/// A position on the way to another.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PositionStep")]
pub(in crate::areas::warehouse) struct Step {
    pub(in crate::areas::warehouse) position_key: PositionKey,
    pub(in crate::areas::warehouse) position_code: String,
}

/// What is directly in a position. Members that do not apply to its type are null.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PositionContent")]
struct Content {
    /// The key of the link to the position.
    _key: String,
    #[serde(rename = "type")]
    kind: ContentKind,
    /// Of a position or a serial, its own code; else that of the product.
    code: Option<String>,
    position_key: Option<PositionKey>,
    position_fixed: Option<bool>,
    product_key: Option<ProductKey>,
    product_code: Option<String>,
    product_description: Option<String>,
    quantity: Option<Quantity>,
    serial_key: Option<SerialKey>,
    serial_code: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "PositionContentType")]
enum ContentKind {
    Position,
    Product,
    Serial,
}

fn content(held: Held) -> Content {
    let kind = match (&held.position_key, held.serial_key) {
        (Some(_), _) => ContentKind::Position,
        (None, Some(_)) => ContentKind::Serial,
        (None, None) => ContentKind::Product,
    };
    Content {
        _key: id_to_text(held.key),
        kind,
        code: held.code,
        position_key: held.position_key,
        position_fixed: held.position_fixed,
        product_key: held.product_key,
        product_code: held.product_code,
        product_description: held.product_description,
        quantity: held.quantity,
        serial_key: held.serial_key,
        serial_code: held.serial_code,
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ContentsQuery {
    /// Case-insensitive substring of the code, or of the code of the product.
    #[serde(default)]
    search: Search,
}

pub(super) async fn one(
    cx: Cx,
    Path(path): Path<PositionPath>,
    Query(query): Query<ContentsQuery>,
    Paging(page): Paging<10_000>,
) -> Result<Counted<Opened>> {
    let pattern = query.search.pattern();
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let key = &path.position_key;
            let position = positions::find(tx, key).await?.ok_or_else(not_found)?;
            let way = links::path(tx, key).await?.into_iter();
            let held = contents::list(tx, key, pattern.as_ref(), &page).await?;
            let opened = Opened {
                position: record(tx, position).await?,
                path: way.map(|step| Step { position_key: step.key, position_code: step.code }).collect(),
                contents: held.rows.into_iter().map(content).collect(),
            };
            Ok::<_, ApiError>(Counted { value: opened, total: held.total })
        })
        .await
}
