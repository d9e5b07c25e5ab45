//! The types of custom fields: which values each one accepts, and which of them count as filled.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::choice::chosen;
use super::{Choices, ValueRule, number};
use crate::key::{FieldKey, ListValueKey};
use crate::text::is_blank;
use crate::{file_name, json, named};

/// Maximum length of a text, in characters.
const TEXT_CHARS: usize = 10_000;
/// Maximum number of entries in a list of values or files.
const MOST_ENTRIES: usize = 1_000;

named! {
    /// The type of a custom field.
    pub enum FieldKind {
        /// A text of at most 10,000 characters. Filled unless it is blank.
        Text = "text",
        /// A number (not as text) with at most 15 digits before the point and 12 behind it.
        Number = "number",
        /// True or false. A mandatory one is a box that has to be ticked: only true fills it.
        Boolean = "boolean",
        /// True, false, or null while it is not answered.
        Ternary = "ternary",
        /// A value of the field's list: `{"_key": …}` or that key as text; answered as `{"_key", "value"}`.
        Choice = "choice",
        /// `YYYY-MM-DD`.
        Date = "date",
        /// `HH:MM` or `HH:MM:SS`.
        Time = "time",
        /// A list of at most 1,000 `{"name", "size"}` with perhaps `bucket` and `path`; the service adds `sha256` where the file is stored.
        Files = "files",
        /// A heading between fields; it has no value.
        Separator = "separator",
    }
}

/// An entry of a `files` value. Whether the file exists is not checked.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEntry {
    name: String,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bucket: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Ignored, so that a value can be sent as it was read: the service adds it where the file is stored.
    #[serde(rename = "sha256", default, skip_serializing)]
    _sha256: Option<String>,
}

impl FieldKind {
    /// The value of a custom field of this type as it is stored, or its fault. Null clears any field; within a list it is
    /// not a value.
    pub fn read(self, value: &Value, multiple: bool, field: &FieldKey, choices: &Choices) -> Result<Value, ValueRule> {
        match value {
            Value::Null => Ok(Value::Null),
            Value::Array(items) if items.len() > MOST_ENTRIES => Err(ValueRule::WrongType),
            Value::Array(items) if self.takes_list(multiple) => {
                items.iter().map(|item| self.read_one(item, field, choices)).collect()
            }
            _ if self.takes_list(multiple) => Err(ValueRule::WrongType),
            one => self.read_one(one, field, choices),
        }
    }

    /// Whether a mandatory field of this type has what it needs.
    pub fn is_filled(self, value: &Value, multiple: bool) -> bool {
        match (self, value) {
            (FieldKind::Separator, _) => true,
            (_, Value::Array(items)) if self == FieldKind::Files || self.takes_list(multiple) => !items.is_empty(),
            // A box that must be ticked.
            (FieldKind::Boolean, value) => *value == Value::Bool(true),
            (FieldKind::Text, Value::String(text)) => !is_blank(text),
            (_, value) => !value.is_null(),
        }
    }

    /// The value of a default, if it fits this type: a number, `true` or `false`, the key of a list value, a date or a time
    /// as they are sent, any text. For a list it is the only entry. Files have no default.
    pub fn read_default(self, default: &str, multiple: bool, field: &FieldKey, choices: &Choices) -> Option<Value> {
        let value = match self {
            FieldKind::Number | FieldKind::Boolean | FieldKind::Ternary => json::read(default.as_bytes()).ok()?,
            FieldKind::Files | FieldKind::Separator => return None,
            FieldKind::Text | FieldKind::Choice | FieldKind::Date | FieldKind::Time => json!(default),
        };
        let value = self.read_one(&value, field, choices).ok()?;
        Some(if self.takes_list(multiple) { Value::Array(vec![value]) } else { value })
    }

    /// The list values that a value of a choice names; other types name none.
    pub fn list_values(self, value: &Value) -> Vec<ListValueKey> {
        let items = match (self, value) {
            // A longer one is refused.
            (FieldKind::Choice, Value::Array(items)) => items.get(..MOST_ENTRIES).unwrap_or(items),
            (FieldKind::Choice, one) => std::slice::from_ref(one),
            _ => &[],
        };
        items.iter().filter_map(|item| ListValueKey::new(chosen(item)?).ok()).collect()
    }

    /// Whether a field takes a list of values; files are always a list.
    fn takes_list(self, multiple: bool) -> bool {
        use FieldKind::{Choice, Date, Number, Text, Time};
        multiple && matches!(self, Text | Number | Choice | Date | Time)
    }

    fn read_one(self, value: &Value, field: &FieldKey, choices: &Choices) -> Result<Value, ValueRule> {
        let read = match (self, value) {
            (FieldKind::Choice, value) => return choices.read(value, field),
            (FieldKind::Text, Value::String(text)) => is_text(text).then(|| value.clone()),
            (FieldKind::Number, Value::Number(sent)) => number::read(sent).map(Value::Number),
            (FieldKind::Boolean | FieldKind::Ternary, Value::Bool(_)) => Some(value.clone()),
            (FieldKind::Date, Value::String(text)) => is_date(text).then(|| value.clone()),
            (FieldKind::Time, Value::String(text)) => is_time(text).then(|| value.clone()),
            (FieldKind::Files, Value::Array(files)) => files.iter().map(read_file).collect(),
            _ => None,
        };
        read.ok_or(ValueRule::WrongType)
    }
}

fn is_text(text: &str) -> bool {
    text.chars().count() <= TEXT_CHARS
}

/// `YYYY-MM-DD`, and an existing day.
fn is_date(text: &str) -> bool {
    match numbers(text, '-', &[4, 2, 2]).as_deref() {
        Some(&[year, month, day]) => Date::new(year, month as i8, day as i8).is_ok(),
        _ => false,
    }
}

/// `HH:MM` or `HH:MM:SS`.
fn is_time(text: &str) -> bool {
    let parts = numbers(text, ':', &[2, 2]).or_else(|| numbers(text, ':', &[2, 2, 2]));
    parts.is_some_and(|parts| parts[0] < 24 && parts[1..].iter().all(|&part| part < 60))
}

/// The numbers in a text, each with exactly the given number of digits.
fn numbers(text: &str, between: char, digits: &[usize]) -> Option<Vec<i16>> {
    let parts: Vec<&str> = text.split(between).collect();
    let exact =
        |(part, digits): (&&str, &usize)| part.len() == *digits && part.bytes().all(|byte| byte.is_ascii_digit());
    let all_exact = parts.len() == digits.len() && parts.iter().zip(digits).all(exact);
    if all_exact { parts.iter().map(|part| part.parse().ok()).collect() } else { None }
}

fn read_file(entry: &Value) -> Option<Value> {
    // serde would also accept a list of the members in order.
    let members = entry.as_object()?;
    let file = FileEntry::deserialize(members).ok()?;
    let told = [&file.bucket, &file.path].into_iter().flatten().all(|text| is_text(text));
    let good = file_name::objection(&file.name).is_none() && told;
    if good { serde_json::to_value(file).ok() } else { None }
}
