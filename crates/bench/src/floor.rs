//! What the engines do on their own: the baseline that figures are compared with.

use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

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

/// Every line below a product: rows only, each product visited once.
pub const BELOW: &str = "with recursive below (id) as (
        select id from product where key = $1
        union
        select bom_line.component_id from below cross join bom_line where bom_line.product_id = below.id
    )
    select bom_line.key, bom_line.product_id, bom_line.component_id, bom_line.phase_key, bom_line.qt
    from below
    cross join bom_line
    where bom_line.product_id = below.id";
/// Every line above one.
pub const ABOVE: &str = "with recursive above (id) as (
        select id from product where key = $1
        union
        select bom_line.product_id from above cross join bom_line where bom_line.component_id = above.id
    )
    select bom_line.product_id, bom_line.component_id, bom_line.qt, bom_line.qt, bom_line.qt
    from above
    cross join bom_line
    where bom_line.component_id = above.id";
const TIMES: usize = 9;

pub fn sqlite_query(folder: &Path, query: &str, product: &str) -> Duration {
    let connection = rusqlite::Connection::open(folder.join("tracewright.db")).unwrap();
    let mut statement = connection.prepare(query).unwrap();
    let mut once = || {
        let begun = Instant::now();
        let mut rows = statement.query([product]).unwrap();
        let mut sum: i64 = 0;
        while let Some(row) = rows.next().unwrap() {
            sum = (0..5).fold(sum, |sum, column| sum.wrapping_add(row.get::<_, i64>(column).unwrap()));
        }
        std::hint::black_box(sum);
        begun.elapsed()
    };
    median((0..TIMES).map(|_| once()).collect())
}

pub async fn postgres_query(url: &str, query: &str, product: &str) -> Duration {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let statement = client.prepare(query).await.unwrap();
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let begun = Instant::now();
        let rows = client.query(&statement, &[&product]).await.unwrap();
        let sum = rows.iter().fold(0_i64, |sum, row| (0..5).fold(sum, |sum, column| sum.wrapping_add(row.get(column))));
        std::hint::black_box(sum);
        times.push(begun.elapsed());
    }
    drop(client);
    let _ = connection.await;
    median(times)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
