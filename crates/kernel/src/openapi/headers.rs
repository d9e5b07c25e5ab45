//! The headers of answers.

use serde_json::{Map, Value, json};

use crate::operation::Operation;

/// Name, schema type, description.
const HEADERS: [(&str, &str, &str); 11] = [
    ("X-Request-Id", "string", "Finds the request in the log and in the audit log."),
    ("X-Total-Count", "integer", "How many records there are in all, if the request has `count=true`."),
    (
        "Idempotency-Replayed",
        "string",
        "`true`: an earlier request with this `Idempotency-Key` was carried out, and this is its answer.",
    ),
    ("Retry-After", "integer", "After how many seconds to try again."),
    ("WWW-Authenticate", "string", "`Bearer`."),
    ("ETag", "string", "Names the content: send it as `If-None-Match` to hear whether it has changed."),
    ("Content-Range", "string", "The range that was sent, and the size of the whole file."),
    ("Content-Disposition", "string", "The name under which to save the file."),
    ("X-Import-Status", "string", "`error` if rows of the file are faulty; absent otherwise."),
    ("X-Error-Count", "integer", "How many rows are faulty; absent if none is."),
    ("X-Valid-Count", "integer", "How many rows are good; absent if none is faulty."),
];

/// All of them, to be referred to.
pub(super) fn components() -> Map<String, Value> {
    let header = |(name, kind, description): (&str, &str, &str)| {
        (name.to_owned(), json!({ "description": description, "schema": { "type": kind } }))
    };
    HEADERS.into_iter().map(header).collect()
}

/// Those of an answer with this status.
pub(super) fn of(operation: &Operation, status: u16) -> Value {
    let mut names = vec!["X-Request-Id"];
    let good = status < 300;
    let file = operation.endpoint.ranges();
    let with = [
        (good && operation.endpoint.counts(), "X-Total-Count"),
        (good && operation.keeps_answers(), "Idempotency-Replayed"),
        (status == 429 || status == 503, "Retry-After"),
        (status == 401, "WWW-Authenticate"),
        (file && status < 400, "ETag"),
        (file && (status == 206 || status == 416), "Content-Range"),
    ];
    names.extend(with.into_iter().filter(|(with, _)| *with).map(|(_, name)| name));
    names.extend(operation.headers.iter().filter(|_| good));
    let reference = |name: &str| (name.to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    Value::Object(names.into_iter().map(reference).collect())
}
