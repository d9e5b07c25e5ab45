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

pub(crate) use wire::{OrderRead, OrderRecord, order_read, order_reads, order_records};

use super::TAG;
use crate::operation::{LARGE_BODY, Operation, delete, get, patch, post};
use crate::scope;

const ABSENT: &str = "No such work order.";
const REVISION: &str = "`If-Match` names another revision.";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("list_work_orders", "/work-order", TAG, "List work orders", read::list)
            .scope(scope!("production:work-order:read"))
            .describe(
                "Lists work orders with their jobs, time and cost. Open orders come first, then those that ended \
                 last. All filters combine; times are inclusive.",
            ),
        post("create_work_order", "/work-order", TAG, "Create a work order", create::create)
            .scope(scope!("production:work-order:create"))
            .body_limit(LARGE_BODY)
            .describe(
                "The order copies the product's process with all its steps, its bill of materials and the list of \
                 its documents, so later changes to those do not affect it. It gets one job per phase, each with \
                 the whole quantity, and the last place in the site queue. Without `wo_code`, the counter of the \
                 configuration entry `system_counters` generates a code.",
            )
            .error(404, "There is no such product, or it is inactive or in the trash.")
            .error(409, "Another work order has the code.")
            .error(
                422,
                "The product has no process (`NoProcessError`), \
                 no counter can make a code (`CounterNotDefinedError`, `CounterCodeTaken`), or the body does not \
                 fit; faults of lines have their index in `loc`.",
            ),
        get("get_work_order", "/work-order/{work_order_key}", TAG, "Read a work order", read::one)
            .scope(scope!("production:work-order:read"))
            .describe("Returns a work order with its jobs, time and cost.")
            .error(404, ABSENT),
        patch("update_work_order", "/work-order/{work_order_key}", TAG, "Change a work order", change::change)
            .scope(scope!("production:work-order:update"))
            .describe(
                "Changes the members that are sent; null clears them. Dates and project code also apply to open \
                 jobs. `new_bom` applies to batches that begin later.",
            )
            .error(404, ABSENT)
            .error(412, REVISION)
            .error(422, "`new_bom` was sent for a closed order (`ValueError`), or the body does not fit."),
        patch(
            "update_work_order_quantities",
            "/work-order/{work_order_key}/update-quantities",
            TAG,
            "Change a work order's quantities",
            change::quantities,
        )
        .scope(scope!("production:work-order:update-quantities"))
        .describe(
            "Changes the planned quantity. Without `job_updates`, each job gets all of it, which requires one job \
             per phase. With it, the named jobs get their own quantities, which need not add up. A closed job opens \
             again if it then has quantity left.",
        )
        .error(404, ABSENT)
        .error(412, REVISION)
        .error(
            422,
            "A job has made more or has more in progress (`QuantityTooSmallError`), or a phase has several jobs and \
             `job_updates` is missing.",
        ),
        delete("delete_work_order", "/work-order/{work_order_key}", TAG, "Delete a work order", remove::remove)
            .scope(scope!("production:work-order:delete"))
            .describe(
                "Deletes an order of which nothing was started, with its jobs, places in queues, tags and files. \
                 Its events stay.",
            )
            .error(403, "The order was started, or the caller lacks the scope.")
            .error(404, ABSENT)
            .error(412, REVISION),
        get(
            "get_work_order_traceability",
            "/work-order/{work_order_key}/traceability",
            TAG,
            "Read the form data of a work order",
            traceability::read,
        )
        .scope(scope!("production:work-order:read"))
        .describe(
            "Returns what was entered at the steps: one row per batch and step, and for a traced order one for each \
             unit of the batch; sorted by phase, start of the batch, step and code of the unit, without canceled \
             batches and deleted units. `form_fields` has every field of the step, with null until the step is done.",
        )
        .error(404, ABSENT),
        get(
            "get_work_order_search_options",
            "/work-order-search-opts",
            TAG,
            "Read the search options for open jobs",
            search_options::read,
        )
        .scope(scope!("production:work-order:read"))
        .describe("Returns the phases, products and orders that have open jobs, each sorted by name."),
    ]
}
