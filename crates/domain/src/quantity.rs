//! Quantities: exact decimals with up to six fractional digits, kept as whole millionths and written as JSON numbers.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::decimal::Decimal;

const DIGITS: usize = 6;
const ONE: i64 = 1_000_000;
/// Below it, millionths have at most 15 digits.
const SAFE: i64 = 1_000_000_000_000_000;
/// The largest absolute value, 1e12.
const LIMIT: i64 = 1_000_000_000_000 * ONE;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Quantity(i64);

#[derive(Debug, Error, PartialEq, Eq)]
pub enum NotAQuantity {
    #[error("not a decimal number")]
    NotANumber,
    #[error("at most 6 digits after the decimal point")]
    TooManyDigits,
    #[error("at most 1000000000000")]
    TooLarge,
}

impl Quantity {
    pub const ZERO: Self = Self(0);
    pub const ONE: Self = Self(ONE);
    pub const HUNDRED: Self = Self(100 * ONE);
    /// The largest one, 1e12.
    pub const MAX: Self = Self(LIMIT);

    pub const fn from_millionths(millionths: i64) -> Self {
        Self(millionths)
    }

    pub const fn millionths(self) -> i64 {
        self.0
    }

    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    pub const fn is_whole(self) -> bool {
        self.0 % ONE == 0
    }

    /// Itself, or zero where it is less.
    #[must_use]
    pub fn or_zero(self) -> Self {
        self.max(Self::ZERO)
    }

    /// The part of it that falls on `part` of `of`, to the nearest millionth.
    #[must_use]
    pub fn share(self, part: Self, of: Self) -> Self {
        Self::rounded(i128::from(self.0) * i128::from(part.0), i128::from(of.0.max(1)))
    }

    /// This many times a quantity, to the nearest millionth.
    #[must_use]
    pub fn times(self, quantity: Self) -> Self {
        Self::rounded(i128::from(self.0) * i128::from(quantity.0), i128::from(ONE))
    }

    /// A fraction of millionths, to the nearest one, halves away from zero.
    pub fn rounded(numerator: i128, denominator: i128) -> Self {
        let half = denominator / 2;
        let nearest = if numerator < 0 { (numerator - half) / denominator } else { (numerator + half) / denominator };
        Self(i64::try_from(nearest).unwrap_or(if nearest < 0 { i64::MIN } else { i64::MAX }))
    }

    /// How many percent `part` is of `whole`, at most 100, with so many decimals.
    pub fn percent(part: i128, whole: i128, decimals: u32) -> Self {
        let step = i128::from(ONE) / 10_i128.pow(decimals);
        if whole <= 0 || part >= whole {
            return Self::HUNDRED;
        }
        let steps = Self::rounded(part * i128::from(Self::HUNDRED.0) / step, whole);
        Self(steps.0 * step as i64)
    }
}

impl std::ops::Add for Quantity {
    type Output = Self;

