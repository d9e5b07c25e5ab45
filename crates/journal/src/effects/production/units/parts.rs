//! The components of units: linked while a batch is worked on, confirmed when it is completed.

use std::collections::{HashMap, HashSet};

use domain::key::{BatchKey, JobKey, PhaseKey, ProductKey, SerialKey, WorkOrderKey};
use domain::product::TraceabilityLevel;
use domain::production::OrderLine;
use domain::rule::production::{ComponentsMissingError, MissingComponent};
use domain::rule::serial::NotLinked;
use domain::serial::{Link, Parent, Serial};
use domain::{Quantity, Timestamp, Total};
use store::production::batches::{self, Batch};
use store::production::{batch_units, order_boms};
use store::serial::{links, serials};

use super::ids;
use crate::act::Act;
use crate::effects::production::batch::must_be_active;
use crate::effects::production::bench::Bench;
use crate::effects::serial::codes::NAMED;
use crate::effects::serial::linking::{Place, already_used, hold_genealogy, link, link_concerns, refused};
use crate::effects::serial::nesting::Nesting;
use crate::event::ClientEvent;
use crate::event::made::serial::SerialLinkedByBatch;
use crate::{Error, Result};

/// The temporary links of a batch. If there are any, nobody else changes links until the transaction ends.
pub(super) async fn hold(act: &mut Act<'_>, batch: &Batch) -> Result<Vec<Link>> {
    if !batch.linked {
        return Ok(Vec::new());
    }
    hold_genealogy(act).await?;
    let temporary = links::temporary_of_batch(act.tx, batch.key).await?;
    let earliest = earliest(act, &temporary).await?;
    earliest.into_iter().for_each(|earliest| act.not_before(earliest));
    Ok(temporary)
}

/// When links to these components can begin: not before the components were there, and out of where they were before.
async fn earliest(act: &mut Act<'_>, temporary: &[Link]) -> Result<Option<Timestamp>> {
    let children: Vec<i64> = temporary.iter().map(|link| link.child_key.0).collect();
    if children.is_empty() {
        return Ok(None);
    }
    let created = serials::views_of(act.tx, &children).await?.into_iter().map(|view| view.serial.created).max();
    Ok(links::last_end_of(act.tx, &children).await?.max(created))
}

/// Locks the units of an active batch, in the order of their keys.
pub(super) async fn lock_units(act: &mut Act<'_>, keys: &[SerialKey]) -> Result<Vec<Serial>> {
    let units = serials::lock_all(act.tx, &ids(keys)).await?;
    if units.len() != keys.len() || units.iter().any(|unit| unit.deleted.is_some()) {
        return Err(Error::broken("units of an active batch are not there"));
    }
    Ok(units)
}

/// Confirms temporary links, as of the event.
pub(super) async fn confirm(act: &mut Act<'_>, temporary: Vec<Link>) -> Result<()> {
    if temporary.is_empty() {
        return Ok(());
    }
    must_have_been_there(act, &temporary).await?;
    for link in &temporary {
        let payload = SerialLinkedByBatch {
            child_serial_key: link.child_key,
            parent_serial_key: link.parent_key,
            batch_key: link.batch_key,
            wo_key: link.wo_key,
            component_key: link.component_key.clone(),
            phase_key: link.phase_key,
            job_key: link.job_key,
            quantity: Quantity::ONE,
            process_inventory: false,
        };
        act.child(ClientEvent::SerialLinked.name(), link_concerns(link), &payload)?;
    }
    let keys: Vec<i64> = temporary.iter().map(|link| link.key.0).collect();
    let (at, user) = (act.at, act.author.user_key.clone());
    Ok(links::confirm_all(act.tx, &keys, at, &user).await?)
}

/// Checks that the links could begin when the event happened: that may be before they were put.
async fn must_have_been_there(act: &mut Act<'_>, temporary: &[Link]) -> Result<()> {
    let earliest = earliest(act, temporary).await?;
    if let Some(earliest) = earliest.filter(|earliest| act.at < *earliest) {
        return Err(Error::timestamp("A component was created, or taken out of another unit, later.", Some(earliest)));
    }
    if act.at >= act.now {
        return Ok(());
    }
    // What contained what at that time may have been different.
    let children: Vec<i64> = temporary.iter().map(|link| link.child_key.0).collect();
    let found = serials::views_of(act.tx, &children).await?;
    let parents: Vec<i64> = temporary.iter().filter_map(|link| link.parent_key).map(|key| key.0).collect();
    let units = serials::views_of(act.tx, &parents).await?;
    let by_key: HashMap<SerialKey, &Serial> =
        found.iter().chain(&units).map(|view| (view.serial.key, &view.serial)).collect();
    let pairs: Vec<_> = temporary.iter().map(|link| (link.child_key, link.parent_key)).collect();
    let nesting = Nesting::load(act, &pairs).await?;
    for link in temporary {
        if let (Some(child), Some(parent)) =
            (by_key.get(&link.child_key), link.parent_key.and_then(|key| by_key.get(&key)))
        {
            nesting.must_fit(act, child, Some(parent)).await?;
        }
    }
    Ok(())
}

