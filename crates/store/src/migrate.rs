//! Numbered, forward-only steps, each in a transaction of its own kind, run at every start. One text serves both engines.

use std::path::{Path, PathBuf};

use deadpool_postgres::Client;
use rusqlite::Connection;

use crate::dialect::Dialect;
use crate::error::describe;
use crate::lock::Lock;
use crate::postgres::Postgres;
use crate::sqlite::make_private_file;
use crate::{OpenError, Result};

struct Migration {
    number: i64,
    name: &'static str,
    text: &'static str,
}

macro_rules! migration {
    ($number:literal, $name:literal) => {
        Migration { number: $number, name: $name, text: include_str!(concat!("../../../migrations/", $name, ".sql")) }
    };
}

const MIGRATIONS: &[Migration] = &[migration!(1, "0001_foundation"), migration!(2, "0002_administration")];

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

/// The steps that a database with `latest` still lacks.
fn pending(latest: i64) -> Result<&'static [Migration], OpenError> {
    let known = MIGRATIONS.last().map_or(0, |migration| migration.number);
    if latest > known {
        return Err(OpenError::Newer { found: latest, known });
    }
    let done = MIGRATIONS.iter().take_while(|migration| migration.number <= latest).count();
    Ok(&MIGRATIONS[done..])
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
        let text = Dialect::Sqlite.migration(migration.text);
        let whole = format!(
            "begin immediate;\n{text}\n;insert into migration (number, name) values ({}, '{}');\ncommit;",
            migration.number, migration.name
        );
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
async fn trigrams(client: &Client) -> Result<(), OpenError> {
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
            let text = Dialect::Postgres.migration(migration.text);
            let whole = format!(
                "begin;\n{text}\n;insert into migration (number, name) values ({}, '{}');\ncommit;",
                migration.number, migration.name
            );
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
