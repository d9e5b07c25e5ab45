//! Writes that wait at the same time share one transaction of PostgreSQL, as they do on the embedded database: one begin, one
//! commit, one increment of the journal's number, and rows of the same table in one statement.
//!
//! The members of a group run side by side on one connection, and their statements go out as they come. Row locks and advisory
//! locks do not keep them apart, since they are one transaction; only the turns of this process do (`turns.rs`). So a member that
//! takes any other lock leaves, and runs again alone. It also leaves when another node has its order or its stock: a group waits for
//! neither, so two of them never wait for each other.
//!
//! When a statement fails, or a member fails after it has written, the group is rolled back, and each member runs again alone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use deadpool::managed::Pool;
use futures_util::future::{join, maybe_done};
use futures_util::poll;
use parking_lot::Mutex;
use thiserror::Error;
use tokio::sync::{Mutex as Queue, Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio::time::{Instant, timeout};

use super::connection::Maker;
use super::flight::Flight;
use super::turns::Turns;
use super::{Object, PATIENCE, wait_for};
use crate::lock::Lock;
use crate::{Result, StoreError};

/// How many writes share a transaction at most. In a larger one each waits longer for the others, while the other group has little
/// to do.
const MOST: usize = 16;
/// How many groups run at the same time.
const AT_ONCE: usize = 2;

/// How long a write waits for a seat before it runs alone.
const FOR_A_SEAT: Duration = Duration::from_secs(1);

/// How long nobody waits after one has waited in vain.
const WHILE_STUCK: Duration = Duration::from_secs(30);

/// Takes the gate as every transaction that stores events does: a reset of the journal waits for the group, or the group for it.
/// Its statements find rows by their keys: to plan them anew for each value would cost more than it could gain.
static BEGIN: LazyLock<String> = LazyLock::new(|| {
    format!(
        "begin isolation level read committed; set local lock_timeout = '500ms';
         set local plan_cache_mode = force_generic_plan; select pg_advisory_xact_lock_shared({})",
        Lock::Gate.advisory_key()
    )
});

/// The transaction has to run again, alone: its group is rolled back, or it can't share one.
#[derive(Debug, Error)]
#[error("it can't share a transaction")]
struct Alone;

impl StoreError {
    pub(crate) fn alone() -> Self {
        StoreError::Conflict(Arc::new(Alone))
    }

    pub(crate) fn wants_to_run_alone(&self) -> bool {
        matches!(self, StoreError::Conflict(cause) if cause.is::<Alone>())
    }
}

/// Where writes wait for a group.
pub(crate) struct Groups {
    queue: mpsc::UnboundedSender<oneshot::Sender<Seat>>,
    stuck: Stuck,
}

/// Until when nobody waits for a seat, after somebody has in vain. The next group that comes to its end ends it.
type Stuck = Arc<Mutex<Option<Instant>>>;

/// What groups run on.
#[derive(Clone)]
pub(super) struct Ground {
    pub(super) pool: Pool<Maker>,
    pub(super) writers: Arc<Semaphore>,
    pub(super) turns: Arc<Turns>,
}

impl Ground {
    async fn connection(&self) -> Result<(OwnedSemaphorePermit, Object)> {
        let share = wait_for(&self.writers, PATIENCE).await?;
        Ok((share, self.pool.get().await?))
    }
}

impl Groups {
    pub(super) fn start(ground: &Ground) -> Self {
        let (queue, waiting) = mpsc::unbounded_channel();
        let waiting = Arc::new(Queue::new(waiting));
        let stuck = Stuck::default();
        for _ in 0..AT_ONCE {
            tokio::spawn(drive(waiting.clone(), ground.clone(), stuck.clone()));
        }
        Self { queue, stuck }
    }

    /// Waits for a seat; there is none when the database can't be reached, or is not heard of for a while.
    pub(crate) async fn seat(&self) -> Option<Seat> {
        if self.stuck.lock().is_some_and(|until| Instant::now() < until) {
            return None;
        }
        let (boarding, seat) = oneshot::channel();
        self.queue.send(boarding).ok()?;
        match timeout(FOR_A_SEAT, seat).await {
            Ok(seat) => seat.ok(),
            Err(_) => {
                *self.stuck.lock() = Some(Instant::now() + WHILE_STUCK);
                None
            }
        }
    }
}

type Waiting = Arc<Queue<mpsc::UnboundedReceiver<oneshot::Sender<Seat>>>>;

/// One group after the other, each of those that came while others ran.
async fn drive(waiting: Waiting, ground: Ground, stuck: Stuck) {
    loop {
        let mut queue = waiting.lock().await;
        let Some(first) = queue.recv().await else { return };
        let Ok((share, client)) = ground.connection().await else {
            // All are let go, and each finds out by itself why there is none.
            while queue.try_recv().is_ok() {}
            continue;
        };
        let mut members = vec![first];
        while members.len() < MOST
            && let Ok(next) = queue.try_recv()
        {
            members.push(next);
        }
        drop(queue);
        let turns = ground.turns.clone();
        let _ = tokio::spawn(async move { run(client, members, &turns).await }).await;
        *stuck.lock() = None;
        drop(share);
    }
}

async fn run(client: Object, members: Vec<oneshot::Sender<Seat>>, turns: &Turns) {
    let shared = vec![Lock::Gate];
    let state = State { seated: members.len(), lost: false, flight: Flight::default(), shared };
    let group =
        Arc::new(Group { client, state: Mutex::new(state), empty: Notify::new(), concluded: AtomicBool::new(false) });
    // Kept here: if this ends early, whoever waits for the fate hears of it.
    let (told, fate) = watch::channel(None);
    // Sent before any statement of a member.
    let mut begun = Box::pin(maybe_done(group.client.batch_execute(&BEGIN)));
    let _ = poll!(begun.as_mut());
    for member in members {
        let _ = member.send(Seat { group: group.clone(), fate: fate.clone(), used: false, ended: false });
    }
    join(begun.as_mut(), group.empty.notified()).await;
    if begun.as_mut().take_output().is_none_or(|begun| begun.is_err()) {
        group.state.lock().lost = true;
    }
    told.send_replace(Some(group.conclude(turns).await));
}

/// Writes that share a transaction.
struct Group {
    client: Object,
    state: Mutex<State>,
    empty: Notify,
    concluded: AtomicBool,
}

struct State {
    /// How many have not ended yet.
    seated: usize,
    /// Whether it is to be rolled back.
    lost: bool,
    /// What its members have left for the end.
    flight: Flight,
    /// The advisory locks that it holds beside others who share them: it takes the gate as it begins.
    shared: Vec<Lock>,
}

/// What became of a group.
#[derive(Debug, Clone)]
pub(super) enum Fate {
    Committed,
    /// Nothing of it is left.
    Lost,
    /// The connection broke while it was committed: nobody knows.
    Unknown(StoreError),
}

impl Group {
    async fn conclude(&self, turns: &Turns) -> Fate {
        let (lost, flight) = {
            let mut state = self.state.lock();
            (state.lost, std::mem::take(&mut state.flight))
        };
        if lost {
            self.undo().await;
            return Fate::Lost;
        }
        let _numbering = if flight.numbers() { turns.numbering().await } else { None };
        let commit = async |client: &Object| Ok(client.batch_execute("commit").await?);
        match flight.send(&self.client, None, commit).await {
            Ok(()) => {
                self.concluded.store(true, Ordering::Relaxed);
                Fate::Committed
            }
            // After a statement that failed a commit is a rollback, if it was sent at all.
            Err(error) if error.is_refused_by_the_server() => {
                self.undo().await;
                Fate::Lost
            }
            Err(error) => Fate::Unknown(error),
        }
    }

    async fn undo(&self) {
        tracing::debug!("a shared transaction is rolled back");
        let undone = self.client.batch_execute("rollback").await;
        self.concluded.store(undone.is_ok(), Ordering::Relaxed);
    }

    fn leave(&self, flight: Option<Flight>, lost: bool) {
        let mut state = self.state.lock();
        if let Some(flight) = flight {
            state.flight.join(flight);
        }
        state.lost |= lost;
        state.seated -= 1;
        if state.seated == 0 {
            self.empty.notify_one();
        }
    }
}

/// A connection in the middle of a transaction is not used again.
impl Drop for Group {
    fn drop(&mut self) {
        if !self.concluded.load(Ordering::Relaxed) {
            self.client.retire();
        }
    }
}

/// A member of a group.
pub(crate) struct Seat {
    group: Arc<Group>,
    fate: watch::Receiver<Option<Fate>>,
    used: bool,
    ended: bool,
}

impl Seat {
    pub(super) fn client(&self) -> &Object {
        &self.group.client
    }

    pub(super) fn note_use(&mut self) {
        self.used = true;
    }

    /// Whether the group holds this lock already, beside others who share it.
    pub(super) fn shares(&self, lock: Lock) -> bool {
        self.group.state.lock().shared.contains(&lock)
    }

    /// Notes that the group has taken a lock that many share.
    pub(super) fn note_shared(&self, lock: Lock) {
        self.group.state.lock().shared.push(lock);
    }

    /// Goes without a conclusion, having changed nothing.
    pub(super) fn give_up(mut self) {
        self.ended = true;
        self.group.leave(None, false);
    }

    /// Ends, with what is left to be sent; none, when the group is to be rolled back. What the member concluded holds only if the
    /// group is committed: it may have seen what others changed.
    pub(super) async fn end(mut self, flight: Option<Flight>) -> Fate {
        self.ended = true;
        let lost = flight.is_none();
        self.group.leave(flight, lost);
        match timeout(PATIENCE, self.fate.wait_for(Option::is_some)).await {
            Ok(Ok(fate)) => fate.clone(),
            Ok(Err(_)) | Err(_) => None,
        }
        .unwrap_or_else(|| Fate::Unknown(StoreError::unavailable("a shared transaction did not come to its end")))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if !self.ended {
            self.group.leave(None, self.used);
        }
    }
}
