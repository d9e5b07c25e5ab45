//! Orders and jobs are critical while an open critical issue is about them.

use std::collections::BTreeSet;

use domain::key::{JobKey, WorkOrderKey};
use store::collaboration::critical;

use crate::Result;
use crate::act::Act;

/// Settles whether these orders and jobs are critical, after issues about them have changed. The orders, and those of the jobs, are
/// locked.
pub(crate) async fn settle(act: &mut Act<'_>, orders: &BTreeSet<WorkOrderKey>, jobs: &BTreeSet<JobKey>) -> Result<()> {
    if !orders.is_empty() {
        critical::settle_orders(act.tx, &orders.iter().map(|key| key.0).collect::<Vec<_>>()).await?;
    }
    if !jobs.is_empty() {
        critical::settle_jobs(act.tx, &jobs.iter().map(|key| key.0).collect::<Vec<_>>()).await?;
    }
    Ok(())
}
