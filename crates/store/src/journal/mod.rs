//! The journal: events as they are stored and found again.

pub mod events;
