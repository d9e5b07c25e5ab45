//! The rows of a sheet.

use std::io::Read;

use quick_xml::events::BytesStart;

use super::date;
use super::strings::{Strings, TextItem, grow, unescape};
use super::styles::Styles;
use super::xml::{Name, Piece, Xml, damaged, each_attribute};
use crate::read::feed::{Feed, too_many_columns, too_much_text};
use crate::read::{MOST_COLUMNS, MOST_TEXT_BYTES, Rows};
use crate::{Cells, ReadError, number};

pub(super) const MOST_BYTES: u64 = 512 * 1024 * 1024;
/// The maximum number of rows in a sheet, including blank ones.
const LAST_ROW: u32 = 1_048_576;

pub(super) fn read<R: Rows, S: Read>(
    xml: &mut Xml<S>,
    strings: &Strings,
    styles: &Styles,
    feed: &mut Feed<'_, R>,
) -> Result<(), R::Error> {
    let mut row =
        RowReader { strings, styles, number: 0, cells: Cells::default(), open: None, item: TextItem::default() };
    let mut in_data = false;
    loop {
        match xml.next()? {
            Piece::Start(Name::SheetData, _) => in_data = true,
            Piece::End(Name::SheetData) => return Ok(()),
            Piece::Start(Name::Row, start) if in_data => row.begin(&start)?,
            Piece::End(Name::Row) if in_data => feed.record(row.number, &row.cells)?,
            Piece::Start(name, start) if in_data => row.start(name, &start)?,
            Piece::End(name) if in_data => row.end(name, feed.columns())?,
            Piece::Text(text) => row.text(&text)?,
            Piece::Eof if in_data => return Err(damaged("the sheet ends early").into()),
            Piece::Eof => return Err(ReadError::unreadable("The first sheet of the workbook is no table.").into()),
            _ => {}
        }
    }
}

struct RowReader<'a> {
    strings: &'a Strings,
    styles: &'a Styles,
    number: u32,
    cells: Cells,
    open: Option<OpenCell>,
    item: TextItem,
}

/// A cell whose end tag has not come yet.
#[derive(Default)]
struct OpenCell {
    column: usize,
    kind: CellKind,
    style: usize,
    value: String,
    in_value: bool,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum CellKind {
    #[default]
    Number,
    Shared,
    Inline,
    Boolean,
    /// Text, errors and ISO dates, taken literally.
    Plain,
}

impl RowReader<'_> {
    fn begin(&mut self, start: &BytesStart<'_>) -> Result<(), ReadError> {
        let mut number = self.number.saturating_add(1);
        each_attribute(start, |name, value| {
            if name == b"r" {
                number = value.parse().unwrap_or(0);
            }
        })?;
        if number <= self.number {
            return Err(damaged("its rows are out of order"));
        }
        if number > LAST_ROW {
            return Err(ReadError::TooLarge(format!("The sheet has more than {LAST_ROW} rows.")));
        }
        self.number = number;
        self.cells.clear();
        Ok(())
    }

    fn start(&mut self, name: Name, start: &BytesStart<'_>) -> Result<(), ReadError> {
        match (name, &mut self.open) {
            (Name::Cell, _) => {
                self.item.clear();
                self.open = Some(open_cell(start, self.cells.len())?);
            }
            (Name::Value, Some(cell)) => cell.in_value = true,
            (name, Some(_)) => self.item.start(name),
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), ReadError> {
        match &mut self.open {
            Some(cell) if cell.in_value => grow(&mut cell.value, text),
            Some(_) => self.item.add(text),
            None => Ok(()),
        }
    }

    /// `columns` is the width of the header: anything beside the table is not part of it.
    fn end(&mut self, name: Name, columns: Option<usize>) -> Result<(), ReadError> {
        match (name, &mut self.open) {
            (Name::Value, Some(cell)) => cell.in_value = false,
            (Name::Cell, Some(_)) => {
                if let Some(cell) = self.open.take() {
                    return self.close(&cell, columns);
                }
            }
            (name, Some(_)) => self.item.end(name),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, cell: &OpenCell, columns: Option<usize>) -> Result<(), ReadError> {
        if cell.column < self.cells.len() {
            return Err(damaged(format!("the cells of row {} are out of order", self.number)));
        }
        let (shared, computed, item);
        let text = match cell.kind {
            CellKind::Shared => {
                shared = cell.value.trim().parse().ok().and_then(|index| self.strings.get(index));
                shared.ok_or_else(|| damaged(format!("row {} has a text that is not there", self.number)))?
            }
            CellKind::Inline => {
                item = self.item.text();
                &item
            }
            CellKind::Plain => {
                computed = unescape(&cell.value).into_owned();
                &computed
            }
            CellKind::Boolean => match cell.value.trim() {
                "" => "",
                "0" | "false" => "false",
                _ => "true",
            },
            CellKind::Number => {
                computed = self.number_text(cell)?;
                &computed
            }
        };
        if text.is_empty() || columns.is_some_and(|columns| cell.column >= columns) {
            return Ok(());
        }
        if cell.column >= MOST_COLUMNS {
            return Err(too_many_columns(self.number));
        }
        if self.cells.bytes() + text.len() > MOST_TEXT_BYTES {
            return Err(too_much_text());
        }
        self.cells.put(cell.column, text);
        Ok(())
    }

    fn number_text(&self, cell: &OpenCell) -> Result<String, ReadError> {
        let value = cell.value.trim();
        if value.is_empty() {
            return Ok(String::new());
        }
        let number = value.parse::<f64>().ok();
        let shown = number.and_then(|number| match self.styles.is_date(cell.style) {
            true => date::iso(number, self.styles.from_1904).or_else(|| number::decimal(number)),
            false => number::decimal(number),
        });
        shown.ok_or_else(|| damaged(format!("row {} has a number that is none", self.number)))
    }
}

fn open_cell(start: &BytesStart<'_>, next: usize) -> Result<OpenCell, ReadError> {
    let mut cell = OpenCell { column: next, ..OpenCell::default() };
    let mut named = true;
    each_attribute(start, |name, value| match name {
        b"r" => match column(value) {
            Some(column) => cell.column = column,
            None => named = false,
        },
        b"s" => cell.style = value.parse().unwrap_or(0),
        b"t" => {
            cell.kind = match value {
                "s" => CellKind::Shared,
                "inlineStr" => CellKind::Inline,
                "b" => CellKind::Boolean,
                "n" => CellKind::Number,
                _ => CellKind::Plain,
            }
        }
        _ => {}
    })?;
    if named { Ok(cell) } else { Err(damaged("a cell has no place")) }
}

/// The column of `AB12`, counted from 0.
fn column(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_alphabetic);
    let mut column = 0_usize;
    for letter in letters {
        column = column.checked_mul(26)?.checked_add(usize::from(letter.to_ascii_uppercase() - b'A') + 1)?;
    }
    column.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::column;

    #[test]
    fn places_of_cells() {
        assert_eq!(column("A1"), Some(0));
        assert_eq!(column("AB12"), Some(27));
        assert_eq!(column("XFD1048576"), Some(16_383));
        assert_eq!(column("12"), None);
        assert_eq!(column(&"Z".repeat(100)), None);
    }
}
