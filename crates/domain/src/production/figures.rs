//! Figures over many orders: rates and means, none where there is nothing to divide by.

use crate::Quantity;

/// The part of a whole, 0 to 1.
pub fn rate(part: Quantity, whole: Quantity) -> Option<Quantity> {
    (whole > Quantity::ZERO).then(|| Quantity::ONE.share(part, whole))
}

/// How much of what was begun passed.
pub fn pass_yield(pass: Quantity, scrap: Quantity) -> Option<Quantity> {
    rate(pass, pass + scrap)
}

/// The yield of all phases together: the product of theirs. Phases that nothing went through say nothing.
pub fn rolled_yield(yields: impl IntoIterator<Item = Option<Quantity>>) -> Option<Quantity> {
    yields.into_iter().flatten().reduce(Quantity::times)
}

/// Seconds for one unit, when so many took so many milliseconds.
pub fn seconds_per_unit(millis: i64, units: Quantity) -> Option<Quantity> {
    let units = i128::from(units.millionths());
    // A millisecond is a thousand millionths of a second; units are in millionths.
    (units > 0).then(|| Quantity::rounded(i128::from(millis) * 1_000 * 1_000_000, units))
}

/// The mean of so many times, in seconds.
pub fn mean_seconds(millis: i64, count: i64) -> Option<Quantity> {
    (count > 0).then(|| Quantity::rounded(i128::from(millis) * 1_000, i128::from(count)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quantity(text: &str) -> Quantity {
        text.parse().unwrap()
    }

    #[test]
    fn figures_of_a_small_shop() {
        assert_eq!(pass_yield(quantity("3"), quantity("1")), Some(quantity("0.75")));
        assert_eq!(pass_yield(Quantity::ZERO, Quantity::ZERO), None);
        assert_eq!(rolled_yield([Some(quantity("0.5")), None, Some(quantity("0.9"))]), Some(quantity("0.45")));
        assert_eq!(rolled_yield([None, None]), None);
        assert_eq!(seconds_per_unit(90_000, quantity("4")), Some(quantity("22.5")));
        assert_eq!(seconds_per_unit(90_000, Quantity::ZERO), None);
        assert_eq!(mean_seconds(1, 3), Some(quantity("0.000333")));
        assert_eq!(mean_seconds(0, 0), None);
    }

    proptest! {
        #[test]
        fn yields_lie_between_nothing_and_all(parts in prop::collection::vec((0..1_000_000_000_000_i64, 0..1_000_000_000_000_i64), 0..6)) {
            let yields: Vec<Option<Quantity>> = parts
                .iter()
                .map(|(pass, scrap)| pass_yield(Quantity::from_millionths(*pass), Quantity::from_millionths(*scrap)))
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
            let whole = seconds_per_unit(millis, Quantity::from_millionths(units * 1_000_000));
            prop_assert_eq!(whole, mean_seconds(millis, units));
        }
    }
}
