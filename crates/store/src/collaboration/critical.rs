//! Orders and jobs that somebody has to look after at once: an open, critical issue is about them.

use std::collections::HashSet;

use domain::key::{JobKey, WorkOrderKey};

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// Those of these orders.
pub async fn orders(tx: &mut Tx, keys: &[i64]) -> Result<HashSet<WorkOrderKey>> {
    let sql = sql!(
        "select distinct issue_rel.record_id
         from issue_rel
         join issue on issue.key = issue_rel.issue_key
         where issue_rel.type = 'work_order' and issue_rel.record_id {in $1} and issue_rel.record_id is not null
         and issue.open and issue.critical"
    );
    Ok(tx.all::<WorkOrderKey>(sql, &params![keys.to_vec()]).await?.into_iter().collect())
}

/// Those of these jobs.
pub async fn jobs(tx: &mut Tx, keys: &[i64]) -> Result<HashSet<JobKey>> {
    let sql = sql!(
        "select distinct issue_rel.record_id
         from issue_rel
         join issue on issue.key = issue_rel.issue_key
         where issue_rel.type = 'job' and issue_rel.record_id {in $1} and issue_rel.record_id is not null
         and issue.open and issue.critical"
    );
    Ok(tx.all::<JobKey>(sql, &params![keys.to_vec()]).await?.into_iter().collect())
}
