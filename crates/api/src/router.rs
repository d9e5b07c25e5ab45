//! From the list of operations to a service: routes, and the path every request takes.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use futures_util::FutureExt;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};
use tracing::Instrument;

use crate::app::App;
use crate::areas::{self, attachments};
use crate::auth;
use crate::cx::Open;
use crate::error::ApiError;
use crate::input::Source;
use crate::operation::{Access, Operation};
use crate::request::Received;
use crate::{Result, docs, openapi, request};

/// What a multipart body may have besides its file.
const UPLOAD_SLACK: u64 = 1024 * 1024;

/// Everything below `/api` and `/media`, the caller's own pages, and the answer for every other address.
pub fn router(app: Arc<App>, pages: Router) -> Router {
    router_of(app, areas::operations(), pages)
}

/// The same for any list of operations.
pub fn router_of(app: Arc<App>, operations: Vec<Operation>, pages: Router) -> Router {
    let mut routes = docs::routes(&openapi::document(&operations)).merge(attachments::routes(app.clone())).merge(pages);
    for operation in operations {
        let path = format!("/api{}", operation.path);
        let method = filter(&operation.method);
        let serving = Arc::new(Serving::new(operation, app.clone()));
        routes = routes.route(&path, on(method, async move |request: Request| serving.serve(request).await));
    }
    let routes = routes
        .fallback(async || ApiError::not_found("This address was"))
        .method_not_allowed_fallback(async || ApiError::method_not_allowed());
    with_cors(routes, &app.settings.cors_origins).layer(CompressionLayer::new())
}

fn with_cors(routes: Router, origins: &[String]) -> Router {
    if origins.is_empty() {
        return routes;
    }
    let allowed: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    let exposed = [HeaderName::from_static("x-total-count"), HeaderName::from_static(request::REQUEST_ID)];
    let cors = CorsLayer::new()
        .allow_origin(AllowOrigin::list(allowed))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(exposed);
    routes.layer(cors)
}

fn filter(method: &Method) -> MethodFilter {
    match *method {
        Method::POST => MethodFilter::POST,
        Method::PUT => MethodFilter::PUT,
        Method::PATCH => MethodFilter::PATCH,
        Method::DELETE => MethodFilter::DELETE,
        _ => MethodFilter::GET,
    }
}

/// An operation in service.
struct Serving {
    operation: Operation,
    id: String,
    app: Arc<App>,
    seconds: metrics::Histogram,
}

impl Serving {
    fn new(operation: Operation, app: Arc<App>) -> Self {
        let id = operation.id();
        let seconds = metrics::histogram!("tracewright_request_seconds", "operation" => id.clone());
        Self { operation, id, app, seconds }
    }

    async fn serve(&self, request: Request) -> Response {
        let started = Instant::now();
        let (parts, body) = request.into_parts();
        let info = Arc::new(request::info(&parts, &self.app.settings.trusted_proxies));
        let span = tracing::info_span!("request", id = info.id, operation = self.id);
        let open = Open { app: self.app.clone(), request: info.clone() };
        let work = AssertUnwindSafe(self.answer(open, parts, body)).catch_unwind().instrument(span.clone());
        let mut response = match work.await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => span.in_scope(|| error.into_response()),
            Err(_) => span.in_scope(|| ApiError::internal("panic", None).into_response()),
        };
        let status = response.status().as_u16();
        self.seconds.record(started.elapsed());
        metrics::counter!("tracewright_requests", "operation" => self.id.clone(), "status" => status.to_string())
            .increment(1);
        span.in_scope(|| tracing::debug!(status, micros = started.elapsed().as_micros() as u64, "answered"));
        if let Ok(id) = HeaderValue::from_str(&info.id) {
            response.headers_mut().insert(request::REQUEST_ID, id);
        }
        response
    }

    /// In the contract's order: token, scope, content type and size, shape; then the operation itself.
    async fn answer(
        &self,
        open: Open,
        mut parts: axum::http::request::Parts,
        body: axum::body::Body,
    ) -> Result<Response> {
        let caller = match self.operation.access {
            Access::Public => None,
            Access::Scope(scope) => {
                let caller = auth::authenticate(&self.app, &parts.headers, self.operation.tokens).await?;
                if !caller.rights.contains(scope) {
                    return Err(ApiError::scope(scope.name()));
                }
                Some(caller)
            }
        };
        let endpoint = &self.operation.endpoint;
        let body = request::body(&parts.headers, body, endpoint.body(), self.operation.body_limit).await?;
        let content_type = parts.headers.get(header::CONTENT_TYPE).cloned();
        let mut source = Source {
            path: path_fields(&mut parts).await?,
            query: form_urlencoded::parse(parts.uri.query().unwrap_or("").as_bytes()).into_owned().collect(),
            upload_limit: self.app.settings.upload_limit + UPLOAD_SLACK,
            content_type: content_type.and_then(|value| value.to_str().ok().map(str::to_owned)).unwrap_or_default(),
            ..Source::default()
        };
        match body {
            Received::Whole(bytes) => source.body = bytes,
            Received::Arriving(stream) => *source.stream.lock() = Some(stream),
        }
        let work = endpoint.call(open, caller, &source, self.operation.status)?;
        if !self.operation.mutates() {
            return work.await;
        }
        // As a task of its own: a client that hangs up must not stop it half way.
        match tokio::spawn(work.in_current_span()).await {
            Ok(answer) => answer,
            Err(_) => Err(ApiError::internal("panic", None)),
        }
    }
}

async fn path_fields(parts: &mut axum::http::request::Parts) -> Result<Vec<(String, String)>> {
    let params = RawPathParams::from_request_parts(parts, &()).await;
    // What is no UTF-8 names no record.
    let params = params.map_err(|_| ApiError::not_found("This address was"))?;
    Ok(params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}
