use std::borrow::Cow;

use domain::fault::shortened;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Result;
use crate::error::ApiError;

/// A fault of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ImportFault")]
pub(super) struct Fault {
    /// Counting the header as row 1.
    pub(super) row: u32,
    pub(super) column: Cow<'static, str>,
    /// What the cell holds; of a long text the beginning.
    pub(super) value: String,
    pub(super) message: Cow<'static, str>,
}

/// More faults than anybody would correct: such a file does not match its header.
const MOST_FAULTS: usize = 1_000_000;

/// So much of a cell is repeated.
const VALUE_BYTES: usize = 256;
/// Likewise for all faults together: their texts, as JSON writes them at worst.
const MOST_BYTES: usize = 128 * 1024 * 1024;
/// What a control character is written as: `\u0001`.
const ESCAPED: usize = 6;

/// All faults of all rows.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    found: Vec<Fault>,
    bytes: usize,
    too_many: bool,
}

impl Faults {
    /// Adds a fault; `message` is a sentence for the person who corrects the cell.
    pub fn add(
        &mut self,
        row: u32,
        column: impl Into<Cow<'static, str>>,
        value: impl AsRef<str>,
        message: impl Into<Cow<'static, str>>,
    ) {
        let value = shortened(value.as_ref(), VALUE_BYTES);
        let fault = Fault { row, column: column.into(), value, message: message.into() };
        let controls = fault.value.bytes().filter(u8::is_ascii_control).count();
        self.bytes += fault.column.len() + fault.value.len() + controls * ESCAPED + fault.message.len();
        self.too_many |= self.found.len() == MOST_FAULTS || self.bytes > MOST_BYTES;
        if !self.too_many {
            self.found.push(fault);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The faults of one row.
    pub fn of_row(&mut self, row: u32) -> RowFaults<'_> {
        RowFaults { row, all: self }
    }

    /// In the order of the rows.
    pub(super) fn into_sorted(mut self) -> Result<Vec<Fault>> {
        if self.too_many {
            return Err(ApiError::too_much("The file has more faults than an answer can tell."));
        }
        self.found.sort_by_key(|fault| fault.row);
        Ok(self.found)
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
        value: impl AsRef<str>,
        message: impl Into<Cow<'static, str>>,
    ) {
        self.all.add(self.row, column, value, message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_sorted_by_row_and_have_an_end() {
        let mut faults = Faults::default();
        for row in [3, 2, 3] {
            faults.of_row(row).add("code", "", "It is empty.");
        }
        let rows: Vec<u32> = faults.clone().into_sorted().unwrap().iter().map(|fault| fault.row).collect();
        assert_eq!(rows, [2, 3, 3]);
        for _ in 3..MOST_FAULTS {
            faults.add(4, "code", "", "It is empty.");
        }
        assert!(faults.clone().into_sorted().is_ok());
        faults.add(4, "code", "", "It is empty.");
        assert!(faults.into_sorted().is_err());
    }

    #[test]
    fn long_cells_are_repeated_in_part() {
        let mut faults = Faults::default();
        let cell = format!("x{}", "\u{1}".repeat(100_000));
        while !faults.too_many {
            faults.add(2, "code", cell.as_str(), "It is too long.");
        }
        assert!(faults.found.iter().all(|fault| fault.value.len() < 300 && fault.value.starts_with('x')));
        let written = serde_json::to_string(&faults.found[..1_000]).unwrap().len();
        assert!(written * faults.found.len() / 1_000 < 2 * MOST_BYTES);
    }
}
