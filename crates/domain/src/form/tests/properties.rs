use std::collections::HashSet;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::*;

/// A valid value for a field of this type; `filled` ones are good enough for a mandatory field.
fn good(kind: FieldKind, multiple: bool, filled: bool) -> BoxedStrategy<Value> {
    let one = match kind {
        FieldKind::Text => "[ a-z0-9é]{0,5}x".prop_map(Value::from).boxed(),
        FieldKind::Number => (-99_999i64..99_999, 0..12u8)
            .prop_map(|(digits, places)| serde_json::from_str(&format!("{digits}e-{places}")).unwrap())
            .boxed(),
        FieldKind::Boolean if filled => Just(json!(true)).boxed(),
        FieldKind::Boolean | FieldKind::Ternary => any::<bool>().prop_map(Value::from).boxed(),
        FieldKind::Choice => select(vec![json!("red"), json!({ "_key": "green" })]).boxed(),
        FieldKind::Date => (1..13, 1..29).prop_map(|(month, day)| json!(format!("2026-{month:02}-{day:02}"))).boxed(),
        FieldKind::Time => (0..24, 0..60).prop_map(|(hour, minute)| json!(format!("{hour:02}:{minute:02}"))).boxed(),
        FieldKind::Files => {
            let file = ("[a-z]{1,5}", any::<u32>()).prop_map(|(name, size)| json!({ "size": size, "name": name }));
            return prop::collection::vec(file, usize::from(filled)..3).prop_map(Value::from).boxed();
        }
        FieldKind::Separator => return Just(Value::Null).boxed(),
    };
    let lists = multiple && !matches!(kind, FieldKind::Boolean | FieldKind::Ternary);
    let value = match lists {
        true => prop::collection::vec(one, usize::from(filled)..3).prop_map(Value::from).boxed(),
        false => one,
    };
    if filled { value } else { prop_oneof![5 => value, 1 => Just(Value::Null)].boxed() }
}

fn anything() -> impl Strategy<Value = Value> {
    let kind = select(ALL.to_vec());
    let good = (kind, any::<bool>()).prop_flat_map(|(kind, multiple)| good(kind, multiple, false));
    let bad = [json!("blue"), json!("2026-02-30"), json!({}), json!([null]), json!([{ "name": "a" }]), json!(" ")];
    prop_oneof![good, select(bad.to_vec())]
}

prop_compose! {
    /// Fields `f0`, `f1`, … of any type; the custom field of some is gone.
    fn some_fields()(
        all in prop::collection::vec(
            (select([&ALL.map(FieldKind::name)[..], &["gone"]].concat()), any::<[bool; 3]>(),
             prop::option::of(select(vec!["red", "blue", "1.5", "true", "2026-01-31", "10:00", "text"]))),
            0..8,
        ),
    ) -> Vec<FormField> {
        let fields = all.into_iter().enumerate().map(|(at, (custom, [multiple, mandatory, hidden], default))| FormField {
            multiple,
            mandatory,
            hidden,
            default: default.map(str::to_owned),
            ..field(&format!("f{at}"), custom)
        });
        fields.collect()
    }
}

/// A form, and valid values for some of its fields, or for all those whose custom field exists.
fn filled_form(all: bool) -> impl Strategy<Value = (Vec<FormField>, Vec<SentValue>)> {
    some_fields().prop_flat_map(move |fields| {
        let kinds = kinds();
        let known = fields.iter().filter_map(|field| Some((field, *kinds.get(&field.custom_field_key)?)));
        let values: Vec<_> = known
            .map(|(field, kind)| {
                let key = field.key.as_str().to_owned();
                good(kind, field.multiple, all).prop_map(move |value| sent(&key, value)).boxed()
            })
            .collect();
        let kept = prop::collection::vec(any::<bool>(), values.len());
        (Just(fields), values, kept).prop_map(move |(fields, values, kept)| {
            let values = values.into_iter().zip(kept).filter(|(_, kept)| all || *kept).map(|(value, _)| value);
            (fields, values.collect())
        })
    })
}

/// Arbitrary values, for existing and unknown fields.
fn any_values() -> impl Strategy<Value = Vec<SentValue>> {
    let custom_field = prop::option::of(select(vec!["text", "choice", "gone"]));
    let one = (0..10, custom_field, anything()).prop_map(|(at, custom_field, value)| SentValue {
        custom_field_key: custom_field.map(custom),
        ..sent(&format!("f{at}"), value)
    });
    prop::collection::vec(one, 0..6)
}

fn stored(fields: &[FormField], sent: &[SentValue]) -> Vec<FieldValue> {
    Form { fields, kinds: &kinds() }.check(sent, &choices()).unwrap()
}

fn value_in(values: &[FieldValue], key: &FormFieldKey) -> Option<Value> {
    values.iter().find(|value| value.form_field_key == *key).map(|value| value.value.clone())
}

