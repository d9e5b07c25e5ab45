//! What happened on the shop floor: sending events, reading them, and the proof that none was altered.

mod author;
mod bulk;
mod post;
mod sent;
mod shown;

pub(crate) use author::author;

use crate::operation::{Operation, Tag, post};
use crate::scope;

const TAG: Tag = Tag::Journal;

pub fn operations() -> Vec<Operation> {
    sending()
}

fn sending() -> Vec<Operation> {
    const REFUSED: &str = "The event does not fit its type, or a rule refuses it: `error_type` names the rule.";
    const FORBIDDEN: &str = "The event is another user's, or needs a right besides.";
    vec![
        post("/event", TAG, "Send an event", post::post)
            .scope(scope!("traceability:event:create"))
            .example(r#"{"event_type":"JOB_STARTED","job_key":"0c9qk1tm40000"}"#)
            .describe(
                "What happens on the shop floor, in one flat object: the members of its type beside those that all events have. It \
                 is checked, changes the state of jobs, batches and orders, and is kept for ever, all in one transaction; a refused \
                 event stores nothing. Events that it leads to are stored with it, under the same `event_group`. The answer shows the \
                 job (`job_data`) and its active batch (`batch_data`) afterwards, and what its type adds.",
            )
            .error(403, FORBIDDEN)
            .error(422, REFUSED),
        post("/event/bulk", TAG, "Send many events", bulk::post)
            .scope(scope!("traceability:event:create"))
            .example(
                r#"{"shared_data":{"event_type":"EXTRA_UPDATE_REQUESTED","entity_type":"job"},"events":[{"entity_key":"0c9qk1tm40000","extra_data":{"oven":3}}]}"#,
            )
            .describe(
                "1 to 100,000 events of one type, all or none. They run in order and each sees those before it. When any is refused, \
                 all others are checked too, nothing is stored, and the answer is a 422 `BulkRejected` with every bad row (up to \
                 1,000) by its `index`. With `results=false` the answer has only the counts.",
            )
            .body_limit(bulk::BODY_BYTES)
            .alone()
            .error(413, "The body, or what the answer would have to show, is too large.")
            .error(422, "The outline does not fit, or events are refused: `BulkRejected` lists them."),
    ]
}
