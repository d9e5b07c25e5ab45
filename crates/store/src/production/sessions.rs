use domain::collection::Collection;
use domain::key::{
    BatchKey, EventKey, JobKey, PhaseKey, ProductKey, TaskKey, UserKey, UserSessionKey, WorkOrderKey, WorkSessionKey,
};
use domain::{Quantity, Timestamp};

use super::work_orders;
use crate::columns::{self, Record, record};
use crate::row::{FromRow, Row};
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

record! {
    /// Some time of one user at a job.
    pub struct WorkSession in work_session {
        pub key: WorkSessionKey,
        pub rev: i64,
        pub user_session_key: Option<UserSessionKey>,
        pub batch_key: Option<BatchKey>,
        pub job_key: Option<JobKey>,
        pub phase_key: Option<PhaseKey>,
        pub work_order_key: Option<WorkOrderKey>,
        pub task_key: Option<TaskKey>,
        pub user_key: UserKey,
        pub started: Timestamp,
        pub ended: Option<Timestamp>,
        /// In milliseconds.
        pub duration: Option<i64>,
        pub active: bool,
        /// Of the user when it began.
        pub hourly_cost: Quantity,
        pub canceled: Option<EventKey>,
        pub forced: Option<EventKey>,
    }
    derived {
        number: Option<JobKey> = |session| session.job_key,
            in "(select coalesce(max(number), 0) + 1 from work_session where job_key = {})";
    }
    kept {
        user_session_key, batch_key, job_key, phase_key, work_order_key, task_key, user_key, started, hourly_cost, forced,
        number,
    }
}

/// The running one of a job.
pub async fn active_of(tx: &mut Tx, job: JobKey) -> Result<Option<WorkSession>> {
    WorkSession::select().filter("job_key = {} and active", job).maybe(tx).await
}

/// The one of a job that was started last, with the product that it makes.
pub async fn last_of(tx: &mut Tx, job: JobKey) -> Result<Option<(WorkSession, Option<ProductKey>)>> {
    let key = "key = (select last_work_session_started from job where job.key = {})";
    let Some(session) = WorkSession::select().filter(key, job).maybe::<WorkSession>(tx).await? else { return Ok(None) };
    let product = match session.work_order_key {
        Some(order) => Some(work_orders::product_of(tx, order).await?),
        None => None,
    };
    Ok(Some((session, product)))
}

pub async fn find(tx: &mut Tx, key: WorkSessionKey) -> Result<Option<WorkSession>> {
    WorkSession::select().filter("key = {}", key).maybe(tx).await
}

/// Those of a batch that count.
pub async fn of_batch(tx: &mut Tx, batch: BatchKey) -> Result<Vec<WorkSession>> {
    WorkSession::select().filter("batch_key = {} and canceled is null", batch).all(tx, "number").await
}

/// Those of some batches that count.
pub async fn of_batches(tx: &mut Tx, batches: &[i64]) -> Result<Vec<WorkSession>> {
    WorkSession::select().filter("batch_key {in {}} and canceled is null", batches.to_vec()).all(tx, "number").await
}

/// Those of a job that count.
pub async fn of_job(tx: &mut Tx, job: JobKey) -> Result<Vec<WorkSession>> {
    WorkSession::select().filter("job_key = {} and canceled is null", job).all(tx, "number").await
}

/// How long was worked for an order at one rate.
#[derive(Debug, Clone)]
pub struct Worked {
    pub work_order_key: WorkOrderKey,
    pub hourly_cost: Quantity,
    /// In milliseconds.
    pub duration: i128,
}

impl FromRow for Worked {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { work_order_key: row.column()?, hourly_cost: row.column()?, duration: row.sum()? })
    }
}

/// The time of these orders by what an hour of it costs; running sessions count up to now.
pub async fn worked_for(tx: &mut Tx, orders: &[i64], now: Timestamp) -> Result<Vec<Worked>> {
    tx.all(
        sql!(
            "select work_order_key, hourly_cost,
                    cast(sum(millis / 1000000) as {int}), cast(sum(millis % 1000000) as {int})
             from (
                 select work_order_key, hourly_cost,
                        case when duration is not null then duration when started < $2 then $2 - started else 0 end as millis
                 from work_session
                 where work_order_key {in $1} and canceled is null
             ) as spent
             group by work_order_key, hourly_cost"
        ),
        &params![orders.to_vec(), now],
    )
    .await
}

/// How many milliseconds were spent at a job, the running session counted up to now.
pub async fn time_of(tx: &mut Tx, job: JobKey, now: Timestamp) -> Result<i128> {
    let spent: Spent = tx
        .one(
            sql!(
                "select cast(sum(millis / 1000000) as {int}), cast(sum(millis % 1000000) as {int})
                 from (
                     select case when not active then duration when started < $2 then $2 - started else 0 end as millis
                     from work_session
                     where job_key = $1 and canceled is null
                 ) as spent"
            ),
            &params![job, now],
        )
        .await?;
    Ok(spent.0)
}

struct Spent(i128);

impl FromRow for Spent {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        row.sum().map(Self)
    }
}

/// The one of a job that began last, of those that count.
pub async fn newest_of(tx: &mut Tx, job: JobKey) -> Result<Option<WorkSessionKey>> {
    let sql = sql!("select key from work_session where job_key = $1 and canceled is null order by number desc limit 1");
    tx.maybe(sql, &params![job]).await
}

/// The time of a batch that still counts is that of another one that replaces it.
pub async fn hand_over(tx: &mut Tx, from: BatchKey, to: BatchKey) -> Result<()> {
    let sql = sql!(
        "update work_session set batch_key = $2, rev = rev + 1 where batch_key = $1 and canceled is null returning key"
    );
    let moved: Vec<WorkSessionKey> = tx.all(sql, &params![from, to]).await?;
    moved.iter().for_each(|key| tx.changed(Collection::WorkSession, key));
    Ok(())
}

/// The time of a job's batches that were taken back is that of another one; the batches may be gone, what was worked at them not.
pub async fn adopt(tx: &mut Tx, job: JobKey, to: BatchKey) -> Result<()> {
    let canceled = sql!("select key from batch where job_key = $1 and canceled is not null");
    let canceled: Vec<i64> = tx.all(canceled, &params![job]).await?;
    if canceled.is_empty() {
        return Ok(());
    }
    let sql = sql!(
        "update work_session
         set batch_key = $2, rev = rev + 1
         where batch_key {in $1} and canceled is null
         returning key"
    );
    let moved: Vec<WorkSessionKey> = tx.all(sql, &params![canceled, to]).await?;
    moved.iter().for_each(|key| tx.changed(Collection::WorkSession, key));
    Ok(())
}

/// Stores a new one under the next number of its job; whoever makes sessions holds the order.
pub async fn insert(tx: &mut Tx, session: &WorkSession) -> Result<()> {
    tx.changed(Collection::WorkSession, session.key);
    columns::insert_later(tx, session).await
}

/// Stores what may change of a session; its revision rises.
pub async fn save(tx: &mut Tx, session: &mut WorkSession) -> Result<()> {
    session.rev += 1;
    tx.changed(Collection::WorkSession, session.key);
    columns::update_later(tx, session).await
}
