//! Payloads as lists of events show them: a list in a payload may have a hundred thousand entries.

use serde_json::{Map, Value};

use super::Event;

/// So many entries of a list are shown.
const SHOWN: usize = 100;
/// The list that stays whole: everybody in it is told of the event. It has no more entries than an assignment.
const TOLD: &str = "newly_assigned";
const MOST_TOLD: usize = 1_000;

impl Event {
    /// The payload with its long lists cut, each with the number of its entries beside it; `None` if no list is long.
    pub fn shortened(&self) -> Option<Value> {
        is_long(&self.payload, 0).then(|| shortened(&self.payload, 0))
    }
}

/// Whether a list is cut, given how deep in the payload its object is.
fn is_cut(name: &str, entries: &[Value], depth: usize) -> bool {
    let whole = depth == 0 && name == TOLD && entries.len() <= MOST_TOLD;
    entries.len() > SHOWN && !whole
}

fn is_long(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(entries) => entries.iter().any(|entry| is_long(entry, depth + 1)),
        Value::Object(members) => members.iter().any(|(name, value)| match value {
            Value::Array(entries) if is_cut(name, entries, depth) => true,
            other => is_long(other, depth + 1),
        }),
        _ => false,
    }
}

fn shortened(value: &Value, depth: usize) -> Value {
    match value {
        Value::Array(entries) => entries.iter().map(|entry| shortened(entry, depth + 1)).collect(),
        Value::Object(members) => {
            let mut shown = Map::with_capacity(members.len());
            for (name, value) in members {
                match value {
                    Value::Array(entries) if is_cut(name, entries, depth) => {
                        let first = entries[..SHOWN].iter().map(|entry| shortened(entry, depth + 1));
                        shown.insert(name.clone(), first.collect());
                        let count = format!("{name}_count");
                        if !members.contains_key(&count) {
                            shown.insert(count, entries.len().into());
                        }
                    }
                    other => drop(shown.insert(name.clone(), shortened(other, depth + 1))),
                }
            }
            Value::Object(shown)
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cut(payload: Value) -> Option<Value> {
        is_long(&payload, 0).then(|| shortened(&payload, 0))
    }

    #[test]
    fn long_lists_are_cut_and_counted_at_every_depth() {
        let (short, long): (Vec<usize>, Vec<usize>) = ((0..SHOWN).collect(), (0..SHOWN + 1).collect());
        assert_eq!(cut(json!({ "keys": short, "a": { "b": [short] } })), None);
        assert_eq!(
            cut(json!({ "keys": long, "other": 1 })),
            Some(json!({ "keys": short, "keys_count": SHOWN + 1, "other": 1 }))
        );
        assert_eq!(
            cut(json!({ "a": [{ "keys": long }] })),
            Some(json!({ "a": [{ "keys": short, "keys_count": SHOWN + 1 }] }))
        );
    }

    #[test]
    fn a_count_that_is_there_already_stays() {
        let long: Vec<usize> = (0..200).collect();
        let shown = cut(json!({ "keys": long, "keys_count": "mine" })).unwrap();
        assert_eq!(shown["keys_count"], "mine");
        assert_eq!(shown["keys"].as_array().unwrap().len(), SHOWN);
    }

    #[test]
    fn whoever_is_newly_assigned_is_in_the_list() {
        let users = |count: usize| (0..count).map(|user| format!("u{user}")).collect::<Vec<_>>();
        assert_eq!(cut(json!({ "newly_assigned": users(MOST_TOLD) })), None);
        let shown = cut(json!({ "newly_assigned": users(150), "assigned_to": users(150) })).unwrap();
        assert_eq!((&shown["newly_assigned"], &shown["assigned_to"]), (&json!(users(150)), &json!(users(SHOWN))));
        assert_eq!((shown.get("newly_assigned_count"), &shown["assigned_to_count"]), (None, &json!(150)));
        assert!(cut(json!({ "newly_assigned": users(MOST_TOLD + 1) })).is_some());
        assert!(cut(json!({ "extra": { "newly_assigned": users(150) } })).is_some(), "only what the service adds");
    }
}
