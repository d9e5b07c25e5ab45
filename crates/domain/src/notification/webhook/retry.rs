//! When a delivery that failed is tried again.

use crate::Timestamp;

/// After the first attempts, in seconds.
const PAUSES: [i64; 5] = [5, 30, 2 * 60, 10 * 60, 30 * 60];
/// After all others.
const HOUR: i64 = 60 * 60;
/// So long after it was made a delivery is given up; the last attempt is made then.
const LIFE: i64 = 24 * HOUR;

/// When to try again what was made at `created` and has failed `attempts` times, the last time now; `None` if it is given up.
pub fn next_attempt(created: Timestamp, attempts: i64, now: Timestamp) -> Option<Timestamp> {
    let end = created.plus_seconds(LIFE);
    let made = usize::try_from(attempts).unwrap_or_default().max(1);
    let pause = PAUSES.get(made - 1).copied().unwrap_or(HOUR);
    (now < end).then(|| now.plus_seconds(pause).min(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CREATED: Timestamp = Timestamp::from_millis(1_000_000);

    fn at(seconds: i64) -> Timestamp {
        CREATED.plus_seconds(seconds)
    }

    #[test]
    fn pauses_grow_to_an_hour_and_end_after_a_day() {
        let (mut tries, mut now) = (Vec::new(), Some(CREATED));
        while let Some(try_at) = now {
            tries.push((try_at.millis() - CREATED.millis()) / 1000);
            now = next_attempt(CREATED, tries.len() as i64, try_at);
        }
        assert_eq!(tries[..8], [0, 5, 35, 155, 755, 2_555, 6_155, 9_755]);
        assert_eq!(tries.last(), Some(&86_400));
        assert_eq!(tries.len(), 30);
    }

    #[test]
    fn a_delivery_that_nobody_could_try_in_time_is_tried_once_more_and_given_up() {
        assert_eq!(next_attempt(CREATED, 3, at(86_399)), Some(at(86_400)));
        assert_eq!(next_attempt(CREATED, 3, at(86_400)), None);
        assert_eq!(next_attempt(CREATED, 1, at(1_000_000)), None);
    }

    proptest! {
        #[test]
        fn the_next_attempt_is_later_and_within_the_day(attempts in 0i64..100, passed in 0i64..200_000) {
            match next_attempt(CREATED, attempts, at(passed)) {
                Some(next) => prop_assert!(next > at(passed) && next <= at(86_400)),
                None => prop_assert!(passed >= 86_400),
            }
        }
    }
}
