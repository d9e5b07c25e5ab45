//! Counting sessions: what is to be counted, and how far that is.

mod change;
mod create;
mod read;
mod wire;

use domain::collection::Collection;
use domain::counting::CountSession;
use domain::fault::Faults;
use domain::key::CountSessionKey;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::Constraint;

use super::{NO_SESSION, TAG};
use crate::Result;
use crate::error::ApiError;
use crate::operation::{LARGE_BODY, Operation, delete, get, post, put};
use crate::scope;

#[derive(Deserialize, JsonSchema)]
struct SessionPath {
    /// The key of a counting session.
    session_key: CountSessionKey,
}

pub(super) fn not_found() -> ApiError {
    ApiError::missing(Collection::CountSession)
}

/// Checks that a session is not planned to end before it starts.
fn check_schedule(session: &CountSession) -> Result<()> {
    let mut faults = Faults::at("body");
    if let (Some(start), Some(end)) = (session.scheduled_start, session.scheduled_end)
        && end < start
    {
        let why = "Must not be before scheduled_start.";
        faults.within("scheduled_end", |faults| faults.add("value_error", why, &json!(end)));
    }
    ApiError::check(faults)
}

/// Turns a violated database constraint into an error for the client.
fn taken(error: ApiError) -> ApiError {
    match error.constraint() {
        Some(Constraint::CountSessionCodeTaken) => ApiError::conflict("Another counting session has this code."),
        _ => error,
    }
}

const TAKEN: &str = "Another counting session has the code.";
const REVISION: &str = "`If-Match` names another revision.";

pub(super) fn operations() -> Vec<Operation> {
    let mut all = reading();
    all.extend(writing());
    all
}

fn reading() -> Vec<Operation> {
    let read = scope!("inventory:count:read");
    vec![
        get("list_count_sessions", "/inventory/count-session", TAG, "List counting sessions", read::list)
            .scope(read)
            .describe(
                "Lists counting sessions, newest first, each with how much of its baseline was counted. All filters combine; a \
                 repeated one means any of its values.",
            ),
        get("get_count_session", "/inventory/count-session/{session_key}", TAG, "Read a counting session", read::one)
            .scope(read)
            .describe(
                "Returns a session with its targets, by the key of the user who is to count them; those that anyone may count \
                 are under the empty key. Canceled assignments are left out.",
            )
            .error(404, NO_SESSION),
        get(
            "get_processed_count_records",
            "/inventory/count-session/{session_key}/processed-records",
            TAG,
            "Read how far stock was corrected",
            read::processed,
        )
        .scope(read)
        .describe(
            "Returns the number of records that the service is done with, as a bare number. While a session is `processing`, it \
             grows up to `records_to_process` of the session.",
        )
        .error(404, NO_SESSION),
        get(
            "list_completed_count_positions",
            "/inventory/count-session/{session_key}/completed-positions",
            TAG,
            "List the positions that were counted",
            read::completed,
        )
        .scope(read)
        .describe("Returns the keys of all positions that the session has counted or found empty, sorted; never a part of them.")
        .error(404, NO_SESSION),
    ]
}

fn writing() -> Vec<Operation> {
    vec![
        post("create_count_session", "/inventory/count-session", TAG, "Plan a counting session", create::run)
            .scope(scope!("inventory:count:create"))
            .body_limit(LARGE_BODY)
            .describe(
                "Plans a session with its targets: positions or products, as its `type` says, for one user each, or for anyone. \
                 Targets plan, they do not limit: anything can be counted in a session. Without targets, it is about the whole of \
                 the own warehouse (`IN`). Without `code`, the counter `counting_sessions` of the configuration entry \
                 `system_counters` generates one. A session starts with the event `COUNT_SESSION_STARTED`.",
            )
            .error(
                400,
                "`errors` lists all faults: somebody has no targets, or there is no such user, position or product. `row` is the \
                 place in `assignments`, counting from 0.",
            )
            .error(409, TAKEN)
            .error(422, "No counter generates a code (`CounterNotDefinedError`, `CounterCodeTaken`)."),
        put("update_count_session", "/inventory/count-session/{session_key}", TAG, "Change a counting session", change::run)
            .scope(scope!("inventory:count:update"))
            .describe(
                "Changes the members that are sent. Once a session has started, its code, its type, what counters can't see and \
                 its planned start stay; once it is applied or canceled, only `description` and `notes` can be changed. \
                 States change by events.",
            )
            .error(404, NO_SESSION)
            .error(409, "Another counting session has the code, or the type would change although there are assignments.")
            .error(412, REVISION)
            .error(422, "Members can't be changed any more (`CountException` with the rule `field_locked`); `fields` names them."),
        delete("delete_count_session", "/inventory/count-session", TAG, "Delete a planned counting session", change::remove)
            .scope(scope!("inventory:count:delete"))
            .describe(
                "Deletes a session that has not started, with its assignments. One that has started is canceled with the event \
                 `COUNT_SESSION_CANCELED`.",
            )
            .error(404, NO_SESSION)
            .error(412, REVISION)
            .error(422, "It has started (`CountException` with the rule `wrong_state`)."),
    ]
}
