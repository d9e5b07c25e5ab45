use domain::Quantity;
use domain::key::{BatchKey, SerialKey};
use domain::text::NOT_BLANK;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::act::Act;
use crate::effects::production::batch::must_be_active;
use crate::effects::production::bench::Bench;
use crate::effects::production::completion::complete;
use crate::effects::production::result::{Completion, Source};
use crate::effects::production::sheet::StepData;
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// The active batch is done: what passed goes on, what was scrapped does not.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct BatchCompleted {
    /// The active batch of the job.
    active_batch_key: BatchKey,
    /// How much passed.
    #[schemars(range(min = 0))]
    completed_batch_qt: Quantity,
    /// How much was scrapped: together with `completed_batch_qt` all of the batch. When left out, the number of `scrap_serial_keys`.
    #[schemars(range(min = 0))]
    scrap_qt: Option<Quantity>,
    /// The units of the batch that are scrapped, if the product is traced by units.
    #[schemars(length(max = 100_000))]
    scrap_serial_keys: Option<Vec<SerialKey>>,
    /// Why something was scrapped; required with scrap.
    #[schemars(length(min = 1, max = 500), regex(pattern = NOT_BLANK))]
    scrap_reason: Option<String>,
    /// What was entered at the steps, each of them once; only if the steps of the phase are not confirmed one by one.
    step_data: Option<Vec<StepData>>,
    /// The units that pass, to be sure of them: exactly those of the batch that are not scrapped.
    #[schemars(length(max = 100_000))]
    batch_serial_keys: Option<Vec<SerialKey>>,
    /// Where components without serials were taken from, if it differs from their lines. Not for lines with a mandatory position.
    #[schemars(length(max = 100_000))]
    consumption: Option<Vec<Source>>,
}

impl Postable for BatchCompleted {
    const TYPE: ClientEvent = ClientEvent::BatchCompleted;
    const LOCKS: Locks = &[("active_batch_key", Lockable::Batch)];
    const MAY_CHANGE_LINKS: bool = true;
    const MAY_MOVE_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] = &[
        "SERIAL_UPDATED",
        "SERIAL_LINKED",
        "SERIAL_SCRAPPED",
        "SERIAL_RELEASED",
        "SERIAL_CREATED",
        "WORK_SESSION_CREATED",
        "WORK_SESSION_CLOSED",
        "BATCH_CREATED",
        "BATCH_RELEASED",
        "WIP_DECLARED",
        "WIP_BOOKED",
        "WIP_REMOVED",
        "JOB_CLOSED",
        "WORK_ORDER_CLOSED",
        "MOVEMENT_COMPLETED",
    ];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let (bench, batch) = Bench::of_batch(act, "active_batch_key", self.active_batch_key).await?;
        must_be_active(&bench, &batch)?;
        let session = bench.session(act).await?;
        let completion = Completion {
            pass: self.completed_batch_qt,
            scrap: self.scrap_qt,
            scrap_serial_keys: self.scrap_serial_keys.unwrap_or_default(),
            batch_serial_keys: self.batch_serial_keys,
            scrap_reason: self.scrap_reason,
            step_data: self.step_data,
            consumption: self.consumption.unwrap_or_default(),
        };
        complete(act, bench, batch, session, completion).await
    }
}
