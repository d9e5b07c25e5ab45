//! Trace: what units were built into, what was built into them, and how that compares with what was planned.

mod as_built;
mod graph;
mod recall;
mod recalled;

use crate::operation::{LARGE_BODY, Operation, Tag, get, post};
use crate::scope;

const TAG: Tag = Tag::Trace;

pub fn operations() -> Vec<Operation> {
    let read = scope!("trace:read");
    vec![
        get("trace_serial", "/trace/serial/{serial_key}", TAG, "Trace a serial", graph::graph)
            .scope(read)
            .describe(
                "Returns everything that contains the serial and everything that it contains, at every depth, as nodes and edges. \
                 With `include_replaced`, links that have ended count too: a chain of links leads to a node only if all of them held \
                 at one moment. Of more than 100,000 nodes the nearest are shown, and `truncated` is true.",
            )
            .error(404, "No such serial, or it did not exist yet at that moment; the message says which."),
        get(
            "list_as_built",
            "/trace/product/{product_key}/as-built",
            TAG,
            "Compare units with their bills of materials",
            as_built::list,
        )
        .scope(read)
        .describe(
            "Lists the units of a product by code, each with what its bill of materials plans and what was built in. The bill of \
             materials is that of the work order, or the product's present one for units without an order. Only confirmed parts \
             that are still in a unit count.",
        )
        .error(404, "No such product, or serials that do not exist or are of another product; `unknown` has their keys."),
        get("list_recalled_units", "/trace/recall", TAG, "List the units to recall", recall::by_query)
            .scope(read)
            .describe(recall::DESCRIPTION)
            .error(404, recall::UNKNOWN)
            .sends(&["Content-Disposition"]),
        post("search_recalled_units", "/trace/recall", TAG, "List the units to recall, for many suspects", recall::by_body)
            .scope(read)
            .every_time()
            .unaudited()
            .body_limit(LARGE_BODY)
            .describe("The same as `GET /trace/recall`, with the parameters in a body. It changes nothing.")
            .error(404, recall::UNKNOWN)
            .sends(&["Content-Disposition"]),
    ]
}
