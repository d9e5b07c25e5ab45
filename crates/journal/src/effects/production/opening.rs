//! Opens the next batch of a job.

use domain::rule::Refused;

use super::batch;
use super::bench::Bench;
use super::units::named::BatchUnit;
use super::units::opening;
use crate::Result;
use crate::act::Act;

/// Opens the next batch of a job. If its units are traced, the first phase makes them, and a later one works on those that are
/// named.
pub(crate) async fn open(act: &mut Act<'_>, bench: &mut Bench, named: Option<&[BatchUnit]>) -> Result<()> {
    let named = named.unwrap_or_default();
    if !bench.floor.work.order.is_traced() {
        must_name_none(named)?;
        return batch::open(act, bench).await;
    }
    match bench.job().is_first_phase() {
        true => opening::with_new_units(act, bench, named).await,
        false => opening::with_waiting_units(act, bench, named).await,
    }
}

/// Refuses units: they are named only if the product is traced unit by unit.
pub(crate) fn must_name_none<T>(named: &[T]) -> Result<()> {
    if named.is_empty() {
        return Ok(());
    }
    Err(Refused::value("The product is not traced by unit: no units can be named.").into())
}
