use std::collections::HashMap;

use domain::key::{PositionKey, ProductKey, UserKey};
use domain::warehouse::movement::MovementType;
use schemars::JsonSchema;
use serde::Deserialize;
use store::product::products::{self, Product};
use store::warehouse::latest::{self, Recent};
use store::warehouse::positions::{self, Position};
use store::{Page, Tx};

use crate::Result;
use crate::areas::product::{ProductBase, bases};
use crate::areas::warehouse::position::{PositionRecord, position_records};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Query};
use crate::reply::Listed;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "MovementSide")]
enum Side {
    From,
    #[default]
    To,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct PositionsQuery {
    /// Only movements of this user.
    user_key: Option<UserKey>,
    /// Whether to return where movements came from, or where they went to.
    #[serde(default)]
    position_type: Side,
    /// Only movements of this type.
    movement_type: Option<MovementType>,
}

pub(super) async fn positions(
    cx: Cx,
    Query(query): Query<PositionsQuery>,
    Paging(page): Paging<10>,
) -> Result<Listed<PositionRecord>> {
    let recent = Recent { user_key: query.user_key, kind: query.movement_type };
    let from = query.position_type == Side::From;
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let keys = Listed::page(latest::positions(tx, &recent, from, wanted(&page)).await?, &page);
            let found = positions::with_keys(tx, &texts(&keys.rows)).await?;
            let mut found: HashMap<PositionKey, Position> =
                found.into_iter().map(|position| (position.key.clone(), position)).collect();
            let in_order = keys.rows.iter().filter_map(|key| found.remove(key)).collect();
            Ok::<_, ApiError>(Listed { rows: position_records(tx, in_order).await?, total: keys.total })
        })
        .await
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ProductsQuery {
    /// Only movements of this user.
    user_key: Option<UserKey>,
    /// Only movements of this type.
    movement_type: Option<MovementType>,
    /// The same as `movement_type`.
    #[serde(rename = "type")]
    kind: Option<MovementType>,
}

pub(super) async fn products(
    cx: Cx,
    Query(query): Query<ProductsQuery>,
    Paging(page): Paging<10>,
) -> Result<Listed<ProductBase>> {
    let recent = Recent { user_key: query.user_key, kind: query.movement_type.or(query.kind) };
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let keys = Listed::page(latest::products(tx, &recent, wanted(&page)).await?, &page);
            let found = products::find_all(tx, &texts(&keys.rows)).await?;
            let mut found: HashMap<ProductKey, Product> =
                found.into_iter().map(|product| (product.key.clone(), product)).collect();
            let in_order = keys.rows.iter().filter_map(|key| found.remove(key)).collect();
            Ok::<_, ApiError>(Listed { rows: bases(tx, in_order).await?, total: keys.total })
        })
        .await
}

/// How many have to be found for a page; all of them to count them.
fn wanted(page: &Page) -> Option<usize> {
    let until = usize::try_from(page.offset.saturating_add(page.limit)).unwrap_or(usize::MAX);
    (!page.count).then_some(until)
}

fn texts(keys: &[impl ToString]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}