/// Checks that units of an order that is traced completely contain what this phase and those before it build in.
pub(super) async fn must_be_complete(act: &mut Act<'_>, bench: &Bench, passed: &[Serial]) -> Result<()> {
    let order = &bench.floor.work.order;
    if order.traceability_level != Some(TraceabilityLevel::Complete) || passed.is_empty() {
        return Ok(());
    }
    let needed = needed_by(act, bench).await?;
    if needed.is_empty() {
        return Ok(());
    }
    let keys: Vec<i64> = passed.iter().map(|unit| unit.key.0).collect();
    let linked = links::counts_below(act.tx, &keys).await?;
    let of_unit = |unit: &Serial| {
        let unit = unit.key;
        let linked = &linked;
        let lacking = needed.iter().filter_map(move |(line, required)| {
            let linked = linked.get(&(unit, line.component_key.clone())).copied().unwrap_or(0);
            (linked < *required).then(|| MissingComponent {
                serial_key: unit,
                component_key: line.component_key.clone(),
                component_code: line.component_code.clone(),
                required: *required,
                linked,
            })
        });
        lacking.collect::<Vec<_>>()
    };
    let missing: Vec<MissingComponent> = passed.iter().flat_map(of_unit).take(NAMED).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::rule(&ComponentsMissingError { missing }, "Units of the batch lack components."))
}

/// What a unit has to contain after the job's phase: for each traced component of the phase a line, and how many units the lines of
/// this and all earlier phases take.
async fn needed_by(act: &mut Act<'_>, bench: &Bench) -> Result<Vec<(OrderLine, u64)>> {
    let work = &bench.floor.work;
    let place = bench.job().phase_place;
    let so_far: HashSet<PhaseKey> =
        work.jobs.iter().filter(|job| job.phase_place <= place).map(|job| job.phase_key).collect();
    let lines = order_boms::of_order(act.tx, work.order.key).await?;
    let lines: Vec<_> = lines.into_iter().map(|kept| kept.line).collect();
    let mut needed: Vec<(OrderLine, u64)> = Vec::new();
    for line in lines.iter().filter(|line| line.phase_key == bench.job().phase_key) {
        let known = needed.iter().any(|(other, _)| other.component_key == line.component_key);
        if line.traceability_level.is_none() || known {
            continue;
        }
        let same = lines.iter().filter(|other| other.component_key == line.component_key);
        let sum: Total = same.filter(|other| so_far.contains(&other.phase_key)).map(|other| other.qt).sum();
        needed.push((line.clone(), sum.units()));
    }
    Ok(needed)
}

/// A component that is to be linked to a unit of a batch, or to the batch itself.
#[derive(Debug, Clone)]
pub struct SentPart {
    /// `None`: the batch itself.
    pub parent: Option<SerialKey>,
    pub child: SerialKey,
    pub component_key: Option<ProductKey>,
    pub wo_key: Option<WorkOrderKey>,
    pub phase_key: Option<PhaseKey>,
    pub job_key: Option<JobKey>,
}

/// Replaces the temporary links of a batch. Those that are sent again stay as they are. This is not an event, and none is stored.
pub async fn put_parts(act: &mut Act<'_>, batch: BatchKey, sent: &[SentPart]) -> Result<Vec<Link>> {
    let (bench, mut batch) = Bench::of_batch(act, "batch_key", batch).await?;
    must_be_active(&bench, &batch)?;
    bench.last_session(act).await?;
    sent.iter().try_for_each(|part| must_agree(&bench, part))?;
    hold_genealogy(act).await?;
    let named = sent.iter().flat_map(|part| [Some(part.child), part.parent]).flatten();
    let named: Vec<i64> = named.map(|key| key.0).collect::<HashSet<_>>().into_iter().collect();
    let found = serials::lock_all(act.tx, &named).await?.into_iter().filter(|serial| serial.deleted.is_none());
    let found: HashMap<SerialKey, Serial> = found.map(|serial| (serial.key, serial)).collect();
    // Links begin when the batch is completed: until then it does not matter when a serial was created.
    found.values().for_each(|serial| act.not_before(serial.created));
    let before = links::temporary_of_batch(act.tx, batch.key).await?;
    let wanted: HashMap<SerialKey, Option<SerialKey>> = sent.iter().map(|part| (part.child, part.parent)).collect();
    let stays = |link: &&Link| wanted.get(&link.child_key).is_some_and(|parent| *parent == link.parent_key);
    let gone: Vec<i64> = before.iter().filter(|link| !stays(link)).map(|link| link.key.0).collect();
    links::remove_all(act.tx, &gone).await?;
    let kept: HashMap<SerialKey, &Link> = before.iter().filter(stays).map(|link| (link.child_key, link)).collect();
    let known = Known::load(act, batch.key, found, sent.iter().filter(|part| !kept.contains_key(&part.child))).await?;
    let mut seen = HashSet::with_capacity(sent.len());
    let (mut now, mut new) = (Vec::with_capacity(sent.len()), Vec::new());
    for (index, part) in sent.iter().enumerate() {
        let at = |error: Error| error.of_link(index);
        if !seen.insert(part.child) {
            return Err(at(refused(NotLinked::AlreadyUsed, "A serial can be linked once only.")));
        }
        now.push(match kept.get(&part.child) {
            Some(link) if part.component_key.as_ref().is_some_and(|key| *key != link.component_key) => {
                return Err(at(refused(NotLinked::Component, "component_key is not the product of the serial.")));
            }
            Some(link) => (*link).clone(),
            None => {
                let link = temporary_link(act, &bench, batch.key, part, &known).await.map_err(at)?;
                new.push(link.clone());
                link
            }
        });
    }
    links::insert_all(act.tx, &new).await?;
    if !batch.linked && !now.is_empty() {
        batch.linked = true;
        batches::save(act.tx, &mut batch).await?;
    }
    Ok(now)
}

