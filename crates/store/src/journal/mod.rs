//! The journal: events as they are stored and found again, and the seals that prove them.

mod append;
pub mod events;
mod number;
pub mod seals;

pub(crate) use append::{EventRows, insert_events, insert_listed};
pub use number::Number;
