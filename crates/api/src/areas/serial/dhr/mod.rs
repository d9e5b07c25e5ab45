//! The Device History Record of a unit, which is also its batch record: as a document, as JSON, or as an archive of both with all
//! attachments.

mod archive;
mod blocks;
mod facts;
mod gather;
mod parts;
mod pdf;
mod sections;
mod stored;
mod wire;

use std::io::Write;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::Response;
use domain::serial::history::record_name;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use store::{StoreError, Tx};
use tokio::sync::{Semaphore, SemaphorePermit};

use self::archive::{pack, write_json};
use self::gather::{Gathered, Wanted, gather};
use self::pdf::Shows;
use self::stored::Shelf;
use self::wire::RecordText;
use super::read::SerialPath;
use crate::Result;
use crate::cx::Cx;
use crate::download::{self, Download, TempFile, broken};
use crate::error::ApiError;
use crate::input::{Path, Query};
use crate::reply::Answer;

/// How a record is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "RecordFormat")]
pub(super) enum Format {
    #[default]
    Pdf,
    Json,
    /// An archive with `dhr.pdf`, `dhr.json`, all attachments, and `manifest.json` with the digest of each file.
    Zip,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct RecordQuery {
    #[serde(default)]
    format: Format,
    /// The document shows images and PDFs that are attached; without it, attachments are named with their hashes.
    #[serde(default)]
    include_attachments: bool,
    /// Adds the records of the units inside that have values, parts or files of their own, at most 1,000.
    #[serde(default)]
    include_children: bool,
    /// The document lists the steps that were carried out. JSON always does.
    #[serde(default)]
    include_step_data: bool,
}

/// The file of a record.
pub(super) struct RecordFile(Download);

const JSON: &str = "application/json";
const PDF: &str = "application/pdf";
const ZIP: &str = "application/zip";

impl Answer for RecordFile {
    const MEDIA_TYPES: &'static [&'static str] = &[JSON, PDF, ZIP];

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<RecordText<'static>>()
    }

    fn body(&self, _: StatusCode) -> Result<String> {
        Err(ApiError::internal("a file is no text", None))
    }

    fn into_response(self, status: StatusCode) -> Result<Response> {
        self.0.into_response(status)
    }
}

/// Printing takes processors and memory: each node prints this many at a time.
static TURNS: Semaphore = Semaphore::const_new(2);
/// Who would have to wait longer for a turn is asked to come again.
const PATIENCE: Duration = Duration::from_secs(20);

async fn turn(turns: &'static Semaphore, patience: Duration) -> Result<SemaphorePermit<'static>> {
    match tokio::time::timeout(patience, turns.acquire()).await {
        Ok(Ok(turn)) => Ok(turn),
        _ => Err(ApiError::busy()),
    }
}

pub(super) async fn record(
    cx: Cx,
    Path(path): Path<SerialPath>,
    Query(query): Query<RecordQuery>,
) -> Result<RecordFile> {
    let (format, printed) = (query.format, query.format != Format::Json);
    let shows = Shows { step_data: query.include_step_data, attachments: query.include_attachments };
    let (generated, generated_by) = (cx.now(), cx.caller.user_key.clone());
    // An attachment that is replaced in between is not there any more: then once more.
    for whole in [true, false] {
        let turn = if printed { Some(turn(&TURNS, PATIENCE).await?) } else { None };
        let wanted = Wanted {
            serial_key: path.serial_key,
            children: query.include_children,
            printed,
            drawn: printed && shows.attachments,
            archived: format == Format::Zip,
            generated,
            generated_by: generated_by.clone(),
        };
        let gathered = cx.db.read_long(async move |tx: &mut Tx| gather(tx, wanted).await).await?;
        let shelf = Shelf::new(cx.app.clone());
        let making = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            make(&gathered, format, shows, &shelf, whole)
        });
        let made = making.await.unwrap_or_else(|_| Err(StoreError::Panicked.into()))?;
        if let Some(file) = made {
            return Ok(RecordFile(file));
        }
    }
    Err(ApiError::internal("an archive without lost attachments was not made", None))
}

fn make(gathered: &Gathered, format: Format, shows: Shows, shelf: &Shelf, whole: bool) -> Result<Option<Download>> {
    let serial = &gathered.unit.view.serial;
    let name = record_name(serial.code.as_deref(), serial.key, gathered.generated, &gathered.zone);
    match format {
        Format::Json => {
            let mut file = download::file();
            write_json(&RecordText::whole(gathered), &mut file, shelf)?;
            Download::new(JSON, None, file).map(Some)
        }
        Format::Pdf => {
            let file = file_of(&pdf::print(gathered, shows, shelf)?)?;
            Download::new(PDF, Some(format!("{name}.pdf")), file).map(Some)
        }
        Format::Zip => {
            let printed = pdf::print(gathered, shows, shelf)?;
            let Some(file) = pack(gathered, &printed, shelf, whole)? else { return Ok(None) };
            Download::new(ZIP, Some(format!("{name}.zip")), file).map(Some)
        }
    }
}

fn file_of(bytes: &[u8]) -> Result<TempFile> {
    let mut file = download::file();
    file.write_all(bytes).map_err(broken)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;

    use super::*;

    #[tokio::test]
    async fn nobody_waits_for_a_turn_for_ever() {
        static ONE: Semaphore = Semaphore::const_new(1);
        let first = turn(&ONE, Duration::from_millis(5)).await;
        assert!(first.is_ok());
        let refused = turn(&ONE, Duration::from_millis(5)).await.err().unwrap().into_response();
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(refused.headers().contains_key("retry-after"));
        drop(first);
        assert!(turn(&ONE, Duration::from_millis(5)).await.is_ok());
    }
}
