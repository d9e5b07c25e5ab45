//! Emptying a site of what production left behind. Every area whose records a reset removes has its lines here.

use domain::Timestamp;
use domain::collection::Collection;
use domain::counting::CountSession;
use domain::key::{WorkOrderKey, id_to_text};
use domain::warehouse::movement::ListStatus;

use crate::attachments::{files, media_files};
use crate::counting::{assignments, sessions};
use crate::lock::Lock;
use crate::notes::NAMED;
use crate::production::removal::{self, clear};
use crate::production::work_orders;
use crate::sql::sql;
use crate::tags;
use crate::tx::Tx;
use crate::warehouse::movement_lists::{self, MovementList};
use crate::warehouse::movements;
use crate::{Result, params};

pub use crate::production::removal::Removed;

/// Removes the records of production and traceability and leaves one empty site queue under the given key. Events are removed by
/// those who seal them, in the same transaction.
pub async fn production(tx: &mut Tx, queue_key: &str, now: Timestamp) -> Result<Removed> {
    tx.lock(Lock::Bulk).await?;
    tx.lock(Lock::Gate).await?;
    let mut removed = Removed::new();
    name_some(tx).await?;
    for session in stop_counting(tx).await?.canceled {
        close_adjustments(tx, &session, now).await?;
    }
    let lists = movement_lists::not_closed_with_serials(tx).await?;
    // Each before those that it refers to.
    let tables = [
        (Some(Collection::TaskRel), sql!("delete from task_rel where type in ('issue', 'work_order', 'serial')")),
        (Some(Collection::IssueRel), sql!("delete from issue_rel")),
        (None, sql!("delete from issue_value")),
        (Some(Collection::Issue), sql!("delete from issue")),
        (Some(Collection::Message), sql!("delete from message")),
        (Some(Collection::Wip), sql!("delete from wip")),
        (Some(Collection::BatchSerial), sql!("delete from batch_serial")),
        (Some(Collection::Contains), sql!("delete from serial_link")),
        (Some(Collection::IsInPosition), sql!("delete from stock where serial_key is not null")),
        (Some(Collection::Movement), sql!("delete from movement where serial_key is not null")),
        (None, sql!("delete from serial_value")),
        (Some(Collection::Serial), sql!("delete from serial")),
        (Some(Collection::StepExecutionData), sql!("delete from step_execution")),
        (Some(Collection::WorkSession), sql!("delete from work_session")),
        (Some(Collection::Batch), sql!("delete from batch")),
        (Some(Collection::Job), sql!("delete from job")),
        (None, sql!("delete from order_phase")),
        (None, sql!("delete from work_order_bom")),
        (Some(Collection::WorkOrder), sql!("delete from work_order")),
    ];
    for (collection, delete) in tables {
        clear(tx, &mut removed, collection, delete, &[]).await?;
    }
    movement_lists::set_states(tx, &lists).await?;
    let tagged = tags::clear(tx, Collection::Serial).await? + tags::clear(tx, Collection::WorkOrder).await?;
    removed.insert("has_tag", tagged);
    let queues: Vec<String> = tx.all(sql!("delete from queue returning key"), &[]).await?;
    queues.iter().for_each(|key| tx.changed(Collection::Queue, key));
    removed.insert(Collection::Queue.name(), queues.len() as u64);
    for bucket in ["serial", "traceability", "issue"] {
        files::clear_bucket(tx, bucket).await?;
    }
    let linking = [
        Collection::WorkOrder,
        Collection::Job,
        Collection::Batch,
        Collection::StepExecutionData,
        Collection::Serial,
        Collection::Issue,
        Collection::Message,
    ];
    for collection in linking {
        media_files::let_go_collection(tx, collection).await?;
    }
    clean_site_queue(tx, queue_key).await?;
    Ok(removed)
}

/// Names those of the records that will go by which people look for them; of more than the audit log names, the first.
async fn name_some(tx: &mut Tx) -> Result<()> {
    let collections = [
        (Collection::WorkOrder, sql!("select key from work_order order by key limit $1")),
        (Collection::Job, sql!("select key from job order by key limit $1")),
        (Collection::Batch, sql!("select key from batch order by key limit $1")),
        (Collection::Serial, sql!("select key from serial order by key limit $1")),
        (Collection::Issue, sql!("select key from issue order by key limit $1")),
    ];
    for (collection, select) in collections {
        let keys: Vec<i64> = tx.all(select, &params![NAMED]).await?;
        keys.into_iter().for_each(|key| tx.changed(collection, id_to_text(key)));
    }
    Ok(())
}

