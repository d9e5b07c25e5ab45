use domain::key::UserKey;
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use store::organisation::accounts::HOME_SITE;
use store::production::job_views;
use store::production::queues::{self, Queue};
use store::production::work_orders;

use super::super::job::{JobRecord, record as job_record};
use super::super::work_order::{OrderRead, order_reads};
use super::wire::{QueueRecord, by_operator, operator_record, record};
use super::{OperatorPath, SitePath, must_be_there};
use crate::cx::Cx;
use crate::input::{Paging, Path};
use crate::reply::{Envelope, EnvelopeList, Listed, envelope, envelope_list};
use crate::{ApiError, Result};

pub(super) async fn list(cx: Cx, Paging(page): Paging<10_000>) -> Result<EnvelopeList<QueueRecord>> {
    let read = async move |tx: &mut Tx| {
        let (mut stored, orders) = (queues::all(tx).await?, queues::orders(tx).await?);
        let (mut jobs, _) = by_operator(queues::open_jobs(tx).await?);
        let known: Vec<UserKey> = stored.iter().filter_map(|queue| queue.subqueue_target_key.clone()).collect();
        // A queue that was never written exists nevertheless once jobs wait in it.
        let mut more: Vec<Queue> =
            jobs.keys().filter(|user| !known.contains(user)).cloned().map(Queue::of_operator).collect();
        stored.append(&mut more);
        stored.sort_by(|one, other| {
            let place = |queue: &Queue| (queue.subqueue_target_key.is_some(), queue.key.clone());
            place(one).cmp(&place(other))
        });
        let mut orders = Some(orders);
        let shown = |queue: Queue| match &queue.subqueue_target_key {
            None => record(queue, orders.take().unwrap_or_default(), Vec::new()),
            Some(user) => {
                let waiting = jobs.remove(user).unwrap_or_default();
                operator_record(queue, waiting)
            }
        };
        Ok::<_, ApiError>(stored.into_iter().map(shown).collect::<Vec<QueueRecord>>())
    };
    let Listed { rows, total } = Listed::page(cx.db.read_long(read).await?, &page);
    envelope_list("Queues listed.", rows, total)
}

pub(super) async fn site(
    cx: Cx,
    Path(path): Path<SitePath>,
    Paging(page): Paging<10_000>,
) -> Result<EnvelopeList<OrderRead>> {
    let now = cx.now();
    let read = async move |tx: &mut Tx| {
        if path.site_key != HOME_SITE {
            return Err(ApiError::not_found("The site was"));
        }
        let found = work_orders::waiting(tx, &page).await?;
        Ok((order_reads(tx, found.rows, now).await?, found.total))
    };
    let (orders, total) = cx.db.read_long(read).await?;
    envelope_list("Orders of the site queue listed.", orders, total)
}

/// An operator's queue with the jobs in it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OperatorQueue")]
pub(super) struct OperatorQueue {
    #[serde(flatten)]
    queue: QueueRecord,
    /// In order.
    job_data: Vec<JobRecord>,
}

pub(super) async fn operator(cx: Cx, Path(path): Path<OperatorPath>) -> Result<Envelope<OperatorQueue>> {
    let now = cx.now();
    let read = async move |tx: &mut Tx| {
        must_be_there(tx, &path.operator_key).await?;
        let stored = queues::find(tx, &path.operator_key).await?;
        let jobs = queues::jobs_of(tx, &path.operator_key).await?;
        let queue = operator_record(stored.unwrap_or_else(|| Queue::of_operator(path.operator_key)), jobs);
        let jobs = job_views::in_order(tx, queue.jobs.clone()).await?;
        let job_data = jobs.into_iter().map(|job| job_record(job, now)).collect();
        envelope("Operator's queue found.", OperatorQueue { queue, job_data })
    };
    cx.db.read_long(read).await
}
