//! What is being made: orders, their jobs, the queues they wait in, batches and the time spent on them.

mod batch;
mod job;
mod queue;
mod work_order;

use crate::operation::{Operation, Tag};

const TAG: Tag = Tag::Production;

pub fn operations() -> Vec<Operation> {
    [work_order::operations(), job::operations(), queue::operations(), batch::operations()]
        .into_iter()
        .flatten()
        .collect()
}
