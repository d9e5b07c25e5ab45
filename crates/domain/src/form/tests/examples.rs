use std::collections::BTreeSet;

use serde_json::{Value, from_str, json};

use super::*;
use FieldKind::*;
use ValueRule::*;

fn read(kind: FieldKind, value: Value) -> Result<Value, ValueRule> {
    kind.read(&value, false, &custom(kind.name()), &choices())
}

fn read_list(kind: FieldKind, value: Value) -> Result<Value, ValueRule> {
    kind.read(&value, true, &custom(kind.name()), &choices())
}

/// Checks that the good values are stored as they are sent, and the bad ones refused.
fn takes(kind: FieldKind, good: &[Value], bad: &[Value]) {
    for value in good {
        assert_eq!(read(kind, value.clone()).as_ref(), Ok(value), "{kind:?}");
    }
    for value in bad {
        assert_eq!(read(kind, value.clone()), Err(WrongType), "{kind:?} {value}");
    }
}

#[test]
fn null_clears_a_field_of_any_type() {
    for kind in ALL {
        assert_eq!(read(kind, Value::Null), Ok(Value::Null));
        assert_eq!(read_list(kind, Value::Null), Ok(Value::Null));
    }
}

#[test]
fn text_has_its_length_in_characters() {
    let longest = "é".repeat(10_000);
    takes(Text, &[json!(""), json!("  "), json!(longest)], &[json!(longest + "x"), json!(1), json!(true), json!([])]);
    assert!(Text.is_filled(&json!("x"), false));
    for blank in [json!(""), json!(" \t\n\u{3000}"), Value::Null] {
        assert!(!Text.is_filled(&blank, false), "{blank}");
    }
}

#[test]
fn numbers_are_kept_digit_by_digit() {
    let number = |text: &str| from_str::<Value>(text).unwrap();
    let exact = ["0", "-1.50", "0.1", "999999999999999.999999999999"].map(number);
    let bad = ["1000000000000000", "0.0000000000001", "1e15"].map(number);
    takes(Number, &exact, &bad);
    takes(Number, &[], &[json!("1"), json!(true), json!({}), json!([1])]);
    assert_eq!(read(Number, number("1.5e3")).unwrap().to_string(), "1500");
    assert!(Number.is_filled(&json!(0), false));
    assert!(!Number.is_filled(&Value::Null, false));
}

#[test]
fn a_box_must_be_ticked_and_a_question_answered() {
    for kind in [Boolean, Ternary] {
        takes(kind, &[json!(true), json!(false)], &[json!("true"), json!(1), json!([true])]);
        assert_eq!(read_list(kind, json!(true)), Ok(json!(true)), "never a list");
        assert_eq!(read_list(kind, json!([true])), Err(WrongType));
        assert!(kind.is_filled(&json!(true), false));
        assert!(!kind.is_filled(&Value::Null, false));
    }
    assert!(!Boolean.is_filled(&json!(false), false));
    assert!(Ternary.is_filled(&json!(false), false));
}

#[test]
fn a_choice_is_stored_with_its_text() {
    let red = json!({ "_key": "red", "value": "Red" });
    for asked in [json!("red"), json!({ "_key": "red" }), red.clone(), json!({ "_key": "red", "value": "Old" })] {
        assert_eq!(read(Choice, asked), Ok(red.clone()));
    }
    for absent in [json!("yellow"), json!("blue"), json!({ "_key": "blue" }), json!(""), json!("no key"), json!("Red")]
    {
        assert_eq!(read(Choice, absent.clone()), Err(NotInList), "{absent}");
    }
    takes(Choice, &[], &[json!(1), json!({}), json!({ "_key": 1 }), json!({ "_key": "red", "x": 1 }), json!(["red"])]);
    assert!(Choice.is_filled(&red, false));
    assert!(!Choice.is_filled(&Value::Null, false));
}

#[test]
fn dates_are_days_that_there_are() {
    let good = ["2026-02-28", "2024-02-29", "2000-02-29", "9999-12-31"].map(Value::from);
    let bad = [
        "2026-02-30",
        "2026-02-29",
        "1900-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026-1-1",
        "20260101",
        "2026-01-01T00:00:00Z",
        " 2026-01-01",
        "+2026-01-01",
        "2026-01-+1",
        "01.02.2026",
        "",
    ];
    takes(Date, &good, &bad.map(Value::from));
    takes(Date, &[], &[json!(20_260_101), json!({})]);
    assert!(Date.is_filled(&json!("2026-02-28"), false));
    assert!(!Date.is_filled(&Value::Null, false));
}

#[test]
fn times_have_minutes_and_perhaps_seconds() {
    let good = ["00:00", "23:59", "23:59:59", "08:30:00"].map(Value::from);
    let bad = ["24:00", "12:60", "12:00:60", "8:30", "12", "12:00:00.5", "12:00Z", "12:00:", "-1:00", ""];
    takes(Time, &good, &bad.map(Value::from));
    takes(Time, &[], &[json!(1200)]);
    assert!(Time.is_filled(&json!("00:00"), false));
    assert!(!Time.is_filled(&Value::Null, false));
}

