use domain::key::{MovementListKey, ProductKey};
use domain::warehouse::movement::{ListStatus, MovementType};
use schemars::JsonSchema;
use serde::Deserialize;
use store::warehouse::list_views::{self, Wanted};
use store::warehouse::movement_views;
use store::{Page, Tx};

use super::wire::{Full, ListRecord, records};
use super::{ListPath, not_found};
use crate::Result;
use crate::areas::warehouse::movement::record;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Json, Path, Query, Search};
use crate::reply::{Bare, Listed};

const DAY: &str = "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$";
/// What a text must be that is no day.
const A_DAY: &str = "be a day such as 2026-01-31";

/// Filters for movement lists; all conditions combine.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MovementListSearch")]
pub(in crate::areas::warehouse) struct ListSearch {
    /// Case-insensitive substring of the code.
    #[serde(default)]
    search: Search,
    /// Only these lists.
    #[serde(default)]
    list_key: Vec<MovementListKey>,
    /// Only lists in these statuses.
    #[serde(default)]
    status: Vec<ListStatus>,
    /// Only lists of this type.
    #[serde(rename = "type")]
    kind: Option<MovementType>,
    /// Only lists with a row of one of these products, by key.
    #[serde(default)]
    includes_product_key: Vec<ProductKey>,
    /// Only lists with a row of one of these products, by code.
    #[serde(default)]
    includes_product_code: Vec<String>,
    /// Only lists that are due on this day or later: `YYYY-MM-DD`.
    #[schemars(regex(pattern = DAY), extend("x-checked-as" = "day", "x-must" = A_DAY))]
    due_by_min: Option<String>,
    /// Only lists that are due on this day or earlier: `YYYY-MM-DD`.
    #[schemars(regex(pattern = DAY), extend("x-checked-as" = "day", "x-must" = A_DAY))]
    due_by_max: Option<String>,
    /// Whether to leave out lists that are completed or canceled.
    #[serde(default)]
    open_only: bool,
    /// Maximum number of rows.
    #[serde(default = "usual_limit")]
    #[schemars(range(min = 1, max = 10_000))]
    limit: i64,
    /// Number of rows to skip.
    #[serde(default)]
    #[schemars(range(min = 0))]
    offset: i64,
    /// Adds the header `X-Total-Count`: the number of rows without paging.
    #[serde(default)]
    count: bool,
}

fn usual_limit() -> i64 {
    100
}

impl ListSearch {
    fn page(&self) -> Page {
        Page { limit: self.limit, offset: self.offset, count: self.count }
    }

    fn wanted(self) -> Wanted {
        Wanted {
            search: self.search.pattern(),
            keys: self.list_key.iter().map(|key| key.0).collect(),
            statuses: self.status,
            kind: self.kind,
            product_keys: self.includes_product_key.iter().map(ToString::to_string).collect(),
            product_codes: self.includes_product_code,
            due_from: self.due_by_min,
            due_to: self.due_by_max,
            open_only: self.open_only,
        }
    }
}

pub(super) async fn list(cx: Cx, Query(search): Query<ListSearch>) -> Result<Listed<ListRecord>> {
    found(&cx, search).await
}

/// The same with the filters in a body.
pub(in crate::areas::warehouse) async fn search(cx: Cx, Json(search): Json<ListSearch>) -> Result<Listed<ListRecord>> {
    found(&cx, search).await
}

async fn found(cx: &Cx, search: ListSearch) -> Result<Listed<ListRecord>> {
    let (page, wanted) = (search.page(), search.wanted());
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = list_views::list(tx, &wanted, &page).await?;
            Ok::<_, ApiError>(Listed { rows: records(tx, found.rows).await?, total: found.total })
        })
        .await
}

pub(super) async fn one(cx: Cx, Path(path): Path<ListPath>) -> Result<Bare<Full>> {
    let key = path.movement_list_key;
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let list = list_views::find(tx, key).await?.ok_or_else(not_found)?;
            let mut forms = records(tx, vec![list]).await?;
            let list = forms.pop().ok_or_else(|| ApiError::internal("a movement list without its form", None))?;
            let movements = movement_views::of_list(tx, key).await?.into_iter().map(record).collect();
            Ok::<_, ApiError>(Bare(Full { list, movements }))
        })
        .await
}
