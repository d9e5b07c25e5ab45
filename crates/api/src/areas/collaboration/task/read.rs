use domain::collaboration::{LinkSetting, TaskStatus, TaskTarget, every_setting, flagged};
use domain::filter::AdvancedFilters;
use domain::key::{IssueKey, ProductKey, SerialKey, TaskKey, TaskTypeKey, UserKey, WorkOrderKey};
use domain::{Timestamp, Until};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::Tx;
use store::collaboration::task_time::{self, Spent};
use store::collaboration::task_types;
use store::collaboration::task_views::{self, Wanted};

use super::links::{self, LinkShown};
use super::wire::{TaskRecord, record};
use super::{TaskPath, not_found};
use crate::Result;
use crate::areas::filters;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path, Query, Search};
use crate::reply::{Bare, Listed};

#[derive(Deserialize, JsonSchema)]
pub(super) struct TasksQuery {
    /// Case-insensitive substring of title or description.
    #[serde(default)]
    search: Search,
    /// Wildcard pattern for the code: `*` is any run of characters, `?` one character.
    code: Option<String>,
    /// Only tasks of this type.
    task_type_key: Option<TaskTypeKey>,
    /// Pending tasks: those that were suspended.
    status_pending: Option<bool>,
    /// Open tasks.
    status_open: Option<bool>,
    /// Completed tasks.
    status_completed: Option<bool>,
    /// Canceled tasks.
    status_canceled: Option<bool>,
    /// Only tasks that this user answers for.
    owner_key: Option<UserKey>,
    /// Only tasks that are assigned to any of these users, whether they own it or take part.
    #[serde(default)]
    assigned_to: Vec<UserKey>,
    /// To be started then or later. A task without the date fits neither bound; so with the others.
    start_from_min: Option<Timestamp>,
    /// To be started then or earlier; a bare date means the end of that day.
    start_from_max: Option<Until>,
    /// Due then or later.
    due_by_min: Option<Timestamp>,
    /// Due then or earlier; a bare date means the end of that day.
    due_by_max: Option<Until>,
    /// Created then or later.
    created_min: Option<Timestamp>,
    /// Created then or earlier; a bare date means the end of that day.
    created_max: Option<Until>,
    /// Completed or canceled then or later.
    closed_min: Option<Timestamp>,
    /// Completed or canceled then or earlier; a bare date means the end of that day.
    closed_max: Option<Until>,
    /// Conditions on field values: `{"operator": "AND", "filters": [{"_key": "<custom field>", "value": …}]}` as JSON or in base64;
    /// `operator` is `AND` or `OR`. A number is compared by `{"min": …, "max": …}`, of which one is enough.
    advanced_filters: Option<String>,
    /// Only tasks that are linked to this issue.
    issue_key: Option<IssueKey>,
    /// Only tasks that are linked to this work order.
    work_order_key: Option<WorkOrderKey>,
    /// Only tasks that are linked to this product.
    product_key: Option<ProductKey>,
    /// Only tasks that are linked to this serial.
    serial_key: Option<SerialKey>,
    /// Only tasks that are linked to this task, whichever of the two the link was made from.
    linked_task_key: Option<TaskKey>,
}

impl TasksQuery {
    /// The statuses that are asked for; none for all of them.
    fn statuses(&self) -> Option<Vec<TaskStatus>> {
        let wanted = flagged(&[
            (TaskStatus::Pending, self.status_pending),
            (TaskStatus::Open, self.status_open),
            (TaskStatus::Completed, self.status_completed),
            (TaskStatus::Canceled, self.status_canceled),
        ]);
        (wanted.len() < TaskStatus::ALL.len()).then_some(wanted)
    }

    fn links(&self) -> Vec<TaskTarget> {
        [
            self.issue_key.map(TaskTarget::Issue),
            self.work_order_key.map(TaskTarget::WorkOrder),
            self.product_key.clone().map(TaskTarget::Product),
            self.serial_key.map(TaskTarget::Serial),
            self.linked_task_key.map(TaskTarget::Task),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

async fn wanted(tx: &mut Tx, query: TasksQuery, filters: Option<&AdvancedFilters>) -> Result<Wanted> {
    Ok(Wanted {
        fields: filters::conditions(tx, filters).await?,
        statuses: query.statuses(),
        links: query.links(),
        search: query.search.pattern(),
        code: filters::wildcard(query.code),
        task_type_key: query.task_type_key,
        owner_key: query.owner_key,
        assigned_to: query.assigned_to.iter().map(ToString::to_string).collect(),
        start_from_min: query.start_from_min,
        start_from_max: query.start_from_max.map(|until| until.0),
        due_by_min: query.due_by_min,
        due_by_max: query.due_by_max.map(|until| until.0),
        created_min: query.created_min,
        created_max: query.created_max.map(|until| until.0),
        closed_min: query.closed_min,
        closed_max: query.closed_max.map(|until| until.0),
    })
}

pub(super) async fn search(
    cx: Cx,
    Query(query): Query<TasksQuery>,
    Paging(page): Paging<200>,
) -> Result<Listed<TaskRecord>> {
    let filters = filters::parsed(query.advanced_filters.as_deref())?;
    let found = cx.db.read_long(async move |tx: &mut Tx| {
        let wanted = wanted(tx, query, filters.as_ref()).await?;
        Ok::<_, ApiError>(task_views::list(tx, &wanted, &page).await?)
    });
    let found = found.await?;
    Ok(Listed { rows: found.rows.into_iter().map(record).collect(), total: found.total })
}

/// A task with what it is linked to, and the time that was spent on it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskFull")]
pub(super) struct Full {
    #[serde(flatten)]
    task: TaskRecord,
    /// What tasks of its type are linked to: one entry for each kind of record.
    link_settings: Vec<LinkSetting>,
    /// What it is linked to, the oldest link first.
    links: Vec<LinkShown>,
    /// By user.
    time_spent: Vec<TimeSpent>,
    /// Anything, as it was sent when the task was created.
    extra: Map<String, Value>,
}

/// How long a user has worked on a task.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskTimeSpent")]
struct TimeSpent {
    user_key: UserKey,
    /// In milliseconds; running sessions count up to now.
    duration: i64,
}

impl From<Spent> for TimeSpent {
    fn from(spent: Spent) -> Self {
        Self { user_key: spent.user_key, duration: i64::try_from(spent.millis).unwrap_or(i64::MAX) }
    }
}

pub(super) async fn one(cx: Cx, Path(path): Path<TaskPath>) -> Result<Bare<Full>> {
    let now = cx.now();
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let view = task_views::find(tx, path.task_key).await?.ok_or_else(not_found)?;
            let task_type = task_types::find(tx, &view.task_type_key).await?;
            let spent = task_time::spent(tx, path.task_key, now).await?;
            Ok::<_, ApiError>(Bare(Full {
                link_settings: every_setting(&task_type.map(|of| of.link_settings).unwrap_or_default()),
                links: links::of_task(tx, path.task_key, now).await?,
                time_spent: spent.into_iter().map(TimeSpent::from).collect(),
                extra: task_views::extra(tx, path.task_key).await?,
                task: record(view),
            }))
        })
        .await
}
