//! The database as the rest of the program knows it: `read` for one snapshot, `write` for the one door of all changes.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::Notify;

use crate::error::{TxError, describe};
use crate::migrate::{self, Migrated, Migration};
use crate::postgres::{HeldTurns, Lane, Postgres, PostgresLink};
use crate::presence::Presence;
use crate::sql::sql;
use crate::sqlite::{Sqlite, poll_once};
use crate::tries::{First, Tries};
use crate::tx::{Begin, Link, Tx};
use crate::usage::{Allowance, Keep, Usage};
use crate::writable::Writable;
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
    usage: Usage,
    lane: Lane,
    /// The last migration of a database that another node has brought to a newer version; 0 as long as it is ours.
    newer: Arc<AtomicI64>,
    writable: Arc<Writable>,
    written: Arc<Notify>,
}

enum Engine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// Who shares the commit of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commit {
    /// On the embedded database, whoever waits at the same time; on PostgreSQL nobody.
    Usual,
    /// Whoever waits at the same time, on both. For what is frequent and keeps to one order: `postgres/group.rs` says why.
    Shared,
    /// Nobody: of a large change, since others would have to wait for it twice if it fails.
    Alone,
}

impl Db {
    /// Opens the database and brings it to the newest version.
    pub async fn open(location: &Location) -> Result<(Self, Migrated), OpenError> {
        let (engine, migrated) = match location {
            Location::Folder { folder, write_group } => {
                let (sqlite, migrated) = Sqlite::open(folder, *write_group, migrate::MIGRATIONS, migrate::sqlite)?;
                (Engine::Sqlite(sqlite), migrated)
            }
            Location::Postgres { url, connections } => {
                let postgres = Postgres::open(url, *connections).await?;
                let migrated = migrate::postgres(&postgres).await?;
                (Engine::Postgres(postgres), migrated)
            }
        };
        Ok((Self::new(engine), migrated))
    }

    fn new(engine: Engine) -> Self {
        Self {
            engine: Arc::new(engine),
            usage: Usage::default(),
            lane: Lane::Requests,
            newer: Arc::default(),
            writable: Arc::default(),
            written: Arc::default(),
        }
    }

    /// Opens the database as it is, beside the server that may be running on it, to read it and to hold leases. Nothing is
    /// migrated, and nothing that a server remembers may be written.
    pub async fn open_beside(location: &Location) -> Result<Self, OpenError> {
        Self::open_beside_with(location, migrate::MIGRATIONS).await
    }

    pub(crate) async fn open_beside_with(location: &Location, steps: &[Migration]) -> Result<Self, OpenError> {
        let engine = match location {
            Location::Folder { folder, .. } => Engine::Sqlite(Sqlite::open_beside(folder, steps)?),
            // One connection reads while the other renews leases.
            Location::Postgres { url, .. } => {
                let postgres = Postgres::open_for_command(url, 2).await?;
                postgres.number(steps).await?;
                Engine::Postgres(postgres)
            }
        };
        Ok(Self::new(engine))
    }

    /// Whether no site was ever made there. Nothing is changed to find out, and somebody else's database is refused.
    pub async fn is_unused(location: &Location) -> Result<bool, OpenError> {
        let number = match location {
            Location::Folder { folder, .. } => Sqlite::number_in(folder, migrate::MIGRATIONS)?,
            Location::Postgres { url, .. } => {
                let postgres = Postgres::open_for_command(url, 1).await?;
                let number = postgres.number(migrate::MIGRATIONS).await;
                postgres.close();
                number?
            }
        };
        Ok(number == 0)
    }

    /// Refuses a database that another version of the program made or uses.
    pub async fn check_version(&self) -> Result<(), OpenError> {
        let found = self.read(async |tx: &mut Tx| migrate::number(tx).await).await;
        let unread = |error: StoreError| OpenError::Unread { reason: describe(&error) };
        migrate::refuse_other(found.map_err(unread)?, migrate::MIGRATIONS)
    }

    /// Looks whether another node has brought the database to a newer version. From then on this one neither reads nor writes:
    /// it does not know what the columns mean. Says whether it may go on.
    pub async fn is_current(&self) -> Result<bool> {
        let Engine::Postgres(postgres) = &*self.engine else { return Ok(true) };
        let link = postgres.link(Begin::Read, Lane::Urgent, postgres.no_turns()).await?;
        let mut tx = Tx::new(Link::Postgres(link), Usage::default());
        let found = migrate::number(&mut tx).await;
        let found = end_postgres(tx, found).await?;
        let known = migrate::last_number(migrate::MIGRATIONS);
        let newer = if found > known { found } else { 0 };
        let before = self.newer.swap(newer, Ordering::Relaxed);
        if newer != 0 && before == 0 {
            tracing::error!(
                found,
                known,
                "the database was brought to a newer version: this node serves nothing any more; install that version here"
            );
        }
        Ok(newer == 0)
    }

