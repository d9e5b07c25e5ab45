use crate::Timestamp;

/// Milliseconds from the first up to the second, which is not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Span(i64, i64);

impl Span {
    pub(super) const ALWAYS: Self = Self(i64::MIN, i64::MAX);

    /// When a link held. One that is temporary holds now, together with whatever has not ended.
    pub(super) fn of(linked: Option<Timestamp>, unlinked: Option<Timestamp>) -> Self {
        let from = linked.map_or(i64::MAX - 1, Timestamp::millis);
        Self(from, unlinked.map_or(i64::MAX, Timestamp::millis))
    }

    /// What both have in common, if anything.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        let both = Self(self.0.max(other.0), self.1.min(other.1));
        (both.0 < both.1).then_some(both)
    }

    /// Takes in one that begins no earlier, if there is nothing between them; says whether it did.
    pub(super) fn join(&mut self, later: Self) -> bool {
        let touches = later.0 <= self.1;
        if touches {
            self.1 = self.1.max(later.1);
        }
        touches
    }

    /// Whether all of the other is part of it.
    pub(super) fn covers(self, other: Self) -> bool {
        self.0 <= other.0 && other.1 <= self.1
    }

    /// Whether it has no end.
    pub(super) fn is_open(self) -> bool {
        self.1 == i64::MAX
    }

    /// Whether there is no moment in it, as of a link that ended when it began.
    pub(super) fn is_empty(self) -> bool {
        self.0 >= self.1
    }

    pub(super) fn begins(self) -> i64 {
        self.0
    }

    /// The first moment behind it.
    pub(super) fn ends(self) -> i64 {
        self.1
    }

    /// Widened to the nearest of these moments, which are sorted, on either side.
    pub(super) fn widened_to(self, moments: &[i64]) -> Self {
        let before = moments.partition_point(|moment| *moment <= self.0).checked_sub(1);
        let behind = moments.partition_point(|moment| *moment < self.1);
        Self(before.map_or(i64::MIN, |place| moments[place]), moments.get(behind).copied().unwrap_or(i64::MAX))
    }

    #[cfg(test)]
    pub(super) fn holds_at(self, moment: i64) -> bool {
        self.0 <= moment && moment < self.1
    }
}
