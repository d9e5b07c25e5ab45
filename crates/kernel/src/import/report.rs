//! Reports the faults of a file: as JSON, or as a sheet for people to correct.

use std::collections::HashMap;

use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use sheet::{Cell, FileKind, Look};

use super::faults::Fault;
use super::table::Table;
use crate::Result;
use crate::error::ApiError;
use crate::export::{Exported, SheetWriter};
use crate::reply::{Answer, Bare};

/// Longer text is cut off: a sheet takes no more.
const CELL_CHARACTERS: usize = 16_000;

/// All faults of all rows.
#[derive(Serialize, JsonSchema)]
pub(super) struct FaultyFile {
    pub(super) status: Status,
    pub(super) filename: String,
    pub(super) rows_total: usize,
    pub(super) rows_valid: usize,
    pub(super) rows_error: usize,
    pub(super) errors: Vec<Fault>,
    pub(super) ignored_columns: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum Status {
    Error,
}

impl FaultyFile {
    pub(super) fn new(filename: String, rows_total: usize, errors: Vec<Fault>, ignored_columns: Vec<String>) -> Self {
        let mut bad: Vec<u32> = errors.iter().map(|fault| fault.row).collect();
        bad.dedup();
        let (rows_error, status) = (bad.len(), Status::Error);
        let rows_valid = rows_total.saturating_sub(rows_error);
        Self { status, filename, rows_total, rows_valid, rows_error, errors, ignored_columns }
    }
}

/// The answer of a dry run that found faults.
pub(super) struct Report {
    rows_valid: usize,
    rows_error: usize,
    body: ReportBody,
}

enum ReportBody {
    Json(FaultyFile),
    Sheet(Exported),
}

impl Report {
    pub(super) fn json(file: FaultyFile) -> Self {
        Self { rows_valid: file.rows_valid, rows_error: file.rows_error, body: ReportBody::Json(file) }
    }

    /// Writes a sheet of all rows with their faults, off the request threads.
    pub(super) async fn sheet(file: FaultyFile, table: Table) -> Result<Self> {
        let (rows_valid, rows_error) = (file.rows_valid, file.rows_error);
        let writing = tokio::task::spawn_blocking(move || write(&file.errors, &table));
        let sheet = writing.await.unwrap_or_else(|_| Err(ApiError::internal("writing a table panicked", None)))?;
        Ok(Self { rows_valid, rows_error, body: ReportBody::Sheet(sheet) })
    }

    pub(super) fn into_response(self, status: StatusCode) -> Result<Response> {
        let mut response = match self.body {
            ReportBody::Json(file) => Bare(file).into_response(status)?,
            ReportBody::Sheet(sheet) => sheet.into_response(status)?,
        };
        let headers = response.headers_mut();
        headers.insert("x-import-status", axum::http::HeaderValue::from_static("error"));
        headers.insert("x-error-count", self.rows_error.into());
        headers.insert("x-valid-count", self.rows_valid.into());
        Ok(response)
    }
}

fn write(faults: &[Fault], table: &Table) -> Result<Exported> {
    let mut by_row: HashMap<u32, Vec<String>> = HashMap::new();
    for fault in faults {
        let column = if fault.column.is_empty() { String::new() } else { format!("{}: ", fault.column) };
        by_row.entry(fault.row).or_default().push(format!("{column}{}", fault.message));
    }
    let mut sheet = SheetWriter::new(FileKind::Xlsx)?;
    sheet.header(table.columns.iter().map(|column| column.name.as_str()).chain(["status", "errors"]))?;
    for row in table.rows() {
        let errors = by_row.get(&row.number()).map(|messages| messages.join("; "));
        let (look, status) = if errors.is_some() { (Look::Bad, "ERROR") } else { (Look::Plain, "OK") };
        let mut cells: Vec<Cell<'_>> = row.cells().map(|text| Cell::text(cut(text))).collect();
        cells.push(Cell::text(status));
        cells.push(Cell::maybe(errors, |errors| Cell::text(cut(&errors).to_owned())));
        sheet.row_of(look, &cells)?;
    }
    sheet.finish("import_errors")
}

fn cut(text: &str) -> &str {
    match text.char_indices().nth(CELL_CHARACTERS) {
        Some((end, _)) if text.len() > CELL_CHARACTERS => &text[..end],
        _ => text,
    }
}
