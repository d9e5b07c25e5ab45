//! What the engines do without us: the floor that figures are held against.

use std::path::Path;
use std::time::{Duration, Instant};

const TABLE: &str = "create table floor (key text primary key, value text not null)";
const WRITE: &str =
    "insert into floor (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value";

/// One durable commit after the other, with the server's own settings.
pub fn sqlite_commits(folder: &Path, time: Duration) -> f64 {
    let connection = rusqlite::Connection::open(folder.join("floor.db")).unwrap();
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

pub async fn postgres_commits(url: &str, time: Duration) -> f64 {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(TABLE).await.unwrap();
    let write = client.prepare(WRITE).await.unwrap();
    let started = Instant::now();
    let mut commits = 0;
    while started.elapsed() < time {
        client.execute(&write, &[&format!("bench-{}", commits % 32), &format!(r#"{{"n":{commits}}}"#)]).await.unwrap();
        commits += 1;
    }
    drop(client);
    let _ = connection.await;
    f64::from(commits) / started.elapsed().as_secs_f64()
}

pub async fn on_cluster(url: &str, command: &str) {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.expect("the cluster");
    let connection = tokio::spawn(connection);
    client.batch_execute(command).await.expect(command);
    drop(client);
    let _ = connection.await;
}
