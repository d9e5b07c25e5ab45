//! How a session is done with positions.

use std::collections::BTreeMap;

use domain::collection::Collection;
use domain::counting::MarkStatus;
use domain::key::{CountSessionKey, PositionKey};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Tx;
use store::counting::{marks, sessions};
use store::warehouse::positions;

use super::TAG;
use super::session::not_found;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Query;
use crate::operation::{Operation, get};
use crate::reply::Bare;
use crate::scope;

pub(super) fn operations() -> Vec<Operation> {
    let path = "/inventory/count-position-status";
    vec![
        get("get_count_position_status", path, TAG, "Read how far the positions in another are counted", status)
            .scope(scope!("inventory:count:read"))
            .describe(
                "Returns, by key, how a session is done with the positions directly in another: `counted` once every product \
                 there has been counted, and every position in it; or `empty`, as somebody has confirmed. Positions that are \
                 still open are left out.",
            )
            .error(404, "No such counting session, or no such position."),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct StatusQuery {
    /// The key of a counting session.
    session_key: CountSessionKey,
    /// The position that contains the others.
    parent_key: PositionKey,
}

async fn status(cx: Cx, Query(query): Query<StatusQuery>) -> Result<Bare<BTreeMap<String, MarkStatus>>> {
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let session = sessions::find(tx, query.session_key).await?.ok_or_else(not_found)?;
            let parent = positions::find(tx, &query.parent_key).await?;
            let parent = parent.ok_or_else(|| ApiError::missing(Collection::Position))?;
            let found = marks::of_children(tx, session.key, &parent.key).await?;
            Ok::<_, ApiError>(Bare(found.into_iter().map(|(key, mark)| (key.to_string(), mark)).collect()))
        })
        .await
}
