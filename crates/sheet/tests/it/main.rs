//! Tables as files: what is written is read back, files of other programs are understood, and hostile ones are refused.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on has failed")]

mod csv_files;
mod hostile;
mod round_trip;
mod workbooks;

use std::io::{Cursor, Write};

use sheet::{Cells, Column, FileKind, ReadError, Rows};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// All of a table.
#[derive(Debug, Default, PartialEq, Eq)]
struct Table {
    columns: Vec<String>,
    rows: Vec<(u32, Vec<String>)>,
}

impl Rows for Table {
    type Error = ReadError;

    fn header(&mut self, columns: &[Column]) -> Result<(), ReadError> {
        self.columns = columns.iter().map(|column| column.name.clone()).collect();
        Ok(())
    }

    fn row(&mut self, number: u32, cells: &Cells) -> Result<(), ReadError> {
        self.rows.push((number, cells.iter().map(str::to_owned).collect()));
        Ok(())
    }
}

fn read(kind: FileKind, file: &[u8]) -> Result<Table, ReadError> {
    let mut table = Table::default();
    sheet::read(kind, file, &mut table).map(|()| table)
}

fn read_csv(text: &str) -> Result<Table, ReadError> {
    read(FileKind::Csv, text.as_bytes())
}

/// Rows as people write them down: `number: cell|cell`.
fn shown(table: &Table) -> Vec<String> {
    table.rows.iter().map(|(number, cells)| format!("{number}: {}", cells.join("|"))).collect()
}

fn why(read: Result<Table, ReadError>) -> String {
    match read.unwrap_err() {
        ReadError::Unreadable(why) => format!("unreadable: {why}"),
        ReadError::TooLarge(why) => format!("too large: {why}"),
        other => other.to_string(),
    }
}

/// An archive of these parts.
fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, text) in parts {
        zip.start_file(*path, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const WORKBOOK: &str = r#"<workbook xmlns:r="x"><sheets><sheet name="A" sheetId="7" r:id="rId3"/><sheet name="B" sheetId="8" r:id="rId1"/></sheets></workbook>"#;
const RELATIONS: &str = r#"<Relationships>
    <Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/>
    <Relationship Id="rId3" Type="http://x/worksheet" Target="/xl/worksheets/first.xml"/>
    <Relationship Id="rId4" Type="http://x/sharedStrings" Target="sharedStrings.xml"/>
    <Relationship Id="rId5" Type="http://x/styles" Target="styles.xml"/></Relationships>"#;

/// A workbook whose first sheet has these rows, as other programs would write it.
fn workbook(rows: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let sheet = format!("<worksheet><dimension ref=\"A1:Z9\"/><sheetData>{rows}</sheetData><pageMargins/></worksheet>");
    let mut parts = vec![
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", RELATIONS),
        ("xl/worksheets/first.xml", sheet.as_str()),
    ];
    parts.extend(more);
    zipped(&parts)
}

fn read_rows(rows: &str, more: &[(&str, &str)]) -> Result<Table, ReadError> {
    read(FileKind::Xlsx, &workbook(rows, more))
}
