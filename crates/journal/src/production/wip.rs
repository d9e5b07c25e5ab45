//! What goes from one phase to the next.

use domain::Quantity;
use domain::key::{BatchKey, PhaseKey, WipKey};
use serde_json::json;
use store::production::wip::{self, Made as Output};

use crate::act::Act;
use crate::catalogue::Made;
use crate::floor::Bench;
use crate::{Error, Result};

/// Books what a later phase works on. What is free was reckoned before, so it is there.
pub(super) async fn book(act: &mut Act<'_>, bench: &Bench, quantity: Quantity) -> Result<()> {
    let job = bench.job();
    if job.is_first_phase() {
        return Ok(());
    }
    tell(act, bench, Made::WipBooked, quantity)?;
    let spare = WipKey(act.new_id()?);
    let booked = wip::book(act.tx, job.work_order_key, job.phase_key, job.key, quantity, spare).await?;
    must_be_there(booked)
}

pub(super) async fn unbook(act: &mut Act<'_>, bench: &Bench, quantity: Quantity) -> Result<()> {
    if bench.job().is_first_phase() {
        return Ok(());
    }
    tell(act, bench, Made::WipUnbooked, quantity)?;
    let spare = WipKey(act.new_id()?);
    must_be_there(wip::unbook(act.tx, bench.job().key, quantity, spare).await?)
}

/// What was booked is used up by the batch; what it was worth, unless that is unknown.
pub(super) async fn use_up(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: BatchKey,
    quantity: Quantity,
) -> Result<Option<Quantity>> {
    if bench.job().is_first_phase() {
        return Ok(Some(Quantity::ZERO));
    }
    tell(act, bench, Made::WipRemoved, quantity)?;
    Ok(wip::use_up(act.tx, bench.job().key, batch).await?)
}

/// What passed waits in front of the next phase.
pub(super) async fn declare(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: BatchKey,
    quantity: Quantity,
    value: Option<Quantity>,
) -> Result<()> {
    let Some(to_phase) = next_phase(bench) else { return Ok(()) };
    tell(act, bench, Made::WipDeclared, quantity)?;
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

/// What a batch that is taken back made and used: its output goes, its input is free again.
pub(super) async fn take_back(act: &mut Act<'_>, bench: &Bench, batch: BatchKey, passed: Quantity) -> Result<()> {
    if let Some(to_phase) = next_phase(bench).filter(|_| passed > Quantity::ZERO) {
        let order = bench.job().work_order_key;
        must_be_there(wip::withdraw(act.tx, order, to_phase, batch, passed).await?)?;
    }
    Ok(wip::give_back(act.tx, batch).await?)
}

fn next_phase(bench: &Bench) -> Option<PhaseKey> {
    let work = &bench.floor.work;
    work.of_phase(bench.job().phase_place + 1).next().map(|job| job.phase_key)
}

fn tell(act: &mut Act<'_>, bench: &Bench, made: Made, quantity: Quantity) -> Result<()> {
    let job = bench.job();
    let payload = json!({ "job_key": job.key, "batch_key": bench.batch_key(), "quantity": quantity });
    act.child(made.name(), bench.concerns(), payload)?;
    Ok(())
}

fn must_be_there(enough: bool) -> Result<()> {
    if enough { Ok(()) } else { Err(Error::broken("what waits between two phases is not what their jobs say")) }
}
