//! The cells of a file's understood columns, stored compactly: a file may have millions of them.

use std::collections::HashMap;

use domain::text::is_blank;
use domain::{ErrorData, Quantity};
use sheet::{Cells, Column, FileKind, ReadError, unguard};

use super::{Columns, RowFaults, quantity, yes_or_no};
use crate::Result;
use crate::error::ApiError;

const MOST_CELLS: usize = 20_000_000;

/// A column the import understands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// For a column with a prefix, the rest of the name has the case of the file.
    pub name: String,
    /// The prefix of an open-ended name.
    pub prefix: Option<&'static str>,
}

#[derive(Default)]
pub(super) struct Table {
    pub(super) columns: Vec<Heading>,
    pub(super) ignored: Vec<String>,
    /// Rows with more cells than the header, each with its first extra cell.
    pub(super) overlong: Vec<(u32, String)>,
    places: HashMap<String, usize>,
    numbers: Vec<u32>,
    text: String,
    ends: Vec<u32>,
}

/// One row of a file.
pub struct Row<'a> {
    table: &'a Table,
    index: usize,
}

impl Table {
    pub(super) fn read(columns: Columns, kind: FileKind, file: &[u8]) -> Result<Self> {
        let mut reading = Reading { known: columns, table: Table::default(), sources: Vec::new(), width: 0 };
        sheet::read(kind, file, &mut reading)?;
        Ok(reading.table)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.numbers.len()).map(|index| Row { table: self, index })
    }
}

impl<'a> Row<'a> {
    /// The row's number as a spreadsheet counts: the header is 1.
    pub fn number(&self) -> u32 {
        self.table.numbers[self.index]
    }

    /// The text of a cell; empty if the file has no such column.
    pub fn get(&self, column: &str) -> &'a str {
        self.table.places.get(column).map_or("", |column| self.cell(*column))
    }

    /// The code in a cell, without spaces around it; empty if nothing of it can be seen.
    pub fn code(&self, column: &str) -> &'a str {
        let code = self.get(column).trim();
        if is_blank(code) { "" } else { code }
    }

    /// The columns with this prefix: the rest of the name, and the cell.
    pub fn prefixed(&self, prefix: &'static str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let columns = self.table.columns.iter().enumerate();
        let (table, index) = (self.table, self.index);
        columns.filter(move |(_, column)| column.prefix == Some(prefix)).map(move |(place, column)| {
            let rest = column.name.get(prefix.len()..).unwrap_or_default();
            (rest, Row { table, index }.cell(place))
        })
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &'a str> {
        let (table, index) = (self.table, self.index);
        (0..table.columns.len()).map(move |column| Row { table, index }.cell(column))
    }

    fn cell(&self, column: usize) -> &'a str {
        let at = self.index * self.table.columns.len() + column;
        let start = at.checked_sub(1).map_or(0, |before| self.table.ends[before] as usize);
        &self.table.text[start..self.table.ends[at] as usize]
    }

    /// Reads a boolean; `None` if the cell is empty or faulty.
    pub fn boolean(&self, column: &'static str, faults: &mut RowFaults<'_>) -> Option<bool> {
        self.read(column, faults, yes_or_no)
    }

    /// Reads an exact decimal; `None` if the cell is empty or faulty.
    pub fn quantity(&self, column: &'static str, faults: &mut RowFaults<'_>) -> Option<Quantity> {
        self.read(column, faults, quantity)
    }

    fn read<T>(
        &self,
        column: &'static str,
        faults: &mut RowFaults<'_>,
        read: fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = self.get(column);
        if text.trim().is_empty() {
            return None;
        }
        read(text).map_err(|why| faults.add(column, text, why)).ok()
    }
}

/// Picks the understood columns while the file is read.
struct Reading {
    known: Columns,
    table: Table,
    /// The columns' positions in the file.
    sources: Vec<usize>,
    /// The number of columns of the header.
    width: usize,
}

impl sheet::Rows for Reading {
    type Error = ApiError;

    fn header(&mut self, columns: &[Column]) -> Result<()> {
        self.width = columns.len();
        for (source, column) in columns.iter().enumerate().filter(|(_, column)| !column.name.is_empty()) {
            let Some(heading) = heading(&self.known, column) else {
                self.table.ignored.push(column.written.clone());
                continue;
            };
            let place = self.table.columns.len();
            if self.table.places.insert(heading.name.clone(), place).is_some() {
                return Err(ApiError::bad_request(&format!("The header has the column {} twice.", heading.name)));
            }
            self.table.columns.push(heading);
            self.sources.push(source);
        }
        let required = self.known.required.iter();
        let missing = required.filter(|name| !self.table.places.contains_key(**name));
        let missing: Vec<String> = missing.map(|name| (*name).to_owned()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let data = ErrorData { missing_columns: Some(missing), ..ErrorData::default() };
        Err(ApiError::bad_request_with("The file lacks columns that are required.", &data))
    }

    fn row(&mut self, number: u32, cells: &Cells) -> Result<()> {
        let table = &mut self.table;
        table.numbers.push(number);
        if table.ends.len() + self.sources.len() > MOST_CELLS {
            return Err(ApiError::too_much(&format!("The file has more than {MOST_CELLS} cells.")));
        }
        for source in &self.sources {
            table.text.push_str(unguard(cells.get(*source)));
            let end = u32::try_from(table.text.len());
            table.ends.push(end.map_err(|_| ApiError::too_much("The file has too much text."))?);
        }
        if let Some(beyond) = cells.iter().skip(self.width).find(|cell| !cell.is_empty()) {
            table.overlong.push((number, beyond.to_owned()));
        }
        Ok(())
    }
}

fn heading(known: &Columns, column: &Column) -> Option<Heading> {
    if known.required.iter().chain(known.optional).any(|name| *name == column.name) {
        return Some(Heading { name: column.name.clone(), prefix: None });
    }
    let prefix = known.prefixes.iter().find(|prefix| column.name.starts_with(**prefix))?;
    let rest = column.written.get(prefix.len()..).map_or("", str::trim_start);
    (!rest.is_empty()).then(|| Heading { name: format!("{prefix}{rest}"), prefix: Some(prefix) })
}

impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Unreadable(_) | ReadError::NoRows => ApiError::bad_request(&error.to_string()),
            ReadError::TooManyRows(_) | ReadError::TooLarge(_) => ApiError::too_much(&error.to_string()),
        }
    }
}
