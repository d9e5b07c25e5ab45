//! Headers of every answer: the id of its request, and what browsers must not do with it.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::request::{REQUEST_ID, RequestId, request_id};

/// An answer is not a page unless it has a policy of its own: it loads nothing and can't be framed.
const NO_PAGE: &str = "default-src 'none'; frame-ancestors 'none'";

const ALWAYS: [(HeaderName, HeaderValue); 2] = [
    // The service says what it is; browsers must not guess.
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    // Addresses may hold tickets.
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

pub(crate) async fn around(mut request: Request, next: Next) -> Response {
    let id = request_id(request.headers());
    let shown = HeaderValue::from_str(&id);
    request.extensions_mut().insert(RequestId(id));
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.extend(shown.ok().map(|id| (HeaderName::from_static(REQUEST_ID), id)));
    for (name, value) in ALWAYS {
        headers.insert(name, value);
    }
    // What is answered is for whoever asked now, unless it says otherwise: nothing of it stays on a shared terminal.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(NO_PAGE));
    response
}
