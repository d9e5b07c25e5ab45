//! Numbered, forward-only steps, each in a transaction of its own kind, run at every start. One text serves both engines.

use std::path::{Path, PathBuf};

use deadpool_postgres::Client;
use rusqlite::Connection;

use crate::dialect::Dialect;
use crate::error::describe;
use crate::lock::Lock;
use crate::postgres::Postgres;
use crate::sql::sql;
use crate::sqlite::make_private_file;
use crate::tx::Tx;
use crate::{OpenError, Result};

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
    migration!(8, "0008_rights"),
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

/// The steps that a database with `latest` still lacks.
fn pending(latest: i64) -> Result<&'static [Migration], OpenError> {
    split(MIGRATIONS, latest).map(|(_, pending)| pending)
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
    let history = |error: rusqlite::Error| history_failed(&error);
    connection.execute_batch(&Dialect::Sqlite.spell(HISTORY)).map_err(history)?;
    let latest: i64 = connection
        .query_row("select coalesce(max(number), 0) from migration", [], |row| row.get(0))
        .map_err(history)?;
    let pending = pending(latest)?;
    let mut migrated = Migrated::default();
    if latest > 0 && !pending.is_empty() {
        migrated.safety_copy = Some(safety_copy(connection, folder, latest).map_err(history)?);
    }
    for migration in pending {
        let whole = format!("begin immediate;\n{}\ncommit;", migration.step(Dialect::Sqlite));
        if let Err(error) = connection.execute_batch(&whole) {
            let _ = connection.execute_batch("rollback");
            return Err(failed(migration, error.to_string()));
        }
        migrated.applied.push(migration.name);
    }
    Ok(migrated)
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
pub(crate) async fn trigrams(client: &Client) -> Result<(), OpenError> {
    let found = client.query_opt("select 1 from pg_extension where extname = 'pg_trgm'", &[]).await;
    if found.map_err(|error| history_failed(&error))?.is_none() {
        client.batch_execute("create extension pg_trgm").await.map_err(|_| OpenError::Trigram)?;
    }
    Ok(())
}

/// Nodes that start at once do it once: the others wait at the lock and then find nothing to do.
pub(crate) async fn postgres(postgres: &Postgres) -> Result<Migrated, OpenError> {
    let history = |error: tokio_postgres::Error| history_failed(&error);
    let client = postgres.client().await.map_err(|error| history_failed(&error))?;
    let site = Lock::Site.advisory_key();
    client.execute("select pg_advisory_lock($1)", &[&site]).await.map_err(history)?;
    let result = async {
        trigrams(&client).await?;
        client.batch_execute(&Dialect::Postgres.spell(HISTORY)).await.map_err(history)?;
        let latest: i64 =
            client.query_one("select coalesce(max(number), 0) from migration", &[]).await.map_err(history)?.get(0);
        let mut migrated = Migrated::default();
        for migration in pending(latest)? {
            let whole = format!("begin;\n{}\ncommit;", migration.step(Dialect::Postgres));
            if let Err(error) = client.batch_execute(&whole).await {
                let _ = client.batch_execute("rollback").await;
                return Err(failed(migration, describe(&error)));
            }
            migrated.applied.push(migration.name);
        }
        Ok(migrated)
    }
    .await;
    client.execute("select pg_advisory_unlock($1)", &[&site]).await.map_err(history)?;
    result
}
