//! Moments as people at the site read them.

use jiff::tz::TimeZone;

use super::Timestamp;

/// A moment as a clock in a time zone shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockTime {
    pub year: i16,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    /// Minutes ahead of UTC.
    pub offset: i16,
}

impl Timestamp {
    /// What a clock in a time zone shows; none if the year has no four digits.
    pub fn clock_time(self, zone: &TimeZone) -> Option<ClockTime> {
        let zoned = jiff::Timestamp::from_millisecond(self.0).ok()?.to_zoned(zone.clone());
        let part = |number: i8| u8::try_from(number).ok();
        Some(ClockTime {
            year: Some(zoned.year()).filter(|year| (0..=9999).contains(year))?,
            month: part(zoned.month())?,
            day: part(zoned.day())?,
            hour: part(zoned.hour())?,
            minute: part(zoned.minute())?,
            second: part(zoned.second())?,
            offset: i16::try_from(zoned.offset().seconds() / 60).ok()?,
        })
    }

    /// Date, time and offset in a time zone: `2026-01-31 09:00:00 +01:00`.
    pub fn local(self, zone: &TimeZone) -> String {
        self.written(zone, "%Y-%m-%d %H:%M:%S %:z")
    }

    /// Date and time in a time zone as part of a file name: `20260131_090000`.
    pub fn local_stamp(self, zone: &TimeZone) -> String {
        self.written(zone, "%Y%m%d_%H%M%S")
    }

    fn written(self, zone: &TimeZone, format: &str) -> String {
        let instant = jiff::Timestamp::from_millisecond(self.0);
        instant.map_or_else(|_| self.to_string(), |instant| instant.to_zoned(zone.clone()).strftime(format).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_with_the_offset_of_its_day() {
        let zone = crate::counter::zone("Europe/Rome").unwrap();
        let winter = Timestamp::parse("2026-01-31T23:30:05Z").unwrap();
        assert_eq!(winter.local(&zone), "2026-02-01 00:30:05 +01:00");
        assert_eq!(winter.local_stamp(&zone), "20260201_003005");
        let summer = Timestamp::parse("2026-07-01T10:00:00Z").unwrap();
        assert_eq!(summer.local(&zone), "2026-07-01 12:00:00 +02:00");
        assert_eq!(summer.local(&TimeZone::UTC), "2026-07-01 10:00:00 +00:00");
    }

    #[test]
    fn a_clock_shows_its_own_day() {
        let zone = crate::counter::zone("America/New_York").unwrap();
        let shown = Timestamp::parse("2026-01-31T03:30:05Z").unwrap().clock_time(&zone).unwrap();
        let wanted = ClockTime { year: 2026, month: 1, day: 30, hour: 22, minute: 30, second: 5, offset: -300 };
        assert_eq!(shown, wanted);
    }

    #[test]
    fn every_moment_has_a_text() {
        for millis in [super::super::FIRST, super::super::LAST, i64::MIN, i64::MAX] {
            assert!(!Timestamp::from_millis(millis).local(&TimeZone::UTC).is_empty());
        }
    }
}