#[test]
fn files_are_named_and_not_looked_up() {
    let whole = json!({ "name": "a b.png", "size": 0, "bucket": "serial", "path": "s/f/a b.png" });
    takes(Files, &[json!([]), json!([{ "name": "a.png", "size": 12 }, whole])], &[]);
    let plain = json!([{ "name": "a.png", "size": 1 }]);
    assert_eq!(read(Files, json!([{ "size": 1, "path": null, "name": "a.png" }])), Ok(plain.clone()));
    assert_eq!(read_list(Files, plain.clone()), Ok(plain.clone()), "a list anyway");
    let bad = [
        json!([{ "name": "a.png" }]),
        json!([{ "size": 1 }]),
        json!([{ "name": "a.png", "size": -1 }]),
        json!([{ "name": "a.png", "size": 1.5 }]),
        json!([{ "name": "a.png", "size": "1" }]),
        json!([{ "name": "", "size": 1 }]),
        json!([{ "name": "../a.png", "size": 1 }]),
        json!([{ "name": "a.png", "size": 1, "more": 1 }]),
        json!([{ "name": "a.png", "size": 1, "path": 1 }]),
        json!([["a.png", 1, null, null]]),
        json!(["a.png"]),
        json!([null]),
        json!({ "name": "a.png", "size": 1 }),
        json!("a.png"),
    ];
    takes(Files, &[], &bad);
    assert!(Files.is_filled(&plain, false));
    for empty in [json!([]), Value::Null] {
        assert!(!Files.is_filled(&empty, false));
    }
}

#[test]
fn lists_have_an_end() {
    let file = json!({ "name": "a.pdf", "size": 1 });
    for (kind, entry) in [(FieldKind::Text, json!("a")), (FieldKind::Choice, json!("red")), (FieldKind::Files, file)] {
        let list = |entries: usize| Value::Array(vec![entry.clone(); entries]);
        assert!(read_list(kind, list(1_000)).is_ok(), "{kind:?}");
        assert_eq!(read_list(kind, list(1_001)), Err(ValueRule::WrongType), "{kind:?}");
        assert!(kind.list_values(&list(5_000)).len() <= 1_000);
    }
}

#[test]
fn a_separator_holds_nothing_and_misses_nothing() {
    takes(Separator, &[], &[json!(""), json!(false), json!([]), json!({})]);
    assert!(Separator.is_filled(&Value::Null, false));
}

#[test]
fn a_multiple_field_takes_a_list_and_nothing_else() {
    let lists = [
        (Text, json!(["a", ""])),
        (Number, json!([1, 1])),
        (Date, json!(["2026-01-01"])),
        (Time, json!(["10:00", "11:00:01"])),
    ];
    for (kind, list) in lists {
        assert_eq!(read_list(kind, list.clone()), Ok(list.clone()));
        assert_eq!(read_list(kind, json!([])), Ok(json!([])));
        assert_eq!(read_list(kind, list[0].clone()), Err(WrongType), "{kind:?} by itself");
        assert_eq!(read_list(kind, json!([list[0], null])), Err(WrongType), "nothing is no entry");
        assert_eq!(read_list(kind, json!([list])), Err(WrongType), "lists hold no lists");
        assert!(kind.is_filled(&list, true));
        assert!(!kind.is_filled(&json!([]), true));
        assert!(!kind.is_filled(&Value::Null, true));
    }
    let both = json!([{ "_key": "red", "value": "Red" }, { "_key": "green", "value": "Green" }]);
    assert_eq!(read_list(Choice, json!(["red", { "_key": "green" }])), Ok(both));
    assert_eq!(read_list(Choice, json!(["red", "blue"])), Err(NotInList));
}

#[test]
fn a_default_is_read_by_its_type() {
    let default =
        |kind: FieldKind, text: &str, multiple| kind.read_default(text, multiple, &custom(kind.name()), &choices());
    let good = [
        (Text, "", json!("")),
        (Text, "null", json!("null")),
        (Number, "-1.50", from_str("-1.50").unwrap()),
        (Number, " 2 ", json!(2)),
        (Boolean, "true", json!(true)),
        (Ternary, "false", json!(false)),
        (Choice, "red", json!({ "_key": "red", "value": "Red" })),
        (Date, "2026-01-31", json!("2026-01-31")),
        (Time, "10:00", json!("10:00")),
    ];
    for (kind, text, value) in good {
        assert_eq!(default(kind, text, false), Some(value.clone()), "{kind:?} {text}");
        let list = if matches!(kind, Boolean | Ternary) { value } else { json!([value]) };
        assert_eq!(default(kind, text, true), Some(list), "{kind:?} {text}");
    }
    let bad = [
        (Number, "many"),
        (Number, "1,5"),
        (Number, "true"),
        (Boolean, "yes"),
        (Boolean, "1"),
        (Ternary, "null"),
        (Choice, "blue"),
        (Choice, "Red"),
        (Date, "today"),
        (Time, "25:00"),
        (Files, "[]"),
        (Separator, ""),
    ];
    for (kind, text) in bad {
        assert_eq!(default(kind, text, false), None, "{kind:?} {text}");
        assert_eq!(default(kind, text, true), None, "{kind:?} {text}");
    }
}

