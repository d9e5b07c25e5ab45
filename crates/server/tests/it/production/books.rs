//! What is stored of all orders has to agree with itself.

mod values;

use std::collections::HashMap;

use domain::key::{BatchKey, JobKey, PhaseKey, WorkOrderKey, WorkSessionKey};
use domain::production::{Job, Work};
use domain::{Quantity, Total};
use store::Tx;
use store::production::work_orders;

use super::*;

pub(crate) async fn audit(site: &Site) {
    for key in site.all::<i64>("select key from work_order").await {
        let work = load(site, key).await;
        is_settled(&work, site.clock.now());
        let batches = batches(site, &work).await;
        for job in &work.jobs {
            has_what_its_batches_have(job, &batches);
            has_the_sessions_it_says(site, job).await;
        }
        lies_between_the_phases(site, &work, &batches).await;
        values::are_what_they_cost(site, &work).await;
    }
    nothing_is_left_over(site).await;
}

pub(crate) async fn load(site: &Site, key: i64) -> Work {
    let read = site.app().read(async |tx: &mut Tx| {
        let order = work_orders::find(tx, WorkOrderKey(key)).await?.expect("the order");
        Ok(work_orders::work_of(tx, order).await?)
    });
    read.await.expect("the order is read")
}

/// Nothing more follows from what is stored.
fn is_settled(work: &Work, now: Timestamp) {
    let mut again = work.clone();
    assert_eq!(again.settle(now), []);
    assert_eq!(again, *work);
}

/// A batch that counts.
struct Batch {
    key: BatchKey,
    job: JobKey,
    active: bool,
    total: Quantity,
    pass: Quantity,
    scrap: Quantity,
}

async fn batches(site: &Site, work: &Work) -> Vec<Batch> {
    let own = |job: &JobKey| work.job(*job).is_some();
    let which: Vec<(BatchKey, JobKey, bool)> =
        site.all("select key, job_key, active from batch where canceled is null order by key").await;
    let how_much: Vec<(Quantity, Quantity, Quantity)> =
        site.all("select qt_total, qt_pass, qt_scrap from batch where canceled is null order by key").await;
    let all = which.into_iter().zip(how_much).map(|((key, job, active), (total, pass, scrap))| Batch {
        key,
        job,
        active,
        total,
        pass,
        scrap,
    });
    all.filter(|batch| own(&batch.job)).collect()
}

fn sum(quantities: impl Iterator<Item = Quantity>) -> Quantity {
    quantities.sum::<Total>().quantity().expect("a quantity")
}

fn has_what_its_batches_have(job: &Job, batches: &[Batch]) {
    let own = || batches.iter().filter(|batch| batch.job == job.key);
    assert_eq!(job.qt_completed, sum(own().map(|batch| batch.pass)), "completed");
    assert_eq!(job.qt_scrap, sum(own().map(|batch| batch.scrap)), "scrapped");
    assert!(own().all(|batch| batch.active || batch.pass + batch.scrap == batch.total));
    let active: Vec<&Batch> = own().filter(|batch| batch.active).collect();
    assert_eq!(job.active_batch_key, active.first().map(|batch| batch.key));
    assert_eq!(job.active_batch_qt, sum(active.iter().map(|batch| batch.total)));
}

async fn has_the_sessions_it_says(site: &Site, job: &Job) {
    let key = vec![job.key.0.into()];
    let running = "select key from work_session where job_key = $1 and active and canceled is null";
    let running: Option<WorkSessionKey> = site.look(running, key.clone()).await;
    assert_eq!(running.is_some(), job.active);
    let newest = "select max(key) from work_session where job_key = $1 and canceled is null";
    let newest: Option<WorkSessionKey> = site.look(newest, key).await.unwrap();
    assert_eq!(job.last_work_session_started, newest);
}

async fn free_rows(site: &Site, work: &Work, phase: PhaseKey) -> Quantity {
    let free = "select cast(coalesce(sum(quantity), 0) as bigint) from wip
                where work_order_key = $1 and to_phase = $2 and job_key is null and used_by is null";
    site.look(free, vec![work.order.key.into(), phase.into()]).await.expect("a sum")
}

/// Rows of output are free, booked or used as the quantities of the jobs say.
async fn lies_between_the_phases(site: &Site, work: &Work, batches: &[Batch]) {
    let booked = sums(site.all("select job_key, quantity from wip where job_key is not null").await);
    let used = sums(site.all("select used_by, quantity from wip where used_by is not null").await);
    let of = |sums: &HashMap<i64, Quantity>, key: i64| sums.get(&key).copied().unwrap_or_default();
    for job in &work.jobs {
        let expected = if job.is_first_phase() { Quantity::ZERO } else { job.active_batch_qt };
        assert_eq!(of(&booked, job.key.0), expected, "booked");
        for batch in batches.iter().filter(|batch| batch.job == job.key) {
            let expected = if job.is_first_phase() || batch.active { Quantity::ZERO } else { batch.total };
            assert_eq!(of(&used, batch.key.0), expected, "used");
        }
    }
    for place in 1..work.phases {
        let phase = work.of_phase(place).next().unwrap().phase_key;
        assert_eq!(free_rows(site, work, phase).await, work.free_in_front(place), "free");
    }
}

fn sums(rows: Vec<(i64, Quantity)>) -> HashMap<i64, Quantity> {
    let mut sums = HashMap::new();
    for (key, quantity) in rows {
        let sum: &mut Quantity = sums.entry(key).or_default();
        *sum = *sum + quantity;
    }
    sums
}

/// Nothing that counts belongs to what was taken back, and the journal tells of everything that was made.
async fn nothing_is_left_over(site: &Site) {
    let none = async |what: &str, statement: &str| {
        assert_eq!(site.look::<i64>(statement, vec![]).await, Some(0), "{what}");
    };
    none(
        "steps of canceled batches",
        "select count(*) from step_execution join batch on batch.key = step_execution.batch_key
         where step_execution.canceled is null and batch.canceled is not null",
    )
    .await;
    none(
        "output used by canceled batches",
        "select count(*) from wip join batch on batch.key = wip.used_by
         where batch.canceled is not null",
    )
    .await;
    none(
        "sessions that do not add up",
        "select count(*) from work_session
         where not active and duration <> ended - started",
    )
    .await;
    none("orders that end before they begin", "select count(*) from batch where ended < started").await;
    // Time that was spent on a task is recorded by an event of its own.
    let told = [("batch", "'BATCH_CREATED'"), ("work_session", "'WORK_SESSION_CREATED', 'TASK_TIME_RECORDED'")];
    for (table, events) in told {
        let told = site.look::<i64>(format!("select count(*) from event where event_type in ({events})"), vec![]).await;
        assert_eq!(told, Some(site.count(table).await), "{events}");
    }
    let canceled = "select count(*) from work_session where canceled is not null";
    let told = "select count(*) from event where event_type = 'WORK_SESSION_CANCELED'";
    assert_eq!(site.look::<i64>(told, vec![]).await, site.look::<i64>(canceled, vec![]).await);
}
