//! What happened on the shop floor: sending events, reading them, and proving that none was altered.

mod act;
mod bulk;
mod post;
mod read;
mod seals;
mod sent;
mod shown;
mod stored;

use crate::operation::{LARGE_BODY, Operation, Tag, get, post};
use crate::scope;
pub(crate) use act::Acting;

const TAG: Tag = Tag::Journal;

pub fn operations() -> Vec<Operation> {
    [sending(), reading()].into_iter().flatten().collect()
}

fn sending() -> Vec<Operation> {
    const REFUSED: &str = "The event does not fit its type, or a rule refuses it: `error_type` names the rule.";
    const FORBIDDEN: &str = "The event is another user's, or needs a right that the caller lacks.";
    vec![
        post("post_event", "/event", TAG, "Send an event", post::post)
            .scope(scope!("traceability:event:create"))
            .body_limit(LARGE_BODY)
            .shared()
            .describe(
                "What happens on the shop floor, in one flat object: the members of its type and those that all events \
                 share. It is checked, changes the state of jobs, batches and orders, and is kept for ever, all in one \
                 transaction; a refused event stores nothing. Events that it leads to are stored with it, under the \
                 same `event_group`. The answer shows the job (`job_data`) and its active batch (`batch_data`) \
                 afterwards, and what its type adds.",
            )
            .error(403, FORBIDDEN)
            .error(422, REFUSED),
        post("post_events", "/event/bulk", TAG, "Send many events", bulk::post)
            .scope(scope!("traceability:event:create"))
            .describe(
                "1 to 100,000 events of one type, all or none. They run in order and each sees those before it. When \
                 any is refused, all others are checked too, nothing is stored, and the answer is a 422 `BulkRejected` \
                 with every bad row (up to 1,000) by its `index`; a row that you have no right to send is a 403 with \
                 its `index`. With `results=true` the answer contains the result of each row, as if it had been sent \
                 alone.",
            )
            .body_limit(bulk::BODY_BYTES)
            .piecemeal()
            .alone()
            .error(413, "The body, or what the answer would have to show, is too large.")
            .error(422, "The body does not fit, or events are refused: `BulkRejected` lists them."),
    ]
}

fn reading() -> Vec<Operation> {
    vec![
        get("list_events", "/event", TAG, "List events", read::list)
            .scope(scope!("traceability:event:read"))
            .describe(
                "All filters combine. A key finds the events that have it as their own and those with it in a list of \
                 their payload, such as `serial_keys`. Newest first by default. With `sort_by=seq`, `sorting_order=asc` \
                 and `after_seq` it is a feed that misses nothing: `seq` follows commit order, so once you have read a \
                 number, no lower one appears any more. Numbers may be skipped.",
            ),
        get("list_seals", "/event/seal", TAG, "List the seals", seals::list)
            .scope(scope!("traceability:event:read"))
            .describe(
                "The chain of blocks, ascending. Within a second of its commit every event is in a block of kind \
                 `events`; an entry of kind `removal` covers the events that a reset or a force delete removed. `hash` \
                 is the SHA-256 of the 32 bytes of `prev_hash` (of block 1: zeros), the canonical JSON of the entry \
                 without both hashes, and for each event, by `seq`, 8 bytes of `seq` (big-endian) and the 32 bytes of \
                 its digest: the SHA-256 of the canonical JSON of the event without `_id`, `_rev` and what is added for \
                 readers (`children`, `context_code`, `context_name`, `context_icon`). Canonical JSON is UTF-8 without \
                 spaces; null members are left out and names sorted by code point at every level; in texts only `\"`, \
                 `\\` and characters below U+0020 are escaped, the latter as `\\u00xx` in lower case; numbers are plain \
                 decimals without exponent, trailing zeros or `-0` (one that would need more than 1,000 digits stays \
                 as it is shown).",
            ),
        get("verify_journal", "/event/verify", TAG, "Verify the seals", seals::verify)
            .scope(scope!("traceability:event:read"))
            .describe(
                "Recomputes all digests and hashes from the stored events. `first_mismatch` is the first thing that \
                 does not fit: `chain_broken` (a block is missing or does not continue the one before), \
                 `event_changed`, `event_missing` (gone, and in no removal entry), `event_extra` (in a sealed range, \
                 but not in its block), `removed_present`, `block_changed` (the entry or its digests do not give its \
                 hash) or `anchor_differs`. Keep `head_block` and `head_hash` outside the database and send them later \
                 as the anchor: only that reveals a chain that was rewritten as a whole. One call checks about a \
                 million events; `next_block` says where to continue.",
            ),
        get("get_event", "/event/{event_key}", TAG, "Read an event", read::one)
            .scope(scope!("traceability:event:read"))
            .describe("The event as it was stored, with the events it led to directly.")
            .error(404, "No such event."),
    ]
}
