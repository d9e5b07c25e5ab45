//! Movements: what was moved and what is to be moved.

mod latest;
mod read;
mod wire;

pub(super) use wire::{MovementRecord, record};

use super::{TAG, movement_list};
use crate::operation::{Operation, get, post};
use crate::scope;

pub(super) fn operations() -> Vec<Operation> {
    let read = scope!("inventory:movement:read");
    vec![
        get("list_movements", "/movement", TAG, "List movements", read::list)
            .scope(read)
            .describe(
                "Lists planned movements first, then the others by their end, the latest first. All filters combine; a repeated \
                 one means any of its values. `position_from` and `position_to` combine as `position_filter_operator` says. \
                 `Accept: text/csv` returns the same rows as a table.",
            )
            .sends(&["Content-Disposition"]),
        get("list_latest_positions", "/movement/latest-positions", TAG, "List the latest positions", latest::positions)
            .scope(read)
            .describe(
                "Lists the live positions of the latest 5,000 completed movements that match, each once, the latest first. \
                 `OUT` and `NULL` are left out.",
            ),
        get("list_latest_products", "/movement/latest-products", TAG, "List the latest products", latest::products)
            .scope(read)
            .describe(
                "Lists the active products of the latest 5,000 completed movements that match, each once, the latest first.",
            ),
        post("search_movement_lists", "/movement", TAG, "Search movement lists", movement_list::search)
            .scope(scope!("inventory:movement-list:read"))
            .every_time()
            .unaudited()
            .describe(
                "Lists movement lists, not movements: the same as `GET /movement-list` with the same filters, which are sent as \
                 a body. It changes nothing.",
            ),
    ]
}
