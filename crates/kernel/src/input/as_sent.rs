//! Keys as they were sent. A key that we can't have made is read as the key of no record, and an answer would otherwise show
//! that one.

use std::sync::LazyLock;

use domain::json;
use domain::key::{NOBODY, id_from_text, id_to_text};
use serde_json::Value;

/// What the key of no record looks like.
static NO_KEY: LazyLock<String> = LazyLock::new(|| id_to_text(NOBODY));

/// Replaces keys of no record with those in the body.
pub(crate) fn show_as_sent(detail: &mut Value, body: &[u8]) {
    if !holds_no_key(detail) {
        return;
    }
    let body: Value = json::read(body).unwrap_or(Value::Null);
    mend(detail, &body, None);
}

fn is_no_key(value: &Value) -> bool {
    value.as_str() == Some(&*NO_KEY)
}

fn is_foreign(value: &Value) -> bool {
    value.as_str().is_some_and(|text| id_from_text(text).is_none())
}

fn holds_no_key(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().any(holds_no_key),
        Value::Object(members) => members.values().any(holds_no_key),
        value => is_no_key(value),
    }
}

/// A fault says where its value is; the error of a rule names a field, of the body or of the row it is about.
fn mend(detail: &mut Value, body: &Value, row: Option<usize>) {
    match detail {
        Value::Array(values) => values.iter_mut().for_each(|value| mend(value, body, row)),
        Value::Object(members) => {
            let index = members.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
            let row = index.or(row);
            let sent = match (members.get("loc"), members.get("field")) {
                (Some(Value::Array(loc)), _) => at(body, loc).cloned(),
                (_, Some(Value::String(field))) => field_of(body, row, field).cloned(),
                _ => None,
            };
            // Of a list, the first entry that can't be a key of ours.
            let sent = match sent {
                Some(Value::Array(values)) => values.into_iter().find(is_foreign),
                sent => sent,
            };
            for value in members.values_mut() {
                if is_no_key(value) {
                    *value = sent.clone().unwrap_or(Value::Null);
                } else {
                    mend(value, body, row);
                }
            }
        }
        _ => {}
    }
}

/// The value at a location that begins with `body`.
fn at<'a>(body: &'a Value, loc: &[Value]) -> Option<&'a Value> {
    let (root, steps) = loc.split_first()?;
    if root != "body" {
        return None;
    }
    steps.iter().try_fold(body, |value, step| match step {
        Value::String(name) => value.get(name),
        Value::Number(index) => value.get(usize::try_from(index.as_u64()?).ok()?),
        _ => None,
    })
}

/// A field of the body, or of a row of a bulk including the members that rows share.
fn field_of<'a>(body: &'a Value, row: Option<usize>, field: &str) -> Option<&'a Value> {
    let of_row = row.and_then(|row| body.get("events")?.get(row)?.get(field));
    of_row.or_else(|| body.get("shared_data")?.get(field)).or_else(|| body.get(field))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(mut detail: Value, body: &Value) -> Value {
        show_as_sent(&mut detail, body.to_string().as_bytes());
        detail
    }

    #[test]
    fn keys_are_shown_as_they_were_sent() {
        let none = &*NO_KEY;
        let body = json!([{ "phase_key": "zz" }]);
        let fault = |input: &str| json!([{ "loc": ["body", 0, "phase_key"], "input": input }]);
        assert_eq!(shown(fault(none), &body), fault("zz"));
        assert_eq!(shown(fault("other"), &body), fault("other"));
        let rule = |given: &str| json!({ "error_type": "x", "field": "work_order_key", "given": given });
        assert_eq!(shown(rule(none), &json!({ "work_order_key": "zz" })), rule("zz"));
        let row = |given: &str| json!([{ "index": 1, "detail": { "field": "job_key", "key": given } }]);
        let bulk = json!({ "shared_data": { "work_order_key": "yy" }, "events": [{}, { "job_key": "zz" }] });
        assert_eq!(shown(row(none), &bulk), row("zz"));
        assert_eq!(shown(rule(none), &bulk), rule("yy"));
        let of_list = |given: &str| json!({ "field": "serial_keys", "key": given });
        let list = json!({ "serial_keys": ["0000000000001", "zz", "yy"] });
        assert_eq!(shown(of_list(none), &list), of_list("zz"));
        let lost = json!([{ "loc": ["path", "key"], "input": none }]);
        assert_eq!(shown(lost, &body), json!([{ "loc": ["path", "key"], "input": null }]));
    }
}
