//! Tasks as readers see them, and how they are searched.
//!
//! Among a million tasks no page may take long, whatever it is narrowed by. A list is read in its order, that of one user, of one
//! type, of one status or of all, and every other filter is looked at task by task ([`one_by_one`]). If the first tasks of the
//! list don't fill the page, it is looked whether a filter leaves few (`task_few`): then only these are looked at. The engines
//! can't tell beforehand how many tasks a filter leaves.
//!
//! Forms are handed on as they are stored: a page of 200 tasks with theirs is mostly forms.

use std::sync::LazyLock;

use domain::Timestamp;
use domain::collaboration::{Assignee, TaskStatus, TaskTarget};
use domain::key::{TaskKey, TaskTypeKey, UserKey};
use domain::search::Pattern;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use super::task_links::names;
use super::tasks::VALUES;
use crate::Result;
use crate::dialect::Dialect;
use crate::row::row_struct;
use crate::search::Searched;
use crate::sql::{Page, Paged, Query, Sql, one_by_one};
use crate::tx::Tx;
use crate::value::Value;
use crate::values::Fields;

row_struct! {
    /// A live task with what its type says.
    pub struct TaskView {
        pub key: TaskKey,
        pub rev: i64,
        pub task_type_key: TaskTypeKey,
        pub code: String,
        pub status: TaskStatus,
        /// The owner first.
        pub assigned_to: Vec<Assignee>,
        pub start_from: Option<Timestamp>,
        pub due_by: Option<Timestamp>,
        pub created: Timestamp,
        pub created_by: UserKey,
        pub closed: Option<Timestamp>,
        pub closed_by: Option<UserKey>,
        pub title: Option<String>,
        pub description: Option<String>,
        /// The form with its values, as it is stored.
        pub form_fields: Box<RawValue>,
        pub task_type_name: Option<String>,
        pub icon: Option<String>,
    }
}

/// Which live tasks are wanted; empty lists and `None` ask for nothing, all else has to fit.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// In the title or the description.
    pub search: Option<Pattern>,
    pub code: Option<Pattern>,
    pub task_type_key: Option<TaskTypeKey>,
    /// None: all.
    pub statuses: Option<Vec<TaskStatus>>,
    pub owner_key: Option<UserKey>,
    /// Any of these users.
    pub assigned_to: Vec<String>,
    /// Inclusive, as are the others; a task without the date fits none of them.
    pub start_from_min: Option<Timestamp>,
    pub start_from_max: Option<Timestamp>,
    pub due_by_min: Option<Timestamp>,
    pub due_by_max: Option<Timestamp>,
    pub created_min: Option<Timestamp>,
    pub created_max: Option<Timestamp>,
    pub closed_min: Option<Timestamp>,
    pub closed_max: Option<Timestamp>,
    pub fields: Option<Fields>,
    /// Linked to all of these; between two tasks, whichever the link was made from.
    pub links: Vec<TaskTarget>,
}

const COLUMNS: &str = "task.key, task.rev, task.task_type_key, task.code, task.status, task.assigned_to, task.start_from,
    task.due_by, task.created, task.created_by, task.closed, task.closed_by, task.title, task.description, task.form_fields,
    task_type.name, task_type.icon";
const TYPE: &str = "left join task_type on task_type.key = task.task_type_key";

static SELECT: LazyLock<String> = LazyLock::new(|| format!("select {COLUMNS} from task {TYPE}"));
static SELECT_OF_USER: LazyLock<String> =
    LazyLock::new(|| format!("select {COLUMNS} from task_assignee cross join task {TYPE}"));
static SELECT_FIRST: LazyLock<String> = LazyLock::new(|| format!("select {COLUMNS} from {{rows}} as task {TYPE}"));
static SELECT_FIRST_OF_USER: LazyLock<String> =
    LazyLock::new(|| format!("select {COLUMNS} from {{rows}} as task_assignee cross join task {TYPE}"));

/// The order of lists. Dates that are not there come last.
const ORDER: &str = "task.due_sort, task.created, task.start_sort, task.closed_sort, task.key";
const ORDER_OF_USER: &str = "task_assignee.due_sort, task_assignee.created, task_assignee.start_sort,
    task_assignee.closed_sort, task_assignee.task_key";

/// Dates that are there are earlier.
const THERE: i64 = i64::MAX;

pub(super) const SEARCHED: Searched = Searched { table: "task", id: "key", column: "searched" };
pub(super) const CODE: Searched = Searched { table: "task", id: "key", column: "code_folded" };

