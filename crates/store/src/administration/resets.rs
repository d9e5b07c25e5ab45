//! Emptying a site of what production left behind. Every area whose records a reset removes has its lines here.

use std::collections::BTreeMap;

use crate::attachments::files;
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
