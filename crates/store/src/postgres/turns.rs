//! Turns: who waits for the same thing waits in the process, before a connection is taken. Without them those who want one order
//! would take all connections and hold them idle.
//!
//! A transaction takes a turn as it takes the lock behind it. If another transaction of this process has it, the transaction ends
//! at once, and runs again when it is its turn. Nobody waits for a turn with a connection in the hand, and several are waited for
//! in one order, so that nobody waits for each other. Other processes are kept apart by the database's own locks.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use thiserror::Error;
use tokio::sync::{OwnedMutexGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use crate::StoreError;
use crate::lock::Lock;

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Turn {
    /// A record that many change at once, or a request under an `Idempotency-Key`.
    Record(u64),
    Lock(Lock),
    Order(i64),
}

impl Turn {
    /// Two records that share a number by chance wait for each other, and no more.
    pub(crate) fn of_record(table: &str, key: impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        (table, key).hash(&mut hasher);
        Turn::Record(hasher.finish())
    }
}

/// How a turn is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// Together with others; but nobody passes one who waits to take it alone.
    Shared,
    Alone,
}

/// Another transaction of this process has these turns.
#[derive(Debug, Error)]
#[error("others are first")]
pub(crate) struct Busy(Vec<(Turn, Mode)>);

impl StoreError {
    /// The turns for which a transaction has to wait.
    pub(crate) fn busy(&self) -> Option<&[(Turn, Mode)]> {
        match self {
            StoreError::Conflict(cause) => cause.downcast_ref::<Busy>().map(|busy| busy.0.as_slice()),
            _ => None,
        }
    }
}

#[derive(Default)]
pub(crate) struct Turns {
    places: Mutex<HashMap<Turn, Arc<RwLock<()>>>>,
    orders: Mutex<HashMap<i64, i64>>,
    numbering: Arc<tokio::sync::Mutex<()>>,
}

/// The turns that a transaction has.
pub(crate) struct HeldTurns {
    turns: Arc<Turns>,
    guards: HashMap<Turn, Guard>,
}

/// Held until it is dropped.
enum Guard {
    Shared { _guard: OwnedRwLockReadGuard<()> },
    Alone { _guard: OwnedRwLockWriteGuard<()> },
}

impl Guard {
    fn is_enough_for(&self, mode: Mode) -> bool {
        mode == Mode::Shared || matches!(self, Guard::Alone { .. })
    }
}

/// So many jobs and batches are remembered with their orders; beyond it the memory starts afresh.
const KNOWN: usize = 50_000;

/// So long the turn to number events is waited for.
const NUMBERING: Duration = Duration::from_millis(200);

impl Turns {
    fn place(&self, turn: Turn) -> Arc<RwLock<()>> {
        self.places.lock().entry(turn).or_default().clone()
    }

    /// Waits for all of these, in their order.
    pub(crate) async fn wait(self: &Arc<Self>, wanted: &BTreeMap<Turn, Mode>) -> HeldTurns {
        let mut held = HeldTurns::none(self.clone());
        for (turn, mode) in wanted {
            let place = self.place(*turn);
            let guard = match mode {
                Mode::Shared => Guard::Shared { _guard: place.read_owned().await },
                Mode::Alone => Guard::Alone { _guard: place.write_owned().await },
            };
            held.guards.insert(*turn, guard);
        }
        held
    }

    /// The turn to number events, from just before that to the commit. PostgreSQL keeps them apart as well, but has more work with
    /// those who wait. So nobody waits for it long: who has it may never hear from the server again.
    pub(super) async fn numbering(&self) -> Option<OwnedMutexGuard<()>> {
        tokio::time::timeout(NUMBERING, self.numbering.clone().lock_owned()).await.ok()
    }

    /// The order of a job or of a batch, which never changes.
    pub(crate) fn order_of(&self, key: i64) -> Option<i64> {
        self.orders.lock().get(&key).copied()
    }

    pub(crate) fn remember(&self, key: i64, order: i64) {
        let mut orders = self.orders.lock();
        if orders.len() >= KNOWN {
            orders.clear();
        }
        orders.insert(key, order);
    }
}

impl HeldTurns {
    pub(crate) fn none(turns: Arc<Turns>) -> Self {
        Self { turns, guards: HashMap::new() }
    }

