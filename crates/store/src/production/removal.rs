//! Orders that go, with all that hangs on them.

use std::collections::BTreeMap;

use domain::collaboration::{Recipient, TaskTarget};
use domain::collection::Collection;
use domain::key::{WorkOrderKey, id_to_text, record_id};

use crate::attachments::{files, media_files};
use crate::collaboration::{messages, task_links};
use crate::sql::{Sql, sql};
use crate::tags;
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

/// How many records of each collection went.
pub type Removed = BTreeMap<&'static str, u64>;

/// Removes an order that is locked, and everything of it but its events.
pub async fn remove(tx: &mut Tx, key: WorkOrderKey) -> Result<Removed> {
    let mut removed = Removed::new();
    tx.changed(Collection::WorkOrder, key);
    unlink_parts(tx, key).await?;
    let tables = [
        (
            Some(Collection::IssueRel),
            sql!(
                "delete from issue_rel
                 where record_id is not null
                 and (
                     (type = 'work_order' and record_id = $1)
                     or (type = 'job' and record_id in (select key from job where work_order_key = $1))
                 )"
            ),
        ),
        (Some(Collection::Wip), sql!("delete from wip where work_order_key = $1")),
        (
            Some(Collection::BatchSerial),
            sql!("delete from batch_serial where batch_key in (select key from batch where work_order_key = $1)"),
        ),
        (
            Some(Collection::Contains),
            sql!(
                "delete from serial_link
                 where wo_key = $1 or parent_batch_key in (select key from batch where work_order_key = $1)"
            ),
        ),
        (
            Some(Collection::StepExecutionData),
            sql!("delete from step_execution where job_key in (select key from job where work_order_key = $1)"),
        ),
        (Some(Collection::WorkSession), sql!("delete from work_session where work_order_key = $1")),
        (Some(Collection::Batch), sql!("delete from batch where work_order_key = $1")),
        (Some(Collection::Job), sql!("delete from job where work_order_key = $1")),
        (None, sql!("delete from order_phase where work_order_key = $1")),
        (None, sql!("delete from work_order_bom where work_order_key = $1")),
    ];
    for (collection, delete) in tables {
        clear(tx, &mut removed, collection, delete, &params![key]).await?;
    }
    // Units stay, without their order.
    let units = sql!("update serial set wo_key = null, rev = rev + 1 where wo_key = $1 returning key");
    let units: Vec<i64> = tx.all(units, &params![key]).await?;
    units.into_iter().for_each(|unit| tx.changed(Collection::Serial, id_to_text(unit)));
    tx.run(sql!("delete from work_order where key = $1"), &params![key]).await?;
    removed.insert(Collection::WorkOrder.name(), 1);
    removed.insert(Collection::TaskRel.name(), task_links::let_go(tx, &TaskTarget::WorkOrder(key)).await?);
    removed.insert(Collection::Message.name(), messages::clear(tx, &[Recipient::WorkOrder(key)]).await?);
    removed.insert("has_tag", tags::clear_record(tx, Collection::WorkOrder, &key.to_string()).await?);
    files::clear_record(tx, "traceability", &key.to_string()).await?;
    Ok(removed)
}

/// Runs a delete; rows of a table without a collection of its own are parts of other records.
pub(crate) async fn clear(
    tx: &mut Tx,
    removed: &mut Removed,
    collection: Option<Collection>,
    delete: Sql,
    params: &[Value],
) -> Result<()> {
    let count = tx.run(delete, params).await?;
    if let Some(collection) = collection {
        tx.changed_unnamed(count.saturating_sub(tx.notes().known_of(collection)));
        removed.insert(collection.name(), count);
    }
    Ok(())
}

/// Takes away the links to files of a work order and of what hangs on it, and the files that nothing else links to.
async fn unlink_parts(tx: &mut Tx, key: WorkOrderKey) -> Result<()> {
    let mut ids = vec![record_id(Collection::WorkOrder, key)];
    let parts = [
        (Collection::Job, sql!("select key from job where work_order_key = $1")),
        (Collection::Batch, sql!("select key from batch where work_order_key = $1")),
        (
            Collection::StepExecutionData,
            sql!("select key from step_execution where job_key in (select key from job where work_order_key = $1)"),
        ),
    ];
    for (collection, select) in parts {
        let keys: Vec<i64> = tx.all(select, &params![key]).await?;
        keys.iter().for_each(|key| tx.changed(collection, id_to_text(*key)));
        ids.extend(keys.into_iter().map(|key| record_id(collection, id_to_text(key))));
    }
    media_files::let_go(tx, &ids).await
}
