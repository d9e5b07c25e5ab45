//! Numbers in forms: decimals with a limited number of digits, stored exactly.

use serde_json::Number;

use crate::decimal::Decimal;

pub(crate) const WHOLE_DIGITS: usize = 15;
pub(crate) const FRACTION_DIGITS: usize = 12;

/// The number as it is stored, unless it has too many digits; written zeros count. It keeps the text that was sent, except
/// that exponents are written out: so it looks the same to every reader, and can't be long.
pub(super) fn read(number: &Number) -> Option<Number> {
    let text = number.as_str();
    let decimal = Decimal::parse(text)?;
    if text.contains(['e', 'E']) {
        return written_out(&decimal)?.parse().ok();
    }
    let few = decimal.whole.len() <= WHOLE_DIGITS && decimal.fraction.len() <= FRACTION_DIGITS;
    few.then(|| number.clone())
}

fn written_out(decimal: &Decimal<'_>) -> Option<String> {
    let digits = format!("{}{}", decimal.whole, decimal.fraction);
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Some("0".to_owned());
    }
    let dropped = digits.len() - significant.len();
    // How many of the significant digits are before the point; if negative, how many zeros follow the point first.
    let before = decimal.whole.len() as i64 + i64::from(decimal.exponent) - dropped as i64;
    let after = significant.len() as i64 - before;
    if before > WHOLE_DIGITS as i64 || after > FRACTION_DIGITS as i64 {
        return None;
    }
    let zeros = |count: i64| "0".repeat(count.unsigned_abs() as usize);
    let sign = if decimal.negative { "-" } else { "" };
    Some(match before {
        ..=0 => format!("{sign}0.{}{significant}", zeros(before)),
        _ if after <= 0 => format!("{sign}{significant}{}", zeros(after)),
        _ => format!("{sign}{}.{}", &significant[..before as usize], &significant[before as usize..]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_text(text: &str) -> Option<String> {
        read(&text.parse().unwrap()).map(|number| number.to_string())
    }

    #[test]
    fn digits_are_counted_and_kept() {
        for kept in ["0", "-0", "1.50", "0.1", "123456789012345.123456789012", "-999999999999999.000000000001"] {
            assert_eq!(read_text(kept).as_deref(), Some(kept));
        }
        for many in ["1234567890123456", "0.1234567890123", "1.0000000000000", "-1e15", "1e-13", "10e-13", "1e400"] {
            assert_eq!(read_text(many), None, "{many}");
        }
        assert_eq!(read_text("1e-999999999999"), None, "no exponent is too large to be refused");
    }

    #[test]
    fn exponents_are_written_out() {
        let pairs = [
            ("1e3", "1000"),
            ("1E+14", "100000000000000"),
            ("-1.50e1", "-15.0"),
            ("12.5e-2", "0.125"),
            ("1e-12", "0.000000000001"),
            ("1.5e0", "1.5"),
            ("0.001e3", "1"),
            ("-0.0e9", "0"),
        ];
        for (sent, stored) in pairs {
            assert_eq!(read_text(sent).as_deref(), Some(stored), "{sent}");
        }
    }

    proptest! {
        #[test]
        fn moving_the_point_changes_nothing(whole in 1..1_000_000i64, places in 0..6i32, exponent in -6..6i32) {
            let plain = read_text(&format!("{whole}e{}", exponent - places)).unwrap();
            let mut digits = format!("{whole:06}");
            digits.insert(digits.len() - places as usize, '.');
            let digits = digits.trim_end_matches('.').trim_start_matches('0');
            let moved = if digits.starts_with('.') { format!("0{digits}") } else { digits.to_owned() };
            prop_assert_eq!(&read_text(&plain).unwrap(), &plain);
            prop_assert_eq!(read_text(&format!("{moved}e{exponent}")), Some(plain));
        }
    }
}
