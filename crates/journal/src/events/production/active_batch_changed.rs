use domain::Quantity;
use domain::key::JobKey;
use schemars::JsonSchema;
use serde::Deserialize;
use store::production::batches;

use crate::act::Act;
use crate::effects::production::answer::job_and_batch;
use crate::effects::production::bench::Bench;
use crate::effects::production::opening::must_name_none;
use crate::effects::production::units::changing;
use crate::effects::production::units::named::BatchUnit;
use crate::effects::production::wip;
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;
use crate::{Error, Result};

/// The active batch gets another quantity.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ActiveBatchChanged {
    /// The job.
    job_key: JobKey,
    /// The new quantity: more than 0, at most what the batch has and what is left of the job.
    #[schemars(extend("exclusiveMinimum" = 0))]
    new_active_batch_qt: Quantity,
    /// The units, if the product is traced by units. In the first phase: the codes of those that are added, or the keys of those that
    /// stay; both may be left out. In a later one: all units that the batch then has, which may be others at the same quantity.
    #[schemars(length(max = 100_000))]
    batch_serials: Option<Vec<BatchUnit>>,
}

impl Postable for ActiveBatchChanged {
    const TYPE: ClientEvent = ClientEvent::ActiveBatchChanged;
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const MAY_CHANGE_LINKS: bool = true;
    const MAY_MOVE_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] =
        &["WIP_BOOKED", "WIP_UNBOOKED", "SERIAL_CREATED", "SERIAL_UNLINKED", "SERIAL_DELETED", "MOVEMENT_REVERSED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        bench.job().must_be_active()?;
        let key = bench.job().must_have_batch()?;
        bench.session(act).await?;
        let named = self.batch_serials.unwrap_or_default();
        if bench.floor.work.order.is_traced() {
            changing::change(act, &mut bench, self.new_active_batch_qt, &named).await?;
        } else {
            must_name_none(&named)?;
            resize(act, &mut bench, self.new_active_batch_qt).await?;
        }
        let batch = batches::find(act.tx, key).await?;
        let mut batch = batch.ok_or_else(|| Error::broken("the active batch of a job is not there"))?;
        batch.qt_total = self.new_active_batch_qt;
        batches::save(act.tx, &mut batch).await?;
        job_and_batch(bench.finish(act).await?, self.job_key)
    }
}

/// Books or frees the difference.
async fn resize(act: &mut Act<'_>, bench: &mut Bench, quantity: Quantity) -> Result<()> {
    let (index, before) = (bench.index, bench.job().active_batch_qt);
    bench.floor.work.resize_batch(index, quantity)?;
    match before < quantity {
        true => wip::book(act, bench, quantity - before).await,
        false => wip::unbook(act, bench, before - quantity).await,
    }
}
