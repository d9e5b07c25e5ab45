//! What production takes from stock.

use crate::Quantity;
use crate::bom_line::ConsumptionOptions;

/// How much of a component is taken if this much of it is there. Short stock that may not go below zero is enough if the line says so;
/// otherwise everything is asked for, and stock refuses it.
pub fn taken(wanted: Quantity, there: Quantity, may_go_below_zero: bool, options: &ConsumptionOptions) -> Quantity {
    let least = options.minimum_quantity.unwrap_or_default();
    let is_enough = options.minimum_quantity_if_negative && there >= least.or_zero();
    if there < wanted && !may_go_below_zero && is_enough { there } else { wanted }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn units(count: i64) -> Quantity {
        Quantity::from_millionths(count * 1_000_000)
    }

    fn options(least: Option<i64>) -> ConsumptionOptions {
        ConsumptionOptions {
            minimum_quantity_if_negative: true,
            minimum_quantity: least.map(units),
            ..ConsumptionOptions::default()
        }
    }

    #[test]
    fn what_is_there_is_enough_from_the_minimum_on() {
        let of = |there, least| taken(units(10), units(there), false, &options(least));
        assert_eq!([of(12, None), of(10, None), of(3, None), of(0, None)], [10, 10, 3, 0].map(units));
        assert_eq!([of(3, Some(3)), of(2, Some(3))], [3, 10].map(units), "below the minimum all is asked for");
        assert_eq!(of(-1, None), units(10), "less than nothing is never enough");
    }

    #[test]
    fn stock_that_may_go_below_zero_gives_all() {
        assert_eq!(taken(units(10), units(3), true, &options(None)), units(10));
    }

    #[test]
    fn without_the_option_all_is_asked_for() {
        let strict = ConsumptionOptions { minimum_quantity: Some(units(1)), ..ConsumptionOptions::default() };
        assert_eq!(taken(units(10), units(3), false, &strict), units(10));
    }

    proptest! {
        #[test]
        fn never_more_than_wanted_nor_less_than_nothing(
            wanted in 0..100_i64, there in -100..100_i64, negative: bool, enough: bool, least in prop::option::of(0..100_i64),
        ) {
            let options = ConsumptionOptions { minimum_quantity_if_negative: enough, ..options(least) };
            let much = taken(units(wanted), units(there), negative, &options);
            prop_assert!(Quantity::ZERO <= much && much <= units(wanted));
            prop_assert!(much == units(wanted) || (enough && !negative && much == units(there)));
        }
    }
}
