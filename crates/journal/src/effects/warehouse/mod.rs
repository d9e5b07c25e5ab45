//! What happens to stock: movements that are planned, carried out and taken back, and their lists.

pub(crate) mod containers;
pub(crate) mod drafting;
pub(crate) mod gathering;
pub(crate) mod listing;
pub(crate) mod moving;
pub(crate) mod naming;
pub(crate) mod places;
pub(crate) mod planned;
pub(crate) mod refusing;
pub(crate) mod reversing;
pub(crate) mod rights;
pub(crate) mod server;
pub(crate) mod telling;
pub(crate) mod units;

pub(crate) use places::hold_positions;
pub(crate) use server::{Cause, NewMovement, complete_by_server, reverse_by_server};
