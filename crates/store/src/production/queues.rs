//! The order in which orders and jobs wait. A queue's own row has little to say: what waits follows from the orders and jobs that
//! are open, and their places say in which order. An operator's queue that is not independent has no order of its own; it is
//! read in that of the site queue.
//!
//! Whoever reorders holds the queue's row first and then the orders whose places change, or whose jobs' do.

use domain::collection::Collection;
use domain::key::{JobKey, QueueKey, UserKey, WorkOrderKey};
use domain::production::{Job, QueueKind};
use serde_json::{Value as Json, json};

use crate::columns::{self, Record, record};
use crate::lock::Rows;
use crate::organisation::accounts::HOME_SITE;
use crate::row::row_struct;
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct Queue in queue {
        pub key: QueueKey,
        pub rev: i64,
        pub kind: QueueKind as type,
        pub site_key: String,
        /// Whose it is; the site's own has none.
        pub subqueue_target_key: Option<UserKey>,
        /// It has an order of its own.
        pub independent: bool,
    }
    kept { type, site_key, subqueue_target_key }
}

impl Queue {
    /// That of an operator for whom none was stored yet.
    pub fn of_operator(user: UserKey) -> Self {
        Self {
            key: QueueKey::trusted(user.as_str()),
            rev: 1,
            kind: QueueKind::Operator,
            site_key: HOME_SITE.to_owned(),
            subqueue_target_key: Some(user),
            independent: false,
        }
    }
}

row_struct! {
    /// A job that waits.
    pub struct Waiting {
        pub key: JobKey,
        pub work_order_key: WorkOrderKey,
        pub assigned_to: Option<UserKey>,
        pub place: i64,
    }
}

/// The site's first.
pub async fn all(tx: &mut Tx) -> Result<Vec<Queue>> {
    Queue::select().all(tx, "type desc, key").await
}

/// The site's own, locked to the end of the transaction.
pub async fn hold_site(tx: &mut Tx) -> Result<Queue> {
    let found = Queue::select().filter("type = 's' and site_key = {}", HOME_SITE).locked(Rows::Queue).maybe(tx).await?;
    found.ok_or(crate::StoreError::RowCount(0))
}

/// That of an operator, if it was ever written.
pub async fn find(tx: &mut Tx, user: &UserKey) -> Result<Option<Queue>> {
    Queue::select().filter("type = 'o' and subqueue_target_key = {}", user).maybe(tx).await
}

/// That of an operator, made when absent and locked to the end of the transaction.
pub async fn hold(tx: &mut Tx, user: &UserKey) -> Result<Queue> {
    let made = Queue::of_operator(user.clone());
    // Another transaction may take the key first, or the operator: PostgreSQL looks at one index after the other.
    tx.run(
        sql!(
            "insert into queue (key, type, site_key, subqueue_target_key)
             values ($1, 'o', $2, $3)
             on conflict do nothing"
        ),
        &params![&made.key, &made.site_key, user],
    )
    .await?;
    let held =
        Queue::select().filter("type = 'o' and subqueue_target_key = {}", user).locked(Rows::Queue).maybe(tx).await?;
    held.ok_or(crate::StoreError::RowCount(0))
}

/// Its revision rises.
pub async fn save(tx: &mut Tx, queue: &mut Queue) -> Result<()> {
    queue.rev += 1;
    tx.changed(Collection::Queue, &queue.key);
    columns::update(tx, queue).await
}

/// No operator's queue has an order of its own any more.
pub async fn end_independence(tx: &mut Tx) -> Result<()> {
    let sql =
        sql!("update queue set independent = false, rev = rev + 1 where type = 'o' and independent returning key");
    let ended: Vec<QueueKey> = tx.all(sql, &[]).await?;
    ended.iter().for_each(|key| tx.changed(Collection::Queue, key));
    Ok(())
}

/// All orders that wait, in their order.
pub async fn orders(tx: &mut Tx) -> Result<Vec<WorkOrderKey>> {
    tx.all(sql!("select key from work_order where status <> 'closed' order by place, key"), &[]).await
}

/// All orders that wait, with their places, locked to the end of the transaction.
pub async fn hold_orders(tx: &mut Tx) -> Result<Vec<(WorkOrderKey, i64)>> {
    tx.all(
        sql!("select key, place from work_order where status <> 'closed' order by key {lock}").locked(Rows::Order),
        &[],
    )
    .await
}

pub async fn place_orders(tx: &mut Tx, places: &[(WorkOrderKey, i64)]) -> Result<()> {
    tx.run(
        sql!(
            "update work_order
             set place = cast(listed.place as {int})
             from {rows $1 key place}
             where work_order.key = cast(listed.key as {int})"
        ),
        &params![&rows(places.iter().map(|(key, place)| (key.0, *place)))],
    )
    .await
    .map(|_| ())
}

fn waiting() -> Query {
    Query::new(&format!(
        "select job.key, job.work_order_key, job.assigned_to, job.place
         from {}
         join work_order on work_order.key = job.work_order_key",
        Job::FROM
    ))
    .only("job.stage <> 'closed'")
}

const BY_SITE: &str = "work_order.place, work_order.key, order_phase.place, job.key";

/// All jobs that are open, in the order of the site queue.
pub async fn open_jobs(tx: &mut Tx) -> Result<Vec<Waiting>> {
    waiting().all(tx, BY_SITE).await
}

/// Those of one operator, in the order of the site queue.
pub async fn jobs_of(tx: &mut Tx, user: &UserKey) -> Result<Vec<Waiting>> {
    waiting().filter("job.assigned_to = {}", user).all(tx, BY_SITE).await
}

/// The open jobs of one operator, in the order of the site queue, with their orders locked to the end of the transaction.
pub async fn hold_jobs_of(tx: &mut Tx, user: &UserKey) -> Result<Vec<Waiting>> {
    let held: Vec<i64> = tx
        .all(
            sql!(
                "select key
                 from work_order
                 where key in (select work_order_key from job where assigned_to = $1 and stage <> 'closed')
                 order by key
                 {lock}"
            )
            .locked(Rows::Order),
            &params![user],
        )
        .await?;
    waiting().filter("job.assigned_to = {}", user).filter("job.work_order_key {in {}}", held).all(tx, BY_SITE).await
}

pub async fn place_jobs(tx: &mut Tx, places: &[(JobKey, i64)]) -> Result<()> {
    tx.run(
        sql!(
            "update job
             set place = cast(listed.place as {int})
             from {rows $1 key place}
             where job.key = cast(listed.key as {int})"
        ),
        &params![&rows(places.iter().map(|(key, place)| (key.0, *place)))],
    )
    .await
    .map(|_| ())
}

fn rows(places: impl Iterator<Item = (i64, i64)>) -> Json {
    places.map(|(key, place)| json!({ "key": key, "place": place })).collect()
}
