//! The time, passed in: the real clock in a server, one that tests move by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use domain::Timestamp;

#[derive(Debug, Clone)]
pub enum Clock {
    System,
    Manual(Arc<AtomicI64>),
}

impl Clock {
    pub fn manual(start: Timestamp) -> Self {
        Clock::Manual(Arc::new(AtomicI64::new(start.millis())))
    }

    pub fn now(&self) -> Timestamp {
        match self {
            Clock::System => {
                #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the wall clock")]
                let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Timestamp::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
            }
            Clock::Manual(millis) => Timestamp::from_millis(millis.load(Ordering::SeqCst)),
        }
    }

    /// Moves a manual clock; the real one can't be moved.
    pub fn advance_seconds(&self, seconds: i64) {
        if let Clock::Manual(millis) = self {
            millis.fetch_add(seconds * 1000, Ordering::SeqCst);
        }
    }
}
