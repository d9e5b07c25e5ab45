//! Rules for events of any type.

use serde_json::Value;

use super::rules;
use crate::Timestamp;
use crate::fault::{Fault, Loc};

rules! {
    /// A value of the right type is refused by a rule that has no name of its own; the message says why.
    ValueError, "Read the message: it says what is wrong with the value." {}

    /// A key names no record.
    RecordNotFoundError, "Look up the record; it may have been deleted." {
        /// The member that names it.
        field: String,
        /// The key, as it was sent.
        key: Value,
    }

    /// A key does not agree with the rest of the event.
    ReferenceMismatchError, "Send the expected key, or leave the member out." {
        /// The member that has the key.
        field: String,
        /// The key, as it was sent.
        given: String,
        /// The key that agrees; null: the event concerns no such record.
        expected: Option<String>,
    }

    /// The event can't have happened at that time.
    TimestampError, "Send a time that is neither before `earliest` nor in the future, or leave `timestamp` out." {
        /// The start of what the event ends.
        earliest: Option<Timestamp>,
    }

    /// Only the service makes events of this type.
    EventNotAllowed, "Send the event that leads to it." {
        /// Always `internal`.
        rule: &'static str,
        /// The type that was sent.
        event_type: &'static str,
    }

    /// Some events of a bulk were refused, so none of them was stored.
    BulkRejected, "Correct the rows in `errors`, and send all of them again." {
        /// How many events were sent.
        total_events: usize,
        /// How many were refused.
        failed: usize,
        /// The first 1,000 of them.
        #[schemars(schema_with = "rejected_events")]
        errors: Vec<Value>,
    }
}

/// How an event would have been refused if it had been sent alone.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct RejectedEvent {
    /// Its place in `events`, counting from 0.
    index: usize,
    /// The name of the rule, whose data is beside it, or `ValidationError` with all `faults` of its members.
    error_type: String,
    /// Why it was refused.
    message: String,
    /// Of a `ValidationError`: the path to its first fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Loc>")]
    loc: Option<Vec<Loc>>,
    /// Of a `ValidationError`: all faults of its members.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Fault>")]
    faults: Option<Vec<Fault>>,
}

fn rejected_events(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let one = generator.subschema_for::<RejectedEvent>();
    schemars::json_schema!({ "type": "array", "items": one })
}
