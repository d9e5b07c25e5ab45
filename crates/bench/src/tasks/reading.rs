//! Pages of tasks by five filters.

use std::time::Duration;

use super::board::{Board, kind, product};
use crate::load::{self, Client, Figures};
use crate::millis;
use crate::report::{Report, Row};
use crate::server::{Place, Server};

/// Tasks of the small board and of the whole one.
const SMALL: i64 = 100_000;
const WHOLE: i64 = 1_000_000;
const GOAL: &str = "at most 2, p99 under 20 ms";

pub async fn measure(place: &Place, report: &mut Report, whole: bool) {
    let small = Found::among(place, SMALL).await;
    small.report(place, report, None);
    if whole {
        Found::among(place, WHOLE).await.report(place, report, Some(&small));
    }
}

/// What was measured on a board.
struct Found {
    tasks: i64,
    pages: Vec<Page>,
}

/// A page by an example, how many tasks it has, the times of requests like it, and the time of the bare query.
struct Page {
    example: String,
    rows: usize,
    figures: Figures,
    bare: Duration,
}

impl Found {
    async fn among(place: &Place, tasks: i64) -> Self {
        let place = place.another("bench_tasks").await;
        let board = Board { tasks };
        board.fill(&place).await;
        let server = Server::start(&place);
        let token = server.sign_in().await;
        let mut client = Client::connect(&server.address).await;
        let mut pages = Vec::new();
        for filters in filters() {
            let path = |number: i64| format!("/task?{}", (filters.query)(&board, number));
            let get = |number: i64| load::get(&format!("/api{}", path(number)), Some(&token));
            let (status, answer) = client.answer(&get(0)).await;
            assert_eq!(status, 200, "{answer}");
            let rows = answer.matches(r#""_id":"Task/"#).count();
            assert!(rows > 0, "{} finds nothing", path(0));
            let bare = place.bare(&bare(filters.bare)).await;
            let (figures, bare) = client.vary_beside(get, &bare, |number| (filters.key)(&board, number)).await;
            pages.push(Page { example: path(0), rows, figures, bare });
        }
        drop(server);
        place.remove().await;
        Self { tasks, pages }
    }

    /// With the median of the same among fewer tasks.
    fn report(&self, place: &Place, report: &mut Report, smaller: Option<&Found>) {
        for (index, Page { example, rows, figures, bare }) in self.pages.iter().enumerate() {
            let median = figures.percentile(50);
            let work = format!("`GET {example}`, others like it each time, {rows} tasks of {}", self.tasks);
            let row = |goal| Row::percentiles(place.engine(), work.clone(), figures, goal);
            report.add(Row {
                floor: format!("the bare query: {}", millis(*bare)),
                ratio: format!("{:.2}", median.as_secs_f64() / bare.as_secs_f64()),
                ..row(GOAL)
            });
            if let Some(smaller) = smaller {
                let before = smaller.pages[index].figures.percentile(50);
                report.add(row("").grown(median, before, &format!("{} tasks", smaller.tasks)));
            }
        }
    }
}

/// What a page is narrowed by: the parameters for a number, and the same as a bare query from a key.
struct Filters {
    query: fn(&Board, i64) -> String,
    bare: &'static str,
    key: fn(&Board, i64) -> String,
}

/// The page of one user, of one type, and of what is linked to a product.
fn filters() -> [Filters; 3] {
    [
        Filters {
            query: |board, number| {
                let user = board.user(number * 7);
                format!(
                    "owner_key={user}&status_open=true&status_pending=true&due_by_min=2025-03-01&due_by_max=2025-12-31&search=valve"
                )
            },
            bare: OF_USER,
            key: |board, number| board.user(number * 7),
        },
        Filters {
            query: |_, number| {
                let kind = kind(number * 7);
                format!(
                    "task_type_key={kind}&status_open=true&due_by_min=2025-03-01&created_min=2025-02-01&search=valve"
                )
            },
            bare: OF_TYPE,
            key: |_, number| kind(number * 7),
        },
        Filters {
            query: |_, number| {
                let product = product(number * 7);
                format!(
                    "product_key={product}&status_open=true&due_by_min=2025-03-01&created_min=2025-02-01&search=valve"
                )
            },
            bare: OF_PRODUCT,
            key: |_, number| product(number * 7),
        },
    ]
}

/// The rows of a page, in its order; `{from}` says which.
fn bare(from: &str) -> String {
    format!(
        "select task.key, task.rev, task.task_type_key, task.code, task.status, task.assigned_to, task.start_from, task.due_by,
             task.created, task.created_by, task.closed, task.closed_by, task.deleted, task.deleted_by, task.title,
             task.description, task.form_fields, task.extra, task_type.name, task_type.icon
         from {from}
         limit 200"
    )
}

// Dates are in milliseconds: March 2025 begins at 1740787200000, February at 1738368000000, and 2025 ends at 1767225599999.
const OF_USER: &str = "task_assignee
    cross join task
    cross join task_type
    where task_assignee.user_key = $1 and task_assignee.owner and task_assignee.status in ('open', 'pending')
        and task_assignee.due_sort between 1740787200000 and 1767225599999 and task.key = task_assignee.task_key
        and task.searched like '%valve%' and task_type.key = task.task_type_key
    order by task_assignee.due_sort, task_assignee.created, task_assignee.start_sort, task_assignee.closed_sort,
        task_assignee.task_key";
const OF_TYPE: &str = "task
    cross join task_type
    where task.live_type_key = $1 and (task.status || '') = 'open' and task.due_sort >= 1740787200000
        and task.due_sort < 9223372036854775807 and task.created + 0 >= 1738368000000 and task.searched like '%valve%'
        and task.deleted is null and task_type.key = task.task_type_key
    order by task.due_sort, task.created, task.start_sort, task.closed_sort, task.key";
const OF_PRODUCT: &str = "task_rel
    cross join task
    cross join task_type
    where task_rel.type = 'product' and task_rel.record_key = $1 and task_rel.record_key is not null
        and task.key = task_rel.task_key and (task.status || '') = 'open' and task.due_sort + 0 >= 1740787200000
        and task.due_sort + 0 < 9223372036854775807 and task.created + 0 >= 1738368000000
        and task.searched like '%valve%' and task.deleted is null and task_type.key = task.task_type_key
    order by task.due_sort, task.created, task.start_sort, task.closed_sort, task.key";
