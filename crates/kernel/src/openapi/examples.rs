//! Examples of what is sent and answered: exchanges with a real service, recorded by `make examples`.

use std::sync::LazyLock;

use serde_json::Value;

static RECORDED: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../../openapi/examples.json")).unwrap_or_default());

/// The JSON body of a request.
pub(super) fn request(operation: &str) -> Option<Value> {
    RECORDED.get(operation)?.get("request").cloned()
}

/// The fields of a form, in JSON.
pub(super) fn form(operation: &str) -> Option<Value> {
    RECORDED.get(operation)?.get("form").cloned()
}

/// The JSON body of its answer.
pub(super) fn answer(operation: &str) -> Option<Value> {
    RECORDED.get(operation)?.get("answer").cloned()
}

/// Several bodies that an operation takes, by name; the most telling first.
pub(super) fn requests(operation: &str) -> Option<Vec<(String, Value)>> {
    let recorded = RECORDED.get(operation)?;
    let first = recorded.get("request")?;
    let mut requests: Vec<(String, Value)> =
        recorded.get("requests")?.as_object()?.iter().map(|(name, request)| (name.clone(), request.clone())).collect();
    requests.sort_by_key(|(_, request)| request["event_type"] != first["event_type"]);
    Some(requests)
}

/// Answers with this status, by name.
pub(super) fn errors(status: u16) -> Vec<(String, Value)> {
    let status = status.to_string();
    let recorded = RECORDED.get("_errors").and_then(Value::as_object).into_iter().flatten();
    let these = recorded.filter(|(name, _)| name.split('_').next() == Some(&status));
    these.filter_map(|(name, error)| Some((name.clone(), error.get("answer")?.clone()))).collect()
}
