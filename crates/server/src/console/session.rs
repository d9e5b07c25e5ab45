//! The cookie of the console: a browser hands its token in once, and keeps it where no script can read it.

use std::sync::Arc;

use api::auth::{Presented, Ruling, TokenRules, bearer, cookie};
use api::error::Unauthorized;
use api::{ApiError, App, Result, request, scope};
use axum::Router;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::routing::post;

pub(crate) fn routes(app: Arc<App>) -> Router {
    let hand_in = async move |request: Request| {
        let (parts, _) = request.into_parts();
        keep(&app, &parts).await.unwrap_or_else(IntoResponse::into_response)
    };
    Router::new().route("/console/session", post(hand_in).delete(async || answer(cookie::forget())))
}

/// Keeps the token in the header of the request, which has to be that of a session, until it ends.
async fn keep(app: &App, request: &Parts) -> Result<Response> {
    let Parts { method, headers, .. } = request;
    if !cookie::is_from_console(method, headers) {
        return Err(ApiError::forbidden("Only the web console keeps its token here."));
    }
    let token = bearer(headers).ok_or_else(|| ApiError::unauthorized(Unauthorized::Token))?;
    let rules = TokenRules { password_reset: Ruling::Forbidden, api: Ruling::Forbidden, expired: false };
    let https = request::is_https(request, &app.settings.trusted_proxies);
    let presented = Presented { method, headers, https, ticket: None, rules, required: scope!("auth:session:start") };
    let caller = app.guard.authenticate(&presented, &|_| {}).await?;
    let seconds = caller.expires_at.seconds() - app.now().seconds();
    let kept = cookie::keep(token, seconds, https);
    let kept = kept.ok_or_else(|| ApiError::internal("a token that no header can hold", None))?;
    Ok(answer([kept]))
}

fn answer(cookies: impl IntoIterator<Item = HeaderValue>) -> Response {
    let cookies = AppendHeaders(cookies.into_iter().map(|cookie| (header::SET_COOKIE, cookie)));
    (StatusCode::NO_CONTENT, [(header::CACHE_CONTROL, "no-store")], cookies).into_response()
}
