//! A multipart body, read part by part while it arrives, so that a file never has to fit into memory.

use std::marker::PhantomData;

use axum::body::{Body, Bytes};
use domain::Fault;
use domain::fault::Faults;
use futures_util::StreamExt;
use multer::{Constraints, Field, Multipart, SizeLimit};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::parts::{Part, PlaceOf, Source};
use super::shape::Shape;
use crate::Result;
use crate::error::ApiError;
use crate::request::PATIENCE;

/// A multipart body; `T` describes its parts for the document.
pub struct Upload<T> {
    parts: Multipart<'static>,
    form: PhantomData<fn() -> T>,
}

/// The type of a part that is a file.
pub struct FilePart;

impl JsonSchema for FilePart {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "File".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "contentMediaType": "application/octet-stream" })
    }
}

impl<T: JsonSchema + Send + 'static> Part for Upload<T> {
    const PLACE: PlaceOf = PlaceOf::MultipartBody;
    type Fields = T;

    fn read(source: &Source, _: &Shape, faults: &mut Vec<Fault>) -> Option<Self> {
        let body = source.stream.lock().take().unwrap_or_else(Body::empty);
        match multer::parse_boundary(&source.content_type) {
            Ok(boundary) => {
                let limit = SizeLimit::new().whole_stream(source.upload_limit);
                let limits = Constraints::new().size_limit(limit);
                let parts = Multipart::with_constraints(patient(body), boundary, limits);
                Some(Self { parts, form: PhantomData })
            }
            Err(_) => {
                faults.push(body_fault("multipart_invalid", "The content type names no boundary.", &Value::Null));
                None
            }
        }
    }
}

/// A client may take its time for the whole, but not stop in the middle.
fn patient(body: Body) -> impl futures_util::Stream<Item = std::io::Result<Bytes>> + Send + 'static {
    futures_util::stream::unfold(body.into_data_stream(), async |mut stream| {
        let chunk = match tokio::time::timeout(PATIENCE, stream.next()).await {
            Ok(chunk) => chunk?.map_err(std::io::Error::other),
            Err(_) => Err(std::io::ErrorKind::TimedOut.into()),
        };
        Some((chunk, stream))
    })
}

impl<T> Upload<T> {
    /// The next part, or none when the body is complete.
    pub async fn next(&mut self) -> Result<Option<Field<'static>>> {
        self.parts.next_field().await.map_err(broken)
    }
}

/// A body that breaks off is the connection's fault, anything else that of whoever wrote it.
pub(crate) fn broken(error: multer::Error) -> ApiError {
    match error {
        multer::Error::IncompleteStream
        | multer::Error::IncompleteFieldData { .. }
        | multer::Error::IncompleteHeaders
        | multer::Error::StreamReadFailed(_) => ApiError::body_cut(),
        multer::Error::StreamSizeExceeded { limit } => ApiError::too_large(limit),
        other => ApiError::validation(vec![body_fault("multipart_invalid", &format!("{other}."), &Value::Null)]),
    }
}

/// Faults of one part's file name, which is required for files.
pub fn file_name(field: &Field<'_>, faults: &mut Faults) -> Option<String> {
    let part = field.name().unwrap_or_default().to_owned();
    let name = field.file_name().map(str::to_owned);
    let objection = match &name {
        None => Some("A file has a name."),
        Some(name) => domain::file_name::objection(name),
    };
    if let Some(why) = objection {
        faults.within(part.as_str(), |faults| faults.add("value_error", why, &json!(name)));
        return None;
    }
    name
}

fn body_fault(kind: &'static str, msg: &str, input: &Value) -> Fault {
    Fault::new(kind, &["body".into()], msg, input)
}
