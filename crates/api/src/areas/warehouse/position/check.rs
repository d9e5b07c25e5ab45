//! Checks of the place that a position gets.

use domain::fault::Faults;
use domain::key::PositionKey;
use domain::rule::warehouse::PositionCycleException;
use domain::warehouse::{DEEPEST, NOWHERE, way_down};
use serde_json::json;
use store::Tx;
use store::warehouse::{links, positions};

use crate::Result;
use crate::error::ApiError;

/// Checks that a new position, or one that is moved with everything in it, can be in this parent. The tree is locked.
pub(super) async fn check_parent(tx: &mut Tx, parent: &PositionKey, moved: Option<&PositionKey>) -> Result<()> {
    if parent.as_str() == NOWHERE {
        return refuse(parent, "value_error", "No position can be in NULL.");
    }
    if positions::which_exist(tx, &[parent.to_string()]).await?.is_empty() {
        return refuse(parent, "position_not_found", "There is no such position.");
    }
    let way: Vec<PositionKey> = links::path(tx, parent).await?.into_iter().map(|step| step.key).collect();
    let mut level = way.len() as i64 + 1;
    if let Some(moved) = moved {
        if let Some(path) = way_down(moved, &way) {
            let rule = PositionCycleException { rule: "cycle", path };
            return Err(ApiError::rule(&rule, "The position would be in itself."));
        }
        level += links::height(tx, moved).await?;
    }
    if level > DEEPEST as i64 {
        return refuse(parent, "position_too_deep", "Positions would be nested more than 99 levels deep.");
    }
    Ok(())
}

fn refuse(parent: &PositionKey, kind: &'static str, why: &str) -> Result<()> {
    let mut faults = Faults::at("body");
    faults.within("parent_position_key", |faults| faults.add(kind, why, &json!(parent)));
    ApiError::check(faults)
}
