//! Tasks by the million, made by the engine itself: the same in every run.
//!
//! They are dealt out to users in turn. Status, type and title of each user's tasks follow from their place among them, so that every
//! user has tasks of every kind.

use std::ops::Range;

use domain::key::EPOCH_MILLIS;
use serde_json::json;

use crate::events::Admin;
use crate::server::{Place, Server};

const TYPES: i64 = 20;
const PRODUCTS: i64 = 1_000;
/// Tasks that each user owns.
const OWNED: i64 = 5_000;
/// When the first task was created: 2025.
const BEGIN: i64 = 1_735_689_600_000;
const DAY: i64 = 24 * 3_600_000;
const YEAR: i64 = 365 * DAY;
/// How many keys there are for each millisecond.
const KEYS: i64 = 1 << 22;
/// What a date that is not there is sorted by.
const NEVER: i64 = i64::MAX;

pub struct Board {
    pub tasks: i64,
}

impl Board {
    pub fn users(&self) -> i64 {
        (self.tasks / OWNED).max(2)
    }

    pub fn user(&self, number: i64) -> String {
        format!("u{:04}", number % self.users())
    }

    /// Stores everything, while no server runs.
    pub async fn fill(&self, place: &Place) {
        make_types(place).await;
        let statements = self.statements(|numbers| place.numbers(numbers));
        place.fill(&["task", "task_assignee", "task_rel"], &statements).await;
    }

    /// `numbers` is what the engine reads numbers from.
    fn statements(&self, numbers: impl Fn(Range<i64>) -> String) -> Vec<String> {
        vec![self.made(&numbers(0..self.tasks)), assigned(true), assigned(false), linked()]
    }

    fn made(&self, numbers: &str) -> String {
        let (pace, users) = (YEAR / self.tasks, self.users());
        let owner = code("u", 4, &format!("number % {users}"));
        // Another one than the owner, whoever that is.
        let step = format!("1 + place % {}", users - 1);
        let participant = code("u", 4, &format!("(number + {step}) % {users}"));
        let kind = code("type", 2, &format!("place / 5 % {TYPES}"));
        let code = code("T", 8, "number");
        let title = "case place / 100 % 2 when 0 then 'Check the valve of line ' else 'Clean the filter of line ' end
                 || cast(number % 40 as text)";
        format!(
            "insert into task (key, task_type_key, live_type_key, code, code_folded, status, assigned_to, start_from, due_by,
                 created, created_by, closed, closed_by, title, description, form_fields, searched, due_sort, start_sort,
                 closed_sort)
             select (made - {EPOCH_MILLIS}) * {KEYS}, {kind}, {kind}, {code}, lower({code}), status,
                 '[{{\"user_key\":\"' || {owner} || '\",\"role\":\"owner\"}},{{\"user_key\":\"' || {participant}
                     || '\",\"role\":\"participant\"}}]',
                 made, case when due < {NEVER} then due end, made, {owner}, case when closed < {NEVER} then closed end,
                 case when closed < {NEVER} then {owner} end, {title}, 'As the card on the machine says',
                 '[{{\"form_field_key\":\"f\",\"custom_field_key\":\"torque\",\"label\":\"Torque (Nm)\",\"hint\":\"45 to 48\",
                     \"mandatory\":true,\"multiple\":false,\"hidden\":false,\"value\":' || cast(number % 50 as text)
                     || ',\"last_updated\":null}}]',
                 lower({title}) || '{BETWEEN}as the card on the machine says', due, made, closed
             from (
                 select number, number / {users} as place, {BEGIN} + number * {pace} as made,
                     case number / {users} % 5 when 2 then 'pending' when 3 then 'completed' when 4 then 'canceled'
                         else 'open' end as status,
                     case when number % 10 = 9 then {NEVER}
                         else {BEGIN} + number * {pace} + number * 37 % 90 * {DAY} end as due,
                     case when number / {users} % 5 > 2 then {BEGIN} + number * {pace} + {DAY} else {NEVER} end as closed
                 from {numbers}
             ) as task_made"
        )
    }
}

