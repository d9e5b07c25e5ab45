//! Instants as the contract shows them: RFC 3339 in UTC with milliseconds and `Z`, stored as milliseconds.

mod local;

use std::fmt;

use jiff::civil;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

pub use local::ClockTime;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// The first and the last millisecond that can be written as RFC 3339 has it, with four digits of a year.
const FIRST: i64 = -62_167_219_200_000;
const LAST: i64 = 253_402_207_200_000;
/// The last day that has four digits of a year. Not all of its moments can be written: each counts as the last one that can.
const LAST_DAY: &str = "9999-12-31";

#[derive(Debug, Error, PartialEq, Eq)]
#[error("not a date or time such as 2026-01-31T08:00:00Z")]
pub struct NotATime;

impl Timestamp {
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970, as tokens carry them.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0 + seconds * 1000)
    }

    /// This many milliseconds later, at most the last moment that can be written.
    #[must_use]
    pub fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis).min(LAST))
    }

    /// This many milliseconds later; `None` if that moment can't be written.
    pub fn after_millis(self, millis: i64) -> Option<Self> {
        self.0.checked_add(millis).and_then(Self::with_four_digits)
    }

    /// Parses a time. Any offset is accepted, none means UTC, and a bare date is its start in UTC.
    pub fn parse(text: &str) -> Result<Self, NotATime> {
        let text = text.trim();
        if let Ok(instant) = text.parse::<jiff::Timestamp>() {
            return Self::with_four_digits(instant.as_millisecond())
                .filter(|_| has_such_an_offset(text))
                .ok_or(NotATime);
        }
        if offset(text).is_some() {
            return Err(NotATime);
        }
        let on_the_last_day = text.strip_suffix(['Z', 'z']).filter(|text| text.starts_with(LAST_DAY));
        let local: civil::DateTime = on_the_last_day.unwrap_or(text).parse().map_err(|_| NotATime)?;
        let instant = local.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp().as_millisecond());
        match instant {
            Ok(millis) => Self::with_four_digits(millis).ok_or(NotATime),
            // What people write for "no end".
            Err(_) if text.starts_with(LAST_DAY) => Ok(Self(LAST)),
            Err(_) => Err(NotATime),
        }
    }

    fn with_four_digits(millis: i64) -> Option<Self> {
        (FIRST..=LAST).contains(&millis).then_some(Self(millis))
    }

    /// Parses an inclusive upper bound: a bare date means the end of that day.
    pub fn parse_upper_bound(text: &str) -> Result<Self, NotATime> {
        let start = Self::parse(text)?;
        let bare_date = text.trim().parse::<civil::Date>().is_ok() && !text.contains(['T', 't', ':']);
        Ok(if bare_date { start.plus_millis(86_399_999) } else { start })
    }
}

/// Whether the offset of a time is less than a day. The parser takes a little more.
fn has_such_an_offset(text: &str) -> bool {
    let hours = offset(text).and_then(|offset| offset.get(..2));
    hours.and_then(|hours| hours.parse::<u32>().ok()).is_none_or(|hours| hours < 24)
}

/// What follows the sign of an offset from UTC.
fn offset(text: &str) -> Option<&str> {
    let (_, time) = text.split_once(['T', 't', ' '])?;
    time.split_once(['+', '-']).map(|(_, offset)| offset)
}

impl Timestamp {
    /// Calls with its text, which is on the stack: answers contain many.
    pub fn with_text<T>(self, take: impl FnOnce(&str) -> T) -> T {
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let (days, millis) = (self.0.div_euclid(DAY_MILLIS), self.0.rem_euclid(DAY_MILLIS));
        let (year, month, day) = date(days);
        if !(0..=9999).contains(&year) {
            let instant = jiff::Timestamp::from_millisecond(self.0);
            return take(&instant.map_or_else(|_| NO_TIME.to_owned(), |instant| format!("{instant:.3}")));
        }
        let parts = [
            (0..4, year),
            (5..7, month),
            (8..10, day),
            (11..13, millis / 3_600_000),
            (14..16, millis / 60_000 % 60),
            (17..19, millis / 1_000 % 60),
            (20..23, millis % 1_000),
        ];
        for (places, mut number) in parts {
            for place in text[places].iter_mut().rev() {
                *place = b'0' + (number % 10) as u8;
                number /= 10;
            }
        }
        take(str::from_utf8(&text).unwrap_or(NO_TIME))
    }
}

