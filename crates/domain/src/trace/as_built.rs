//! What a unit was to contain, beside what it does.

use crate::serial::Need;
use crate::{Total, named};

named! {
    /// How what was built compares with what was planned.
    #[schemars(rename = "AsBuiltStatus")]
    pub enum LineStatus {
        /// As many as planned.
        Ok = "ok",
        /// Fewer than planned.
        Missing = "missing",
        /// More than planned.
        Excess = "excess",
        /// The bill of materials does not name the component.
        Extra = "extra",
        /// Units of the component are not traced, so nobody knows how many there are.
        Untraced = "untraced",
    }
}

/// One component: planned and built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// Whole units, of a component that is traced.
    pub planned: Total,
    /// None where units are not traced, like the difference.
    pub built: Option<Total>,
    pub delta: Option<Total>,
    pub status: LineStatus,
}

/// Compares what a bill of materials needs of a component with how many units of it were built in. Without a need, the bill does not
/// name the component.
pub fn compare(need: Option<&Need>, built: u64) -> Compared {
    let built = whole(built);
    let planned = match need {
        Some(need) if !need.traced => {
            return Compared { planned: need.quantity, built: None, delta: None, status: LineStatus::Untraced };
        }
        Some(need) => whole(need.quantity.units()),
        None => Total::ZERO,
    };
    let status = match need {
        None => LineStatus::Extra,
        Some(_) if built < planned => LineStatus::Missing,
        Some(_) if built > planned => LineStatus::Excess,
        Some(_) => LineStatus::Ok,
    };
    Compared { planned, built: Some(built), delta: Some(built - planned), status }
}

fn whole(units: u64) -> Total {
    Total::from_millionths(i128::from(units) * 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quantity;
    use crate::key::ProductKey;
    use proptest::prelude::*;

    fn need(millionths: i64, traced: bool) -> Need {
        let quantity = Quantity::from_millionths(millionths).into();
        Need { component_key: ProductKey::trusted("c"), quantity, traced }
    }

    fn millionths(total: Option<Total>) -> Option<i128> {
        total.map(Total::millionths)
    }

    #[test]
    fn half_a_traced_component_is_one_unit() {
        let half = compare(Some(&need(500_000, true)), 0);
        assert_eq!(half.planned, whole(1));
        assert_eq!((half.status, millionths(half.delta)), (LineStatus::Missing, Some(-1_000_000)));
        assert_eq!(compare(Some(&need(500_000, true)), 1).status, LineStatus::Ok);
    }

    #[test]
    fn nothing_is_known_of_what_is_not_traced() {
        let screws = compare(Some(&need(2_500_000, false)), 7);
        let planned = Total::from_millionths(2_500_000);
        assert_eq!(screws, Compared { planned, built: None, delta: None, status: LineStatus::Untraced });
    }

    #[test]
    fn what_nobody_planned_is_extra() {
        let extra = compare(None, 2);
        let built = Some(whole(2));
        assert_eq!(extra, Compared { planned: Total::ZERO, built, delta: built, status: LineStatus::Extra });
    }

    proptest! {
        #[test]
        fn the_difference_tells_the_status(quantity in 0..9_000_000_i64, built in 0..12_u64) {
            let compared = compare(Some(&need(quantity, true)), built);
            let planned = (quantity as u64).div_ceil(1_000_000);
            prop_assert_eq!(compared.planned, whole(planned));
            let expected = match built.cmp(&planned) {
                std::cmp::Ordering::Less => LineStatus::Missing,
                std::cmp::Ordering::Equal => LineStatus::Ok,
                std::cmp::Ordering::Greater => LineStatus::Excess,
            };
            prop_assert_eq!(compared.status, expected);
            let delta = (i128::from(built) - i128::from(planned)) * 1_000_000;
            prop_assert_eq!(millionths(compared.delta), Some(delta));
        }
    }
}
