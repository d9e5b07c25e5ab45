//! The units of batches: listed, with what is built into them, and in what was entered for their order.

use domain::Timestamp;
use domain::key::{BatchKey, EventKey, JobKey, LinkKey, OperationKey, PhaseKey, SerialKey, WorkOrderKey};
use domain::process::PhaseParameters;
use domain::production::{Job, Order};
use domain::serial::{Link, Parent, Serial};
use serde_json::json;
use store::production::batches::{self, Batch};
use store::production::order_phases::{self, OrderPhase};
use store::production::{jobs, traces, work_orders};
use store::serial::{links, serials, work};
use store::{Db, Page, Sql, StoreError, Tx, params};

use super::run;
use super::samples::{NOW, batch, job, order, user};
use super::serial::{kinds, link, serial};

const ORDER: WorkOrderKey = WorkOrderKey(2);
const PHASE: PhaseKey = PhaseKey(1);
const STEPS: i64 = 3;

/// The batches of the order by their start, each with its units by code: the second has none, of the third one is deleted.
static UNITS: [(i64, &[i64]); 4] =
    [(11, &[1_010]), (12, &[]), (13, &[1_021, 1_022, 1_023, 1_001]), (14, &[1_010, 1_021])];
/// A batch that was taken back.
const CANCELED: i64 = 15;
const UNCODED: i64 = 1_001;
const DELETED: i64 = 1_024;
const PARTS: [i64; 4] = [1_031, 1_032, 1_033, 1_034];

fn unit(key: i64) -> Serial {
    let code = (key != UNCODED).then(|| format!("U-{key}"));
    let (deleted, deleted_by) = if key == DELETED { (Some(NOW), Some(user())) } else { (None, None) };
    Serial { code, wo_key: Some(ORDER), deleted, deleted_by, ..serial(key) }
}

fn link_of_phase(key: i64, parent: Parent, child: i64, phase: Option<i64>) -> Link {
    Link { phase_key: phase.map(PhaseKey), wo_key: Some(ORDER), ..link(key, parent, child) }
}

async fn fill(tx: &mut Tx) -> Result<(), StoreError> {
    let other = Order { key: ORDER, wo_code: "WO-2".to_owned(), place: 12, ..order() };
    work_orders::insert(tx, &other).await?;
    let phase = OrderPhase {
        work_order_key: ORDER,
        phase_key: PHASE,
        place: 0,
        alias: "10".to_owned(),
        operation_key: OperationKey::trusted("O"),
        params: PhaseParameters::default(),
        steps: json!([]),
        step_count: STEPS,
        unit_material_cost: None,
    };
    order_phases::insert_all(tx, &[phase]).await?;
    jobs::insert(tx, &Job { key: JobKey(2), work_order_key: ORDER, place: 13, ..job() }).await?;
    let units = [UNCODED, 1_010, 1_021, 1_022, 1_023, DELETED].into_iter().chain(PARTS);
    serials::insert_all(tx, &units.map(unit).collect::<Vec<_>>(), &kinds()).await?;
    for key in UNITS.iter().map(|(key, _)| *key).chain([CANCELED]) {
        let canceled = (key == CANCELED).then_some(EventKey(1));
        let made = Batch {
            key: BatchKey(key),
            job_key: JobKey(2),
            work_order_key: ORDER,
            started: Timestamp::from_millis(key),
            ended: Some(Timestamp::from_millis(100)),
            active: false,
            canceled,
            ..batch()
        };
        batches::insert(tx, &made).await?;
    }
    let of_batches = UNITS.iter().flat_map(|(batch, units)| units.iter().map(move |unit| (*batch, *unit)));
    for (batch, unit) in of_batches.chain([(13, DELETED), (CANCELED, 1_022)]) {
        let add = Sql::raw("insert into batch_serial (batch_key, serial_key) values ($1, $2)");
        tx.run(add, &params![batch, unit]).await?;
    }
    let (unit, other) = (Parent::Serial(SerialKey(1_023)), Parent::Serial(SerialKey(1_021)));
    links::insert(tx, &link_of_phase(1_001, unit, PARTS[0], Some(PHASE.0))).await?;
    let temporary = link_of_phase(1_002, other, PARTS[1], None);
    links::insert(tx, &Link { confirmed: false, linked: None, linked_by: None, ..temporary }).await?;
    links::insert(tx, &link_of_phase(1_003, unit, PARTS[2], Some(2))).await?;
    links::insert(tx, &link_of_phase(1_004, Parent::Batch(BatchKey(12)), PARTS[3], None)).await
}

