use domain::key::{JobKey, WorkOrderKey};
use store::production::queues::Queue;

use crate::Result;
use crate::act::Act;
use crate::effects::production::queue::{OperatorQueue, SiteQueue};
use crate::event::ServerEvent;
use crate::event::made::production::QueueUpdated;

/// Moves the named orders to the front of the site queue; the others keep their sequence behind them.
pub async fn update_site_queue(
    act: &mut Act<'_>,
    queue: SiteQueue,
    named: Option<&[WorkOrderKey]>,
) -> Result<(Queue, Vec<WorkOrderKey>)> {
    let (queue, order) = queue.reorder(act, named).await?;
    let (queue_key, work_orders) = (queue.key.clone(), Some(order.clone()));
    add_event(act, &QueueUpdated { queue_key, work_orders, jobs: None, independent: None })?;
    Ok((queue, order))
}

/// Gives an operator's queue a sequence of its own, or takes it away.
pub async fn update_operator_queue(
    act: &mut Act<'_>,
    queue: OperatorQueue,
    named: Option<&[JobKey]>,
    independent: Option<bool>,
) -> Result<(Queue, Vec<JobKey>)> {
    let (queue, order) = queue.reorder(act, named, independent).await?;
    let (queue_key, jobs) = (queue.key.clone(), Some(order.clone()));
    add_event(act, &QueueUpdated { queue_key, work_orders: None, jobs, independent: Some(queue.independent) })?;
    Ok((queue, order))
}

fn add_event(act: &mut Act<'_>, payload: &QueueUpdated) -> Result<()> {
    act.make(ServerEvent::QueueUpdated.name(), payload).map(|_| ())
}
