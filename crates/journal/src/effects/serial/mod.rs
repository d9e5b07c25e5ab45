//! What happens to serials: the pieces that their events, and those of production, are put together from.

pub(crate) mod codes;
pub(crate) mod data;
pub(crate) mod ending;
pub mod evidence;
pub(crate) mod linking;
pub(crate) mod making;
pub(crate) mod naming;
pub(crate) mod nesting;
pub(crate) mod rights;
pub(crate) mod stock;
