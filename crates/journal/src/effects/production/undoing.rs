//! Batches that are taken back as if they had never been.

use std::collections::BTreeSet;

use domain::Quantity;
use domain::key::{BatchKey, SerialKey};
use domain::serial::Serial;
use store::production::batches::{self, Batch};
use store::production::{batch_units, unit_wip};
use store::serial::{links, serials};

use super::batch::{cancel, cancel_work};
use super::bench::Bench;
use super::units::discarding::discard;
use super::units::ids;
use super::units::opening::tell_wip;
use super::units::values::{self, Change};
use super::{taking_back, wip};
use crate::act::Act;
use crate::effects::serial::codes::NAMED;
use crate::effects::serial::data::remove_of_phases;
use crate::effects::serial::linking::{end_all, hold_genealogy};
use crate::event::ServerEvent;
use crate::event::made::production::BatchUnits;
use crate::{Error, Result};

/// Why links end whose batch is canceled.
const CANCELED: &str = "batch canceled";
/// Why links end whose job is reset.
const RESET: &str = "job reset";
/// Why links end whose output is taken back by hand.
pub(crate) const OVERRIDDEN: &str = "progress overridden";

/// Removes the active batch of a job as if it had never existed. The caller changes the job itself. Returns its units.
pub(crate) async fn cancel_active(act: &mut Act<'_>, bench: &Bench) -> Result<BatchUnits> {
    let key = bench.job().must_have_batch()?;
    let units = hold_units(act, bench, &[key]).await?;
    end_links(act, key, CANCELED).await?;
    cancel_work(act, bench, key).await?;
    match (bench.floor.work.order.is_traced(), bench.job().is_first_phase()) {
        (false, _) => wip::unbook(act, bench, bench.job().active_batch_qt).await?,
        (true, true) => {
            discard(act, bench, &units).await?;
            batch_units::remove(act.tx, key, &ids(&units)).await?;
        }
        (true, false) => {
            tell_wip(act, bench, ServerEvent::WipUnbooked, &units)?;
            let freed = unit_wip::unbook(act.tx, bench.job().key, &ids(&units)).await?;
            wip::must_be_there(freed == units.len() as u64)?;
            batch_units::remove(act.tx, key, &ids(&units)).await?;
        }
    }
    let batch = batches::find(act.tx, key).await?;
    cancel(act, &mut batch.ok_or_else(|| Error::broken("the active batch of a job is not there"))?).await?;
    Ok(BatchUnits { serial_keys: units })
}

/// The units of batches; nobody else changes their links until the transaction ends.
async fn hold_units(act: &mut Act<'_>, bench: &Bench, batches: &[BatchKey]) -> Result<Vec<SerialKey>> {
    if !bench.floor.work.order.is_traced() {
        return Ok(Vec::new());
    }
    hold_genealogy(act).await?;
    let mut units = Vec::new();
    for batch in batches {
        units.extend(batch_units::of_batch(act.tx, *batch).await?);
    }
    Ok(units)
}

/// Ends the links of components that were made in a batch; temporary ones are removed.
pub(crate) async fn end_links(act: &mut Act<'_>, batch: BatchKey, reason: &str) -> Result<()> {
    if links::active_of_batch(act.tx, batch).await?.is_empty() {
        return Ok(());
    }
    hold_genealogy(act).await?;
    let made_here = links::active_of_batch(act.tx, batch).await?;
    end_all(act, made_here, reason).await
}

