//! PostgreSQL behind pools of connections.
//!
//! Nobody is to take what others need: reads and writes share most connections, of which writes get no more than two thirds, since
//! they can wait for each other. A few others are kept aside for what has to answer always: tokens and sign-ins, readiness, leases;
//! and work in the background has at most half of those.

mod address;
mod connection;
mod flight;
mod group;
mod link;
mod statements;
mod tls;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{Pool, QueueMode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::describe;
use crate::migrate::Migration;
use crate::origin;
use crate::tx::{Begin, Link, Tx};
use crate::usage::Usage;
use crate::{OpenError, Result, StoreError};
use address::{Address, without_password};
use connection::{Maker, Trust};
use group::{Ground, Groups};

pub(crate) use connection::ConnectError;
pub(crate) use link::{PostgresLink, REST_BRIEFLY};
pub(crate) use turns::{HeldTurns, Mode, Turn, Turns};

/// A connection of a pool.
pub(crate) type Object = deadpool::managed::Object<Maker>;
pub(crate) type PoolError = deadpool::managed::PoolError<ConnectError>;

/// Which connections work may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    Requests,
    /// Short, and always to be answered.
    Urgent,
    Background,
}

pub(crate) struct Postgres {
    /// The address as messages show it.
    shown: String,
    requests: Pool<Maker>,
    aside: Pool<Maker>,
    writers: Arc<Semaphore>,
    readers: Arc<Semaphore>,
    background: Arc<Semaphore>,
    large: Arc<Semaphore>,
    /// For those who have waited for a lock often, and now keep their connection while they wait.
    patient: Arc<Semaphore>,
    turns: Arc<Turns>,
    groups: Groups,
}

/// A request waits so long for a connection.
const WAIT: Duration = Duration::from_secs(10);
/// A write waits so long for its turn, wherever it waits.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// Large changes come one after the other, and each may take minutes.
const PATIENCE_FOR_LARGE: Duration = Duration::from_secs(1800);

impl Postgres {
    /// For a server.
    pub(crate) async fn open(url: &str, connections: usize) -> Result<Self, OpenError> {
        let aside = (connections / 4).clamp(1, 4);
        let requests = connections.saturating_sub(aside).max(1);
        let address = address(url)?;
        let trust = Arc::default();
        let pool = |count, limits: &Limits| pool(url, &address, &trust, count, limits);
        // Neither changes nor reads take all connections from the others.
        let most = || Arc::new(Semaphore::new((requests * 2).div_ceil(3)));
        let (writers, readers) = (most(), most());
        let patient = Arc::new(Semaphore::new((requests / 4).clamp(1, 3)));
        let requests = pool(requests, &Limits { statement: "5min", idle: "45s" })?;
        let turns: Arc<Turns> = Arc::default();
        let postgres = Self {
            shown: without_password(url),
            groups: Groups::start(&Ground { pool: requests.clone(), writers: writers.clone(), turns: turns.clone() }),
            requests,
            aside: pool(aside, &Limits { statement: "60s", idle: "45s" })?,
            writers,
            readers,
            background: Arc::new(Semaphore::new((aside / 2).max(1))),
            large: Arc::new(Semaphore::new(1)),
            patient,
            turns,
        };
        postgres.try_it().await
    }

    /// For a command with a few connections, which may take as long as it takes.
    pub(crate) async fn open_for_command(url: &str, connections: usize) -> Result<Self, OpenError> {
        let requests =
            pool(url, &address(url)?, &Arc::default(), connections, &Limits { statement: "0", idle: "10min" })?;
        let all = || Arc::new(Semaphore::new(connections));
        let aside = requests.clone();
        let shown = without_password(url);
        let (writers, readers, background, large, patient) = (all(), all(), all(), all(), all());
        let turns = Arc::<Turns>::default();
        let ground = Ground { pool: requests.clone(), writers: writers.clone(), turns: turns.clone() };
        let groups = Groups::start(&ground);
        let postgres = Self { shown, requests, aside, writers, readers, background, large, patient, turns, groups };
        postgres.try_it().await
    }

    /// The first connection tells a wrong address now instead of at the first request.
    async fn try_it(self) -> Result<Self, OpenError> {
        match self.requests.get().await {
            Ok(_) => Ok(self),
            Err(error) => Err(OpenError::Database { at: self.shown, reason: describe(&error) }),
        }
    }

    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// A transaction for a start or a command, which takes whatever time it needs.
    pub(crate) async fn begin(&self, begin: Begin) -> Result<Tx> {
        let link = self.link(begin, Lane::Requests, self.no_turns()).await?;
        let mut tx = Tx::new(Link::Postgres(link), Usage::default());
        tx.batch(
            "set local lock_timeout = 0; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0",
        )
        .await?;
        Ok(tx)
    }

