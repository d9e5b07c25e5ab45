use std::collections::HashMap;

use domain::collection::Collection;
use domain::key::{PositionKey, record_id};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::warehouse::links::{self, Node};
use store::warehouse::positions;

use super::{inside, not_found};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Query;
use crate::reply::Bare;

#[derive(Deserialize, JsonSchema)]
pub(super) struct TreeQuery {
    /// The key of the position at the top.
    #[serde(default = "inside")]
    position_key: PositionKey,
}

/// A position in a tree.
#[derive(Serialize, JsonSchema)]
pub(super) struct PositionTreeNode {
    /// Its `_id`.
    position_id: String,
    position_key: PositionKey,
    code: String,
    fixed: bool,
    available: bool,
    /// Its `_id`, where it is linked to the position that it is in. Null at the top.
    from: Option<String>,
    /// The `_id` of the position that it is in. Null at the top.
    to: Option<String>,
    /// What is directly in it, by code.
    children: Vec<PositionTreeNode>,
}

pub(super) async fn tree(cx: Cx, Query(query): Query<TreeQuery>) -> Result<Bare<Vec<PositionTreeNode>>> {
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let top = positions::find(tx, &query.position_key).await?.ok_or_else(not_found)?;
            let mut below: HashMap<PositionKey, Vec<Node>> = HashMap::new();
            for node in links::below(tx, &top.key).await? {
                below.entry(node.parent_key.clone()).or_default().push(node);
            }
            let top = PositionTreeNode {
                position_id: record_id(Collection::Position, &top.key),
                code: top.data.code,
                fixed: top.data.fixed,
                available: top.data.available,
                from: None,
                to: None,
                children: children(&top.key, &mut below),
                position_key: top.key,
            };
            Ok::<_, ApiError>(Bare(vec![top]))
        })
        .await
}

/// What is in a position, at every depth. No position is deeper than 99 levels.
fn children(key: &PositionKey, below: &mut HashMap<PositionKey, Vec<Node>>) -> Vec<PositionTreeNode> {
    let nodes = below.remove(key).unwrap_or_default();
    let mut shown = Vec::with_capacity(nodes.len());
    for node in nodes {
        let id = record_id(Collection::Position, &node.key);
        shown.push(PositionTreeNode {
            position_id: id.clone(),
            code: node.code,
            fixed: node.fixed,
            available: node.available,
            from: Some(id),
            to: Some(record_id(Collection::Position, &node.parent_key)),
            children: children(&node.key, below),
            position_key: node.key,
        });
    }
    shown
}
