//! The lines that orders use.

use domain::key::WorkOrderKey;
use domain::production::KeptLine;
use domain::text::fold;
use serde_json::json;

use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// In the order in which people read them.
pub async fn of_order(tx: &mut Tx, order: WorkOrderKey) -> Result<Vec<KeptLine>> {
    tx.one(sql!("select lines from work_order_bom where work_order_key = $1"), &params![order]).await
}

/// The lines of several orders, each order's in the order in which people read them.
pub async fn of_orders(tx: &mut Tx, orders: &[i64]) -> Result<Vec<(WorkOrderKey, Vec<KeptLine>)>> {
    let sql = sql!("select work_order_key, lines from work_order_bom where work_order_key {in $1}");
    tx.all(sql, &params![orders.to_vec()]).await
}

/// These are the order's lines from now on.
pub async fn put(tx: &mut Tx, order: WorkOrderKey, lines: &[KeptLine]) -> Result<()> {
    tx.run(
        sql!(
            "insert into work_order_bom (work_order_key, lines)
             values ($1, $2)
             on conflict (work_order_key) do update set lines = excluded.lines"
        ),
        &params![order, &json!(lines)],
    )
    .await
    .map(|_| ())
}

/// The order in which people read lines: by component and phase, then as they were sent.
pub fn sort_for_reading(lines: &mut [KeptLine]) {
    lines.sort_by_cached_key(|KeptLine { line, .. }| {
        let (code, phase) = (&line.component_code, &line.phase_name);
        (fold(code), code.clone(), fold(phase), phase.clone())
    });
}
