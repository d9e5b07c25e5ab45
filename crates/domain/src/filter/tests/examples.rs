use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::*;

#[test]
fn plain_json_and_every_base64_mean_the_same() {
    let text = sent("OR", &[("text", json!("~?>é\u{ffff}")), ("number", json!(7))]);
    let plain = read(&text).unwrap();
    assert_eq!((plain.0, plain.1.len()), (Operator::Or, 2));
    for written in [STANDARD.encode(&text), STANDARD_NO_PAD.encode(&text)] {
        assert_eq!(read(&written).as_ref(), Ok(&plain), "{written}");
        assert_eq!(read(&written.replace('+', " ")).as_ref(), Ok(&plain), "as an address has it");
    }
    for written in [URL_SAFE.encode(&text), URL_SAFE_NO_PAD.encode(&text), format!(" {text}\n")] {
        assert_eq!(read(&written).as_ref(), Ok(&plain), "{written}");
    }
}

#[test]
fn rubbish_is_refused() {
    let objects = [
        json!({}),
        json!([]),
        json!("AND"),
        json!({ "operator": "AND" }),
        json!({ "filters": [] }),
        json!({ "operator": "and", "filters": [] }),
        json!({ "operator": null, "filters": [] }),
        json!({ "operator": "AND", "filters": {} }),
        json!({ "operator": "AND", "filters": [], "more": 1 }),
        json!({ "operator": "AND", "filters": [null] }),
        json!({ "operator": "AND", "filters": [["text", "a"]] }),
        json!({ "operator": "AND", "filters": [{ "_key": "text" }] }),
        json!({ "operator": "AND", "filters": [{ "_key": 1, "value": "a" }] }),
        json!({ "operator": "AND", "filters": [{ "_key": "text", "value": "a", "more": 1 }] }),
    ];
    let mut texts: Vec<String> = objects.iter().map(Value::to_string).collect();
    texts.extend(objects.iter().map(|object| STANDARD.encode(object.to_string())));
    texts.extend(["", " ", "{", "e30", "!!!", "rubbish", "{\"operator\":"].map(str::to_owned));
    texts.push(STANDARD.encode([0xff_u8, 0xfe]));
    texts.push(format!("{{\"operator\":{}1{}}}", "[".repeat(100), "]".repeat(100)));
    for text in texts {
        assert_eq!(read(&text), Err(BadFilters::Unreadable), "{text}");
    }
}

#[test]
fn filters_are_counted() {
    let some = |count: usize| sent("AND", &vec![("boolean", json!(true)); count]);
    assert_eq!(read(&some(0)).unwrap(), (Operator::And, Vec::new()));
    assert_eq!(read(&some(MOST_FILTERS)).unwrap().1.len(), MOST_FILTERS);
    assert_eq!(read(&some(MOST_FILTERS + 1)), Err(BadFilters::TooMany));
}

#[test]
fn fields_have_to_exist() {
    for key in ["gone", "not a key", "", &"x".repeat(65)] {
        assert_eq!(read(&sent("AND", &[(key, json!("a"))])), Err(BadFilters::UnknownField(key.to_owned())));
    }
    let filters = AdvancedFilters::parse(&sent("AND", &[("gone", json!(1)), ("text", json!("a"))])).unwrap();
    assert_eq!(filters.fields().map(FieldKey::as_str).collect::<Vec<_>>(), ["gone", "text"]);
}

#[test]
fn values_have_to_fit_the_field() {
    use FieldKind::*;
    let wrong: [(FieldKind, &[Value]); 8] = [
        (Text, &[json!(1), json!(null), json!(["a"]), json!({})]),
        (
            Number,
            &[json!("1"), json!({}), json!({ "min": null }), json!({ "min": "1" }), number("1e15"), number("1e-13")],
        ),
        (Number, &[json!({ "min": 1, "more": 2 }), json!({ "from": 1 }), json!(null), json!([1]), json!(true)]),
        (Boolean, &[json!("true"), json!(1), json!(null), json!({})]),
        (Ternary, &[json!("true"), json!(0), json!({})]),
        (
            Choice,
            &[
                json!(1),
                json!({}),
                json!({ "_key": "a b" }),
                json!({ "_key": "a", "more": 1 }),
                json!({ "value": "a" }),
            ],
        ),
        (
            Date,
            &[
                json!("2026-01-31"),
                json!({ "from": "2026-02-30" }),
                json!({ "to": 1 }),
                json!({}),
                json!({ "min": "2026-01-31" }),
            ],
        ),
        (Time, &[json!("08:00"), json!({ "from": "24:00" }), json!({ "to": null }), json!({ "to": "8:00" })]),
    ];
    for (kind, values) in wrong {
        for value in values {
            let refused = condition(kind, value);
            assert!(matches!(&refused, Err(BadFilters::WrongValue { .. })), "{kind:?} {value} {refused:?}");
        }
    }
    assert!(matches!(condition(Files, &json!([{ "name": "a" }])), Err(BadFilters::WrongValue { .. })));
    assert!(matches!(condition(Separator, &json!(null)), Err(BadFilters::NoValues(_))));
    for kind in [Text, Choice, Files] {
        assert_eq!(condition(kind, &json!("a\0")), Err(BadFilters::Nul));
    }
}

