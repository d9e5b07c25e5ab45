//! Serials in production: those of a batch, and those that wait between phases.

use std::collections::HashMap;

use domain::key::{BatchKey, CounterKey, JobKey, LinkKey, PhaseKey, SerialKey, WorkOrderKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;
use store::serial::{serials, work};

use super::wire::{SerialRecord, record};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{ALL, Paging, Query};
use crate::reply::Listed;

#[derive(Deserialize, JsonSchema)]
pub(super) struct UnitsQuery {
    /// The key of a batch; without it the list is empty.
    batch_key: Option<BatchKey>,
    /// Only those that have a code.
    #[serde(default)]
    filter_empty: bool,
}

/// A unit of a batch, with what was built into it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BatchUnit")]
pub(super) struct Unit {
    #[serde(flatten)]
    serial: SerialRecord,
    /// What was built into it for its order.
    children: Vec<SerialRecord>,
}

pub(super) async fn of_batch(
    cx: Cx,
    Query(query): Query<UnitsQuery>,
    Paging(page): Paging<ALL>,
) -> Result<Listed<Unit>> {
    let Some(batch) = query.batch_key else { return Ok(Listed::page(Vec::new(), &page)) };
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let mut units = serials::of_batch(tx, batch).await?;
            if query.filter_empty {
                units.retain(|view| view.serial.code.is_some());
            }
            let Listed { rows: units, total } = Listed::page(units, &page);
            let keys: Vec<i64> = units.iter().map(|view| view.serial.key.0).collect();
            let mut children: HashMap<SerialKey, Vec<SerialRecord>> = HashMap::new();
            for (parent, view) in work::built_in_for_order(tx, &keys).await? {
                children.entry(parent).or_default().push(record(view));
            }
            let rows = units.into_iter().map(|view| {
                let children = children.remove(&view.serial.key).unwrap_or_default();
                Unit { serial: record(view), children }
            });
            Ok::<_, ApiError>(Listed { rows: rows.collect(), total })
        })
        .await
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ComponentsQuery {
    /// The key of a batch; without it the list is empty.
    batch_key: Option<BatchKey>,
}

/// A serial that was built into a batch.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BatchComponent")]
pub(super) struct Component {
    #[serde(flatten)]
    serial: SerialRecord,
    link_key: LinkKey,
    /// False: temporary, until the batch is completed.
    confirmed: bool,
}

pub(super) async fn components(
    cx: Cx,
    Query(query): Query<ComponentsQuery>,
    Paging(page): Paging<ALL>,
) -> Result<Listed<Component>> {
    let Some(batch) = query.batch_key else { return Ok(Listed::page(Vec::new(), &page)) };
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = work::built_into_batch(tx, batch).await?;
            let component = |(view, link_key, confirmed)| Component { serial: record(view), link_key, confirmed };
            Ok::<_, ApiError>(Listed::page(found.into_iter().map(component).collect(), &page))
        })
        .await
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct WipQuery {
    /// Only units of this work order; without the others, all of its units that nobody has booked.
    wo_key: Option<WorkOrderKey>,
    /// Units that this job has booked, and those that wait in front of its phase.
    job_key: Option<JobKey>,
    /// Units that wait in front of this phase.
    phase_key: Option<PhaseKey>,
}

/// A unit in production: in a batch, or between two phases.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WipSerial {
    serial_key: SerialKey,
    serial_code: Option<String>,
    counter_key: Option<CounterKey>,
    /// Whether it is in a batch, or booked by the job.
    active: bool,
}

impl From<work::WipSerial> for WipSerial {
    fn from(row: work::WipSerial) -> Self {
        Self { serial_key: row.key, serial_code: row.code, counter_key: row.counter_key, active: row.active }
    }
}

pub(super) async fn in_progress(
    cx: Cx,
    Query(query): Query<WipQuery>,
    Paging(page): Paging<ALL>,
) -> Result<Listed<WipSerial>> {
    let wanted = work::Waiting { wo_key: query.wo_key, job_key: query.job_key, phase_key: query.phase_key };
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = work::waiting(tx, &wanted).await?;
            Ok::<_, ApiError>(Listed::page(found.into_iter().map(WipSerial::from).collect(), &page))
        })
        .await
}
