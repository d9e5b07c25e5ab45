//! Numbered, forward-only steps, run at every start, all that are missing in one transaction: a database has the steps of one
//! version or of the other, never some between. One text serves both engines.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::dialect::Dialect;
use crate::error::describe;
use crate::lock::Lock;
use crate::origin;
use crate::postgres::{Postgres, end};
use crate::sql::sql;
use crate::sqlite::make_private_file;
use crate::tx::{Begin, Tx};
use crate::{OpenError, Result, Sql, StoreError};

pub(crate) struct Migration {
    pub(crate) number: i64,
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

impl Migration {
    /// Its statements and its line in the history, to be run in one transaction.
    fn step(&self, dialect: Dialect) -> String {
        let text = dialect.migration(self.text);
        format!("{text}\n;insert into migration (number, name) values ({}, '{}');", self.number, self.name)
    }
}

macro_rules! migration {
    ($number:literal, $name:literal) => {
        Migration { number: $number, name: $name, text: include_str!(concat!("../../../migrations/", $name, ".sql")) }
    };
}

pub(crate) const MIGRATIONS: &[Migration] = &[
    migration!(1, "0001_foundation"),
    migration!(2, "0002_administration"),
    migration!(3, "0003_products"),
    migration!(4, "0004_imports"),
    migration!(5, "0005_production"),
    migration!(6, "0006_token_sessions"),
    migration!(7, "0007_site_mark"),
    migration!(8, "0008_rights"),
    migration!(9, "0009_noted_refusals"),
    migration!(10, "0010_clocks"),
    migration!(11, "0011_look_alikes"),
    migration!(12, "0012_canceled_batches"),
    migration!(13, "0013_audit_targets"),
    migration!(14, "0014_serials"),
    migration!(15, "0015_traced_batches"),
    migration!(16, "0016_replayed_rights"),
    migration!(17, "0017_tree_links"),
    migration!(18, "0018_positions"),
    migration!(19, "0019_movements"),
    migration!(20, "0020_movement_entries"),
    migration!(21, "0021_units_of_products"),
    migration!(22, "0022_counting"),
    migration!(23, "0023_started_counts"),
    migration!(24, "0024_collaboration"),
    migration!(25, "0025_webhooks"),
    migration!(26, "0026_links_and_removed_webhooks"),
    migration!(27, "0027_long_movements"),
    migration!(28, "0028_stock_of_serials"),
    migration!(29, "0029_states_of_lists"),
];

const HISTORY: &str = "create table if not exists migration (number {int} primary key, name {text} not null)";

/// What a start did to the database.
#[derive(Debug, Default)]
pub struct Migrated {
    pub applied: Vec<&'static str>,
    /// The copy made before an existing embedded database was changed.
    pub safety_copy: Option<PathBuf>,
}

fn failed(migration: &Migration, reason: String) -> OpenError {
    OpenError::Migration { name: migration.name.to_owned(), reason }
}

fn history_failed(error: &dyn std::error::Error) -> OpenError {
    OpenError::Migration { name: "history".to_owned(), reason: describe(error) }
}

/// The functions that these steps make in PostgreSQL.
pub(crate) fn postgres_functions(steps: &[Migration]) -> Vec<String> {
    let texts = steps.iter().map(|migration| Dialect::Postgres.migration(migration.text));
    let names = |text: String| {
        let made = text.split("create function ").skip(1);
        made.filter_map(|rest| rest.split('(').next().map(|name| name.trim().to_owned())).collect::<Vec<_>>()
    };
    texts.flat_map(names).collect()
}

/// The number of the last of these steps.
pub(crate) fn last_number(steps: &[Migration]) -> i64 {
    steps.last().map_or(0, |migration| migration.number)
}

/// For those who use a database as it is: it must have exactly these steps.
pub(crate) fn refuse_other(found: i64, steps: &[Migration]) -> Result<(), OpenError> {
    let known = last_number(steps);
    match found {
        found if found > known => Err(OpenError::Newer { found, known }),
        found if found < known => Err(OpenError::NotMigrated { found, known }),
        _ => Ok(()),
    }
}

/// The steps that make a database with `latest`, and those that it still lacks.
pub(crate) fn split(
    steps: &'static [Migration],
    latest: i64,
) -> Result<(&'static [Migration], &'static [Migration]), OpenError> {
    let known = last_number(steps);
    if latest > known {
        return Err(OpenError::Newer { found: latest, known });
    }
    Ok(steps.split_at(steps.iter().take_while(|migration| migration.number <= latest).count()))
}

/// The database's number; 0 when it has none of our tables.
pub(crate) async fn number(tx: &mut Tx) -> Result<i64> {
    if !tx.one::<bool>(sql!("select {has migration}"), &[]).await? {
        return Ok(0);
    }
    tx.one(sql!("select coalesce(max(number), 0) from migration"), &[]).await
}

/// Runs steps in a transaction that is under way.
pub(crate) async fn run(tx: &mut Tx, steps: &[Migration]) -> Result<(), OpenError> {
    let dialect = tx.dialect();
    tx.batch(&dialect.spell(HISTORY)).await.map_err(|error| history_failed(&error))?;
    for migration in steps {
        tx.batch(&migration.step(dialect)).await.map_err(|error| failed(migration, describe(&error)))?;
    }
    Ok(())
}

pub(crate) fn sqlite(connection: &mut Connection, folder: &Path) -> Result<Migrated, OpenError> {
    sqlite_with(MIGRATIONS, connection, folder)
}

fn sqlite_with(steps: &'static [Migration], connection: &mut Connection, folder: &Path) -> Result<Migrated, OpenError> {
    let history = |error: rusqlite::Error| history_failed(&error);
    let has: bool = connection
        .query_row(&Dialect::Sqlite.spell("select {has migration}"), [], |row| row.get(0))
        .map_err(history)?;
    let latest: i64 = match has {
        true => connection.query_row("select coalesce(max(number), 0) from migration", [], |row| row.get(0)),
        false => Ok(0),
    }
    .map_err(history)?;
    let (_, pending) = split(steps, latest)?;
    let mut migrated = Migrated::default();
    if pending.is_empty() {
        return Ok(migrated);
    }
    if latest > 0 {
        migrated.safety_copy = Some(safety_copy(connection, folder, latest).map_err(history)?);
    }
    migrated.applied = pending.iter().map(|migration| migration.name).collect();
    let all = || {
        let begin = format!("begin immediate;\n{};", Dialect::Sqlite.spell(HISTORY));
        connection.execute_batch(&begin).map_err(history)?;
        for migration in pending {
            let step = migration.step(Dialect::Sqlite);
            connection.execute_batch(&step).map_err(|error| failed(migration, error.to_string()))?;
        }
        connection.execute_batch("commit").map_err(history)
    };
    match all() {
        Ok(()) => Ok(migrated),
        Err(error) => {
            let _ = connection.execute_batch("rollback");
            Err(error)
        }
    }
}

fn safety_copy(connection: &Connection, folder: &Path, latest: i64) -> rusqlite::Result<PathBuf> {
    let copy = folder.join(format!("tracewright.before-migration-{}.db", latest + 1));
    let _ = std::fs::remove_file(&copy);
    if let Err(error) = make_private_file(&copy) {
        tracing::warn!(%error, "the safety copy may be readable by others");
    }
    connection.execute("vacuum into ?1", [copy.to_string_lossy()])?;
    Ok(copy)
}

/// Searches need PostgreSQL's own extension for trigrams; the owner of a database may make it.
pub(crate) async fn trigrams(tx: &mut Tx) -> Result<(), OpenError> {
    let found = tx.one::<bool>(Sql::raw("select exists (select 1 from pg_extension where extname = 'pg_trgm')"), &[]);
    if !found.await.map_err(|error| history_failed(&error))? {
        tx.batch("create extension pg_trgm").await.map_err(|_| OpenError::Trigram)?;
    }
    Ok(())
}

/// Nodes that start at once do it once: the others wait at the lock, as long as it takes, and then find nothing to do.
pub(crate) async fn postgres(postgres: &Postgres) -> Result<Migrated, OpenError> {
    postgres_with(MIGRATIONS, postgres).await
}

/// So often steps run again that stood in the way of a node at work.
const TRIES: usize = 10;

async fn postgres_with(steps: &'static [Migration], postgres: &Postgres) -> Result<Migrated, OpenError> {
    let mut tries = 1;
    loop {
        let mut tx = postgres.begin(Begin::Write).await.map_err(|error| history_failed(&error))?;
        let mut conflict = false;
        let done = missing_steps(&mut tx, steps, postgres.shown(), &mut conflict).await;
        let ended = end(tx, done.is_ok()).await;
        match done {
            Err(_) if conflict && tries < TRIES => tries += 1,
            done => {
                let migrated = done?;
                ended.map_err(|error| history_failed(&error))?;
                return Ok(migrated);
            }
        }
    }
}

/// Runs what a database lacks; `conflict` says whether it might succeed the next time.
async fn missing_steps(
    tx: &mut Tx,
    steps: &'static [Migration],
    at: &str,
    conflict: &mut bool,
) -> Result<Migrated, OpenError> {
    let history = |error: StoreError| history_failed(&error);
    if !tx.try_lock(Lock::Site).await.map_err(history)? {
        tracing::info!("another node migrates the database or restores a backup: waiting for it");
        tx.lock(Lock::Site).await.map_err(history)?;
    }
    let latest = origin::of(tx, steps).await.map_err(history)?.number_at(at)?;
    let (_, pending) = split(steps, latest)?;
    if pending.is_empty() {
        return Ok(Migrated::default());
    }
    trigrams(tx).await?;
    tx.batch(&Dialect::Postgres.spell(HISTORY)).await.map_err(history)?;
    for migration in pending {
        tx.batch(&migration.step(Dialect::Postgres)).await.map_err(|error| {
            *conflict = matches!(error, StoreError::Conflict(_));
            failed(migration, describe(&error))
        })?;
    }
    Ok(Migrated { applied: pending.iter().map(|migration| migration.name).collect(), safety_copy: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Migration = Migration { number: 1, name: "good", text: "create table a (key {id}) {strict};" };
    const BAD: Migration = Migration {
        number: 2,
        name: "bad",
        text: "create table b (key {id}) {strict}; insert into nowhere values (1);",
    };
    const MENDED: Migration = Migration { number: 2, name: "bad", text: "create table b (key {id}) {strict};" };

    /// A version whose second step fails leaves a database that the next one can still bring up.
    #[test]
    fn a_step_that_fails_takes_those_before_it_along() {
        let folder = tempfile::tempdir().unwrap();
        let mut connection = Connection::open(folder.path().join("x.db")).unwrap();
        let refused = sqlite_with(&[GOOD, BAD], &mut connection, folder.path()).unwrap_err();
        assert!(refused.to_string().contains("bad"), "{refused}");
        let tables: i64 = connection.query_row("select count(*) from sqlite_schema", [], |row| row.get(0)).unwrap();
        assert_eq!(tables, 0);
        let migrated = sqlite_with(&[GOOD, MENDED], &mut connection, folder.path()).unwrap();
        assert_eq!(migrated.applied, ["good", "bad"]);
    }

    /// A database of its own on the test cluster.
    async fn database(name: &str) -> (Postgres, String) {
        let url = std::env::var("TRACEWRIGHT_TEST_POSTGRES").expect("run the tests by `make test`");
        let name = format!("t_{name}_{}", std::process::id());
        let cluster = Postgres::open(&url, 1).await.unwrap();
        cluster.client().await.unwrap().batch_execute(&format!("create database {name}")).await.unwrap();
        (cluster, url.replace("/postgres?", &format!("/{name}?")))
    }

    #[tokio::test]
    async fn a_step_that_fails_takes_those_before_it_along_on_postgres() {
        let (_cluster, url) = database("steps").await;
        let postgres = Postgres::open(&url, 2).await.unwrap();
        let refused = postgres_with(&[GOOD, BAD], &postgres).await.unwrap_err();
        assert!(refused.to_string().contains("bad"), "{refused}");
        let mut tx = postgres.begin(Begin::Read).await.unwrap();
        assert_eq!(origin::of(&mut tx, &[GOOD, MENDED]).await.unwrap(), origin::Origin::Empty);
        end(tx, true).await.unwrap();
        assert_eq!(postgres_with(&[GOOD, MENDED], &postgres).await.unwrap().applied, ["good", "bad"]);
        postgres.close();
    }

    /// However long another node migrates, and whatever limit locks have: who waits for it goes on afterwards.
    #[tokio::test]
    async fn a_start_waits_for_another_nodes_migration_without_a_limit() {
        let (_cluster, url) = database("wait").await;
        let (first, second) = (Postgres::open(&url, 2).await.unwrap(), Postgres::open(&url, 2).await.unwrap());
        let mut migrating = first.begin(Begin::Write).await.unwrap();
        assert!(migrating.try_lock(Lock::Site).await.unwrap());
        let starting = postgres_with(&[GOOD], &second);
        let look = async {
            // It waits at the lock, and no limit counts for it.
            let limit = async |tx: &mut Tx| tx.one::<String>(Sql::raw("show lock_timeout"), &[]).await.unwrap();
            let third = Postgres::open(&url, 2).await.unwrap();
            let mut other = third.begin(Begin::Write).await.unwrap();
            assert_eq!(limit(&mut other).await, "0");
            let waits = Sql::raw(
                "select count(*) from pg_locks where locktype = 'advisory' and not granted
                 and database = (select oid from pg_database where datname = current_database())",
            );
            while other.one::<i64>(waits.clone(), &[]).await.unwrap() == 0 {
                tokio::task::yield_now().await;
            }
            end(other, true).await.unwrap();
            end(migrating, true).await.unwrap();
        };
        let (started, ()) = tokio::join!(starting, look);
        assert_eq!(started.unwrap().applied, ["good"]);
    }
}
