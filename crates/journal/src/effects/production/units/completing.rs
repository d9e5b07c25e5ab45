//! A batch of units is completed.

use std::collections::HashSet;

use domain::Quantity;
use domain::key::{NOBODY, SerialKey, WipKey};
use domain::production::{StepStatus, divide_among_units};
use domain::rule::Refused;
use domain::rule::production::QuantityMismatchError;
use domain::serial::Serial;
use store::production::batches::Batch;
use store::production::unit_wip::{self, MadeUnit, Origin};
use store::production::{batch_units, executions};
use store::serial::serials;

use super::values::{self, Change, Entered};
use super::{files, ids, opening, parts};
use crate::act::Act;
use crate::effects::production::bench::Bench;
use crate::effects::production::opening::must_name_none;
use crate::effects::production::result::{Completion, UnitKeys, Units};
use crate::effects::production::supply::Supply;
use crate::effects::production::wip::next_phase;
use crate::effects::serial::ending::{draw_missing, must_have_evidence, release, scrap_by_other};
use crate::effects::serial::evidence;
use crate::effects::serial::naming::concerns;
use crate::event::made::production::BatchUnits;
use crate::event::made::serial::UnitsReleased;
use crate::event::{ClientEvent, ServerEvent};
use crate::{Error, Result};

/// Step 1: which units passed and which are scrapped. Sets the scrapped quantity if it was not sent.
pub(crate) async fn sort(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: &Batch,
    completion: &mut Completion,
) -> Result<UnitKeys> {
    let (scrap, pass) = (&completion.scrap_serial_keys, completion.batch_serial_keys.as_deref());
    if !bench.floor.work.order.is_traced() {
        must_name_none(scrap)?;
        must_name_none(pass.unwrap_or_default())?;
        return Ok(UnitKeys::default());
    }
    let all = batch_units::of_batch(act.tx, batch.key).await?;
    act.note(&BatchUnits { serial_keys: all.clone() })?;
    let known: HashSet<SerialKey> = all.iter().copied().collect();
    let scrapped = named_once(scrap, &known)?;
    let counted = Quantity::units(scrapped.len());
    if let Some(given) = completion.scrap.filter(|given| *given != counted) {
        let rule = QuantityMismatchError { expected: counted, given };
        return Err(Error::rule(
            &rule,
            "Name the units that are scrapped: scrap_qt is the number of scrap_serial_keys.",
        ));
    }
    if let Some(pass) = pass {
        let passed = named_once(pass, &known)?;
        if passed.len() + scrapped.len() != all.len() || !passed.is_disjoint(&scrapped) {
            let message = "batch_serial_keys has to name exactly the units of the batch that are not scrapped.";
            return Err(Refused::value(message).into());
        }
    }
    completion.scrap = Some(counted);
    Ok(UnitKeys { all, scrapped })
}

/// Units of the batch, each named once.
fn named_once(named: &[SerialKey], known: &HashSet<SerialKey>) -> Result<HashSet<SerialKey>> {
    let mut seen = HashSet::with_capacity(named.len());
    for key in named {
        if !known.contains(key) {
            // A text that is none of our keys was read as the key of no record.
            let which = if key.0 == NOBODY { "A unit".to_owned() } else { format!("The unit {key}") };
            return Err(Refused::value(format!("{which} is not in the batch.")).into());
        }
        if !seen.insert(*key) {
            return Err(Refused::value(format!("The unit {key} is named twice.")).into());
        }
    }
    Ok(seen)
}

/// Steps 3 and 4: the units get the batch's values and their codes, and the components that were linked to them. What the batch moves
/// in stock is held before that.
pub(crate) async fn fill_in(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: &Batch,
    named: UnitKeys,
    completion: &Completion,
) -> Result<(Units, Supply)> {
    let temporary = parts::hold(act, batch).await?;
    let releases = !named.all.is_empty() && next_phase(bench).is_none();
    let evidence_asked = releases && evidence::hold(act).await?;
    let supply = Supply::hold(act, bench, batch, completion.pass, &completion.consumption, &named).await?;
    if named.all.is_empty() {
        parts::confirm(act, temporary).await?;
        return Ok((Units::default(), supply));
    }
    let units = parts::lock_units(act, &named.all).await?;
    let records = executions::of_batch(act.tx, batch.key).await?;
    let entered: Vec<Entered<'_>> = records
        .iter()
        .filter(|record| record.status != StepStatus::ToDo)
        .map(|record| Entered {
            batch_key: batch.key,
            phase_key: batch.phase_key,
            step_key: record.step_key,
            values: &record.form_data,
            before: &[],
        })
        .collect();
    must_be_bearable(act, &entered, &units)?;
    files::share(act, batch, &entered, &named.all).await?;
    let codes = match bench.job().is_first_phase() {
        true => draw_missing(act, &units, &named.scrapped).await?,
        false => Vec::new(),
    };
    let mut changes: Vec<Change> = units.into_iter().map(Change::of).collect();
    for (place, code) in codes {
        changes[place].give_code(code);
    }
    for change in &mut changes {
        entered.iter().for_each(|step| change.carry(act, step));
    }
    let units = values::store(act, changes).await?;
    let (scrapped, passed) = units.into_iter().partition(|unit| named.scrapped.contains(&unit.key));
    let units = Units { passed, scrapped, evidence_asked };
    parts::must_be_complete(act, bench, &units.passed).await?;
    parts::confirm(act, temporary).await?;
    Ok((units, supply))
}

