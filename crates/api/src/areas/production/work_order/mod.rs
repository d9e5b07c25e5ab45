//! Orders: created with copies of everything they are made by, replanned, and monitored.

mod change;
mod create;
mod read;
mod remove;
mod routing;
mod search_options;
mod sent;
mod traceability;
mod wire;

pub(crate) use wire::{OrderRead, order_read, order_reads};

use super::TAG;
use crate::operation::{LARGE_BODY, Operation, delete, get, patch, post};
use crate::scope;

const ABSENT: &str = "No such work order.";
const REVISION: &str = "`If-Match` names another revision.";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("list_work_orders", "/work-order", TAG, "List work orders", read::list).scope(scope!("production:work-order:read")).describe(
            "With their jobs and what was spent on them. Open ones first, then those that ended last. All filters combine; times \
             are inclusive.",
        ),
        post("create_work_order", "/work-order", TAG, "Create a work order", create::create)
            .scope(scope!("production:work-order:create"))
            .body_limit(LARGE_BODY)
            .describe(
                "The order copies the product's process with all its steps, its bill of materials and the list of its \
                 documents: later changes to those do not affect it. It gets one job per phase, each with the whole \
                 quantity, and the last place of the site queue. Without `wo_code` the counter of the configuration \
                 entry `system_counters` generates one.",
            )
            .error(404, "No such product, or it is inactive or in the trash.")
            .error(409, "Another work order has the code.")
            .error(
                422,
                "The product has no process (`NoProcessError`), is traced by units (`TraceabilityNotAvailable`), no counter makes \
                 codes (`CounterNotDefinedError`, `CounterCodeTaken`), or the body does not fit, lines each with their index in \
                 `loc`.",
            ),
        get("get_work_order", "/work-order/{work_order_key}", TAG, "Read a work order", read::one)
            .scope(scope!("production:work-order:read"))
            .describe("With its jobs and what was spent on it.")
            .error(404, ABSENT),
        patch("update_work_order", "/work-order/{work_order_key}", TAG, "Change a work order", change::change)
            .scope(scope!("production:work-order:update"))
            .describe(
                "Changes the members that are sent; null clears. Dates and project also apply to open jobs. `new_bom` \
                 applies to batches that begin later.",
            )
            .error(404, ABSENT)
            .error(412, REVISION)
            .error(422, "The order is closed and gets no new lines (`ValueError`), or the body does not fit."),
        patch("update_work_order_quantities", "/work-order/{work_order_key}/update-quantities", TAG, "Change a work order's quantities", change::quantities)
            .scope(scope!("production:work-order:update-quantities"))
            .describe(
                "Changes the planned quantity. Without `job_updates` each job gets all of it, which needs one job per \
                 phase; with it the named jobs get theirs, which need not add up. Closed jobs that then have quantity \
                 left open again.",
            )
            .error(404, ABSENT)
            .error(412, REVISION)
            .error(422, "A job has made more, or has more in progress (`QuantityTooSmallError`); or a phase has several \
                         jobs."),
        delete("delete_work_order", "/work-order/{work_order_key}", TAG, "Delete a work order", remove::remove)
            .scope(scope!("production:work-order:delete"))
            .describe("Only if nothing of it was started. Its jobs, places in queues, tags and files are removed; its \
                       events stay.")
            .error(403, "It was started, or the caller lacks the scope.")
            .error(404, ABSENT)
            .error(412, REVISION),
        get("get_work_order_traceability", "/work-order/{work_order_key}/traceability", TAG, "Read what was entered for a work order", traceability::read)
            .scope(scope!("production:work-order:read"))
            .describe(
                "One row per batch and step, by phase, start of the batch, and step; without canceled batches. \
                 `form_fields` has every field of the step, with null as long as the step is not done.",
            )
            .error(404, ABSENT),
        get("get_work_order_search_options", "/work-order-search-opts", TAG, "List what open jobs are about", search_options::read)
            .scope(scope!("production:work-order:read"))
            .describe("Phases, products and orders that have open jobs, each by name."),
    ]
}
