//! The texts by which stored values are found.

use serde_json::{Number, Value};

use crate::decimal::Decimal;
use crate::form::{FRACTION_DIGITS, FieldKind, WHOLE_DIGITS};
use crate::text::fold;

const DIGITS: usize = WHOLE_DIGITS + FRACTION_DIGITS;
/// More than any number of so many digits, so that none is negative once it is added.
const SHIFT: i128 = 10_i128.pow(DIGITS as u32);

/// The search text of a ternary that is not answered; no other value that is compared as a whole has it.
pub(super) const UNANSWERED: &str = "null";

/// The search texts of a value as it is stored in a field of this type; none for an empty one. A list has those of all
/// its values, a choice one for its text and one for its key.
pub fn search_texts(kind: FieldKind, value: &Value) -> Vec<String> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let texts = items.iter().flat_map(|item| {
        let key = (kind == FieldKind::Choice).then(|| item.get("_key")?.as_str().map(key_text)).flatten();
        one_text(kind, item).into_iter().chain(key)
    });
    texts.collect()
}

/// The search text of a single value; of a choice, that of its text.
pub(super) fn one_text(kind: FieldKind, value: &Value) -> Option<String> {
    match (kind, value) {
        (FieldKind::Text, Value::String(text)) => Some(fold(text)),
        (FieldKind::Choice, Value::Object(choice)) => choice.get("value")?.as_str().map(fold),
        (FieldKind::Files, Value::Object(file)) => file.get("name")?.as_str().map(fold),
        (FieldKind::Number, Value::Number(number)) => number_text(number),
        (FieldKind::Boolean | FieldKind::Ternary, Value::Bool(answer)) => Some(answer.to_string()),
        // Not answered yet is one of its three values.
        (FieldKind::Ternary, Value::Null) => Some(UNANSWERED.to_owned()),
        (FieldKind::Date, Value::String(date)) => Some(date.clone()),
        (FieldKind::Time, Value::String(time)) if time.len() == "HH:MM".len() => Some(format!("{time}:00")),
        (FieldKind::Time, Value::String(time)) => Some(time.clone()),
        _ => None,
    }
}

/// The search text of a choice's key: upper-case letters only, two for each byte. Folded text has no such letters, so
/// neither it nor a part of it is ever taken for a key.
pub(super) fn key_text(key: &str) -> String {
    let letter = |half: u8| char::from(b'A' + half);
    key.bytes().flat_map(|byte| [letter(byte >> 4), letter(byte & 15)]).collect()
}

/// Digits of one width whose order by byte is that of the numbers, negative ones included.
fn number_text(number: &Number) -> Option<String> {
    let Decimal { negative, whole, fraction, exponent } = Decimal::parse(number.as_str())?;
    if exponent != 0 || whole.len() > WHOLE_DIGITS || fraction.len() > FRACTION_DIGITS {
        return None;
    }
    let digits: i128 = format!("{whole}{fraction:0<FRACTION_DIGITS$}").parse().ok()?;
    let shifted = if negative { SHIFT - digits } else { SHIFT + digits };
    Some(format!("{shifted:0width$}", width = DIGITS + 1))
}
