//! From the list of operations to a service: routes, and the path of every request.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use domain::Fault;
use futures_util::FutureExt;
use store::Presence;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};
use tracing::Instrument;

use crate::app::App;
use crate::auth::{self, Caller, Ticket, TicketFor};
use crate::cx::PublicCx;
use crate::error::ApiError;
use crate::fixed::Uncompressed;
use crate::input::{self, Bounds, Received, Source, show_as_sent};
use crate::operation::{Access, Operation};
use crate::reply::repeated_response;
use crate::request::RequestInfo;
use crate::seldom::Seldom;
use crate::trail::{Address, Trail};
use crate::{Result, aside, docs, frame, memory, openapi, request, strangers};

/// Allowance for a multipart body beyond its files.
const UPLOAD_SLACK: u64 = 1024 * 1024;

/// A caller whose body takes longer than this to arrive is checked again: it may take minutes.
const SLOW: Duration = Duration::from_millis(250);

/// Everything below `/api`, the given pages, and the fallback for every other address.
pub fn router(app: Arc<App>, operations: Arc<[Operation]>, pages: Router) -> Router {
    let described = operations.clone();
    let mut routes = docs::routes(move || openapi::document(&described)).merge(pages);
    for (place, operation) in operations.iter().enumerate() {
        let path = format!("/api{}", operation.path);
        let method = filter(&operation.method);
        let serving = Arc::new(Serving::new(operations.clone(), place, app.clone()));
        routes = routes.route(&path, on(method, async move |request: Request| serving.clone().serve(request).await));
    }
    let routes = routes
        .fallback(async || ApiError::not_found("This address was"))
        .method_not_allowed_fallback(async || ApiError::method_not_allowed());
    let compressible =
        DefaultPredicate::new().and(is_no_file as fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool);
    with_cors(routes, &app.settings.cors_origins)
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(compressible))
        .layer(middleware::from_fn(frame::around))
}

/// Whether an answer may be compressed. Stored files are sent as they are, since their `ETag` and ranges refer to the bytes.
/// Sheets are already compressed. Public answers are not compressed, so that anonymous clients can't use up processor time.
fn is_no_file(_: StatusCode, _: Version, headers: &HeaderMap, extensions: &Extensions) -> bool {
    let is_sheet = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == sheet::XLSX);
    !headers.contains_key(header::ACCEPT_RANGES) && !is_sheet && extensions.get::<Uncompressed>().is_none()
}

