//! Every unit of a traced order is in one place, and the places are what the jobs say: by what is stored, and by what is told.

use std::collections::{BTreeMap, BTreeSet};

use domain::key::{BatchKey, JobKey, PhaseKey, SerialKey, WorkOrderKey};
use domain::production::{Job, Work};
use domain::{Quantity, Timestamp};
use testkit::{Person, Site, Value, json};

use super::floor::{column, list, units_of};
use super::text;
use crate::production::books;

pub(super) async fn audit(site: &Site, reader: &Person) {
    books::audit(site).await;
    for key in site.all::<i64>("select key from work_order where traceability_level is not null").await {
        Stored::load(site, books::load(site, key).await).await.check();
        told(reader, WorkOrderKey(key)).await;
    }
    nothing_is_doubled_or_left_over(site).await;
}

/// The number of units that a quantity is.
#[track_caller]
fn count(quantity: Quantity) -> usize {
    let one = Quantity::ONE.millionths();
    assert_eq!(quantity.millionths() % one, 0, "{quantity} units");
    usize::try_from(quantity.millionths() / one).unwrap()
}

/// A unit that is not deleted.
struct Unit {
    released: bool,
    scrapped: bool,
}

/// A batch that counts.
struct Batch {
    key: BatchKey,
    job: JobKey,
    active: bool,
    total: usize,
    pass: usize,
    scrap: usize,
    units: BTreeSet<SerialKey>,
}

/// A unit that passed in one phase, on its way to the next.
struct Passed {
    unit: SerialKey,
    made_by: BatchKey,
    to_phase: PhaseKey,
    booked_by: Option<JobKey>,
    used_by: Option<BatchKey>,
}

/// What is stored of an order.
struct Stored {
    work: Work,
    units: BTreeMap<SerialKey, Unit>,
    batches: Vec<Batch>,
    passed: Vec<Passed>,
}

impl Stored {
    async fn load(site: &Site, work: Work) -> Self {
        let units: Vec<(SerialKey, WorkOrderKey, Option<Timestamp>, Option<Timestamp>)> = site
            .all("select key, wo_key, released, scrapped from serial where wo_key is not null and deleted is null")
            .await;
        let own = units.into_iter().filter(|(_, order, ..)| *order == work.order.key);
        let units = own.map(|(key, _, released, scrapped)| {
            (key, Unit { released: released.is_some(), scrapped: scrapped.is_some() })
        });
        let units = units.collect();
        let batches = batches(site, &work).await;
        let passed = passed(site, &work).await;
        Self { work, units, batches, passed }
    }

    fn check(&self) {
        for batch in &self.batches {
            let job = self.work.job(batch.job).unwrap();
            assert_eq!(batch.units.len(), batch.total, "units of batch {}", batch.key);
            for unit in &batch.units {
                assert!(self.units.contains_key(unit), "batch {} has lost unit {unit}", batch.key);
            }
            match batch.active {
                true => self.is_under_way(job, batch),
                false => self.is_complete(job, batch),
            }
        }
        for (key, unit) in &self.units {
            self.is_in_one_place(*key, unit);
        }
        for place in 0..self.work.phases {
            self.adds_up(place);
        }
        let begun: usize = self.work.of_phase(0).map(|job| count(job.minimum())).sum();
        assert_eq!(self.units.len(), begun, "the first phase makes all units");
        let released = self.units.values().filter(|unit| unit.released).count();
        assert_eq!(released, count(self.work.order.qt_completed), "released");
        let scrapped = self.units.values().filter(|unit| unit.scrapped && !unit.released).count();
        assert_eq!(scrapped, count(self.work.order.qt_scrap), "scrapped");
    }

    /// Those of the units between phases that a condition holds for.
    fn those(&self, condition: impl Fn(&Passed) -> bool) -> BTreeSet<SerialKey> {
        self.passed.iter().filter(|passed| condition(passed)).map(|passed| passed.unit).collect()
    }

    fn is_under_way(&self, job: &Job, batch: &Batch) {
        assert_eq!(job.active_batch_key, Some(batch.key));
        let booked = self.those(|passed| passed.booked_by == Some(job.key));
        assert_eq!(booked, input(job, batch), "booked by batch {}", batch.key);
        for unit in batch.units.iter().map(|key| &self.units[key]) {
            assert!(!unit.released && !unit.scrapped, "batch {} works on a unit that has ended", batch.key);
        }
    }

    fn is_complete(&self, job: &Job, batch: &Batch) {
        let used = self.those(|passed| passed.used_by == Some(batch.key));
        assert_eq!(used, input(job, batch), "used by batch {}", batch.key);
        let made = self.those(|passed| passed.made_by == batch.key);
        let passed = match self.work.is_last_phase(job.phase_place) {
            false => made,
            true => {
                assert_eq!(made, BTreeSet::new(), "no phase follows");
                batch.units.iter().filter(|key| self.units[*key].released).copied().collect()
            }
        };
        assert!(passed.is_subset(&batch.units), "batch {} has passed units of others", batch.key);
        assert_eq!(passed.len(), batch.pass, "passed in batch {}", batch.key);
        let scrapped: Vec<&Unit> = batch.units.difference(&passed).map(|key| &self.units[key]).collect();
        assert_eq!(scrapped.len(), batch.scrap, "scrapped in batch {}", batch.key);
        assert!(scrapped.iter().all(|unit| unit.scrapped && !unit.released), "scrapped in batch {}", batch.key);
    }