    pub(crate) fn turns(&self) -> &Arc<Turns> {
        &self.turns
    }

    /// Takes turns that nobody has; those that somebody has are what the error names.
    pub(crate) fn take(&mut self, wanted: impl IntoIterator<Item = Turn>, mode: Mode) -> Result<(), StoreError> {
        let mut busy = Vec::new();
        for turn in wanted {
            if self.guards.get(&turn).is_some_and(|guard| guard.is_enough_for(mode)) {
                continue;
            }
            let place = self.turns.place(turn);
            let guard = match mode {
                Mode::Shared => place.try_read_owned().ok().map(|guard| Guard::Shared { _guard: guard }),
                Mode::Alone => place.try_write_owned().ok().map(|guard| Guard::Alone { _guard: guard }),
            };
            match guard {
                Some(guard) => _ = self.guards.insert(turn, guard),
                None => busy.push((turn, mode)),
            }
        }
        if busy.is_empty() { Ok(()) } else { Err(StoreError::Conflict(Arc::new(Busy(busy)))) }
    }
}

impl Drop for HeldTurns {
    fn drop(&mut self) {
        let turns: Vec<Turn> = self.guards.drain().map(|(turn, _)| turn).collect();
        let mut places = self.turns.places.lock();
        for turn in turns {
            // Whoever waits for a place has it in the hand.
            if places.get(&turn).is_some_and(|place| Arc::strong_count(place) == 1) {
                places.remove(&turn);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_comes_second_is_told_what_to_wait_for() {
        let turns = Arc::new(Turns::default());
        let mut first = turns.wait(&BTreeMap::new()).await;
        let mut second = turns.wait(&BTreeMap::new()).await;
        first.take([Turn::Order(1), Turn::Order(2)], Mode::Alone).unwrap();
        first.take([Turn::Order(1)], Mode::Alone).unwrap();
        let error = second.take([Turn::Order(2), Turn::Order(3), Turn::Lock(Lock::Bom)], Mode::Alone).unwrap_err();
        assert_eq!(error.busy(), Some(&[(Turn::Order(2), Mode::Alone)][..]));
        drop(second);
        let wanted = BTreeMap::from([(Turn::Order(2), Mode::Alone)]);
        let waiting = tokio::spawn({
            let turns = turns.clone();
            async move { turns.wait(&wanted).await }
        });
        tokio::task::yield_now().await;
        drop(first);
        let mut third = waiting.await.unwrap();
        third.take([Turn::Order(2), Turn::Order(1)], Mode::Alone).unwrap();
        drop(third);
        assert!(turns.places.lock().is_empty(), "nothing is kept of what nobody waits for");
    }

    /// Many share a turn, but none passes one who waits to have it alone.
    #[tokio::test]
    async fn who_waits_to_be_alone_is_not_passed() {
        let turns = Arc::new(Turns::default());
        let positions = Turn::Lock(Lock::Positions);
        let held = async || turns.wait(&BTreeMap::new()).await;
        let (mut first, mut second, mut third) = (held().await, held().await, held().await);
        first.take([positions], Mode::Shared).unwrap();
        second.take([positions], Mode::Shared).unwrap();
        let error = second.take([positions], Mode::Alone).unwrap_err();
        assert_eq!(error.busy(), Some(&[(positions, Mode::Alone)][..]));
        drop(second);
        let alone = tokio::spawn({
            let turns = turns.clone();
            async move { turns.wait(&BTreeMap::from([(positions, Mode::Alone)])).await }
        });
        tokio::task::yield_now().await;
        assert!(third.take([positions], Mode::Shared).is_err(), "somebody waits");
        drop(first);
        let mut alone = alone.await.unwrap();
        alone.take([positions], Mode::Shared).unwrap();
        assert!(third.take([positions], Mode::Shared).is_err());
        drop(alone);
        third.take([positions], Mode::Shared).unwrap();
        drop(third);
        assert!(turns.places.lock().is_empty());
    }

    /// Whoever numbers events may never hear from the server again: the others go on.
    #[tokio::test]
    async fn nobody_waits_long_for_the_turn_to_number_events() {
        let turns = Arc::new(Turns::default());
        let held = turns.numbering().await;
        assert!(held.is_some());
        assert!(turns.numbering().await.is_none());
        drop(held);
        assert!(turns.numbering().await.is_some());
    }
}
