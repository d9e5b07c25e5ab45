//! Output of phases on its way. A row is free in front of the next phase, booked by one of its jobs, or used up by one of its
//! batches; used rows are kept so that a correction can give them back. What is free of one batch is always one row.

use domain::collection::Collection;
use domain::key::{BatchKey, JobKey, PhaseKey, WipKey, WorkOrderKey};
use domain::production::{Free, Output, Portion, take};
use domain::{Quantity, Total};
use serde_json::{Value as Json, json};

use crate::row::{FromRow, Row};
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::{Result, StoreError, params};

/// Some output that becomes free in front of the next phase.
#[derive(Debug, Clone, Copy)]
pub struct Made {
    pub key: WipKey,
    pub work_order_key: WorkOrderKey,
    pub from_phase: PhaseKey,
    pub to_phase: PhaseKey,
    pub batch_key: BatchKey,
    pub quantity: Quantity,
    pub value: Option<Quantity>,
}

/// So many rows are looked at together.
const AT_ONCE: usize = 500;

impl FromRow for Free {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { key: row.column()?, quantity: row.column()?, value: row.column()? })
    }
}

fn rows() -> Query {
    Query::new("select key, quantity, value from wip")
}

pub async fn declare(tx: &mut Tx, made: &Made) -> Result<()> {
    tx.changed(Collection::Wip, made.key);
    tx.run_later(
        sql!(
            "insert into wip (key, work_order_key, from_phase, to_phase, batch_key, quantity, value)
             values ($1, $2, $3, $4, $5, $6, $7)"
        ),
        &params![
            made.key,
            made.work_order_key,
            made.from_phase,
            made.to_phase,
            made.batch_key,
            made.quantity,
            made.value
        ],
    )
    .await
}

/// Books a quantity for a job: the smallest rows first, of equal ones the oldest, the last one split under the spare key.
/// False when there is not so much.
pub async fn book(
    tx: &mut Tx,
    order: WorkOrderKey,
    phase: PhaseKey,
    job: JobKey,
    quantity: Quantity,
    spare: WipKey,
) -> Result<bool> {
    let free = || {
        rows()
            .filter("work_order_key = {} and job_key is null and used_by is null", order)
            .filter("to_phase = {}", phase)
    };
    let enough = gather(tx, free, quantity).await?;
    let Some(portions) = take(&enough, quantity) else { return Ok(false) };
    let (split, whole): (Vec<Portion>, Vec<Portion>) = portions.into_iter().partition(|portion| portion.rest.is_some());
    let keys: Vec<i64> = whole.iter().map(|portion| portion.key.0).collect();
    keys.iter().for_each(|key| tx.changed(Collection::Wip, WipKey(*key)));
    if !keys.is_empty() {
        tx.run(sql!("update wip set job_key = $2 where key {in $1}"), &params![keys, job]).await?;
    }
    for portion in split {
        part(tx, &portion, spare).await?;
        tx.run(sql!("update wip set job_key = $2, used_by = null where key = $1"), &params![spare, job]).await?;
    }
    Ok(true)
}

/// Frees a quantity that a job has booked, smallest rows first. False when there is not so much.
pub async fn unbook(tx: &mut Tx, job: JobKey, quantity: Quantity, spare: WipKey) -> Result<bool> {
    free(tx, || rows().filter("job_key = {}", job), quantity, spare).await
}

/// Frees a quantity that a batch has used up, smallest rows first. False when there is not so much.
pub async fn give_back(tx: &mut Tx, batch: BatchKey, quantity: Quantity, spare: WipKey) -> Result<bool> {
    free(tx, || rows().filter("used_by = {}", batch), quantity, spare).await
}

async fn free(tx: &mut Tx, from: impl Fn() -> Query, quantity: Quantity, spare: WipKey) -> Result<bool> {
    let enough = gather(tx, from, quantity).await?;
    let Some(portions) = take(&enough, quantity) else { return Ok(false) };
    for portion in portions {
        let key = if portion.rest.is_some() { part(tx, &portion, spare).await? } else { portion.key };
        set_free(tx, key).await?;
    }
    Ok(true)
}

/// All that a job has booked is used up by its batch; what it was worth, unless that is unknown.
pub async fn use_up(tx: &mut Tx, job: JobKey, batch: BatchKey) -> Result<Option<Total>> {
    let sql = sql!("update wip set job_key = null, used_by = $2 where job_key = $1 returning key, quantity, value");
    let used: Vec<Free> = tx.all(sql, &params![job, batch]).await?;
    used.iter().for_each(|row| tx.changed(Collection::Wip, row.key));
    Ok(used.iter().map(|row| row.value).sum())
}

