//! What is being made: orders, their jobs, the queues they wait in, batches and the time spent on them.

mod batch;
mod job;
mod queue;
mod work_order;

/// For the answers of events, and for whatever else shows a batch.
#[allow(unused_imports)]
pub(crate) use batch::{BatchRecord, batch_record};
/// For the answers of events: one job. For reads of orders: all jobs of several orders, by order, in one statement.
#[allow(unused_imports)]
pub(crate) use job::{JobRecord, job_record, job_records};

/// For the answers of events: one order. For queues: several, with their jobs, in a few statements.
#[allow(unused_imports)]
pub(crate) use work_order::{OrderRead, order_read, order_reads};

use crate::operation::{Operation, Tag};

const TAG: Tag = Tag::Production;

pub fn operations() -> Vec<Operation> {
    [work_order::operations(), job::operations(), queue::operations(), batch::operations()]
        .into_iter()
        .flatten()
        .collect()
}
