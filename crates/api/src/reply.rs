//! What handlers answer with: the envelope, a bare JSON value, or one page of a list.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::{ApiError, Result};

pub trait Answer: Send + 'static {
    fn schema(generator: &mut SchemaGenerator) -> Schema;
    fn into_response(self, status: StatusCode) -> Result<Response>;
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

    fn into_response(self, status: StatusCode) -> Result<Response> {
        json(status, &EnvelopeBody { status: status.as_u16(), message: self.message, detail: &self.detail })
    }
}

/// A JSON value without envelope.
pub struct Bare<T>(pub T);

impl<T: Serialize + JsonSchema + Send + 'static> Answer for Bare<T> {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }

    fn into_response(self, status: StatusCode) -> Result<Response> {
        json(status, &self.0)
    }
}

/// A bare array, with the number of all rows in `X-Total-Count` when it was asked for.
pub struct Listed<T> {
    pub rows: Vec<T>,
    pub total: Option<i64>,
}

impl<T: Serialize + JsonSchema + Send + 'static> Answer for Listed<T> {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<Vec<T>>()
    }

    fn into_response(self, status: StatusCode) -> Result<Response> {
        let mut response = json(status, &self.rows)?;
        if let Some(total) = self.total {
            response.headers_mut().insert("x-total-count", total.into());
        }
        Ok(response)
    }
}

/// An answer that holds a secret: no cache may keep it.
pub struct NoStore<A>(pub A);

impl<A: Answer> Answer for NoStore<A> {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        A::schema(generator)
    }

    fn into_response(self, status: StatusCode) -> Result<Response> {
        let mut response = self.0.into_response(status)?;
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response.headers_mut().insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
        Ok(response)
    }
}

fn json(status: StatusCode, value: &impl Serialize) -> Result<Response> {
    let body = serde_json::to_vec(value).map_err(|error| ApiError::internal(&format!("answer: {error}"), None))?;
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}
