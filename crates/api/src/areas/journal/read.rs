use std::collections::{BTreeSet, HashMap};

use domain::Timestamp;
use domain::collection::Collection;
use domain::journal::{Concerns, Event};
use domain::key::{
    BatchKey, EventKey, IssueKey, JobKey, MovementKey, ProductKey, SerialKey, TaskKey, UserKey, WorkOrderKey,
    record_id, revision,
};
use journal::ContextType;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::collaboration::task_views::{self, TaskView};
use store::journal::events::{self, Order, Wanted};

use crate::Result;
use crate::areas::sorting::SortingOrder;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path, Query, Until};
use crate::reply::{Bare, Listed};

/// An event as it is answered.
#[derive(Serialize, JsonSchema)]
struct EventRecord {
    _id: String,
    /// Never changes, since the event does not.
    _rev: String,
    #[serde(flatten)]
    event: Event,
}

fn record(event: Event) -> EventRecord {
    EventRecord { _id: record_id(Collection::Event, event.key), _rev: revision(1), event }
}

#[derive(Serialize)]
pub(crate) struct EventLine {
    #[serde(flatten)]
    record: EventRecord,
    /// The code of the task in whose context it happened; null without one, and once that is deleted.
    context_code: Option<String>,
    context_name: Option<String>,
    context_icon: Option<String>,
}

/// The members of [`EventLine`].
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct EventMembers {
    #[serde(flatten)]
    record: EventRecord,
    /// The code of the task in whose context it happened; only in lists. Null once the task is deleted.
    context_code: Option<String>,
    /// The title of that task, else the name of its type.
    context_name: Option<String>,
    /// The icon of the type of that task.
    context_icon: Option<String>,
}

impl EventLine {
    pub(super) fn members(generator: &mut SchemaGenerator) -> Schema {
        EventMembers::json_schema(generator)
    }
}

fn line(event: Event, tasks: &HashMap<TaskKey, TaskView>) -> EventLine {
    let task = event.context_key.and_then(|key| tasks.get(&key));
    EventLine {
        record: record(event),
        context_code: task.map(|view| view.code.clone()),
        context_name: task.and_then(|view| view.title.clone().or_else(|| view.task_type_name.clone())),
        context_icon: task.and_then(|view| view.icon.clone()),
    }
}

/// An event as lists show it.
pub(crate) async fn event_line(tx: &mut Tx, event: Event) -> Result<EventLine> {
    let tasks = contexts(tx, std::slice::from_ref(&event)).await?;
    Ok(line(event, &tasks))
}

/// The tasks in whose context events happened, by key.
async fn contexts(tx: &mut Tx, events: &[Event]) -> Result<HashMap<TaskKey, TaskView>> {
    let keys: BTreeSet<i64> = events.iter().filter_map(|event| event.context_key).map(|key| key.0).collect();
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let found = task_views::find_all(tx, &keys.into_iter().collect::<Vec<_>>()).await?;
    Ok(found.into_iter().map(|view| (view.key, view)).collect())
}

#[derive(Serialize)]
pub(super) struct EventWithChildren {
    #[serde(flatten)]
    record: EventRecord,
    /// The events it led to directly, in order.
    children: Vec<EventRecord>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct EventQuery {
    /// Only events of these types.
    #[serde(default, rename = "type")]
    types: Vec<String>,
    /// Only events of these users.
    #[serde(default)]
    user_key: Vec<UserKey>,
    /// Only events of this issue.
    issue_key: Option<IssueKey>,
    /// Only events of this serial.
    serial_key: Option<SerialKey>,
    /// Only events of this job.
    job_key: Option<JobKey>,
    /// Only events of this work order.
    work_order_key: Option<WorkOrderKey>,
    /// Only events of this batch.
    batch_key: Option<BatchKey>,
    /// Only events of this product.
    product_key: Option<ProductKey>,
    /// Only events of this task.
    task_key: Option<TaskKey>,
    /// Only events of this movement.
    movement_key: Option<MovementKey>,
    /// Only the event that was sent under this group and the events it led to.
    event_group: Option<EventKey>,
    /// Only events that happened in a context of this type.
    context_type: Option<ContextType>,
    /// Only events that happened in this context, by the key of its task.
    context_key: Option<TaskKey>,
    /// True: only events that were sent; false: only events that others led to.
    primary: Option<bool>,
    /// The earliest `timestamp`, inclusive.
    time_from: Option<Timestamp>,
    /// The latest `timestamp`, inclusive; a bare date means the end of that day.
    time_to: Option<Until>,
    /// Only events with a higher `seq` than this.
    #[schemars(range(min = 0))]
    after_seq: Option<i64>,
    /// The member to sort by.
    #[serde(default)]
    sort_by: SortBy,
    /// Ascending or descending.
    #[serde(default)]
    sorting_order: SortingOrder,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "EventSortBy")]
enum SortBy {
    /// Then by `seq`.
    #[default]
    Timestamp,
    Seq,
}

pub(super) async fn list(
    cx: Cx,
    Query(query): Query<EventQuery>,
    Paging(page): Paging<200>,
) -> Result<Listed<EventLine>> {
    let order = match (query.sort_by, query.sorting_order) {
        (SortBy::Timestamp, SortingOrder::Asc) => Order::OldestFirst,
        (SortBy::Timestamp, SortingOrder::Desc) => Order::NewestFirst,
        (SortBy::Seq, SortingOrder::Asc) => Order::Seq,
        (SortBy::Seq, SortingOrder::Desc) => Order::SeqDescending,
    };
    let wanted = wanted(query);
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = events::list(tx, &wanted, order, &page).await?;
            let tasks = contexts(tx, &found.rows).await?;
            let rows = found.rows.into_iter().map(|event| line(event, &tasks)).collect();
            Ok::<_, ApiError>(Listed { rows, total: found.total })
        })
        .await
}

fn wanted(query: EventQuery) -> Wanted {
    Wanted {
        types: query.types,
        user_keys: query.user_key.iter().map(ToString::to_string).collect(),
        concerns: Concerns {
            job_key: query.job_key,
            phase_key: None,
            batch_key: query.batch_key,
            work_order_key: query.work_order_key,
            product_key: query.product_key,
            serial_key: query.serial_key,
            issue_key: query.issue_key,
            task_key: query.task_key,
            movement_key: query.movement_key,
        },
        event_group: query.event_group,
        context_type: query.context_type.map(|ContextType::Task| "task".to_owned()),
        context_key: query.context_key,
        primary: query.primary,
        from: query.time_from,
        to: query.time_to.map(|until| until.0),
        after_seq: query.after_seq,
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct EventPath {
    /// The key of an event.
    event_key: EventKey,
}

pub(super) async fn one(cx: Cx, Path(path): Path<EventPath>) -> Result<Bare<EventWithChildren>> {
    let found = cx
        .read(async |tx: &mut Tx| {
            let event = events::find(tx, path.event_key).await?;
            let event = event.ok_or_else(|| ApiError::missing(Collection::Event))?;
            let children = events::children(tx, &event).await?;
            Ok((event, children))
        })
        .await?;
    let (event, children) = found;
    Ok(Bare(EventWithChildren { record: record(event), children: children.into_iter().map(record).collect() }))
}
