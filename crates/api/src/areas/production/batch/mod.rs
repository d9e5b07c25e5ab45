//! Batches: quantities that go through a phase together, and what is entered for them.

mod draft;
mod parts;
mod read;
mod serials;
mod wire;

pub(crate) use wire::{BatchRecord, batch_record};

use domain::collection::Collection;
use domain::key::BatchKey;
use schemars::JsonSchema;
use serde::Deserialize;

use super::TAG;
use crate::error::ApiError;
use crate::operation::{LARGE_BODY, Operation, get, post, put};
use crate::scope;

#[derive(Deserialize, JsonSchema)]
struct BatchPath {
    /// The key of a batch.
    batch_key: BatchKey,
}

fn not_found() -> ApiError {
    ApiError::missing(Collection::Batch)
}

const ABSENT: &str = "No such batch.";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("get_batch", "/batch/{batch_key}", TAG, "Read a batch", read::read)
            .scope(scope!("traceability:batch-execution-record:read"))
            .describe(
                "Returns a batch with one entry for each step of its job: whether it is done, and what was \
                 entered.",
            )
            .error(404, ABSENT),
        get("list_batch_serials", "/batch/{batch_key}/serials", TAG, "List the serials of a batch", serials::list)
            .scope(scope!("traceability:batch-execution-record:read"))
            .describe(
                "Lists the units that a batch works or worked on, by code; those without a code come last. Deleted \
                 units are not in it. If the order is not traced, the list is empty.",
            )
            .error(404, ABSENT),
        put(
            "replace_temporary_links",
            "/batch/{batch_key}/serial-temp-links",
            TAG,
            "Replace the temporary links of a batch",
            parts::put,
        )
        .scope(scope!("traceability:event:create"))
        .body_limit(LARGE_BODY)
        .describe(
            "Says which components are built into the units of the active batch, or into the batch itself if its order is not \
             traced. The links are temporary: this operation replaces all of them, and `BATCH_COMPLETED` confirms them. A link that \
             is sent again stays as it is. No event is stored. Returns the links in the order sent.",
        )
        .error(403, "A link is sent as confirmed, or names another batch.")
        .error(404, "No such batch or serial.")
        .error(
            422,
            "The batch is not the active one (`BatchNotActiveError`), another user is working on the job \
             (`NotSessionUserError`), or a serial can't be linked (`SerialNotLinkedError`, whose `rule` says why: `no_parent` if \
             the unit is not in the batch, `already_used` if the serial is named twice or built in elsewhere).",
        ),
        post("save_batch_draft", "/batch/temp-data", TAG, "Save a draft of a step", draft::keep)
            .scope(scope!("traceability:event:create"))
            .describe(
                "Saves values of a step that is not done yet; they become part of the step when it is completed. \
                 Values that are sent replace those saved before; others stay.",
            )
            .error(
                422,
                "The step is done, the batch is not the active one, another user is working on the job, or values \
                 do not fit: `error_type` names the rule. Or no step is named.",
            ),
    ]
}
