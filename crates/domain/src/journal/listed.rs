//! The keys in the lists of an event's payload (`serial_keys`, …), by which it is found as well as by its own.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Event;
use crate::key::{id_from_text, is_key};
use crate::named;

named! {
    /// The kinds of records that events are looked for by.
    #[derive(PartialOrd, Ord)]
    pub enum Kind {
        Batch = "batch",
        Issue = "issue",
        Job = "job",
        Movement = "movement",
        Product = "product",
        Serial = "serial",
        Task = "task",
        WorkOrder = "work_order",
    }
}

impl Kind {
    fn plural(self) -> &'static str {
        match self {
            Kind::Batch => "batches",
            Kind::Issue => "issues",
            Kind::Job => "jobs",
            Kind::Movement => "movements",
            Kind::Product => "products",
            Kind::Serial => "serials",
            Kind::Task => "tasks",
            Kind::WorkOrder => "work_orders",
        }
    }

    /// Of the keys in a list with that name: `serial_keys`, `scrap_serial_keys`, `batch_serials`.
    fn of_list(name: &str) -> Option<Self> {
        let fits = |kind: &Kind| {
            let keys = name.strip_suffix("_keys").and_then(|name| before_word(name, kind.name()));
            keys.or_else(|| before_word(name, kind.plural())).is_some()
        };
        Self::ALL.iter().copied().find(fits)
    }

    /// Of the key in a member with that name: `serial_key`.
    fn of_member(name: &str) -> Option<Self> {
        let name = name.strip_suffix("_key")?;
        Self::ALL.iter().copied().find(|kind| before_word(name, kind.name()).is_some())
    }

    fn fits(self, key: &str) -> bool {
        match self {
            Kind::Product => is_key(key),
            _ => id_from_text(key).is_some(),
        }
    }
}

/// What stands before the last word or words of a name, if it ends with them.
fn before_word<'a>(name: &'a str, last: &str) -> Option<&'a str> {
    let before = name.strip_suffix(last)?;
    (before.is_empty() || before.ends_with('_')).then_some(before)
}

impl Event {
    /// The keys in the lists of its payload, also those of the objects in them, each once.
    pub fn listed(&self) -> BTreeSet<(Kind, &str)> {
        let mut found = BTreeSet::new();
        collect(&self.payload, false, &mut found);
        found
    }
}

fn collect<'a>(value: &'a Value, in_list: bool, found: &mut BTreeSet<(Kind, &'a str)>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, true, found)),
        Value::Object(members) => {
            for (name, value) in members {
                let keys = match value {
                    Value::Array(values) => Kind::of_list(name).map(|kind| (kind, values.as_slice())),
                    Value::String(_) if in_list => {
                        Kind::of_member(name).map(|kind| (kind, std::slice::from_ref(value)))
                    }
                    _ => None,
                };
                if let Some((kind, values)) = keys {
                    let keys = values.iter().filter_map(Value::as_str).filter(|key| kind.fits(key));
                    found.extend(keys.map(|key| (kind, key)));
                }
                collect(value, in_list, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_known_by_the_names_of_their_lists() {
        let (one, two) = ("0000000000001", "0000000000002");
        let payload = json!({
            "serial_key": two,
            "serial_keys": [one, two, one, "not ours", 7],
            "batch_serials": [{ "serial_key": "0000000000003" }, "0000000000004", { "serial_code": two }],
            "scrap_serial_keys": ["0000000000005"],
            "work_order_keys": [one],
            "product_keys": ["P-1"],
            "moved": { "lines": [{ "product_key": "P-2", "movement_keys": [two] }] },
            "monkeys": [one],
            "keys": [one],
        });
        let mut found = BTreeSet::new();
        collect(&payload, false, &mut found);
        let serials = [one, two, "0000000000003", "0000000000004", "0000000000005"];
        let mut expected: BTreeSet<(Kind, &str)> = serials.into_iter().map(|key| (Kind::Serial, key)).collect();
        expected.extend([
            (Kind::WorkOrder, one),
            (Kind::Product, "P-1"),
            (Kind::Product, "P-2"),
            (Kind::Movement, two),
        ]);
        assert_eq!(found, expected);
    }
}
