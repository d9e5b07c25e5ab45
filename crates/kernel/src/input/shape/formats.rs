//! Rules for values, referred to by name in a schema. So one pass finds them together with faults of shape. Rules that need
//! the database or the clock are checked later, by the operation.

use domain::counter::{Counter, Frequency, MOST_PARTS, check_part, check_template};
use domain::fault::Faults;
use domain::notification::webhook::{WebhookUrl, is_known};
use domain::scope::unknown_words;
use domain::slug::slug;
use domain::{Timestamp, preferences, user};
use journal::{ClientEvent, ServerEvent};
use serde_json::{Map, Value, json};

use super::{Check, whole};

/// The schema keyword that names a rule, for `#[schemars(extend(…))]`. Objects and lists are passed to the rule even if
/// their contents have faults, all other values only if their shape is right.
pub(super) const CHECKED_AS: &str = "x-checked-as";

const CHECKS: [(&str, Check); 15] = [
    ("username", username),
    ("scope", scope),
    ("user-key", user_key),
    ("preferences", user_preferences),
    ("product-key", product_key),
    ("new-order", new_order),
    ("field-name", field_name),
    ("counter-template", counter_template),
    ("new-counter", new_counter),
    ("tags-query", tags_query),
    ("verify-query", verify_query),
    ("extra", extra),
    ("day", day),
    ("webhook-url", webhook_url),
    ("event-filter", event_filter),
];

/// The rule of this name.
pub(super) fn check_of(name: &Value) -> Option<Check> {
    CHECKS.iter().find(|(known, _)| name == known).map(|(_, check)| *check)
}

/// What clients keep with a record is shown wherever the record is, and copied with it.
const MOST_EXTRA: usize = 4096;

fn extra(value: &Value, faults: &mut Faults) {
    let bytes = serde_json::to_string(value).map_or(0, |text| text.len());
    if bytes > MOST_EXTRA {
        faults.add("too_long", format!("Must take at most {MOST_EXTRA} bytes as JSON."), &json!(bytes));
    }
}

/// A day that its pattern lets through may still not be in the calendar.
fn day(value: &Value, faults: &mut Faults) {
    if Timestamp::parse(text(value)).is_err() {
        faults.add("value_error", "There is no such day.", value);
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| whole(value.as_number()?))
}

fn is_given(value: &Value, member: &str) -> bool {
    value.get(member).is_some_and(|value| !value.is_null())
}

fn username(value: &Value, faults: &mut Faults) {
    if let Some(why) = user::username_objection(text(value).trim()) {
        faults.add("value_error", why, value);
    }
}

fn scope(value: &Value, faults: &mut Faults) {
    for word in unknown_words(text(value)) {
        faults.add("value_error", "Is not a scope.", &json!(word));
    }
}

/// The path of a list, which the path of a user must not shadow.
const RESERVED_USER_KEY: &str = "api-tokens";

fn user_key(value: &Value, faults: &mut Faults) {
    if text(value) == RESERVED_USER_KEY {
        faults.add("value_error", "This key is reserved.", value);
    }
}

fn user_preferences(value: &Value, faults: &mut Faults) {
    if let Some(members) = value.as_object() {
        preferences::merge(&Map::new(), members, faults);
    }
}

/// Paths below `/product` that are not products.
const RESERVED_PRODUCT_KEYS: [&str; 3] = ["export", "import", "copy"];

fn product_key(value: &Value, faults: &mut Faults) {
    if RESERVED_PRODUCT_KEYS.contains(&text(value)) {
        faults.add("value_error", "Is reserved: it would be the address of something else.", value);
    }
}

fn new_order(value: &Value, faults: &mut Faults) {
    if value.is_object() && !is_given(value, "product_key") && !is_given(value, "product_code") {
        let why = "An order needs the key or the code of its product.";
        faults.within("product_key", |faults| faults.add("missing", why, &Value::Null));
    }
}

fn field_name(value: &Value, faults: &mut Faults) {
    if slug(text(value).trim()).is_empty() {
        faults.add("value_error", "A name needs a letter or digit outside parentheses.", value);
    }
}

fn counter_template(value: &Value, faults: &mut Faults) {
    let parts = value.as_array().filter(|parts| (1..=MOST_PARTS).contains(&parts.len()));
    let Some(parts) = parts else { return };
    match parts.iter().map(Value::as_str).collect::<Option<Vec<&str>>>() {
        Some(parts) => check_template(&parts, faults),
        // As far as they can be read.
        None => {
            for (index, part) in parts.iter().enumerate().filter_map(|(index, part)| Some((index, part.as_str()?))) {
                check_part(index, part, faults);
            }
        }
    }
}