fn with_cors(routes: Router, origins: &[String]) -> Router {
    if origins.is_empty() {
        return routes;
    }
    let allowed: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    let exposed = [
        HeaderName::from_static("x-total-count"),
        HeaderName::from_static(request::REQUEST_ID),
        HeaderName::from_static("idempotency-replayed"),
        header::RETRY_AFTER,
        header::ETAG,
        header::CONTENT_DISPOSITION,
        HeaderName::from_static("x-import-status"),
        HeaderName::from_static("x-error-count"),
        HeaderName::from_static("x-valid-count"),
    ];
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

/// An operation with everything needed to serve it.
struct Serving {
    operations: Arc<[Operation]>,
    /// Which of them it is.
    place: usize,
    app: Arc<App>,
    seconds: metrics::Histogram,
}

impl Serving {
    fn new(operations: Arc<[Operation]>, place: usize, app: Arc<App>) -> Self {
        let seconds = metrics::histogram!("tracewright_request_seconds", "operation" => operations[place].id);
        Self { operations, place, app, seconds }
    }

    fn operation(&self) -> &Operation {
        &self.operations[self.place]
    }

    async fn serve(self: Arc<Self>, request: Request) -> Response {
        let started = Instant::now();
        let (mut parts, body) = request.into_parts();
        let info = Arc::new(request::info(&parts, &self.app.settings.trusted_proxies));
        let span = tracing::info_span!("request", id = info.id, operation = self.operation().id);
        let mut response = match path_fields(&mut parts).await {
            Ok(path) => {
                let presence = parts.extensions.get::<Presence>().cloned().unwrap_or_default();
                let _leaving = presence.until_dropped();
                // Boxed: it is large, and everything around it would move it.
                let work = Box::pin(self.clone().answer(IncomingRequest { info: info.clone(), parts, path, body }))
                    .instrument(span.clone());
                match self.operation().mutates() {
                    // As its own task: a client that disconnects must not stop it halfway, only before it begins.
                    true => match tokio::spawn(presence.asking(work)).await {
                        Ok(response) => response,
                        Err(_) => ApiError::internal("panic", None).into_response(),
                    },
                    // Dropped in the middle when nobody waits for it.
                    false => tokio::select! {
                        biased;
                        response = presence.clone().asking(work) => response,
                        () = presence.given_up() => ApiError::unavailable().into_response(),
                    },
                }
            }
            Err(error) => error.into_response(),
        };
        let status = response.status().as_u16();
        self.seconds.record(started.elapsed());
        metrics::counter!("tracewright_requests", "operation" => self.operation().id, "status" => status.to_string())
            .increment(1);
        span.in_scope(|| tracing::debug!(status, micros = started.elapsed().as_micros() as u64, "answered"));
        if self.operation().access == Access::Public {
            response.extensions_mut().insert(Uncompressed);
        }
        response
    }

    /// Produces the answer, whatever happens to the request. A request that may change something leaves its audit log entry.
    async fn answer(self: Arc<Self>, request: IncomingRequest) -> Response {
        let query: Vec<(String, String)> =
            form_urlencoded::parse(request.parts.uri.query().unwrap_or("").as_bytes()).into_owned().collect();
        let trail = self.operation().mutates().then(|| {
            let address = Address { path: request.parts.uri.path(), query: &query, fields: &request.path };
            let facts = self.operation().facts();
            Arc::new(Trail::new(facts, &self.app.signer, &address, &request.parts.headers))
        });
        let cx = PublicCx::new(self.app.clone(), request.info.clone(), trail.clone());
        let work = AssertUnwindSafe(self.check_and_call(cx.clone(), request, query)).catch_unwind().await;
        let error = match work {
            Ok(Ok(response)) => return response,
            // Nothing was done because the client had gone: no entry.
            Ok(Err(error)) if error.is_abandoned() => return error.into_response(),
            Ok(Err(error)) => error,
            Err(_) => ApiError::internal("panic", None),
        };
        match trail.filter(|_| self.operation().audited) {
            Some(trail) if self.operation().access == Access::Public => strangers::refuse(&cx, trail, error).await,
            Some(trail) if trail.knows_caller() => {
                let response = error.into_response();
                let status = response.status();
                if let Err(error) = cx.note_failure(trail, status).await
                    && !error.is_abandoned()
                {
                    static MISSING: Seldom = Seldom::new();
                    if let Some(times) = MISSING.times() {
                        tracing::error!(times, %status, ?error, "refused requests are missing in the audit log");
                    }
                }
                response
            }
            _ => error.into_response(),
        }
    }

    /// In the order of the contract: token, scope, content type and size, shape; then the operation itself.
    async fn check_and_call(
        &self,
        cx: PublicCx,
        request: IncomingRequest,
        query: Vec<(String, String)>,
    ) -> Result<Response> {
        let IncomingRequest { parts, path, body, .. } = request;
        let cx = match self.operation().access {
            Access::Public => cx,
            Access::Scope(required) => {
                let ticket = self.ticket(&query, &parts, &path);
                let (method, headers, rules) = (&parts.method, &parts.headers, self.operation().tokens);
                let https = request::is_https(&parts, &self.app.settings.trusted_proxies);
                let presented = auth::Presented { method, headers, https, ticket, rules, required };
                let trail = cx.trail.clone();
                let known = move |caller: &Caller| trail.iter().for_each(|trail| trail.caller(caller));
                let caller = self.app.guard.authenticate(&presented, &known).await?;
                cx.asked_by(caller)
            }
        };
        let (share, asked) = (cx.share.clone(), Instant::now());
        let response = match self.read(&cx, &parts, path, query, body).await? {
            Prepared::New(source) => {
                if asked.elapsed() >= SLOW {
                    cx.still_stands().await?;
                }
                self.call(cx, source).await?
            }
            Prepared::Repeated(response) => response,
        };
        Ok(response.map(|body| memory::until_sent(body, share)))
    }

    /// The ticket that was sent instead of a token, if the operation accepts one.
    fn ticket<'a>(
        &self,
        query: &'a [(String, String)],
        parts: &Parts,
        path: &[(String, String)],
    ) -> Option<Ticket<'a>> {
        match self.operation().ticket? {
            TicketFor::Address => auth::ticket(query, parts.uri.path()),
            TicketFor::Topics => {
                let topics = path.iter().find(|(name, _)| name == "topic").map_or("", |(_, topics)| topics.as_str());
                auth::topic_ticket(query, topics)
            }
        }
    }

    /// The faults of headers.
    fn header_faults(&self, cx: &PublicCx) -> Vec<Fault> {
        let of_key = cx.trail.as_ref().and_then(|trail| trail.key_fault());
        let of_place =
            if self.operation().endless() { cx.request.last_event().err().map(|fault| *fault) } else { None };
        of_key.into_iter().chain(of_place).collect()
    }

    /// Reads the parts of the request that its operation needs.
    async fn read(
        &self,
        cx: &PublicCx,
        parts: &Parts,
        path: Vec<(String, String)>,
        query: Vec<(String, String)>,
        body: axum::body::Body,
    ) -> Result<Prepared> {
        let trail = &cx.trail;
        let place = self.operation().endpoint.body();
        let bounds = Bounds { bytes: self.operation().body_limit, piecemeal: self.operation().piecemeal };
        let body = input::receive(&parts.headers, body, place, bounds, &cx.share).await?;
        let content_type = parts.headers.get(header::CONTENT_TYPE).cloned();
        let mut source = Source {
            path,
            query,
            now: Some(self.app.clock.now()),
            upload_limit: self.operation().files_at_most * self.app.settings.upload_limit + UPLOAD_SLACK,
            content_type: content_type.and_then(|value| value.to_str().ok().map(str::to_owned)).unwrap_or_default(),
            faults: self.header_faults(cx),
            trail: trail.clone(),
            share: cx.share.clone(),
            ..Source::default()
        };
        match body {
            Received::Whole(bytes, objection) => {
                if let Some(trail) = trail {
                    trail.whole_body(&bytes);
                    if source.faults.is_empty()
                        && let Some(response) = repeated(cx).await?
                    {
                        return Ok(Prepared::Repeated(response));
                    }
                }
                source.body = bytes;
                source.objection = objection;
            }
            Received::Arriving(stream) => {
                *source.stream.lock() = Some(input::within(self.app.settings.upload_time, stream));
            }
        }
        Ok(Prepared::New(source))
    }

    async fn call(&self, cx: PublicCx, source: Source) -> Result<Response> {
        let (endpoint, status) = (self.operation().endpoint.clone(), self.operation().status);
        let (size, body) = (source.body.len(), source.body.clone());
        let answer = match aside::run(size, move || endpoint.call(cx, &source, status)).await {
            Ok(work) => work.await,
            Err(error) => Err(error),
        };
        match answer {
            Err(error) => {
                let show = move || error.showing_what_was_sent(|detail| show_as_sent(detail, &body));
                Err(aside::run(size, show).await)
            }
            answered => answered,
        }
    }
}

/// A request after reading.
enum Prepared {
    New(Source),
    /// It was answered before.
    Repeated(Response),
}

/// The earlier answer to this request, if it is repeated.
async fn repeated(cx: &PublicCx) -> Result<Option<Response>> {
    let before = cx.answered_before().await?;
    Ok(before.map(|(status, body)| repeated_response(status, body)))
}

/// A request to an operation.
struct IncomingRequest {
    info: Arc<RequestInfo>,
    parts: Parts,
    path: Vec<(String, String)>,
    body: axum::body::Body,
}

async fn path_fields(parts: &mut Parts) -> Result<Vec<(String, String)>> {
    let params = RawPathParams::from_request_parts(parts, &()).await;
    // A path that is not UTF-8 names no record.
    let params = params.map_err(|_| ApiError::not_found("This address was"))?;
    Ok(params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}
