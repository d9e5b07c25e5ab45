//! Serials in production: those of a batch, what is built into them, and those that wait between phases.

use std::sync::LazyLock;

use domain::key::{BatchKey, CounterKey, JobKey, LinkKey, PhaseKey, ProductKey, SerialKey, WorkOrderKey};

use super::serials::{BY_CODE, SerialView, VIEW_LIST};
use crate::Result;
use crate::row::{FromRow, Row, row_struct};
use crate::sql::{Page, Paged, Query};
use crate::tx::Tx;

struct BuiltIn(SerialKey, SerialView);

impl FromRow for BuiltIn {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let view = SerialView::from_row(row)?;
        Ok(Self(row.column()?, view))
    }
}

/// What active links of their own order lead to from these serials, by code; each with the serial that contains it.
pub async fn built_in_for_order(tx: &mut Tx, parents: &[i64]) -> Result<Vec<(SerialKey, SerialView)>> {
    static SELECT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "select {}, link.parent_key
             from serial_link as link
             join serial on serial.key = link.child_key
             join serial as parent on parent.key = link.parent_key",
            *VIEW_LIST
        )
    });
    let found: Vec<BuiltIn> = Query::new(&SELECT)
        .filter("link.parent_key {in {}} and link.parent_key is not null and not link.replaced", parents.to_vec())
        .only("link.wo_key = parent.wo_key")
        .all(tx, BY_CODE)
        .await?;
    Ok(found.into_iter().map(|BuiltIn(parent, view)| (parent, view)).collect())
}

struct IntoBatch(SerialView, LinkKey, bool);

impl FromRow for IntoBatch {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self(SerialView::from_row(row)?, row.column()?, row.column()?))
    }
}

/// What active links lead to from a batch, by code; each with its link, and whether that is confirmed.
pub async fn built_into_batch(tx: &mut Tx, batch: BatchKey) -> Result<Vec<(SerialView, LinkKey, bool)>> {
    static SELECT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "select {}, link.key, link.confirmed
             from serial_link as link
             join serial on serial.key = link.child_key",
            *VIEW_LIST
        )
    });
    let condition = "link.parent_batch_key = {} and link.parent_batch_key is not null and not link.replaced";
    let found: Vec<IntoBatch> = Query::new(&SELECT).filter(condition, batch).all(tx, BY_CODE).await?;
    Ok(found.into_iter().map(|IntoBatch(view, link, confirmed)| (view, link, confirmed)).collect())
}

row_struct! {
    /// A serial that was built into a batch or into one of its units.
    pub struct Declared {
        pub key: SerialKey,
        pub code: Option<String>,
        pub component_key: ProductKey,
        /// The unit that contains it; none if it is the batch.
        pub parent_key: Option<SerialKey>,
        pub link_key: LinkKey,
    }
}

/// What active links of this phase, or of none, lead to, by code: from the units of a batch, or from the batch itself if its order
/// is not traced.
pub async fn declared(tx: &mut Tx, batch: BatchKey, phase: PhaseKey, is_traced: bool) -> Result<Vec<Declared>> {
    let links = if is_traced {
        Query::new(
            "select serial.key, serial.code, link.component_key, link.parent_key, link.key
             from batch_serial
             join serial_link as link on link.parent_key = batch_serial.serial_key
             join serial on serial.key = link.child_key",
        )
        .filter("batch_serial.batch_key = {} and link.parent_key is not null", batch)
    } else {
        Query::new(
            "select serial.key, serial.code, link.component_key, link.parent_key, link.key
             from serial_link as link
             join serial on serial.key = link.child_key",
        )
        .filter("link.parent_batch_key = {} and link.parent_batch_key is not null", batch)
    };
    links
        .only("not link.replaced")
        .filter("(link.phase_key is null or link.phase_key = {})", phase)
        .all(tx, BY_CODE)
        .await
}

row_struct! {
    pub struct WipSerial {
        pub key: SerialKey,
        pub code: Option<String>,
        pub counter_key: Option<CounterKey>,
        /// Whether a job works on it or has booked it.
        pub active: bool,
    }
}

/// The live units that a batch works or worked on, by code.
pub async fn of_batch(tx: &mut Tx, batch: BatchKey, page: &Page) -> Result<Paged<WipSerial>> {
    Query::new(
        "select serial.key, serial.code, serial.counter_key, true
         from batch_serial
         join serial on serial.key = batch_serial.serial_key",
    )
    .filter("batch_serial.batch_key = {}", batch)
    .only("serial.deleted is null")
    .page(tx, BY_CODE, page)
    .await
}

/// Which units between phases are wanted; without any of these, none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Waiting {
    pub wo_key: Option<WorkOrderKey>,
    /// Those that it has booked, and those that wait in front of its phase in its order.
    pub job_key: Option<JobKey>,
    pub phase_key: Option<PhaseKey>,
}

pub async fn waiting(tx: &mut Tx, wanted: &Waiting) -> Result<Vec<WipSerial>> {
    if wanted.wo_key.is_none() && wanted.job_key.is_none() && wanted.phase_key.is_none() {
        return Ok(Vec::new());
    }
    let mut query = Query::new(
        "select serial.key, serial.code, serial.counter_key, wip.job_key is not null
         from wip
         join serial on serial.key = wip.serial_key",
    )
    .only("wip.serial_key is not null and wip.used_by is null")
    .only("serial.scrapped is null and serial.deleted is null")
    .filter_if("wip.work_order_key = {}", wanted.wo_key)
    .filter_if("wip.to_phase = {}", wanted.phase_key);
    query = match wanted.job_key {
        Some(job) => query.filter(
            "(wip.job_key = {} or (wip.job_key is null
                and wip.work_order_key = (select work_order_key from job where job.key = {})
                and wip.to_phase = (select phase_key from job where job.key = {})))",
            job,
        ),
        None => query.only("wip.job_key is null"),
    };
    query.all(tx, BY_CODE).await
}
