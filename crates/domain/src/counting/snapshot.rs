use serde_json::Value;

use crate::key::{CountSessionKey, SnapshotKey, UserKey};
use crate::{Quantity, Timestamp, named};

named! {
    pub enum SnapshotType {
        /// Stock as it was.
        Actual = "actual",
        /// Stock as it would be with the corrections of the session.
        Virtual = "virtual",
    }
}

named! {
    /// What a snapshot shows.
    #[schemars(rename = "SnapshotScopeType")]
    pub enum ScopeType {
        /// The own warehouse.
        Full = "full",
        Positions = "positions",
        Products = "products",
    }
}

/// Stock at a moment, in the scope of a counting session.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    pub key: SnapshotKey,
    pub rev: i64,
    pub kind: SnapshotType,
    pub session_key: CountSessionKey,
    pub taken: Timestamp,
    pub scope_type: ScopeType,
    /// A list of the keys of the positions or products.
    pub target_keys: Value,
    pub created_by: UserKey,
}

/// How many percent of the pairs of a baseline were counted; 100 where there was nothing to count.
#[must_use]
pub fn coverage(counted: i64, of: i64) -> Quantity {
    Quantity::percent(i128::from(counted), i128::from(of), 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_baseline_is_covered() {
        assert_eq!(coverage(0, 0), Quantity::HUNDRED);
        assert_eq!(coverage(1, 3).to_string(), "33.33");
        assert_eq!(coverage(2, 3).to_string(), "66.67");
    }

    proptest! {
        #[test]
        fn coverage_grows_up_to_all(counted in 0..10_000_i64, more in 0..10_000_i64) {
            let of = counted + more;
            prop_assert!(coverage(counted, of) <= Quantity::HUNDRED);
            prop_assert_eq!(coverage(of, of), Quantity::HUNDRED);
            prop_assert!(of == 0 || coverage(0, of) == Quantity::ZERO);
        }
    }
}
