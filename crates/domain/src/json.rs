//! JSON from outside and from the database. JSON from outside is measured before any parser sees it: too deep nesting would
//! exhaust the stack, and the parser would interpret members under its own private names. Stored JSON is read at any depth.

mod opaque;
mod stored;

use serde::Deserialize;
use serde_json::{Number, Value};
use thiserror::Error;

pub use opaque::Opaque;
pub use stored::{read_stored, read_stored_as};

/// Maximum nesting depth of a body.
pub const MOST_LEVELS: usize = 64;

/// The parser does not treat an object as one if its first member has such a name: it parses a text within it again, as
/// separate JSON.
const PRIVATE: &[u8] = b"$serde_json::private::";

/// The memory a value takes besides its text, and a member's name likewise; rather too much than too little.
const VALUE_BYTES: usize = 160;
const NAME_BYTES: usize = 80;

/// How large a JSON text is, found in one pass without parsing. For text that is not JSON the result is harmless.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// How deeply it is nested.
    pub levels: usize,
    /// The number of values of every kind, and of member names.
    pub values: usize,
    pub names: usize,
    bytes: usize,
    private: bool,
}

/// Why a text is not even parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Objection {
    #[error("JSON may be nested at most {MOST_LEVELS} levels deep")]
    TooDeep,
    #[error("No member's name may begin with $serde_json::private::")]
    PrivateName,
}

impl Objection {
    /// Its name among the kinds of faults.
    pub fn kind(self) -> &'static str {
        match self {
            Objection::TooDeep => "json_too_deep",
            Objection::PrivateName => "json_private_name",
        }
    }
}

/// Why a text from outside could not be read.
#[derive(Debug, Error)]
pub enum Unread {
    #[error(transparent)]
    Objection(#[from] Objection),
    #[error(transparent)]
    Invalid(#[from] serde_json::Error),
}

impl Extent {
    pub fn objection(&self) -> Option<Objection> {
        match self {
            Extent { private: true, .. } => Some(Objection::PrivateName),
            Extent { levels, .. } if *levels > MOST_LEVELS => Some(Objection::TooDeep),
            _ => None,
        }
    }

    /// Approximate memory it takes once it is parsed, in bytes.
    pub fn weight(&self) -> usize {
        let names = self.names.saturating_mul(NAME_BYTES);
        self.values.saturating_mul(VALUE_BYTES).saturating_add(names).saturating_add(self.bytes)
    }
}

/// Approximate memory that a value takes, in bytes, as [`Extent::weight`] tells it of its text.
pub fn weight(value: &Value) -> usize {
    let inside = match value {
        Value::Array(values) => values.iter().map(weight).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| NAME_BYTES + name.len() + weight(value)).sum::<usize>()
        }
        Value::String(text) => text.len(),
        _ => 0,
    };
    VALUE_BYTES + inside
}

/// Measures a text: linear in its length, without recursion.
pub fn measure(text: &[u8]) -> Extent {
    let mut extent = Extent { bytes: text.len(), ..Extent::default() };
    let (mut level, mut at, mut in_scalar) = (0_usize, 0, false);
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => {
                level += 1;
                extent.values += 1;
                extent.levels = extent.levels.max(level);
            }
            b'}' | b']' => level = level.saturating_sub(1),
            b'"' => {
                let end = string_end(text, at);
                if is_name(text, end) {
                    extent.names += 1;
                    extent.private |= is_private(&text[at..end]);
                } else {
                    extent.values += 1;
                }
                at = end + 1;
            }
            b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' => {}
            _ if in_scalar => continue,
            _ => {
                extent.values += 1;
                in_scalar = true;
                continue;
            }
        }
        in_scalar = false;
    }
    extent
}