pub async fn find(tx: &mut Tx, key: TaskKey) -> Result<Option<TaskView>> {
    Query::new(&SELECT).filter("task.key = {}", key).only("task.deleted is null").maybe(tx).await
}

/// Those of these that there are, by key.
pub async fn find_all(tx: &mut Tx, keys: &[i64]) -> Result<Vec<TaskView>> {
    let wanted = Query::new(&SELECT).filter("task.key {in {}}", keys.to_vec());
    wanted.only("task.deleted is null").all(tx, "task.key").await
}

/// Anything that was sent when it was created.
pub async fn extra(tx: &mut Tx, key: TaskKey) -> Result<Map<String, Json>> {
    let extra = Query::new("select task.extra from task").filter("task.key = {}", key).maybe(tx).await?;
    Ok(extra.unwrap_or_default())
}

/// By when they are due, created, to be started and closed.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<TaskView>> {
    if let Some(few) = wanted.few_linked(tx).await? {
        return among(tx, wanted, few, page).await;
    }
    if let Some(rows) = near(tx, wanted, page).await? {
        return Ok(Paged { rows, total: None });
    }
    if let Some(few) = wanted.few(tx).await? {
        return among(tx, wanted, few, page).await;
    }
    let (list, order) = wanted.in_order(None);
    list.page(tx, order, page).await
}

/// So many tasks are looked at before anything else, if they can hold the page several times.
const NEAR: i64 = 4_000;

/// The page, if the first tasks of the list fill it: to find out that filters leave many takes longer than to read what they leave.
async fn near(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Option<Vec<TaskView>>> {
    if page.count || page.end() > NEAR / 8 {
        return Ok(None);
    }
    let is_full = |rows: &[TaskView]| i64::try_from(rows.len()).is_ok_and(|found| found == page.limit);
    // PostgreSQL would sort all tasks up to a place, SQLite all that fit among the first ones.
    if tx.dialect() == Dialect::Postgres {
        let (first, order) = wanted.first(NEAR);
        let rows = first.page(tx, order, page).await?.rows;
        let done = is_full(&rows) || wanted.place_after(tx, NEAR).await?.is_none();
        return Ok(done.then_some(rows));
    }
    let end = wanted.place_after(tx, NEAR).await?;
    let (first, order) = wanted.in_order(end);
    let rows = first.page(tx, order, page).await?.rows;
    Ok((is_full(&rows) || end.is_none()).then_some(rows))
}

/// A page of these few, which have to be sorted: finds its keys first, so that only what is on the page is read as a whole.
async fn among(tx: &mut Tx, wanted: &Wanted, few: Vec<i64>, page: &Page) -> Result<Paged<TaskView>> {
    let found: Paged<TaskKey> = wanted.of_few(few).page(tx, ORDER, page).await?;
    let keys = found.rows.into_iter().map(|key| key.0).collect();
    let rows = Query::new(&SELECT).in_order(tx, "task.key", keys, |view: &TaskView| view.key.0).await?;
    Ok(Paged { rows, total: found.total })
}

/// Where a task stands in lists: when it is due, and when it was created.
type Place = (i64, i64);

/// A user whose tasks are wanted.
pub(super) struct User<'a> {
    key: &'a str,
    owner: bool,
}

/// What a list is read by besides its order.
#[derive(Clone, Copy)]
enum Index<'a> {
    Type(&'a TaskTypeKey),
    Status(TaskStatus),
}

