use super::{Column, MOST_CELL_BYTES, MOST_COLUMNS, MOST_ROWS, MOST_TEXT_BYTES, Rows};
use crate::{Cells, ReadError, unguard};

/// Sits between a format and the receiver of its rows: passes the header first, skips empty rows, and enforces limits.
pub(super) struct Feed<'a, R> {
    rows: &'a mut R,
    columns: Option<usize>,
    count: u32,
    text_bytes: usize,
}

impl<'a, R: Rows> Feed<'a, R> {
    pub(super) fn new(rows: &'a mut R) -> Self {
        Self { rows, columns: None, count: 0, text_bytes: 0 }
    }

    /// The number of columns of the header, once known.
    pub(super) fn columns(&self) -> Option<usize> {
        self.columns
    }

    pub(super) fn record(&mut self, number: u32, cells: &Cells) -> Result<(), R::Error> {
        // Blank ones count as well: a small XLSX can refer to one long blank text in every row.
        self.text_bytes += cells.bytes();
        if self.text_bytes > MOST_TEXT_BYTES {
            return Err(too_much_text().into());
        }
        if cells.is_blank() {
            return Ok(());
        }
        check(number, cells)?;
        if self.columns.is_some() {
            self.count += 1;
            if self.count > MOST_ROWS {
                return Err(ReadError::TooManyRows(MOST_ROWS).into());
            }
            return self.rows.row(number, cells);
        }
        if number != 1 {
            return Err(no_header().into());
        }
        let mut columns: Vec<Column> = cells.iter().map(column).collect();
        while columns.last().is_some_and(|column| column.name.is_empty()) {
            columns.pop();
        }
        self.columns = Some(columns.len());
        self.rows.header(&columns)
    }

    pub(super) fn finish(self) -> Result<(), R::Error> {
        match (self.columns, self.count) {
            (None, _) => Err(no_header().into()),
            (Some(_), 0) => Err(ReadError::NoRows.into()),
            _ => Ok(()),
        }
    }
}

fn check(number: u32, cells: &Cells) -> Result<(), ReadError> {
    if cells.len() > MOST_COLUMNS {
        return Err(too_many_columns(number));
    }
    for cell in cells.iter() {
        if cell.len() > MOST_CELL_BYTES {
            return Err(ReadError::TooLarge(format!("Row {number} has a cell of more than 1 MiB.")));
        }
        if cell.contains('\0') {
            return Err(ReadError::unreadable(format!("Row {number} contains the NUL character.")));
        }
    }
    Ok(())
}

fn column(cell: &str) -> Column {
    let written = unguard(cell.trim());
    Column { name: written.to_lowercase(), written: written.to_owned() }
}

pub(super) fn too_many_columns(number: u32) -> ReadError {
    ReadError::TooLarge(format!("Row {number} has more than {MOST_COLUMNS} cells."))
}

pub(super) fn too_much_text() -> ReadError {
    ReadError::TooLarge("The cells of the file have more than 128 MiB of text.".to_owned())
}

fn no_header() -> ReadError {
    ReadError::unreadable("The first row has to name the columns.")
}
