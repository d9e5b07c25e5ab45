//! Orders: made with copies of all that they are made by, planned anew, and watched.

mod create;
mod read;
mod routing;
mod wire;

pub(crate) use wire::{OrderRead, order_read, order_reads};

use super::TAG;
use crate::operation::{Operation, get, post};
use crate::scope;

const ABSENT: &str = "No such work order.";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("/work-order", TAG, "List work orders", read::list).scope(scope!("production:work-order:read")).describe(
            "With their jobs and what was spent on them. Open ones first, then those that ended last. All filters combine; times \
             are inclusive.",
        ),
        post("/work-order", TAG, "Create a work order", create::create)
            .scope(scope!("production:work-order:create"))
            .example(r#"{"product_code":"P-100","qt_planned":4,"due_by":"2026-03-31","project_code":"Alpha"}"#)
            .describe(
                "The order copies the product's process with all its steps, its bill of materials and the list of its documents: \
                 later changes of those do not touch it. It gets one job per phase, each with the whole quantity, and the last \
                 place of the site queue. Without `wo_code` the counter of the configuration entry `system_counters` makes one.",
            )
            .error(404, "No such product, or it is inactive or in the trash.")
            .error(409, "Another work order has the code.")
            .error(
                422,
                "The product has no process (`NoProcessError`), is traced by units (`TraceabilityNotAvailable`), no counter makes \
                 codes (`CounterNotDefinedError`, `CounterCodeTaken`), or the body does not fit, lines each with their index in \
                 `loc`.",
            ),
        get("/work-order/{work_order_key}", TAG, "Read a work order", read::one)
            .scope(scope!("production:work-order:read"))
            .describe("With its jobs and what was spent on it.")
            .error(404, ABSENT),
    ]
}