/// Checks that all units a job has worked on are where it left them: in front of the next phase or, released by the last one, not
/// scrapped since; and none deleted or built in.
pub(crate) async fn units_must_be_left(act: &mut Act<'_>, bench: &Bench, batches: &[Batch]) -> Result<()> {
    if !bench.floor.work.order.is_traced() {
        return Ok(());
    }
    let keys: Vec<BatchKey> = batches.iter().map(|batch| batch.key).collect();
    let units = hold_units(act, bench, &keys).await?;
    let units = serials::lock_all(act.tx, &ids(&units)).await?;
    let used = serials::used(act.tx, &units.iter().map(|unit| unit.key.0).collect::<Vec<_>>()).await?;
    let last = bench.is_last_phase();
    let is_gone = |unit: &&Serial| {
        // Only the last phase releases; what was released by hand has left production.
        let left = unit.released.is_some() && (!last || unit.scrapped.is_some());
        left || unit.deleted.is_some() || used.contains(&unit.key)
    };
    let mut gone: BTreeSet<SerialKey> = units.iter().filter(is_gone).map(|unit| unit.key).collect();
    gone.extend(unit_wip::taken_of(act.tx, &keys.iter().map(|key| key.0).collect::<Vec<_>>()).await?);
    if gone.is_empty() {
        return Ok(());
    }
    let gone = gone.into_iter().take(NAMED).collect();
    Err(bench.floor.work.units_gone(bench.index, gone).into())
}

/// Takes back a completed batch: removes its output and frees its input. Adds other batches to the changed ones if they got its
/// output in exchange for theirs.
pub(crate) async fn take_back(
    act: &mut Act<'_>,
    bench: &Bench,
    mut batch: Batch,
    changed: &mut BTreeSet<BatchKey>,
) -> Result<()> {
    taking_back::take_back(act, batch.key).await?;
    end_links(act, batch.key, RESET).await?;
    cancel_work(act, bench, batch.key).await?;
    if bench.floor.work.order.is_traced() {
        let units = batch_units::of_batch(act.tx, batch.key).await?;
        take_back_wip(act, bench, &batch, &units).await?;
        match bench.job().is_first_phase() {
            true => discard(act, bench, &units).await?,
            false => restore(act, bench, &units).await?,
        }
    } else {
        wip::take_back(act, bench, batch.key, (batch.qt_pass, batch.qt_total), changed).await?;
    }
    cancel(act, &mut batch).await
}

/// The output of a batch of units is removed, and its input waits again.
async fn take_back_wip(act: &mut Act<'_>, bench: &Bench, batch: &Batch, units: &[SerialKey]) -> Result<()> {
    if !bench.is_last_phase() && batch.qt_pass > Quantity::ZERO {
        let free = unit_wip::free_of(act.tx, &[batch.key.0]).await?;
        let passed: Vec<SerialKey> = units.iter().copied().filter(|key| free.contains(key)).collect();
        wip::tell_of(act, bench, ServerEvent::WipRemoved, batch.key, batch.qt_pass, Some(&passed))?;
        let gone = unit_wip::withdraw(act.tx, batch.key).await?;
        wip::must_be_there(Quantity::units(gone as usize) == batch.qt_pass)?;
    }
    if bench.job().is_first_phase() {
        return Ok(());
    }
    wip::tell_of(act, bench, ServerEvent::WipUnbooked, batch.key, batch.qt_total, Some(units))?;
    let freed = unit_wip::give_back(act.tx, batch.key).await?;
    wip::must_be_there(Quantity::units(freed as usize) == batch.qt_total)
}

/// Units of a later phase become what they were before it: without its values, neither released nor scrapped.
async fn restore(act: &mut Act<'_>, bench: &Bench, units: &[SerialKey]) -> Result<()> {
    let phase = bench.job().phase_key;
    let mut changes = Vec::with_capacity(units.len());
    for serial in serials::lock_all(act.tx, &ids(units)).await? {
        let mut change = Change::of(serial);
        let serial = &mut change.serial;
        change.told.previous = remove_of_phases(act, serial, &[phase]);
        change.told.remove_data_from_phases = vec![phase];
        change.told.unrelease = serial.released.take().is_some();
        change.told.unscrap = serial.scrapped.take().is_some();
        (serial.released_by, serial.scrapped_by, serial.scrap_reason) = (None, None, None);
        changes.push(change);
    }
    values::store(act, changes).await.map(|_| ())
}
