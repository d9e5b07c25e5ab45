//! A fault of the input: what is wrong, where, and with which value. A request is answered with all of its faults at once,
//! up to a number that somebody could still read.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::rule;

/// Maximum number of faults in an answer; a last one counts the rest.
pub const MOST_FAULTS: usize = 1_000;
/// The kind of that last one.
const MORE: &str = "too_many_faults";

/// All kinds of faults, with their meaning. Programs go by them, so they stay.
pub const KINDS: &[(&str, &str)] = &[
    ("missing", "A required member is missing."),
    ("extra_forbidden", "There is no such member."),
    ("value_error", "The value fits its type, but not the rule that `msg` tells."),
    ("string_type", "The value is not a text."),
    ("int_type", "The value is not a whole number."),
    ("int_parsing", "The text is not a whole number."),
    ("float_type", "The value is not a number."),
    ("decimal_parsing", "The value is not an exact decimal."),
    ("bool_type", "The value is neither true nor false."),
    ("list_type", "The value is not a list."),
    ("dict_type", "The value is not an object."),
    ("object_type", "The value is not an object."),
    ("datetime_parsing", "The value is not a date and time."),
    ("enum", "The value is none of those in the list."),
    ("no_match", "The value fits none of the forms that are possible."),
    ("string_too_short", "The text is too short."),
    ("string_too_long", "The text is too long."),
    ("string_pattern_mismatch", "The text contains a character that it may not, or has the wrong form."),
    ("string_nul", "The text contains a NUL character."),
    ("too_short", "The list or object has too few entries."),
    ("too_long", "The list or object has too many entries, or the value takes too many bytes."),
    ("greater_than", "The number is not large enough."),
    ("greater_than_equal", "The number is too small."),
    ("less_than_equal", "The number is too large."),
    ("multiple_of", "The number is not whole, and units are counted."),
    ("json_invalid", "The body is not JSON."),
    ("json_too_deep", "The JSON is nested too deeply."),
    ("json_private_name", "The JSON contains a name that is reserved."),
    ("multipart_invalid", "The multipart body can't be read."),
    ("idempotency_mismatch", "The `Idempotency-Key` belongs to another request."),
    ("event_type_unknown", "There is no such type of events."),
    ("event_type_differs", "The row has another type than the bulk."),
    ("component_not_found", "There is no such component."),
    ("component_missing", "The line names no component."),
    ("component_ambiguous", "Key and code are of different products."),
    ("component_trashed", "The component was deleted."),
    ("phase_not_of_product", "The product has no such phase."),
    ("phase_not_of_order", "The order has no such phase."),
    ("counter_not_found", "There is no such counter."),
    ("custom_field_not_found", "There is no such custom field."),
    ("job_not_found", "There is no such job."),
    ("media_not_found", "There is no such media file."),
    ("operation_not_found", "There is no such operation."),
    ("position_not_found", "There is no such position."),
    ("position_too_deep", "Positions would be nested more than 99 levels deep."),
    ("step_not_found", "There is no such step."),
    ("user_not_found", "There is no such user."),
    ("work_order_not_found", "There is no such work order."),
    (MORE, "There are more faults than an answer lists; `input` is their number."),
];
/// How many bytes are repeated of a faulty value, of a name on the path to it, and of a message.
const INPUT_BYTES: usize = 512;
const NAME_BYTES: usize = 128;
const MESSAGE_BYTES: usize = 1_024;
/// Stands for what was cut off.
const CUT: char = '…';

/// One step of the path to the faulty value: a member's name or an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Loc {
    Name(String),
    Index(usize),
}

impl From<&str> for Loc {
    fn from(name: &str) -> Self {
        Loc::Name(shortened(name, NAME_BYTES))
    }
}

