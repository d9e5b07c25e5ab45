use std::sync::LazyLock;

use domain::collection::Collection;
use domain::key::{BatchKey, EventKey, JobKey, PhaseKey, ProductKey, WorkOrderKey};
use domain::{Quantity, Timestamp};

use crate::columns::{self, Record, record};
use crate::row::{FromRow, Row};
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

record! {
    /// Some quantity that goes through a phase together.
    pub struct Batch in batch {
        pub key: BatchKey,
        pub rev: i64,
        pub job_key: JobKey,
        pub phase_key: PhaseKey,
        pub work_order_key: WorkOrderKey,
        pub started: Timestamp,
        pub ended: Option<Timestamp>,
        pub active: bool,
        pub qt_total: Quantity,
        pub qt_pass: Quantity,
        pub qt_scrap: Quantity,
        pub scrap_reason: Option<String>,
        /// What the lines of its phase cost for one unit; none when that is unknown.
        pub unit_material_cost: Option<Quantity>,
        pub value: Option<Quantity>,
        /// The event that took it back.
        pub canceled: Option<EventKey>,
        /// The event that set it by hand.
        pub forced: Option<EventKey>,
        /// Whether components were ever linked to it, or to its units, before it was completed.
        pub linked: bool,
    }
    derived {
        number: JobKey = |batch| batch.job_key, in "(select coalesce(max(number), 0) + 1 from batch where job_key = {})";
    }
    kept { job_key, phase_key, work_order_key, started, unit_material_cost, number }
}

pub async fn find(tx: &mut Tx, key: BatchKey) -> Result<Option<Batch>> {
    Batch::select().filter("key = {}", key).maybe(tx).await
}

/// A batch with the product that it makes.
pub async fn view(tx: &mut Tx, key: BatchKey) -> Result<Option<(Batch, ProductKey)>> {
    static SELECT: LazyLock<String> = LazyLock::new(|| {
        let product = "(select product_key from work_order where work_order.key = batch.work_order_key)";
        format!("select {}, {product} from {}", Batch::list(), Batch::FROM)
    });
    let found: Option<BatchView> = Query::new(&SELECT).filter("batch.key = {}", key).maybe(tx).await?;
    Ok(found.map(|BatchView(batch, product)| (batch, product)))
}

struct BatchView(Batch, ProductKey);

impl FromRow for BatchView {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self(Batch::from_row(row)?, row.column()?))
    }
}

/// The completed batches of a job that were not taken back, newest first.
pub async fn completed(tx: &mut Tx, job: JobKey) -> Result<Vec<Batch>> {
    Batch::select().filter("job_key = {} and not active and canceled is null", job).all(tx, "number desc").await
}

/// Those of these batches that were completed and not taken back.
pub async fn counting(tx: &mut Tx, keys: &[i64]) -> Result<Vec<Batch>> {
    Batch::select().filter("key {in {}} and not active and canceled is null", keys.to_vec()).all(tx, "key").await
}

/// Those of some jobs that have batches, canceled ones counted.
pub async fn jobs_with_any(tx: &mut Tx, jobs: Vec<i64>) -> Result<Vec<JobKey>> {
    tx.all(sql!("select distinct job_key from batch where job_key {in $1}"), &params![jobs]).await
}

/// Stores a new one under the next number of its job; whoever makes batches holds the order.
pub async fn insert(tx: &mut Tx, batch: &Batch) -> Result<()> {
    tx.changed(Collection::Batch, batch.key);
    columns::insert_later(tx, batch).await
}

/// Stores what may change of a batch; its revision rises.
pub async fn save(tx: &mut Tx, batch: &mut Batch) -> Result<()> {
    batch.rev += 1;
    tx.changed(Collection::Batch, batch.key);
    columns::update_later(tx, batch).await
}
