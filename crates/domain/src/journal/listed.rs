//! The keys in the lists of an event's payload (`serial_keys`, …). An event is found by these as well as by its own keys.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Event;
use crate::key::{id_from_text, is_key};
use crate::named;

named! {
    /// The kinds of records by which events can be searched.
    #[derive(PartialOrd, Ord)]
    pub enum ListedKind {
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

impl ListedKind {
    fn plural(self) -> &'static str {
        match self {
            ListedKind::Batch => "batches",
            ListedKind::Issue => "issues",
            ListedKind::Job => "jobs",
            ListedKind::Movement => "movements",
            ListedKind::Product => "products",
            ListedKind::Serial => "serials",
            ListedKind::Task => "tasks",
            ListedKind::WorkOrder => "work_orders",
        }
    }

    /// The kind of the keys in a list of this name: `serial_keys`, `scrap_serial_keys`, `batch_serials`.
    fn of_list(name: &str) -> Option<Self> {
        let fits = |kind: &ListedKind| {
            let keys = name.strip_suffix("_keys").and_then(|name| before_word(name, kind.name()));
            keys.or_else(|| before_word(name, kind.plural())).is_some()
        };
        Self::ALL.iter().copied().find(fits)
    }

    /// The kind of the key in a member of this name: `serial_key`.
    fn of_member(name: &str) -> Option<Self> {
        let name = name.strip_suffix("_key")?;
        Self::ALL.iter().copied().find(|kind| before_word(name, kind.name()).is_some())
    }

    fn fits(self, key: &str) -> bool {
        match self {
            ListedKind::Product => is_key(key),
            _ => id_from_text(key).is_some(),
        }
    }
}

/// What comes before the last word or words of a name, if it ends with them.
fn before_word<'a>(name: &'a str, last: &str) -> Option<&'a str> {
    let before = name.strip_suffix(last)?;
    (before.is_empty() || before.ends_with('_')).then_some(before)
}

impl Event {
    /// The keys in the lists of its payload, including those of objects in them, and the serials it names by their role, each once.
    /// Without its own product, by which it is found anyway: a product that no list names is searched for much faster.
    pub fn listed(&self) -> BTreeSet<(ListedKind, &str)> {
        let mut found = BTreeSet::new();
        collect(&self.payload, false, &mut found);
        if let Some(own) = &self.concerns.product_key {
            found.remove(&(ListedKind::Product, own.as_str()));
        }
        found
    }
}

/// Whether the member names a serial in some role: an event about several serials has only one of them as its own.
fn names_another(member: &str) -> bool {
    member.ends_with("_serial_key")
}

fn collect<'a>(value: &'a Value, in_list: bool, found: &mut BTreeSet<(ListedKind, &'a str)>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, true, found)),
        Value::Object(members) => {
            for (name, value) in members {
                let keys = match value {
                    Value::Array(values) => ListedKind::of_list(name).map(|kind| (kind, values.as_slice())),
                    Value::String(_) if in_list || names_another(name) => {
                        ListedKind::of_member(name).map(|kind| (kind, std::slice::from_ref(value)))
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
        let mut expected: BTreeSet<(ListedKind, &str)> =
            serials.into_iter().map(|key| (ListedKind::Serial, key)).collect();
        expected.extend([
            (ListedKind::WorkOrder, one),
            (ListedKind::Product, "P-1"),
            (ListedKind::Product, "P-2"),
            (ListedKind::Movement, two),
        ]);
        assert_eq!(found, expected);
    }
}
