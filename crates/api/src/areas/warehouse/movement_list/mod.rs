//! Movement lists: movements that are planned, carried out and closed together.

mod create;
mod read;
mod wire;

pub(super) use read::search;

use domain::collection::Collection;
use domain::key::MovementListKey;
use schemars::JsonSchema;
use serde::Deserialize;

use super::TAG;
use crate::error::ApiError;
use crate::operation::{LARGE_BODY, Operation, get, post};
use crate::scope;

#[derive(Deserialize, JsonSchema)]
struct ListPath {
    /// The key of a movement list.
    movement_list_key: MovementListKey,
}

fn not_found() -> ApiError {
    ApiError::missing(Collection::MovementList)
}

pub(super) fn operations() -> Vec<Operation> {
    let read = scope!("inventory:movement-list:read");
    vec![
        get("list_movement_lists", "/movement-list", TAG, "List movement lists", read::list)
            .scope(read)
            .describe(
                "Lists movement lists by the day they are due, then by code, each with how many rows of each status it has. All \
                 filters combine; a repeated one means any of its values.",
            ),
        get("get_movement_list", "/movement-list/{movement_list_key}", TAG, "Read a movement list", read::one)
            .scope(read)
            .describe("Returns a movement list with its rows, by item.")
            .error(404, "No such movement list."),
        post("create_movement_list", "/movement-list", TAG, "Create a movement list", create::run)
            .scope(scope!("inventory:movement-list:create"))
            .body_limit(LARGE_BODY)
            .describe(
                "Makes a list of movements of one type, and stores `WAREHOUSE_LIST_CREATED`. With the status `planned` its rows are \
                 planned; with `completed` each is carried out at once, by `qt_confirmed`, or by `qt_planned` when that is 0. Codes are \
                 stored in upper case, and unique among the lists of a type. A list of adjustments needs the scope \
                 `inventory:movement:adjust` too.",
            )
            .error(
                400,
                "Rows are wrong: `errors` lists all faults. A row has another type than the list or an unknown product, or an item \
                 has two products or a serial twice.",
            )
            .error(409, "Another list of the type has the code.")
            .error(
                422,
                "A movement is refused (`InventoryMovementException`); `row` is its place in the list, counting from 0. Nothing was \
                 stored.",
            ),
    ]
}
