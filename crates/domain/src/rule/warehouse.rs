//! Rules for positions.

use super::rules;
use crate::key::PositionKey;

rules! {
    /// The position would be in itself.
    PositionCycleException, "Name a parent that is neither the position itself nor in it." {
        /// Always `cycle`.
        rule: &'static str,
        /// The keys from the position down to the wanted parent.
        path: Vec<PositionKey>,
    }
}