/// What one batch used and made counts for another that replaces it.
pub async fn hand_over(tx: &mut Tx, from: BatchKey, to: BatchKey) -> Result<()> {
    for sql in [
        sql!("update wip set batch_key = $2 where batch_key = $1 returning key"),
        sql!("update wip set used_by = $2 where used_by = $1 returning key"),
    ] {
        let rows: Vec<WipKey> = tx.all(sql, &params![from, to]).await?;
        rows.iter().for_each(|key| tx.changed(Collection::Wip, *key));
    }
    Ok(())
}

/// Takes away what is still free of a batch that is taken back, a quantity at most; how much that is.
pub async fn withdraw(tx: &mut Tx, batch: BatchKey, quantity: Quantity) -> Result<Quantity> {
    let own = rows().filter("batch_key = {} and serial_key is null and job_key is null and used_by is null", batch);
    match own.maybe::<Free>(tx).await? {
        None => Ok(Quantity::ZERO),
        Some(row) => lessen(tx, &row, quantity).await,
    }
}

/// What the next phase took of a batch that is taken back becomes the output of another one, of which as much goes that is
/// still free: it is all alike. One row at a time, the newest first, and a quantity at most; the other batch, and how much
/// it was. None when nothing is free.
pub async fn exchange(
    tx: &mut Tx,
    order: WorkOrderKey,
    phase: PhaseKey,
    batch: BatchKey,
    quantity: Quantity,
    spare: WipKey,
) -> Result<Option<(BatchKey, Quantity)>> {
    let sql = sql!(
        "select key, quantity, value
         from wip
         where work_order_key = $1 and to_phase = $2 and job_key is null and used_by is null and batch_key <> $3
         order by batch_key desc
         limit 1"
    );
    let Some(free) = tx.maybe::<Free>(sql, &params![order, phase, batch]).await? else { return Ok(None) };
    let other: BatchKey = tx.one(sql!("select batch_key from wip where key = $1"), &params![free.key]).await?;
    let sql = sql!(
        "select key, quantity, value
         from wip
         where batch_key = $1 and (job_key is not null or used_by is not null)
         order by key desc
         limit 1"
    );
    let taken: Option<Free> = tx.maybe(sql, &params![batch]).await?;
    let most = taken.map_or(quantity, |row| row.quantity.min(quantity));
    let amount = lessen(tx, &free, most).await?;
    if let Some(row) = taken {
        let key = cut_off(tx, &row, amount, spare).await?;
        tx.changed(Collection::Wip, key);
        tx.run(sql!("update wip set batch_key = $2 where key = $1"), &params![key, other]).await?;
    }
    Ok(Some((other, amount)))
}

/// Takes a quantity away from a row, or all of it; how much that is.
async fn lessen(tx: &mut Tx, row: &Free, most: Quantity) -> Result<Quantity> {
    let amount = row.quantity.min(most);
    tx.changed(Collection::Wip, row.key);
    match rest(row, amount) {
        None => tx.run(sql!("delete from wip where key = $1"), &params![row.key]).await?,
        Some((_, (quantity, value))) => shrink(tx, row.key, quantity, value).await?,
    };
    Ok(amount)
}

/// What of a row's value goes with a part of it, and what stays; none when nothing does.
fn rest(row: &Free, amount: Quantity) -> Option<(Portion, (Quantity, Option<Quantity>))> {
    let portion = take(std::slice::from_ref(row), amount)?.pop()?;
    portion.rest.map(|rest| (portion, rest))
}

/// A part of a row becomes a row of its own under the spare key, booked or used like the row; the row itself when it is all.
async fn cut_off(tx: &mut Tx, row: &Free, amount: Quantity, spare: WipKey) -> Result<WipKey> {
    let Some((portion, (quantity, value))) = rest(row, amount) else { return Ok(row.key) };
    tx.run(
        sql!(
            "insert into wip (key, work_order_key, from_phase, to_phase, batch_key, job_key, used_by, quantity, value)
             select $2, work_order_key, from_phase, to_phase, batch_key, job_key, used_by, $3, $4
             from wip
             where key = $1"
        ),
        &params![row.key, spare, portion.quantity, portion.value],
    )
    .await?;
    shrink(tx, row.key, quantity, value).await?;
    Ok(spare)
}

