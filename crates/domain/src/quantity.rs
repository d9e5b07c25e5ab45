//! Quantities: exact decimals with up to six decimals, kept as whole millionths and written as JSON numbers.

mod read;
mod total;

use std::fmt;

use serde::{Serialize, Serializer};

pub use read::NotAQuantity;
pub use total::Total;

const DIGITS: i64 = 6;
const ONE: i64 = 1_000_000;
/// Below it, millionths have at most 15 digits.
const SAFE: i64 = 1_000_000_000_000_000;
/// The largest absolute value, 1e12.
const LIMIT: i64 = 1_000_000_000_000 * ONE;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Quantity(i64);

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

    /// So many units.
    pub const fn units(count: usize) -> Self {
        Self(count as i64 * ONE)
    }

    /// How many whole units it is.
    pub const fn count(self) -> usize {
        (self.0 / ONE) as usize
    }

    /// The largest whole quantity that is not larger.
    #[must_use]
    pub const fn whole(self) -> Self {
        Self(self.0.div_euclid(ONE) * ONE)
    }

    /// The quantity, or zero if it is negative.
    #[must_use]
    pub fn or_zero(self) -> Self {
        self.max(Self::ZERO)
    }

    /// The share of it that `part` of `of` gets, to the nearest millionth; `None` beyond the largest quantity.
    #[must_use]
    pub fn share(self, part: Self, of: Self) -> Option<Self> {
        Self::rounded(i128::from(self.0) * i128::from(part.0), i128::from(of.0.max(1)))
    }

    /// The product of two quantities, to the nearest millionth; `None` beyond the largest quantity.
    #[must_use]
    pub fn times(self, quantity: Self) -> Option<Self> {
        Self::rounded(i128::from(self.0) * i128::from(quantity.0), i128::from(ONE))
    }

    /// A fraction of millionths, rounded to nearest, halves away from zero; `None` beyond the largest quantity.
    pub fn rounded(numerator: i128, denominator: i128) -> Option<Self> {
        Total::from_millionths(nearest(numerator, denominator)).quantity()
    }

    /// How many percent `part` is of `whole`, at most 100, with this many decimals.
    pub fn percent(part: i128, whole: i128, decimals: u32) -> Self {
        let step = ONE / 10_i64.pow(decimals);
        if whole <= 0 || part >= whole {
            return Self::HUNDRED;
        }
        let steps = Self::rounded(part.max(0) * i128::from(Self::HUNDRED.0 / step), whole);
        steps.map_or(Self::HUNDRED, |steps| Self(steps.0 * step))
    }
}

/// The integer nearest to a fraction, halves away from zero.
pub(crate) fn nearest(numerator: i128, denominator: i128) -> i128 {
    let (whole, rest) = (numerator / denominator, numerator % denominator);
    let up = 2 * rest.unsigned_abs() >= denominator.unsigned_abs();
    if up { whole + numerator.signum() } else { whole }
}

/// For a few quantities: each is at most 1e12, and nine times as much fits. Sums of many are a [`Total`].
impl std::ops::Add for Quantity {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl std::ops::Sub for Quantity {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rounds_halves_away_from_zero() {
        let rounded = |numerator, denominator| Quantity::rounded(numerator, denominator).map(Quantity::millionths);
        let fractions = [(5, 2), (-5, 2), (7, 3), (-7, 3), (8, 3), (0, 7)];
        assert_eq!(
            fractions.map(|(numerator, denominator)| rounded(numerator, denominator)),
            [3, -3, 2, -2, 3, 0].map(Some)
        );
        let limit = i128::from(LIMIT);
        assert_eq!([rounded(limit, 1), rounded(-limit, 1)], [Some(LIMIT), Some(-LIMIT)]);
        let beyond = [limit + 1, -limit - 1, i128::MAX / 2, i128::MIN / 2, i128::from(i64::MAX) + 1];
        assert!(beyond.into_iter().all(|beyond| rounded(beyond, 1).is_none()), "nothing is cut off");
    }

    #[test]
    fn what_is_too_much_is_no_quantity() {
        let [many, dear] = [100_000_000, 1_000_000].map(|units| Quantity::from_millionths(units * ONE));
        assert_eq!(many.times(dear), None);
        assert_eq!(dear.times(dear), Some(Quantity::MAX));
        assert_eq!(Quantity::MAX.times(Quantity::MAX), None);
        assert_eq!(dear.share(many, Quantity::ONE), None);
        let all: Total = [Quantity::MAX; 12].into_iter().sum();
        assert_eq!((all.quantity(), all.millionths()), (None, 12 * i128::from(LIMIT)));
        assert_eq!(all.capped(), Quantity::MAX);
        let back: Total = std::iter::repeat_n(Quantity::MAX, 11).sum();
        assert_eq!((all - back).quantity(), Some(Quantity::MAX));
    }

    #[test]
    fn a_part_of_a_unit_takes_a_whole_one() {
        let units = |millionths: i128| Total::from_millionths(millionths).units();
        assert_eq!([0, 1, 500_000, 1_000_000, 1_000_001, -1, -5_000_000].map(units), [0, 1, 1, 1, 2, 0, 0]);
        assert_eq!((units(i128::from(LIMIT)), units(i128::MAX)), (1_000_000_000_000, u64::MAX));
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
            let share = whole.share(part, of).unwrap();
            prop_assert!(Quantity::ZERO <= share && share <= whole);
            let exact = i128::from(whole.0) * i128::from(part.0);
            prop_assert!((i128::from(share.0) * i128::from(of.0) - exact).abs() * 2 <= i128::from(of.0));
            prop_assert_eq!(whole.share(of, of), Some(whole));
        }

        #[test]
        fn products_are_nearest(left in -SAFE..=SAFE, right in -1_000_000_000_i64..=1_000_000_000) {
            let [left, right] = [left, right].map(Quantity::from_millionths);
            let exact = i128::from(left.0) * i128::from(right.0);
            prop_assert_eq!(left.times(right), right.times(left));
            let times = left.times(right).unwrap();
            prop_assert!((i128::from(times.0) * i128::from(ONE) - exact).abs() * 2 <= i128::from(ONE));
            prop_assert_eq!(left.times(Quantity::ONE), Some(left));
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