const NO_TIME: &str = "0000-01-01T00:00:00.000Z";

const DAY_MILLIS: i64 = 86_400_000;

/// The year, month and day of so many days since 1970. Years are counted from March here, so that a leap day is the last of its
/// year, in eras of 400 years.
fn date(days: i64) -> (i64, i64, i64) {
    const ERA_DAYS: i64 = 146_097;
    let from_march_0 = days + 719_468;
    let (era, day) = (from_march_0.div_euclid(ERA_DAYS), from_march_0.rem_euclid(ERA_DAYS));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    (year + era * 400, month, day)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| to.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// The inclusive end of a span of time: a bare date means the end of that day.
#[derive(Debug, Clone, Copy)]
pub struct Until(pub Timestamp);

impl<'de> Deserialize<'de> for Until {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Timestamp::parse_upper_bound(&text).map(Self).map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for Until {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        <Timestamp as schemars::JsonSchema>::schema_name()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <Timestamp as schemars::JsonSchema>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_the_contract_allows() {
        let same =
            ["2026-03-01T10:00:00Z", "2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00", "2026-03-01T10:00:00.000Z"];
        for text in same {
            assert_eq!(Timestamp::parse(text).unwrap().to_string(), "2026-03-01T10:00:00.000Z");
        }
        assert_eq!(Timestamp::parse("2026-03-01").unwrap().to_string(), "2026-03-01T00:00:00.000Z");
        assert_eq!(Timestamp::parse_upper_bound("2026-03-01").unwrap().to_string(), "2026-03-01T23:59:59.999Z");
        assert!(Timestamp::parse("2026-03-01T10:00:00-23:59").is_ok());
        for never in ["9999-12-31", "9999-12-31T23:59:59", "9999-12-31T23:59:59Z"] {
            assert_eq!(Timestamp::parse(never).unwrap().millis(), LAST, "{never}");
            assert_eq!(Timestamp::parse_upper_bound(never).unwrap().millis(), LAST, "{never}");
        }
        let without_four_digits =
            ["-000044-03-15", "-000044-03-15T00:00:00Z", "0000-01-01T00:00:00+23:59", "9999-12-31T12:00:00-05:00"];
        let never = ["", "yesterday", "2026-13-01", "2026-02-30T00:00:00Z", "2026-03-01T10:00:00+25:00"];
        for bad in without_four_digits.into_iter().chain(never) {
            assert!(Timestamp::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn texts_are_those_of_the_library(millis in prop_oneof![FIRST..=LAST, -100_000_000_000_i64..3_000_000_000_000]) {
            let instant = jiff::Timestamp::from_millisecond(millis).unwrap();
            prop_assert_eq!(Timestamp::from_millis(millis).to_string(), format!("{instant:.3}"));
        }
    }

    #[test]
    fn no_time_is_so_late_that_it_has_no_text() {
        let last = Timestamp::from_millis(0).plus_millis(i64::MAX);
        assert_eq!(Timestamp::parse(&last.to_string()), Ok(last));
        assert_eq!(last.plus_millis(1), last);
        assert_eq!((last.after_millis(1), last.after_millis(0)), (None, Some(last)));
        assert_eq!(last.after_millis(i64::MAX), None);
        let first = Timestamp::from_millis(FIRST);
        assert_eq!(Timestamp::parse(&first.to_string()), Ok(first));
        assert_eq!((first.after_millis(-1), first.after_millis(i64::MIN)), (None, None));
        assert_eq!(Timestamp::from_millis(5).plus_millis(7), Timestamp::from_millis(12));
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(millis in -60_000_000_000_000i64..250_000_000_000_000) {
            let time = Timestamp::from_millis(millis);
            prop_assert_eq!(Timestamp::parse(&time.to_string()).unwrap(), time);
        }
    }
}
