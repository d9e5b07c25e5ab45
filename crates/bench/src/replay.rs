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

pub const EXTRA_UPDATE: &str = include_str!("floors/extra_update.json");
pub const BATCH_COMPLETED: &str = include_str!("floors/batch_completed.json");

/// How many events a second the engine stores, `group` to a commit, on a copy of the folder's database. It has a job for each of the
/// group, and the service's settings.
pub fn events_per_second(folder: &Path, script: &str, group: usize, time: Duration) -> f64 {
    let copy = tempfile::tempdir_in("target").unwrap();
    for file in ["tracewright.db", "tracewright.db-wal"] {
        if folder.join(file).exists() {
            std::fs::copy(folder.join(file), copy.path().join(file)).unwrap();
        }
    }
    let connection = Connection::open(copy.path().join("tracewright.db")).unwrap();
    connection
        .execute_batch(
            "pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16384;
             pragma wal_autocheckpoint = 8000;",
        )
        .unwrap();
    connection.set_prepared_statement_cache_capacity(256);
    let script: Vec<(String, Vec<Json>)> = serde_json::from_str(script).unwrap();
    let mut jobs = jobs(&connection, group);
    let (started, mut events, mut next_key) = (Instant::now(), 0, 1);
    while started.elapsed() < time {
        connection.execute_batch("begin immediate").unwrap();
        for job in &mut jobs {
            store_event(&connection, &script, job, &mut next_key);
            events += 1;
        }
        connection.execute_batch("commit").unwrap();
    }
    f64::from(events) / started.elapsed().as_secs_f64()
}

/// What the parameters name.
type Names = HashMap<String, Value>;

fn jobs(connection: &Connection, count: usize) -> Vec<Names> {
    let names = ["job", "order", "phase", "batch", "session", "next_phase", "user", "token"];
    let mut statement = connection
        .prepare(
            "select key, work_order_key, phase_key, active_batch_key, last_work_session_started,
                    (select max(phase_key) from order_phase where order_phase.work_order_key = job.work_order_key),
                    (select key from user_account), (select key from token)
             from job
             where stage = 'started'
             limit ?1",
        )
        .unwrap();
    let named = |row: &rusqlite::Row<'_>| {
        names.iter().enumerate().map(|(index, name)| Ok(((*name).to_owned(), row.get(index)?))).collect()
    };
    statement.query_map([count as i64], named).unwrap().map(Result::unwrap).collect()
}

fn store_event(connection: &Connection, script: &[(String, Vec<Json>)], job: &mut Names, next_key: &mut i64) {
    job.insert("now".to_owned(), Value::Integer(1_800_000_000_000 + *next_key));
    for (text, params) in script {
        let mut statement = connection.prepare_cached(text).unwrap();
        for (index, param) in params.iter().enumerate() {
            statement.raw_bind_parameter(index + 1, value(param, job, next_key)).unwrap();
        }
        let columns = statement.column_count();
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().unwrap() {
            (0..columns).for_each(|column| _ = std::hint::black_box(row.get_ref(column).unwrap()));
            if text.starts_with("insert into journal_head") {
                let first = row.get::<_, i64>(0).unwrap() - params[0].as_i64().unwrap() + 1;
                (0..16).for_each(|place| drop(job.insert(format!("seq{place}"), Value::Integer(first + place))));
            }
        }
    }
    // The next event has new keys, and goes on where this one ended.
    job.retain(|name, _| !name.starts_with("new") && name != "request");
    for name in ["batch", "session"] {
        if let Some(next) = job.remove(&format!("next_{name}")) {
            job.insert(name.to_owned(), next);
        }
    }
}

fn value(param: &Json, names: &mut Names, next_key: &mut i64) -> Value {
    match param {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Integer(i64::from(*value)),
        Json::Number(value) => Value::Integer(value.as_i64().unwrap()),
        Json::String(text) => match text.strip_prefix('@') {
            Some("request") => Value::Text(format!("{next_key:016x}")),
            Some(name) => named(name, names, next_key),
            None => Value::Text(filled_in(text, names, next_key)),
        },
        other => panic!("{other} as a parameter"),
    }
}

fn named(name: &str, names: &mut Names, next_key: &mut i64) -> Value {
    let new = || {
        *next_key += 1;
        Value::Integer(*next_key)
    };
    names.entry(name.to_owned()).or_insert_with(new).clone()
}

fn filled_in(text: &str, names: &mut Names, next_key: &mut i64) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let end = after.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(after.len());
        if end > 0 && after[end..].starts_with('}') {
            match named(&after[..end], names, next_key) {
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