/// Checks a new counter, as far as possible without the site's time zone.
fn new_counter(value: &Value, faults: &mut Faults) {
    let frequency = value.get("frequency").and_then(Value::as_str).and_then(Frequency::parse);
    let parts = value.get("template").and_then(Value::as_array);
    let template: Option<Vec<String>> =
        parts.and_then(|parts| parts.iter().map(|part| Some(part.as_str()?.to_owned())).collect());
    match template {
        Some(template) if (1..=MOST_PARTS).contains(&template.len()) => {
            Counter { template, frequency, next_tick: 1, reset_date: None }.check(faults);
        }
        Some(_) => {}
        None => faults.within("template", |faults| counter_template(&value["template"], faults)),
    }
    if is_given(value, "reset_date") && !is_given(value, "frequency") {
        let why = "Without a frequency there is no reset date.";
        faults.within("reset_date", |faults| faults.add("value_error", why, &value["reset_date"]));
    }
}

fn tags_query(value: &Value, faults: &mut Faults) {
    let missing = match (is_given(value, "context"), is_given(value, "context_key")) {
        (true, false) => "context_key",
        (false, true) => "context",
        _ => return,
    };
    faults.within(missing, |faults| faults.add("missing", "context and context_key come together.", &Value::Null));
}

fn verify_query(value: &Value, faults: &mut Faults) {
    let missing = match (is_given(value, "anchor_block"), is_given(value, "anchor_hash")) {
        (true, false) => Some("anchor_hash"),
        (false, true) => Some("anchor_block"),
        _ => None,
    };
    if let Some(missing) = missing {
        let why = "anchor_block and anchor_hash come together.";
        faults.within(missing, |faults| faults.add("value_error", why, &Value::Null));
    }
    let from = value.get("from_block").map_or(Some(1), integer);
    let to = value.get("to_block").and_then(integer);
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        faults.within("to_block", |faults| {
            faults.add("value_error", "to_block can't be before from_block.", &json!(to));
        });
    }
}

/// Whether the service may reach it is for the operation to find out, which knows the settings.
fn webhook_url(value: &Value, faults: &mut Faults) {
    if let Err(why) = WebhookUrl::parse(text(value)) {
        // It may hold a password or a token.
        faults.add("value_error", why, &Value::Null);
    }
}

/// Each entry stands for a type of events, or for several.
fn event_filter(value: &Value, faults: &mut Faults) {
    let entries = value.as_array().into_iter().flatten().enumerate();
    for (index, entry) in entries.filter(|(_, entry)| entry.is_string()) {
        let client = ClientEvent::ALL.iter().map(|event| event.name());
        let types = client.chain(ServerEvent::ALL.iter().map(|event| event.name()));
        if !is_known(text(entry), types) {
            let why = "There is no such type of events, and none whose name begins so.";
            faults.within(index, |faults| faults.add("event_type_unknown", why, entry));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(check: Check, value: Value) -> Vec<String> {
        let mut faults = Faults::at("body");
        check(&value, &mut faults);
        faults.into_vec().into_iter().map(|fault| format!("{} {}", fault.kind, json!(fault.loc))).collect()
    }

    #[test]
    fn rules_tell_what_is_wrong_and_where() {
        assert_eq!(found(username, json!(" a ")), Vec::<String>::new());
        assert_eq!(found(username, json!("a b")), [r#"value_error ["body"]"#]);
        assert_eq!(found(scope, json!("admin x y")).len(), 2);
        assert_eq!(found(new_order, json!({ "product_key": null })), [r#"missing ["body","product_key"]"#]);
        assert_eq!(found(new_order, json!({ "product_code": "P" })), Vec::<String>::new());
        assert_eq!(found(field_name, json!("(x)")).len(), 1);
        assert_eq!(found(counter_template, json!(["%Q", "#6"])), [r#"value_error ["body",0]"#]);
        assert_eq!(found(counter_template, json!(["A"])), [r#"value_error ["body"]"#]);
        let counter = json!({ "template": ["#6"], "frequency": "day", "next_tick": "x" });
        assert_eq!(found(new_counter, counter), [r#"value_error ["body","frequency"]"#]);
        let counter = json!({ "template": ["x"], "reset_date": "2026-01-01" });
        assert_eq!(found(new_counter, counter).len(), 2);
        assert_eq!(found(verify_query, json!({ "to_block": 0, "anchor_block": 3 })).len(), 2);
        assert_eq!(found(tags_query, json!({ "context": "x" })), [r#"missing ["body","context_key"]"#]);
        assert_eq!(found(webhook_url, json!("https://erp.example/hook")), Vec::<String>::new());
        assert_eq!(found(webhook_url, json!("ftp://erp.example")), [r#"value_error ["body"]"#]);
        assert_eq!(found(event_filter, json!(["*", "JOB_*", "BATCH_CREATED"])), Vec::<String>::new());
        assert_eq!(found(event_filter, json!(["*", "NO_*", 1])), [r#"event_type_unknown ["body",1]"#]);
    }
}
