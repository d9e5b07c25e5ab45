use std::collections::HashMap;

use domain::collection::Collection;
use domain::key::{JobKey, QueueKey, UserKey, WorkOrderKey, record_id, revision};
use domain::production::QueueKind;
use journal::effects::production::in_order;
use schemars::JsonSchema;
use serde::Serialize;
use store::production::queues::{Queue, Waiting};

/// The sequence in which orders or jobs wait.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Queue")]
pub(super) struct QueueRecord {
    _id: String,
    /// For an operator's queue, the key of the operator.
    pub(super) _key: QueueKey,
    /// Changes when the queue is written, not when work joins or leaves it.
    _rev: String,
    #[serde(rename = "type")]
    kind: QueueKind,
    site_key: String,
    /// Whose queue it is; null for the site's.
    subqueue_target_key: Option<UserKey>,
    /// For the site queue: all orders that are not closed.
    pub(super) work_orders: Vec<WorkOrderKey>,
    /// For an operator's queue: the open jobs assigned to that user.
    pub(super) jobs: Vec<JobKey>,
    /// Whether it has a sequence of its own, which the site queue does not affect.
    independent: bool,
}

/// An operator's queue; the jobs are passed in the sequence of the site queue.
pub(super) fn operator_record(queue: Queue, jobs: Vec<Waiting>) -> QueueRecord {
    let jobs = in_order(&queue, jobs);
    record(queue, Vec::new(), jobs)
}

pub(super) fn record(queue: Queue, work_orders: Vec<WorkOrderKey>, jobs: Vec<JobKey>) -> QueueRecord {
    QueueRecord {
        _id: record_id(Collection::Queue, &queue.key),
        _key: queue.key,
        _rev: revision(queue.rev),
        kind: queue.kind,
        site_key: queue.site_key,
        subqueue_target_key: queue.subqueue_target_key,
        work_orders,
        jobs,
        independent: queue.independent,
    }
}

/// Groups jobs by assignee, and the unassigned ones, keeping their sequence.
pub(super) fn by_operator(jobs: Vec<Waiting>) -> (HashMap<UserKey, Vec<Waiting>>, Vec<JobKey>) {
    let (mut assigned, mut nobodys) = (HashMap::<UserKey, Vec<Waiting>>::new(), Vec::new());
    for job in jobs {
        match &job.assigned_to {
            Some(user) => assigned.entry(user.clone()).or_default().push(job),
            None => nobodys.push(job.key),
        }
    }
    (assigned, nobodys)
}
