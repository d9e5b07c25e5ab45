//! What was entered for an order: batch by batch, step by step, and unit by unit if units are traced.

use std::collections::HashMap;
use std::ops::Range;

use domain::Quantity;
use domain::key::{BatchKey, JobKey, PhaseKey, SerialKey, WorkOrderKey};
use domain::serial::SerialValue;

use crate::row::{FromRow, Row, row_struct};
use crate::serial::serials::BY_CODE;
use crate::sql::{Page, Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

row_struct! {
    /// A batch of which a page shows rows: one for each unit at each step, or one for each step if it has no units.
    pub struct Traced {
        pub batch_key: BatchKey,
        pub job_key: JobKey,
        pub phase_key: PhaseKey,
        pub phase_alias: String,
        pub qt_total: Quantity,
        pub step_count: i64,
        /// How many rows each step has: at least one.
        pub unit_count: i64,
        /// How many rows there are up to its last one, with those of all batches before.
        pub up_to: i64,
    }
}

impl Traced {
    fn row_count(&self) -> i64 {
        self.step_count * self.unit_count
    }

    /// Which of its rows a page shows, counted from its first one.
    fn rows_on(&self, page: &Page) -> Range<i64> {
        let before = self.up_to - self.row_count();
        let within = |row: i64| row.saturating_sub(before).clamp(0, self.row_count());
        within(page.offset)..within(page.end())
    }

    /// The rows that a page shows of it: the place of the step, and that of the unit.
    pub fn places_on(&self, page: &Page) -> impl Iterator<Item = (usize, i64)> + use<> {
        let unit_count = self.unit_count;
        self.rows_on(page).map(move |row| ((row / unit_count) as usize, row % unit_count))
    }

    /// The places of the units that a page shows: all, or up to two ranges, since a page may begin with the last units of one step
    /// and end with the first ones of the next.
    fn units_on(&self, page: &Page) -> [Range<i64>; 2] {
        let rows = self.rows_on(page);
        let shown = rows.end - rows.start;
        if shown >= self.unit_count {
            return [0..self.unit_count, 0..0];
        }
        let start = rows.start % self.unit_count;
        let end = start + shown;
        [start..end.min(self.unit_count), 0..(end - self.unit_count).max(0)]
    }
}

/// The batches that a page falls on, by phase and start; not those that were taken back.
pub async fn batches(tx: &mut Tx, order: WorkOrderKey, page: &Page) -> Result<Vec<Traced>> {
    tx.all(
        sql!(
            "select key, job_key, phase_key, alias, qt_total, step_count, unit_count, up_to
             from (
                 select key, job_key, phase_key, alias, qt_total, step_count, unit_count, place, started,
                        cast(sum(step_count * unit_count) over (order by place, started, key) as {int}) as up_to
                 from (
                     select batch.key, batch.job_key, batch.phase_key, order_phase.alias, batch.qt_total,
                            order_phase.step_count, order_phase.place, batch.started,
                            coalesce(nullif((
                                select count(*)
                                from batch_serial
                                join serial on serial.key = batch_serial.serial_key
                                where batch_serial.batch_key = batch.key and serial.deleted is null
                            ), 0), 1) as unit_count
                     from batch
                     join order_phase on order_phase.work_order_key = batch.work_order_key
                     and order_phase.phase_key = batch.phase_key
                     where batch.work_order_key = $1 and batch.canceled is null
                 ) as traced
             ) as counted
             where up_to > $2 and up_to - step_count * unit_count < $3
             order by place, started, key"
        ),
        &params![order, page.offset, page.end()],
    )
    .await
}

/// How many rows there are in all.
pub async fn count(tx: &mut Tx, order: WorkOrderKey) -> Result<i64> {
    tx.one(
        sql!(
            "select cast(coalesce(sum(step_count * unit_count), 0) as {int})
             from (
                 select order_phase.step_count,
                        coalesce(nullif((
                            select count(*)
                            from batch_serial
                            join serial on serial.key = batch_serial.serial_key
                            where batch_serial.batch_key = batch.key and serial.deleted is null
                        ), 0), 1) as unit_count
                 from batch
                 join order_phase on order_phase.work_order_key = batch.work_order_key
                 and order_phase.phase_key = batch.phase_key
                 where batch.work_order_key = $1 and batch.canceled is null
             ) as traced"
        ),
        &params![order],
    )
    .await
}

row_struct! {
    /// A unit of a batch.
    pub struct TracedUnit {
        pub key: SerialKey,
        pub code: Option<String>,
        pub data: Vec<SerialValue>,
    }
}

struct InBatch(BatchKey, TracedUnit);

impl FromRow for InBatch {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self(row.column()?, TracedUnit::from_row(row)?))
    }
}

