//! A multipart body, read part by part while it arrives, so that a file never has to fit into memory.

use std::io::ErrorKind;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use domain::Fault;
use domain::fault::Faults;
use futures_util::{Stream, StreamExt};
use multer::{Constraints, Field, Multipart, SizeLimit};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::body::PATIENCE;
use super::parts::{Part, PlaceOf, Source};
use super::shape::Shape;
use crate::Result;
use crate::error::ApiError;
use crate::memory::Share;

/// Maximum number of bytes before a part begins: the end of the previous part, the boundary, and the part's header.
const HEADER_BYTES: usize = 64 * 1024;
/// Maximum number of parts in a body.
const MOST_PARTS: usize = 1_000;

/// A multipart body; `T` describes its parts for the document.
pub struct Upload<T> {
    parts: Multipart<'static>,
    begun: usize,
    gate: Arc<Gate>,
    share: Arc<Share>,
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
                let gate = Arc::new(Gate(AtomicUsize::new(HEADER_BYTES)));
                let pieces = Pieces { body: Box::pin(patient(body)), gate: gate.clone(), given: false };
                let parts = Multipart::with_constraints(pieces, boundary, limits);
                Some(Self { parts, begun: 0, gate, share: source.share.clone(), form: PhantomData })
            }
            Err(_) => {
                faults.push(body_fault("multipart_invalid", "The content type names no boundary.", &Value::Null));
                None
            }
        }
    }
}

/// How many bytes may still come before the next part begins. They are buffered until then, so there has to be a limit; the
/// data of a part is passed on at once.
struct Gate(AtomicUsize);

impl Gate {
    const OPEN: usize = usize::MAX;

    fn pass(&self, bytes: usize) -> std::io::Result<()> {
        match self.0.load(Ordering::Relaxed) {
            Self::OPEN => Ok(()),
            0 => Err(ErrorKind::FileTooLarge.into()),
            left => {
                self.0.store(left.saturating_sub(bytes), Ordering::Relaxed);
                Ok(())
            }
        }
    }
}

/// A body, one chunk at a time: the parser would otherwise take everything available before it parses any of it.
struct Pieces {
    body: Pin<Box<dyn Stream<Item = std::io::Result<Bytes>> + Send>>,
    gate: Arc<Gate>,
    /// Whether the parser has a chunk that it has not parsed yet.
    given: bool,
}

impl Stream for Pieces {
    type Item = std::io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if std::mem::take(&mut self.given) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let next = ready!(self.body.as_mut().poll_next(cx));
        self.given = matches!(next, Some(Ok(_)));
        Poll::Ready(next.map(|piece| piece.and_then(|piece| self.gate.pass(piece.len()).map(|()| piece))))
    }
}

/// A client may take its time overall, but must not stop in the middle.
fn patient(body: Body) -> impl Stream<Item = std::io::Result<Bytes>> + Send + 'static {
    futures_util::stream::unfold(body.into_data_stream(), async |mut stream| {
        let chunk = match tokio::time::timeout(PATIENCE, stream.next()).await {
            Ok(chunk) => chunk?.map_err(std::io::Error::other),
            Err(_) => Err(ErrorKind::TimedOut.into()),
        };
        Some((chunk, stream))
    })
}

impl<T> Upload<T> {
    /// The next part, or `None` at the end of the body. The previous part has been read to its end.
    pub async fn next(&mut self) -> Result<Option<Field<'static>>> {
        self.gate.0.store(HEADER_BYTES, Ordering::Relaxed);
        let next = self.parts.next_field().await;
        self.gate.0.store(Gate::OPEN, Ordering::Relaxed);
        self.begun += 1;
        match next {
            Ok(Some(_)) if self.begun > MOST_PARTS => {
                let why = format!("There are more than {MOST_PARTS} parts.");
                Err(ApiError::validation(vec![body_fault("multipart_invalid", &why, &Value::Null)]))
            }
            next => next.map_err(broken),
        }
    }

    /// Takes memory for what is kept of the body.
    pub(crate) fn take(&self, bytes: usize) -> Result<()> {
        self.share.take(bytes)
    }
}

/// An incomplete body is the connection's fault, anything else the client's.
pub(crate) fn broken(error: multer::Error) -> ApiError {
    if let multer::Error::StreamReadFailed(cause) = &error
        && cause.downcast_ref::<std::io::Error>().is_some_and(|cause| cause.kind() == ErrorKind::FileTooLarge)
    {
        return ApiError::too_much(&format!("What comes before a part has at most {HEADER_BYTES} bytes."));
    }
    match error {
        multer::Error::IncompleteStream
        | multer::Error::IncompleteFieldData { .. }
        | multer::Error::IncompleteHeaders
        | multer::Error::StreamReadFailed(_) => ApiError::body_cut(),
        multer::Error::StreamSizeExceeded { limit } => ApiError::too_large(limit),
        other => ApiError::validation(vec![body_fault("multipart_invalid", &format!("{other}."), &Value::Null)]),
    }
}

/// The file name of a part, which is required for files; adds its faults.
pub fn file_name(field: &Field<'_>, faults: &mut Faults) -> Option<String> {
    let part = field.name().unwrap_or_default().to_owned();
    let name = field.file_name().map(str::to_owned);
    let objection = match &name {
        None => Some("A file needs a name."),
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
