//! Bills of materials as a graph: which lines close a loop, what a product is made of, and where it is used.
//!
//! The caller loads the products and lines that a query concerns, in any order; each function processes them all at once.
//! Lines name products by id. Results name a product by its index in the slice of products, and a line by its index in the
//! slice of lines, so the caller finds its own record without a lookup. Wherever a result is sorted by code, or a tie is
//! broken by it, codes compare by their case-folded form and then as they are.
//!
//! # Amounts
//!
//! Amounts are calculated with 12 decimals and written with 6, rounded to nearest, ties to even. Every multiplication by a
//! line's quantity rounds; sums are exact. What is summed before it is multiplied follows from the graph alone, not from the
//! order of rows:
//!
//! 1. Everything that reaches a product is added up. With a limit on levels, amounts that have come so far that some path
//!    onward from the product exceeds the limit are added up separately for each number of lines.
//! 2. Each sum is multiplied by the quantity of each line that leads on, line by line, and reaches the next product.
//!
//! [`explode()`] goes from a product to its components and [`where_used()`] from a component to its parents, so the two may
//! round differently if an amount has more than 12 decimals.

mod amount;
mod cone;
mod explode;
mod flow;
mod graph;
mod loops;
#[cfg(test)]
mod tests;
mod where_used;

use thiserror::Error;

pub use explode::{Explosion, Node, Total, explode};
pub use loops::{MOST_LOOPS, loops};
pub use where_used::{Use, where_used};

use crate::Quantity;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product<'a> {
    pub id: i64,
    pub code: &'a str,
}

/// One unit of the parent takes this much of the component. The same pair may have several lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    pub parent: i64,
    pub component: i64,
    /// Above zero.
    pub qt: Quantity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BomError {
    #[error("a quantity is above 1000000000000")]
    QuantityOverflow,
    /// Lines are checked when they are stored, so this is corrupt data and not a client's fault.
    #[error("a product contains itself")]
    Loop,
    /// The caller must pass every product that its lines name.
    #[error("the product {0} is not among the products given")]
    UnknownProduct(i64),
}
