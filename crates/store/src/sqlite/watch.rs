//! Ends reads that nobody waits for any more, or that take too long.

use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::presence::Presence;

/// How long a read may take that a client asks for.
const LIMIT: Duration = Duration::from_secs(60);

/// SQLite looks at the watch every so many steps of its virtual machine: a few times per millisecond.
const STEPS: c_int = 10_000;

/// Over one read. What the service reads by itself takes the time it needs, unless the database closes.
pub(super) struct Watch {
    asked_by: Option<Presence>,
    began: Instant,
    closing: Arc<AtomicBool>,
}

impl Watch {
    pub(super) fn begin(closing: &Arc<AtomicBool>) -> Self {
        Self { asked_by: Presence::asking_now(), began: Instant::now(), closing: closing.clone() }
    }

    /// Takes the place of the watch over the connection's read before.
    pub(super) fn over(self, connection: &mut Connection) -> rusqlite::Result<()> {
        connection.progress_handler(STEPS, Some(move || self.ends_after(self.began.elapsed())))
    }

    fn ends_after(&self, taken: Duration) -> bool {
        self.closing.load(Ordering::Relaxed)
            || self.asked_by.as_ref().is_some_and(|client| taken > LIMIT || client.has_given_up())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_client_asks_for_has_a_limit() {
        let watch = |asked_by| Watch { asked_by, began: Instant::now(), closing: Arc::default() };
        let (asked, own) = (watch(Some(Presence::default())), watch(None));
        assert!(!asked.ends_after(LIMIT));
        assert!(asked.ends_after(LIMIT + Duration::from_millis(1)));
        assert!(!own.ends_after(LIMIT * 100));
    }
}
