//! Filling tables with millions of rows, as fast as the engine can while nobody else uses it: there are no indexes until all rows
//! are stored.

use std::ops::Range;
use std::path::Path;

use rusqlite::Connection;

use crate::floor::DATABASE;

/// What is dropped and made again. SQLite keeps trigrams in a table of their own, by triggers.
struct Made {
    kind: String,
    name: String,
    text: String,
}

pub fn sqlite(folder: &Path, tables: &[&str], statements: &[String]) {
    let connection = Connection::open(folder.join(DATABASE)).unwrap();
    let run = |text: &str| connection.execute_batch(text).unwrap();
    // Nobody needs what a crash would leave behind.
    run("pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off; pragma cache_size = -500000;");
    let made: Vec<Made> = tables.iter().flat_map(|table| made_for(&connection, table)).collect();
    made.iter().for_each(|Made { kind, name, .. }| run(&format!("drop {kind} {name}")));
    run("begin");
    statements.iter().for_each(|statement| run(statement));
    run("commit");
    made.iter().for_each(|Made { text, .. }| run(text));
    for trigrams in tables.iter().flat_map(|table| trigrams_of(&connection, table)) {
        run(&format!("insert into {trigrams} ({trigrams}) values ('rebuild')"));
    }
}

fn made_for(connection: &Connection, table: &str) -> Vec<Made> {
    let mut statement = connection
        .prepare(
            "select type, name, sql
             from sqlite_schema
             where tbl_name = ?1 and type in ('index', 'trigger') and sql is not null",
        )
        .unwrap();
    let made =
        |row: &rusqlite::Row<'_>| Ok(Made { kind: row.get("type")?, name: row.get("name")?, text: row.get("sql")? });
    statement.query_map([table], made).unwrap().map(Result::unwrap).collect()
}

fn trigrams_of(connection: &Connection, table: &str) -> Vec<String> {
    let text = "select name from sqlite_schema where type = 'table' and name glob ?1 || '_*_trigram'";
    let mut statement = connection.prepare(text).unwrap();
    statement.query_map([table], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

pub async fn postgres(url: &str, tables: &[&str], statements: &[String]) {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    // References are not checked.
    let settings =
        "set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '512MB'";
    client.batch_execute(settings).await.unwrap();
    let indexes = "select cast(indexname as text), indexdef
                   from pg_indexes
                   where schemaname = current_schema() and cast(tablename as text) = any($1)
                       and indexname not in (select conname from pg_constraint)";
    let indexes = client.query(indexes, &[&tables]).await.unwrap();
    let dropped = indexes.iter().map(|index| format!("drop index {}", index.get::<_, String>(0)));
    let made = indexes.iter().map(|index| index.get::<_, String>(1));
    let filled = ["begin".to_owned()].into_iter().chain(statements.iter().cloned()).chain(["commit".to_owned()]);
    for statement in dropped.chain(filled).chain(made) {
        client.batch_execute(&statement).await.expect(&statement);
    }
    drop(client);
    let _ = connection.await;
}

pub fn sqlite_numbers(numbers: Range<i64>) -> String {
    format!(
        "(with recursive counted (number) as (
              select {} union all select number + 1 from counted where number + 1 < {}
          ) select number from counted) as counted",
        numbers.start, numbers.end
    )
}

pub fn postgres_numbers(numbers: Range<i64>) -> String {
    format!("generate_series(cast({} as bigint), {}) as counted (number)", numbers.start, numbers.end - 1)
}
