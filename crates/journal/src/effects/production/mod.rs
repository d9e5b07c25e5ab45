//! What happens to orders, jobs and batches.

pub(crate) mod answer;
pub(crate) mod batch;
pub(crate) mod bench;
pub(crate) mod completion;
pub mod draft;
pub mod floor;
pub(crate) mod job;
pub mod order;
pub mod plan;
pub(crate) mod rights;
pub(crate) mod session;
pub(crate) mod sheet;
pub(crate) mod wip;
pub(crate) mod worth;
