//! Where things are.

pub mod positions;
