//! Amounts while a bill of materials is calculated: exact decimals with 12 decimals.

use super::BomError;
use crate::Quantity;

const MILLION: u64 = 1_000_000;
const HALF: u64 = MILLION / 2;
const LIMIT: i128 = Quantity::MAX.millionths() as i128 * MILLION as i128;

/// A number of units of 1e-12, at most 1e12 whole ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Amount(i128);

impl Amount {
    pub(super) const ZERO: Self = Self(0);

    pub(super) fn plus(self, other: Self) -> Result<Self, BomError> {
        Self::within_limit(self.0.checked_add(other.0))
    }

    pub(super) fn times(self, qt: Quantity) -> Result<Self, BomError> {
        let factor = qt.millionths();
        // The common case, many times faster.
        if let (Ok(units), Ok(factor)) = (u64::try_from(self.0), u64::try_from(factor))
            && let Some(product) = units.checked_mul(factor)
        {
            return Ok(Self(divide_by_million(product.into())));
        }
        Self::within_limit(self.0.checked_mul(factor.into()).map(divide_by_million))
    }

    pub(super) fn written(self) -> Quantity {
        // The limit leaves at most 1e18 millionths.
        Quantity::from_millionths(divide_by_million(self.0) as i64)
    }

    fn within_limit(units: Option<i128>) -> Result<Self, BomError> {
        match units {
            Some(units) if (-LIMIT..=LIMIT).contains(&units) => Ok(Self(units)),
            _ => Err(BomError::QuantityOverflow),
        }
    }
}

impl From<Quantity> for Amount {
    fn from(qt: Quantity) -> Self {
        Self(i128::from(qt.millionths()) * i128::from(MILLION))
    }
}

/// Rounds to nearest, ties to even.
fn divide_by_million(value: i128) -> i128 {
    // 64 bits divide many times faster.
    let (quotient, rest) = match u64::try_from(value) {
        Ok(small) => (i128::from(small / MILLION), small % MILLION),
        Err(_) => (value.div_euclid(MILLION.into()), value.rem_euclid(MILLION.into()) as u64),
    };
    let up = rest > HALF || (rest == HALF && quotient % 2 != 0);
    quotient + i128::from(up)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Amount {
        Amount::from(text.parse::<Quantity>().unwrap())
    }

    fn qt(text: &str) -> Quantity {
        text.parse().unwrap()
    }

    #[test]
    fn keeps_twelve_digits_and_rounds_halves_to_even() {
        let millionth = qt("0.000001");
        let trillionth = amount("0.000001").times(millionth).unwrap();
        assert_eq!(trillionth, Amount(1));
        assert_eq!(trillionth.times(qt("0.5")).unwrap(), Amount(0));
        assert_eq!(Amount(3).times(qt("0.5")).unwrap(), Amount(2));
        assert_eq!(Amount(5).times(qt("0.5")).unwrap(), Amount(2));
        assert_eq!(Amount(5).times(qt("0.500001")).unwrap(), Amount(3));
        assert_eq!(Amount(-3).times(qt("0.5")).unwrap(), Amount(-2));
        assert_eq!(Amount(-5).times(qt("0.5")).unwrap(), Amount(-2));
        assert_eq!(Amount(-1).times(qt("0.4")).unwrap(), Amount(0));
    }

    #[test]
    fn is_written_with_six_digits_and_halves_to_even() {
        let written = |units: i128| Amount(units).written().to_string();
        assert_eq!(written(1_500_000), "0.000002");
        assert_eq!(written(2_500_000), "0.000002");
        assert_eq!(written(2_500_001), "0.000003");
        assert_eq!(written(-2_500_000), "-0.000002");
        assert_eq!(written(499_999), "0");
        assert_eq!(amount("1000000000000").written(), Quantity::MAX);
    }

    #[test]
    fn large_values_round_like_small_ones() {
        let beyond_64_bits = i128::from(u64::MAX / MILLION + 1);
        for rest in [0, 1, 499_999, 500_000, 500_001, 999_999] {
            for quotient in [beyond_64_bits, beyond_64_bits + 1, -beyond_64_bits, -beyond_64_bits - 1] {
                let small = divide_by_million((quotient & 1) * 1_000_000 + rest) - (quotient & 1);
                assert_eq!(divide_by_million(quotient * 1_000_000 + rest), quotient + small, "{quotient} and {rest}");
            }
        }
    }

    #[test]
    fn ends_at_the_limit() {
        let most = amount("1000000000000");
        assert_eq!(amount("500000000000").plus(amount("500000000000")), Ok(most));
        assert_eq!(most.plus(Amount(1)), Err(BomError::QuantityOverflow));
        assert_eq!(amount("1000000").times(qt("1000000")), Ok(most));
        assert_eq!(amount("1000000").times(qt("1000000.000001")), Err(BomError::QuantityOverflow));
        assert_eq!(most.times(Quantity::MAX), Err(BomError::QuantityOverflow));
        assert_eq!(most.times(Quantity::from_millionths(i64::MAX)), Err(BomError::QuantityOverflow));
    }
}
