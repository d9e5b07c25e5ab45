//! Rate limiting for log lines that anybody can cause, as often as they like.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Such a line is written at most this often.
const EVERY_MILLIS: u64 = 10_000;

/// A rate-limited log line: written at most once in ten seconds, with the number of times it was due.
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

    /// How often the line was due since it was last written, including this time; `None` if it must not be written now.
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
