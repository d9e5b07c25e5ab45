//! What is being made: orders, their jobs, the queues they wait in, batches and the time spent on them.

mod batch;
mod job;
mod queue;
mod work_order;

/// For the answers of events: one batch.
pub(crate) use batch::{BatchRecord, batch_record};
/// For the answers of events: one job. For reads of orders: all jobs of several orders, by order, in one statement.
pub(crate) use job::{JobRecord, job_records, known_job_record};

/// For issues and tasks, which show the jobs and orders that they are linked to.
pub(crate) use job::record as job_of_view;
/// For the answers of events: one order.
pub(crate) use work_order::{OrderRead, OrderRecord, order_read, order_records};

use crate::operation::{Operation, Tag};

const TAG: Tag = Tag::Production;

pub fn operations() -> Vec<Operation> {
    [
        work_order::operations(),
        job::planning(),
        queue::assignments(),
        job::at_work(),
        queue::operations(),
        batch::operations(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
