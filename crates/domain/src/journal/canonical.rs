//! Canonical bytes: the one way to write a value, so that everybody who has an event computes the same digest of it.
//!
//! Null members are left out at every level (a null in a list stays), names are sorted by code point, there are no spaces,
//! only `"`, `\` and characters below U+0020 are escaped, and numbers are plain decimals.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::Event;

/// SHA-256.
pub type Digest = [u8; 32];

/// A number whose plain form would have more digits stays as it is stored and shown: a few bytes such as `1e999999999` must
/// not become a gigabyte. Everything a floating-point number can hold is shorter.
const LONGEST_NUMBER: usize = 1_000;

impl Event {
    /// The digest of its canonical bytes, which seals it.
    pub fn digest(&self) -> Digest {
        Sha256::digest(bytes(&json!(self))).into()
    }
}

pub fn bytes(value: &Value) -> Vec<u8> {
    let mut text = String::new();
    write_value(value, &mut text);
    text.into_bytes()
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => match plain(number.as_str()) {
            Some(plain) => out.push_str(&plain),
            None => out.push_str(number.as_str()),
        },
        Value::String(text) => write_text(text, out),
        Value::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(value, out);
            }
            out.push(']');
        }
        Value::Object(members) => write_members(members, out),
    }
}

fn write_members(members: &Map<String, Value>, out: &mut String) {
    let mut present: Vec<(&String, &Value)> = members.iter().filter(|(_, value)| !value.is_null()).collect();
    // UTF-8 sorts by code point.
    present.sort_unstable_by_key(|(name, _)| *name);
    out.push('{');
    for (index, (name, value)) in present.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_text(name, out);
        out.push(':');
        write_value(value, out);
    }
    out.push('}');
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => {
                out.push('\\');
                out.push(char);
            }
            '\0'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", u32::from(char))),
            _ => out.push(char),
        }
    }
    out.push('"');
}

