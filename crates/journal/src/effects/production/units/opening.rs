//! Batches of units begin.

use domain::Quantity;
use domain::journal::Concerns;
use domain::key::SerialKey;
use domain::production::Order;
use domain::rule::Refused;
use domain::rule::serial::{NotCreated, SerialNotCreatedError};
use domain::serial::{MOST_SERIALS, SerialValue};
use store::product::products;
use store::production::{batch_units, unit_wip};

use super::ids;
use super::named::{self, BatchUnit};
use crate::act::Act;
use crate::effects::production::bench::Bench;
use crate::effects::production::{batch, wip};
use crate::effects::serial::data::Fields;
use crate::effects::serial::making::{Codes, NewSerials, make, most_units};
use crate::event::made::serial::{CodedSerial, UnitsMade};
use crate::event::{ClientEvent, ServerEvent};
use crate::{Error, Result};

/// Opens a batch of the first phase, with new units.
pub(crate) async fn with_new_units(act: &mut Act<'_>, bench: &mut Bench, sent: &[BatchUnit]) -> Result<()> {
    let (index, most) = (bench.index, most_units(&fields_of(&bench.floor.work.order)?));
    let mut codes = named::codes_for_new(sent)?;
    if codes.is_empty() {
        let quantity = bench.floor.work.next_batch(index)?;
        codes = vec![None; quantity.count().min(most)];
    }
    let quantity = bench.floor.work.batch_of(index, codes.len())?;
    let batch = batch::new(act, bench, quantity, None)?;
    bench.floor.work.open_batch(index, batch.key, quantity);
    let made = make_units(act, bench, codes, most).await?;
    let units = keys_of(&made);
    batch::store_new(act, bench, &batch, Some(&units)).await?;
    tell_made(act, bench, made)?;
    Ok(batch_units::add(act.tx, batch.key, &units).await?)
}

/// What a unit of the order is to have: a value for each field of its process, all of them empty.
fn fields_of(order: &Order) -> Result<Vec<SerialValue>> {
    let broken = |error| Error::broken(&format!("serial fields of an order: {error}"));
    serde_json::from_str(order.serial_fields.text()).map_err(broken)
}

/// Makes units of the job's order, with these codes.
async fn make_units(
    act: &mut Act<'_>,
    bench: &Bench,
    codes: Vec<Option<String>>,
    most: usize,
) -> Result<Vec<CodedSerial>> {
    if codes.len() > most {
        let rule = SerialNotCreatedError { rule: NotCreated::TooMany };
        return Err(Error::rule(&rule, "These are too many units for one batch."));
    }
    let order = &bench.floor.work.order;
    let product = products::find(act.tx, &order.product_key).await?;
    let product = product.ok_or_else(|| Error::broken("the product of an order is not there"))?;
    let data = fields_of(order)?;
    let named = data.iter().filter_map(|entry| Some((entry.custom_field_key.as_ref()?, &entry.value)));
    let fields = Fields::load(act.tx, named).await?;
    let draw = order.serial_code_on_creation;
    let new = NewSerials { product: &product, wo_key: Some(order.key), released: None, data, fields: &fields };
    let made = make(act, new, Codes::Each { codes, draw }).await?;
    Ok(made.iter().map(CodedSerial::from).collect())
}

fn keys_of(made: &[CodedSerial]) -> Vec<SerialKey> {
    made.iter().map(|unit| unit.serial_key).collect()
}

/// Tells that units of the job's order have come into being.
fn tell_made(act: &mut Act<'_>, bench: &Bench, serials: Vec<CodedSerial>) -> Result<()> {
    let only = (serials.len() == 1).then(|| serials[0].serial_key);
    let concerns = Concerns { serial_key: only, ..bench.concerns() };
    let order = &bench.floor.work.order;
    let payload = UnitsMade { product_key: order.product_key.clone(), wo_key: order.key, released: None, serials };
    act.child(ClientEvent::SerialCreated.name(), concerns, &payload)?;
    Ok(())
}

/// Adds new units to the active batch, which is one of the first phase.
pub(super) async fn add_new_units(act: &mut Act<'_>, bench: &Bench, codes: Vec<Option<String>>) -> Result<()> {
    let batch = bench.job().must_have_batch()?;
    let there = bench.job().active_batch_qt.count().saturating_sub(codes.len());
    let most = most_units(&fields_of(&bench.floor.work.order)?).min(MOST_SERIALS.saturating_sub(there));
    let made = make_units(act, bench, codes, most).await?;
    let units = keys_of(&made);
    tell_made(act, bench, made)?;
    Ok(batch_units::add(act.tx, batch, &units).await?)
}

/// Opens a batch of a later phase, with units that wait in front of it.
pub(crate) async fn with_waiting_units(act: &mut Act<'_>, bench: &mut Bench, sent: &[BatchUnit]) -> Result<()> {
    let index = bench.index;
    if sent.is_empty() {
        // Nothing is left, or nothing waits: that comes first.
        bench.floor.work.next_batch(index)?;
        return Err(Refused::value("Name the units of the batch in batch_serials.").into());
    }
    let units = named::keys(act, bench, sent).await?;
    let quantity = bench.floor.work.batch_of(index, units.len())?;
    named::must_wait_in_front(act, bench, &units).await?;
    let batch = batch::new(act, bench, quantity, None)?;
    bench.floor.work.open_batch(index, batch.key, quantity);
    batch::store_new(act, bench, &batch, Some(&units)).await?;
    tell_wip(act, bench, ServerEvent::WipBooked, &units)?;
    book(act, bench, &units).await?;
    Ok(batch_units::add(act.tx, batch.key, &units).await?)
}

/// Tells what happens to the work in progress of the active batch.
pub(crate) fn tell_wip(act: &mut Act<'_>, bench: &Bench, event: ServerEvent, units: &[SerialKey]) -> Result<()> {
    wip::add_event(act, bench, event, Quantity::units(units.len()), Some(units))
}

/// Books units that wait in front of the job's phase.
pub(super) async fn book(act: &mut Act<'_>, bench: &Bench, units: &[SerialKey]) -> Result<()> {
    let job = bench.job();
    let booked = unit_wip::book(act.tx, job.work_order_key, job.phase_key, job.key, &ids(units)).await?;
    wip::must_be_there(booked == units.len() as u64)
}
