//! Addresses outside the API: the console or, where there is none, the start page, and health checks.

use std::sync::Arc;

use api::fixed::{Fixed, Uncompressed};
use api::seldom::Seldom;
use api::{ApiError, App};
use axum::Extension;
use axum::Router;
use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use store::{StoreError, describe};

use crate::console::{self, Console};
use crate::metrics;
use crate::together::Together;

const START_PAGE: &str = include_str!("start.html");
const START_STYLE: &str = include_str!("start.css");
const START_SCRIPT: &str = include_str!("start.js");
const START_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; \
                            form-action 'none'; frame-ancestors 'none'";

pub(crate) fn routes(app: Arc<App>, console: Console) -> Router {
    let (readiness, figures) = (Arc::new(Together::new()), Arc::new(Together::new()));
    let first = if console.is_there() { console.routes() } else { start_page() };
    Router::new()
        .route("/healthz", get(async || axum::Json(json!({ "status": "ok" }))))
        .merge(console::session_routes(app.clone()))
        .route("/readyz", get(async move || ready(&app, &readiness).await))
        .route("/metrics", get(async move || shown(&figures).await))
        .merge(first)
}

/// For those who have built no console: what there is, and how they get one.
fn start_page() -> Router {
    Router::new()
        .route("/", Fixed::page(START_PAGE, START_POLICY).route())
        .route("/start.css", Fixed::new("text/css; charset=utf-8", START_STYLE).route())
        .route("/start.js", Fixed::new("text/javascript; charset=utf-8", START_SCRIPT).route())
}

/// Ready means: the database answers, takes writes and has all migrations, which every start applies before it listens.
/// Concurrent checks share one query.
async fn ready(app: &App, readiness: &Together<Result<(), StoreError>>) -> Response {
    let ready = readiness.get(async || {
        let answer = app.db.ping().await;
        if let Err(error) = &answer {
            static NOT_READY: Seldom = Seldom::new();
            if let Some(times) = NOT_READY.times() {
                tracing::warn!(times, error = describe(error), "not ready");
            }
        }
        answer
    });
    match ready.await {
        Ok(()) => (StatusCode::OK, axum::Json(json!({ "status": "ready" }))).into_response(),
        Err(error) => ApiError::unavailable_by(&error).into_response(),
    }
}

async fn shown(figures: &Together<Bytes>) -> Response {
    let text = figures.get(async || Bytes::from(metrics::render())).await;
    (Extension(Uncompressed), [(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}
