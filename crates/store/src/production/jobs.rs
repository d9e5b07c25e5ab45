use domain::collection::Collection;
use domain::key::{JobKey, PhaseKey, UserKey, WorkOrderKey};
use domain::process::PhaseParameters;
use domain::production::Job;

use crate::columns::{self, Record, columns};
use crate::lock::Rows;
use crate::sql::{Sql, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

columns! {
    Job in job from "job
        join order_phase on order_phase.work_order_key = job.work_order_key and order_phase.phase_key = job.phase_key" {
        key,
        rev,
        work_order_key,
        phase_key,
        project_code,
        parameters,
        notes,
        extra,
        start_from,
        due_by,
        stage,
        active,
        close_reason,
        critical,
        started,
        ended,
        assigned_to,
        forced,
        qt_planned,
        qt_completed,
        qt_released,
        qt_scrap,
        active_batch_key,
        active_batch_qt,
        steps_done,
        progress,
        next_batch_available,
        last_work_session_started,
        last_online,
        place,
    }
    read {
        phase_place = "order_phase.place",
        step_count = "order_phase.step_count",
        unit_material_cost = "order_phase.unit_material_cost",
    }
    kept { work_order_key, phase_key, last_online }
}

pub async fn find(tx: &mut Tx, key: JobKey) -> Result<Option<Job>> {
    Job::select().filter("job.key = {}", key).maybe(tx).await
}

/// In the order of their phases, then of their making.
pub async fn of_order(tx: &mut Tx, order: WorkOrderKey) -> Result<Vec<Job>> {
    let (sql, params) = of_order_at("{}", order.0);
    tx.all(sql, &params).await
}

/// The statement for those of the order whose key this expression is.
pub(super) fn of_order_at(key: &str, value: i64) -> (Sql, Vec<Value>) {
    Job::select().filter(&format!("job.work_order_key = {key}"), value).ordered("order_phase.place, job.key")
}

/// The jobs of several orders: order by order, then in the order of their phases and of their making.
pub async fn of_orders(tx: &mut Tx, orders: &[i64]) -> Result<Vec<Job>> {
    let wanted = Job::select().filter("job.work_order_key {in {}}", orders.to_vec());
    wanted.all(tx, "job.work_order_key, order_phase.place, job.key").await
}

/// The orders of jobs.
pub async fn orders_of(tx: &mut Tx, jobs: Vec<i64>) -> Result<Vec<WorkOrderKey>> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    tx.all(sql!("select work_order_key from job where key {in $1}"), &params![jobs]).await
}

/// An active job of the same phase, of whichever order. Whoever asks holds the phase, so that two can't find none.
pub async fn other_active(tx: &mut Tx, job: &Job) -> Result<Option<JobKey>> {
    tx.all::<PhaseKey>(
        sql!("select key from phase where key = $1 {lock}").locked(Rows::Phase),
        &params![job.phase_key],
    )
    .await?;
    tx.maybe(
        sql!("select key from job where phase_key = $1 and active and key <> $2 order by key limit 1"),
        &params![job.phase_key, job.key],
    )
    .await
}

/// The jobs at which a user works, with what they allow besides. Whoever asks holds the user.
pub async fn worked_at_by(tx: &mut Tx, user: &UserKey) -> Result<Vec<(JobKey, PhaseParameters)>> {
    tx.all(
        sql!(
            "select job.key, job.parameters
             from work_session
             join job on job.key = work_session.job_key
             where work_session.user_key = $1 and work_session.active
             order by job.key"
        ),
        &params![user],
    )
    .await
}

pub async fn insert(tx: &mut Tx, job: &Job) -> Result<()> {
    insert_all(tx, std::slice::from_ref(job)).await
}

/// So many jobs go with one statement.
const AT_ONCE: usize = 1_000;

pub async fn insert_all(tx: &mut Tx, jobs: &[Job]) -> Result<()> {
    for some in jobs.chunks(AT_ONCE) {
        some.iter().for_each(|job| tx.changed(Collection::Job, job.key));
        columns::insert_all(tx, some).await?;
    }
    Ok(())
}

/// One that nothing was done for. Issues are no longer about it.
pub async fn delete(tx: &mut Tx, key: JobKey) -> Result<()> {
    tx.changed(Collection::Job, key);
    let about = sql!("delete from issue_rel where type = 'job' and record_id = $1 and record_id is not null");
    tx.run(about, &params![key]).await?;
    tx.run(sql!("delete from job where key = $1"), &params![key]).await.map(|_| ())
}

/// Stores what has changed of a job; its revision rises. A heartbeat that came since the job was read is not lost.
pub async fn save(tx: &mut Tx, before: &Job, job: &Job) -> Result<()> {
    tx.changed(Collection::Job, job.key);
    let mut update = columns::changes(before, job);
    if before.last_online != job.last_online {
        let later = "case when last_online > cast({} as {int}) then last_online else cast({} as {int}) end";
        update.set_as("last_online", later, job.last_online);
        update.set_to("heard", "(select time from listening)");
    }
    update.run_later(tx).await
}
