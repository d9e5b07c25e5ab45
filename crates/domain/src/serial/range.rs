//! Ranges of codes: `100-199`, `SN-0007-0042`, `A1-A50`.

use thiserror::Error;

use super::code::{CODE_CHARS, MOST_SERIALS, code_of};

/// Maximum number of digits that count up; digits before them belong to the prefix.
const MOST_DIGITS: usize = 18;
/// The longest range: two codes and what is between them.
const RANGE_CHARS: usize = 2 * CODE_CHARS + 1;

/// Why a text gives no codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BadRange {
    #[error("not a range of codes such as SN-0007-0042")]
    NotARange,
    #[error("a range has at most {MOST_SERIALS} codes")]
    TooMany,
}

/// The codes of a range, in order, as they are stored.
///
/// A range is a prefix, a number, `-`, and the last number, which may have the prefix before it. Every number is written
/// with at least as many digits as the first. Of several `-`, the last one counts that can be read in this way.
pub fn codes_of_range(text: &str) -> Result<Vec<String>, BadRange> {
    let text = text.trim().to_uppercase();
    if text.chars().count() > RANGE_CHARS {
        return Err(BadRange::NotARange);
    }
    let mut dashes = text.rmatch_indices('-');
    let range = dashes.find_map(|(dash, _)| Range::read(&text[..dash], &text[dash + 1..]));
    range.ok_or(BadRange::NotARange)?.codes()
}

struct Range<'a> {
    prefix: &'a str,
    /// How many digits the first number was written with.
    width: usize,
    first: u64,
    last: u64,
}

impl<'a> Range<'a> {
    fn read(left: &'a str, right: &str) -> Option<Self> {
        let width = left.bytes().rev().take(MOST_DIGITS).take_while(u8::is_ascii_digit).count();
        let (prefix, first) = left.split_at(left.len() - width);
        let last = number(right).or_else(|| number(right.strip_prefix(prefix)?))?;
        let range = Self { prefix, width, first: number(first)?, last };
        let valid = range.first <= range.last && code_of(&range.code(range.last)).is_some();
        valid.then_some(range)
    }

    fn codes(&self) -> Result<Vec<String>, BadRange> {
        // At most 18 digits: the difference fits.
        if self.last - self.first >= MOST_SERIALS as u64 {
            return Err(BadRange::TooMany);
        }
        Ok((self.first..=self.last).map(|number| self.code(number)).collect())
    }

    fn code(&self, number: u64) -> String {
        format!("{}{number:0width$}", self.prefix, width = self.width)
    }
}

/// The number that a text consists of.
fn number(text: &str) -> Option<u64> {
    let digits = (1..=MOST_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The first code, the last one, and how many there are.
    fn ends(text: &str) -> Result<(String, String, usize), BadRange> {
        let codes = codes_of_range(text)?;
        Ok((codes[0].clone(), codes[codes.len() - 1].clone(), codes.len()))
    }

    #[test]
    fn ranges_count_up() {
        let longest = format!("{}1-2", "x".repeat(127));
        let cases = [
            ("100-199", "100", "199", 100),
            ("007-012", "007", "012", 6),
            ("007-12", "007", "012", 6),
            ("8-012", "8", "12", 5),
            ("SN-0007-0042", "SN-0007", "SN-0042", 36),
            ("A1-A50", "A1", "A50", 50),
            (" a1-A3 ", "A1", "A3", 3),
            ("ß1-ss2", "SS1", "SS2", 2),
            ("98-102", "98", "102", 5),
            ("5-5", "5", "5", 1),
            ("-5-9", "-5", "-9", 5),
            ("-5--9", "-5", "-9", 5),
            ("0-99999", "0", "99999", 100_000),
            ("999999999999999998-999999999999999999", "999999999999999998", "999999999999999999", 2),
        ];
        for (text, first, last, count) in cases {
            assert_eq!(ends(text), Ok((first.to_owned(), last.to_owned(), count)), "{text}");
        }
        assert!(ends(&longest).is_ok());
    }

    #[test]
    fn the_last_dash_that_can_be_read_counts() {
        let cases = [
            ("10-12-10-15", "10-12-10", "10-12-15", 6),
            ("SN-7-SN-9", "SN-7", "SN-9", 3),
            // 2024 to 12 would count down.
            ("2024-007-2024-012", "2024-007", "2024-012", 6),
        ];
        for (text, first, last, count) in cases {
            assert_eq!(ends(text), Ok((first.to_owned(), last.to_owned(), count)), "{text}");
        }
    }

    #[test]
    fn eighteen_digits_count_and_those_before_them_are_prefix() {
        let long = "12345678901234567890-12345678901234567892";
        let three = ["12345678901234567890", "12345678901234567891", "12345678901234567892"];
        assert_eq!(codes_of_range(long).unwrap(), three);
        assert_eq!(ends("1-1234567890123456789"), Err(BadRange::NotARange));
    }

    #[test]
    fn other_texts_are_no_ranges() {
        let long = format!("{}1-2", "x".repeat(128));
        let grown = format!("{}9-10", "x".repeat(127));
        for text in ["", "-", "5", "5-", "-5", "a-b", "9-5", "A9-A5", "A1-B5", "A1-5A", "1 - 5", "1-+5", "１-５"] {
            assert_eq!(ends(text), Err(BadRange::NotARange), "{text}");
        }
        for text in ["a\0b1-5", &long, &grown, &"-".repeat(1_000_000), &"1-".repeat(1_000_000)] {
            assert_eq!(ends(text), Err(BadRange::NotARange));
        }
    }

    #[test]
    fn there_is_a_most() {
        for text in ["1-100001", "0-999999999999999999", "A0-A100000"] {
            assert_eq!(ends(text), Err(BadRange::TooMany), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            prefix in "[A-Z-]{0,5}",
            first in 0..1_000_000_u64,
            more in 0..300_u64,
            width in 1..9_usize,
            repeated: bool,
        ) {
            let last = first + more;
            let again = if repeated { prefix.as_str() } else { "" };
            let codes = codes_of_range(&format!("{prefix}{first:0width$}-{again}{last}")).unwrap();
            let counted: Vec<String> = (first..=last).map(|number| format!("{prefix}{number:0width$}")).collect();
            prop_assert_eq!(codes, counted);
        }

        #[test]
        fn codes_are_codes_and_differ(text in "[ aAéß0-9-]{0,12}|[0-9a-]{1,3}[0-9]{1,4}-[0-9]{1,4}") {
            if let Ok(codes) = codes_of_range(&text) {
                prop_assert!(!codes.is_empty() && codes.len() <= MOST_SERIALS);
                for code in &codes {
                    prop_assert_eq!(code_of(code), Some(code.clone()));
                }
                let different: std::collections::HashSet<&String> = codes.iter().collect();
                prop_assert_eq!(different.len(), codes.len());
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text: String) {
            let _ = codes_of_range(&text);
        }
    }
}
