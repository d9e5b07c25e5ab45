//! The document and a page to try the operations out. All of it comes out of this binary: it works offline.

use axum::Router;
use axum::extract::{Path, Request};
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde_json::Value;
use swagger_ui_dist::{ApiDefinition, OpenApiSource};
use tower::ServiceExt;

use crate::error::ApiError;

const PAGE: &str = include_str!("docs.html");

/// The files of the page that the library carries; its own index is not served.
const ASSETS: [&str; 2] = ["swagger-ui.css", "swagger-ui-bundle.js"];

pub(crate) fn routes(document: &Value) -> Router {
    let document = document.to_string();
    let library: Router = swagger_ui_dist::generate_routes(ApiDefinition {
        uri_prefix: "/api/docs",
        api_definition: OpenApiSource::Uri("/api/openapi.json"),
        title: Some("Tracewright API"),
    });
    let asset = async move |Path(name): Path<String>, request: Request| -> Response {
        if !ASSETS.contains(&name.as_str()) {
            return ApiError::not_found("This address was").into_response();
        }
        library.oneshot(request).await.into_response()
    };
    Router::new()
        .route("/api/openapi.json", get(async move || ([(header::CONTENT_TYPE, "application/json")], document)))
        .route("/api/docs", get(async || Html(PAGE)))
        .route("/api/docs/{asset}", get(asset))
}