impl From<usize> for Loc {
    fn from(index: usize) -> Self {
        Loc::Index(index)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ValidationFault")]
pub struct Fault {
    /// The kind of fault, such as `missing` or `string_too_long`: the catalogue of errors lists them. Programs go by it.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The path to the value, beginning with path, query, header or body.
    pub loc: Vec<Loc>,
    /// A text for people; it may change.
    pub msg: String,
    /// The value at fault; for a long one, the beginning of its text. Null if there is none, if the member is not known, and if the
    /// value may be a secret.
    pub input: Value,
}

impl Fault {
    pub fn new(kind: &'static str, loc: &[Loc], msg: impl Into<String>, input: &Value) -> Self {
        debug_assert!(is_declared(kind), "{kind} is not declared");
        let msg: String = msg.into();
        let msg = if msg.len() > MESSAGE_BYTES { shortened(&msg, MESSAGE_BYTES) } else { msg };
        Self { kind, loc: loc.to_vec(), msg, input: echoed(input) }
    }

    fn more(loc: &[Loc], count: usize) -> Self {
        Self::new(MORE, loc, format!("There are {count} more faults."), &Value::from(count))
    }
}

/// Whether it is a kind of fault, or the name of a rule that refuses one entry of a list.
fn is_declared(kind: &str) -> bool {
    KINDS.iter().any(|(known, _)| *known == kind) || rule::all().any(|rule| rule.name == kind)
}

/// At most this many faults, wherever they were found, and one that counts the rest.
pub fn bounded(faults: Vec<Fault>, most: usize) -> Vec<Fault> {
    if faults.len() <= most {
        return faults;
    }
    let (counted, mut told): (Vec<Fault>, Vec<Fault>) = faults.into_iter().partition(|fault| fault.kind == MORE);
    let counted: u64 = counted.iter().filter_map(|fault| fault.input.as_u64()).sum();
    let untold = told.len().saturating_sub(most) + counted as usize;
    told.truncate(most);
    if untold > 0 {
        let place = told.last().and_then(|last| last.loc.first().cloned());
        told.push(Fault::more(place.as_slice(), untold));
    }
    told
}

/// The text, or its beginning if it has more bytes than that.
pub fn shortened(text: &str, bytes: usize) -> String {
    match text.len() {
        length if length <= bytes => text.to_owned(),
        _ => format!("{}{CUT}", &text[..text.floor_char_boundary(bytes)]),
    }
}

/// The value as a fault repeats it.
fn echoed(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(shortened(text, INPUT_BYTES)),
        Value::Number(number) if number.as_str().len() > INPUT_BYTES => {
            Value::String(shortened(number.as_str(), INPUT_BYTES))
        }
        Value::Array(_) | Value::Object(_) => {
            let mut beginning = Beginning(Vec::new());
            match serde_json::to_writer(&mut beginning, value) {
                Ok(()) => value.clone(),
                Err(_) => Value::String(format!("{}{CUT}", beginning.text())),
            }
        }
        short => short.clone(),
    }
}

/// A writer that takes what fits and then fails, so that a long value is not written to its end.
struct Beginning(Vec<u8>);

impl Beginning {
    fn text(&self) -> &str {
        match std::str::from_utf8(&self.0) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&self.0[..error.valid_up_to()]).unwrap_or_default(),
        }
    }
}

impl std::io::Write for Beginning {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let room = INPUT_BYTES - self.0.len();
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() > room { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Collects faults while walking down a value. It keeps track of the path, so that rules only say what is wrong.
#[derive(Debug, Default)]
pub struct Faults {
    path: Vec<Loc>,
    found: Vec<Fault>,
    /// How many more were found.
    more: usize,
    silent: bool,
}

impl Faults {
    pub fn at(root: &str) -> Self {
        Self { path: vec![root.into()], ..Self::default() }
    }

    /// Repeats no value: where a password is expected, people also send it in wrong places.
    #[must_use]
    pub fn silent(self) -> Self {
        Self { silent: true, ..self }
    }

    pub fn add(&mut self, kind: &'static str, msg: impl Into<String>, input: &Value) {
        if self.found.len() == MOST_FAULTS {
            self.more += 1;
        } else {
            let input = if self.silent { &Value::Null } else { input };
            self.found.push(Fault::new(kind, &self.path, msg, input));
        }
    }

    /// Adds an undeclared member. Its value is not repeated: it may be a password under a wrong name.
    pub fn add_unknown(&mut self, name: &str, msg: impl Into<String>) {
        self.within(name, |faults| faults.add("extra_forbidden", msg, &Value::Null));
    }

    /// Runs `check` one step further down.
    pub fn within(&mut self, step: impl Into<Loc>, check: impl FnOnce(&mut Self)) {
        self.path.push(step.into());
        check(self);
        self.path.pop();
    }

    /// How many faults were found.
    pub fn count(&self) -> usize {
        self.found.len() + self.more
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub fn into_vec(mut self) -> Vec<Fault> {
        if self.more > 0 {
            self.found.push(Fault::more(self.path.get(..1).unwrap_or_default(), self.more));
        }
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn faults_have_an_end_and_say_how_many_more() {
        let mut faults = Faults::at("body");
        for index in 0..5_000_usize {
            faults.within(index, |faults| faults.add("missing", "Wrong.", &json!(index)));
        }
        let mut found = faults.into_vec();
        assert_eq!((found.len(), found[1_000].kind, &found[1_000].input), (1_001, MORE, &json!(4_000)));
        found.insert(0, Fault::new("enum", &["query".into()], "Wrong.", &Value::Null));
        let found = bounded(found, MOST_FAULTS);
        assert_eq!((found.len(), found[0].kind, &found[1_000].input), (1_001, "enum", &json!(4_001)));
        assert_eq!(found[1_000].loc, ["body".into()]);
    }

    #[test]
    fn what_is_long_is_not_repeated() {
        for long in [json!("é".repeat(9_999)), json!(vec!["é"; 9_999]), json!({ "é".repeat(9_999): { "a": 1 } })] {
            let name = "n".repeat(9_999);
            let fault = Fault::new("missing", &[name.as_str().into()], "m".repeat(9_999), &long);
            assert!(fault.input.as_str().unwrap().ends_with(CUT));
            assert!(json!(fault).to_string().len() < 3_000, "{fault:?}");
        }
        let short = json!({ "a": [1, "two"] });
        assert_eq!(Fault::new("missing", &["n".into()], "m", &short).input, short);
    }
}
