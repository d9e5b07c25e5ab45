//! Reads quantities from a JSON number or from text, by their digits alone.

use std::str::FromStr;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use thiserror::Error;

use super::{DIGITS, LIMIT, ONE, Quantity};
use crate::decimal::Decimal;

/// The significant digits of a binary float; anything after them is rounding noise.
const MEANT_DIGITS: usize = 15;

#[derive(Debug, Error, PartialEq, Eq)]
pub enum NotAQuantity {
    #[error("not a decimal number")]
    NotANumber,
    #[error("Must have at most 6 digits after the decimal point")]
    TooManyDigits,
    #[error("Must be at most 1000000000000")]
    TooLarge,
}

impl FromStr for Quantity {
    type Err = NotAQuantity;

    /// Reads the text of a JSON number, including exponents, without passing through binary floats. Noise from binary floats
    /// is removed: with more than 6 decimals, only 15 digits count, rounded with halves away from zero.
    fn from_str(text: &str) -> Result<Self, NotAQuantity> {
        let Decimal { negative, whole, fraction, exponent } = Decimal::parse(text).ok_or(NotAQuantity::NotANumber)?;
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        let significant = digits.trim_end_matches('0');
        if significant.is_empty() {
            return Ok(Self::ZERO);
        }
        let dropped = (digits.len() - significant.len()) as i64;
        // value = significant × 10^power
        let power = i64::from(exponent) - fraction.len() as i64 + dropped;
        if power < -DIGITS && significant.len() > MEANT_DIGITS {
            let (meant, power) = meant_digits(significant, power).ok_or(NotAQuantity::NotANumber)?;
            return scaled(meant, power, negative);
        }
        if significant.len() as i64 + power > 13 {
            return Err(NotAQuantity::TooLarge);
        }
        scaled(significant.parse().map_err(|_| NotAQuantity::TooLarge)?, power, negative)
    }
}

/// The first 15 digits, rounded by the rest, without trailing zeros.
fn meant_digits(significant: &str, power: i64) -> Option<(i64, i64)> {
    let (meant, rest) = significant.split_at_checked(MEANT_DIGITS)?;
    let up = rest.bytes().next()? >= b'5';
    let (mut meant, mut power) = (meant.parse::<i64>().ok()? + i64::from(up), power + rest.len() as i64);
    while meant % 10 == 0 {
        (meant, power) = (meant / 10, power + 1);
    }
    Some((meant, power))
}

/// `unscaled` × 10^`power`; the last digit of `unscaled` is not zero.
fn scaled(unscaled: i64, power: i64, negative: bool) -> Result<Quantity, NotAQuantity> {
    if power < -DIGITS {
        return Err(NotAQuantity::TooManyDigits);
    }
    let scale = u32::try_from(power + DIGITS).ok().and_then(|places| 10_i64.checked_pow(places));
    let millionths = scale.and_then(|scale| unscaled.checked_mul(scale)).filter(|millionths| *millionths <= LIMIT);
    let millionths = millionths.ok_or(NotAQuantity::TooLarge)?;
    Ok(Quantity(if negative { -millionths } else { millionths }))
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let read = match Value::deserialize(from)? {
            Value::Number(number) => number.as_str().parse(),
            Value::String(text) => text.parse(),
            _ => Err(NotAQuantity::NotANumber),
        };
        read.map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for Quantity {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Quantity".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = schemars::json_schema!({
            "type": "number",
            "format": "decimal",
            "minimum": -LIMIT / ONE,
            "maximum": LIMIT / ONE,
            "description": "Exact decimal with up to 6 digits after the point, at most 1e12."
        });
        if generator.contract().is_deserialize() {
            schema.insert("type".to_owned(), serde_json::json!(["number", "string"]));
            schema.insert("pattern".to_owned(), TEXT.into());
            let description =
                "Exact decimal with up to 6 digits after the point, at most 1e12; as a number or as text.";
            schema.insert("description".to_owned(), description.into());
        }
        schema
    }
}

