use domain::json::Opaque;
use domain::key::{EntityKey, JobKey, WorkOrderKey};
use domain::rule::journal::RecordNotFoundError;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::act::Act;
use crate::effects::production::bench::Bench;
use crate::effects::production::floor::Floor;
use crate::effects::production::rights::SUPERVISE;
use crate::event::{ClientEvent, Lockable, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;
use crate::{Error, Result};

/// Replaces the additional data of a job or an order.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ExtraUpdate {
    /// What kind of record it is.
    entity_type: EntityType,
    /// The job or the order.
    entity_key: EntityKey,
    /// The new `extra`: anything, stored as it is. An order and its jobs hold at most 1 MiB of it together
    /// (`ExtraTooLargeError`); large data belongs in attached files.
    extra_data: Value,
}

/// A record with additional data.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(rename = "ExtraEntityType")]
#[serde(rename_all = "snake_case")]
enum EntityType {
    Job,
    WorkOrder,
}

impl Postable for ExtraUpdate {
    const TYPE: ClientEvent = ClientEvent::ExtraUpdate;
    const SCOPE: Option<Scope> = Some(SUPERVISE);
    const LOCKS: Locks = &[("entity_key", Lockable::Job), ("entity_key", Lockable::WorkOrder)];
    const ORDER_ALONE: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let key = self.entity_key;
        let entity = match self.entity_type {
            EntityType::Job => {
                let job = JobKey(key.0);
                let mut bench = Bench::of_job(act, job).await.map_err(|error| named(error, key))?;
                bench.job_mut().extra = Opaque::from(&self.extra_data);
                OutcomeMember::job(bench.finish(act).await?, job)
            }
            EntityType::WorkOrder => {
                let order = WorkOrderKey(key.0);
                let mut floor = Floor::of_order(act, order).await.map_err(|error| named(error, key))?;
                act.concern(floor.concerns()).await?;
                floor.work.order.extra = Opaque::from(&self.extra_data);
                floor.finish(act).await?;
                OutcomeMember::WorkOrder(order)
            }
        };
        Ok(Outcome(vec![("entity", entity)]))
    }
}

/// The error of a missing record, under the member that named it.
fn named(error: Error, key: EntityKey) -> Error {
    match error {
        Error::Refused(refused) if refused.is::<RecordNotFoundError>() => Error::missing("entity_key", key),
        other => other,
    }
}
