//! The warehouse: positions, and which of them are in which.

mod position;
mod tree;

pub use position::{INSIDE, NOWHERE, OUTSIDE, PositionData, RESERVED, is_reserved};
pub use tree::{DEEPEST, PositionTree, Trouble, way_down};
