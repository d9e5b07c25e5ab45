//! Who is to count what.

mod read;
mod targets;
mod wire;
mod write;

pub(super) use targets::{Named, NewAssignment, TargetFaults, planned};
pub(super) use wire::{AssignedTarget, assigned_target};

use super::{NO_SESSION, TAG};
use crate::operation::{LARGE_BODY, Operation, delete, get, post};
use crate::scope;

pub(super) fn operations() -> Vec<Operation> {
    const PATH: &str = "/inventory/count-assignment";
    vec![
        get("list_count_assignments", PATH, TAG, "List assignments", read::list)
            .scope(scope!("inventory:count:read"))
            .describe(
                "Lists who is to count what, by the code of the position or product, canceled assignments too. All filters combine.",
            ),
        post("create_count_assignments", PATH, TAG, "Add assignments to a session", write::create)
            .scope(scope!("inventory:count:create"))
            .body_limit(LARGE_BODY)
            .describe(
                "Adds targets to one session that is planned or started: all of them, or none. What the session is measured by, its \
                 baseline, stays as it was at the start.",
            )
            .error(
                400,
                "There are none, or `errors` lists all faults: another session or type than the first, or no such user, position or \
                 product. `row` is the place in the list, counting from 0.",
            )
            .error(404, NO_SESSION)
            .error(422, "The session is neither planned nor started (`CountException` with the rule `wrong_state`)."),
        delete("cancel_count_assignments", PATH, TAG, "Cancel assignments", write::cancel)
            .scope(scope!("inventory:count:delete"))
            .body_limit(LARGE_BODY)
            .describe("Cancels assignments that nobody has started: all of them, or none. They stay in the list, as `canceled`.")
            .error(400, "There are none, or `errors` lists those that there are not, or that are not planned."),
    ]
}
