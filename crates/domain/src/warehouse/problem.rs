//! What can be wrong with rows of stock, whatever the movements say.

use crate::named;

named! {
    /// What is wrong with a row of stock, or with the marks of a product at a position.
    pub enum StockProblem {
        SerialInTwoPositions = "serial_in_two_positions",
        /// A serial whose quantity is not 1.
        SerialQuantity = "serial_quantity",
        /// Below zero, and it was not allowed when it went there.
        Negative = "negative",
        /// Stock at a position that was deleted, or that holds none.
        BadPosition = "bad_position",
        /// Counted or locked by nobody.
        StaleFlag = "stale_flag",
    }
}
