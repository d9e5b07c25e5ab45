//! The time, as an injected dependency. All nodes of a site use the time of their database: each node asks for it at its
//! start and every few seconds, and counts by itself in between. So a node's own clock has no influence, even if somebody
//! changes it. Tests move a clock by hand, which then stands for the database's.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use domain::Timestamp;
use store::Db;
use store::node;

#[derive(Debug, Clone)]
pub struct Clock {
    source: Source,
    /// How far the node's own clock is ahead of its source; always 0 for the real one.
    skew: Arc<AtomicI64>,
    /// What has to be added to the node's own clock to get the time.
    correction: Arc<AtomicI64>,
}

#[derive(Debug, Clone)]
enum Source {
    System,
    Manual(Arc<AtomicI64>),
}

impl Clock {
    pub fn system() -> Self {
        Self::of(Source::System)
    }

    pub fn manual(start: Timestamp) -> Self {
        Self::of(Source::Manual(Arc::new(AtomicI64::new(start.millis()))))
    }

    fn of(source: Source) -> Self {
        Self { source, skew: Arc::default(), correction: Arc::default() }
    }

    /// The clock of another node, this far ahead of this one.
    #[must_use]
    pub fn ahead_by_seconds(&self, seconds: i64) -> Self {
        let other = Self::of(self.source.clone());
        other.set_ahead_by_seconds(seconds);
        other
    }

    /// Changes this node's own clock, as an administrator might.
    pub fn set_ahead_by_seconds(&self, seconds: i64) {
        self.skew.store(seconds * 1000, Ordering::SeqCst);
    }

    pub fn now(&self) -> Timestamp {
        let own = match &self.source {
            Source::System => since_start(),
            Source::Manual(millis) => millis.load(Ordering::SeqCst),
        };
        let off = self.skew.load(Ordering::SeqCst).saturating_add(self.correction.load(Ordering::SeqCst));
        Timestamp::from_millis(own.saturating_add(off))
    }

    /// Moves a manual clock; the real one can't be moved.
    pub fn advance_seconds(&self, seconds: i64) {
        if let Source::Manual(millis) = &self.source {
            millis.fetch_add(seconds * 1000, Ordering::SeqCst);
        }
    }

    /// Asks the database for the time and follows it from now on.
    pub async fn align(&self, db: &Db) -> store::Result<()> {
        let corrected = self.correction.load(Ordering::SeqCst);
        let before = self.now();
        let told = match &self.source {
            Source::System => node::time(db).await?,
            Source::Manual(millis) => Timestamp::from_millis(millis.load(Ordering::SeqCst)),
        };
        self.correct(corrected, before, told, self.now());
        Ok(())
    }

    /// `told` was the time at some moment between `before` and `after`. A clock that may be right is left alone, so that it
    /// does not jitter with every answer; any other is moved no further than it is certainly wrong.
    fn correct(&self, corrected: i64, before: Timestamp, told: Timestamp, after: Timestamp) {
        let early = told.millis() - after.millis();
        let late = before.millis() - told.millis();
        let wrong = early.max(0) - late.max(0);
        // Others who asked at the same time found the same error: only one of them corrects it.
        let ordering = Ordering::SeqCst;
        let _ = self.correction.compare_exchange(corrected, corrected.saturating_add(wrong), ordering, ordering);
    }
}

/// The wall clock at the start plus what has passed since. It runs evenly, even if somebody changes the wall clock.
fn since_start() -> i64 {
    static START: LazyLock<(Instant, i64)> = LazyLock::new(|| {
        #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the wall clock")]
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (Instant::now(), i64::try_from(wall.as_millis()).unwrap_or(i64::MAX))
    });
    let (start, wall) = *START;
    wall.saturating_add(i64::try_from(start.elapsed().as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_000_000 + millis)
    }

    #[test]
    fn a_clock_is_moved_by_what_it_is_surely_wrong() {
        let clock = Clock::manual(at(0));
        for (before, told, after, wrong) in [
            (0, 0, 0, 0),
            (0, 5, 10, 0),
            (0, 11, 10, 1),
            (0, 600_000, 10, 599_990),
            (40_000, 0, 40_010, -40_000),
            (0, -1, 10, -1),
        ] {
            let was = clock.now().millis();
            let corrected = clock.correction.load(Ordering::SeqCst);
            for _ in 0..2 {
                clock.correct(corrected, at(before), at(told), at(after));
            }
            assert_eq!(clock.now().millis() - was, wrong, "{before} {told} {after}");
        }
    }
}
