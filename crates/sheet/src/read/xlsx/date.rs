//! Dates, which spreadsheets store as days since their epoch.

use jiff::ToSpan;
use jiff::civil::{Date, Time, date};

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// Whether a format shows a date or a time of day. A format that counts hours beyond a day shows a duration, which is
/// neither.
pub(super) fn is_date_format(code: &str) -> bool {
    let mut characters = code.chars();
    let mut dated = false;
    while let Some(character) = characters.next() {
        match character {
            '"' => drop(characters.by_ref().find(|end| *end == '"')),
            '\\' | '_' | '*' => drop(characters.next()),
            '[' => {
                let inside: String = characters.by_ref().take_while(|end| *end != ']').collect();
                let unit = inside.to_ascii_lowercase();
                if !unit.is_empty() && ["h", "m", "s"].iter().any(|letter| unit.replace(letter, "").is_empty()) {
                    return false;
                }
            }
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' => dated = true,
            _ => {}
        }
    }
    dated
}

/// Such a number as ISO text: a date, a date with a time, or a time of day. `None` if it is out of range.
pub(super) fn iso(number: f64, from_1904: bool) -> Option<String> {
    if !(0.0..3_000_000.0).contains(&number) {
        return None;
    }
    let millis = (number * DAY_MILLIS as f64).round() as i64;
    let (days, millis) = (millis / DAY_MILLIS, millis % DAY_MILLIS);
    let time = time(millis);
    if days == 0 && !from_1904 {
        return Some(shown_time(time));
    }
    let day = epoch(days, from_1904).checked_add(days.days()).ok()?;
    Some(if millis == 0 { day.to_string() } else { format!("{day}T{}", shown_time(time)) })
}

/// The first spreadsheet treated 1900 as a leap year, and all others still do.
fn epoch(days: i64, from_1904: bool) -> Date {
    match days {
        _ if from_1904 => date(1904, 1, 1),
        ..60 => date(1899, 12, 31),
        _ => date(1899, 12, 30),
    }
}

fn time(millis: i64) -> Time {
    Time::midnight().wrapping_add(millis.milliseconds())
}

fn shown_time(time: Time) -> String {
    let seconds = format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second());
    match time.millisecond() {
        0 => seconds,
        millis => format!("{seconds}.{millis:03}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_dates() {
        for code in ["yyyy-mm-dd", "d/m/yy h:mm", "[$-409]mmm dd", "h:mm AM/PM", "dd\\.mm\\.yyyy;@"] {
            assert!(is_date_format(code), "{code}");
        }
        for code in
            ["General", "0.00", "#,##0 \"days\"", "[Red]0", "0.00E+00", "@", "[h]:mm", "[ss]", "\\d0", "_d0", ""]
        {
            assert!(!is_date_format(code), "{code}");
        }
    }

    #[test]
    fn days_since_the_epoch() {
        assert_eq!(iso(1.0, false).unwrap(), "1900-01-01");
        assert_eq!(iso(61.0, false).unwrap(), "1900-03-01");
        assert_eq!(iso(46082.0, false).unwrap(), "2026-03-01");
        assert_eq!(iso(46082.0 - 1462.0, true).unwrap(), "2026-03-01");
        assert_eq!(iso(46_082.333_333_333_336, false).unwrap(), "2026-03-01T08:00:00");
        assert_eq!(iso(46_082.000_000_5, false).unwrap(), "2026-03-01T00:00:00.043");
        assert_eq!(iso(0.75, false).unwrap(), "18:00:00");
        assert_eq!(iso(2_958_465.0, false).unwrap(), "9999-12-31");
        for out in [-1.0, 2_958_466.0, 1e300, f64::NAN] {
            assert_eq!(iso(out, false), None, "{out}");
        }
    }
}
