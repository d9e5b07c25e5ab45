//! What handlers answer with: the envelope, a bare JSON value, or one page of a list.

use std::marker::PhantomData;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use store::Page;

use crate::{ApiError, Result};

pub(crate) const JSON: &str = "application/json";

pub trait Answer: Sized + Send + 'static {
    /// Whether it contains a secret, so that neither caches nor we store it.
    const SECRET: bool = false;
    /// Its possible media types.
    const MEDIA_TYPES: &'static [&'static str] = &[JSON];
    /// Whether it is a stored file that supports range requests.
    const RANGES: bool = false;
    /// Whether it can tell how many records there are in all.
    const COUNTS: bool = false;
    /// Whether it goes on until somebody ends it, and can be taken up again where it ended.
    const ENDLESS: bool = false;
    /// The schema of the answer as JSON. Answers that are always bytes are documented as bytes.
    fn schema(generator: &mut SchemaGenerator) -> Schema;
    /// The body as JSON text.
    fn body(&self, status: StatusCode) -> Result<String>;
    /// Headers besides the content type.
    fn add_headers(&self, _: &mut HeaderMap) {}

    fn into_response(self, status: StatusCode) -> Result<Response> {
        let mut response = json_response(status, self.body(status)?);
        self.add_headers(response.headers_mut());
        Ok(response)
    }
}

/// `{"status", "message", "detail"}`.
pub struct Envelope<T> {
    message: &'static str,
    detail: T,
}

pub fn envelope<T>(message: &'static str, detail: T) -> Result<Envelope<T>> {
    Ok(Envelope { message, detail })
}

#[derive(Serialize)]
struct EnvelopeBody<'a, T> {
    status: u16,
    message: &'a str,
    detail: &'a T,
}

impl<T: Serialize + JsonSchema + Send + 'static> Answer for Envelope<T> {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let detail = generator.subschema_for::<T>();
        json_schema!({
            "type": "object",
            "description": "APIResponse: status of the result, a message for people, and the payload.",
            "required": ["status", "message", "detail"],
            "properties": { "status": { "type": "integer" }, "message": { "type": "string" }, "detail": detail }
        })
    }

    fn body(&self, status: StatusCode) -> Result<String> {
        json(&EnvelopeBody { status: status.as_u16(), message: self.message, detail: &self.detail })
    }
}

/// A JSON value without envelope.
pub struct Bare<T>(pub T);

impl<T: Serialize + JsonSchema + Send + 'static> Answer for Bare<T> {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }

    fn body(&self, _: StatusCode) -> Result<String> {
        json(&self.0)
    }
}

/// A JSON value without envelope that is already serialised, where it could borrow its parts.
pub struct Written<T> {
    text: String,
    of: PhantomData<fn() -> T>,
}

impl<T> Written<T> {
    pub fn new(value: &impl Serialize) -> Result<Self> {
        Ok(Self { text: json(value)?, of: PhantomData })
    }
}

impl<T: JsonSchema + 'static> Answer for Written<T> {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }

    fn body(&self, _: StatusCode) -> Result<String> {
        Ok(self.text.clone())
    }

    fn into_response(self, status: StatusCode) -> Result<Response> {
        Ok(json_response(status, self.text))
    }
}

/// A bare array whose rows are serialised one by one, where they can borrow their parts.
pub struct RowWriter {
    text: Vec<u8>,
    /// How many rows there are in all, and how many are written.
    all: usize,
    written: usize,
}

/// After so many rows it is known how much room all of them take.
const SAMPLE_ROWS: usize = 100;

impl RowWriter {
    /// For so many rows.
    pub fn new(all: usize) -> Self {
        Self { text: vec![b'['], all, written: 0 }
    }

    pub fn row(&mut self, row: &impl Serialize) -> Result<()> {
        if self.written > 0 {
            self.text.push(b',');
        }
        if self.written == SAMPLE_ROWS {
            // With an eighth to spare.
            self.text.reserve(self.text.len() * self.all.saturating_sub(SAMPLE_ROWS) / SAMPLE_ROWS / 8 * 9);
        }
        self.written += 1;
        serde_json::to_writer(&mut self.text, row).map_err(unwritable)
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.text.push(b']');
        self.text
    }
}

/// A bare array, with the total number of rows in `X-Total-Count` if requested.
pub struct Listed<T> {
    pub rows: Vec<T>,
    pub total: Option<i64>,
}

impl<T> Listed<T> {
    /// One page of rows that are all in memory.
    pub fn page(rows: Vec<T>, page: &Page) -> Self {
        let total = page.count.then_some(rows.len() as i64);
        let wanted = rows.into_iter().skip(page.offset as usize).take(page.limit as usize);
        Self { rows: wanted.collect(), total }
    }
}

