//! Emptying a site of what production left behind. Every area whose records a reset removes has its lines here.

use std::collections::BTreeMap;

use domain::key::{WorkOrderKey, id_to_text, record_id};

use crate::attachments::{files, media_files};
use crate::lock::Lock;
use crate::production::work_orders;
use crate::sql::{Sql, sql};
use crate::tags;
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

/// How many records of each collection went.
pub type Removed = BTreeMap<&'static str, u64>;

/// Removes the records of production and traceability and leaves one empty site queue under the given key. Events are removed by
/// those who seal them, in the same transaction.
pub async fn production(tx: &mut Tx, queue_key: &str) -> Result<Removed> {
    tx.lock(Lock::Gate).await?;
    let mut removed = Removed::new();
    // Each before those that it refers to.
    let tables = [
        ("wip", sql!("delete from wip")),
        ("StepExecutionData", sql!("delete from step_execution")),
        ("WorkSession", sql!("delete from work_session")),
        ("Batch", sql!("delete from batch")),
        ("Job", sql!("delete from job")),
        ("", sql!("delete from order_phase")),
        ("", sql!("delete from work_order_bom")),
        ("WorkOrder", sql!("delete from work_order")),
    ];
    for (collection, delete) in tables {
        clear(tx, &mut removed, collection, delete, &[]).await?;
    }
    let tagged = tags::clear(tx, "Serial").await? + tags::clear(tx, "WorkOrder").await?;
    removed.insert("has_tag", tagged);
    let queues: Vec<String> = tx.all(sql!("delete from queue returning key"), &[]).await?;
    queues.iter().for_each(|key| tx.changed("Queue", key));
    removed.insert("Queue", queues.len() as u64);
    for bucket in ["serial", "traceability", "issue"] {
        files::clear_bucket(tx, bucket).await?;
    }
    for collection in ["WorkOrder", "Job", "Batch", "StepExecutionData", "Serial", "Issue", "message"] {
        media_files::unlink_collection(tx, collection).await?;
    }
    clean_site_queue(tx, queue_key).await?;
    Ok(removed)
}

/// Runs a delete; rows of a table without a collection of its own are parts of other records.
async fn clear(
    tx: &mut Tx,
    removed: &mut Removed,
    collection: &'static str,
    delete: Sql,
    params: &[Value],
) -> Result<()> {
    let count = tx.run(delete, params).await?;
    if !collection.is_empty() {
        tx.changed_unnamed(count);
        removed.insert(collection, count);
    }
    Ok(())
}

pub async fn clean_site_queue(tx: &mut Tx, key: &str) -> Result<()> {
    tx.changed("Queue", key);
    tx.run(sql!("insert into queue (key, type, site_key) values ($1, 's', '0')"), &params![key]).await.map(|_| ())
}

/// Removes movements and stock of products. None of their collections exists before the warehouse does.
pub async fn inventory(_: &mut Tx) -> Result<Removed> {
    Ok(Removed::new())
}

/// Removes a work order with everything that hangs on it but its events; none when it is not there.
pub async fn work_order(tx: &mut Tx, key: WorkOrderKey) -> Result<Option<Removed>> {
    tx.lock(Lock::Gate).await?;
    if work_orders::lock(tx, key).await?.is_none() {
        return Ok(None);
    }
    let mut removed = Removed::new();
    unlink_parts(tx, key).await?;
    let tables = [
        ("wip", sql!("delete from wip where work_order_key = $1")),
        (
            "StepExecutionData",
            sql!("delete from step_execution where job_key in (select key from job where work_order_key = $1)"),
        ),
        ("WorkSession", sql!("delete from work_session where work_order_key = $1")),
        ("Batch", sql!("delete from batch where work_order_key = $1")),
        ("Job", sql!("delete from job where work_order_key = $1")),
        ("", sql!("delete from order_phase where work_order_key = $1")),
        ("", sql!("delete from work_order_bom where work_order_key = $1")),
    ];
    for (collection, delete) in tables {
        clear(tx, &mut removed, collection, delete, &params![key]).await?;
    }
    tx.run(sql!("delete from work_order where key = $1"), &params![key]).await?;
    tx.changed("WorkOrder", key);
    removed.insert("WorkOrder", 1);
    removed.insert("has_tag", tags::clear_record(tx, "WorkOrder", &key.to_string()).await?);
    files::clear_record(tx, "traceability", &key.to_string()).await?;
    Ok(Some(removed))
}

/// Takes away the links to files of a work order and of what hangs on it.
async fn unlink_parts(tx: &mut Tx, key: WorkOrderKey) -> Result<()> {
    let mut ids = vec![record_id("WorkOrder", key)];
    let parts = [
        ("Job", sql!("select key from job where work_order_key = $1")),
        ("Batch", sql!("select key from batch where work_order_key = $1")),
        (
            "StepExecutionData",
            sql!("select key from step_execution where job_key in (select key from job where work_order_key = $1)"),
        ),
    ];
    for (collection, select) in parts {
        let keys: Vec<i64> = tx.all(select, &params![key]).await?;
        ids.extend(keys.into_iter().map(|key| record_id(collection, id_to_text(key))));
    }
    media_files::unlink(tx, &ids).await
}
