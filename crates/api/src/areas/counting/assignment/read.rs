use domain::counting::{AssignmentStatus, CountType};
use domain::key::{CountSessionKey, PositionKey, ProductKey, UserKey};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Tx;
use store::counting::assignments::{self, Wanted};

use super::wire::{AssignmentRecord, record};
use crate::Result;
use crate::areas::filters::wildcard;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Query};
use crate::reply::Listed;

/// Filters for assignments; all conditions combine.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Filters {
    /// Only those of this session.
    inventory_count_session_key: Option<CountSessionKey>,
    /// Only those with targets of this type.
    assignment_type: Option<CountType>,
    /// Only those whose target is this product.
    product_key: Option<ProductKey>,
    /// Wildcard pattern for the code of the product: `*` is any run of characters, `?` one character.
    product_search: Option<String>,
    /// Only those whose target is this position.
    position_key: Option<PositionKey>,
    /// Wildcard pattern for the code of the position.
    position_search: Option<String>,
    /// Only those of this user.
    assigned_to: Option<UserKey>,
    /// Only those in this status.
    status: Option<AssignmentStatus>,
    /// Which targets come first; all by code when left out.
    order_by: Option<CountType>,
}

impl Filters {
    fn wanted(self) -> Wanted {
        Wanted {
            session_key: self.inventory_count_session_key,
            target_type: self.assignment_type,
            product_key: self.product_key,
            product_code: wildcard(self.product_search),
            position_key: self.position_key,
            position_code: wildcard(self.position_search),
            assigned_to: self.assigned_to,
            status: self.status,
            first: self.order_by,
        }
    }
}

pub(super) async fn list(
    cx: Cx,
    Query(filters): Query<Filters>,
    Paging(page): Paging<500>,
) -> Result<Listed<AssignmentRecord>> {
    let wanted = filters.wanted();
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = assignments::list(tx, &wanted, &page).await?;
            Ok::<_, ApiError>(Listed { rows: found.rows.into_iter().map(record).collect(), total: found.total })
        })
        .await
}
