//! Time and what it costs.

use crate::quantity::nearest;
use crate::{Quantity, Total};

const HOUR_MILLIS: i128 = 3_600_000;

/// What work at different rates costs, rounded once: milliseconds and cost per hour of each. `None` if it overflows.
pub fn work_cost(work: impl IntoIterator<Item = (i128, Quantity)>) -> Option<Total> {
    let mut exact = 0_i128;
    for (millis, hourly) in work {
        exact = exact.checked_add(millis.checked_mul(i128::from(hourly.millionths()))?)?;
    }
    Some(Total::from_millionths(nearest(exact, HOUR_MILLIS)))
}

/// The most work that can be recorded at once, in milliseconds: a hundred years.
pub const LONGEST_WORK: i64 = 3_155_760_000_000;

/// The milliseconds a quantity takes at this many seconds per unit; `None` if they are too many to be represented.
pub fn units_time(seconds_per_unit: Quantity, quantity: Quantity) -> Option<i64> {
    let product = i128::from(seconds_per_unit.millionths()) * i128::from(quantity.millionths());
    // Seconds and units are both in millionths.
    i64::try_from(product / 1_000_000_000).ok()
}

/// Divides `whole` by weight so that the parts add up exactly: each is the rounded cumulative share, minus the parts before.
pub fn shares(whole: i64, weights: &[Quantity]) -> Vec<i64> {
    let all: i128 = weights.iter().map(|weight| i128::from(weight.millionths())).sum();
    let (mut given, mut weight_so_far, mut parts) = (0, 0, Vec::with_capacity(weights.len()));
    for weight in weights {
        weight_so_far += i128::from(weight.millionths());
        let up_to_here = nearest(i128::from(whole) * weight_so_far, all.max(1));
        // No part is more than the whole.
        parts.push((up_to_here - given) as i64);
        given = up_to_here;
    }
    parts
}