impl Wanted {
    /// The one user whose tasks are wanted.
    pub(super) fn user(&self) -> Option<User<'_>> {
        match (&self.owner_key, self.assigned_to.as_slice()) {
            (Some(owner), _) => Some(User { key: owner.as_str(), owner: true }),
            (None, [one]) => Some(User { key: one, owner: false }),
            _ => None,
        }
    }

    /// Those of the list of one user that are wanted; the list reads `task_assignee` and then `task`.
    fn of_user(&self, list: Query, user: User<'_>) -> Query {
        let mut query = list.only("task.key = task_assignee.task_key");
        if user.owner {
            query = query.only("task_assignee.owner").filter_any(&assigned(TO_ANY), &self.assigned_to);
        }
        self.by_texts(self.by_other_dates(self.by_kind(query, "task_assignee", None), "task_assignee"))
    }

    /// Those of the list of all that are wanted, whatever it was read by; it reads `task`.
    fn of_all(&self, list: Query) -> Query {
        self.by_texts(self.by_other_dates(self.by_kind(self.by_users(list), "task", self.index()), "task"))
    }

    /// Those of a few tasks that are wanted.
    fn of_few(&self, few: Vec<i64>) -> Query {
        let list = Query::new("select task.key from task").only("task.deleted is null").filter("task.key {in {}}", few);
        let query = self.by_kind(self.by_users(list), "task", None);
        self.by_texts(self.by_other_dates(self.by_due_date(query, "task"), "task"))
    }

    fn by_users(&self, query: Query) -> Query {
        query
            .filter_if(&assigned("task_assignee.user_key = {} and task_assignee.owner"), self.owner_key.as_ref())
            .filter_any(&assigned(TO_ANY), &self.assigned_to)
    }

    /// The list in its order, or its tasks up to a place.
    fn in_order(&self, end: Option<Place>) -> (Query, &'static str) {
        let (list, table, order) = match self.user() {
            Some(user) => (self.of_user(self.unfiltered(&SELECT_OF_USER), user), "task_assignee", ORDER_OF_USER),
            None => (self.of_all(self.unfiltered(&SELECT)), "task", ORDER),
        };
        let Some((due_sort, created)) = end else { return (list, order) };
        let until = format!("({table}.due_sort, {table}.created) <= ({{}}, {{}})");
        (list.filter_row(&until, [Value::Int(due_sort), Value::Int(created)]), order)
    }

    /// Those of the first so many tasks of the list that are wanted, in its order.
    fn first(&self, number: i64) -> (Query, &'static str) {
        match self.user() {
            Some(user) => {
                let list = self.unfiltered("select * from task_assignee");
                (self.of_user(list.first(ORDER_OF_USER, number, &SELECT_FIRST_OF_USER), user), ORDER_OF_USER)
            }
            None => {
                let list = self.unfiltered("select * from task");
                (self.of_all(list.first(ORDER, number, &SELECT_FIRST)), ORDER)
            }
        }
    }

    /// Where the task stands that so many come before in the list, whether they fit or not; only an index is read.
    async fn place_after(&self, tx: &mut Tx, number: i64) -> Result<Option<Place>> {
        let (select, order) = match self.user() {
            Some(_) => ("select task_assignee.due_sort, task_assignee.created from task_assignee", ORDER_OF_USER),
            None => ("select task.due_sort, task.created from task", ORDER),
        };
        let (sql, params) = self.unfiltered(select).ordered(order);
        Ok(tx.all_once(Sql::raw(format!("{}\nlimit 1 offset {number}", sql.0)), &params).await?.pop())
    }

    /// The list as it is read by its index, with what does not fit.
    fn unfiltered(&self, select: &str) -> Query {
        let list = Query::new(select);
        if let Some(user) = self.user() {
            return self.by_due_date(list.filter("task_assignee.user_key = {}", user.key), "task_assignee");
        }
        let list = match self.index() {
            Some(Index::Type(task_type)) => list.filter("task.live_type_key = {}", task_type),
            Some(Index::Status(status)) => list.only("task.deleted is null").filter("task.status = {}", status),
            None => list.only("task.deleted is null"),
        };
        self.by_due_date(list, "task")
    }

    /// What the list is read by, if it is not that of a user.
    fn index(&self) -> Option<Index<'_>> {
        match (&self.task_type_key, self.statuses.as_deref()) {
            (Some(task_type), _) => Some(Index::Type(task_type)),
            (None, Some([status])) => Some(Index::Status(*status)),
            (None, _) => None,
        }
    }

    /// By type and status, but for what the list was read by.
    fn by_kind(&self, query: Query, table: &str, read_by: Option<Index<'_>>) -> Query {
        let task_type = self.task_type_key.as_ref().filter(|_| !matches!(read_by, Some(Index::Type(_))));
        let query = query.filter_if(&one_by_one(&format!("{table}.live_type_key = {{}}")), task_type);
        match self.statuses.as_deref() {
            None => query,
            Some(_) if matches!(read_by, Some(Index::Status(_))) => query,
            Some([]) => query.only("1 = 0"),
            Some([status]) => query.filter(&one_by_one(&format!("{table}.status = {{}}")), *status),
            Some(statuses) => {
                let names: Vec<String> = statuses.iter().map(|status| format!("'{}'", status.name())).collect();
                query.only(&one_by_one(&format!("{table}.status in ({})", names.join(", "))))
            }
        }
    }

    /// By the date that lists are sorted by first: it is looked up in their order.
    fn by_due_date(&self, query: Query, table: &str) -> Query {
        query
            .filter_if(&format!("({table}.due_sort >= {{}} and {table}.due_sort < {THERE})"), self.due_by_min)
            .filter_if(&format!("{table}.due_sort <= {{}}"), self.due_by_max)
    }

    fn by_other_dates(&self, query: Query, table: &str) -> Query {
        let from = |column: &str| one_by_one(&format!("{table}.{column} >= {{}}"));
        let from_if_there =
            |column: &str| one_by_one(&format!("{table}.{column} >= {{}} and {table}.{column} < {THERE}"));
        let to = |column: &str| one_by_one(&format!("{table}.{column} <= {{}}"));
        query
            .filter_if(&from("created"), self.created_min)
            .filter_if(&to("created"), self.created_max)
            .filter_if(&from_if_there("start_sort"), self.start_from_min)
            .filter_if(&to("start_sort"), self.start_from_max)
            .filter_if(&from_if_there("closed_sort"), self.closed_min)
            .filter_if(&to("closed_sort"), self.closed_max)
    }

    /// By texts, fields and links, task by task.
    fn by_texts(&self, query: Query) -> Query {
        let mut query = query
            .filter_if(&one_by_one("{matches task searched {}}"), self.search.clone().map(Value::Pattern))
            .filter_if(&one_by_one("{matches task code_folded {}}"), self.code.clone().map(Value::Pattern));
        let has =
            |row: &str| format!("exists (select 1 from task_value where task_value.task_key = task.key + 0 and {row})");
        if let Some((condition, values)) = self.fields.as_ref().and_then(|fields| fields.condition(VALUES, has)) {
            query = query.filter_row(&condition, values);
        }
        for target in &self.links {
            let (condition, value) = linked_to(target);
            query = query.filter(&condition, value);
        }
        query
    }
}

