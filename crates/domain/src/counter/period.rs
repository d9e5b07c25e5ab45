//! When a counter's next period starts.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan};

use crate::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frequency {
    Year,
    Month,
    Week,
    Day,
}

impl Frequency {
    pub const ALL: [Frequency; 4] = [Self::Year, Self::Month, Self::Week, Self::Day];

    pub fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Week => "week",
            Self::Day => "day",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|frequency| frequency.name() == name)
    }

    fn start_of_period(self, date: Date) -> Option<Date> {
        match self {
            Self::Year => Some(date.first_of_year()),
            Self::Month => Some(date.first_of_month()),
            Self::Week => {
                let since_monday = i64::from(date.weekday().since(Weekday::Monday));
                date.checked_sub(since_monday.days()).ok()
            }
            Self::Day => Some(date),
        }
    }

    fn length(self) -> Span {
        match self {
            Self::Year => 1.year(),
            Self::Month => 1.month(),
            Self::Week => 1.week(),
            Self::Day => 1.day(),
        }
    }
}

/// A time zone by its IANA name.
pub fn zone(name: &str) -> Option<TimeZone> {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_+-".contains(&byte));
    if name.is_empty() || !plain {
        return None;
    }
    TimeZone::get(name).ok()
}

/// The first start of a period after `now` in a time zone; `None` only at the end of the calendar.
pub fn next_period_start(frequency: Frequency, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let local = jiff::Timestamp::from_millisecond(now.millis()).ok()?.to_zoned(zone.clone());
    let next = frequency.start_of_period(local.date())?.checked_add(frequency.length()).ok()?;
    let start = next.to_zoned(zone.clone()).ok()?;
    Some(Timestamp::from_millis(start.timestamp().as_millisecond()))
}

/// The start of the period that an instant is in.
pub(super) fn period_start(frequency: Frequency, at: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let local = jiff::Timestamp::from_millisecond(at.millis()).ok()?.to_zoned(zone.clone());
    let start = frequency.start_of_period(local.date())?.to_zoned(zone.clone()).ok()?;
    Some(Timestamp::from_millis(start.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn next(frequency: Frequency, now: &str, name: &str) -> String {
        let now = Timestamp::parse(now).unwrap();
        next_period_start(frequency, now, &zone(name).unwrap()).unwrap().to_string()
    }

    #[test]
    fn periods_start_where_people_expect() {
        assert_eq!(next(Frequency::Year, "2026-12-31T23:59:00Z", "UTC"), "2027-01-01T00:00:00.000Z");
        assert_eq!(next(Frequency::Month, "2026-02-01T00:00:00Z", "UTC"), "2026-03-01T00:00:00.000Z");
        assert_eq!(next(Frequency::Week, "2026-11-15T12:00:00Z", "UTC"), "2026-11-16T00:00:00.000Z");
        assert_eq!(next(Frequency::Week, "2026-11-16T00:00:00Z", "UTC"), "2026-11-23T00:00:00.000Z");
        assert_eq!(next(Frequency::Year, "2026-12-31T23:30:00Z", "Europe/Rome"), "2027-12-31T23:00:00.000Z");
    }

    #[test]
    fn zones_are_iana_names() {
        assert!(zone("Europe/Rome").is_some());
        assert!(zone("UTC").is_some());
        for bad in ["", "Mars/Base", "../etc/passwd", "+02:00"] {
            assert!(zone(bad).is_none(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn the_next_start_is_later_and_its_own_next_is_a_whole_period_on(millis in 0i64..4_000_000_000_000, kind in 0usize..4) {
            let frequency = Frequency::ALL[kind];
            let rome = zone("Europe/Rome").unwrap();
            let now = Timestamp::from_millis(millis);
            let first = next_period_start(frequency, now, &rome).unwrap();
            prop_assert!(first > now);
            let before = Timestamp::from_millis(first.millis() - 1);
            prop_assert_eq!(next_period_start(frequency, before, &rome).unwrap(), first);
            prop_assert!(next_period_start(frequency, first, &rome).unwrap() > first);
        }
    }
}
