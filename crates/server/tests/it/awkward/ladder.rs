//! Finds the most awkward body that an operation takes: every member begins with the worst that its schema allows, and steps
//! down whenever the answer names it as a fault.

use std::sync::atomic::{AtomicU32, Ordering};

use testkit::{Answer, Value, json};

/// The most levels that a body may have.
const DEEPEST: usize = 64;
/// What a text without a limit of its own is filled up to.
const LONG: usize = 4_000;

const ODD: &str = "😀e\u{301}\u{2028}\u{FEFF}\"\\/'%_*?{}$1;--<b>\u{1}\t=1+1\u{FFFF}\u{10FFFF}ŉﬃİß\u{202E}";
const PRINTABLE: &str = "😀é\"\\/'%_*?{}$1;--<b>=1+1ŉﬃİß";

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Name(String),
    Index(usize),
}

/// A member of a body, and what is tried there, the worst first.
#[derive(Debug)]
struct Member {
    path: Vec<Step>,
    rungs: Vec<Value>,
    rung: usize,
    free: bool,
}

impl Member {
    fn value(&self) -> Option<&Value> {
        self.rungs.get(self.rung)
    }

    /// How seldom a rule looks at such a value.
    fn innocence(&self) -> u8 {
        match self.value() {
            // One of a few choices.
            _ if self.rungs.len() == 1 => 0,
            Some(Value::String(_)) => 3,
            Some(Value::Object(_)) => 2,
            _ => 1,
        }
    }

    fn is_below(&self, path: &[Step]) -> bool {
        self.path.starts_with(path)
    }
}

/// The members of a body of an operation that would succeed as it is.
pub(super) struct Ladder<'a> {
    document: &'a Value,
    base: Value,
    members: Vec<Member>,
}

impl<'a> Ladder<'a> {
    pub(super) fn new(document: &'a Value, schema: &Value, base: Value) -> Self {
        let mut ladder = Self { document, base: base.clone(), members: Vec::new() };
        ladder.gather(schema, Some(&base), &mut Vec::new());
        ladder
    }

    pub(super) fn body(&self) -> Value {
        let mut body = self.base.clone();
        for member in &self.members {
            if let Some(value) = member.value() {
                put(&mut body, &member.path, value.clone());
            }
        }
        body
    }

    /// How many members have the worst that there is for them, and how many free ones have the deepest.
    pub(super) fn worst(&self) -> (usize, usize) {
        let worst = self.members.iter().filter(|member| member.rung == 0);
        (worst.clone().count(), worst.filter(|member| member.free).count())
    }

    /// Whether there is anything left to step down from after this refusal.
    pub(super) fn step_down(&mut self, refusal: &Answer) -> bool {
        match refusal.body["detail"].as_array() {
            Some(faults) => {
                let stepped = faults.iter().filter(|fault| self.step_down_at(&place(&fault["loc"]))).count();
                stepped > 0 || self.give_up(&[])
            }
            // A rule refuses it and does not say where.
            None => {
                let standing = self.members.iter_mut().filter(|member| member.value().is_some());
                let suspect = standing.min_by_key(|member| member.innocence());
                suspect.map(|member| member.rung += 1).is_some()
            }
        }
    }

    fn step_down_at(&mut self, place: &[Step]) -> bool {
        if let Some(member) = self.members.iter_mut().find(|member| place.starts_with(&member.path)) {
            let stepped = member.value().is_some();
            member.rung += 1;
            return stepped;
        }
        // Something around the members is wrong, such as a neighbour that is missing.
        (1..place.len()).rev().any(|length| self.give_up(&place[..length]))
    }

    fn give_up(&mut self, path: &[Step]) -> bool {
        let below = self.members.iter_mut().filter(|member| member.is_below(path) && member.value().is_some());
        below.map(|member| member.rung = member.rungs.len()).count() > 0
    }

    fn resolve(&self, schema: &Value) -> Value {
        match schema["$ref"].as_str() {
            Some(name) => self.document.pointer(name.trim_start_matches('#')).expect("a schema").clone(),
            None => schema.clone(),
        }
    }

    fn gather(&mut self, schema: &Value, base: Option<&Value>, path: &mut Vec<Step>) {
        let schema = self.resolve(schema);
        if schema["readOnly"] == true || schema.get("const").is_some() {
            return;
        }
        for choice in ["oneOf", "anyOf"] {
            let fits = |variant: &&Value| {
                let variant = self.resolve(variant);
                let named = &variant["properties"]["event_type"]["const"];
                variant["type"] != "null" && (named.is_null() || base.is_some_and(|base| base["event_type"] == *named))
            };
            let variants = schema[choice].as_array();
            if let Some(variant) = variants.and_then(|variants| variants.iter().find(fits)).cloned() {
                return self.gather(&variant, base, path);
            }
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds[0].clone(),
            kind => kind.clone(),
        };
        let properties = schema["properties"].as_object().cloned();
        match (kind.as_str(), properties) {
            (_, Some(properties)) => {
                for (name, schema) in properties {
                    path.push(Step::Name(name.clone()));
                    let base = base.and_then(|base| base.get(&name));
                    self.gather(&schema, base, path);
                    path.pop();
                }
            }
            (Some("array"), _) if schema["items"] != true => {
                path.push(Step::Index(0));
                self.gather(&schema["items"], base.and_then(|base| base.get(0)), path);
                path.pop();
            }
            _ => {
                let (rungs, free) = rungs(&schema, kind.as_str(), base, path.len());
                if !rungs.is_empty() && !path.is_empty() {
                    self.members.push(Member { path: path.clone(), rungs, rung: 0, free });
                } else if path.is_empty() && kind == "object" {
                    // All of the body is free.
                    let member = vec![Step::Name("awkward".to_owned())];
                    self.members.push(Member { path: member, rungs: free_values(1), rung: 0, free: true });
                }
            }
        }
    }
}

