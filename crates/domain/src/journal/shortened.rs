//! Payloads as lists of events show them: a list in a payload may have a hundred thousand entries.

use serde_json::{Map, Value};

use super::Event;

/// So many entries of a list are shown.
const SHOWN: usize = 100;

impl Event {
    /// The payload with its long lists cut, each with the number of its entries beside it; `None` if no list is long.
    pub fn shortened(&self) -> Option<Value> {
        is_long(&self.payload).then(|| shortened(&self.payload))
    }
}

fn is_long(value: &Value) -> bool {
    match value {
        Value::Array(entries) => entries.iter().any(is_long),
        Value::Object(members) => members.values().any(|value| match value {
            Value::Array(entries) => entries.len() > SHOWN || entries.iter().any(is_long),
            other => is_long(other),
        }),
        _ => false,
    }
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::Array(entries) => entries.iter().map(shortened).collect(),
        Value::Object(members) => {
            let mut shown = Map::with_capacity(members.len());
            for (name, value) in members {
                match value {
                    Value::Array(entries) if entries.len() > SHOWN => {
                        shown.insert(name.clone(), entries[..SHOWN].iter().map(shortened).collect());
                        let count = format!("{name}_count");
                        if !members.contains_key(&count) {
                            shown.insert(count, entries.len().into());
                        }
                    }
                    other => drop(shown.insert(name.clone(), shortened(other))),
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
        is_long(&payload).then(|| shortened(&payload))
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
}
