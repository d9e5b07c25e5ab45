//! Orders and what is done for them.

pub mod batches;
pub mod jobs;
pub mod sessions;
pub mod wip;
pub mod work_orders;