proptest! {
    #[test]
    fn what_passed_passes_again_unchanged((fields, sent) in filled_form(false)) {
        let once = stored(&fields, &sent);
        let again: Vec<SentValue> = once.iter().map(sent_again).collect();
        prop_assert_eq!(stored(&fields, &again), once);
    }

    #[test]
    fn no_value_is_lost((fields, sent) in filled_form(false)) {
        let values = stored(&fields, &sent);
        prop_assert_eq!(values.len(), sent.len());
        for (value, sent) in values.iter().zip(&sent) {
            prop_assert_eq!(&value.form_field_key, &sent.form_field_key);
            prop_assert_eq!(value.value.is_null(), sent.value.is_null());
        }
    }

    #[test]
    fn a_value_is_stored_or_at_fault(fields in some_fields(), sent in any_values()) {
        let kinds = kinds();
        let form = Form { fields: &fields, kinds: &kinds };
        let mut seen = HashSet::new();
        let expected = sent.iter().filter_map(|sent| match form.check(std::slice::from_ref(sent), &choices()) {
            Err(faults) if faults[0].rule == ValueRule::UnknownField => Some(ValueRule::UnknownField),
            _ if !seen.insert(&sent.form_field_key) => Some(ValueRule::WrongType),
            Err(faults) => Some(faults[0].rule),
            Ok(_) => None,
        });
        let expected: Vec<ValueRule> = expected.collect();
        match form.check(&sent, &choices()) {
            Ok(values) => {
                prop_assert!(expected.is_empty());
                prop_assert_eq!(values.len(), sent.len());
                let again: Vec<SentValue> = values.iter().map(sent_again).collect();
                prop_assert_eq!(form.check(&again, &choices()), Ok(values));
            }
            Err(faults) => prop_assert_eq!(faults.iter().map(|fault| fault.rule).collect::<Vec<_>>(), expected),
        }
    }

    #[test]
    fn faults_name_what_is_sent_or_defined(fields in some_fields(), old in any_values(), sent in any_values()) {
        let kinds = kinds();
        let form = Form { fields: &fields, kinds: &kinds };
        let old = form.check(&old, &choices()).unwrap_or_default();
        let Err(faults) = form.complete(old, &sent, &choices()) else { return Ok(()) };
        prop_assert!(!faults.is_empty());
        for fault in &faults {
            let pair = (fault.form_field_key.as_ref(), fault.custom_field_key.as_ref());
            let defined = fields.iter().any(|field| (Some(&field.key), Some(&field.custom_field_key)) == pair);
            let as_sent = sent.iter().any(|sent| (Some(&sent.form_field_key), sent.custom_field_key.as_ref()) == pair);
            match fault.rule {
                ValueRule::UnknownField => prop_assert!(as_sent),
                ValueRule::Missing => {
                    prop_assert!(defined);
                    let same_field = faults.iter().filter(|other| other.form_field_key == fault.form_field_key);
                    prop_assert_eq!(same_field.count(), 1, "a field at fault is not missing too");
                }
                ValueRule::WrongType | ValueRule::NotInList => {
                    prop_assert!(defined && sent.iter().any(|sent| Some(&sent.form_field_key) == pair.0));
                }
            }
        }
    }

    #[test]
    fn a_filled_form_misses_nothing((fields, sent) in filled_form(true)) {
        let kinds = kinds();
        let form = Form { fields: &fields, kinds: &kinds };
        prop_assert_eq!(form.missing(&stored(&fields, &sent)), []);
        prop_assert!(form.complete(Vec::new(), &sent, &choices()).is_ok());
    }

    #[test]
    fn an_empty_form_misses_what_is_mandatory(fields in some_fields()) {
        let kinds = kinds();
        let missing = Form { fields: &fields, kinds: &kinds }.missing(&[]);
        let kind_of = |field: &FormField| kinds.get(&field.custom_field_key);
        let asked = |field: &&FormField| {
            field.mandatory && kind_of(field).is_some_and(|kind| *kind != FieldKind::Separator)
        };
        let asked: Vec<_> = fields.iter().filter(asked).map(|field| Some(field.key.clone())).collect();
        let named: Vec<_> = missing.into_iter().map(|fault| fault.form_field_key).collect();
        prop_assert_eq!(named, asked);
    }

    #[test]
    fn new_values_replace_and_all_others_stay(
        (fields, old, new) in filled_form(false).prop_flat_map(|(fields, all)| {
            let old = proptest::sample::subsequence(all.clone(), 0..=all.len());
            let new = proptest::sample::subsequence(all.clone(), 0..=all.len());
            (Just(fields), old, new.prop_shuffle())
        }),
        cleared in any::<bool>(),
    ) {
        let (old, mut new) = (stored(&fields, &old), stored(&fields, &new));
        for value in new.iter_mut().filter(|_| cleared) {
            value.value = Value::Null;
        }
        let merged = merge(old.clone(), new.clone());
        for field in &fields {
            let expected = value_in(&new, &field.key).or(value_in(&old, &field.key));
            prop_assert_eq!(value_in(&merged, &field.key), expected);
        }
        let keys = |values: &[FieldValue]| values.iter().map(|value| value.form_field_key.clone()).collect::<Vec<_>>();
        let mut order = keys(&old);
        order.extend(keys(&new).into_iter().filter(|key| value_in(&old, key).is_none()));
        prop_assert_eq!(keys(&merged), order, "in their order, each once");
        prop_assert_eq!(&merge(merged.clone(), Vec::new()), &merged);
        prop_assert_eq!(merge(merged.clone(), new), merged, "twice is once");
    }

    #[test]
    fn hidden_fields_get_their_default_and_no_value_changes((fields, sent) in filled_form(false)) {
        let kinds = kinds();
        let form = Form { fields: &fields, kinds: &kinds };
        let before = stored(&fields, &sent);
        let after = form.with_hidden_defaults(before.clone(), &choices());
        for field in &fields {
            let (had, has) = (value_in(&before, &field.key), value_in(&after, &field.key));
            let default = form.default_value(field, &choices()).filter(|_| field.hidden);
            match had {
                Some(value) if !value.is_null() => prop_assert_eq!(has, Some(value)),
                nothing => prop_assert_eq!(has, default.or(nothing)),
            }
        }
        let sent: Vec<SentValue> = after.iter().map(sent_again).collect();
        prop_assert_eq!(stored(&fields, &sent), after, "defaults are good values");
    }
}