/// The index of the quote that ends a string, or the end of the text.
fn string_end(text: &[u8], begin: usize) -> usize {
    let mut at = begin;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// Whether the string that ends there is the name of a member.
fn is_name(text: &[u8], end: usize) -> bool {
    let behind = text.get(end + 1..).unwrap_or_default();
    behind.iter().find(|byte| !b" \n\r\t".contains(byte)) == Some(&b':')
}

/// Whether a name begins like the parser's private ones, with its escapes undone.
fn is_private(name: &[u8]) -> bool {
    let mut rest = name;
    PRIVATE.iter().all(|wanted| {
        let (found, length) = match rest {
            [b'\\', b'u', digits @ ..] => (escaped(digits), 6),
            [b'\\', byte, ..] => (Some(*byte), 2),
            [byte, ..] => (Some(*byte), 1),
            [] => (None, 0),
        };
        rest = rest.get(length..).unwrap_or_default();
        found == Some(*wanted)
    })
}

fn escaped(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits.get(..4)?).ok()?;
    u8::try_from(u16::from_str_radix(digits, 16).ok()?).ok()
}

/// Reads a text from outside, unless there is an objection to it.
pub fn read<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, Unread> {
    match measure(text).objection() {
        Some(objection) => Err(objection.into()),
        None => Ok(serde_json::from_slice(text)?),
    }
}

/// The number that a text consists of, if it is nothing else.
pub fn read_number(text: &str) -> Option<Number> {
    let text = text.trim();
    let begins = text.bytes().next().is_some_and(|byte| byte == b'-' || byte.is_ascii_digit());
    match begins.then(|| serde_json::from_str(text)) {
        Some(Ok(Value::Number(number))) => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nested(levels: usize) -> String {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn levels_are_counted_wherever_they_are() {
        for (text, levels) in
            [("1", 0), ("\"[[[\"", 0), ("{\"[\\\"[\":[]}", 2), ("[[],{},[[]]]", 3), ("[\"\\\\\",[]]", 2)]
        {
            assert_eq!(measure(text.as_bytes()).levels, levels, "{text}");
        }
        assert_eq!(measure(nested(64).as_bytes()).objection(), None);
        assert_eq!(measure(nested(65).as_bytes()).objection(), Some(Objection::TooDeep));
        assert_eq!(measure("[".repeat(1_000_000).as_bytes()).objection(), Some(Objection::TooDeep));
    }

    #[test]
    fn private_names_are_found_however_they_are_written() {
        for name in [
            "$serde_json::private::Number",
            "$serde_json::private::RawValue",
            "$serde_json::private::",
            r"\u0024serde_json::private::Number",
            r"$serde\u005Fjson\u003a:private::X",
        ] {
            for text in [format!("{{\"{name}\":1}}"), format!("[{{\"a\":1, \"{name}\" \n : 1}}]")] {
                assert_eq!(measure(text.as_bytes()).objection(), Some(Objection::PrivateName), "{text}");
            }
            assert_eq!(measure(format!("[\"{name}\"]").as_bytes()).objection(), None, "a text is only a text");
        }
        for name in ["$serde_json", "a$serde_json::private::Number", r"\\u0024serde_json::private::X", "\\u20", ""] {
            assert_eq!(measure(format!("{{\"{name}\":1}}").as_bytes()).objection(), None, "{name}");
        }
    }

    #[test]
    fn values_and_names_are_counted() {
        let extent = measure(br#"{"a": [1, -2.5e7, true], "b": "x", "c": {}}"#);
        assert_eq!((extent.values, extent.names, extent.levels), (7, 3, 2));
        assert!(measure(b"[1,1,1,1]").weight() > 5 * VALUE_BYTES);
    }

    #[test]
    fn only_numbers_are_numbers() {
        assert_eq!(read_number(" -1.50 ").unwrap().as_str(), "-1.50");
        for text in ["", "1 2", "[1]", "\"1\"", "{\"$serde_json::private::Number\":\"1\"}", "0x1", "--1", "1e"] {
            assert_eq!(read_number(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn anything_can_be_measured(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            measure(&text);
        }

        #[test]
        fn what_is_measured_is_what_the_parser_sees(text in r#"[\[\]{}",:\\u0-9a \n]{0,30}"#) {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                fn levels(value: &Value) -> usize {
                    match value {
                        Value::Array(values) => 1 + values.iter().map(levels).max().unwrap_or(0),
                        Value::Object(members) => 1 + members.values().map(levels).max().unwrap_or(0),
                        _ => 0,
                    }
                }
                // A repeated name hides its earlier value.
                prop_assert!(measure(text.as_bytes()).levels >= levels(&value));
            }
        }
    }
}
