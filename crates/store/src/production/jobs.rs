use domain::Timestamp;
use domain::collection::Collection;
use domain::key::{JobKey, PhaseKey, UserKey, WorkOrderKey};
use domain::process::PhaseParameters;
use domain::production::Job;
use serde_json::{Value as Json, json};

use crate::row::{FromRow, Row};
use crate::sql::{Query, Sql, Update, set_changed, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

pub(super) const COLUMNS: &str = "job.key, job.rev, job.work_order_key, job.phase_key, order_phase.place,
    order_phase.step_count, order_phase.unit_material_cost, job.project_code, job.parameters, job.notes, job.extra,
    job.start_from, job.due_by, job.stage, job.active, job.close_reason, job.critical, job.started, job.ended,
    job.assigned_to, job.forced, job.qt_planned, job.qt_completed, job.qt_released, job.qt_scrap, job.active_batch_key,
    job.active_batch_qt, job.steps_done, job.progress, job.next_batch_available, job.last_work_session_started,
    job.last_online, job.place";

pub(super) const FROM: &str = "job
    join order_phase on order_phase.work_order_key = job.work_order_key and order_phase.phase_key = job.phase_key";

impl FromRow for Job {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            key: row.column()?,
            rev: row.column()?,
            work_order_key: row.column()?,
            phase_key: row.column()?,
            phase_place: row.column()?,
            step_count: row.column()?,
            unit_material_cost: row.column()?,
            project_code: row.column()?,
            parameters: row.column()?,
            notes: row.column()?,
            extra: row.column()?,
            start_from: row.column()?,
            due_by: row.column()?,
            stage: row.column()?,
            active: row.column()?,
            close_reason: row.column()?,
            critical: row.column()?,
            started: row.column()?,
            ended: row.column()?,
            assigned_to: row.column()?,
            forced: row.column()?,
            qt_planned: row.column()?,
            qt_completed: row.column()?,
            qt_released: row.column()?,
            qt_scrap: row.column()?,
            active_batch_key: row.column()?,
            active_batch_qt: row.column()?,
            steps_done: row.column()?,
            progress: row.column()?,
            next_batch_available: row.column()?,
            last_work_session_started: row.column()?,
            last_online: row.column()?,
            place: row.column()?,
        })
    }
}

fn jobs() -> Query {
    Query::new(&format!("select {COLUMNS} from {FROM}"))
}

pub async fn find(tx: &mut Tx, key: JobKey) -> Result<Option<Job>> {
    jobs().filter("job.key = {}", key).maybe(tx).await
}

/// In the order of their phases, then of their making.
pub async fn of_order(tx: &mut Tx, order: WorkOrderKey) -> Result<Vec<Job>> {
    let (sql, params) = of_order_at("{}", order.0);
    tx.all(sql, &params).await
}

/// The statement for those of the order whose key this expression is.
pub(super) fn of_order_at(key: &str, value: i64) -> (Sql, Vec<Value>) {
    jobs().filter(&format!("job.work_order_key = {key}"), value).ordered("order_phase.place, job.key")
}

/// The same of several orders, order by order.
pub async fn of_orders(tx: &mut Tx, orders: &[i64]) -> Result<Vec<Job>> {
    let wanted = jobs().filter("job.work_order_key {in {}}", orders.to_vec());
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
    tx.all::<PhaseKey>(sql!("select key from phase where key = $1 {lock}"), &params![job.phase_key]).await?;
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
        tx.run(
            sql!(
                "insert into job (key, rev, work_order_key, phase_key, project_code, parameters, notes, extra, start_from,
                                  due_by, stage, active, close_reason, critical, started, ended, assigned_to, forced,
                                  qt_planned, qt_completed, qt_released, qt_scrap, active_batch_key, active_batch_qt,
                                  steps_done, progress, next_batch_available, last_work_session_started, last_online,
                                  place)
                 select cast(key as {int}), cast(rev as {int}), cast(work_order_key as {int}), cast(phase_key as {int}),
                        project_code, parameters, notes, extra, cast(start_from as {int}), cast(due_by as {int}), stage,
                        cast(active as {bool}), close_reason, cast(critical as {bool}), cast(started as {int}),
                        cast(ended as {int}), assigned_to, cast(forced as {int}), cast(qt_planned as {int}),
                        cast(qt_completed as {int}), cast(qt_released as {int}), cast(qt_scrap as {int}),
                        cast(active_batch_key as {int}), cast(active_batch_qt as {int}), cast(steps_done as {int}),
                        cast(progress as {int}), cast(next_batch_available as {bool}),
                        cast(last_work_session_started as {int}), cast(last_online as {int}), cast(place as {int})
                 from {rows $1 key rev work_order_key phase_key project_code parameters notes extra start_from due_by stage active close_reason critical started ended assigned_to forced qt_planned qt_completed qt_released qt_scrap active_batch_key active_batch_qt steps_done progress next_batch_available last_work_session_started last_online place}"
            ),
            &params![&some.iter().map(row).collect::<Json>()],
        )
        .await?;
    }
    Ok(())
}

