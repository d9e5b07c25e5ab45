//! The issues about units and their orders, for the records of the units.

use domain::Timestamp;
use domain::key::{IssueKey, SerialKey, UserKey, WorkOrderKey};

use crate::row::row_struct;
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

row_struct! {
    /// An issue, with the unit or the order that it is about.
    pub struct AboutUnit {
        pub serial_key: Option<SerialKey>,
        pub wo_key: Option<WorkOrderKey>,
        pub issue_key: IssueKey,
        pub issue_type_name: Option<String>,
        pub title: Option<String>,
        pub critical: bool,
        pub open: bool,
        pub created: Timestamp,
        pub closed: Option<Timestamp>,
        pub closed_by: Option<UserKey>,
    }
}

/// The issues about these units and orders, one for each of them that it is about, the oldest first.
pub async fn of(tx: &mut Tx, serials: &[i64], orders: &[i64]) -> Result<Vec<AboutUnit>> {
    if serials.is_empty() && orders.is_empty() {
        return Ok(Vec::new());
    }
    let sql = sql!(
        "select about.serial_key, about.wo_key, issue.key, issue_type.name, issue.title, issue.critical, issue.open,
                issue.created, issue.closed, issue.closed_by
         from (
             select record_id as serial_key, cast(null as {int}) as wo_key, issue_key
             from issue_rel
             where type = 'serial' and record_id {in $1} and record_id is not null
             union all
             select cast(null as {int}), record_id, issue_key
             from issue_rel
             where type = 'work_order' and record_id {in $2} and record_id is not null
         ) as about
         join issue on issue.key = about.issue_key
         left join issue_type on issue_type.key = issue.issue_type_key
         order by issue.created, issue.key, about.serial_key is null, about.serial_key, about.wo_key"
    );
    tx.all(sql, &params![serials.to_vec(), orders.to_vec()]).await
}
