use domain::Quantity;
use domain::key::JobKey;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::production::batches;

use crate::act::Act;
use crate::effects::production::answer::job_and_batch;
use crate::effects::production::batch::refuse_serials;
use crate::effects::production::bench::Bench;
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
    /// The units that the batch then has. Only for products traced by units, which can't be ordered yet: leave it out.
    batch_serials: Option<Vec<Value>>,
}

impl Postable for ActiveBatchChanged {
    const TYPE: ClientEvent = ClientEvent::ActiveBatchChanged;
    const LOCKS: Locks = &[("job_key", Lockable::Job)];
    const LEADS_TO: &'static [&'static str] = &["WIP_BOOKED", "WIP_UNBOOKED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let mut bench = Bench::of_job(act, self.job_key).await?;
        bench.job().must_be_active()?;
        let key = bench.job().must_have_batch()?;
        bench.session(act).await?;
        refuse_serials(self.batch_serials.as_ref())?;
        let index = bench.index;
        let before = bench.job().active_batch_qt;
        bench.floor.work.resize_batch(index, self.new_active_batch_qt)?;
        if before < self.new_active_batch_qt {
            wip::book(act, &bench, self.new_active_batch_qt - before).await?;
        } else {
            wip::unbook(act, &bench, before - self.new_active_batch_qt).await?;
        }
        let batch = batches::find(act.tx, key).await?;
        let mut batch = batch.ok_or_else(|| Error::broken("the active batch of a job is not there"))?;
        batch.qt_total = self.new_active_batch_qt;
        batches::save(act.tx, &mut batch).await?;
        job_and_batch(&bench.finish(act).await?, self.job_key)
    }
}