#[test]
fn refusals_say_what_is_expected() {
    let unreadable =
        r#"Must be {"operator": "AND" or "OR", "filters": [{"_key": …, "value": …}]}, as JSON or in base64."#;
    assert_eq!(BadFilters::Unreadable.to_string(), unreadable);
    assert_eq!(BadFilters::TooMany.to_string(), "There can be at most 100 filters.");
    let wrong = condition(FieldKind::Boolean, &json!("yes")).unwrap_err();
    assert_eq!(wrong.to_string(), "The custom field boolean is filtered by true or false.");
    let wrong = condition(FieldKind::Date, &json!("2026-01-31")).unwrap_err();
    let expected = r#"The custom field date is filtered by {"from": …, "to": …}, dates such as 2026-01-31."#;
    assert_eq!(wrong.to_string(), expected);
}

#[test]
fn only_a_ternary_is_asked_for_unanswered() {
    let unanswered = |kind, value: Value| condition(kind, &value).unwrap().is_unanswered();
    assert!(unanswered(FieldKind::Ternary, json!(null)));
    assert!(!unanswered(FieldKind::Ternary, json!(true)) && !unanswered(FieldKind::Text, json!("null")));
}

#[test]
fn values_have_texts_by_their_type() {
    use FieldKind::*;
    let cases = [
        (Text, json!("Größe É"), vec!["größe é"]),
        (Text, json!(["A", "b"]), vec!["a", "b"]),
        (Number, json!(0), vec!["1000000000000000000000000000"]),
        (Number, number("-0.0"), vec!["1000000000000000000000000000"]),
        (Number, number("1.50"), vec!["1000000000000001500000000000"]),
        (Number, number("-1"), vec!["0999999999999999000000000000"]),
        (Number, number("999999999999999.999999999999"), vec!["1999999999999999999999999999"]),
        (Number, number("-999999999999999.999999999999"), vec!["0000000000000000000000000001"]),
        (Boolean, json!(true), vec!["true"]),
        (Boolean, json!(null), vec![]),
        (Ternary, json!(false), vec!["false"]),
        (Ternary, json!(null), vec!["null"]),
        (Choice, json!({ "_key": "aZ", "value": "Red" }), vec!["red", "GBFK"]),
        (Date, json!("2026-01-31"), vec!["2026-01-31"]),
        (Time, json!(["08:30", "08:30:15"]), vec!["08:30:00", "08:30:15"]),
        (Files, json!([{ "name": "A.PDF", "size": 1, "sha256": "x" }, { "name": "b", "size": 1 }]), vec!["a.pdf", "b"]),
        (Files, json!([]), vec![]),
        (Separator, json!(null), vec![]),
    ];
    for (kind, value, texts) in cases {
        assert_eq!(search_texts(kind, &value), texts, "{kind:?} {value}");
    }
}

#[test]
fn a_choice_is_found_by_text_or_by_key_and_never_by_part_of_a_key() {
    let stored = json!({ "_key": "red", "value": "Rouge" });
    let found = |filter: Value| finds(FieldKind::Choice, &filter, &stored);
    assert!(found(json!("OUG")) && found(json!({ "_key": "red" })));
    assert!(found(json!({ "_key": "red", "value": "as it was answered" })));
    assert!(!found(json!("red")) && !found(json!({ "_key": "Red" })) && !found(json!({ "_key": "rouge" })));
    let twin = json!({ "_key": "other", "value": search_texts(FieldKind::Choice, &stored)[1] });
    assert!(!finds(FieldKind::Choice, &json!({ "_key": "red" }), &twin), "a text that looks like a key is none");
}

#[test]
fn numbers_are_equal_however_they_are_written() {
    for written in ["1.5", "1.50", "15e-1", "0.15E1"] {
        assert!(finds(FieldKind::Number, &number(written), &json!([2, number("1.500")])), "{written}");
    }
    assert!(finds(FieldKind::Number, &json!({ "min": -2, "max": null }), &json!(-2)));
    assert!(!finds(FieldKind::Number, &json!({ "min": 2, "max": 1 }), &json!(2)), "nothing is in between");
}
