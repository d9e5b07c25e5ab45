//! The shop floor's write side: events, the one path each of them takes, and the seals that prove them.

pub mod seal;
