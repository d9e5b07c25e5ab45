//! What happens in counting sessions: who counts what, what was counted, and how stock is corrected by it.

pub(crate) mod adjusting;
pub mod applying;
pub(crate) mod completing;
pub(crate) mod confirming;
pub(crate) mod ending;
pub(crate) mod finding;
pub(crate) mod holding;
pub(crate) mod importing;
pub(crate) mod naming;
pub(crate) mod refusing;
pub(crate) mod rights;
pub(crate) mod snapshots;
pub(crate) mod system;
pub(crate) mod telling;
