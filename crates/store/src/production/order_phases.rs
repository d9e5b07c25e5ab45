//! The routing of an order, as it was when the order was made.

use domain::Quantity;
use domain::key::{OperationKey, PhaseKey, WorkOrderKey};
use domain::process::PhaseParameters;
use domain::production::{PhasePlan, StepCopy};
use serde_json::{Value as Json, json};

use crate::columns::{self, record};
use crate::row::{FromRow, Row};
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

record! {
    pub struct OrderPhase in order_phase keyed by 2 {
        pub work_order_key: WorkOrderKey,
        pub phase_key: PhaseKey,
        /// In the order's routing, from 0 on.
        pub place: i64,
        pub alias: String,
        pub operation_key: OperationKey,
        pub params: PhaseParameters,
        /// The steps in full, as readers see them.
        pub steps: Json,
        pub step_count: i64,
        /// What the lines of this phase cost for one unit; none when a component's cost is unknown.
        pub unit_material_cost: Option<Quantity>,
    }
}

/// What the jobs of several orders go by.
pub async fn plans(tx: &mut Tx, orders: &[i64]) -> Result<Vec<(WorkOrderKey, PhasePlan)>> {
    let plans: Vec<Plan> = tx
        .all(
            sql!(
                "select work_order_key, phase_key, place, step_count, unit_material_cost, params
                 from order_phase
                 where work_order_key {in $1}"
            ),
            &params![orders.to_vec()],
        )
        .await?;
    Ok(plans.into_iter().map(|Plan(order, phase)| (order, phase)).collect())
}

/// An order's plan for one phase.
struct Plan(WorkOrderKey, PhasePlan);

impl FromRow for Plan {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let order = row.column()?;
        let phase = PhasePlan {
            phase_key: row.column()?,
            place: row.column()?,
            step_count: row.column()?,
            unit_material_cost: row.column()?,
            parameters: row.column()?,
        };
        Ok(Self(order, phase))
    }
}

/// The phases with their aliases, in order.
pub async fn aliases(tx: &mut Tx, order: WorkOrderKey) -> Result<Vec<(PhaseKey, String)>> {
    let sql = sql!("select phase_key, alias from order_phase where work_order_key = $1 order by place");
    tx.all(sql, &params![order]).await
}

/// The phases of several orders, each order's in order.
pub async fn keys_of_orders(tx: &mut Tx, orders: &[i64]) -> Result<Vec<(WorkOrderKey, PhaseKey)>> {
    tx.all(
        sql!(
            "select work_order_key, phase_key
             from order_phase
             where work_order_key {in $1}
             order by work_order_key, place"
        ),
        &params![orders.to_vec()],
    )
    .await
}

/// So many phases go with one statement.
const AT_ONCE: usize = 1_000;

pub async fn insert_all(tx: &mut Tx, phases: &[OrderPhase]) -> Result<()> {
    for some in phases.chunks(AT_ONCE) {
        columns::insert_all(tx, some).await?;
    }
    Ok(())
}

/// What the material of one unit costs in each phase from now on.
pub async fn set_unit_costs(
    tx: &mut Tx,
    order: WorkOrderKey,
    costs: impl Iterator<Item = (PhaseKey, Option<Quantity>)>,
) -> Result<()> {
    let row = |(phase, cost): (PhaseKey, Option<Quantity>)| json!({ "phase": phase.0, "cost": cost.map(Quantity::millionths) });
    tx.run(
        sql!(
            "update order_phase
             set unit_material_cost = (
                 select cast(listed.cost as {int})
                 from {rows $2 phase cost}
                 where cast(listed.phase as {int}) = order_phase.phase_key
             )
             where work_order_key = $1"
        ),
        &params![order, &costs.map(row).collect::<Json>()],
    )
    .await
    .map(|_| ())
}

/// The steps of one phase, as readers see them.
pub async fn steps(tx: &mut Tx, order: WorkOrderKey, phase: PhaseKey) -> Result<Json> {
    let sql = sql!("select steps from order_phase where work_order_key = $1 and phase_key = $2");
    tx.one(sql, &params![order, phase]).await
}

/// The steps of several phases, as far as the service reads them.
pub async fn steps_of(tx: &mut Tx, order: WorkOrderKey, phases: &[i64]) -> Result<Vec<(PhaseKey, Vec<StepCopy>)>> {
    let sql = sql!("select phase_key, steps from order_phase where work_order_key = $1 and phase_key {in $2}");
    tx.all(sql, &params![order, phases.to_vec()]).await
}