/// The order, the phase and the job of a link are those of the batch.
fn must_agree(bench: &Bench, part: &SentPart) -> Result<()> {
    let job = bench.job();
    if let Some(given) = part.wo_key.filter(|key| *key != job.work_order_key) {
        return Err(Error::mismatch("wo_key", given, Some(job.work_order_key.to_string())));
    }
    if let Some(given) = part.phase_key.filter(|key| *key != job.phase_key) {
        return Err(Error::mismatch("phase_key", given, Some(job.phase_key.to_string())));
    }
    if let Some(given) = part.job_key.filter(|key| *key != job.key) {
        return Err(Error::mismatch("job_key", given, Some(job.key.to_string())));
    }
    Ok(())
}

/// What is known of the serials that are to be linked.
struct Known {
    serials: HashMap<SerialKey, Serial>,
    /// The units of the batch.
    units: HashSet<SerialKey>,
    /// The links that lead to them.
    present: HashMap<SerialKey, Link>,
    nesting: Nesting,
}

impl Known {
    async fn load(
        act: &mut Act<'_>,
        batch: BatchKey,
        serials: HashMap<SerialKey, Serial>,
        new: impl Iterator<Item = &SentPart>,
    ) -> Result<Self> {
        let pairs: Vec<_> = new.map(|part| (part.child, part.parent)).collect();
        let children: Vec<i64> = pairs.iter().map(|(child, _)| child.0).collect();
        let units = batch_units::of_batch(act.tx, batch).await?.into_iter().collect();
        let present = links::active_to(act.tx, &children).await?.into_iter();
        let present = present.map(|link| (link.child_key, link)).collect();
        let nesting = Nesting::load(act, &pairs).await?;
        Ok(Self { serials, units, present, nesting })
    }
}

/// The temporary link of a component, if it can become a part of the unit.
async fn temporary_link(
    act: &mut Act<'_>,
    bench: &Bench,
    batch: BatchKey,
    part: &SentPart,
    known: &Known,
) -> Result<Link> {
    let serial = |field: &str, key: SerialKey| known.serials.get(&key).ok_or_else(|| Error::missing(field, key));
    let child = serial("child_serial_key", part.child)?;
    let unit = part.parent.map(|key| serial("parent_serial_key", key)).transpose()?;
    if unit.is_none() && bench.floor.work.order.is_traced() {
        return Err(refused(NotLinked::TracedOrder, "The order is traced: its units contain components."));
    }
    if unit.is_some_and(|unit| !known.units.contains(&unit.key)) {
        return Err(refused(NotLinked::NoParent, "The unit is not in the batch."));
    }
    if part.component_key.as_ref().is_some_and(|key| *key != child.product_key) {
        return Err(refused(NotLinked::Component, "component_key is not the product of the serial."));
    }
    if child.scrapped.is_some() || unit.is_some_and(|unit| unit.scrapped.is_some()) {
        return Err(refused(NotLinked::Scrapped, "The serial, or the unit, was scrapped."));
    }
    if let Some(present) = known.present.get(&child.key) {
        return Err(already_used(present));
    }
    known.nesting.must_fit(act, child, unit).await?;
    let job = bench.job();
    let place = Place {
        wo_key: Some(job.work_order_key),
        phase_key: Some(job.phase_key),
        job_key: Some(job.key),
        batch_key: Some(batch),
    };
    let parent = unit.map_or(Parent::Batch(batch), |unit| Parent::Serial(unit.key));
    link(act, parent, child.key, child.product_key.clone(), place, false)
}
