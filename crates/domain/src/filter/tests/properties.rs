use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::Quantity;
use crate::form::Choices;
use crate::text::{fold, same_ignoring_case};

/// A number with these digits, the last so many of them behind the point.
fn decimal(digits: i128, places: u32) -> String {
    let (sign, digits) = (if digits < 0 { "-" } else { "" }, digits.unsigned_abs());
    let one = 10_u128.pow(places);
    match places {
        0 => format!("{sign}{digits}"),
        _ => format!("{sign}{}.{:0places$}", digits / one, digits % one, places = places as usize),
    }
}

/// A few different values, so that filters find some of them.
fn one_value(kind: FieldKind) -> BoxedStrategy<Value> {
    let text = "[aAbéÉ ]{0,3}";
    match kind {
        FieldKind::Text => text.prop_map(Value::from).boxed(),
        FieldKind::Number => {
            (-25..25_i128, 0..3_u32).prop_map(|(digits, places)| number(&decimal(digits, places))).boxed()
        }
        FieldKind::Boolean | FieldKind::Ternary => any::<bool>().prop_map(Value::from).boxed(),
        FieldKind::Choice => ("[aAb]{1,2}", text).prop_map(|(key, text)| json!({ "_key": key, "value": text })).boxed(),
        FieldKind::Date => "202[56]-0[1-3]-1[0-3]".prop_map(Value::from).boxed(),
        FieldKind::Time => "0[0-2]:[0-2]0(:[0-2]0)?".prop_map(Value::from).boxed(),
        FieldKind::Files => "[aAb.é]{1,3}".prop_map(|name| json!({ "name": name, "size": 1 })).boxed(),
        FieldKind::Separator => Just(Value::Null).boxed(),
    }
}

fn filter_value(kind: FieldKind) -> BoxedStrategy<Value> {
    let part = "[aAbéÉ ]{0,2}".prop_map(Value::from);
    let bounds = |low: &'static str, high: &'static str| {
        let bounds = (prop::option::of(one_value(kind)), prop::option::of(one_value(kind)));
        let bounds = bounds.prop_filter("a bound", |(low, high)| low.is_some() || high.is_some());
        bounds.prop_map(move |(from, to)| json!({ low: from, high: to }))
    };
    match kind {
        FieldKind::Text | FieldKind::Files => part.boxed(),
        FieldKind::Number => prop_oneof![one_value(kind), bounds("min", "max")].boxed(),
        FieldKind::Ternary => prop_oneof![one_value(kind), Just(Value::Null)].boxed(),
        FieldKind::Choice => prop_oneof![part, "[aAb]{1,2}".prop_map(|key| json!({ "_key": key }))].boxed(),
        FieldKind::Date | FieldKind::Time => bounds("from", "to").boxed(),
        FieldKind::Boolean | FieldKind::Separator => one_value(kind),
    }
}

/// The type of a field, a stored value, and the value of a filter.
fn case() -> impl Strategy<Value = (FieldKind, Value, Value)> {
    let kinds: Vec<FieldKind> = FieldKind::ALL.iter().copied().filter(|kind| *kind != FieldKind::Separator).collect();
    prop::sample::select(kinds).prop_flat_map(|kind| {
        let list = prop::collection::vec(one_value(kind), 0..3).prop_map(Value::from).boxed();
        let stored = match kind {
            FieldKind::Files => list,
            FieldKind::Boolean | FieldKind::Ternary => prop_oneof![one_value(kind), Just(Value::Null)].boxed(),
            _ => prop_oneof![one_value(kind), Just(Value::Null), list].boxed(),
        };
        (Just(kind), stored, filter_value(kind))
    })
}

fn contains_ignoring_case(text: &Value, part: &Value) -> bool {
    let characters = |value: &Value| value.as_str().unwrap().chars().map(String::from).collect::<Vec<_>>();
    let (text, part) = (characters(text), characters(part));
    let here = |window: &[String]| window.iter().zip(&part).all(|(a, b)| same_ignoring_case(a, b));
    part.is_empty() || text.windows(part.len()).any(here)
}

