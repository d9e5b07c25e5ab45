//! The database as the rest of the program knows it: `read` for one snapshot, `write` for the one door of all changes.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio::sync::oneshot;

use crate::error::{TxError, describe};
use crate::migrate::{self, Migrated};
use crate::postgres::Postgres;
use crate::presence::Presence;
use crate::sql::sql;
use crate::sqlite::{Sqlite, WriteJob, poll_once};
use crate::tx::{Begin, Link, Tx};
use crate::{OpenError, Result, StoreError};

/// Where a site keeps its records.
#[derive(Debug, Clone)]
pub enum Location {
    /// The embedded database in a folder of its own; `write_group` is the most writes that share one commit.
    Folder {
        folder: PathBuf,
        write_group: usize,
    },
    Postgres {
        url: String,
        connections: usize,
    },
}

#[derive(Clone)]
pub struct Db {
    engine: Arc<Engine>,
    statements: Arc<AtomicU64>,
}

enum Engine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// How often a transaction runs again when another stood in its way.
const TRIES: u32 = 10;

impl Db {
    /// Opens the database and brings it to the newest version.
    pub async fn open(location: &Location) -> Result<(Self, Migrated), OpenError> {
        let statements = Arc::new(AtomicU64::new(0));
        let (engine, migrated) = match location {
            Location::Folder { folder, write_group } => {
                let (sqlite, migrated) = Sqlite::open(folder, *write_group, migrate::sqlite)?;
                (Engine::Sqlite(sqlite), migrated)
            }
            Location::Postgres { url, connections } => {
                let postgres = Postgres::open(url, *connections).await?;
                let migrated = migrate::postgres(&postgres).await?;
                (Engine::Postgres(postgres), migrated)
            }
        };
        Ok((Self { engine: Arc::new(engine), statements }, migrated))
    }

    /// Opens the database as it is, beside the server that may be running on it, to read it and to hold leases. Nothing is
    /// migrated, and nothing that a server remembers may be written.
    pub async fn open_beside(location: &Location) -> Result<Self, OpenError> {
        let statements = Arc::new(AtomicU64::new(0));
        let engine = match location {
            Location::Folder { folder, .. } => Engine::Sqlite(Sqlite::open_beside(folder)?),
            // One connection reads while the other renews leases.
            Location::Postgres { url, .. } => Engine::Postgres(Postgres::open(url, 2).await?),
        };
        Ok(Self { engine: Arc::new(engine), statements })
    }

    /// Refuses a database that another version of the program made or uses.
    pub async fn check_version(&self) -> Result<(), OpenError> {
        let found = self.read(async |tx: &mut Tx| migrate::number(tx).await).await;
        let unread = |error: StoreError| OpenError::Unread { reason: describe(&error) };
        migrate::refuse_other(found.map_err(unread)?, migrate::MIGRATIONS)
    }

    /// How many statements ran so far: tests put a ceiling on what one request may cost.
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    /// The same database for work in the background, whose statements are not counted among those of requests.
    #[must_use]
    pub fn uncounted(&self) -> Self {
        Self { engine: self.engine.clone(), statements: Arc::default() }
    }

    /// Grows with every commit of the embedded database, before its answers go out: what was read while it had one value holds
    /// as long as it has it. `None` where other nodes write too.
    pub fn version(&self) -> Option<u64> {
        match &*self.engine {
            Engine::Sqlite(sqlite) => Some(sqlite.writer().commits()),
            Engine::Postgres(_) => None,
        }
    }

    /// Reads one snapshot. For short reads: on the embedded database it runs right here, on the caller's thread.
    pub async fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        E: TxError,
        F: AsyncFnOnce(&mut Tx) -> Result<T, E>,
    {
        self.read_in(Begin::Read, work).await
    }

    /// Reads with one single statement, which needs no transaction around it.
    pub async fn glance<T, E, F>(&self, work: F) -> Result<T, E>
    where
        E: TxError,
        F: AsyncFnOnce(&mut Tx) -> Result<T, E>,
    {
        self.read_in(Begin::Alone, work).await
    }

    async fn read_in<T, E, F>(&self, begin: Begin, work: F) -> Result<T, E>
    where
        E: TxError,
        F: AsyncFnOnce(&mut Tx) -> Result<T, E>,
    {
        match &*self.engine {
            Engine::Sqlite(sqlite) => {
                let mut tx = Tx::new(Link::Sqlite(sqlite.reader(begin)?), self.statements.clone());
                let result = work(&mut tx).await;
                if let Link::Sqlite(connection) = tx.into_link() {
                    sqlite.give_back(connection);
                }
                result
            }
            Engine::Postgres(postgres) => {
                let mut tx = Tx::new(Link::Postgres(postgres.link(begin).await?), self.statements.clone());
                let result = work(&mut tx).await;
                end_postgres(tx, result).await
            }
        }
    }

