use domain::ErrorData;
use domain::production::{Order, Stage};
use store::production::removal;

use crate::act::Act;
use crate::effects::production::floor::order_concerns;
use crate::event::ServerEvent;
use crate::event::made::production::WorkOrderDeleted;
use crate::event::planned::WorkOrderDeletedChanges;
use crate::{Error, Result};

/// Deletes a locked order, as long as nothing of it was started.
pub async fn delete_order(act: &mut Act<'_>, order: &Order) -> Result<()> {
    if order.status != Stage::Created {
        let data = Box::new(ErrorData { status: Some(order.status), ..ErrorData::default() });
        return Err(Error::Forbidden { message: "The order was started: it can't be deleted.".into(), data });
    }
    let changes = WorkOrderDeletedChanges { wo_code: order.wo_code.clone() };
    act.make(ServerEvent::WorkOrderDeleted.name(), &WorkOrderDeleted { work_order_key: order.key, changes })?;
    act.concern(order_concerns(order)).await?;
    removal::remove(act.tx, order.key).await?;
    Ok(())
}
