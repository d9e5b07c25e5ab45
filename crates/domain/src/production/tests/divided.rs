//! Parts add up to the whole.

use proptest::prelude::*;

use super::*;
use crate::Total;
use crate::key::WipKey;

/// Rows in the order they are used: smallest first, among equal ones the oldest.
fn rows() -> impl Strategy<Value = Vec<Free>> {
    let quantity = prop_oneof![Just(1_000_000_i64), 1_i64..=5_000_000, 1_i64..=80_000_000_000_000_000];
    let row = (quantity, prop::option::weighted(0.8, 0_i64..=1_000_000_000_000));
    prop::collection::vec(row, 0..=12).prop_map(|rows| {
        let free = |(key, (quantity, value)): (usize, (i64, Option<i64>))| Free {
            key: WipKey(key as i64),
            quantity: Quantity::from_millionths(quantity),
            value: value.map(Quantity::from_millionths),
        };
        let mut rows: Vec<Free> = rows.into_iter().enumerate().map(free).collect();
        rows.sort_by_key(|row| (row.quantity, row.key));
        rows
    })
}

fn nothing_negative(quantities: impl IntoIterator<Item = Quantity>) -> bool {
    quantities.into_iter().all(|quantity| !quantity.is_negative())
}

proptest! {
    #[test]
    fn portions_add_up(rows in rows(), part in 0_i64..=1100) {
        let all = rows.iter().map(|row| row.quantity).sum::<Total>().quantity().unwrap();
        let wanted = shop::part_of(all, part);
        let Some(portions) = take(&rows, wanted) else {
            prop_assert!(wanted > all, "there was enough");
            return Ok(());
        };
        prop_assert_eq!(portions.iter().map(|portion| portion.quantity).sum::<Total>(), Total::from(wanted));
        for (place, (portion, row)) in portions.iter().zip(&rows).enumerate() {
            prop_assert_eq!(portion.key, row.key, "in their order");
            prop_assert!(portion.quantity > Quantity::ZERO);
            let (rest, rest_value) = portion.rest.unwrap_or((Quantity::ZERO, row.value.map(|_| Quantity::ZERO)));
            prop_assert_eq!(portion.rest.is_some(), rest > Quantity::ZERO);
            prop_assert!(rest == Quantity::ZERO || place + 1 == portions.len(), "only the last one is split");
            prop_assert_eq!(portion.quantity + rest, row.quantity);
            prop_assert_eq!(portion.value.zip(rest_value).map(|(taken, left)| taken + left), row.value);
            prop_assert!(nothing_negative(portion.value.into_iter().chain(rest_value)));
        }
    }

    #[test]
    fn shares_add_up(whole in 0_i64..=4_000_000_000_000, weights in prop::collection::vec(1_i64..=1_000_000_000_000, 1..=40)) {
        let weights: Vec<Quantity> = weights.into_iter().map(Quantity::from_millionths).collect();
        let parts = shares(whole, &weights);
        prop_assert_eq!(parts.len(), weights.len());
        prop_assert_eq!(parts.iter().sum::<i64>(), whole);
        let all: i128 = weights.iter().map(|weight| i128::from(weight.millionths())).sum();
        for (part, weight) in parts.iter().zip(&weights) {
            prop_assert!(*part >= 0);
            // Within one of its exact share.
            let due = i128::from(whole) * i128::from(weight.millionths());
            prop_assert!((i128::from(*part) * all - due).abs() <= all);
        }
    }

    #[test]
    fn time_and_cost_grow_with_quantity(seconds in 0_i64..=10_000, units in 0_i64..=10_000, cost in 0_i64..=1_000) {
        let quantity = |units: i64| Quantity::from_millionths(units * 1_000_000);
        let millis = units_time(quantity(seconds), quantity(units));
        prop_assert_eq!(millis, Some(seconds * units * 1000));
        let hours = work_cost([(i128::from(units) * 3_600_000, quantity(cost))]);
        prop_assert_eq!(hours, Some(Total::from(quantity(units * cost))));
    }
}

#[test]
fn the_last_row_is_split() {
    let row =
        |key, quantity: &str, value: &str| Free { key: WipKey(key), quantity: qt(quantity), value: Some(qt(value)) };
    let portions = take(&[row(1, "1", "10"), row(2, "3", "10")], qt("2")).unwrap();
    assert_eq!((portions[0].quantity, portions[0].rest), (qt("1"), None));
    assert_eq!((portions[1].quantity, portions[1].value), (qt("1"), Some(qt("3.333333"))));
    assert_eq!(portions[1].rest, Some((qt("2"), Some(qt("6.666667")))));
    assert_eq!(take(&[], Quantity::ZERO), Some(Vec::new()));
    assert_eq!(take(&[row(1, "1", "1")], qt("1.000001")), None);
}

#[test]
fn shares_of_a_third() {
    assert_eq!(shares(100, &[qt("1"), qt("1"), qt("1")]), [33, 34, 33]);
    assert_eq!(shares(600_000, &[qt("4")]), [600_000]);
    assert_eq!(shares(0, &[qt("1"), qt("2")]), [0, 0]);
}
