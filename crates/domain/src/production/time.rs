//! Time and what it costs.

use crate::Quantity;

const HOUR_MILLIS: i128 = 3_600_000;

/// What some milliseconds of work cost.
pub fn hours_cost(millis: i64, hourly_cost: Quantity) -> Quantity {
    work_cost([(millis, hourly_cost)])
}

/// What work at different rates costs, rounded once: milliseconds and cost per hour of each.
pub fn work_cost(work: impl IntoIterator<Item = (i64, Quantity)>) -> Quantity {
    let exact = work.into_iter().map(|(millis, hourly)| i128::from(millis) * i128::from(hourly.millionths())).sum();
    Quantity::rounded(exact, HOUR_MILLIS)
}

/// As much work as can be recorded at once, in milliseconds: a hundred years.
pub const LONGEST_WORK: i64 = 3_155_760_000_000;

/// The milliseconds that a quantity takes at so many seconds per unit.
pub fn units_time(seconds_per_unit: Quantity, quantity: Quantity) -> i64 {
    let product = i128::from(seconds_per_unit.millionths()) * i128::from(quantity.millionths());
    // Seconds and units are both in millionths.
    i64::try_from(product / 1_000_000_000).unwrap_or(i64::MAX)
}

/// The part of `whole` that falls on `part` of `of`, rounded.
pub fn share(whole: i64, part: Quantity, of: Quantity) -> i64 {
    Quantity::rounded(i128::from(whole) * i128::from(part.millionths()), i128::from(of.millionths().max(1)))
        .millionths()
}

/// Divides `whole` by weight so that the parts add up to it exactly.
pub fn shares(whole: i64, weights: &[Quantity]) -> Vec<i64> {
    let all: i128 = weights.iter().map(|weight| i128::from(weight.millionths())).sum();
    let (mut given, mut weight_so_far, mut parts) = (0, 0, Vec::with_capacity(weights.len()));
    for weight in weights {
        weight_so_far += i128::from(weight.millionths());
        let up_to_here = Quantity::rounded(i128::from(whole) * weight_so_far, all.max(1)).millionths();
        parts.push(up_to_here - given);
        given = up_to_here;
    }
    parts
}
