//! What the engines do on their own: the baseline that figures are compared with.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use tempfile::TempDir;
use tokio_postgres::types::{FromSql, ToSql, Type};

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
/// Every link below a serial, with the serial it leads to: rows only, in no order. `{step}` is how the engine is kept on the index
/// of links.
pub const TREE: &str = "with recursive tree (link_key, id) as (
        select key, child_key from serial_link where parent_key = $1 and confirmed and not replaced
        union all
        select next.key, next.child_key from {step} where next.confirmed and not next.replaced
    )
    select serial_link.parent_key, serial_link.key, serial_link.component_key, serial_link.confirmed,
        serial_link.replaced, serial_link.reason, serial_link.linked, serial_link.unlinked, serial.key, serial.code,
        serial.product_id, serial.wo_key, serial.deleted, serial.scrapped, serial.released
    from tree
    cross join serial_link
    cross join serial
    where serial_link.key = tree.link_key and serial.key = tree.id";
pub const SQLITE_STEP: &str = "tree cross join serial_link as next on next.parent_key = tree.id";
pub const POSTGRES_STEP: &str = "tree cross join lateral (
        select key, child_key, confirmed, replaced from serial_link where parent_key = tree.id offset 0
    ) as next";
/// The outermost units that hold serials of a product: rows only, each once, in no order. Looked up one by one, links are found
/// by their index in every step; `{unit}` is how the engine is kept on that of serials.
pub const RECALL: &str = "with recursive above (id, parent_id) as (
        select serial.key, (select parent_key from serial_link where child_key = serial.key and not replaced)
        from serial
        where serial.product_id = (select id from product where key = $1) and serial.deleted is null
        union
        select above.parent_id,
            (select parent_key from serial_link where child_key = above.parent_id and not replaced)
        from above
        where above.parent_id is not null
    )
    select serial.key, serial.code, serial.product_id, serial.wo_key, serial.deleted, serial.scrapped, serial.released
    from above
    cross join {unit}
    where above.parent_id is null";
pub const SQLITE_UNIT: &str = "serial on serial.key = above.id";
pub const POSTGRES_UNIT: &str = "lateral (select * from serial where key = above.id offset 0) as serial";
const TIMES: usize = 9;

pub fn sqlite_query(folder: &Path, query: &str, keys: &[impl rusqlite::ToSql]) -> Duration {
    let connection = Connection::open(folder.join(DATABASE)).unwrap();
    let mut statement = connection.prepare(query).unwrap();
    let columns = statement.column_count();
    let once = |key| {
        let begun = Instant::now();
        let mut rows = statement.query([key]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            (0..columns).for_each(|column| _ = std::hint::black_box(row.get_ref(column).unwrap()));
        }
        begun.elapsed()
    };
    median(in_turn(keys).map(once).collect())
}

/// As many keys as there are runs, one after the other.
fn in_turn<T>(keys: &[T]) -> impl Iterator<Item = &T> {
    keys.iter().cycle().take(keys.len().max(TIMES))
}

pub async fn postgres_query(url: &str, query: &str, keys: &[impl ToSql + Sync]) -> Duration {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    // As on the connections of the service: compiling the query takes longer than carrying it out.
    client.batch_execute("set jit = off").await.unwrap();
    let statement = client.prepare(query).await.unwrap();
    let mut times = Vec::new();
    for key in in_turn(keys) {
        let begun = Instant::now();
        for row in client.query(&statement, &[key]).await.unwrap() {
            (0..row.len()).for_each(|column| _ = std::hint::black_box(row.get::<_, Size>(column).0));
        }
        times.push(begun.elapsed());
    }
    drop(client);
    let _ = connection.await;
    median(times)
}

/// How many bytes a column has, of whatever type it is.
struct Size(usize);

impl<'a> FromSql<'a> for Size {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw.len()))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(0))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
