//! Numbers of spreadsheets, which are binary floats, as decimal text.

/// The number of digits a spreadsheet shows; anything after them is binary rounding noise.
const SHOWN_DIGITS: usize = 15;

/// The shortest decimal of this number, without exponent: `12345`, `0.1`. `None` if it is not a number.
pub(crate) fn decimal(number: f64) -> Option<String> {
    if !number.is_finite() {
        return None;
    }
    if number == 0.0 {
        return Some("0".to_owned());
    }
    let shortest = number.to_string();
    if shortest.contains('.') && significant_digits(&shortest) > SHOWN_DIGITS {
        let rounded: f64 = format!("{number:.*e}", SHOWN_DIGITS - 1).parse().ok()?;
        return Some(rounded.to_string());
    }
    Some(shortest)
}

fn significant_digits(decimal: &str) -> usize {
    let digits: String = decimal.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').len()
}

/// Whether a spreadsheet's number represents exactly this decimal, and is read back as it.
pub(crate) fn survives(text: &str) -> bool {
    text.parse().ok().and_then(decimal).is_some_and(|read| read == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_and_without_exponent() {
        for (number, shown) in [
            (12345.0, "12345"),
            (0.1, "0.1"),
            (1.2345e4, "12345"),
            (1e21, "1000000000000000000000"),
            (1e-7, "0.0000001"),
            (-0.0, "0"),
            (-2.5, "-2.5"),
            (0.1 + 0.2, "0.3"),
            (1234567890123456.0, "1234567890123456"),
        ] {
            assert_eq!(decimal(number).as_deref(), Some(shown));
        }
        assert_eq!(decimal(f64::NAN), None);
        assert_eq!(decimal(f64::INFINITY), None);
    }

    #[test]
    fn what_a_spreadsheet_would_round_does_not_survive() {
        assert!(survives("12.5") && survives("-3") && survives("999999999.999999"));
        assert!(!survives("999999999999.000001") && !survives("12.50") && !survives("1e3") && !survives("x"));
    }
}
