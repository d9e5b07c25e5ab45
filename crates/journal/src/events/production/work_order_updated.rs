use domain::key::WorkOrderKey;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::act::Act;
use crate::effects::production::answer;
use crate::effects::production::floor::Floor;
use crate::effects::production::order::{Changes, change};
use crate::effects::production::rights::PLAN;
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// What is planned of a work order changes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct WorkOrderUpdated {
    work_order_key: WorkOrderKey,
    #[serde(flatten)]
    changes: Changes,
}

impl Postable for WorkOrderUpdated {
    const TYPE: ClientEvent = ClientEvent::WorkOrderUpdated;
    const SCOPE: Option<Scope> = Some(PLAN);
    const LOCKS: Locks = &[("work_order_key", Lockable::WorkOrder)];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let floor = Floor::of_order(act, self.work_order_key).await?;
        change(act, floor, &self.changes).await?;
        Ok(Outcome(vec![("work_order", answer::order(self.work_order_key))]))
    }
}
