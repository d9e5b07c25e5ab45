//! What units were built into, and what was built into them.

mod as_built;
mod graph;
mod recall;
mod span;
mod whereabouts;

pub use as_built::{Compared, LineStatus, compare};
pub use graph::{Graph, Hop, MOST_LEVELS, MOST_NODES, Walk, Way};
pub use recall::{Recall, Recalled};
pub use whereabouts::{LocationStatus, Whereabouts};
