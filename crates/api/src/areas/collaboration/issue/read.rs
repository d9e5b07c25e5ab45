use domain::collaboration::flagged;
use domain::filter::AdvancedFilters;
use domain::key::{
    IssueKey, IssueTypeKey, JobKey, OperationKey, PhaseKey, ProductKey, SerialKey, UserKey, WorkOrderKey,
};
use domain::{Timestamp, Until};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Tx;
use store::collaboration::issue_views::{self, IssueView, Sort, Wanted};

use super::wire::{self, IssueRecord};
use super::{IssuePath, links, not_found};
use crate::Result;
use crate::areas::filters;
use crate::areas::sorting::SortingOrder;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path, Query, Search};
use crate::reply::{Bare, Listed};

#[derive(Deserialize, JsonSchema)]
pub(super) struct IssuesQuery {
    /// Only these issues.
    #[serde(default)]
    issue_key: Vec<IssueKey>,
    /// Only of these types.
    #[serde(default)]
    issue_type_key: Vec<IssueTypeKey>,
    /// Only about these products.
    #[serde(default)]
    product_key: Vec<ProductKey>,
    /// Only about these work orders.
    #[serde(default)]
    work_order_key: Vec<WorkOrderKey>,
    /// Only about these jobs.
    #[serde(default)]
    job_key: Vec<JobKey>,
    /// Only about these phases.
    #[serde(default)]
    phase_key: Vec<PhaseKey>,
    /// Only about these operations.
    #[serde(default)]
    operation_key: Vec<OperationKey>,
    /// Only about these serials.
    #[serde(default)]
    serial_key: Vec<SerialKey>,
    /// Only those that these users created.
    #[serde(default)]
    created_by: Vec<UserKey>,
    /// Only those that these users closed.
    #[serde(default)]
    closed_by: Vec<UserKey>,
    /// Case-insensitive substring of title, description or key.
    #[serde(default)]
    search: Search,
    /// Case-insensitive substring of the key.
    #[serde(default)]
    issue_key_search: Search,
    /// Case-insensitive substring of the code of a product that it is about.
    #[serde(default)]
    product_code_search: Search,
    /// Case-insensitive substring of the code of a work order that it is about.
    #[serde(default)]
    work_order_code_search: Search,
    /// Case-insensitive substring of the code of a project that it is about.
    #[serde(default)]
    project_search: Search,
    /// Case-insensitive substring of the code of a serial that it is about.
    #[serde(default)]
    serial_search: Search,
    /// Case-insensitive substring of the name of a phase that it is about.
    #[serde(default)]
    phase_alias_search: Search,
    /// Created then or later.
    time_created_from: Option<Timestamp>,
    /// Created then or earlier; a bare date means the end of that day.
    time_created_to: Option<Until>,
    /// Closed then or later.
    time_closed_from: Option<Timestamp>,
    /// Closed then or earlier; a bare date means the end of that day.
    time_closed_to: Option<Until>,
    /// Open issues.
    issue_open: Option<bool>,
    /// Closed issues.
    issue_closed: Option<bool>,
    /// Critical issues.
    issue_critical: Option<bool>,
    /// Issues that are not critical.
    issue_non_critical: Option<bool>,
    /// Conditions on field values: `{"operator": "AND", "filters": [{"_key": "<custom field>", "value": …}]}` as JSON or in base64;
    /// `operator` is `AND` or `OR`. A number is compared by `{"min": …, "max": …}`, of which one is enough.
    advanced_filters: Option<String>,
    /// Adds `links`: the first record of each kind that an issue is about, as a whole.
    #[serde(default)]
    with_links: bool,
    /// What to sort by; those without a value come last.
    #[serde(default)]
    sort_by: SortBy,
    /// Ascending or descending.
    #[serde(default)]
    sorting_order: SortingOrder,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "IssueSortBy")]
enum SortBy {
    #[default]
    Created,
    Closed,
    Updated,
    IssueTypeName,
    Critical,
    Open,
}

impl From<SortBy> for Sort {
    fn from(sort: SortBy) -> Self {
        match sort {
            SortBy::Created => Sort::Created,
            SortBy::Closed => Sort::Closed,
            SortBy::Updated => Sort::Updated,
            SortBy::IssueTypeName => Sort::IssueTypeName,
            SortBy::Critical => Sort::Critical,
            SortBy::Open => Sort::Open,
        }
    }
}

async fn wanted(tx: &mut Tx, query: IssuesQuery, filters: Option<&AdvancedFilters>) -> Result<Wanted> {
    Ok(Wanted {
        fields: filters::conditions(tx, filters).await?,
        keys: query.issue_key.iter().map(|key| key.0).collect(),
        issue_type_keys: texts(&query.issue_type_key),
        product_keys: texts(&query.product_key),
        order_keys: query.work_order_key.iter().map(|key| key.0).collect(),
        job_keys: query.job_key.iter().map(|key| key.0).collect(),
        phase_keys: query.phase_key.iter().map(|key| key.0).collect(),
        operation_keys: texts(&query.operation_key),
        serial_keys: query.serial_key.iter().map(|key| key.0).collect(),
        created_by: texts(&query.created_by),
        closed_by: texts(&query.closed_by),
        search: query.search.pattern(),
        key_search: query.issue_key_search.pattern(),
        product_code: query.product_code_search.pattern(),
        order_code: query.work_order_code_search.pattern(),
        project: query.project_search.pattern(),
        serial_code: query.serial_search.pattern(),
        phase_alias: query.phase_alias_search.pattern(),
        created_from: query.time_created_from,
        created_to: query.time_created_to.map(|until| until.0),
        closed_from: query.time_closed_from,
        closed_to: query.time_closed_to.map(|until| until.0),
        open: Some(flagged(&[(true, query.issue_open), (false, query.issue_closed)])),
        critical: Some(flagged(&[(true, query.issue_critical), (false, query.issue_non_critical)])),
    })
}

fn texts(keys: &[impl ToString]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}

pub(super) async fn search(
    cx: Cx,
    Query(query): Query<IssuesQuery>,
    Paging(page): Paging<200>,
) -> Result<Listed<IssueRecord>> {
    let filters = filters::parsed(query.advanced_filters.as_deref())?;
    let now = cx.now();
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let order = (Sort::from(query.sort_by), query.sorting_order == SortingOrder::Desc);
            let with_links = query.with_links;
            let wanted = wanted(tx, query, filters.as_ref()).await?;
            let found = issue_views::list(tx, &wanted, order, &page).await?;
            let rows =
                if with_links { whole(tx, found.rows, now).await? } else { wire::records(tx, found.rows).await? };
            Ok::<_, ApiError>(Listed { rows, total: found.total })
        })
        .await
}

pub(super) async fn one(cx: Cx, Path(path): Path<IssuePath>) -> Result<Bare<IssueRecord>> {
    let now = cx.now();
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let issue = issue_views::find(tx, path.issue_key).await?.ok_or_else(not_found)?;
            let shown = whole(tx, vec![issue], now).await?.pop();
            shown.map(Bare).ok_or_else(|| ApiError::internal("an issue without its form", None))
        })
        .await
}

/// Issues with the records that they are about.
async fn whole(tx: &mut Tx, issues: Vec<IssueView>, now: Timestamp) -> Result<Vec<IssueRecord>> {
    let (mut records, targets): (Vec<IssueRecord>, Vec<_>) = wire::with_targets(tx, issues).await?.into_iter().unzip();
    for (record, links) in records.iter_mut().zip(links::load(tx, targets, now).await?) {
        record.links = Some(links);
    }
    Ok(records)
}
