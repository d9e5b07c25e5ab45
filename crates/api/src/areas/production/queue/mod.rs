//! The sequence in which orders and jobs wait.

mod assignment;
mod read;
mod replace;
mod wire;

use domain::collection::Collection;
use domain::key::{KEY_PATTERN, UserKey};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{Tx, entities};

use super::TAG;
use crate::Result;
use crate::error::ApiError;
use crate::operation::{LARGE_BODY, Operation, get, put};
use crate::scope;

#[derive(Deserialize, JsonSchema)]
struct OperatorPath {
    /// The key of a user: the operator whose queue it is.
    operator_key: UserKey,
}

#[derive(Deserialize, JsonSchema)]
struct SitePath {
    /// The key of the site; the only one is `0`.
    #[schemars(regex(pattern = KEY_PATTERN))]
    site_key: String,
}

/// 404 for a user who doesn't exist or was deleted.
async fn must_be_there(tx: &mut Tx, user: &UserKey) -> Result<()> {
    match entities::exists(tx, Collection::User, user.as_str()).await? {
        true => Ok(()),
        false => Err(ApiError::missing(Collection::User)),
    }
}

/// Operations that show whose jobs are which.
pub(super) fn assignments() -> Vec<Operation> {
    vec![
        get("get_job_assignment", "/job-assignment", TAG, "Read who has which jobs", assignment::read)
            .scope(scope!("production:job:read"))
            .describe(
                "Returns the open jobs of every user with the coarse scope `operator`, in the order of the \
                 operator's queue, and the unassigned jobs, in the order of the site queue.",
            ),
    ]
}

pub(super) fn operations() -> Vec<Operation> {
    const REFUSED: &str = "The body does not fit, keys are not in the queue or are named twice (all faults are \
                           reported at once), or the queue can't have its own sequence \
                           (`IndependentReorderingNotAllowed`).";
    vec![
        get("list_queues", "/queue", TAG, "List queues", read::list).scope(scope!("production:queue:read")).describe(
            "Lists the site queue first, with all orders that are not closed, then the operators' queues, with the \
             open jobs assigned to them.",
        ),
        put("replace_queue", "/queue", TAG, "Reorder a queue", replace::any)
            .scope(scope!("production:queue:update"))
            .body_limit(LARGE_BODY)
            .describe(
                "Moves the named orders to the front; all others follow in their previous sequence. Operators' \
                 queues that are not independent change with it. A queue of type `o` is accepted too, and is \
                 treated as at the address of its operator.",
            )
            .error(404, "No such user.")
            .error(412, "`If-Match` names another revision.")
            .error(422, REFUSED),
        get("get_site_queue", "/queue/site/{site_key}", TAG, "Read the site queue", read::site)
            .scope(scope!("production:queue:read"))
            .describe("Returns the orders that are not closed, in their sequence, with their jobs, time and cost.")
            .error(404, "No such site."),
        get("get_operator_queue", "/queue/operator/{operator_key}", TAG, "Read an operator's queue", read::operator)
            .scope(scope!("production:queue:read"))
            .describe(
                "Returns the open jobs of a user in order, with their records; the queue is empty for a user who \
                 has none. A queue that is not independent is sorted by site queue, then by phase, then by \
                 creation.",
            )
            .error(404, "There is no such user, or the user is deleted."),
        put(
            "replace_operator_queue",
            "/queue/operator/{operator_key}",
            TAG,
            "Reorder an operator's queue",
            replace::of_operator,
        )
        .scope(scope!("production:queue:update"))
        .body_limit(LARGE_BODY)
        .describe(
            "An independent queue keeps its own sequence, however the site queue changes; jobs assigned later go to \
             its end. A queue can become independent only while the configuration entry \
             `allow_independent_reordering_of_job_queues` is true. With `independent` false, it follows the site \
             queue again.",
        )
        .error(404, "There is no such user, or the user is deleted.")
        .error(412, "`If-Match` names another revision.")
        .error(422, REFUSED),
    ]
}