/// The pattern of the texts that everybody would write.
const TEXT: &str = "^-?[0-9]{1,12}([.][0-9]{1,6})?$";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<String, NotAQuantity> {
        text.parse::<Quantity>().map(|quantity| quantity.to_string())
    }

    #[test]
    fn reads_exactly_or_says_why_not() {
        for (text, quantity) in [
            ("0.1", "0.1"),
            ("1e-6", "0.000001"),
            ("12.5E2", "1250"),
            ("1000000000000", "1000000000000"),
            ("-1000000000000.0", "-1000000000000"),
            ("1.0000000", "1"),
            ("+007.50", "7.5"),
            ("0e99999999999", "0"),
            ("-0.0", "0"),
            ("0.00000000000000000000", "0"),
            // Noise from calculating in binary.
            ("0.30000000000000004", "0.3"),
            ("0.7999999999999999", "0.8"),
            ("-1.1000000000000003e1", "-11"),
            ("4.000000000000001e-1", "0.4"),
            ("999999.9999999999", "1000000"),
            ("999999999999.9999999", "1000000000000"),
            ("123456789.1234567", "123456789.123457"),
            ("100000000.0000005", "100000000.000001"),
            ("-100000000.0000005", "-100000000.000001"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(quantity), "{text}");
        }
        for text in ["0.0000001", "1e-7", "0.1234567", "5.551115123125783e-17", "1e-99999999999", "0.123456500000001"] {
            assert_eq!(read(text), Err(NotAQuantity::TooManyDigits), "{text}");
        }
        for text in ["1000000000000.000001", "1e400", "9223372036854775807", "1e99999999999", "1000000000001", "-2e12"]
        {
            assert_eq!(read(text), Err(NotAQuantity::TooLarge), "{text}");
        }
        for text in ["", "-", ".5", "1,5", "NaN", "inf", "Infinity", "1e", "1e+", "0x1", " 1", "1_0", "--1", "１"] {
            assert_eq!(read(text), Err(NotAQuantity::NotANumber), "{text}");
        }
    }

    #[test]
    fn numbers_and_texts_are_the_same() {
        for json in ["0.3", "\"0.3\"", "0.30000000000000004", "\"0.30000000000000004\"", "3e-1", "\"3e-1\""] {
            assert_eq!(serde_json::from_str::<Quantity>(json).unwrap().millionths(), 300_000, "{json}");
        }
        for json in ["true", "null", "[]", "{}", "\"\"", "\"a\"", "\"1 \"", "1e-7", "\"NaN\"", "1e13"] {
            assert!(serde_json::from_str::<Quantity>(json).is_err(), "{json}");
        }
    }

    /// Long division by hand: the digits of a number before and after its point, from the most significant to the last.
    fn oracle(negative: bool, digits: &[u8], point: usize) -> Option<i128> {
        let mut digits = digits.to_vec();
        let fraction = |digits: &[u8]| {
            let last = digits.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1);
            last.saturating_sub(point)
        };
        if fraction(&digits) > 6
            && let Some(first) = digits.iter().position(|digit| *digit != 0)
            && let Some(next) = digits.get(first + 15).copied()
        {
            digits[first + 15..].fill(0);
            if next >= 5 {
                // Incremented at the last digit that counts, with a leading digit for the carry.
                digits.insert(0, 0);
                let mut at = first + 15;
                while digits[at] == 9 {
                    digits[at] = 0;
                    at -= 1;
                }
                digits[at] += 1;
                return finish(negative, &digits, point + 1);
            }
        }
        finish(negative, &digits, point)
    }

    fn finish(negative: bool, digits: &[u8], point: usize) -> Option<i128> {
        if digits.iter().skip(point + 6).any(|digit| *digit != 0) {
            return None;
        }
        let millionths = (0..point + 6).try_fold(0_i128, |sum, at| {
            sum.checked_mul(10)?.checked_add(i128::from(digits.get(at).copied().unwrap_or(0)))
        })?;
        (millionths <= i128::from(LIMIT)).then_some(if negative { -millionths } else { millionths })
    }

    /// Digits as people and programs write them, with runs of zeros and nines.
    fn digits(most: usize) -> impl Strategy<Value = Vec<u8>> {
        let run = (prop_oneof![3 => Just(0_u8), 2 => Just(9_u8), 4 => 0..=9_u8], 1..=9_usize);
        prop::collection::vec(run, 1..=4).prop_map(move |runs| {
            let mut digits: Vec<u8> = runs.into_iter().flat_map(|(digit, times)| vec![digit; times]).collect();
            digits.truncate(most);
            digits
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn reads_as_by_hand(negative: bool, whole in digits(14), fraction in digits(24), shift in -12..=12_i32, exponent: bool) {
            let text = |digits: &[u8]| digits.iter().map(|digit| char::from(b'0' + digit)).collect::<String>();
            let sign = if negative { "-" } else { "" };
            let shift = if exponent { shift } else { 0 };
            let written = match exponent {
                true => format!("{sign}{}.{}e{}", text(&whole), text(&fraction), shift),
                false => format!("{sign}{}.{}", text(&whole), text(&fraction)),
            };
            // The exponent moves the point, past zeros where the digits end.
            let (mut all, mut point) = ([&whole[..], &fraction[..]].concat(), whole.len());
            if shift < 0 {
                let zeros = shift.unsigned_abs() as usize;
                all.splice(0..0, vec![0; zeros]);
            } else {
                point += shift as usize;
            }
            let read = written.parse::<Quantity>().ok().map(|quantity| i128::from(quantity.millionths()));
            prop_assert_eq!(read, oracle(negative, &all, point), "{}", written);
        }

        /// A sum in binary floats means the digits it was made from.
        #[test]
        fn noise_of_floats_is_no_fault(left in 0..1_000_000_000_i64, right in 0..1_000_000_000_i64, thirds in 0..1_000_000_i64) {
            let as_float = |thousandths: i64| thousandths as f64 / 1000.0;
            let sums = [(as_float(left) + as_float(right), left + right), (as_float(thirds) * 3.0, thirds * 3)];
            for (sum, exact) in sums {
                for (sum, exact) in [(sum, exact), (-sum, -exact)] {
                    prop_assert_eq!(sum.to_string().parse(), Ok(Quantity::from_millionths(exact * 1000)), "{}", sum);
                }
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[0-9+.eE-]{0,40}") {
            let _ = text.parse::<Quantity>();
        }
    }
}
