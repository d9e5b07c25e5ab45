//! From a stored file to its rows, off the request threads.

use std::sync::Arc;

use futures_util::TryStreamExt;
use sheet::FileKind;

use super::table::Table;
use super::{Faults, Importer};
use crate::Result;
use crate::app::App;
use crate::error::ApiError;

/// The contents of a file, and the faults that can be found without the database.
pub(super) struct Parsed<R> {
    pub(super) table: Table,
    pub(super) rows: Vec<(u32, R)>,
    pub(super) faults: Faults,
}

pub(super) fn kind(filename: &str) -> Result<FileKind> {
    FileKind::of_name(filename).ok_or_else(|| ApiError::bad_request("The file must be .csv or .xlsx."))
}

/// The bytes of an object; `None` if it is gone.
pub(super) async fn bytes(app: &App, object: String) -> Result<Option<Vec<u8>>> {
    let failed = |error: &dyn std::error::Error| ApiError::internal(&format!("reading a file: {error}"), None);
    let mut chunks = match app.media.get(&object, None).await {
        Ok(chunks) => chunks,
        Err(error) if error.is_not_found() => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    let mut bytes = Vec::new();
    while let Some(chunk) = chunks.try_next().await.map_err(|error| failed(&error))? {
        bytes.extend_from_slice(&chunk);
    }
    Ok(Some(bytes))
}

pub(super) async fn parse<I: Importer>(importer: Arc<I>, kind: FileKind, file: Vec<u8>) -> Result<Parsed<I::Row>> {
    let parsing = tokio::task::spawn_blocking(move || parse_now(&*importer, kind, file));
    parsing.await.unwrap_or_else(|_| Err(ApiError::internal("reading a table panicked", None)))
}

fn parse_now<I: Importer>(importer: &I, kind: FileKind, file: Vec<u8>) -> Result<Parsed<I::Row>> {
    let table = Table::read(I::COLUMNS, kind, &file)?;
    drop(file);
    let mut faults = Faults::default();
    for (row, value) in &table.overlong {
        faults.add(*row, "", value.as_str(), "The row has more cells than the header.");
    }
    let rows = table.rows().map(|row| (row.number(), importer.read(&row, &mut faults.of_row(row.number())))).collect();
    Ok(Parsed { table, rows, faults })
}
