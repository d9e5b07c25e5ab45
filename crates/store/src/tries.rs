//! When a write to PostgreSQL runs again, and what happens before.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use crate::error::Cause;
use crate::postgres::{HeldTurns, Mode, PATIENCE, Postgres, Turn};
use crate::presence::Presence;
use crate::sql::Sql;
use crate::tx::Begin;
use crate::value::Value;
use crate::{Result, StoreError};

/// How often a transaction runs again when another stood in its way.
const TRIES: u32 = 10;
/// How often it waits for a lock in vain before it keeps its place.
const OFTEN: u32 = 2;

#[derive(Debug, Error)]
#[error("others were first for too long")]
struct TooLong;

/// A write to PostgreSQL that runs again as long as others are first, or stood in its way.
pub(crate) struct Tries {
    name: &'static str,
    pub(crate) begin: Begin,
    /// Whether it runs in a transaction that several share.
    pub(crate) shared: bool,
    asked_by: Option<Presence>,
    asked: Instant,
    wanted: BTreeMap<Turn, Mode>,
    conflicts: u32,
    waits: u32,
}

impl Tries {
    pub(crate) fn new(name: &'static str, begin: Begin, shared: bool) -> Self {
        let (asked_by, asked) = (Presence::asking_now(), Instant::now());
        Self { name, begin, shared, asked_by, asked, wanted: BTreeMap::new(), conflicts: 0, waits: 0 }
    }

    fn deadline(&self) -> Instant {
        self.asked + PATIENCE
    }

    /// Waits for the turns that the last try lacked.
    pub(crate) async fn turn(&self, postgres: &Postgres) -> Result<HeldTurns> {
        let Ok(held) = timeout_at(self.deadline(), postgres.turns().wait(&self.wanted)).await else {
            return Err(StoreError::Conflict(Arc::new(TooLong)));
        };
        if self.asked_by.as_ref().is_some_and(|client| client.is_gone(self.asked.elapsed())) {
            return Err(StoreError::Abandoned);
        }
        Ok(held)
    }

    /// Keeps its place among those who wait from now on, if it has waited often, and few others do.
    pub(crate) fn be_patient(&mut self, postgres: &Postgres) -> Option<OwnedSemaphorePermit> {
        let often = matches!(self.begin, Begin::Again) && self.waits >= OFTEN;
        let patient = if often { postgres.patient() } else { None };
        if patient.is_some() {
            self.begin = Begin::Patient;
        }
        patient
    }

    /// How long to wait before it runs again; `None` when it does not.
    pub(crate) fn pause(&mut self, error: &StoreError) -> Option<Duration> {
        // Its permit to be patient was for one try.
        if let Begin::Patient = self.begin {
            self.begin = Begin::Again;
        }
        if let Some(busy) = error.busy() {
            for (turn, mode) in busy {
                let wanted = self.wanted.entry(*turn).or_insert(*mode);
                *wanted = (*wanted).max(*mode);
            }
            return Some(Duration::ZERO);
        }
        if error.wants_to_run_alone() {
            self.shared = false;
            return Some(Duration::ZERO);
        }
        let again = match error {
            // Each time fewer are missing.
            StoreError::Conflict(_) if error.first().is_some() => Instant::now() < self.deadline(),
            StoreError::Conflict(_) => self.conflicts + 1 < TRIES,
            error => error.waited_for_a_lock() && Instant::now() < self.deadline(),
        };
        if !again {
            return None;
        }
        tracing::debug!(name = self.name, conflicts = self.conflicts, waits = self.waits, "transaction runs again");
        if error.first().is_some() {
            return Some(jitter(1));
        }
        if let StoreError::Conflict(_) = error {
            self.conflicts += 1;
            return Some(jitter(self.conflicts));
        }
        // Somebody on another node has the lock. Who waits for it leaves the connections to others most of the time.
        self.waits += 1;
        if let Begin::Write = self.begin {
            self.begin = Begin::Again;
        }
        Some(Duration::from_millis(50 << self.waits.min(4)) + jitter(7))
    }
}

/// Others were making the same records. Before the transaction runs again, a statement in one of its own makes those that are still
/// missing: otherwise the next of the others could come first each time.
#[derive(Debug, Clone, Error)]
#[error("others were making the same records")]
pub(crate) struct First {
    pub(crate) sql: Sql,
    pub(crate) params: Vec<Value>,
    #[source]
    cause: Cause,
}

impl StoreError {
    /// This error; if it is a conflict with the database's own records, with what has to run first.
    #[must_use]
    pub(crate) fn run_first(self, sql: Sql, params: Vec<Value>) -> Self {
        if self.busy().is_some() || self.wants_to_run_alone() {
            return self;
        }
        match self {
            StoreError::Conflict(cause) => StoreError::Conflict(Arc::new(First { sql, params, cause })),
            error => error,
        }
    }

    /// What has to run before the transaction runs again.
    pub(crate) fn first(&self) -> Option<&First> {
        match self {
            StoreError::Conflict(cause) => cause.downcast_ref(),
            _ => None,
        }
    }
}

/// A short pause of random length that grows with the tries, so that two transactions do not meet again.
fn jitter(tries: u32) -> Duration {
    let mut random = [0; 2];
    let _ = getrandom::fill(&mut random);
    let spread = u64::from(u16::from_le_bytes(random)) % (1 << tries.min(7));
    Duration::from_millis(1 + spread)
}