    /// What [`Db::is_current`] found the last time.
    pub fn is_outdated(&self) -> bool {
        self.newer.load(Ordering::Relaxed) != 0
    }

    fn refuse_newer(&self) -> Result<()> {
        match self.is_outdated() {
            false => Ok(()),
            true => Err(StoreError::Newer),
        }
    }

    /// How many statements ran so far: tests put a ceiling on what one request may cost.
    pub fn statements(&self) -> u64 {
        self.usage.statements()
    }

    /// This database for work in the background, which takes no connection from requests and whose statements are not
    /// counted among theirs.
    #[must_use]
    pub fn background(&self) -> Self {
        Self { usage: Usage::default(), lane: Lane::Background, ..self.clone() }
    }

    /// This database for what has to be answered however busy it is: tokens, sign-ins, readiness, leases. Only for what is
    /// short and waits for nobody.
    #[must_use]
    pub fn urgent(&self) -> Self {
        Self { lane: Lane::Urgent, ..self.clone() }
    }

    /// This database for a request that may use so much memory.
    #[must_use]
    pub fn within(&self, allowance: Arc<dyn Allowance>) -> Self {
        Self { usage: self.usage.with(allowance), ..self.clone() }
    }

    /// This database for reads that drop the rows of a statement before the next one, such as exports.
    #[must_use]
    pub fn in_passing(&self) -> Self {
        Self { usage: self.usage.keeping(Keep::Largest), ..self.clone() }
    }

    /// Grows with every commit of the embedded database, before its answers go out: what was read while it had one value holds
    /// as long as it has it. `None` where other nodes write too.
    pub fn version(&self) -> Option<u64> {
        match &*self.engine {
            Engine::Sqlite(sqlite) => Some(sqlite.writer().commits()),
            Engine::Postgres(_) => None,
        }
    }