/// The units that a page shows, by batch and by their place in it: by code, those without one last. No others are read in full,
/// however many a batch has.
pub async fn units(tx: &mut Tx, batches: &[Traced], page: &Page) -> Result<HashMap<(BatchKey, i64), TracedUnit>> {
    let (mut whole, mut parts) = (Vec::new(), Vec::new());
    for batch in batches {
        let ranges = batch.units_on(page);
        if ranges[0] == (0..batch.unit_count) {
            whole.push(batch.batch_key.0);
        } else {
            let some = ranges.into_iter().filter(|range| !range.is_empty());
            parts.extend(some.map(|range| (batch.batch_key, range)));
        }
    }
    let mut units = HashMap::new();
    let mut counted: HashMap<BatchKey, i64> = HashMap::new();
    for InBatch(batch, unit) in of_whole(tx, whole).await? {
        let place = counted.entry(batch).or_default();
        units.insert((batch, *place), unit);
        *place += 1;
    }
    // Of the first batch and the last one; all between them are shown as a whole.
    for (batch, places) in parts {
        let found = of_part(tx, batch, &places).await?;
        units.extend(places.zip(found).map(|(place, unit)| ((batch, place), unit)));
    }
    Ok(units)
}

/// All units of some batches, by code.
async fn of_whole(tx: &mut Tx, batches: Vec<i64>) -> Result<Vec<InBatch>> {
    if batches.is_empty() {
        return Ok(Vec::new());
    }
    Query::new(
        "select batch_serial.batch_key, serial.key, serial.code, serial.data
         from batch_serial
         join serial on serial.key = batch_serial.serial_key",
    )
    .filter("batch_serial.batch_key {in {}}", batches)
    .only("serial.deleted is null")
    .all(tx, BY_CODE)
    .await
}

/// The units of a batch at these places, by code. Their data is read apart, since sorting would carry that of all of them.
async fn of_part(tx: &mut Tx, batch: BatchKey, places: &Range<i64>) -> Result<Vec<TracedUnit>> {
    let wanted = format!(
        "serial.key in (
             select serial.key
             from batch_serial
             join serial on serial.key = batch_serial.serial_key
             where batch_serial.batch_key = {{}} and serial.deleted is null
             order by {BY_CODE}
             limit {{}} offset {{}}
         )"
    );
    Query::new("select serial.key, serial.code, serial.data from serial")
        .filter_row(&wanted, params![batch, places.end - places.start, places.start])
        .all(tx, BY_CODE)
        .await
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Batches with so many steps and units.
    fn batches(sizes: &[(i64, i64)]) -> Vec<Traced> {
        let mut up_to = 0;
        let batch = |(key, (step_count, unit_count)): (i64, &(i64, i64))| {
            up_to += step_count * unit_count;
            Traced {
                batch_key: BatchKey(key),
                job_key: JobKey(1),
                phase_key: PhaseKey(1),
                phase_alias: String::new(),
                qt_total: Quantity::ONE,
                step_count: *step_count,
                unit_count: *unit_count,
                up_to,
            }
        };
        (0..).zip(sizes).map(batch).collect()
    }

    fn shown(batches: &[Traced], page: &Page) -> Vec<(BatchKey, usize, i64)> {
        let of_batch = |batch: &Traced| {
            let key = batch.batch_key;
            batch.places_on(page).map(move |(step, unit)| (key, step, unit)).collect::<Vec<_>>()
        };
        batches.iter().flat_map(of_batch).collect()
    }

    fn page(offset: i64, limit: i64) -> Page {
        Page { limit, offset, count: false }
    }

    #[test]
    fn pages_are_cut_from_all_rows_and_need_no_other_units() {
        let batches = batches(&[(2, 3), (0, 4), (1, 1), (3, 1), (2, 5), (1, 4)]);
        let mut all = Vec::new();
        for batch in &batches {
            for step in 0..batch.step_count as usize {
                all.extend((0..batch.unit_count).map(|unit| (batch.batch_key, step, unit)));
            }
        }
        assert_eq!(all.len() as i64, batches.last().unwrap().up_to);
        for offset in 0..=all.len() + 1 {
            for limit in 1..=all.len() + 1 {
                let page = page(offset as i64, limit as i64);
                let rows = shown(&batches, &page);
                let wanted: Vec<_> = all.iter().copied().skip(offset).take(limit).collect();
                assert_eq!(rows, wanted, "{limit} from {offset}");
                let named: BTreeSet<_> = rows.iter().map(|(batch, _, unit)| (*batch, *unit)).collect();
                let of_batch = |batch: &Traced| {
                    let key = batch.batch_key;
                    batch.units_on(&page).into_iter().flatten().map(move |unit| (key, unit)).collect::<Vec<_>>()
                };
                let read: Vec<_> = batches.iter().flat_map(of_batch).collect();
                assert_eq!(read.len(), named.len(), "none is read twice: {limit} from {offset}");
                assert_eq!(read.into_iter().collect::<BTreeSet<_>>(), named, "{limit} from {offset}");
            }
        }
    }

    #[test]
    fn of_a_large_batch_only_the_units_of_a_page_are_read() {
        let batches = batches(&[(20, 100_000)]);
        assert_eq!(batches[0].units_on(&page(250_000, 100)), [50_000..50_100, 0..0]);
        assert_eq!(batches[0].units_on(&page(299_990, 100)), [99_990..100_000, 0..90]);
        assert_eq!(batches[0].units_on(&page(299_900, 100)), [99_900..100_000, 0..0]);
        assert_eq!(batches[0].units_on(&page(1_999_999, 10_000)), [99_999..100_000, 0..0]);
        for behind in [2_000_000, i64::MAX] {
            assert!(batches[0].units_on(&page(behind, 10_000)).iter().all(Range::is_empty));
        }
    }
}
