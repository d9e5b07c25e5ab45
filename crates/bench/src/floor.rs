//! What the engines do on their own: the baseline that figures are compared with.

use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use tempfile::TempDir;

/// The file of the embedded database, in its folder.
pub const DATABASE: &str = "tracewright.db";

const TABLE: &str = "create table floor (key text primary key, value text not null)";
const WRITE: &str =
    "insert into floor (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value";

/// A copy of a folder's database, while no server runs on it.
pub fn copy_of(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir_in("target").unwrap();
    for file in [DATABASE.to_owned(), format!("{DATABASE}-wal")] {
        if folder.join(&file).exists() {
            std::fs::copy(folder.join(&file), copy.path().join(&file)).unwrap();
        }
    }
    copy
}

/// A connection with the settings of the service's own that writes.
pub fn writer(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join(DATABASE)).unwrap();
    connection
        .execute_batch(
            "pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16384;
             pragma wal_autocheckpoint = 8000;",
        )
        .unwrap();
    connection.set_prepared_statement_cache_capacity(256);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).unwrap();
    connection
}

/// One durable commit after the other, with the server's own settings.
pub fn sqlite_commits(folder: &Path, time: Duration) -> f64 {
    let connection = Connection::open(folder.join("floor.db")).unwrap();
    connection.execute_batch("pragma journal_mode = wal; pragma synchronous = full;").unwrap();
    connection.execute_batch(TABLE).unwrap();
    let started = Instant::now();
    let mut commits = 0;
    while started.elapsed() < time {
        connection
            .prepare_cached(WRITE)
            .unwrap()
            .execute((format!("bench-{}", commits % 32), format!(r#"{{"n":{commits}}}"#)))
            .unwrap();
        commits += 1;
    }
    f64::from(commits) / started.elapsed().as_secs_f64()
}

/// So many connections, each of which makes one durable commit after the other.
pub async fn postgres_commits(url: &str, connections: usize, time: Duration) -> f64 {
    on_cluster(url, &TABLE.replace("create table", "create table if not exists")).await;
    let started = Instant::now();
    let commits = join_all((0..connections).map(|number| commits_of(url, number, time))).await;
    f64::from(commits.into_iter().sum::<u32>()) / started.elapsed().as_secs_f64()
}

async fn commits_of(url: &str, number: usize, time: Duration) -> u32 {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let write = client.prepare(WRITE).await.unwrap();
    let started = Instant::now();
    let mut commits = 0;
    while started.elapsed() < time {
        let key = format!("bench-{number}-{}", commits % 32);
        client.execute(&write, &[&key, &format!(r#"{{"n":{commits}}}"#)]).await.unwrap();
        commits += 1;
    }
    drop(client);
    let _ = connection.await;
    commits
}

pub async fn on_cluster(url: &str, command: &str) {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.expect("the cluster");
    let connection = tokio::spawn(connection);
    client.batch_execute(command).await.expect(command);
    drop(client);
    let _ = connection.await;
}

/// The process that all others of the cluster are children of.
pub async fn postmaster(url: &str) -> u32 {
    ask(url, "select pg_read_file('postmaster.pid')").await.lines().next().unwrap().parse().unwrap()
}

/// The text that a statement gives.
pub async fn ask(url: &str, statement: &str) -> String {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let row = client.query_one(statement, &[]).await.unwrap();
    drop(client);
    let _ = connection.await;
    row.get(0)
}