fn page(offset: i64, limit: i64) -> Page {
    Page { limit, offset, count: true }
}

async fn list(tx: &mut Tx) -> Result<(), StoreError> {
    for (key, units) in UNITS {
        let found = work::of_batch(tx, BatchKey(key), &page(0, 10)).await?;
        let keys: Vec<i64> = found.rows.iter().map(|row| row.key.0).collect();
        assert_eq!(keys, units, "by code, those without one last");
        assert_eq!(found.total, Some(units.len() as i64));
        assert!(found.rows.iter().all(|row| row.active && row.code.is_some() == (row.key.0 != UNCODED)));
    }
    let found = work::of_batch(tx, BatchKey(13), &page(1, 2)).await?;
    assert_eq!((found.rows[0].key, found.rows.len(), found.total), (SerialKey(1_022), 2, Some(4)));
    Ok(())
}

async fn declare(tx: &mut Tx) -> Result<(), StoreError> {
    let found = work::declared(tx, BatchKey(13), PHASE, true).await?;
    let shown = |row: &work::Declared| (row.key.0, row.parent_key, row.link_key);
    let wanted =
        [(PARTS[0], Some(SerialKey(1_023)), LinkKey(1_001)), (PARTS[1], Some(SerialKey(1_021)), LinkKey(1_002))];
    assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), wanted, "by code; those of another phase are not in it");
    let found = work::declared(tx, BatchKey(12), PHASE, false).await?;
    assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), [(PARTS[3], None, LinkKey(1_004))]);
    assert_eq!(work::declared(tx, BatchKey(12), PHASE, true).await?.len(), 0);
    Ok(())
}

/// A batch, the place of a step and a unit.
type TraceRow = (i64, usize, Option<i64>);

async fn trace(tx: &mut Tx, page: &Page) -> Result<Vec<TraceRow>, StoreError> {
    let batches = traces::batches(tx, ORDER, page).await?;
    let units = traces::units(tx, &batches, page).await?;
    let mut rows = Vec::new();
    for batch in &batches {
        let key = batch.batch_key;
        let unit = |place: i64| units.get(&(key, place)).map(|unit| unit.key.0);
        rows.extend(batch.places_on(page).map(|(step, place)| (key.0, step, unit(place))));
    }
    assert!(units.len() <= rows.len(), "no others are read");
    assert!(units.values().all(|found| found.data == unit(found.key.0).data && found.code == unit(found.key.0).code));
    Ok(rows)
}

/// Every page has its part of all rows, wherever it begins and ends.
async fn trace_pages(tx: &mut Tx) -> Result<(), StoreError> {
    let mut all: Vec<TraceRow> = Vec::new();
    for (batch, units) in UNITS {
        for step in 0..STEPS as usize {
            all.extend(units.iter().map(|unit| (batch, step, Some(*unit))));
            all.extend(units.is_empty().then_some((batch, step, None)));
        }
    }
    assert_eq!(traces::count(tx, ORDER).await?, all.len() as i64);
    for limit in [1, 2, 3, 5, 9, 100] {
        for offset in 0..=all.len() {
            let wanted: Vec<TraceRow> = all.iter().copied().skip(offset).take(limit).collect();
            let found = trace(tx, &page(offset as i64, limit as i64)).await?;
            assert_eq!(found, wanted, "{limit} from {offset}");
        }
    }
    Ok(())
}

pub(super) async fn run(db: &Db) {
    run!(db, tx: fill(tx), list(tx), declare(tx), trace_pages(tx));
}
