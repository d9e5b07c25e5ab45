//! What the Device History Record of a unit is made from, of many units at once.

use domain::journal::listed::ListedKind;
use domain::key::{BatchKey, EventKey, JobKey, PhaseKey, SerialKey, StepKey, UserKey, WorkOrderKey};
use domain::production::{StepCopy, StepStatus};
use domain::{Quantity, Timestamp};

use crate::row::{FromRow, Row, row_struct};
use crate::sql::Sql;
use crate::tx::Tx;
use crate::{Result, params};

const WITH_VALUES: &str = "select key from serial where key {in $1} and data <> '[]'";

/// Which of these units have field values.
pub async fn with_values(tx: &mut Tx, keys: &[i64]) -> Result<Vec<SerialKey>> {
    tx.all(Sql::from_literal(WITH_VALUES), &params![keys.to_vec()]).await
}

const WITH_FILES: &str = "select distinct object_key from file where bucket = 'serial' and object_key {in $1}";

/// Which of these units have stored files, by their keys as folders name them.
pub async fn with_files(tx: &mut Tx, units: &[String]) -> Result<Vec<String>> {
    tx.all(Sql::from_literal(WITH_FILES), &params![units.to_vec()]).await
}

row_struct! {
    /// The order that makes a unit.
    pub struct OrderFacts {
        pub key: WorkOrderKey,
        pub wo_code: String,
        pub project_code: Option<String>,
        pub qt_planned: Quantity,
        pub qt_completed: Quantity,
        /// How many of its units were released.
        pub released: i64,
    }
}

const ORDERS: &str = "select work_order.key, work_order.wo_code, work_order.project_code, work_order.qt_planned, work_order.qt_completed,
            (select count(serial.released)
             from serial
             where serial.wo_key = work_order.key and serial.wo_key is not null and serial.deleted is null)
     from {of-any work_order key $1}";

pub async fn orders(tx: &mut Tx, keys: &[i64]) -> Result<Vec<OrderFacts>> {
    tx.all(Sql::from_literal(ORDERS), &params![keys.to_vec()]).await
}

row_struct! {
    /// A phase of an order, with its steps.
    pub struct PhaseFacts {
        pub work_order_key: WorkOrderKey,
        pub phase_key: PhaseKey,
        pub alias: String,
        pub steps: Vec<StepCopy>,
    }
}

const PHASES: &str = "select work_order_key, phase_key, alias, steps
     from order_phase
     where work_order_key {in $1}
     order by work_order_key, place";

/// The phases of these orders, each order's in sequence.
pub async fn phases(tx: &mut Tx, orders: &[i64]) -> Result<Vec<PhaseFacts>> {
    tx.all(Sql::from_literal(PHASES), &params![orders.to_vec()]).await
}

row_struct! {
    /// A batch that works or worked on a unit.
    pub struct UnitBatch {
        pub serial_key: SerialKey,
        pub batch_key: BatchKey,
        pub job_key: JobKey,
        pub phase_key: PhaseKey,
        pub started: Timestamp,
        pub ended: Option<Timestamp>,
    }
}

const BATCHES: &str =
    "select batch_serial.serial_key, batch.key, batch.job_key, batch.phase_key, batch.started, batch.ended
     from batch_serial
     cross join batch
     where batch_serial.serial_key {in $1} and batch.key = batch_serial.batch_key and batch.canceled is null
     order by batch.started, batch.key";

/// The batches of these units that were not taken back, the first one first.
pub async fn batches(tx: &mut Tx, units: &[i64]) -> Result<Vec<UnitBatch>> {
    tx.all(Sql::from_literal(BATCHES), &params![units.to_vec()]).await
}

row_struct! {
    /// That a step was carried out for a batch, without what was entered.
    pub struct StepFacts {
        pub batch_key: BatchKey,
        pub step_key: StepKey,
        pub user_key: UserKey,
        pub completed: Option<Timestamp>,
        pub status: StepStatus,
    }
}

