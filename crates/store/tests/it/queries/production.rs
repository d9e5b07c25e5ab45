use domain::json::Opaque;
use domain::key::*;
use domain::production::{CloseReason, Job, Order, Stage};
use domain::search::Pattern;
use store::production::{batches, executions, heartbeats, job_views, jobs, queues, sessions, wip, work_orders};
use store::{Db, StoreError, Tx};

use super::run;
use super::samples::{NOW, PAGE, WIP, job, one, order, text, user};

fn wanted_orders(open: bool, closed: bool) -> work_orders::Wanted {
    work_orders::Wanted {
        search: Some(Pattern::substring("wo-")),
        open,
        closed,
        product_key: Some(ProductKey::trusted("P")),
        started_from: Some(NOW),
        started_to: Some(NOW),
        ended_from: Some(NOW),
        ended_to: Some(NOW),
    }
}

fn wanted_jobs(active: bool) -> job_views::Wanted {
    job_views::Wanted {
        keys: vec![1],
        orders: vec![1],
        phases: vec![1],
        assigned_to: text("mario"),
        stages: vec![Stage::Created],
        active: Some(active),
    }
}

/// An order and a job of which everything that may change has changed.
pub(super) async fn save(tx: &mut Tx) -> Result<(), StoreError> {
    let mut now = Order {
        qt_planned: one(20),
        priority: false,
        notes: None,
        extra: Opaque::default(),
        status: Stage::Closed,
        ended: Some(NOW),
        place: 21,
        ..order()
    };
    work_orders::save(tx, &order(), &mut now).await?;
    assert_eq!(work_orders::find(tx, WorkOrderKey(1)).await?, Some(now));
    let now = Job {
        stage: Stage::Closed,
        close_reason: Some(CloseReason::Manual),
        ended: Some(NOW),
        last_online: Some(NOW),
        forced: Some(EventKey(1)),
        ..job()
    };
    jobs::save(tx, &job(), &now).await?;
    let stored = Job { rev: 2, ..now };
    assert_eq!(jobs::find(tx, JobKey(1)).await?, Some(stored.clone()));
    // A heartbeat may have come since it was read.
    let outdated = Job { rev: 1, last_online: None, ..stored.clone() };
    assert_eq!(job_views::of_known(tx, order(), outdated).await?.job, stored);
    Ok(())
}

pub(super) async fn run(db: &Db) {
    run!(db, tx:
        batches::find(tx, BatchKey(1)),
        batches::view(tx, BatchKey(1)),
        batches::completed(tx, JobKey(1)),
        batches::counting(tx, &[1]),
        executions::find(tx, StepExecutionKey(1)),
        executions::of_batch(tx, BatchKey(1)),
        executions::of_batches(tx, &[1]),
        heartbeats::pulse(tx, JobKey(1)),
        heartbeats::hold(tx, JobKey(1)),
        job_views::find(tx, JobKey(1)),
        job_views::of_known(tx, order(), job()),
        job_views::of_orders(tx, &[1]),
        job_views::list(tx, &wanted_jobs(true), &PAGE),
        job_views::list(tx, &wanted_jobs(false), &PAGE),
        job_views::in_order(tx, vec![JobKey(1)]),
        jobs::of_orders(tx, &[1]),
        queues::all(tx),
        queues::hold_site(tx),
        queues::find(tx, &user()),
        queues::hold(tx, &user()),
        queues::open_jobs(tx),
        queues::jobs_of(tx, &user()),
        queues::hold_jobs_of(tx, &user()),
    );
    run!(db, tx:
        sessions::active_of(tx, JobKey(1)),
        sessions::last_of(tx, JobKey(1)),
        sessions::find(tx, WorkSessionKey(1)),
        sessions::of_batch(tx, BatchKey(1)),
        sessions::of_batches(tx, &[1]),
        sessions::of_job(tx, JobKey(1)),
        wip::book(tx, WorkOrderKey(1), PhaseKey(2), JobKey(1), one(1), WipKey(1_000)),
        wip::unbook(tx, JobKey(1), one(1), WipKey(1_000)),
        wip::give_back(tx, BatchKey(1), one(WIP), WipKey(1_000)),
        wip::withdraw(tx, BatchKey(1), one(1)),
        wip::made_by(tx, &[1]),
        wip::used_by(tx, &[1]),
        work_orders::find(tx, WorkOrderKey(1)),
        work_orders::find_all(tx, &[1]),
        work_orders::any_with_links(tx, &[1]),
        work_orders::waiting(tx, &PAGE),
        work_orders::lock(tx, WorkOrderKey(1)),
        work_orders::lock_all(tx, &[1]),
        work_orders::lock_work(tx, WorkOrderKey(1)),
        work_orders::lock_work_of_job(tx, JobKey(1)),
        work_orders::lock_work_of_batch(tx, BatchKey(1)),
        work_orders::list(tx, &wanted_orders(true, true), &PAGE),
        work_orders::list(tx, &wanted_orders(true, false), &PAGE),
        work_orders::list(tx, &wanted_orders(false, true), &PAGE),
        work_orders::list(tx, &wanted_orders(false, false), &PAGE),
        save(tx),
    );
}