    /// It waits, or is worked on, or has ended.
    fn is_in_one_place(&self, key: SerialKey, unit: &Unit) {
        let worked_on = self.batches.iter().filter(|batch| batch.active && batch.units.contains(&key)).count();
        let free = |passed: &&Passed| passed.booked_by.is_none() && passed.used_by.is_none();
        let waiting = self.passed.iter().filter(|passed| passed.unit == key).filter(free).count();
        let ended = usize::from(unit.released || unit.scrapped);
        assert_eq!(worked_on + waiting + ended, 1, "{key}: {worked_on} batches, {waiting} places, {ended} ends");
    }

    /// What the jobs of a phase say they have made, scrapped and under way is what their batches have of units, and what is left of
    /// the phase before waits.
    fn adds_up(&self, place: i64) {
        let jobs: Vec<&Job> = self.work.of_phase(place).collect();
        let own = || self.batches.iter().filter(|batch| jobs.iter().any(|job| job.key == batch.job));
        let sum = |quantity: fn(&Job) -> Quantity| jobs.iter().map(|job| count(quantity(job))).sum::<usize>();
        assert_eq!(own().map(|batch| batch.pass).sum::<usize>(), sum(|job| job.qt_completed), "passed phase {place}");
        assert_eq!(own().map(|batch| batch.scrap).sum::<usize>(), sum(|job| job.qt_scrap), "scrapped in phase {place}");
        let under_way: usize = own().filter(|batch| batch.active).map(|batch| batch.units.len()).sum();
        assert_eq!(under_way, sum(|job| job.active_batch_qt), "under way in phase {place}");
        if place > 0 {
            let phase = jobs[0].phase_key;
            let free =
                self.those(|row| row.to_phase == phase && row.booked_by.is_none() && row.used_by.is_none()).len();
            assert_eq!(free, count(self.work.free_in_front(place)), "free in front of phase {place}");
        }
    }
}

/// What a batch takes from the phase before.
fn input(job: &Job, batch: &Batch) -> BTreeSet<SerialKey> {
    if job.is_first_phase() { BTreeSet::new() } else { batch.units.clone() }
}

async fn batches(site: &Site, work: &Work) -> Vec<Batch> {
    let mut units: BTreeMap<BatchKey, BTreeSet<SerialKey>> = BTreeMap::new();
    for (batch, unit) in site.all::<(BatchKey, SerialKey)>("select batch_key, serial_key from batch_serial").await {
        units.entry(batch).or_default().insert(unit);
    }
    let which: Vec<(BatchKey, JobKey, bool)> =
        site.all("select key, job_key, active from batch where canceled is null order by key").await;
    let how_many: Vec<(Quantity, Quantity, Quantity)> =
        site.all("select qt_total, qt_pass, qt_scrap from batch where canceled is null order by key").await;
    let mut batches = Vec::new();
    for ((key, job, active), (total, pass, scrap)) in which.into_iter().zip(how_many) {
        if work.job(job).is_some() {
            let units = units.remove(&key).unwrap_or_default();
            batches.push(Batch {
                key,
                job,
                active,
                total: count(total),
                pass: count(pass),
                scrap: count(scrap),
                units,
            });
        }
    }
    batches
}

async fn passed(site: &Site, work: &Work) -> Vec<Passed> {
    let which: Vec<(SerialKey, BatchKey, WorkOrderKey, PhaseKey)> = site
        .all(
            "select serial_key, batch_key, work_order_key, to_phase
             from wip where serial_key is not null order by key",
        )
        .await;
    let taken: Vec<(Option<JobKey>, Option<BatchKey>)> =
        site.all("select job_key, used_by from wip where serial_key is not null order by key").await;
    let mut passed = Vec::new();
    for ((unit, made_by, order, to_phase), (booked_by, used_by)) in which.into_iter().zip(taken) {
        if order == work.order.key {
            passed.push(Passed { unit, made_by, to_phase, booked_by, used_by });
        }
    }
    passed
}

