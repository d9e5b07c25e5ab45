//! Whether whoever asked for something still waits for it. A change that waits for its turn while its client goes away is not begun,
//! and a read ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::{Result, StoreError};

/// A client that has closed its side may still want the answer. After so long it is taken for gone.
const PATIENCE: Duration = Duration::from_secs(1);

/// The same, of a read, which loses nothing but time if it goes on.
const PATIENCE_OF_READS: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Default)]
pub struct Presence(Arc<State>);

#[derive(Debug, Default)]
struct State {
    closed: OnceLock<Instant>,
    left: AtomicBool,
    changed: Notify,
}

tokio::task_local! {
    static ASKED_BY: Presence;
}

impl Presence {
    /// The client says nothing more; it is gone, or waits for its answer.
    pub fn close(&self) {
        let _ = self.0.closed.set(Instant::now());
        self.0.changed.notify_waiters();
    }

    /// The client is gone.
    pub fn leave(&self) {
        self.0.left.store(true, Ordering::Relaxed);
        self.0.changed.notify_waiters();
    }

    /// Does what a client asks for. What it has not begun to change when the client is gone is not begun, and reads of the embedded
    /// database end.
    pub async fn asking<W: Future>(self, work: W) -> W::Output {
        ASKED_BY.scope(self, work).await
    }

    /// Leaves when it is dropped, as all that belongs to a connection is when that ends.
    #[must_use]
    pub fn until_dropped(&self) -> Leaving {
        Leaving(self.clone())
    }

    /// Who asks for what runs right now; nobody for what the service does by itself.
    pub fn asking_now() -> Option<Self> {
        ASKED_BY.try_with(Self::clone).ok()
    }

    pub(crate) fn is_gone(&self, waited: Duration) -> bool {
        self.0.left.load(Ordering::Relaxed) || (waited >= PATIENCE && self.0.closed.get().is_some())
    }

    /// Whether nobody waits for a read any more.
    pub fn has_given_up(&self) -> bool {
        let closed = self.0.closed.get();
        self.0.left.load(Ordering::Relaxed) || closed.is_some_and(|closed| closed.elapsed() >= PATIENCE_OF_READS)
    }

    /// Refuses to go on with a read that nobody waits for any more: for what computes long between two statements.
    pub fn must_wait(&self) -> Result<()> {
        if self.has_given_up() { Err(StoreError::Abandoned) } else { Ok(()) }
    }

    /// Waits until nobody waits for a read any more.
    pub async fn given_up(&self) {
        loop {
            let changed = self.0.changed.notified();
            if self.has_given_up() {
                return;
            }
            match self.0.closed.get() {
                Some(closed) => tokio::time::sleep_until((*closed + PATIENCE_OF_READS).into()).await,
                None => changed.await,
            }
        }
    }
}

#[derive(Debug)]
pub struct Leaving(Presence);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_goes_on_as_long_as_somebody_waits() {
        let client = Presence::default();
        assert!(client.must_wait().is_ok());
        client.close();
        assert!(client.must_wait().is_ok(), "it may still want its answer");
        drop(client.until_dropped());
        assert!(matches!(client.must_wait(), Err(StoreError::Abandoned)));
    }
}
