//! The time of the story: working days that end today. Nobody waits: the clock is set forward.

use api::Clock;
use domain::Timestamp;

/// How many working days the story has, today included.
pub(super) const DAYS: usize = 30;
/// How long today's shift has lasted when the story ends.
const TODAY_MINUTES: i64 = 240;
/// When the other shifts begin, by UTC.
const SHIFT_BEGINS_MINUTE: i64 = 6 * 60;
const MINUTE_MILLIS: i64 = 60_000;
const DAY_MILLIS: i64 = 24 * 60 * MINUTE_MILLIS;

pub(super) struct StoryClock {
    pub(super) clock: Clock,
    /// When each day's shift begins.
    days: Vec<Timestamp>,
    end: Timestamp,
}

impl StoryClock {
    /// A clock that stands at the beginning of a story which ends now.
    pub(super) fn ending(now: Timestamp) -> Self {
        let days = days_until(now);
        let begin = days.first().copied().unwrap_or(now);
        Self { clock: Clock::manual(begin), days, end: now }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Sets the clock to a moment of the story; it never goes back.
    pub(super) fn go_to(&self, day: usize, minute: i64) {
        let begin = self.days.get(day).copied().unwrap_or(self.end);
        self.set(begin.plus_seconds(minute * 60));
    }

    pub(super) fn pass_minutes(&self, minutes: i64) {
        self.set(self.now().plus_seconds(minutes * 60));
    }

    pub(super) fn go_to_end(&self) {
        self.set(self.end);
    }

    /// So many days from now, as people write it.
    pub(super) fn date(&self, days: i64) -> String {
        let moment = self.now().plus_seconds(days * DAY_MILLIS / 1000).to_string();
        moment.get(..10).unwrap_or(&moment).to_owned()
    }

    /// The time of day, as people write it.
    pub(super) fn time_of_day(&self) -> String {
        let moment = self.now().to_string();
        moment.get(11..16).unwrap_or(&moment).to_owned()
    }

    /// Forward only, and not beyond the end of the story.
    fn set(&self, moment: Timestamp) {
        let millis = moment.min(self.end).millis() - self.now().millis();
        if millis > 0 {
            self.clock.advance_seconds(millis / 1000);
        }
    }
}

/// Today's shift and those of the working days before.
fn days_until(now: Timestamp) -> Vec<Timestamp> {
    let today = now.millis().div_euclid(MINUTE_MILLIS) - TODAY_MINUTES;
    let mut days = vec![Timestamp::from_millis(today * MINUTE_MILLIS)];
    let mut date = (today * MINUTE_MILLIS).div_euclid(DAY_MILLIS);
    while days.len() < DAYS {
        date -= 1;
        if is_working_day(date) {
            days.push(Timestamp::from_millis(date * DAY_MILLIS + SHIFT_BEGINS_MINUTE * MINUTE_MILLIS));
        }
    }
    days.reverse();
    days
}

/// Whether so many days after 1970 began, which was on a Thursday, it is neither Saturday nor Sunday.
fn is_working_day(date: i64) -> bool {
    (date + 3).rem_euclid(7) < 5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_are_on_working_days_and_end_with_one_that_is_under_way() {
        let now = Timestamp::parse("2026-03-02T07:30:00Z").unwrap();
        let days: Vec<String> = days_until(now).iter().map(ToString::to_string).collect();
        assert_eq!(days.len(), DAYS);
        let last = ["2026-02-26T06:00:00.000Z", "2026-02-27T06:00:00.000Z", "2026-03-02T03:30:00.000Z"];
        assert_eq!(days[DAYS - 3..], last, "the weekend is free");
        assert_eq!(days[0], "2026-01-20T06:00:00.000Z");
    }

    #[test]
    fn the_clock_goes_forward_to_the_end_and_no_further() {
        let now = Timestamp::parse("2026-03-04T12:00:00Z").unwrap();
        let story = StoryClock::ending(now);
        story.go_to(DAYS - 1, 10);
        assert_eq!(story.now().to_string(), "2026-03-04T08:10:00.000Z");
        story.go_to(3, 0);
        story.pass_minutes(5);
        assert_eq!((story.time_of_day(), story.date(1)), ("08:15".to_owned(), "2026-03-05".to_owned()));
        story.pass_minutes(10_000);
        assert_eq!(story.now(), now);
    }
}
