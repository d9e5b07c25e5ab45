//! The journal: events as they are stored and found again, and the seals that prove them.

mod append;
pub mod events;
mod number;
pub mod seals;

pub use number::Number;