    /// The number of the last migration, 0 of an empty database. Somebody else's is not used, neither read nor written.
    pub(crate) async fn number(&self, steps: &[Migration]) -> Result<i64, OpenError> {
        let unread = |error: StoreError| OpenError::Unread { reason: describe(&error) };
        let mut tx = self.begin(Begin::Read).await.map_err(unread)?;
        let found = origin::of(&mut tx, steps).await.map_err(unread)?;
        end(tx, true).await.map_err(unread)?;
        found.number_at(self.shown())
    }

    pub(crate) async fn client(&self) -> Result<Object> {
        Ok(self.requests.get().await?)
    }

    pub(crate) fn turns(&self) -> &Arc<Turns> {
        &self.turns
    }

    pub(crate) fn no_turns(&self) -> HeldTurns {
        HeldTurns::none(self.turns.clone())
    }

    /// A connection for a transaction that has these turns.
    pub(crate) async fn link(&self, begin: Begin, lane: Lane, held: HeldTurns) -> Result<PostgresLink> {
        let share = match (lane, begin) {
            (Lane::Requests, Begin::Write | Begin::Again | Begin::Patient | Begin::Large) => {
                Some(wait_for(&self.writers, PATIENCE).await?)
            }
            (Lane::Requests, Begin::Read | Begin::Alone) => Some(wait_for(&self.readers, WAIT).await?),
            (Lane::Background, _) => Some(wait_for(&self.background, PATIENCE).await?),
            (Lane::Urgent, _) => None,
        };
        let pool = if lane == Lane::Requests { &self.requests } else { &self.aside };
        Ok(PostgresLink::new(pool.get().await?, begin, held, share))
    }

    /// A place in a transaction that several share, for one that has these turns; none when there is no connection.
    pub(crate) async fn shared_link(&self, held: HeldTurns) -> Result<PostgresLink, HeldTurns> {
        match self.groups.seat().await {
            Some(seat) => Ok(PostgresLink::in_group(seat, held)),
            None => Err(held),
        }
    }

    /// The turn of a large change, which a node makes one at a time.
    pub(crate) async fn large(&self) -> Result<OwnedSemaphorePermit> {
        wait_for(&self.large, PATIENCE_FOR_LARGE).await
    }

    /// The right to wait for a lock with a connection in the hand, which few have at a time.
    pub(crate) fn patient(&self) -> Option<OwnedSemaphorePermit> {
        self.patient.clone().try_acquire_owned().ok()
    }

    pub(crate) fn close(&self) {
        self.requests.close();
        self.aside.close();
    }
}

/// Ends a transaction of [`Postgres::begin`].
pub(crate) async fn end(tx: Tx, commit: bool) -> Result<()> {
    match tx.into_link() {
        Link::Postgres(link) => link.end(commit).await,
        Link::Sqlite(_) => Ok(()),
    }
}

async fn wait_for(turns: &Arc<Semaphore>, patience: Duration) -> Result<OwnedSemaphorePermit> {
    match tokio::time::timeout(patience, turns.clone().acquire_owned()).await {
        Ok(Ok(permit)) => Ok(permit),
        _ => Err(StoreError::unavailable("too many others wait for the database")),
    }
}

fn address(url: &str) -> Result<Arc<Address>, OpenError> {
    let failed = |reason| OpenError::Database { at: without_password(url), reason };
    Address::parse(url).map(Arc::new).map_err(failed)
}

/// How long a statement may run, and how long a transaction may rest between two.
struct Limits {
    statement: &'static str,
    idle: &'static str,
}

fn pool(
    url: &str,
    address: &Arc<Address>,
    trust: &Arc<Trust>,
    connections: usize,
    limits: &Limits,
) -> Result<Pool<Maker>, OpenError> {
    let Limits { statement, idle } = limits;
    // A node that stops in the middle must not hold its locks for ever, nor may a statement run for ever, nor go on for a
    // connection that is closed, which PostgreSQL looks at since version 14.
    let session = format!(
        "set idle_in_transaction_session_timeout = '{idle}'; set lock_timeout = '30s'; set statement_timeout = '{statement}'; \
         set timezone = 'UTC'; \
         select set_config(name, '1s', false) from pg_settings where name = 'client_connection_check_interval'"
    );
    Pool::builder(Maker { address: address.clone(), trust: trust.clone(), session })
        .max_size(connections)
        // The one used last: it has its statements planned, which others would have to do first.
        .queue_mode(QueueMode::Lifo)
        .wait_timeout(Some(WAIT))
        .create_timeout(Some(address.patience()))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|error| OpenError::Database { at: without_password(url), reason: error.to_string() })
}
