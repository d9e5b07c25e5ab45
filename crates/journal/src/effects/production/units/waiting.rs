//! Units that wait between phases, and are scrapped there.

use std::collections::BTreeMap;

use domain::Quantity;
use domain::key::{BatchKey, SerialKey, WorkOrderKey};
use store::StoreError;
use store::production::{batches, unit_wip};

use super::ids;
use crate::act::Act;
use crate::effects::production::floor::Floor;
use crate::effects::production::worth;
use crate::{Error, Result};

/// Locks the orders in which these units wait, and loads them. What an order makes is locked before its units.
pub(crate) async fn lock_orders(act: &mut Act<'_>, units: &[SerialKey]) -> Result<Vec<Floor>> {
    let mut floors = Vec::new();
    for order in unit_wip::orders_of(act.tx, &ids(units)).await? {
        floors.push(Floor::of_order(act, order).await?);
    }
    Ok(floors)
}

/// Takes scrapped units out of what waits: the batches and jobs that made them have passed less and scrapped more.
pub(crate) async fn take_out(act: &mut Act<'_>, mut floors: Vec<Floor>, units: &[SerialKey]) -> Result<()> {
    let mut of_batch: BTreeMap<(WorkOrderKey, BatchKey), usize> = BTreeMap::new();
    for (order, batch, _) in unit_wip::take_out(act.tx, &ids(units)).await? {
        *of_batch.entry((order, batch)).or_default() += 1;
    }
    for ((order, batch), units) in &of_batch {
        let floor = floors.iter_mut().find(|floor| floor.work.order.key == *order);
        // They came to wait after the orders were locked.
        let floor = floor.ok_or_else(|| StoreError::Stored("units began to wait meanwhile".to_owned()).run_again())?;
        let made = batches::find(act.tx, *batch).await?;
        let mut made = made.ok_or_else(|| Error::broken("the batch that made a unit is not there"))?;
        let quantity = Quantity::units(*units);
        made.qt_pass = made.qt_pass - quantity;
        made.qt_scrap = made.qt_scrap + quantity;
        batches::save(act.tx, &mut made).await?;
        let index = floor.work.index(made.job_key);
        let index = index.ok_or_else(|| Error::broken("the job that made a unit is not there"))?;
        floor.work.scrap_waiting(index, quantity);
    }
    worth::recalculate(act, of_batch.into_keys().map(|(_, batch)| batch).collect()).await?;
    for floor in floors {
        floor.finish(act).await?;
    }
    Ok(())
}
