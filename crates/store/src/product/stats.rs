//! What became of the orders of a product.

use domain::key::{PhaseKey, ProductId, WorkOrderKey};
use domain::{Timestamp, Total};

use crate::row::{FromRow, Row, row_struct};
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// Where a window begins: the closed orders from this one on, by end and key.
#[derive(Debug, Clone, Copy)]
pub struct Since {
    pub ended: Timestamp,
    pub key: WorkOrderKey,
}

impl Since {
    pub const EVER: Self = Self { ended: Timestamp::from_millis(i64::MIN), key: WorkOrderKey(i64::MIN) };

    pub fn time(ended: Timestamp) -> Self {
        Self { ended, ..Self::EVER }
    }
}

/// The last so many closed orders of a product begin here.
pub async fn since_last(tx: &mut Tx, product: ProductId, count: i64) -> Result<Since> {
    let sql = sql!(
        "select ended, key
         from work_order
         where product_id = $1 and ended is not null
         order by ended desc, key desc
         limit 1 offset $2"
    );
    let found: Option<(Timestamp, WorkOrderKey)> = tx.maybe(sql, &params![product, count - 1]).await?;
    Ok(found.map_or(Since::EVER, |(ended, key)| Since { ended, key }))
}

/// Many large quantities would not fit a column: wholes and millionths are summed apart.
fn total(row: &mut Row<'_>) -> Result<Total> {
    row.sum().map(Total::from_millionths)
}

/// All closed orders of a window together.
#[derive(Debug, Clone)]
pub struct Closed {
    pub orders: i64,
    pub on_time: i64,
    /// From start to end, in milliseconds.
    pub throughput: i128,
    pub first_end: Option<Timestamp>,
    pub completed: Total,
    pub scrapped: Total,
}

impl FromRow for Closed {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            orders: row.column()?,
            on_time: row.column()?,
            throughput: row.sum()?,
            first_end: row.column()?,
            completed: total(row)?,
            scrapped: total(row)?,
        })
    }
}

pub async fn closed(tx: &mut Tx, product: ProductId, since: Since) -> Result<Closed> {
    tx.one(
        sql!(
            "select count(*), count(case when due_by is null or ended <= due_by then 1 end),
                    cast(sum((ended - started) / 1000000) as {int}), cast(sum((ended - started) % 1000000) as {int}), min(ended),
                    cast(sum(qt_completed / 1000000) as {int}), cast(sum(qt_completed % 1000000) as {int}),
                    cast(sum(qt_scrap / 1000000) as {int}), cast(sum(qt_scrap % 1000000) as {int})
             from work_order
             where product_id = $1 and ended is not null and (ended, key) >= ($2, $3)"
        ),
        &params![product, since.ended, since.key],
    )
    .await
}

/// How many orders are not closed, and what is left to make of them.
#[derive(Debug, Clone, Copy)]
pub struct Open {
    pub orders: i64,
    pub remaining: Total,
}

impl FromRow for Open {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { orders: row.column()?, remaining: total(row)? })
    }
}

pub async fn open(tx: &mut Tx, product: ProductId) -> Result<Open> {
    tx.one(
        sql!(
            "select count(*), cast(sum(remaining / 1000000) as {int}), cast(sum(remaining % 1000000) as {int})
             from (
                 select case
                            when qt_planned - qt_completed > qt_scrap then qt_planned - qt_completed - qt_scrap
                            else 0
                        end as remaining
                 from work_order
                 where product_id = $1 and ended is null
             ) as open_orders"
        ),
        &params![product],
    )
    .await
}

row_struct! {
    /// A phase that orders of a window have, as the newest of them calls it.
    pub struct PhaseName {
        pub phase_key: PhaseKey,
        pub alias: String,
    }
}

/// In the order of the newest order's routing, then those that only older orders have.
pub async fn phases(tx: &mut Tx, product: ProductId, since: Since) -> Result<Vec<PhaseName>> {
    tx.all(
        sql!(
            "select phase_key, alias
             from (
                 select order_phase.phase_key, order_phase.alias, order_phase.place, work_order.ended, work_order.key,
                        row_number() over (
                            partition by order_phase.phase_key
                            order by work_order.ended desc, work_order.key desc
                        ) as age
                 from work_order
                 join order_phase on order_phase.work_order_key = work_order.key
                 where work_order.product_id = $1 and work_order.ended is not null
                 and (work_order.ended, work_order.key) >= ($2, $3)
             ) as named
             where age = 1
             order by ended desc, key desc, place"
        ),
        &params![product, since.ended, since.key],
    )
    .await
}

/// What passed through a phase, and what did not.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    pub phase_key: PhaseKey,
    pub pass: Total,
    pub scrap: Total,
}

impl FromRow for Output {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { phase_key: row.column()?, pass: total(row)?, scrap: total(row)? })
    }
}

/// Of batches that were not taken back.
pub async fn output(tx: &mut Tx, product: ProductId, since: Since) -> Result<Vec<Output>> {
    tx.all(
        sql!(
            "select batch.phase_key, cast(sum(batch.qt_pass / 1000000) as {int}), cast(sum(batch.qt_pass % 1000000) as {int}),
                    cast(sum(batch.qt_scrap / 1000000) as {int}), cast(sum(batch.qt_scrap % 1000000) as {int})
             from work_order
             join batch on batch.work_order_key = work_order.key
             where work_order.product_id = $1 and work_order.ended is not null
             and (work_order.ended, work_order.key) >= ($2, $3) and batch.canceled is null
             group by batch.phase_key"
        ),
        &params![product, since.ended, since.key],
    )
    .await
}

/// How long a phase was worked at.
#[derive(Debug, Clone, Copy)]
pub struct Worked {
    pub phase_key: PhaseKey,
    pub millis: i128,
}

impl FromRow for Worked {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { phase_key: row.column()?, millis: row.sum()? })
    }
}

/// How long each phase was worked at.
pub async fn worked(tx: &mut Tx, product: ProductId, since: Since) -> Result<Vec<Worked>> {
    tx.all(
        sql!(
            "select work_session.phase_key, cast(sum(work_session.duration / 1000000) as {int}),
                    cast(sum(work_session.duration % 1000000) as {int})
             from work_order
             join work_session on work_session.work_order_key = work_order.key
             where work_order.product_id = $1 and work_order.ended is not null
             and (work_order.ended, work_order.key) >= ($2, $3) and work_session.canceled is null
             group by work_session.phase_key"
        ),
        &params![product, since.ended, since.key],
    )
    .await
}

row_struct! {
    /// The units that orders of a window have released.
    pub struct ReleasedUnits {
        pub units: i64,
        /// Those that no batch which was taken back had worked on, and that no issue is about.
        pub first_pass: i64,
    }
}

pub async fn released_units(tx: &mut Tx, product: ProductId, since: Since) -> Result<ReleasedUnits> {
    tx.one(
        sql!(
            "select count(*),
                    count(case when not exists (
                        select 1
                        from batch_serial
                        join batch on batch.key = batch_serial.batch_key
                        where batch_serial.serial_key = serial.key and batch.canceled is not null
                    ) and not exists (
                        select 1
                        from issue_rel
                        where issue_rel.type = 'serial' and issue_rel.record_id = serial.key
                        and issue_rel.record_id is not null
                    ) then 1 end)
             from work_order
             join serial on serial.wo_key = work_order.key
             where work_order.product_id = $1 and work_order.ended is not null
             and (work_order.ended, work_order.key) >= ($2, $3)
             and serial.wo_key is not null and serial.released is not null and serial.deleted is null"
        ),
        &params![product, since.ended, since.key],
    )
    .await
}
