//! Answers that are written piece by piece while they are sent: the first reaches the client early, and the text of a large one is
//! never in memory as a whole.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::reply::{Answer, JSON, add_total};
use crate::{ApiError, Result};

/// From so many bytes on, a piece is sent.
pub const CHUNK_BYTES: usize = 64 * 1024;

/// The text of a `T` as JSON.
pub struct Chunked<T> {
    pieces: Pieces,
    of: PhantomData<fn() -> T>,
}

impl<T> Chunked<T> {
    /// The pieces are made from what was read: the memory for that stays taken until the last is sent.
    pub fn new(pieces: impl Iterator<Item = Vec<u8>> + Send + 'static) -> Self {
        Self { pieces: Pieces(Box::new(pieces)), of: PhantomData }
    }
}

impl<T: JsonSchema + 'static> Answer for Chunked<T> {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }

    fn body(&self, _: StatusCode) -> Result<String> {
        Err(ApiError::internal("an answer in pieces is no text", None))
    }

    fn into_response(mut self, status: StatusCode) -> Result<Response> {
        let first = self.pieces.0.next().unwrap_or_default();
        // One piece has a known length.
        let body = match self.pieces.0.next() {
            None => Body::from(first),
            Some(second) => {
                let rest = [first, second].into_iter().chain(self.pieces.0);
                Body::new(Pieces(Box::new(rest)))
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        Ok(response)
    }
}

/// A bare array in pieces, with the total number of rows in `X-Total-Count` if requested.
pub struct ChunkedList<T> {
    list: Chunked<Vec<T>>,
    total: Option<i64>,
}

impl<T> ChunkedList<T> {
    /// As [`Chunked::new`].
    pub fn new(pieces: impl Iterator<Item = Vec<u8>> + Send + 'static, total: Option<i64>) -> Self {
        Self { list: Chunked::new(pieces), total }
    }
}

impl<T: JsonSchema + 'static> Answer for ChunkedList<T> {
    const COUNTS: bool = true;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Chunked::<Vec<T>>::schema(generator)
    }

    fn body(&self, status: StatusCode) -> Result<String> {
        self.list.body(status)
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        add_total(self.total, headers);
    }

    fn into_response(self, status: StatusCode) -> Result<Response> {
        let mut headers = HeaderMap::new();
        self.add_headers(&mut headers);
        let mut response = self.list.into_response(status)?;
        response.headers_mut().extend(headers);
        Ok(response)
    }
}

struct Pieces(Box<dyn Iterator<Item = Vec<u8>> + Send>);

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.next().map(|piece| Ok(Frame::data(Bytes::from(piece)))))
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = SizeHint::new();
        hint.set_lower(1);
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(pieces: Vec<Vec<u8>>) -> Response {
        Chunked::<String>::new(pieces.into_iter()).into_response(StatusCode::OK).unwrap()
    }

    #[tokio::test]
    async fn pieces_follow_each_other() {
        let many = response(vec![b"[1,".to_vec(), b"2".to_vec(), b"]".to_vec()]);
        let hint = many.body().size_hint();
        assert_eq!((hint.lower(), hint.exact()), (1, None));
        assert_eq!(axum::body::to_bytes(many.into_body(), 100).await.unwrap(), "[1,2]");
    }

    #[test]
    fn a_list_says_how_many_there_are() {
        let list = |total| ChunkedList::<String>::new(std::iter::once(b"[]".to_vec()), total);
        let counted = list(Some(7)).into_response(StatusCode::OK).unwrap();
        assert_eq!(counted.headers()["x-total-count"], "7");
        assert_eq!(counted.headers()[header::CONTENT_TYPE], JSON);
        assert!(!list(None).into_response(StatusCode::OK).unwrap().headers().contains_key("x-total-count"));
    }

    #[tokio::test]
    async fn a_short_answer_has_a_length() {
        let one = response(vec![b"[]".to_vec()]);
        assert_eq!(one.body().size_hint().exact(), Some(2));
        assert_eq!(axum::body::to_bytes(one.into_body(), 100).await.unwrap(), "[]");
    }
}
