//! Dates of tasks, and times that were worked for them.

use crate::Timestamp;

const DAY_MILLIS: i64 = 86_400_000;

/// Whether a task can be done between these. Midnight is how a bare date is stored: a task due then has that whole day.
pub fn dates_fit(start_from: Option<Timestamp>, due_by: Option<Timestamp>) -> bool {
    start_from.zip(due_by).is_none_or(|(start, due)| start <= last_moment(due))
}

fn last_moment(due: Timestamp) -> Timestamp {
    let bare_date = due.millis().rem_euclid(DAY_MILLIS) == 0;
    if bare_date { due.plus_millis(DAY_MILLIS - 1) } else { due }
}

/// Nobody works longer at a stretch: a year.
const LONGEST_MILLIS: i64 = 366 * DAY_MILLIS;

/// Whether somebody can have worked from the one to the other.
pub fn time_fits(start: Timestamp, end: Timestamp, now: Timestamp) -> bool {
    start < end && end <= now && end.millis().saturating_sub(start.millis()) <= LONGEST_MILLIS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str) -> Option<Timestamp> {
        Some(Timestamp::parse(text).unwrap())
    }

    #[test]
    fn a_task_is_due_after_it_starts() {
        assert!(dates_fit(None, None) && dates_fit(at("2026-03-01"), None) && dates_fit(None, at("2026-03-01")));
        assert!(dates_fit(at("2026-03-01T08:00:00Z"), at("2026-03-01T08:00:00Z")));
        assert!(!dates_fit(at("2026-03-01T08:00:00Z"), at("2026-03-01T07:59:59.999Z")));
    }

    #[test]
    fn a_bare_date_is_the_whole_day() {
        assert!(dates_fit(at("2026-03-01T08:00:00Z"), at("2026-03-01")));
        assert!(dates_fit(at("2026-03-01T23:59:59.999Z"), at("2026-03-01")));
        assert!(!dates_fit(at("2026-03-02"), at("2026-03-01")));
        assert!(dates_fit(at("9999-12-31T12:00:00Z"), at("9999-12-31")));
    }

    #[test]
    fn time_is_worked_forwards_and_not_ahead() {
        let at = Timestamp::from_millis;
        assert!(time_fits(at(1), at(2), at(2)));
        let (year, ever) = (LONGEST_MILLIS, i64::MAX);
        assert!(time_fits(at(1), at(year + 1), at(ever)) && !time_fits(at(0), at(year + 1), at(ever)));
        assert!(!time_fits(at(i64::MIN), at(ever), at(ever)));
        assert!(!time_fits(at(2), at(2), at(3)) && !time_fits(at(3), at(2), at(4)) && !time_fits(at(1), at(3), at(2)));
    }

    /// Some centuries from 1970, in milliseconds.
    const FAR: i64 = 10_000_000_000_000;

    proptest! {
        #[test]
        fn whoever_starts_on_time_is_in_time(start in -FAR..FAR, late in 0..FAR) {
            let (start, due) = (Timestamp::from_millis(start), Timestamp::from_millis(start + late));
            prop_assert!(dates_fit(Some(start), Some(due)));
            // The day after is always too late.
            let next_day = Timestamp::from_millis(due.millis() + DAY_MILLIS);
            prop_assert!(!dates_fit(Some(next_day), Some(due)));
        }
    }
}
