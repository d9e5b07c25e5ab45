//! The active batch gets other units.

use std::collections::HashSet;

use domain::Quantity;
use domain::key::SerialKey;
use domain::production::MUST_BE_WHOLE;
use domain::rule::Refused;
use store::production::{batch_units, unit_wip};
use store::serial::links;

use super::discarding::discard;
use super::named::{self, BatchUnit};
use super::{ids, opening};
use crate::Result;
use crate::act::Act;
use crate::effects::production::bench::Bench;
use crate::effects::production::wip;
use crate::effects::serial::linking::hold_genealogy;
use crate::event::ServerEvent;

/// Changes the units of the active batch so that it has this quantity.
pub(crate) async fn change(act: &mut Act<'_>, bench: &mut Bench, quantity: Quantity, sent: &[BatchUnit]) -> Result<()> {
    if !quantity.is_whole() {
        return Err(Refused::value(MUST_BE_WHOLE).into());
    }
    if !bench.job().is_first_phase() {
        return choose(act, bench, quantity, sent).await;
    }
    let (index, before) = (bench.index, bench.job().active_batch_qt);
    bench.floor.work.resize_batch(index, quantity)?;
    match quantity > before {
        true => grow(act, bench, (quantity - before).count(), sent).await,
        false => shrink(act, bench, quantity.count(), sent).await,
    }
}

/// Makes more units.
async fn grow(act: &mut Act<'_>, bench: &Bench, more: usize, sent: &[BatchUnit]) -> Result<()> {
    let mut codes = named::codes_for_new(sent)?;
    if codes.is_empty() {
        codes = vec![None; more];
    }
    if codes.len() != more {
        return Err(Refused::value(format!("The batch gets {more} more units, not {}.", codes.len())).into());
    }
    opening::add_new_units(act, bench, codes).await
}

/// Discards units: the newest, or those that are not named.
async fn shrink(act: &mut Act<'_>, bench: &Bench, stay: usize, sent: &[BatchUnit]) -> Result<()> {
    let batch = bench.job().must_have_batch()?;
    let units = batch_units::of_batch(act.tx, batch).await?;
    let stays: HashSet<SerialKey> = match sent.is_empty() {
        true => units.iter().copied().take(stay).collect(),
        false => named::keys(act, bench, sent).await?.into_iter().collect(),
    };
    let known: HashSet<SerialKey> = units.iter().copied().collect();
    if stays.len() != stay || !stays.is_subset(&known) {
        return Err(Refused::value("batch_serials has to name exactly the units that stay in the batch.").into());
    }
    let leave: Vec<SerialKey> = units.into_iter().filter(|key| !stays.contains(key)).collect();
    discard(act, bench, &leave).await?;
    Ok(batch_units::remove(act.tx, batch, &ids(&leave)).await?)
}

/// Other units that wait in front of the phase take the place of those that are not named.
async fn choose(act: &mut Act<'_>, bench: &mut Bench, quantity: Quantity, sent: &[BatchUnit]) -> Result<()> {
    let (index, batch) = (bench.index, bench.job().must_have_batch()?);
    if Quantity::units(sent.len()) != quantity {
        return Err(Refused::value("batch_serials has to name all units that the batch then has.").into());
    }
    let units = named::keys(act, bench, sent).await?;
    let before = batch_units::of_batch(act.tx, batch).await?;
    let (had, has): (HashSet<SerialKey>, HashSet<SerialKey>) =
        (before.iter().copied().collect(), units.iter().copied().collect());
    if had == has {
        return Err(Refused::value("The batch already has these units.").into());
    }
    bench.floor.work.resize_batch_to(index, units.len())?;
    let come: Vec<SerialKey> = units.iter().copied().filter(|key| !had.contains(key)).collect();
    let leave: Vec<SerialKey> = before.iter().copied().filter(|key| !has.contains(key)).collect();
    named::must_wait_in_front(act, bench, &come).await?;
    remove_temporary_links(act, &leave).await?;
    opening::tell_wip(act, bench, ServerEvent::WipUnbooked, &before)?;
    let freed = unit_wip::unbook(act.tx, bench.job().key, &ids(&leave)).await?;
    wip::must_be_there(freed == leave.len() as u64)?;
    opening::tell_wip(act, bench, ServerEvent::WipBooked, &units)?;
    opening::book(act, bench, &come).await?;
    batch_units::remove(act.tx, batch, &ids(&leave)).await?;
    Ok(batch_units::add(act.tx, batch, &come).await?)
}

/// Units that leave their batch lose what was linked to them for the time being.
async fn remove_temporary_links(act: &mut Act<'_>, units: &[SerialKey]) -> Result<()> {
    let is_temporary = |link: &&domain::serial::Link| !link.confirmed;
    if !links::active_below_all(act.tx, &ids(units)).await?.iter().any(|link| is_temporary(&link)) {
        return Ok(());
    }
    hold_genealogy(act).await?;
    let below = links::active_below_all(act.tx, &ids(units)).await?;
    let temporary: Vec<i64> = below.iter().filter(is_temporary).map(|link| link.key.0).collect();
    Ok(links::remove_all(act.tx, &temporary).await?)
}