impl FromRow for Output {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            key: row.column()?,
            made_by: row.column()?,
            used_by: row.column()?,
            of_unit: row.column()?,
            quantity: row.column()?,
            value: row.column()?,
        })
    }
}

fn output() -> Query {
    Query::new("select key, batch_key, used_by, serial_key is not null, quantity, value from wip")
}

/// All that these batches made.
pub async fn made_by(tx: &mut Tx, batches: &[i64]) -> Result<Vec<Output>> {
    output().filter("batch_key {in {}}", batches.to_vec()).all(tx, "key").await
}

/// All that these batches used up.
pub async fn used_by(tx: &mut Tx, batches: &[i64]) -> Result<Vec<Output>> {
    output().filter("used_by {in {}}", batches.to_vec()).all(tx, "key").await
}

/// So many values go with one statement.
const VALUES: usize = 5_000;

pub async fn set_values(tx: &mut Tx, values: &[(WipKey, Option<Quantity>)]) -> Result<()> {
    let row = |(key, value): &(WipKey, Option<Quantity>)| json!({ "key": key.0.to_string(), "value": value.map(|value| value.millionths().to_string()) });
    for some in values.chunks(VALUES) {
        some.iter().for_each(|(key, _)| tx.changed(Collection::Wip, *key));
        let sql = sql!(
            "update wip
             set value = cast(listed.value as {int})
             from {rows $1 key value}
             where wip.key = cast(listed.key as {int})"
        );
        tx.run(sql, &params![&some.iter().map(row).collect::<Json>()]).await?;
    }
    Ok(())
}

/// The first rows, smallest first, that together have a quantity; all of them when they have not.
async fn gather(tx: &mut Tx, from: impl Fn() -> Query, quantity: Quantity) -> Result<Vec<Free>> {
    let (mut found, mut sum) = (Vec::<Free>::new(), Total::ZERO);
    loop {
        let more = match found.last() {
            None => from(),
            Some(last) => from().filter_row(
                "(quantity > {} or (quantity = {} and key > {}))",
                params![last.quantity, last.quantity, last.key],
            ),
        };
        let page = crate::Page { limit: AT_ONCE as i64, offset: 0, count: false };
        let rows = more.page::<Free>(tx, "quantity, key", &page).await?.rows;
        let last = rows.len() < AT_ONCE;
        sum = sum + rows.iter().map(|row| row.quantity).sum();
        found.extend(rows);
        if last || sum >= Total::from(quantity) {
            return Ok(found);
        }
    }
}

/// Splits a row: the portion becomes a row of its own under the spare key.
async fn part(tx: &mut Tx, portion: &Portion, spare: WipKey) -> Result<WipKey> {
    let Some((quantity, value)) = portion.rest else { return Ok(portion.key) };
    tx.changed(Collection::Wip, spare);
    // Not free until the caller says so: of one batch only one row may be.
    tx.run(
        sql!(
            "insert into wip (key, work_order_key, from_phase, to_phase, batch_key, used_by, quantity, value)
             select $2, work_order_key, from_phase, to_phase, batch_key, batch_key, $3, $4
             from wip
             where key = $1"
        ),
        &params![portion.key, spare, portion.quantity, portion.value],
    )
    .await?;
    shrink(tx, portion.key, quantity, value).await?;
    Ok(spare)
}

async fn shrink(tx: &mut Tx, key: WipKey, quantity: Quantity, value: Option<Quantity>) -> Result<u64> {
    tx.changed(Collection::Wip, key);
    tx.run(sql!("update wip set quantity = $2, value = $3 where key = $1"), &params![key, quantity, value]).await
}

/// A row becomes free: part of the one that is free of its batch already, if there is one.
async fn set_free(tx: &mut Tx, key: WipKey) -> Result<()> {
    tx.changed(Collection::Wip, key);
    let joined = tx
        .run(
            sql!(
                "update wip
                 set quantity = quantity + (select more.quantity from wip as more where more.key = $1),
                     value = value + (select more.value from wip as more where more.key = $1)
                 where batch_key = (select more.batch_key from wip as more where more.key = $1)
                 and serial_key is null and job_key is null and used_by is null and key <> $1"
            ),
            &params![key],
        )
        .await?;
    match joined {
        0 => tx.run(sql!("update wip set job_key = null, used_by = null where key = $1"), &params![key]).await,
        1 => tx.run(sql!("delete from wip where key = $1"), &params![key]).await,
        many => return Err(StoreError::RowCount(many as usize)),
    }
    .map(|_| ())
}