/// What to try for a member, the worst first, and whether it may be anything.
fn rungs(schema: &Value, kind: Option<&str>, base: Option<&Value>, level: usize) -> (Vec<Value>, bool) {
    if let Some(choices) = schema["enum"].as_array() {
        let unless_given = choices.iter().filter(|choice| base.is_none() && !choice.is_null());
        return (unless_given.take(1).cloned().collect(), false);
    }
    let rungs = match kind {
        Some("string") => texts(schema),
        Some("number" | "integer") => numbers(schema, kind == Some("integer")),
        Some("boolean") if base.is_none() => vec![json!(true)],
        Some("boolean") => Vec::new(),
        Some("array") => vec![json!([deep(level + 1)]), json!([])],
        _ => {
            let as_given = base.filter(|base| base.is_string()).map(|_| texts(schema));
            return (free_values(level).into_iter().chain(as_given.into_iter().flatten()).collect(), true);
        }
    };
    (rungs, false)
}

fn texts(schema: &Value) -> Vec<Value> {
    let is_name = schema["format"] == "trimmed";
    let patterned = schema.get("pattern").is_some() || schema.get("format").is_some();
    if patterned && !is_name {
        return Vec::new();
    }
    let most = schema["maxLength"].as_u64().map_or(LONG, |most| most as usize);
    let filled = |with: &str| {
        let mut text: String = with.chars().cycle().take(most.max(1)).collect();
        if is_name {
            // Names are trimmed, and some must differ from all others.
            text = format!("{}{}z", next_letter(), text.chars().skip(2).collect::<String>());
        }
        Value::from(text)
    };
    vec![filled(ODD), filled(PRINTABLE), filled("ñ"), json!("Zz9")]
}

/// A letter that was not used before.
fn next_letter() -> char {
    static USED: AtomicU32 = AtomicU32::new(0x4E00);
    char::from_u32(USED.fetch_add(1, Ordering::Relaxed)).expect("one of many thousands")
}

fn numbers(schema: &Value, whole: bool) -> Vec<Value> {
    let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    if whole {
        let most = schema.get("maximum").cloned().unwrap_or(json!(i64::MAX));
        return vec![most, json!(1)];
    }
    vec![number("999999999999.999999"), number("0.000001"), number("1E+0")]
}

fn free_values(level: usize) -> Vec<Value> {
    let wrapped = |levels| json!({ "in an object": deep(levels - 1) });
    vec![wrapped(DEEPEST - level), wrapped(8), json!({})]
}

/// A value of so many levels, with everything at its bottom that JSON can hold.
fn deep(levels: usize) -> Value {
    let numbers =
        "[1e308, -0.0, 5e-324, 1E400, 12345678901234567890123456789.123456789, 1e-999999, 1e999999999999999999999]";
    let numbers: Value = serde_json::from_str(numbers).unwrap();
    let mut value = json!({
        "": null, "__proto__": {}, "_key": ODD, "$ref": "#/", "a.b[0]": [], "numbers": numbers,
        ODD: ODD, "é": 1, "e\u{301}": 2, "NUL as text": "\\u0000",
    });
    // The value has two levels of its own.
    for level in 2..levels {
        value = if level % 2 == 0 { json!([value]) } else { json!({ "\u{1F4A3}": value }) };
    }
    value
}

fn put(into: &mut Value, path: &[Step], value: Value) {
    let place = path.iter().fold(into, |place, step| match step {
        Step::Name(name) => {
            if !place.is_object() {
                *place = json!({});
            }
            place.as_object_mut().expect("an object").entry(name.clone()).or_insert(Value::Null)
        }
        Step::Index(index) => {
            if !place.is_array() {
                *place = json!([]);
            }
            let values = place.as_array_mut().expect("a list");
            while values.len() <= *index {
                values.push(Value::Null);
            }
            &mut values[*index]
        }
    });
    *place = value;
}

/// Where a fault lies in the body.
fn place(loc: &Value) -> Vec<Step> {
    let steps = loc.as_array().expect("a path").iter().skip(1);
    let step = |step: &Value| match step.as_u64() {
        Some(index) => Step::Index(index as usize),
        None => Step::Name(step.as_str().expect("a name").to_owned()),
    };
    steps.map(step).collect()
}