pub(super) const TO_ANY: &str = "task_assignee.user_key {in {}}";

/// That a task is assigned to somebody for whom the condition holds. In the list of one user, this is another row of the table.
fn assigned(condition: &str) -> String {
    format!("exists (select 1 from task_assignee where task_assignee.task_key = task.key + 0 and {condition})")
}

/// That a task is linked to a record.
fn linked_to(target: &TaskTarget) -> (String, Value) {
    let (condition, value) = names(target);
    let from_it = format!("exists (select 1 from task_rel where task_rel.task_key = task.key + 0 and {condition})");
    match target {
        TaskTarget::Task(_) => {
            let to_it = "exists (
                select 1
                from task_rel
                where task_rel.type = 'task' and task_rel.record_id = task.key + 0 and task_rel.record_id is not null
                and task_rel.task_key = {}
            )";
            (format!("({from_it} or {to_it})"), value)
        }
        _ => (from_it, value),
    }
}

/// First pages that have to be read in their order: a test looks whether the engines do it.
pub fn ordered_statements() -> Vec<(String, Vec<Value>)> {
    texts(ordered_lists().iter().flat_map(|wanted| [None, Some((5, 5))].map(|end| wanted.in_order(end))))
}

/// The same, from so many first tasks of a list, as PostgreSQL reads them.
pub fn first_statements(number: i64) -> Vec<(String, Vec<Value>)> {
    texts(ordered_lists().iter().map(|wanted| wanted.first(number)))
}

fn ordered_lists() -> [Wanted; 4] {
    let narrowed = Wanted {
        search: Some(Pattern::substring("valve")),
        task_type_key: Some(TaskTypeKey::trusted("check")),
        statuses: Some(vec![TaskStatus::Open]),
        due_by_min: Some(Timestamp::from_millis(1)),
        created_max: Some(Timestamp::from_millis(i64::MAX - 1)),
        ..Wanted::default()
    };
    let of_status = Wanted { statuses: Some(vec![TaskStatus::Open]), ..Wanted::default() };
    let of_user = Wanted { owner_key: Some(UserKey::trusted("mario")), ..narrowed.clone() };
    [Wanted::default(), of_status, narrowed, of_user]
}

fn texts<'a>(queries: impl Iterator<Item = (Query, &'a str)>) -> Vec<(String, Vec<Value>)> {
    let text = |(query, order): (Query, &str)| {
        let (sql, params) = query.ordered(order);
        (format!("{} limit 200", sql.0), params)
    };
    queries.map(text).collect()
}