/// The plain decimal of a JSON number's text, without exponent, trailing zeros or `-0`; `None` if it would be too long.
fn plain(text: &str) -> Option<String> {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let without_leading = digits.trim_start_matches('0');
    let significant = without_leading.trim_end_matches('0');
    if significant.is_empty() {
        return Some("0".to_owned());
    }
    // How many of the significant digits are before the point; if negative, how many zeros follow it first.
    let leading = (digits.len() - without_leading.len()) as i64;
    let point = exponent.parse::<i64>().ok()?.checked_add(whole.len() as i64 - leading)?;
    let zeros = |count: usize| "0".repeat(count);
    let before = usize::try_from(point).unwrap_or(0);
    let after = usize::try_from(point.unsigned_abs()).ok()?;
    let length = if point > 0 { before.max(significant.len()) } else { after.checked_add(significant.len())? };
    if length > LONGEST_NUMBER {
        return None;
    }
    Some(match significant.split_at_checked(before) {
        Some(("", fraction)) => format!("{sign}0.{}{fraction}", zeros(after)),
        Some((whole, "")) => format!("{sign}{whole}"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{significant}{}", zeros(before - significant.len())),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical(text: &str) -> String {
        String::from_utf8(bytes(&serde_json::from_str(text).unwrap())).unwrap()
    }

    #[test]
    fn numbers_are_plain_decimals() {
        let pairs = [
            ("1.50", "1.5"),
            ("1E3", "1000"),
            ("-0.0", "0"),
            ("-0", "0"),
            ("0e999999999999999999999", "0"),
            ("1e-7", "0.0000001"),
            ("-12.340e1", "-123.4"),
            ("0.00120E+2", "0.12"),
            ("100", "100"),
            ("1000000000000.000001", "1000000000000.000001"),
            ("12345678901234567890123456789.5", "12345678901234567890123456789.5"),
            ("1e999999999", "1e+999999999"),
            ("1e-999999999999999999999", "1e-999999999999999999999"),
        ];
        for (sent, written) in pairs {
            assert_eq!(canonical(sent), written);
        }
        assert_eq!(canonical("1e999"), format!("1{}", "0".repeat(999)));
        assert_eq!(canonical("1e1000"), "1e+1000");
        assert_eq!(canonical("-1e-999"), format!("-0.{}1", "0".repeat(998)));
        assert_eq!(canonical("1e-1001"), "1e-1001");
    }

    #[test]
    fn members_and_texts() {
        assert_eq!(
            canonical(r#" {"b": null, "a": [null, {"x": null}], "é": "/é\u0001\n\"\\\u007f" } "#),
            "{\"a\":[null,{}],\"é\":\"/é\\u0001\\u000a\\\"\\\\\u{7f}\"}"
        );
        // By code point, where UTF-16 would have it the other way round.
        assert_eq!(canonical(r#"{"😀": 1, "豈": 2, "Z": 3, "a": 4}"#), r#"{"Z":3,"a":4,"豈":2,"😀":1}"#);
    }

    /// A number as its digits, with the position of the point.
    #[derive(Debug, Clone)]
    struct Decimal {
        negative: bool,
        digits: String,
        point: i64,
    }

    /// Moves the point digit by digit, as on paper.
    fn on_paper(number: &Decimal) -> String {
        let mut before: Vec<char> = number.digits.chars().collect();
        let mut after: Vec<char> = Vec::new();
        let mut steps = number.point - before.len() as i64;
        while steps < 0 {
            after.insert(0, before.pop().unwrap_or('0'));
            steps += 1;
        }
        while steps > 0 {
            before.push('0');
            steps -= 1;
        }
        while before.len() > 1 && before[0] == '0' {
            before.remove(0);
        }
        while after.last() == Some(&'0') {
            after.pop();
        }
        let mut text: String = if before.is_empty() { "0".to_owned() } else { before.iter().collect() };
        if !after.is_empty() {
            text.push('.');
            text.extend(after);
        }
        if number.negative && text != "0" { format!("-{text}") } else { text }
    }

    /// One of the ways to write it.
    fn spelling(number: &Decimal, spread: i64, capital: bool) -> String {
        let sign = if number.negative { "-" } else { "" };
        let split = (number.digits.len() as i64 + spread).clamp(1, number.digits.len() as i64);
        let (whole, fraction) = number.digits.split_at(split as usize);
        let whole = whole.trim_start_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        let fraction = if fraction.is_empty() { String::new() } else { format!(".{fraction}") };
        let exponent = number.point - split;
        format!("{sign}{whole}{fraction}{}{exponent}", if capital { 'E' } else { 'e' })
    }

    fn decimal() -> impl Strategy<Value = Decimal> {
        (any::<bool>(), "[0-9]{1,12}", -20_i64..30).prop_map(|(negative, digits, point)| Decimal {
            negative,
            digits,
            point,
        })
    }

    /// What an auditor would write from the rules alone; the numbers are already plain.
    fn auditor(value: &Value) -> String {
        match value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(number) => number.to_string(),
            Value::String(text) => quoted(text),
            Value::Array(values) => format!("[{}]", values.iter().map(auditor).collect::<Vec<_>>().join(",")),
            Value::Object(members) => {
                let mut names: Vec<Vec<char>> = members.keys().map(|name| name.chars().collect()).collect();
                names.sort();
                let names = names.into_iter().map(|name| name.into_iter().collect::<String>());
                let members = names.filter(|name| members[name] != Value::Null);
                let written = members.map(|name| format!("{}:{}", quoted(&name), auditor(&value[&name])));
                format!("{{{}}}", written.collect::<Vec<_>>().join(","))
            }
        }
    }

    fn quoted(text: &str) -> String {
        let mut quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
        for code in 0..0x20_u8 {
            quoted = quoted.replace(char::from(code), &format!("\\u00{code:02x}"));
        }
        format!("\"{quoted}\"")
    }

    fn value(numbers: impl Strategy<Value = Value> + Clone + 'static) -> impl Strategy<Value = Value> {
        let text = "[a-z\\x00-\\x22\\\\\u{e9}\u{7f}\u{fffd}\u{e000}\u{1f600}]{0,4}";
        let leaf =
            prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), numbers, text.prop_map(Value::from),];
        leaf.prop_recursive(4, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((text, inner), 0..5).prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    fn number(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    fn plain_number() -> impl Strategy<Value = Value> + Clone {
        (any::<bool>(), "[0-9]{1,12}", -20_i64..30)
            .prop_map(|(negative, digits, point)| number(&on_paper(&Decimal { negative, digits, point })))
    }

    /// The value with its members in reverse order and its numbers written differently.
    fn respelled(value: &Value) -> Value {
        match value {
            Value::Number(number) => {
                let (digits, negative) = (number.to_string(), number.to_string().starts_with('-'));
                let digits = digits.trim_start_matches('-');
                let point = digits.find('.').unwrap_or(digits.len()) as i64;
                let all = Decimal { negative, digits: digits.replace('.', "") + "0", point };
                self::number(&spelling(&all, -1, point % 2 == 0))
            }
            Value::Array(values) => values.iter().map(respelled).collect(),
            Value::Object(members) => {
                let turned = members.iter().rev().map(|(name, value)| (name.clone(), respelled(value)));
                Value::Object(turned.collect())
            }
            other => other.clone(),
        }
    }

    fn without_nulls(value: &Value) -> Value {
        match value {
            Value::Array(values) => values.iter().map(without_nulls).collect(),
            Value::Object(members) => {
                let present = members.iter().filter(|(_, value)| !value.is_null());
                Value::Object(present.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
            }
            other => other.clone(),
        }
    }

    proptest! {
        #[test]
        fn every_spelling_of_a_number_gives_the_same(number in decimal(), spread in -12_i64..1, capital: bool) {
            prop_assert_eq!(canonical(&spelling(&number, spread, capital)), on_paper(&number));
        }

        #[test]
        fn an_auditor_writes_the_same_and_reads_the_value_back(value in value(plain_number())) {
            let written = String::from_utf8(bytes(&value)).unwrap();
            prop_assert_eq!(&written, &auditor(&value));
            let read: Value = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(&read, &without_nulls(&value));
            prop_assert_eq!(bytes(&read), written.into_bytes());
        }

        #[test]
        fn order_and_spelling_do_not_matter(value in value(plain_number())) {
            prop_assert_eq!(bytes(&respelled(&value)), bytes(&value));
        }
    }
}