/// The same by what can be read.
async fn told(reader: &Person, order: WorkOrderKey) {
    let read = reader.get(&format!("/work-order/{order}")).await.detail();
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for unit in list(reader, &format!("/serial?wo_key={order}&limit=10000")).await {
        let ended = match (unit["released"].is_null(), unit["scrapped"].is_null()) {
            (false, _) => Some("released"),
            (true, false) => Some("scrapped"),
            (true, true) => None,
        };
        places.entry(text(&unit["_key"])).or_default().extend(ended.map(str::to_owned));
    }
    let mut put = |unit: &str, place: String| match places.get_mut(unit) {
        Some(places) => places.push(place),
        None => panic!("{unit} is {place}, and no unit of the order"),
    };
    for (place, phase) in read["phase_sequence"].as_array().unwrap().iter().enumerate() {
        let free = list(reader, &format!("/wip-serial?wo_key={order}&phase_key={}", text(phase))).await;
        assert!(free.iter().all(|row| row["active"] == false), "nobody has booked what is free");
        for unit in column(&free, "serial_key") {
            put(&unit, format!("in front of phase {place}"));
        }
        let in_front = if place == 0 { Value::Null } else { json!(free.len()) };
        for job in read["jobs"].as_array().unwrap().iter().filter(|job| job["phase_key"] == *phase) {
            let key = text(&job["_key"]);
            let wip = reader.get(&format!("/wip?job_key={key}")).await.expect(200).body;
            assert_eq!(wip["free_wip_qt_upstream"], in_front, "free in front of phase {place}");
            for unit in under_way(reader, job).await {
                put(&unit, format!("in the batch of job {key}"));
            }
        }
    }
    for (unit, places) in &places {
        assert_eq!(places.len(), 1, "{unit} is {places:?}");
    }
    let number = |place: &str| json!(places.values().filter(|places| places[0] == place).count());
    assert_eq!(read["qt_completed"], number("released"));
    assert_eq!(read["qt_scrap"], number("scrapped"));
}

/// The units of a job's active batch, which every list of them shows.
async fn under_way(reader: &Person, job: &Value) -> BTreeSet<String> {
    let key = text(&job["_key"]);
    let waiting = list(reader, &format!("/wip-serial?job_key={key}")).await;
    let booked: BTreeSet<String> =
        waiting.iter().filter(|row| row["active"] == true).map(|row| text(&row["serial_key"])).collect();
    let Some(batch) = job["active_batch_key"].as_str() else {
        assert_eq!(booked, BTreeSet::new(), "job {key} has no batch");
        return booked;
    };
    let units: BTreeSet<String> = units_of(reader, batch).await.into_iter().collect();
    assert_eq!(json!(units.len()), job["active_batch_qt"], "units of batch {batch}");
    let shown = column(&list(reader, &format!("/serial-batch?batch_key={batch}")).await, "_key");
    assert_eq!(shown.into_iter().collect::<BTreeSet<_>>(), units, "units of batch {batch}");
    let expected = if job["first_phase"] == true { BTreeSet::new() } else { units.clone() };
    assert_eq!(booked, expected, "booked by job {key}");
    units
}

async fn nothing_is_doubled_or_left_over(site: &Site) {
    let none = async |what: &str, statement: &str| {
        assert_eq!(site.look::<i64>(statement, vec![]).await, Some(0), "{what}");
    };
    let one = Quantity::ONE.millionths();
    let other_than_one = format!(
        "select count(*) from wip join work_order on work_order.key = wip.work_order_key
         where (wip.serial_key is not null or work_order.traceability_level is not null)
         and (wip.serial_key is null or work_order.traceability_level is null or wip.quantity <> {one})"
    );
    none("what waits in traced orders and is not one unit", other_than_one.as_str()).await;
    none(
        "units that wait twice",
        "select count(*)
         from (select serial_key from wip
               where serial_key is not null and used_by is null
               group by serial_key having count(*) > 1) as twice",
    )
    .await;
    none(
        "units in two batches",
        "select count(*)
         from (select serial_key from batch_serial join batch on batch.key = batch_serial.batch_key
               where batch.active
               group by serial_key having count(*) > 1) as twice",
    )
    .await;
    none(
        "units in work that are gone, or of another order",
        "select count(*) from batch_serial
         join batch on batch.key = batch_serial.batch_key
         left join serial on serial.key = batch_serial.serial_key
         where batch.active
         and (serial.key is null or serial.deleted is not null or serial.wo_key is null
              or serial.wo_key <> batch.work_order_key)",
    )
    .await;
    none(
        "units of canceled batches, or discarded ones, on their way",
        "select count(*) from wip
         join batch on batch.key = wip.batch_key
         join serial on serial.key = wip.serial_key
         where batch.canceled is not null or serial.deleted is not null",
    )
    .await;
    none(
        "temporary links of batches that are not active, or of units that are not in the batch",
        "select count(*) from serial_link
         left join batch on batch.key = serial_link.batch_key
         left join batch_serial
             on batch_serial.batch_key = serial_link.batch_key and batch_serial.serial_key = serial_link.parent_key
         where not serial_link.confirmed
         and (batch.key is null or not batch.active
              or (serial_link.parent_key is not null and batch_serial.serial_key is null))",
    )
    .await;
    none(
        "links of canceled batches or discarded units",
        "select count(*) from serial_link
         left join batch on batch.key = serial_link.batch_key
         left join serial as parent on parent.key = serial_link.parent_key
         where not serial_link.replaced and (batch.canceled is not null or parent.deleted is not null)",
    )
    .await;
}