/// Something that compares as the value does.
fn size(kind: FieldKind, value: &Value) -> Vec<i64> {
    match (kind, value) {
        (FieldKind::Number, number) => vec![number.to_string().parse::<Quantity>().unwrap().millionths()],
        (_, text) => {
            let mut parts: Vec<i64> =
                text.as_str().unwrap().split(['-', ':']).map(|part| part.parse().unwrap()).collect();
            parts.resize(3, 0);
            parts
        }
    }
}

/// Compares the values themselves.
fn naively(kind: FieldKind, filter: &Value, value: &Value) -> bool {
    let between = |low: &Value, high: &Value| {
        let size = |value: &Value| size(kind, value);
        (low.is_null() || size(low) <= size(value)) && (high.is_null() || size(value) <= size(high))
    };
    match (kind, filter, value) {
        (_, _, Value::Array(values)) => values.iter().any(|value| naively(kind, filter, value)),
        (FieldKind::Boolean | FieldKind::Ternary, _, _) => filter == value,
        (_, _, Value::Null) => false,
        (FieldKind::Text, _, _) => contains_ignoring_case(value, filter),
        (FieldKind::Files, _, _) => contains_ignoring_case(&value["name"], filter),
        (FieldKind::Choice, Value::String(_), _) => contains_ignoring_case(&value["value"], filter),
        (FieldKind::Choice, _, _) => value["_key"] == filter["_key"],
        (FieldKind::Number, Value::Number(_), _) => size(kind, filter) == size(kind, value),
        (FieldKind::Number, _, _) => between(&filter["min"], &filter["max"]),
        (FieldKind::Date | FieldKind::Time, _, _) => between(&filter["from"], &filter["to"]),
        (FieldKind::Separator, _, _) => false,
    }
}

/// Fifteen digits and twelve, few of them more often than many.
fn any_number() -> impl Strategy<Value = (i128, u32)> {
    let few = (-200..200_i128, 0..=12_u32);
    let many = (0..=12_u32).prop_flat_map(|places| {
        let most = 10_i128.pow(15 + places) - 1;
        (-most..=most, Just(places))
    });
    prop_oneof![few, many]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_filter_finds_what_comparing_the_values_finds((kind, stored, filter) in case()) {
        let found = finds(kind, &filter, &stored);
        prop_assert_eq!(found, naively(kind, &filter, &stored), "{:?} {} {}", kind, filter, stored);
    }

    #[test]
    fn texts_of_numbers_sort_like_the_numbers(one in any_number(), other in any_number()) {
        let scaled = |(digits, places): (i128, u32)| digits * 10_i128.pow(12 - places);
        let text = |(digits, places): (i128, u32)| {
            search_texts(FieldKind::Number, &number(&decimal(digits, places))).remove(0)
        };
        prop_assert_eq!(text(one).cmp(&text(other)), scaled(one).cmp(&scaled(other)));
        prop_assert_eq!(text(one).len(), text(other).len());
    }

    /// What the texts of keys rely on.
    #[test]
    fn folded_text_has_no_upper_case_letters(text: String) {
        prop_assert!(!fold(&text).contains(|character: char| character.is_ascii_uppercase()));
    }

    #[test]
    fn keys_have_texts_of_their_own(one in "[A-Za-z0-9_.:@=%-]{1,6}", other in "[A-Za-z0-9_.:@=%-]{1,6}") {
        let text = |key: &str| search_texts(FieldKind::Choice, &json!({ "_key": key, "value": "" })).remove(1);
        prop_assert_eq!(text(&one) == text(&other), one == other);
    }

    #[test]
    fn whatever_fits_a_field_can_be_searched((kind, stored, _) in case()) {
        let read = kind.read(&stored, stored.is_array(), &FieldKey::trusted("f"), &Choices::default());
        if let Ok(read) = read {
            prop_assert_eq!(search_texts(kind, &read).is_empty(), naively_empty(kind, &read));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text: String) {
        let _ = read(&text);
        let _ = read(&STANDARD.encode(&text));
    }
}

/// Whether a value has nothing to search for.
fn naively_empty(kind: FieldKind, value: &Value) -> bool {
    match value {
        Value::Null => kind != FieldKind::Ternary,
        Value::Array(values) => values.is_empty(),
        _ => false,
    }
}