/// Names the lists that will go; of more than the audit log names, the first.
async fn name_lists(tx: &mut Tx) -> Result<()> {
    let keys: Vec<i64> = tx.all(sql!("select key from movement_list order by key limit $1"), &params![NAMED]).await?;
    keys.into_iter().for_each(|key| tx.changed(Collection::MovementList, id_to_text(key)));
    Ok(())
}

pub async fn clean_site_queue(tx: &mut Tx, key: &str) -> Result<()> {
    tx.changed(Collection::Queue, key);
    tx.run(sql!("insert into queue (key, type, site_key) values ($1, 's', '0')"), &params![key]).await.map(|_| ())
}

/// What was being counted.
struct Stopped {
    canceled: Vec<CountSession>,
    /// How many records of counts were not completed.
    open: u64,
}

/// Counts that were under way are over: their sessions are canceled, and nothing is marked any more.
async fn stop_counting(tx: &mut Tx) -> Result<Stopped> {
    let canceled = sessions::cancel_all(tx).await?;
    for session in &canceled {
        assignments::end_open(tx, session.key, None).await?;
    }
    let serials =
        sql!("delete from count_serial where record_key in (select key from count_record where status = 'started')");
    tx.run(serials, &[]).await?;
    let open = tx.run(sql!("delete from count_record where status = 'started'"), &[]).await?;
    tx.changed_unnamed(open);
    let marks = sql!(
        "update stock_pair
         set counting = false, count_by = null, locked = false, locked_by = null
         where counting or locked"
    );
    tx.run(marks, &[]).await?;
    Ok(Stopped { canceled, open })
}

/// Closes the list of a session that was canceled while it corrected stock.
async fn close_adjustments(tx: &mut Tx, session: &CountSession, now: Timestamp) -> Result<()> {
    let Some(key) = session.adjustment_list_key else { return Ok(()) };
    let open = |list: &MovementList| matches!(list.status, ListStatus::Planned | ListStatus::Started);
    let Some(mut list) = movement_lists::lock(tx, key).await?.filter(open) else { return Ok(()) };
    movements::cancel_planned(tx, key, now).await?;
    let completed = movements::tally(tx, key).await?.completed;
    let status = if completed { ListStatus::Completed } else { ListStatus::Canceled };
    movement_lists::close(tx, &mut list, status, now).await
}

/// Removes movements, their lists and the stock of products. Positions and their tree stay, and so does what was counted;
/// sessions that are not over are canceled.
pub async fn inventory(tx: &mut Tx) -> Result<Removed> {
    tx.lock(Lock::Bulk).await?;
    tx.lock(Lock::Gate).await?;
    let mut removed = Removed::new();
    name_lists(tx).await?;
    removed.insert(Collection::CountRecord.name(), stop_counting(tx).await?.open);
    let forget = sql!("update count_session set adjustment_list_key = null where adjustment_list_key is not null");
    tx.run(forget, &[]).await?;
    clear(tx, &mut removed, Some(Collection::Movement), sql!("delete from movement"), &[]).await?;
    clear(tx, &mut removed, Some(Collection::MovementList), sql!("delete from movement_list"), &[]).await?;
    // Links that took their component out of stock forget by which movement.
    tx.run(sql!("update serial_link set movement_key = null where movement_key is not null"), &[]).await?;
    clear(tx, &mut removed, Some(Collection::IsInPosition), sql!("delete from stock"), &[]).await?;
    clear(tx, &mut removed, None, sql!("delete from stock_pair"), &[]).await?;
    Ok(removed)
}

/// Removes a work order with everything that hangs on it but its events; none when it is not there.
pub async fn work_order(tx: &mut Tx, key: WorkOrderKey) -> Result<Option<Removed>> {
    tx.lock(Lock::Bulk).await?;
    tx.lock(Lock::Gate).await?;
    if work_orders::lock(tx, key).await?.is_none() {
        return Ok(None);
    }
    Ok(Some(removal::remove(tx, key).await?))
}