    /// Quantities stay far below what fits; what would not fit stops at the end instead of wrapping round.
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl std::ops::Sub for Quantity {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl std::iter::Sum for Quantity {
    fn sum<I: Iterator<Item = Self>>(quantities: I) -> Self {
        quantities.fold(Self::ZERO, |sum, quantity| sum + quantity)
    }
}

impl FromStr for Quantity {
    type Err = NotAQuantity;

    /// Reads the text of a JSON number, exponents included, without passing through binary floats.
    fn from_str(text: &str) -> Result<Self, NotAQuantity> {
        let Decimal { negative, whole, fraction, exponent } = Decimal::parse(text).ok_or(NotAQuantity::NotANumber)?;
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        if digits.is_empty() {
            return Ok(Self::ZERO);
        }
        let significant = digits.trim_end_matches('0');
        let dropped = (digits.len() - significant.len()) as i64;
        // value = significant × 10^power
        let power = i64::from(exponent) - fraction.len() as i64 + dropped;
        if power < -(DIGITS as i64) {
            return Err(NotAQuantity::TooManyDigits);
        }
        if significant.len() as i64 + power > 13 {
            return Err(NotAQuantity::TooLarge);
        }
        let unscaled: i64 = significant.parse().map_err(|_| NotAQuantity::TooLarge)?;
        let scale = 10_i64.checked_pow((power + DIGITS as i64) as u32).ok_or(NotAQuantity::TooLarge)?;
        let millionths = unscaled.checked_mul(scale).ok_or(NotAQuantity::TooLarge)?;
        if millionths > LIMIT {
            return Err(NotAQuantity::TooLarge);
        }
        Ok(Self(if negative { -millionths } else { millionths }))
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, fraction) = (self.0.unsigned_abs() / ONE as u64, self.0.unsigned_abs() % ONE as u64);
        if fraction == 0 {
            return write!(f, "{sign}{whole}");
        }
        let fraction = format!("{fraction:06}");
        write!(f, "{sign}{whole}.{}", fraction.trim_end_matches('0'))
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            whole if whole % ONE == 0 => to.serialize_i64(whole / ONE),
            // With so few digits, binary floats are written as the same decimal, only faster.
            few if (1_000..SAFE).contains(&few.abs()) => to.serialize_f64(few as f64 / ONE as f64),
            _ => {
                let number: serde_json::Number = self.to_string().parse().map_err(serde::ser::Error::custom)?;
                number.serialize(to)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(from)?;
        number.as_str().parse().map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for Quantity {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Quantity".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "number",
            "format": "decimal",
            "minimum": -LIMIT / ONE,
            "maximum": LIMIT / ONE,
            "description": "Exact decimal with up to 6 digits after the point, at most 1e12."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_exactly_or_says_why_not() {
        let read = |text: &str| text.parse::<Quantity>();
        assert_eq!(read("0.1").unwrap().millionths(), 100_000);
        assert_eq!(read("1e-6").unwrap().millionths(), 1);
        assert_eq!(read("12.5E2").unwrap().to_string(), "1250");
        assert_eq!(read("1000000000000").unwrap().to_string(), "1000000000000");
        assert_eq!(read("1.0000000").unwrap(), Quantity::ONE, "zeros carry nothing");
        assert_eq!(read("0.0000001"), Err(NotAQuantity::TooManyDigits));
        assert_eq!(read("1000000000000.000001"), Err(NotAQuantity::TooLarge));
        assert_eq!(read("1e400"), Err(NotAQuantity::TooLarge));
        assert_eq!(read("9223372036854775807"), Err(NotAQuantity::TooLarge));
        for bad in ["", "-", ".5", "1,5", "NaN", "inf", "1e", "0x1"] {
            assert_eq!(read(bad), Err(NotAQuantity::NotANumber), "{bad}");
        }
    }

    #[test]
    fn rounds_halves_away_from_zero() {
        let rounded = |numerator, denominator| Quantity::rounded(numerator, denominator).millionths();
        assert_eq!([rounded(5, 2), rounded(-5, 2), rounded(7, 3), rounded(-7, 3), rounded(8, 3)], [3, -3, 2, -2, 3]);
        assert_eq!([rounded(0, 7), rounded(i128::MAX / 2, 1), rounded(i128::MIN / 2, 1)], [0, i64::MAX, i64::MIN]);
    }

    #[test]
    fn percents_have_their_decimals_and_an_end() {
        let percent = |part, whole, decimals| Quantity::percent(part, whole, decimals).to_string();
        assert_eq!(
            [percent(1, 3, 2), percent(2, 3, 2), percent(1, 3, 0), percent(2, 3, 0)],
            ["33.33", "66.67", "33", "67"]
        );
        assert_eq!([percent(1, 8, 0), percent(1, 800, 2)], ["13", "0.13"], "halves go up");
        assert_eq!([percent(0, 5, 2), percent(5, 5, 2), percent(9, 5, 2)], ["0", "100", "100"]);
        assert_eq!(percent(0, 0, 2), "100", "of nothing, all is done");
    }

    proptest! {
        #[test]
        fn shares_are_within_and_nearest(whole in 0..=LIMIT, part in 0..=LIMIT, more in 1..=LIMIT) {
            let [whole, part, of] = [whole, part, part.saturating_add(more)].map(Quantity::from_millionths);
            let share = whole.share(part, of);
            prop_assert!(Quantity::ZERO <= share && share <= whole);
            let exact = i128::from(whole.0) * i128::from(part.0);
            prop_assert!((i128::from(share.0) * i128::from(of.0) - exact).abs() * 2 <= i128::from(of.0));
            prop_assert_eq!(whole.share(of, of), whole);
        }

        #[test]
        fn products_are_nearest(left in -SAFE..=SAFE, right in -1_000_000_000_i64..=1_000_000_000) {
            let [left, right] = [left, right].map(Quantity::from_millionths);
            let exact = i128::from(left.0) * i128::from(right.0);
            let times = left.times(right);
            prop_assert_eq!(times, right.times(left));
            prop_assert!((i128::from(times.0) * i128::from(ONE) - exact).abs() * 2 <= i128::from(ONE));
            prop_assert_eq!(left.times(Quantity::ONE), left);
        }

        #[test]
        fn percents_grow(part in 0..=LIMIT, more in 0..=LIMIT, whole in 1..=LIMIT, decimals in 0_u32..=6) {
            let percent = |part: i64| Quantity::percent(i128::from(part), i128::from(whole), decimals);
            let (less, more) = (percent(part), percent(part.saturating_add(more)));
            prop_assert!(Quantity::ZERO <= less && less <= more && more <= Quantity::HUNDRED);
            prop_assert_eq!(less.0 % (ONE / 10_i64.pow(decimals)), 0);
        }

        #[test]
        fn passes_through_json_unchanged(millionths in prop_oneof![-LIMIT..=LIMIT, -SAFE..=SAFE, -2_000_000_000_i64..2_000_000_000, -2_000..2_000_i64]) {
            let quantity = Quantity::from_millionths(millionths);
            let text = serde_json::to_string(&quantity).unwrap();
            prop_assert_eq!(&text, &quantity.to_string(), "written as people write it");
            prop_assert_eq!(serde_json::from_str::<Quantity>(&text).unwrap(), quantity);
        }
    }
}
