//! Work in progress: what moves from one phase to the next.

use std::collections::BTreeSet;

use domain::journal::Concerns;
use domain::key::{BatchKey, PhaseKey, SerialKey, WipKey};
use domain::{Quantity, Total};
use store::production::wip::{self, Made as Output};

use super::bench::Bench;
use crate::act::Act;
use crate::event::ServerEvent;
use crate::event::made::production::WipChanged;
use crate::{Error, Result};

/// Books what a later phase works on. The free quantity was checked before, so it is there.
pub(crate) async fn book(act: &mut Act<'_>, bench: &Bench, quantity: Quantity) -> Result<()> {
    let job = bench.job();
    if job.is_first_phase() {
        return Ok(());
    }
    add_event(act, bench, ServerEvent::WipBooked, quantity, None)?;
    let spare = WipKey(act.new_id()?);
    let booked = wip::book(act.tx, job.work_order_key, job.phase_key, job.key, quantity, spare).await?;
    must_be_there(booked)
}

pub(crate) async fn unbook(act: &mut Act<'_>, bench: &Bench, quantity: Quantity) -> Result<()> {
    if bench.job().is_first_phase() {
        return Ok(());
    }
    add_event(act, bench, ServerEvent::WipUnbooked, quantity, None)?;
    let spare = WipKey(act.new_id()?);
    must_be_there(wip::unbook(act.tx, bench.job().key, quantity, spare).await?)
}

/// Marks what was booked as used up by the batch. Returns its value, unless that is unknown.
pub(crate) async fn use_up(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: BatchKey,
    quantity: Quantity,
    units: Option<&[SerialKey]>,
) -> Result<Option<Total>> {
    if bench.job().is_first_phase() {
        return Ok(Some(Total::ZERO));
    }
    add_event(act, bench, ServerEvent::WipRemoved, quantity, units)?;
    Ok(wip::use_up(act.tx, bench.job().key, batch).await?)
}

/// Puts what passed in front of the next phase.
pub(crate) async fn declare(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: BatchKey,
    quantity: Quantity,
    value: Option<Quantity>,
) -> Result<()> {
    let Some(to_phase) = next_phase(bench) else { return Ok(()) };
    add_event(act, bench, ServerEvent::WipDeclared, quantity, None)?;
    let made = Output {
        key: WipKey(act.new_id()?),
        work_order_key: bench.job().work_order_key,
        from_phase: bench.job().phase_key,
        to_phase,
        batch_key: batch,
        quantity,
        value,
    };
    Ok(wip::declare(act.tx, &made).await?)
}

/// Takes back a batch or a part of it: removes this much of its output and frees this much of its input. Adds other batches
/// to the changed ones if they got its output in exchange for theirs.
pub(crate) async fn take_back(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: BatchKey,
    (passed, used): (Quantity, Quantity),
    changed: &mut BTreeSet<BatchKey>,
) -> Result<()> {
    if let Some(to_phase) = next_phase(bench).filter(|_| passed > Quantity::ZERO) {
        tell_of(act, bench, ServerEvent::WipRemoved, batch, passed, None)?;
        let order = bench.job().work_order_key;
        let mut left = passed - wip::withdraw(act.tx, batch, passed).await?;
        while left > Quantity::ZERO {
            let spare = WipKey(act.new_id()?);
            let exchanged = wip::exchange(act.tx, order, to_phase, batch, left, spare).await?;
            let (other, amount) = exchanged.ok_or_else(missing)?;
            changed.insert(other);
            left = left - amount;
        }
    }
    if bench.job().is_first_phase() {
        return Ok(());
    }
    tell_of(act, bench, ServerEvent::WipUnbooked, batch, used, None)?;
    let spare = WipKey(act.new_id()?);
    must_be_there(wip::give_back(act.tx, batch, used, spare).await?)
}

pub(super) fn next_phase(bench: &Bench) -> Option<PhaseKey> {
    let work = &bench.floor.work;
    work.of_phase(bench.job().phase_place + 1).next().map(|job| job.phase_key)
}

pub(super) fn add_event(
    act: &mut Act<'_>,
    bench: &Bench,
    event: ServerEvent,
    quantity: Quantity,
    units: Option<&[SerialKey]>,
) -> Result<()> {
    let batch = bench.job().must_have_batch()?;
    tell_of(act, bench, event, batch, quantity, units)
}

pub(super) fn tell_of(
    act: &mut Act<'_>,
    bench: &Bench,
    event: ServerEvent,
    batch_key: BatchKey,
    quantity: Quantity,
    units: Option<&[SerialKey]>,
) -> Result<()> {
    let serial_keys = units.map(<[SerialKey]>::to_vec);
    let payload = WipChanged { job_key: bench.job().key, batch_key, quantity, serial_keys };
    act.child(event.name(), Concerns { batch_key: Some(batch_key), ..bench.concerns() }, &payload)?;
    Ok(())
}

pub(super) fn must_be_there(enough: bool) -> Result<()> {
    if enough { Ok(()) } else { Err(missing()) }
}

fn missing() -> Error {
    Error::broken("what waits between two phases is not what their jobs say")
}