    /// Grows with every change of a token or a user, before its answer goes out: a check that was read while it had one value
    /// holds as long as it has it. `None` where other nodes write too.
    pub fn rights_version(&self) -> Option<u64> {
        match &*self.engine {
            Engine::Sqlite(sqlite) => Some(sqlite.writer().rights_version()),
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
                let mut tx = Tx::new(Link::Sqlite(sqlite.reader(begin)?), self.usage.clone());
                let result = work(&mut tx).await;
                if let Link::Sqlite(connection) = tx.into_link() {
                    sqlite.give_back(connection);
                }
                result
            }
            Engine::Postgres(postgres) => {
                self.refuse_newer()?;
                let link = postgres.link(begin, self.lane, postgres.no_turns()).await?;
                let mut tx = Tx::new(Link::Postgres(link), self.usage.clone());
                let result = work(&mut tx).await;
                end_postgres(tx, result).await
            }
        }
    }

    /// Reads one snapshot off the threads that serve requests, for reads that can take long (searches, trees, exports).
    pub async fn read_long<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: TxError,
        F: AsyncFnOnce(&mut Tx) -> Result<T, E> + Send + 'static,
    {
        if let Engine::Postgres(_) = &*self.engine {
            return self.read(work).await;
        }
        let (db, asked_by) = (self.clone(), Presence::asking_now());
        let reading = tokio::task::spawn_blocking(move || {
            poll_once(|| async move {
                match asked_by {
                    Some(client) => client.asking(db.read(work)).await,
                    None => db.read(work).await,
                }
            })
        });
        reading.await.unwrap_or_else(|_| Err(StoreError::Panicked.into()))
    }

    /// The one way to change anything: all of `work` happens, durably, or nothing. It may run more than once, so it
    /// changes nothing but `tx`. On the embedded database it must wait for nothing else.
    pub fn write<T, E, F>(&self, name: &'static str, work: F) -> impl Future<Output = Result<T, E>>
    where
        T: Send + 'static,
        E: TxError,
        F: AsyncFn(&mut Tx) -> Result<T, E> + Send + 'static,
    {
        self.write_as(name, Commit::Usual, work)
    }

    /// Changes something as [`Db::write`] does, with a say in who shares the commit.
    pub async fn write_as<T, E, F>(&self, name: &'static str, commit: Commit, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: TxError,
        F: AsyncFn(&mut Tx) -> Result<T, E> + Send + 'static,
    {
        // Compiled anew for every closure: what does not need its type is in functions of its own.
        let result = match &*self.engine {
            Engine::Sqlite(sqlite) => {
                let run = Box::new(move |tx: &mut Tx| poll_once(|| work(tx)));
                let answer = sqlite.writer().ask(run, commit == Commit::Alone, self.usage.keeping(Keep::Largest));
                answer.await.unwrap_or_else(|_| Err(StoreError::Panicked.into()))
            }
            Engine::Postgres(postgres) => {
                let _turn = if commit == Commit::Alone { Some(postgres.large().await?) } else { None };
                let begin = if commit == Commit::Alone { Begin::Large } else { Begin::Write };
                let mut tries = Tries::new(name, begin, commit == Commit::Shared);
                loop {
                    self.refuse_newer()?;
                    let held = tries.turn(postgres).await?;
                    let _patient = tries.be_patient(postgres);
                    // Boxed: it is large, and on the embedded database everything around it would be moved with room for it.
                    let result = Box::pin(self.try_write(postgres, &tries, held, &work)).await;
                    let error = result.as_ref().err().and_then(TxError::store_error);
                    let first = error.and_then(StoreError::first).cloned();
                    let Some(pause) = error.and_then(|error| tries.pause(error)) else { break result };
                    if !pause.is_zero() {
                        tokio::time::sleep(pause).await;
                    }
                    if let Some(first) = first {
                        self.run_first(first).await;
                    }
                }
            }
        };
        self.writable.note(&result);
        if result.is_ok() {
            self.written.notify_one();
        }
        result
    }

    /// Whatever comes of it, the write runs again and finds out. Boxed, since it is a write within a write.
    fn run_first(&self, First { sql, params, .. }: First) -> BoxFuture<'_, ()> {
        let work = async move |tx: &mut Tx| tx.run(sql.clone(), &params).await;
        Box::pin(async move {
            if let Err(error) = self.write("first", work).await {
                tracing::debug!(error = describe(&error), "what was to run first failed");
            }
        })
    }

    async fn try_write<T, E, F>(&self, postgres: &Postgres, tries: &Tries, held: HeldTurns, work: &F) -> Result<T, E>
    where
        E: TxError,
        F: AsyncFn(&mut Tx) -> Result<T, E>,
    {
        let link = self.link_for(postgres, tries, held).await?;
        let mut tx = Tx::new(Link::Postgres(link), self.usage.keeping(Keep::Largest));
        let result = AssertUnwindSafe(work(&mut tx)).catch_unwind().await;
        end_postgres(tx, result.unwrap_or_else(|_| Err(StoreError::Panicked.into()))).await
    }

    async fn link_for(&self, postgres: &Postgres, tries: &Tries, held: HeldTurns) -> Result<PostgresLink> {
        let held = if tries.shared {
            match postgres.shared_link(held).await {
                Ok(link) => return Ok(link),
                Err(held) => held,
            }
        } else {
            held
        };
        postgres.link(tries.begin, self.lane, held).await
    }

    /// Whether the database answers right now, and takes writes as far as is known. Nothing is written to find out: the renewal of
    /// the node's number does that every few seconds.
    pub async fn ping(&self) -> Result<()> {
        self.urgent()
            .read(async |tx: &mut Tx| tx.one::<i64>(sql!("select count(*) from migration"), &[]).await.map(|_| ()))
            .await?;
        self.write_refusal().map_or(Ok(()), Err)
    }

    /// Waits until something was committed here since the last time. One at a time waits: the feed of the journal.
    pub async fn written(&self) {
        self.written.notified().await;
    }

    /// Waits until the database refuses a write after it took the ones before.
    pub async fn write_refused(&self) {
        self.writable.refused().await;
    }

    /// Why the last write was refused that the database should have taken, until one proves that it takes writes.
    pub(crate) fn write_refusal(&self) -> Option<StoreError> {
        self.writable.refusal()
    }

    /// Has PostgreSQL take a megabyte that nobody keeps: on a full disk it still changes rows in their place.
    pub(crate) async fn has_room(&self) -> Result<()> {
        let Engine::Postgres(_) = &*self.engine else { return Ok(()) };
        self.background()
            .write("room", async |tx: &mut Tx| {
                tx.batch(
                    "create temporary table room (page text) on commit drop;
                     alter table room alter column page set storage plain;
                     insert into room select repeat(md5(cast(page as text)), 200) from generate_series(1, 128) as page",
                )
                .await
            })
            .await
    }

    /// A write has just changed something.
    pub(crate) fn takes_writes(&self) {
        self.writable.prove();
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
async fn end_postgres<T, E: TxError>(mut tx: Tx, result: Result<T, E>) -> Result<T, E> {
    let result = match result {
        Ok(value) => tx.wait_for_rights().await.map(|()| value).map_err(E::from),
        refused => refused,
    };
    let Link::Postgres(link) = tx.into_link() else { return result };
    let error = result.as_ref().err().and_then(TxError::store_error);
    if error.is_some_and(|error| error.busy().is_some() || error.wants_to_run_alone()) && link.is_shared() {
        link.give_up();
        return result;
    }
    let ended = link.end(result.is_ok()).await;
    // What a member of a group concluded came from what no longer is.
    if let Err(error) = &ended
        && error.wants_to_run_alone()
    {
        return Err(error.clone().into());
    }
    let value = result?;
    ended?;
    Ok(value)
}
