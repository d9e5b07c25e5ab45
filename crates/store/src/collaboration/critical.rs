//! Orders and jobs that somebody has to look after at once: an open, critical issue is about them.

use domain::collection::Collection;
use domain::key::{JobKey, WorkOrderKey};

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// Settles which of these orders are critical. They are locked.
pub async fn settle_orders(tx: &mut Tx, keys: &[i64]) -> Result<()> {
    let sql = sql!(
        "update work_order
         set critical = not critical, rev = rev + 1
         where key {in $1} and critical <> exists (
             select 1
             from issue_rel
             join issue on issue.key = issue_rel.issue_key
             where issue_rel.type = 'work_order' and issue_rel.record_id = work_order.key
             and issue_rel.record_id is not null and issue.open and issue.critical
         )
         returning key"
    );
    let settled: Vec<WorkOrderKey> = tx.all(sql, &params![keys.to_vec()]).await?;
    settled.iter().for_each(|key| tx.changed(Collection::WorkOrder, key));
    Ok(())
}

/// Settles which of these jobs are critical. Their orders are locked.
pub async fn settle_jobs(tx: &mut Tx, keys: &[i64]) -> Result<()> {
    let sql = sql!(
        "update job
         set critical = not critical, rev = rev + 1
         where key {in $1} and critical <> exists (
             select 1
             from issue_rel
             join issue on issue.key = issue_rel.issue_key
             where issue_rel.type = 'job' and issue_rel.record_id = job.key
             and issue_rel.record_id is not null and issue.open and issue.critical
         )
         returning key"
    );
    let settled: Vec<JobKey> = tx.all(sql, &params![keys.to_vec()]).await?;
    settled.iter().for_each(|key| tx.changed(Collection::Job, key));
    Ok(())
}
