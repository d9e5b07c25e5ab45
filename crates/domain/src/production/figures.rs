//! Figures over many orders: rates and means, `None` where there is nothing to divide by.

use crate::{Quantity, Total};

/// The share of a whole, 0 to 1.
pub fn rate(part: Total, whole: Total) -> Option<Quantity> {
    let (part, whole) = (part.millionths(), whole.millionths());
    if whole <= 0 { None } else { Quantity::rounded(part.checked_mul(ONE)?, whole) }
}

const ONE: i128 = Quantity::ONE.millionths() as i128;

/// The share of processed units that passed.
pub fn pass_yield(pass: Total, scrap: Total) -> Option<Quantity> {
    rate(pass, pass + scrap)
}

/// The yield of all phases together: the product of theirs. Phases that nothing went through are ignored.
pub fn rolled_yield(yields: impl IntoIterator<Item = Option<Quantity>>) -> Option<Quantity> {
    let mut yields = yields.into_iter().flatten();
    let first = yields.next()?;
    yields.try_fold(first, Quantity::times)
}

/// Seconds per unit, if this many units took this many milliseconds.
pub fn seconds_per_unit(millis: i128, units: Total) -> Option<Quantity> {
    // A millisecond is a thousand millionths of a second; units are in millionths.
    if units <= Total::ZERO { None } else { Quantity::rounded(millis.checked_mul(1_000 * ONE)?, units.millionths()) }
}

/// The mean of this many durations, in seconds.
pub fn mean_seconds(millis: i128, count: i64) -> Option<Quantity> {
    if count <= 0 { None } else { Quantity::rounded(millis.checked_mul(1_000)?, i128::from(count)) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quantity(text: &str) -> Quantity {
        text.parse().unwrap()
    }

    fn total(text: &str) -> Total {
        quantity(text).into()
    }

    #[test]
    fn figures_of_a_small_shop() {
        assert_eq!(pass_yield(total("3"), total("1")), Some(quantity("0.75")));
        assert_eq!(pass_yield(Total::ZERO, Total::ZERO), None);
        assert_eq!(rolled_yield([Some(quantity("0.5")), None, Some(quantity("0.9"))]), Some(quantity("0.45")));
        assert_eq!(rolled_yield([None, None]), None);
        assert_eq!(seconds_per_unit(90_000, total("4")), Some(quantity("22.5")));
        assert_eq!(seconds_per_unit(90_000, Total::ZERO), None);
        assert_eq!(mean_seconds(1, 3), Some(quantity("0.000333")));
        assert_eq!(mean_seconds(0, 0), None);
    }

    #[test]
    fn figures_of_more_than_anybody_makes() {
        let many: Total = std::iter::repeat_n(Quantity::MAX, 1_000_000).sum();
        assert_eq!(pass_yield(many, many), Some(quantity("0.5")));
        assert_eq!(mean_seconds(i128::from(i64::MAX) * 1_000, 1), None, "more than can be said");
        assert_eq!(seconds_per_unit(i128::from(i64::MAX), total("0.000001")), None);
        assert_eq!(seconds_per_unit(i128::MAX, Total::from_millionths(1)), None);
    }

    proptest! {
        #[test]
        fn yields_lie_between_nothing_and_all(parts in prop::collection::vec((0..1_000_000_000_000_i64, 0..1_000_000_000_000_i64), 0..6)) {
            let yields: Vec<Option<Quantity>> = parts
                .iter()
                .map(|(pass, scrap)| pass_yield(Total::from_millionths((*pass).into()), Total::from_millionths((*scrap).into())))
                .collect();
            for one in yields.iter().flatten() {
                prop_assert!((Quantity::ZERO..=Quantity::ONE).contains(one));
            }
            if let Some(rolled) = rolled_yield(yields.iter().copied()) {
                prop_assert!(yields.iter().flatten().all(|one| rolled <= *one), "no phase is worse than all together");
            }
        }

        #[test]
        fn the_mean_of_units_is_that_of_their_time(millis in 0..1_000_000_000_i64, units in 1..10_000_i64) {
            let whole = seconds_per_unit(millis.into(), Total::from_millionths(i128::from(units) * ONE));
            prop_assert_eq!(whole, mean_seconds(millis.into(), units));
        }
    }
}