/// Whom tasks are assigned to: their owners, or those who take part.
fn assigned(owner: bool) -> String {
    // What the text of the assignment says: where the first or the second user stands in it.
    let user = format!("substr(assigned_to, {}, 5)", if owner { 15 } else { 51 });
    format!(
        "insert into task_assignee (user_key, due_sort, created, start_sort, closed_sort, task_key, owner, status,
             live_type_key)
         select {user}, due_sort, created, start_sort, closed_sort, key, {owner}, status, live_type_key
         from task"
    )
}

/// What separates title and description where they are searched.
const BETWEEN: char = '\u{1f}';

/// Each task is linked to a product; those of one product are of all kinds.
fn linked() -> String {
    let product = code("P", 3, &format!("(number * 7 + number / {PRODUCTS}) % {PRODUCTS}"));
    format!(
        "insert into task_rel (key, task_key, type, record_key, created, created_by)
         select key, key, 'product', {product}, created, created_by
         from (select key, created, created_by, cast(substr(code, 2) as bigint) as number from task) as task_made"
    )
}

/// Makes the types of all tasks.
async fn make_types(place: &Place) {
    let server = Server::start(place);
    let mut admin = Admin::new(&server).await;
    for number in 0..TYPES {
        let links = [json!({ "type": "product", "enabled": true })];
        let made = json!({ "_key": kind(number), "name": kind(number), "icon": "wrench", "link_settings": links });
        admin.post("/task-type", made).await;
    }
}

/// The key of a type, which is its name as well.
pub fn kind(number: i64) -> String {
    format!("type{:02}", number % TYPES)
}

/// A product that tasks are linked to.
pub fn product(number: i64) -> String {
    format!("P{:03}", number % PRODUCTS)
}

/// A prefix and a number with so many digits, to the engine.
fn code(prefix: &str, digits: u32, number: &str) -> String {
    // Without its first digit, a number has its zeros.
    format!("'{prefix}' || substr(cast({} + ({number}) as text), 2)", 10_i64.pow(digits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::sqlite_numbers;
    use rusqlite::Connection;

    /// What the tables need to take the rows.
    const TABLES: &str = "
        create table task (key integer primary key, task_type_key text not null, live_type_key text not null,
            code text unique, code_folded text, status text, assigned_to text, start_from integer, due_by integer,
            created integer, created_by text, closed integer, closed_by text, title text, description text,
            form_fields text, searched text, due_sort integer not null, start_sort integer not null,
            closed_sort integer not null,
            check ((status in ('completed', 'canceled')) = (closed is not null)),
            check ((closed is null) = (closed_by is null)));
        create table task_assignee (user_key text, due_sort integer, created integer, start_sort integer,
            closed_sort integer, task_key integer, owner integer, status text, live_type_key text,
            primary key (user_key, due_sort, created, start_sort, closed_sort, task_key));
        create table task_rel (key integer primary key, task_key integer, type text, record_key text, created integer,
            created_by text);";

    #[test]
    fn every_user_has_tasks_of_every_kind() {
        let board = Board { tasks: 50_000 };
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(TABLES).unwrap();
        board.statements(sqlite_numbers).iter().for_each(|statement| connection.execute_batch(statement).unwrap());
        let count = |text: &str| connection.query_row(text, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("select count(*) from task"), board.tasks);
        assert_eq!(count("select count(distinct user_key) from task_assignee"), board.users());
        assert_eq!(count("select count(*) from task_assignee"), 2 * board.tasks);
        assert_eq!(count("select count(*) from task_assignee where user_key not glob 'u[0-9][0-9][0-9][0-9]'"), 0);
        assert_eq!(count("select count(distinct record_key) from task_rel"), PRODUCTS);
        let kinds = "select count(*) from (
            select distinct task_type_key, status, title like '%valve%' from task where created_by = 'u0003')";
        assert_eq!(count(kinds), TYPES * 4 * 2);
        let text: String = connection.query_row("select assigned_to from task limit 1", [], |row| row.get(0)).unwrap();
        let assigned: Vec<domain::collaboration::Assignee> = serde_json::from_str(&text).unwrap();
        assert!(domain::collaboration::arranged(assigned).is_some());
        let text: String = connection.query_row("select form_fields from task limit 1", [], |row| row.get(0)).unwrap();
        assert!(serde_json::from_str::<Vec<domain::collaboration::TaskField>>(&text).is_ok(), "{text}");
    }
}
