use domain::key::{JobKey, WorkOrderKey};
use serde_json::{Value, json};
use store::production::queues::Queue;

use crate::Result;
use crate::act::Act;
use crate::effects::production::queue::{OperatorQueue, SiteQueue};
use crate::event::{References, ServerEvent};

/// Moves the named orders to the front of the site queue; the others keep their sequence behind them.
pub async fn update_site_queue(
    act: &mut Act<'_>,
    queue: SiteQueue,
    named: Option<&[WorkOrderKey]>,
) -> Result<(Queue, Vec<WorkOrderKey>)> {
    let (queue, order) = queue.reorder(act, named).await?;
    add_event(act, json!({ "queue_key": queue.key, "work_orders": order }))?;
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
    add_event(act, json!({ "queue_key": queue.key, "jobs": order, "independent": queue.independent }))?;
    Ok((queue, order))
}

fn add_event(act: &mut Act<'_>, payload: Value) -> Result<()> {
    act.primary(ServerEvent::QueueUpdated.name(), payload, References::default()).map(|_| ())
}
