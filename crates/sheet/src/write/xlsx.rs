//! A workbook with one sheet, written as a stream: no row is kept in memory.

use std::fmt::Write as _;
use std::io::Write;

use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::{Cell, Look};
use crate::{WriteError, guard, number};

const MOST_ROWS: u32 = 1_048_576;
const MOST_COLUMNS: usize = 16_384;
/// In UTF-16 units, as spreadsheets count.
const MOST_CELL_UNITS: usize = 32_767;

const CONTENT_TYPES: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>"#;
const PACKAGE_RELATIONS: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const WORKBOOK: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
const WORKBOOK_RELATIONS: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
/// Cell formats are numbered in the order they appear here: see [`format()`]. 49 is text, which a spreadsheet leaves alone
/// when somebody edits a cell.
const STYLES: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font><font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFFFC7CE"/><bgColor indexed="64"/></patternFill></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/><xf numFmtId="0" fontId="0" fillId="2" borderId="0" xfId="0" applyFill="1"/><xf numFmtId="49" fontId="0" fillId="2" borderId="0" xfId="0" applyNumberFormat="1" applyFill="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>"#;
/// Freezes the header.
const SHEET_BEGIN: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>"#;
const SHEET_END: &str = "</sheetData></worksheet>";

pub(super) struct Xlsx<W: Write> {
    zip: ZipWriter<StreamWriter<W>>,
    row: u32,
    line: String,
}

impl<W: Write> Xlsx<W> {
    pub(super) fn new(to: W) -> Result<Self, WriteError> {
        let mut zip = ZipWriter::new_stream(to);
        for (path, text) in [
            ("[Content_Types].xml", CONTENT_TYPES),
            ("_rels/.rels", PACKAGE_RELATIONS),
            ("xl/workbook.xml", WORKBOOK),
            ("xl/_rels/workbook.xml.rels", WORKBOOK_RELATIONS),
            ("xl/styles.xml", STYLES),
            ("xl/worksheets/sheet1.xml", SHEET_BEGIN),
        ] {
            zip.start_file(path, options()).map_err(std::io::Error::from)?;
            zip.write_all(text.as_bytes())?;
        }
        Ok(Self { zip, row: 0, line: String::new() })
    }

    pub(super) fn row(&mut self, look: Look, cells: &[Cell<'_>]) -> Result<(), WriteError> {
        self.row += 1;
        if self.row > MOST_ROWS || cells.len() > MOST_COLUMNS {
            return Err(WriteError::LargeSheet);
        }
        self.line.clear();
        let _ = write!(self.line, "<row r=\"{}\">", self.row);
        for (column, cell) in cells.iter().enumerate() {
            self.cell(look, column, cell)?;
        }
        self.line.push_str("</row>");
        Ok(self.zip.write_all(self.line.as_bytes())?)
    }

    fn cell(&mut self, look: Look, column: usize, cell: &Cell<'_>) -> Result<(), WriteError> {
        let plain = match cell {
            Cell::Number(number) if number::survives(number) => Some(("n", number.as_str())),
            Cell::Boolean(flag) => Some(("b", if *flag { "1" } else { "0" })),
            // An empty cell is written only to be coloured.
            Cell::Empty if look == Look::Bad => Some(("n", "")),
            Cell::Empty => return Ok(()),
            Cell::Text(_) | Cell::Number(_) => None,
        };
        let format = format(look, plain.is_none());
        self.line.push_str("<c r=\"");
        add_column(column, &mut self.line);
        let _ = write!(self.line, "{}\" s=\"{format}\"", self.row);
        match (plain, cell) {
            (Some((_, "")), _) => self.line.push_str("/>"),
            (Some((kind, value)), _) => {
                let _ = write!(self.line, " t=\"{kind}\"><v>{value}</v></c>");
            }
            (None, Cell::Text(text)) => self.add_text(&guard(text))?,
            (None, Cell::Number(number)) => self.add_text(number)?,
            (None, Cell::Empty | Cell::Boolean(_)) => {}
        }
        Ok(())
    }

    fn add_text(&mut self, text: &str) -> Result<(), WriteError> {
        if text.len() > MOST_CELL_UNITS && text.encode_utf16().count() > MOST_CELL_UNITS {
            return Err(WriteError::LongCell { row: self.row });
        }
        self.line.push_str(" t=\"inlineStr\"><is><t xml:space=\"preserve\">");
        add_escaped(text, &mut self.line);
        self.line.push_str("</t></is></c>");
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<W, WriteError> {
        self.zip.write_all(SHEET_END.as_bytes())?;
        Ok(self.zip.finish().map_err(std::io::Error::from)?.into_inner())
    }
}

/// Speed before size: sheets compress well anyway. No timestamp goes into a file.
fn options() -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(1))
        .last_modified_time(DateTime::default())
}

/// The number of the format in [`STYLES`].
fn format(look: Look, text: bool) -> u8 {
    match (look, text) {
        (Look::Plain, false) => 0,
        (Look::Plain, true) => 1,
        (Look::Header, _) => 2,
        (Look::Bad, false) => 3,
        (Look::Bad, true) => 4,
    }
}

fn add_column(column: usize, line: &mut String) {
    if column >= 26 {
        add_column(column / 26 - 1, line);
    }
    line.push(char::from(b'A' + (column % 26) as u8));
}

/// XML can't hold some characters at all; spreadsheets escape those as `_xHHHH_`, and also any text that looks like such an
/// escape.
fn add_escaped(text: &str, line: &mut String) {
    for (at, character) in text.char_indices() {
        match character {
            '&' => line.push_str("&amp;"),
            '<' => line.push_str("&lt;"),
            '>' => line.push_str("&gt;"),
            '_' if begins_like_escaped(&text[at..]) => line.push_str("_x005F_"),
            '\t' | '\n' => line.push(character),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(line, "_x{:04X}_", character as u32);
            }
            character => line.push(character),
        }
    }
}

/// The underscore that completes it may come from the escape of what follows.
fn begins_like_escaped(text: &str) -> bool {
    let digits = text.strip_prefix("_x").and_then(|rest| rest.as_bytes().get(..4));
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use super::{add_column, add_escaped};

    #[test]
    fn what_is_spelled_makes_no_spelling_of_what_stands_before() {
        let mut line = String::new();
        add_escaped("_x0DDD\u{1}_x41", &mut line);
        assert_eq!(line, "_x005F_x0DDD_x0001__x41");
    }

    #[test]
    fn names_of_columns() {
        let named = |column| {
            let mut name = String::new();
            add_column(column, &mut name);
            name
        };
        assert_eq!([0, 25, 26, 27, 701, 702, 16_383].map(named), ["A", "Z", "AA", "AB", "ZZ", "AAA", "XFD"]);
    }
}
