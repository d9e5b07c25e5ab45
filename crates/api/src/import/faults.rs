use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

/// What is wrong with a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Fault {
    /// Counts the header as 1.
    pub(super) row: u32,
    pub(super) column: Cow<'static, str>,
    pub(super) value: String,
    pub(super) message: Cow<'static, str>,
}

/// All faults of all rows.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    found: Vec<Fault>,
    ignored: Vec<String>,
}

impl Faults {
    /// `message` is a sentence for whoever corrects the cell.
    pub fn add(
        &mut self,
        row: u32,
        column: impl Into<Cow<'static, str>>,
        value: impl Into<String>,
        message: impl Into<Cow<'static, str>>,
    ) {
        self.found.push(Fault { row, column: column.into(), value: value.into(), message: message.into() });
    }

    /// A column turns out to mean nothing: it is passed over, and the answer says so.
    pub fn ignore_column(&mut self, name: impl Into<String>) {
        self.ignored.push(name.into());
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The faults of one row.
    pub fn of_row(&mut self, row: u32) -> RowFaults<'_> {
        RowFaults { row, all: self }
    }

    pub(super) fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// In the order of the rows.
    pub(super) fn into_sorted(mut self) -> Vec<Fault> {
        self.found.sort_by_key(|fault| fault.row);
        self.found
    }
}

pub struct RowFaults<'a> {
    row: u32,
    all: &'a mut Faults,
}

impl RowFaults<'_> {
    pub fn add(
        &mut self,
        column: impl Into<Cow<'static, str>>,
        value: impl Into<String>,
        message: impl Into<Cow<'static, str>>,
    ) {
        self.all.add(self.row, column, value, message);
    }
}
