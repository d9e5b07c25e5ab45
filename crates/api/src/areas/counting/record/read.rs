use domain::key::{CountAssignmentKey, CountSessionKey, PositionKey, ProductKey, UserKey};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Tx;
use store::counting::views::{self, Wanted};

use super::may_apply;
use super::wire::{RecordRow, rows};
use crate::Result;
use crate::areas::counting::yes;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Query};
use crate::reply::Listed;

/// Filters for what was counted; all conditions combine.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Filters {
    /// Only what was counted in this session.
    count_session_key: Option<CountSessionKey>,
    /// Only what this user has counted.
    user_key: Option<UserKey>,
    /// Only what was counted for this assignment.
    assignment_key: Option<CountAssignmentKey>,
    /// Only this product.
    product_key: Option<ProductKey>,
    /// Only what was counted at exactly this position.
    position_key: Option<PositionKey>,
    /// Whether to include what is being counted.
    #[serde(default = "yes")]
    include_started: bool,
    /// Whether to include what was counted and not discarded.
    #[serde(default = "yes")]
    include_completed: bool,
    /// Whether to include what was discarded.
    #[serde(default = "yes")]
    include_discarded: bool,
}

impl Filters {
    pub(super) fn wanted(self) -> Wanted {
        Wanted {
            session_key: self.count_session_key,
            user_key: self.user_key,
            assignment_key: self.assignment_key,
            product_key: self.product_key,
            position_key: self.position_key,
            without_started: !self.include_started,
            without_completed: !self.include_completed,
            without_discarded: !self.include_discarded,
        }
    }
}

pub(super) async fn list(
    cx: Cx,
    Query(filters): Query<Filters>,
    Paging(page): Paging<500>,
) -> Result<Listed<RecordRow>> {
    let (wanted, sees_all) = (filters.wanted(), may_apply(&cx));
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = views::list(tx, &wanted, &page).await?;
            Ok::<_, ApiError>(Listed { rows: rows(tx, found.rows, sees_all).await?, total: found.total })
        })
        .await
}
