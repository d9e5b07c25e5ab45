//! Exports: tables written row by row from one snapshot, as fast as the database yields them, and then sent as fast as the
//! client reads. A table that doesn't fit into a little memory goes to a temporary file. So neither a large table nor a slow
//! client costs others anything, and a failure is an ordinary error.

use std::io::{ErrorKind, Seek};

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use sheet::{Cell, FileKind, Look, WriteError, Writer};
use store::Tx;
use tokio::sync::Semaphore;

use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::reply::{Answer, JSON, Listed, RowWriter, add_total, bytes_schema, json_response};
use crate::temporary::{TempFile, file};

/// What an area exports.
pub trait Exporter: Send + 'static {
    /// The name of the file, without its extension.
    const NAME: &'static str;

    /// The names of the columns.
    fn columns(&self, tx: &mut Tx) -> impl Future<Output = Result<Vec<String>>>;

    /// Writes all rows, in the order of the columns.
    fn rows(&self, tx: &mut Tx, sheet: &mut SheetWriter) -> impl Future<Output = Result<()>>;
}

/// The file format of an export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ExportFormat")]
pub enum Format {
    #[default]
    Csv,
    Xlsx,
    /// Only the header of the CSV, to be filled in.
    Template,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct ExportQuery {
    #[serde(default)]
    pub format: Format,
}

/// The engine sorts what is exported in memory that no request is charged for: of 50,000 positions it takes 28 MB.
static AT_ONCE: Semaphore = Semaphore::const_new(4);

/// Exports everything from one snapshot, when it is its turn.
pub async fn run<E: Exporter>(cx: &Cx, exporter: E, format: Format) -> Result<Exported> {
    let kind = if format == Format::Xlsx { FileKind::Xlsx } else { FileKind::Csv };
    let _turn = AT_ONCE.acquire().await;
    let written = cx.read_apart(async move |tx: &mut Tx| {
        let columns = exporter.columns(tx).await?;
        let mut sheet = SheetWriter::new(kind)?;
        sheet.header(columns.iter().map(String::as_str))?;
        if format != Format::Template {
            exporter.rows(tx, &mut sheet).await?;
        }
        sheet.finish(E::NAME)
    });
    written.await
}

/// Receives the rows of a table.
pub struct SheetWriter {
    kind: FileKind,
    writer: Writer<TempFile>,
}

impl SheetWriter {
    pub fn new(kind: FileKind) -> Result<Self> {
        let writer = Writer::new(kind, file()).map_err(refusal)?;
        Ok(Self { kind, writer })
    }

    pub fn header<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) -> Result<()> {
        self.writer.header(names).map_err(refusal)
    }

    pub fn row(&mut self, cells: &[Cell<'_>]) -> Result<()> {
        self.row_of(Look::Plain, cells)
    }

    pub(crate) fn row_of(&mut self, look: Look, cells: &[Cell<'_>]) -> Result<()> {
        self.writer.row(look, cells).map_err(refusal)
    }

    /// `name` is that of the file, without its extension.
    pub fn finish(self, name: &'static str) -> Result<Exported> {
        let mut file = self.writer.finish().map_err(refusal)?;
        let size = file.stream_position().map_err(broken)?;
        file.rewind().map_err(broken)?;
        Ok(Exported { kind: self.kind, name, size, file })
    }
}

fn refusal(error: WriteError) -> ApiError {
    match error {
        WriteError::LongCell { .. } | WriteError::LargeSheet => ApiError::bad_request(&error.to_string()),
        WriteError::Io(error) => broken(error),
    }
}

fn broken(error: std::io::Error) -> ApiError {
    if error.kind() == ErrorKind::QuotaExceeded {
        return ApiError::busy();
    }
    ApiError::internal(&format!("writing a table: {error}"), None)
}

const CSV: &str = "text/csv";

/// Whether the client asks for CSV rather than for JSON.
pub fn wants_table(cx: &Cx) -> bool {
    cx.request.prefers(CSV, JSON)
}

/// A row of a list that can be read as a table.
pub trait TableRow {
    /// In the order of the columns.
    fn cells(&self) -> Vec<Cell<'_>>;
}

/// A page of a list or, for clients that ask for CSV and not for JSON, the same rows as a table.
pub enum ListOrTable<T> {
    List(Listed<T>),
    /// With the total number of rows, if requested.
    Written(RowWriter, Option<i64>),
    Table(Exported, Option<i64>),
}

impl<T: TableRow> ListOrTable<T> {
    /// `name` is that of the file, without its extension.
    pub fn new(cx: &Cx, name: &'static str, columns: &[&str], listed: Listed<T>) -> Result<Self> {
        if !wants_table(cx) {
            return Ok(Self::List(listed));
        }
        let mut sheet = SheetWriter::new(FileKind::Csv)?;
        sheet.header(columns.iter().copied())?;
        for row in &listed.rows {
            sheet.row(&row.cells())?;
        }
        Ok(Self::Table(sheet.finish(name)?, listed.total))
    }
}

impl<T: Serialize + JsonSchema + Send + 'static> Answer for ListOrTable<T> {
    const MEDIA_TYPES: &'static [&'static str] = &[JSON, CSV];
    const COUNTS: bool = true;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Listed::<T>::schema(generator)
    }

    fn body(&self, status: StatusCode) -> Result<String> {
        match self {
            Self::List(listed) => listed.body(status),
            Self::Written(..) => Err(ApiError::internal("rows that are written are only sent", None)),
            Self::Table(exported, _) => exported.body(status),
        }
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        match self {
            Self::List(listed) => listed.add_headers(headers),
            Self::Written(_, total) | Self::Table(_, total) => add_total(*total, headers),
        }
    }

    fn into_response(self, status: StatusCode) -> Result<Response> {
        let mut response = match self {
            Self::List(listed) => listed.into_response(status)?,
            Self::Written(rows, total) => {
                let mut response = json_response(status, rows.finish());
                add_total(total, response.headers_mut());
                response
            }
            Self::Table(exported, total) => {
                let mut response = exported.into_response(status)?;
                add_total(total, response.headers_mut());
                response
            }
        };
        response.headers_mut().append(header::VARY, HeaderValue::from_static("accept"));
        Ok(response)
    }
}

/// A table as a file.
pub struct Exported {
    kind: FileKind,
    name: &'static str,
    size: u64,
    file: TempFile,
}

impl Answer for Exported {
    const MEDIA_TYPES: &'static [&'static str] = &[CSV, sheet::XLSX];

    fn schema(_: &mut SchemaGenerator) -> Schema {
        bytes_schema()
    }

    fn body(&self, _: StatusCode) -> Result<String> {
        Err(ApiError::internal("a table is no JSON", None))
    }

    fn into_response(self, status: StatusCode) -> Result<Response> {
        let (content_type, ending) = match self.kind {
            FileKind::Csv => ("text/csv; charset=utf-8", "csv"),
            FileKind::Xlsx => (sheet::XLSX, "xlsx"),
        };
        let mut response = Response::new(self.file.into_body().map_err(broken)?);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(header::CONTENT_LENGTH, self.size.into());
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let place = HeaderValue::try_from(format!("attachment; filename=\"{}.{ending}\"", self.name));
        headers.extend(place.ok().map(|place| (header::CONTENT_DISPOSITION, place)));
        Ok(response)
    }
}
