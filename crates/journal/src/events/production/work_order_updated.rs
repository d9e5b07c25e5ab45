use domain::Quantity;
use domain::fault::Faults;
use domain::key::{JobKey, WorkOrderKey};
use domain::production::Order;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::act::Act;
use crate::effects::production::floor::Floor;
use crate::effects::production::order::{Changes, change, replan};
use crate::effects::production::plan::{self, JobUpdate, PlanningFacts};
use crate::effects::production::rights::PLAN;
use crate::event::made::production::WorkOrderChanged;
use crate::event::planned::WorkOrderUpdatedChanges;
use crate::event::{ClientEvent, Lockable, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;
use crate::{Error, Result};

/// The plan of a work order changes: members left out stay, null clears.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct WorkOrderUpdated {
    /// The order.
    work_order_key: WorkOrderKey,
    #[serde(flatten)]
    changes: Changes,
}

impl Postable for WorkOrderUpdated {
    const TYPE: ClientEvent = ClientEvent::WorkOrderUpdated;
    const SCOPE: Option<Scope> = Some(PLAN);
    const LOCKS: Locks = &[("work_order_key", Lockable::WorkOrder)];
    const LEADS_TO: &'static [&'static str] =
        &["JOB_CLOSED", "WORK_ORDER_STARTED", "WORK_ORDER_CLOSED", "WORK_ORDER_REOPENED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let floor = Floor::of_order(act, self.work_order_key).await?;
        change(act, floor, &self.changes).await?;
        Ok(Outcome(vec![("work_order", OutcomeMember::WorkOrder(self.work_order_key))]))
    }
}

/// Changes the plan of a locked order.
pub async fn change_order(act: &mut Act<'_>, order: Order, changes: &Changes) -> Result<()> {
    let floor = begin(act, order).await?;
    change(act, floor, changes).await.map(|_| ())
}

/// Changes the planned quantity of a locked order: all of it for each job, or as the updates say.
pub async fn replan_order(
    act: &mut Act<'_>,
    order: Order,
    quantity: Quantity,
    updates: Option<&[JobUpdate]>,
) -> Result<()> {
    let floor = begin(act, order).await?;
    replan(act, floor, quantity, updates).await.map(|_| ())
}

async fn begin(act: &mut Act<'_>, order: Order) -> Result<Floor> {
    add_event(act, order.key, WorkOrderUpdatedChanges::default())?;
    Floor::load(act, order).await
}

/// Plans jobs by hand, with one event for each of their orders. Returns the jobs that were created, changed or closed.
pub async fn plan_jobs(act: &mut Act<'_>, updates: &[JobUpdate]) -> Result<Vec<JobKey>> {
    let mut floors = plan::floors(act, updates).await?;
    let known = PlanningFacts::load(act, &floors, updates).await?;
    let mut faults = Faults::at("body");
    let mut planned = plan::plan(&known, &mut floors, updates, &mut faults);
    Error::check(faults)?;
    for (order, floor) in floors {
        let changes =
            WorkOrderUpdatedChanges { jobs: Some(planned.recorded(order)), ..WorkOrderUpdatedChanges::default() };
        add_event(act, order, changes)?;
        act.concern(floor.concerns()).await?;
        planned.add_closed_event(act, &floor)?;
        floor.finish(act).await?;
    }
    Ok(planned.jobs)
}

fn add_event(act: &mut Act<'_>, work_order_key: WorkOrderKey, changes: WorkOrderUpdatedChanges) -> Result<()> {
    act.make(ClientEvent::WorkOrderUpdated.name(), &WorkOrderChanged { work_order_key, changes }).map(|_| ())
}