const STEPS: &str = "select batch_key, step_key, user_key, completed, status
     from step_execution
     where batch_key {in $1} and canceled is null";

/// The steps of these batches that count.
pub async fn steps(tx: &mut Tx, batches: &[i64]) -> Result<Vec<StepFacts>> {
    tx.all(Sql::from_literal(STEPS), &params![batches.to_vec()]).await
}

row_struct! {
    /// A stored file of a unit.
    pub struct UnitFile {
        /// The key of the unit, as folders name it.
        pub unit: String,
        pub subfolder: String,
        pub name: String,
        pub object: String,
        pub size: i64,
        pub content_type: String,
        pub sha256: Vec<u8>,
    }
}

const FILES: &str = "select object_key, subfolder, name, object, size, content_type, sha256
     from file
     where bucket = 'serial' and object_key {in $1}
     order by object_key, subfolder_folded = '', subfolder_folded, subfolder, name_folded, name";

/// The files of these units, by folder and name.
pub async fn files(tx: &mut Tx, units: &[String]) -> Result<Vec<UnitFile>> {
    tx.all(Sql::from_literal(FILES), &params![units.to_vec()]).await
}

row_struct! {
    /// An event without its payload.
    pub struct EventFacts {
        pub seq: i64,
        pub key: EventKey,
        pub event_type: String,
        pub timestamp: Timestamp,
        pub user_key: UserKey,
        pub description: Option<String>,
    }
}

/// The unit's key, and an event.
struct Owned<K>(K, EventFacts);

impl<K: crate::row::FromColumn> FromRow for Owned<K> {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self(row.column()?, EventFacts::from_row(row)?))
    }
}

const EVENTS: &str = "select serial_key, seq, key, event_type, timestamp, user_key, description
     from event
     where serial_key {in $1} and serial_key is not null";
const LISTED_EVENTS: &str = "select event_listed.key, event.seq, event.key, event.event_type, event.timestamp, event.user_key, event.description
     from event_listed
     cross join event
     where event_listed.kind = $1 and event_listed.key {in $2} and event.seq = event_listed.seq";

/// The events that are about these units, or that name them in a list, in the order they were stored.
pub async fn events(tx: &mut Tx, units: &[SerialKey]) -> Result<Vec<(SerialKey, EventFacts)>> {
    let keys: Vec<i64> = units.iter().map(|unit| unit.0).collect();
    let own: Vec<Owned<SerialKey>> = tx.all(Sql::from_literal(EVENTS), &params![keys]).await?;
    let texts: Vec<String> = units.iter().map(ToString::to_string).collect();
    let by_text: std::collections::HashMap<&str, SerialKey> =
        texts.iter().map(String::as_str).zip(units.iter().copied()).collect();
    let listed: Vec<Owned<String>> =
        tx.all(Sql::from_literal(LISTED_EVENTS), &params![ListedKind::Serial, texts.clone()]).await?;
    let listed = listed.into_iter().filter_map(|Owned(text, event)| Some((*by_text.get(text.as_str())?, event)));
    let mut all: Vec<(SerialKey, EventFacts)> =
        own.into_iter().map(|Owned(unit, event)| (unit, event)).chain(listed).collect();
    all.sort_unstable_by_key(|(unit, event)| (event.seq, *unit));
    all.dedup_by_key(|(unit, event)| (event.seq, *unit));
    Ok(all)
}

/// The statements that find rows of units among those of all others: a test looks at how the engines carry them out.
pub fn statements() -> [&'static str; 8] {
    [WITH_VALUES, WITH_FILES, ORDERS, PHASES, BATCHES, STEPS, FILES, EVENTS]
}

/// The statement behind [`events`] that finds units in lists; its first parameter is the kind of record.
pub fn listed_statement() -> &'static str {
    LISTED_EVENTS
}
