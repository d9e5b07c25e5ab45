//! The OpenAPI document and a page to try the operations. Everything is served from this binary, so it works offline.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Request;
use futures_util::FutureExt;
use http_body_util::BodyExt;
use serde_json::Value;
use swagger_ui_dist::{ApiDefinition, OpenApiSource};
use tower::ServiceExt;

use crate::fixed::Fixed;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const START: &str = include_str!("start.js");
const ICON: &str = include_str!("icon.svg");

/// Nothing from other hosts, no script but the files below, no framing. The library has its icons in its style sheet, and
/// displays what it downloads.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The files of the page that come from the library; its own index is not served.
const ASSETS: [(&str, &str); 2] = [
    ("/api/docs/swagger-ui.css", "text/css; charset=utf-8"),
    ("/api/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
];

/// The document is made when it is first asked for: that takes longer than everything else at the start.
pub(crate) fn routes(document: impl Fn() -> Value + Send + Sync + 'static) -> Router {
    let document = move || document().to_string();
    let pages = Router::new()
        .route("/api/openapi.json", Fixed::made("application/json", document).route())
        .route("/api/docs", Fixed::page(PAGE, POLICY).route())
        .route("/api/docs/page.css", Fixed::new("text/css; charset=utf-8", STYLE).route())
        .route("/api/docs/icon.svg", Fixed::new("image/svg+xml", ICON).route())
        .route("/api/docs/start.js", Fixed::new("text/javascript; charset=utf-8", START).route());
    ASSETS.into_iter().fold(pages, |pages, (path, kind)| {
        let content = move || carried(path).unwrap_or_default();
        pages.route(path, Fixed::made(kind, content).kept().route())
    })
}

/// A file of the library. It answers at once, since its files are in memory.
fn carried(path: &str) -> Option<Bytes> {
    let library: Router = swagger_ui_dist::generate_routes(ApiDefinition {
        uri_prefix: "/api/docs",
        api_definition: OpenApiSource::Uri("/api/openapi.json"),
        title: Some("Tracewright API"),
    });
    let request = Request::get(path).body(Body::empty()).ok()?;
    let answer = library.oneshot(request).now_or_never()?.ok()?;
    Some(answer.into_body().collect().now_or_never()?.ok()?.to_bytes())
}
