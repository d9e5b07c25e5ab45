//! Orders and what is done for them.

pub mod batch_units;
pub mod batches;
pub mod executions;
pub mod heartbeats;
pub mod job_views;
pub mod jobs;
pub mod order_boms;
pub mod order_phases;
pub mod queues;
pub mod removal;
pub mod sessions;
pub mod traces;
pub mod unit_wip;
pub mod wip;
pub mod work_orders;