impl<T: Serialize + JsonSchema + Send + 'static> Answer for Listed<T> {
    const COUNTS: bool = true;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<Vec<T>>()
    }

    fn body(&self, _: StatusCode) -> Result<String> {
        json(&self.rows)
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        add_total(self.total, headers);
    }
}

/// A JSON value without envelope that contains one page of a list, with the total number of its rows in `X-Total-Count` if requested.
pub struct Counted<T> {
    pub value: T,
    pub total: Option<i64>,
}

impl<T: Serialize + JsonSchema + Send + 'static> Answer for Counted<T> {
    const COUNTS: bool = true;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }

    fn body(&self, _: StatusCode) -> Result<String> {
        json(&self.value)
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        add_total(self.total, headers);
    }
}

/// A list within an envelope, with the total number of rows in `X-Total-Count` if requested.
pub struct EnvelopeList<T>(Envelope<Vec<T>>, Option<i64>);

pub fn envelope_list<T>(message: &'static str, rows: Vec<T>, total: Option<i64>) -> Result<EnvelopeList<T>> {
    Ok(EnvelopeList(Envelope { message, detail: rows }, total))
}

impl<T: Serialize + JsonSchema + Send + 'static> Answer for EnvelopeList<T> {
    const COUNTS: bool = true;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Envelope::<Vec<T>>::schema(generator)
    }

    fn body(&self, status: StatusCode) -> Result<String> {
        self.0.body(status)
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        add_total(self.1, headers);
    }
}

/// An answer that contains a secret: no cache may store it.
pub struct NoStore<A>(pub A);

impl<A: Answer> Answer for NoStore<A> {
    const SECRET: bool = true;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        A::schema(generator)
    }

    fn body(&self, status: StatusCode) -> Result<String> {
        self.0.body(status)
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        self.0.add_headers(headers);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    }
}

/// The answer of a committed change: fresh, or the stored one of an earlier, identical request.
pub struct Done<A>(Outcome<A>);

enum Outcome<A> {
    Fresh(A),
    /// The stored text.
    Kept(String),
    Repeated(StatusCode, String),
}

impl<A> Done<A> {
    pub(crate) fn fresh(answer: A) -> Self {
        Self(Outcome::Fresh(answer))
    }

    pub(crate) fn kept(body: String) -> Self {
        Self(Outcome::Kept(body))
    }

    pub(crate) fn repeated(status: StatusCode, body: String) -> Self {
        Self(Outcome::Repeated(status, body))
    }

    pub(crate) fn try_map<B>(self, map: impl FnOnce(A) -> Result<B>) -> Result<Done<B>> {
        Ok(Done(match self.0 {
            Outcome::Fresh(answer) => Outcome::Fresh(map(answer)?),
            Outcome::Kept(body) => Outcome::Kept(body),
            Outcome::Repeated(status, body) => Outcome::Repeated(status, body),
        }))
    }

    /// Whether the change was made by an earlier request.
    pub(crate) fn is_repeated(&self) -> bool {
        matches!(self.0, Outcome::Repeated(..))
    }
}

impl<A: Answer> Answer for Done<A> {
    const SECRET: bool = A::SECRET;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        A::schema(generator)
    }

    fn body(&self, status: StatusCode) -> Result<String> {
        match &self.0 {
            Outcome::Fresh(answer) => answer.body(status),
            Outcome::Kept(body) | Outcome::Repeated(_, body) => Ok(body.clone()),
        }
    }

    fn into_response(self, status: StatusCode) -> Result<Response> {
        match self.0 {
            Outcome::Fresh(answer) => answer.into_response(status),
            Outcome::Kept(body) => Ok(json_response(status, body)),
            Outcome::Repeated(status, body) => Ok(repeated_response(status, body)),
        }
    }
}

pub(crate) fn repeated_response(status: StatusCode, body: String) -> Response {
    let mut response = json_response(status, body);
    response.headers_mut().insert("idempotency-replayed", HeaderValue::from_static("true"));
    response
}

/// What stored files are answered as: each with its own type, which the document can't know. Generated clients take what comes
/// as bytes.
pub const FILE_TYPES: &[&str] = &["application/octet-stream", "*/*"];

/// The schema of bytes.
pub fn bytes_schema() -> Schema {
    json_schema!({ "type": "string", "contentMediaType": "application/octet-stream" })
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(unwritable)
}

fn unwritable(error: serde_json::Error) -> ApiError {
    ApiError::internal(&format!("answer: {error}"), None)
}

pub(crate) fn json_response(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

pub(crate) fn add_total(total: Option<i64>, headers: &mut HeaderMap) {
    if let Some(total) = total {
        headers.insert("x-total-count", total.into());
    }
}
