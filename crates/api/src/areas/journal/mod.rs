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
pub(crate) use read::{EventLine, event_line};

const TAG: Tag = Tag::Journal;

pub fn operations() -> Vec<Operation> {
    [sending(), reading()].into_iter().flatten().collect()
}

fn sending() -> Vec<Operation> {
    const REFUSED: &str = "The event does not fit its type, or a rule refuses it; `error_type` names the rule.";
    const FORBIDDEN: &str =
        "The caller lacks a scope that the event needs, or that sending another user's event needs.";
    vec![
        post("post_event", "/event", TAG, "Send an event", post::post)
            .scope(scope!("traceability:event:create"))
            .body_limit(LARGE_BODY)
            .shared()
            .describe(
                "Records what happens on the shop floor. An event is one flat object with the members of its type \
                 and those that all events share. In one transaction it is checked, changes the state of jobs, \
                 batches and orders, and is stored for good; a refused event stores nothing. The events it leads \
                 to are stored with it, under the same `event_group`. The answer has the job (`job_data`) and its \
                 active batch (`batch_data`) as they are afterwards, and what the type adds.",
            )
            .error(403, FORBIDDEN)
            .error(409, "Another record has the key that the event asks for.")
            .error(422, REFUSED),
        post("post_events", "/event/bulk", TAG, "Send many events", bulk::post)
            .scope(scope!("traceability:event:create"))
            .describe(
                "Stores 1 to 100,000 events of one type, or none of them. They run in order, and each sees the \
                 effects of those before it. If a row is refused, nothing is stored, but the remaining rows are \
                 still checked, without the effects of the refused ones. The answer is then a 422 `BulkRejected` \
                 that lists the refused rows by `index` (the first 1,000 of them), each with the error it would \
                 get on its own; a row may be refused only because an earlier one was. Correct these rows and \
                 send all of them again. A row that you have no right to send ends the check with a 403 that has \
                 its `index`. With `results=true` the answer contains the result of each row, as if it had been \
                 sent alone.",
            )
            .body_limit(bulk::BODY_BYTES)
            .piecemeal()
            .alone()
            .error(413, "The body or the answer would be too large.")
            .error(422, "The body does not fit, or events are refused (`BulkRejected` lists them)."),
    ]
}

fn reading() -> Vec<Operation> {
    vec![
        get("list_events", "/event", TAG, "List events", read::list)
            .scope(scope!("traceability:event:read"))
            .describe(
                "Lists events, newest first by default; all filters combine. A key finds the events that have it \
                 as a member and those that have it in a list of their payload, such as `serial_keys`. With \
                 `sort_by=seq`, `sorting_order=asc` and `after_seq` the list is a feed that misses nothing: `seq` \
                 follows commit order, so once you have read a number, no lower one can appear. Numbers may be \
                 skipped. Of a list in a payload the first 100 entries are shown, with the number of all beside it: \
                 `serials_count` beside `serials`.",
            ),
        get("list_seals", "/event/seal", TAG, "List seals", seals::list)
            .scope(scope!("traceability:event:read"))
            .describe(
                "Lists the chain of blocks in ascending order. Within a second of its commit every event is in a block of kind \
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
            .describe("Returns the event as it was stored, with the events it led to directly.")
            .error(404, "No such event."),
    ]
}
