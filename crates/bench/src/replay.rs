//! The statements of an event, as the service runs them on the embedded database, run by the engine alone. They were written down
//! from the service's own; `floors/` has them. In their parameters `@name` and `{name}` stand for a value of the event at hand:
//! what is not known is a new key.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use domain::key::id_to_text;
use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::Value as Json;

use crate::floor;

/// The statements of an event, and what it is about.
pub struct Script {
    statements: &'static str,
    /// Selects what parameters name: as many rows as a commit has events.
    subjects: &'static str,
}

pub const EXTRA_UPDATE: Script = Script { statements: include_str!("floors/extra_update.json"), subjects: JOBS };
pub const BATCH_COMPLETED: Script = Script { statements: include_str!("floors/batch_completed.json"), subjects: JOBS };
/// A transfer from one position to another, with stock of the product in both.
pub const TRANSFER: Script = Script { statements: include_str!("floors/transfer.json"), subjects: TRANSFERS };

/// Jobs that are at work.
const JOBS: &str = "select key as job, work_order_key as \"order\", phase_key as phase, active_batch_key as batch,
        last_work_session_started as session,
        (select max(phase_key) from order_phase where order_phase.work_order_key = job.work_order_key) as next_phase,
        (select key from user_account) as user, (select key from token) as token
    from job
    where stage = 'started'
    limit ?1";
/// Products that are moved, each with the stock it is taken from and added to. What stands as a number in a text is a text itself.
const TRANSFERS: &str = "select product.key as product, product.id as product_id,
        cast(product.id as text) as product_number,
        source.position_key as \"from\", source.key as taken, cast(source.key as text) as taken_number,
        target.position_key as \"to\", target.key as given, cast(target.key as text) as given_number,
        (select key from user_account) as user, (select key from token) as token
    from product
    join stock as source on source.product_id = product.id and source.position_key glob 'from-*'
    join stock as target on target.product_id = product.id and target.position_key glob 'to-*'
    where product.key glob 'moved-*'
    limit ?1";

impl Script {
    fn statements(&self) -> Vec<(String, Vec<Json>)> {
        serde_json::from_str(self.statements).unwrap()
    }

    fn subjects(&self, connection: &Connection, count: usize) -> Vec<Names> {
        let mut statement = connection.prepare(self.subjects).unwrap();
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let named = |row: &rusqlite::Row<'_>| {
            names.iter().enumerate().map(|(index, name)| Ok((name.clone(), row.get(index)?))).collect()
        };
        let subjects: Vec<Names> = statement.query_map([count as i64], named).unwrap().map(Result::unwrap).collect();
        assert_eq!(subjects.len(), count, "there is something for each event of a commit");
        subjects
    }
}

/// How many events a second the engine stores, `group` to a commit, on a copy of the folder's database. It has what each of the group
/// is about, and the service's settings.
pub fn events_per_second(folder: &Path, script: &Script, group: usize, time: Duration) -> f64 {
    let copy = floor::copy_of(folder);
    let connection = floor::writer(copy.path());
    let mut subjects = script.subjects(&connection, group);
    let script = script.statements();
    let mut next =
        Next { key: 1, seq: connection.query_row("select seq from journal_head", [], |row| row.get(0)).unwrap() };
    let (mut spent, mut events) = (Duration::ZERO, 0);
    while spent < time {
        // The clock does not run while values are put together.
        let values: Vec<Vec<Vec<Value>>> =
            subjects.iter_mut().map(|subject| event(&script, subject, &mut next)).collect();
        let started = Instant::now();
        connection.execute_batch("begin immediate").unwrap();
        values.iter().for_each(|values| store(&connection, &script, values));
        connection.execute_batch("commit").unwrap();
        spent += started.elapsed();
        events += group;
    }
    events as f64 / spent.as_secs_f64()
}

fn store(connection: &Connection, script: &[(String, Vec<Json>)], values: &[Vec<Value>]) {
    for ((text, _), values) in script.iter().zip(values) {
        let mut statement = connection.prepare_cached(text).unwrap();
        for (index, value) in values.iter().enumerate() {
            statement.raw_bind_parameter(index + 1, value).unwrap();
        }
        let columns = statement.column_count();
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().unwrap() {
            (0..columns).for_each(|column| _ = std::hint::black_box(row.get_ref(column).unwrap()));
        }
    }
}

/// The last ones that were given.
struct Next {
    key: i64,
    seq: i64,
}

/// What the parameters name.
type Names = HashMap<String, Value>;

/// The values of all statements for the next event about something.
fn event(script: &[(String, Vec<Json>)], subject: &mut Names, next: &mut Next) -> Vec<Vec<Value>> {
    subject.insert("now".to_owned(), Value::Integer(1_800_000_000_000 + next.key));
    let mut values = Vec::with_capacity(script.len());
    for (text, params) in script {
        if text.starts_with("insert into journal_head") {
            let count = params[0].as_i64().unwrap();
            for place in 0..count {
                subject.insert(format!("seq{place}"), Value::Integer(next.seq + 1 + place));
            }
            next.seq += count;
        }
        values.push(params.iter().map(|param| value(param, subject, next)).collect());
    }
    // The next event has new keys, and goes on where this one ended.
    subject.retain(|name, _| !name.starts_with("new"));
    for name in ["batch", "session"] {
        if let Some(following) = subject.remove(&format!("next_{name}")) {
            subject.insert(name.to_owned(), following);
        }
    }
    values
}

fn value(param: &Json, names: &mut Names, next: &mut Next) -> Value {
    match param {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Integer(i64::from(*value)),
        Json::Number(value) => Value::Integer(value.as_i64().unwrap()),
        Json::String(text) => match text.strip_prefix('@') {
            Some("request") => Value::Text(format!("{:016x}", next.key)),
            Some(name) => named(name, names, next),
            None => Value::Text(filled_in(text, names, next)),
        },
        other => panic!("{other} as a parameter"),
    }
}

fn named(name: &str, names: &mut Names, next: &mut Next) -> Value {
    let new = || {
        next.key += 1;
        Value::Integer(next.key)
    };
    names.entry(name.to_owned()).or_insert_with(new).clone()
}

fn filled_in(text: &str, names: &mut Names, next: &mut Next) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let end = after.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(after.len());
        if end > 0 && after[end..].starts_with('}') {
            match named(&after[..end], names, next) {
                Value::Integer(key) => filled.push_str(&id_to_text(key)),
                Value::Text(key) => filled.push_str(&key),
                _ => {}
            }
            rest = &after[end + 1..];
        } else {
            filled.push('{');
            rest = after;
        }
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::{Db, Location};

    #[tokio::test]
    async fn the_engine_knows_all_that_scripts_name() {
        let folder = tempfile::tempdir().unwrap();
        let (db, _) = Db::open(&Location::Folder { folder: folder.path().to_owned(), write_group: 1 }).await.unwrap();
        db.close().await;
        let connection = floor::writer(folder.path());
        for script in [EXTRA_UPDATE, BATCH_COMPLETED, TRANSFER] {
            connection.prepare(script.subjects).unwrap();
            for (text, params) in script.statements() {
                assert_eq!(connection.prepare(&text).unwrap().parameter_count(), params.len(), "{text}");
            }
        }
    }
}
