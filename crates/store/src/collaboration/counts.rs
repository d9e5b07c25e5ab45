//! How many issues there are about orders and jobs.

use std::collections::HashMap;

use domain::key::{JobKey, WorkOrderKey};

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// The issues about a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IssueCounts {
    pub total: i64,
    pub open: i64,
}

/// How many issues are about these orders; an order that is left out has none.
pub async fn of_orders(tx: &mut Tx, keys: &[i64]) -> Result<HashMap<WorkOrderKey, i64>> {
    let sql = sql!(
        "select record_id, count(*)
         from issue_rel
         where type = 'work_order' and record_id {in $1} and record_id is not null
         group by record_id"
    );
    Ok(tx.all::<(WorkOrderKey, i64)>(sql, &params![keys.to_vec()]).await?.into_iter().collect())
}

/// How many issues are about these jobs; a job that is left out has none.
pub async fn of_jobs(tx: &mut Tx, keys: &[i64]) -> Result<HashMap<JobKey, IssueCounts>> {
    let sql = sql!(
        "select issue_rel.record_id, count(*), count(case when issue.open then 1 end)
         from issue_rel
         join issue on issue.key = issue_rel.issue_key
         where issue_rel.type = 'job' and issue_rel.record_id {in $1} and issue_rel.record_id is not null
         group by issue_rel.record_id"
    );
    let rows: Vec<(JobKey, i64, i64)> = tx.all(sql, &params![keys.to_vec()]).await?;
    Ok(rows.into_iter().map(|(job, total, open)| (job, IssueCounts { total, open })).collect())
}