#[test]
fn every_fault_is_found_at_once() {
    let fields =
        [field("a", "number"), field("b", "choice"), field("c", "gone"), field("d", "text"), field("e", "text")];
    let kinds = kinds();
    let form = Form { fields: &fields, kinds: &kinds };
    let all = [
        sent("a", json!("x")),
        sent("b", json!("blue")),
        sent("c", Value::Null),
        SentValue { custom_field_key: Some(custom("number")), ..sent("d", json!("x")) },
        sent("e", json!("once")),
        sent("e", json!("twice")),
        sent("z", json!(1)),
    ];
    let found = form.check(&all, &choices()).unwrap_err();
    let expected = json!([
        { "form_field_key": "a", "custom_field_key": "number", "rule": "wrong_type" },
        { "form_field_key": "b", "custom_field_key": "choice", "rule": "not_in_list" },
        { "form_field_key": "c", "custom_field_key": null, "rule": "unknown_field" },
        { "form_field_key": "d", "custom_field_key": "number", "rule": "unknown_field" },
        { "form_field_key": "e", "custom_field_key": "text", "rule": "wrong_type" },
        { "form_field_key": "z", "custom_field_key": null, "rule": "unknown_field" },
    ]);
    assert_eq!(json!(found), expected);
}

#[test]
fn only_the_list_values_of_choices_are_looked_up() {
    let with_default = FormField { default: Some("green".to_owned()), ..field("c", "choice") };
    let fields = [field("a", "choice"), field("b", "text"), with_default, field("d", "gone"), field("e", "choice")];
    let kinds = kinds();
    let form = Form { fields: &fields, kinds: &kinds };
    let all = [
        sent("a", json!(["red", { "_key": "blue" }, 5, "no key"])),
        sent("b", json!("text")),
        sent("d", json!("x")),
        sent("e", json!({ "_key": "red", "value": "Red" })),
        sent("z", json!("z")),
    ];
    let asked = form.list_values(&all);
    assert_eq!(asked, BTreeSet::from(["blue", "green", "red"].map(ListValueKey::trusted)));
}

#[test]
fn a_finished_form_has_all_that_is_mandatory() {
    let mandatory = |key, custom| FormField { mandatory: true, ..field(key, custom) };
    let hidden = |key, custom, default: &str| FormField {
        hidden: true,
        default: Some(default.to_owned()),
        ..mandatory(key, custom)
    };
    let fields = [
        mandatory("a", "text"),
        mandatory("b", "number"),
        mandatory("c", "boolean"),
        mandatory("line", "separator"),
        mandatory("lost", "gone"),
        hidden("h", "choice", "red"),
        hidden("i", "number", "unknown"),
    ];
    let kinds = kinds();
    let form = Form { fields: &fields, kinds: &kinds };
    let draft = form.check(&[sent("a", json!("old")), sent("h", Value::Null)], &choices()).unwrap();

    let wrong = form.complete(draft.clone(), &[sent("a", json!(" ")), sent("b", json!("x"))], &choices()).unwrap_err();
    let found: Vec<_> =
        wrong.iter().map(|fault| (fault.form_field_key.as_ref().unwrap().as_str(), fault.rule)).collect();
    assert_eq!(found, [("b", WrongType), ("a", Missing), ("c", Missing), ("i", Missing)]);

    let last = [sent("b", json!(0)), sent("c", json!(true)), sent("i", json!(7))];
    let finished = form.complete(draft, &last, &choices()).unwrap();
    let expected = json!([
        { "form_field_key": "a", "custom_field_key": "text", "value": "old" },
        { "form_field_key": "h", "custom_field_key": "choice", "value": { "_key": "red", "value": "Red" } },
        { "form_field_key": "b", "custom_field_key": "number", "value": 0 },
        { "form_field_key": "c", "custom_field_key": "boolean", "value": true },
        { "form_field_key": "i", "custom_field_key": "number", "value": 7 },
    ]);
    assert_eq!(json!(finished), expected);
}

#[test]
fn what_is_sent_has_no_other_members() {
    let read = |value: Value| serde_json::from_value::<SentValue>(value);
    assert!(read(json!({ "form_field_key": "a", "value": null })).is_ok());
    assert!(read(json!({ "form_field_key": "a" })).is_err(), "only null clears");
    assert!(read(json!({ "form_field_key": "a", "value": 1, "label": "x" })).is_err());
    assert!(read(json!({ "value": 1 })).is_err());
}
