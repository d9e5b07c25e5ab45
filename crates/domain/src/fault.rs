//! A fault of the input: what is wrong, where, and with which value. A request answers with all of its faults at once.

use serde::Serialize;
use serde_json::Value;

/// One step of the way to the faulty value: a member's name or an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Loc {
    Name(String),
    Index(usize),
}

impl From<&str> for Loc {
    fn from(name: &str) -> Self {
        Loc::Name(name.to_owned())
    }
}

impl From<usize> for Loc {
    fn from(index: usize) -> Self {
        Loc::Index(index)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fault {
    /// Stable name of the kind of fault, such as `missing` or `string_too_long`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub loc: Vec<Loc>,
    pub msg: String,
    pub input: Value,
}

impl Fault {
    pub fn new(kind: &'static str, loc: &[Loc], msg: impl Into<String>, input: &Value) -> Self {
        Self { kind, loc: loc.to_vec(), msg: msg.into(), input: input.clone() }
    }
}

/// Collects faults while walking down a value; the path is kept here so that rules only say what is wrong.
#[derive(Debug, Default)]
pub struct Faults {
    path: Vec<Loc>,
    found: Vec<Fault>,
}

impl Faults {
    pub fn at(root: &str) -> Self {
        Self { path: vec![root.into()], found: Vec::new() }
    }

    pub fn add(&mut self, kind: &'static str, msg: impl Into<String>, input: &Value) {
        self.found.push(Fault::new(kind, &self.path, msg, input));
    }

    /// Runs `check` one step further down.
    pub fn within(&mut self, step: impl Into<Loc>, check: impl FnOnce(&mut Self)) {
        self.path.push(step.into());
        check(self);
        self.path.pop();
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub fn into_vec(self) -> Vec<Fault> {
        self.found
    }
}
