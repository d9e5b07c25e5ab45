//! Log lines that anybody can cause, as often as they like.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// At most so often is such a line written.
const EVERY_MILLIS: u64 = 10_000;

/// One of those lines: written at most once in ten seconds, and then with how often it was due since.
#[derive(Debug, Default)]
pub struct Seldom {
    /// When it may be written again.
    next: AtomicU64,
    unwritten: AtomicU64,
}

impl Seldom {
    pub const fn new() -> Self {
        Self { next: AtomicU64::new(0), unwritten: AtomicU64::new(0) }
    }

    /// How often the line was due since it was written, this time included; `None` when it is not to be written now.
    pub fn times(&self) -> Option<u64> {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        self.times_at(START.elapsed().as_millis() as u64)
    }

    fn times_at(&self, now: u64) -> Option<u64> {
        self.unwritten.fetch_add(1, Ordering::Relaxed);
        let next = self.next.load(Ordering::Relaxed);
        let mine = now >= next
            && self.next.compare_exchange(next, now + EVERY_MILLIS, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        mine.then(|| self.unwritten.swap(0, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_leaves_a_line_in_ten_seconds() {
        let line = Seldom::new();
        assert_eq!(line.times_at(5), Some(1));
        assert!((6..10_005).all(|now| line.times_at(now).is_none()));
        assert_eq!(line.times_at(10_005), Some(10_000));
        assert_eq!(line.times_at(99_000), Some(1));
    }
}