fn row(job: &Job) -> Json {
    json!({
        "key": job.key.0,
        "rev": job.rev,
        "work_order_key": job.work_order_key.0,
        "phase_key": job.phase_key.0,
        "project_code": job.project_code,
        "parameters": json!(job.parameters).to_string(),
        "notes": job.notes,
        "extra": job.extra.to_string(),
        "start_from": job.start_from.map(Timestamp::millis),
        "due_by": job.due_by.map(Timestamp::millis),
        "stage": job.stage,
        "active": job.active,
        "close_reason": job.close_reason,
        "critical": job.critical,
        "started": job.started.map(Timestamp::millis),
        "ended": job.ended.map(Timestamp::millis),
        "assigned_to": job.assigned_to,
        "forced": job.forced.map(|key| key.0),
        "qt_planned": job.qt_planned.millionths(),
        "qt_completed": job.qt_completed.millionths(),
        "qt_released": job.qt_released.millionths(),
        "qt_scrap": job.qt_scrap.millionths(),
        "active_batch_key": job.active_batch_key.map(|key| key.0),
        "active_batch_qt": job.active_batch_qt.millionths(),
        "steps_done": job.steps_done,
        "progress": job.progress.millionths(),
        "next_batch_available": job.next_batch_available,
        "last_work_session_started": job.last_work_session_started.map(|key| key.0),
        "last_online": job.last_online.map(Timestamp::millis),
        "place": job.place,
    })
}

/// One that nothing was done for.
pub async fn delete(tx: &mut Tx, key: JobKey) -> Result<()> {
    tx.changed(Collection::Job, key);
    tx.run(sql!("delete from job where key = $1"), &params![key]).await.map(|_| ())
}

/// Stores what has changed of a job; its revision rises. A heartbeat that came since the job was read is not lost.
pub async fn save(tx: &mut Tx, before: &Job, job: &Job) -> Result<()> {
    tx.changed(Collection::Job, job.key);
    let mut update = Update::new("job", job.key);
    set_changed!(update, before => job,
        project_code: job.project_code.as_ref(),
        parameters: &json!(job.parameters),
        notes: job.notes.as_ref(),
        extra: &job.extra,
        start_from: job.start_from,
        due_by: job.due_by,
        stage: job.stage,
        active: job.active,
        close_reason: job.close_reason,
        critical: job.critical,
        started: job.started,
        ended: job.ended,
        assigned_to: job.assigned_to.as_ref(),
        forced: job.forced,
        qt_planned: job.qt_planned,
        qt_completed: job.qt_completed,
        qt_released: job.qt_released,
        qt_scrap: job.qt_scrap,
        active_batch_key: job.active_batch_key,
        active_batch_qt: job.active_batch_qt,
        steps_done: job.steps_done,
        progress: job.progress,
        next_batch_available: job.next_batch_available,
        last_work_session_started: job.last_work_session_started,
        place: job.place,
    );
    if before.last_online != job.last_online {
        let later = "case when last_online > cast({} as {int}) then last_online else cast({} as {int}) end";
        update.set_as("last_online", later, job.last_online);
        update.set_to("heard", "(select time from listening)");
    }
    update.run_later(tx).await
}
