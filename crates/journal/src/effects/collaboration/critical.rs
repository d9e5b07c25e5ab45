//! Orders and jobs are critical while an open critical issue is about them.

use std::collections::BTreeSet;

use domain::key::{JobKey, WorkOrderKey};
use domain::production::{Job, Order};
use store::Tx;
use store::collaboration::critical;
use store::production::{jobs, work_orders};

use crate::Result;
use crate::act::Act;

/// Settles whether these orders and jobs are critical, after issues about them have changed. The orders, and those of the jobs, are
/// locked.
pub(crate) async fn settle(act: &mut Act<'_>, orders: &BTreeSet<WorkOrderKey>, jobs: &BTreeSet<JobKey>) -> Result<()> {
    settle_orders(act.tx, orders).await?;
    settle_jobs(act.tx, jobs).await
}

async fn settle_orders(tx: &mut Tx, keys: &BTreeSet<WorkOrderKey>) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let pressed = critical::orders(tx, &keys.iter().map(|key| key.0).collect::<Vec<_>>()).await?;
    for key in keys {
        let critical = pressed.contains(key);
        if let Some(before) = work_orders::find(tx, *key).await?.filter(|order| order.critical != critical) {
            let mut order = Order { critical, ..before.clone() };
            work_orders::save(tx, &before, &mut order).await?;
        }
    }
    Ok(())
}

async fn settle_jobs(tx: &mut Tx, keys: &BTreeSet<JobKey>) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let pressed = critical::jobs(tx, &keys.iter().map(|key| key.0).collect::<Vec<_>>()).await?;
    for key in keys {
        let critical = pressed.contains(key);
        if let Some(before) = jobs::find(tx, *key).await?.filter(|job| job.critical != critical) {
            let job = Job { critical, ..before.clone() };
            jobs::save(tx, &before, &job).await?;
        }
    }
    Ok(())
}