    /// The same for reads that can take long (searches, trees, exports): off the threads that serve requests.
    pub async fn read_long<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: TxError,
        F: AsyncFnOnce(&mut Tx) -> Result<T, E> + Send + 'static,
    {
        if let Engine::Postgres(_) = &*self.engine {
            return self.read(work).await;
        }
        let db = self.clone();
        let reading = tokio::task::spawn_blocking(move || poll_once(|| async move { db.read(work).await }));
        reading.await.unwrap_or_else(|_| Err(StoreError::Panicked.into()))
    }

    /// The one way to change anything: all of `work` happens, durably, or nothing. It may run more than once, so it
    /// changes nothing but `tx`. On the embedded database it must wait for nothing else.
    pub async fn write<T, E, F>(&self, name: &'static str, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: TxError,
        F: AsyncFn(&mut Tx) -> Result<T, E> + Send + 'static,
    {
        self.write_in(name, false, work).await
    }

    /// The same for a large change, which shares its commit with nobody: others would have to wait for it twice if it fails.
    pub async fn write_alone<T, E, F>(&self, name: &'static str, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: TxError,
        F: AsyncFn(&mut Tx) -> Result<T, E> + Send + 'static,
    {
        self.write_in(name, true, work).await
    }

    async fn write_in<T, E, F>(&self, name: &'static str, alone: bool, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: TxError,
        F: AsyncFn(&mut Tx) -> Result<T, E> + Send + 'static,
    {
        match &*self.engine {
            Engine::Sqlite(sqlite) => {
                let (reply, answer) = oneshot::channel();
                let job = WriteJob::new(work, alone, self.statements.clone(), reply);
                sqlite.writer().submit(Box::new(job));
                answer.await.unwrap_or_else(|_| Err(StoreError::Panicked.into()))
            }
            Engine::Postgres(postgres) => {
                let (asked_by, asked) = (Presence::asking_now(), Instant::now());
                let mut tries = 1;
                loop {
                    if asked_by.as_ref().is_some_and(|client| client.is_gone(asked.elapsed())) {
                        return Err(StoreError::Abandoned.into());
                    }
                    let result = self.try_write(postgres, &work).await;
                    let Err(error) = &result else { return result };
                    if tries == TRIES || !matches!(error.store_error(), Some(StoreError::Conflict(_))) {
                        return result;
                    }
                    tracing::debug!(name, tries, "transaction runs again");
                    tokio::time::sleep(jitter(tries)).await;
                    tries += 1;
                }
            }
        }
    }

    async fn try_write<T, E, F>(&self, postgres: &Postgres, work: &F) -> Result<T, E>
    where
        E: TxError,
        F: AsyncFn(&mut Tx) -> Result<T, E>,
    {
        let mut tx = Tx::new(Link::Postgres(postgres.link(Begin::Write).await?), self.statements.clone());
        let result = AssertUnwindSafe(work(&mut tx)).catch_unwind().await;
        end_postgres(tx, result.unwrap_or_else(|_| Err(StoreError::Panicked.into()))).await
    }

    /// Whether the database answers right now.
    pub async fn ping(&self) -> Result<()> {
        self.read(async |tx: &mut Tx| tx.one::<i64>(sql!("select count(*) from migration"), &[]).await.map(|_| ()))
            .await
    }

    /// Finishes what is under way and closes.
    pub async fn close(&self) {
        let engine = self.engine.clone();
        let closing = tokio::task::spawn_blocking(move || match &*engine {
            Engine::Sqlite(sqlite) => sqlite.close(),
            Engine::Postgres(postgres) => postgres.close(),
        });
        let _ = closing.await;
    }
}

/// Commits a success, undoes a failure; the failure's own error is what the caller hears.
async fn end_postgres<T, E: TxError>(tx: Tx, result: Result<T, E>) -> Result<T, E> {
    let Link::Postgres(link) = tx.into_link() else { return result };
    let ended = link.end(result.is_ok()).await;
    let value = result?;
    ended?;
    Ok(value)
}

/// A short pause of random length that grows with the tries, so that two transactions do not meet again.
fn jitter(tries: u32) -> Duration {
    let mut random = [0; 2];
    let _ = getrandom::fill(&mut random);
    let spread = u64::from(u16::from_le_bytes(random)) % (1 << tries.min(7));
    Duration::from_millis(1 + spread)
}
