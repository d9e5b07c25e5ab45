//! Whether whoever asked for a change still waits for it. One that waits for its turn while its client goes away is not begun.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A client that has closed its side may still want the answer. After so long it is taken for gone.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Default)]
pub struct Presence(Arc<State>);

#[derive(Debug, Default)]
struct State {
    closed: AtomicBool,
    left: AtomicBool,
}

tokio::task_local! {
    static ASKED_BY: Presence;
}

impl Presence {
    /// The client says nothing more; it is gone, or waits for its answer.
    pub fn close(&self) {
        self.0.closed.store(true, Ordering::Relaxed);
    }

    /// The client is gone.
    pub fn leave(&self) {
        self.0.left.store(true, Ordering::Relaxed);
    }

    /// Does what a client asks for. What it has not begun to change when the client is gone is not begun.
    pub async fn asking<W: Future>(self, work: W) -> W::Output {
        ASKED_BY.scope(self, work).await
    }

    /// Leaves when it is dropped, as all that belongs to a connection is when that ends.
    #[must_use]
    pub fn until_dropped(&self) -> Leaving {
        Leaving(self.clone())
    }

    /// Who asks for what runs right now; nobody for what the service does by itself.
    pub(crate) fn asking_now() -> Option<Self> {
        ASKED_BY.try_with(Self::clone).ok()
    }

    pub(crate) fn is_gone(&self, waited: Duration) -> bool {
        self.0.left.load(Ordering::Relaxed) || (waited >= PATIENCE && self.0.closed.load(Ordering::Relaxed))
    }
}

#[derive(Debug)]
pub struct Leaving(Presence);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.leave();
    }
}
