//! Reads stored JSON of any depth. JSON that was accepted before bodies were limited may be nested more deeply than the
//! parser allows; one such text must not make a record unreadable, nor the list it is in.

use serde::de::{DeserializeOwned, Error as _, IgnoredAny};
use serde_json::{Map, Value};

use super::{measure, string_end};

/// The parser is used up to this depth.
const PLAIN_LEVELS: usize = 100;
/// Anything deeper is kept as its text: every reader recurses into a value, and stacks are finite.
const READ_LEVELS: usize = 256;

/// The value of a stored text, at any depth.
pub fn read_stored(text: &str) -> serde_json::Result<Value> {
    if is_plain(text) { serde_json::from_str(text) } else { build(text, false) }
}

/// Reads a stored text into a type, at any depth. Names that the parser would interpret get a leading underscore.
pub fn read_stored_as<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    if is_plain(text) { serde_json::from_str(text) } else { serde_json::from_value(build(text, true)?) }
}

fn is_plain(text: &str) -> bool {
    // Every level takes two characters, and every name that the parser would interpret a dollar sign, which may be escaped.
    if text.len() <= 2 * PLAIN_LEVELS && !text.contains(['$', '\\']) {
        return true;
    }
    let extent = measure(text.as_bytes());
    extent.levels <= PLAIN_LEVELS && !extent.private
}

/// A container that is still open while a text is read.
enum OpenContainer {
    List(Vec<Value>),
    Object(Map<String, Value>, Option<String>),
}

impl OpenContainer {
    fn close(self) -> Value {
        match self {
            OpenContainer::List(values) => Value::Array(values),
            OpenContainer::Object(members, _) => Value::Object(members),
        }
    }
}

/// Reads with an explicit stack instead of the thread's.
fn build(text: &str, rename: bool) -> serde_json::Result<Value> {
    // Skipping a value does not recurse, and tells whether it is JSON at all.
    serde_json::from_str::<IgnoredAny>(text)?;
    let bytes = text.as_bytes();
    let (mut open, mut at): (Vec<OpenContainer>, usize) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let begin = at;
        at += 1;
        let done = match byte {
            b'{' | b'[' if open.len() == READ_LEVELS => {
                at = container_end(bytes, at);
                Value::String(text[begin..at].to_owned())
            }
            b'{' => {
                open.push(OpenContainer::Object(Map::new(), None));
                continue;
            }
            b'[' => {
                open.push(OpenContainer::List(Vec::new()));
                continue;
            }
            b'}' | b']' => open.pop().map(OpenContainer::close).unwrap_or_default(),
            b'"' => {
                at = string_end(bytes, at) + 1;
                let read: String = serde_json::from_str(&text[begin..at])?;
                match open.last_mut() {
                    Some(OpenContainer::Object(_, name @ None)) => {
                        let private = rename && read.as_bytes().starts_with(super::PRIVATE);
                        *name = Some(if private { format!("_{read}") } else { read });
                        continue;
                    }
                    _ => Value::String(read),
                }
            }
            b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' => continue,
            _ => {
                let length = bytes[at..].iter().position(|byte| b",]} \n\r\t".contains(byte));
                at = length.map_or(bytes.len(), |length| at + length);
                serde_json::from_str(&text[begin..at])?
            }
        };
        match open.last_mut() {
            None => return Ok(done),
            Some(OpenContainer::List(values)) => values.push(done),
            Some(OpenContainer::Object(members, name)) => {
                members.insert(name.take().unwrap_or_default(), done);
            }
        }
    }
    Err(serde_json::Error::custom("the text ends too early"))
}

/// The position after the bracket that closes the one before `begin`.
fn container_end(text: &[u8], begin: usize) -> usize {
    let (mut at, mut level) = (begin, 1_usize);
    while level > 0 {
        match text.get(at) {
            None => return text.len(),
            Some(b'{' | b'[') => level += 1,
            Some(b'}' | b']') => level -= 1,
            Some(b'"') => at = string_end(text, at + 1),
            Some(_) => {}
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nested(levels: usize, inmost: &str) -> String {
        format!("{}{inmost}{}", "{\"a\":[".repeat(levels / 2), "]}".repeat(levels / 2))
    }

    #[test]
    fn depth_stops_nobody() {
        for levels in [100, 130, 256] {
            let text = nested(levels, "1.50");
            assert_eq!(read_stored(&text).unwrap().to_string(), text);
        }
        for levels in [258, 1_000_000] {
            let value = read_stored(&nested(levels, "\"]\\\"\"")).unwrap();
            let mut inmost = &value;
            while let Some(next) = inmost.get("a").and_then(|list| list.get(0)) {
                inmost = next;
            }
            assert!(inmost.as_str().unwrap().starts_with("{\"a\":["), "what is deeper is kept as it was written");
            assert_eq!(value.to_string(), read_stored(&value.to_string()).unwrap().to_string());
        }
    }

    #[test]
    fn private_names_are_names() {
        let text = r#"{"$serde_json::private::RawValue":"{","b":[{"$serde_json::private::Number":"x"}]}"#;
        assert_eq!(read_stored(text).unwrap().to_string(), text);
        let typed: Map<String, Value> = read_stored_as(text).unwrap();
        assert_eq!(typed["_$serde_json::private::RawValue"], "{");
        // However short the text is, and however the name is written.
        for short in [r#"{"$serde_json::private::Number":"x"}"#, r#"{"\u0024serde_json::private::Number":"x"}"#] {
            let typed: Value = read_stored_as(short).unwrap();
            assert_eq!(typed["_$serde_json::private::Number"], "x");
        }
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let deep = "[".repeat(200);
        for text in ["", "{", "[1,]", &deep, &format!("{}]", nested(200, "1")), &nested(200, "tru")] {
            assert!(read_stored(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn both_ways_read_the_same(text in r#"(\[|\{"a":|\]|\}|"\\u00e9"|1\.5|,|:|null| |true){0,12}"#) {
            match serde_json::from_str::<Value>(&text) {
                Ok(read) => prop_assert_eq!(build(&text, false).unwrap(), read),
                Err(_) => prop_assert!(build(&text, false).is_err()),
            }
        }
    }
}