/// The values of all units of a batch take at most this part of the memory for all requests: they are read together later on.
const VALUES_SHARE: usize = 8;

/// Each unit gets a copy of the values: what all copies take, together with what the units have, has to stay within bounds.
fn must_be_bearable(act: &Act<'_>, entered: &[Entered<'_>], units: &[Serial]) -> Result<()> {
    let values = entered.iter().flat_map(|step| step.values);
    let each: usize = values.map(|field| domain::json::weight(&field.value)).sum();
    let present = units.iter().flat_map(|unit| &unit.data);
    let present: usize = present.map(|entry| domain::json::weight(&entry.value)).sum();
    if each.saturating_mul(units.len()).saturating_add(present) <= act.tx.memory() / VALUES_SHARE {
        return Ok(());
    }
    let message = "What was entered is too much for so many units: make the batch smaller, or the values shorter.";
    Err(Refused::value(message).into())
}

/// Step 8: the scrapped units are marked.
pub(crate) async fn scrap(act: &mut Act<'_>, batch: &Batch, units: &Units) -> Result<()> {
    match &batch.scrap_reason {
        Some(reason) if !units.scrapped.is_empty() => scrap_by_other(act, &units.scrapped, reason).await,
        _ => Ok(()),
    }
}

/// Step 9, of a phase that is not the last: the units that passed wait in front of the next phase.
pub(crate) async fn declare(act: &mut Act<'_>, bench: &Bench, batch: &Batch, units: &Units) -> Result<()> {
    let Some(to_phase) = next_phase(bench) else { return Ok(()) };
    opening::tell_wip(act, bench, ServerEvent::WipDeclared, &units.passed_keys())?;
    let origin =
        Origin { work_order_key: batch.work_order_key, from_phase: batch.phase_key, to_phase, batch_key: batch.key };
    let mut made = Vec::with_capacity(units.passed.len());
    for (unit, value) in units.passed.iter().zip(divide_among_units(batch.value, units.passed.len())) {
        made.push(MadeUnit { key: WipKey(act.new_id()?), serial_key: unit.key, value });
    }
    Ok(unit_wip::declare(act.tx, &origin, &made).await?)
}

/// Step 9, of the last phase: the units that passed are released.
pub(crate) async fn release_passed(act: &mut Act<'_>, units: &Units) -> Result<()> {
    if units.evidence_asked {
        must_have_evidence(act, &units.passed).await?;
    }
    let released = act.at;
    let serials = release(act, &units.passed, released).await?;
    let payload = UnitsReleased { serial_keys: units.passed_keys(), released, serials };
    act.child(ClientEvent::SerialReleased.name(), concerns(&units.passed), &payload)?;
    Ok(())
}

/// A step of a completed batch was corrected: its units follow.
pub(crate) async fn follow(act: &mut Act<'_>, batch: &Batch, entered: &Entered<'_>) -> Result<()> {
    let keys = batch_units::of_batch(act.tx, batch.key).await?;
    if keys.is_empty() {
        return Ok(());
    }
    let mut units = serials::lock_all(act.tx, &ids(&keys)).await?;
    units.retain(|unit| unit.deleted.is_none());
    let live: Vec<SerialKey> = units.iter().map(|unit| unit.key).collect();
    must_be_bearable(act, std::slice::from_ref(entered), &units)?;
    files::share(act, batch, std::slice::from_ref(entered), &live).await?;
    let mut changes: Vec<Change> = units.into_iter().map(Change::of).collect();
    changes.iter_mut().for_each(|change| change.carry(act, entered));
    values::store(act, changes).await.map(|_| ())
}
