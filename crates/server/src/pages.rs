//! Addresses outside the API: the start page, and what machines ask about the service's health.

use std::sync::Arc;

use api::{ApiError, App};
use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde_json::json;

use crate::metrics;

const START_PAGE: &str = include_str!("start.html");

pub(crate) fn routes(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(async || Html(START_PAGE)))
        .route("/healthz", get(async || axum::Json(json!({ "status": "ok" }))))
        .route("/readyz", get(async move || ready(&app).await))
        .route("/metrics", get(async || ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], metrics::render())))
}

/// Ready means: the database answers and has all migrations, which every start applies before it listens.
async fn ready(app: &App) -> Response {
    match app.db.ping().await {
        Ok(()) => (StatusCode::OK, axum::Json(json!({ "status": "ready" }))).into_response(),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            ApiError::unavailable().into_response()
        }
    }
}
