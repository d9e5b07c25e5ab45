//! The warehouse: positions, which of them are in which, what lies in them, and what moves it.

pub mod movement;
mod position;
mod problem;
pub mod stock;
mod supply;
mod tree;

pub use position::{INSIDE, NOWHERE, OUTSIDE, PositionData, RESERVED, is_reserved};
pub use problem::StockProblem;
pub use supply::taken;
pub use tree::{DEEPEST, PositionTree, Trouble, way_down};
