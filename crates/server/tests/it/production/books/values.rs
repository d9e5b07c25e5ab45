//! Released batches, output on its way and scrap are worth what material and work have cost, to the last digit.

use std::collections::HashMap;

use super::*;

/// Of a completed batch.
struct Batch {
    key: BatchKey,
    job: JobKey,
    pass: i128,
    value: i128,
    /// What it cost by itself.
    material: i128,
    work: i128,
}

struct Row {
    made_by: BatchKey,
    used_by: Option<BatchKey>,
    quantity: i128,
    value: i128,
}

fn millionths(quantity: Quantity) -> i128 {
    quantity.millionths().into()
}

fn known(value: Option<Quantity>) -> i128 {
    millionths(value.expect("all costs are known"))
}

/// To the nearest, halves away from zero; nothing here is negative.
fn divide(exact: i128, by: i128) -> i128 {
    (2 * exact + by) / (2 * by)
}

async fn batches(site: &Site, work: &Work) -> Vec<Batch> {
    let which: Vec<(BatchKey, JobKey, Quantity, Option<Quantity>)> =
        site.all("select key, job_key, qt_pass, value from batch where canceled is null and not active").await;
    let units: HashMap<BatchKey, Option<Quantity>> =
        site.all("select key, unit_material_cost from batch").await.into_iter().collect();
    let mut worked: HashMap<BatchKey, i128> = HashMap::new();
    let sessions: Vec<(BatchKey, i64, Quantity)> = site
        .all(
            "select batch_key, duration, hourly_cost from work_session
             where canceled is null and not active and batch_key is not null",
        )
        .await;
    for (batch, duration, hourly) in sessions {
        *worked.entry(batch).or_default() += i128::from(duration) * millionths(hourly);
    }
    let batch = |(key, job, pass, value): (BatchKey, JobKey, Quantity, Option<Quantity>)| Batch {
        key,
        job,
        pass: millionths(pass),
        value: known(value),
        material: divide(known(units[&key]) * millionths(pass), 1_000_000),
        work: divide(worked.get(&key).copied().unwrap_or(0), 3_600_000),
    };
    which.into_iter().filter(|(_, job, ..)| work.job(*job).is_some()).map(batch).collect()
}

async fn rows(site: &Site, batches: &[Batch]) -> Vec<Row> {
    let rows: Vec<(BatchKey, Option<BatchKey>, Quantity, Option<Quantity>)> =
        site.all("select batch_key, used_by, quantity, value from wip").await;
    let row = |(made_by, used_by, quantity, value)| Row {
        made_by,
        used_by,
        quantity: millionths(quantity),
        value: known(value),
    };
    let own = rows.into_iter().filter(|(made_by, ..)| batches.iter().any(|batch| batch.key == *made_by));
    own.map(row).collect()
}

pub(super) async fn are_what_they_cost(site: &Site, work: &Work) {
    let unknown = "select count(*) from batch where work_order_key = $1 and unit_material_cost is null";
    if site.look::<i64>(unknown, vec![work.order.key.into()]).await != Some(0) {
        return;
    }
    let batches = batches(site, work).await;
    let rows = rows(site, &batches).await;
    let (mut worth, mut cost) = (0, 0);
    for batch in &batches {
        let last = work.is_last_phase(work.job(batch.job).unwrap().phase_place);
        let used: i128 = rows.iter().filter(|row| row.used_by == Some(batch.key)).map(|row| row.value).sum();
        assert_eq!(batch.value, batch.material + batch.work + used, "what batch {} is worth", batch.key);
        let made = || rows.iter().filter(|row| row.made_by == batch.key);
        if last || batch.pass == 0 {
            assert_eq!(made().count(), 0);
            worth += batch.value;
        } else {
            assert_eq!(made().map(|row| row.quantity).sum::<i128>(), batch.pass, "output of batch {}", batch.key);
            assert_eq!(made().map(|row| row.value).sum::<i128>(), batch.value, "value of the output of {}", batch.key);
        }
        cost += batch.material + batch.work;
    }
    worth += rows.iter().filter(|row| row.used_by.is_none()).map(|row| row.value).sum::<i128>();
    assert_eq!(worth, cost, "released batches, output on its way and scrap, and material and work");
    time_is_spent_on_something(site, work, &batches).await;
}

/// The time that counts is that of batches that count, as soon as the job has any.
async fn time_is_spent_on_something(site: &Site, work: &Work, batches: &[Batch]) {
    let lost: Vec<JobKey> = site
        .all(
            "select work_session.job_key from work_session join batch on batch.key = work_session.batch_key
             where work_session.canceled is null and batch.canceled is not null",
        )
        .await;
    for job in lost.into_iter().filter(|job| work.job(*job).is_some()) {
        assert!(!batches.iter().any(|batch| batch.job == job), "time of job {job} was spent on nothing");
    }
}
