//! The routing of an order, as it was when the order was made.

use domain::Quantity;
use domain::key::{OperationKey, PhaseKey, WorkOrderKey};
use domain::process::PhaseParameters;
use serde_json::Value as Json;

use crate::row::row_struct;
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

row_struct! {
    pub struct OrderPhase {
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

/// In the order of the routing.
pub async fn of_order(tx: &mut Tx, order: WorkOrderKey) -> Result<Vec<OrderPhase>> {
    tx.all(
        sql!(
            "select work_order_key, phase_key, place, alias, operation_key, params, steps, step_count, unit_material_cost
             from order_phase
             where work_order_key = $1
             order by place"
        ),
        &params![order],
    )
    .await
}

/// The steps of one phase, as readers see them.
pub async fn steps(tx: &mut Tx, order: WorkOrderKey, phase: PhaseKey) -> Result<Json> {
    let sql = sql!("select steps from order_phase where work_order_key = $1 and phase_key = $2");
    tx.one(sql, &params![order, phase]).await
}
