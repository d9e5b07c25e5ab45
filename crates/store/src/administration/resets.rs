//! Emptying a site of what production left behind. Every area whose records a reset removes has its lines here.

use std::collections::BTreeMap;

use domain::key::WorkOrderKey;

use crate::attachments::files;
use crate::entities;
use crate::sql::sql;
use crate::tags;
use crate::tx::Tx;
use crate::{Result, params};

/// How many records of each collection went.
pub type Removed = BTreeMap<&'static str, u64>;

/// Removes the records of production and traceability and leaves one empty site queue under the given key.
pub async fn production(tx: &mut Tx, queue_key: &str) -> Result<Removed> {
    let mut removed = Removed::new();
    let tagged = tags::clear(tx, "Serial").await? + tags::clear(tx, "WorkOrder").await?;
    removed.insert("has_tag", tagged);
    removed.insert("Queue", tx.run(sql!("delete from queue"), &[]).await?);
    for bucket in ["serial", "traceability", "issue"] {
        files::clear_bucket(tx, bucket).await?;
    }
    clean_site_queue(tx, queue_key).await?;
    Ok(removed)
}

pub async fn clean_site_queue(tx: &mut Tx, key: &str) -> Result<()> {
    tx.changed("Queue", key);
    tx.run(sql!("insert into queue (key, type, site_key) values ($1, 's', '0')"), &params![key]).await.map(|_| ())
}

/// Removes movements and stock of products. None of their collections exists before the warehouse does.
pub async fn inventory(_: &mut Tx) -> Result<Removed> {
    Ok(Removed::new())
}

/// Removes a work order with everything that hangs on it; none when it is not there. Without the production area there is no
/// work order yet, but files and tags of one would be found here.
pub async fn work_order(tx: &mut Tx, key: WorkOrderKey) -> Result<Option<Removed>> {
    if !entities::hold(tx, "WorkOrder", &key.to_string()).await? {
        return Ok(None);
    }
    let mut removed = Removed::new();
    removed.insert("has_tag", tags::clear_record(tx, "WorkOrder", &key.to_string()).await?);
    files::clear_record(tx, "traceability", &key.to_string()).await?;
    tx.changed("WorkOrder", key);
    Ok(Some(removed))
}
