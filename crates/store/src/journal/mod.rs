//! The journal: events as they are stored and found again, and the seals that prove them.

mod append;
pub mod events;
pub mod seals;
