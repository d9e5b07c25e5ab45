//! Positions, and what is in them. Stock is only looked at here: movements write it.

pub mod contents;
pub mod links;
pub mod positions;
