mod csv;
mod xlsx;

use std::borrow::Cow;
use std::io::Write;

use crate::{FileKind, WriteError};
use xlsx::Xlsx;

/// The content of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell<'a> {
    Empty,
    /// Guarded if a spreadsheet would treat it as a formula.
    Text(Cow<'a, str>),
    /// A decimal without exponent. If it has more digits than a spreadsheet keeps, it becomes text.
    Number(String),
    Boolean(bool),
}

impl<'a> Cell<'a> {
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Cell::Text(text.into())
    }

    pub fn number(number: impl std::fmt::Display) -> Self {
        Cell::Number(number.to_string())
    }

    /// The value's cell, or an empty one.
    pub fn maybe<T>(value: Option<T>, cell: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Cell::Empty, cell)
    }
}

/// The look of a row in a spreadsheet; CSV has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Plain,
    Header,
    /// Coloured, so that people find what is wrong.
    Bad,
}

/// Writes a table row by row.
pub struct Writer<W: Write>(Target<W>);

enum Target<W: Write> {
    Csv(W),
    Xlsx(Box<Xlsx<W>>),
}

impl<W: Write> Writer<W> {
    pub fn new(kind: FileKind, to: W) -> Result<Self, WriteError> {
        Ok(Self(match kind {
            FileKind::Csv => Target::Csv(to),
            FileKind::Xlsx => Target::Xlsx(Box::new(Xlsx::new(to)?)),
        }))
    }

    /// The names of the columns.
    pub fn header<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) -> Result<(), WriteError> {
        let cells: Vec<Cell<'_>> = names.into_iter().map(Cell::text).collect();
        self.row(Look::Header, &cells)
    }

    pub fn row(&mut self, look: Look, cells: &[Cell<'_>]) -> Result<(), WriteError> {
        match &mut self.0 {
            Target::Csv(to) => csv::row(to, cells),
            Target::Xlsx(xlsx) => xlsx.row(look, cells),
        }
    }

    /// Writes what follows the last row, and returns the underlying writer.
    pub fn finish(self) -> Result<W, WriteError> {
        match self.0 {
            Target::Csv(to) => Ok(to),
            Target::Xlsx(xlsx) => xlsx.finish(),
        }
    }
}
