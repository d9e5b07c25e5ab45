//! Serving stored files: in ranges, cacheable by their content, and never as something that could run.

use std::ops::Range;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use percent_encoding::utf8_percent_encode;
use store::Tx;
use store::attachments::files::{self, File, Folder};

use super::{PLAIN, config_folder, media_type};
use crate::Result;
use crate::app::App;
use crate::auth::hex;
use crate::error::ApiError;

/// Files of configuration entries need no token: the sign-in page shows the logo.
pub(crate) fn routes(app: Arc<App>) -> Router {
    let config =
        async move |path: Result<Path<(String, String)>, PathRejection>, method: Method, headers: HeaderMap| {
            // What is no text is the name of nothing.
            let Ok(Path((key, name))) = path else { return ApiError::not_found("The file was").into_response() };
            serve(&app, &config_folder(&key), &name, &method, &headers).await
        };
    Router::new().route("/media/config/{key}/{filename}", get(config))
}

async fn serve(app: &App, folder: &Folder, name: &str, method: &Method, headers: &HeaderMap) -> Response {
    let absent = || ApiError::not_found("The file was").into_response();
    if domain::file_name::objection(name).is_some() || !domain::key::is_key(&folder.object_key) {
        return absent();
    }
    // Between the record and its bytes the file may have been replaced: then the new record leads to new bytes.
    for _ in 0..2 {
        match find(app, folder, name, method, headers).await {
            Ok(Some(response)) => return response,
            Ok(None) => {}
            Err(error) => return error.into_response(),
        }
    }
    absent()
}

/// None when there is no such file, or its bytes went while it was looked up.
async fn find(
    app: &App,
    folder: &Folder,
    name: &str,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Option<Response>> {
    let file = app.db.glance(async |tx: &mut Tx| files::find(tx, folder, name).await).await?;
    let Some(file) = file else { return Ok(None) };
    let etag = etag(&file);
    let asked_for = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if asked_for(header::IF_NONE_MATCH)
        .is_some_and(|known| known == "*" || known.split(',').any(|tag| tag.trim() == etag))
    {
        return Ok(Some(with_headers(StatusCode::NOT_MODIFIED, Body::empty(), &file, &etag)));
    }
    let size = u64::try_from(file.size).unwrap_or(0);
    let same = asked_for(header::IF_RANGE).is_none_or(|known| known == etag);
    let range = match asked_for(header::RANGE).filter(|_| same).map(|text| parse_range(text, size)) {
        None | Some(Asked::Everything) => None,
        Some(Asked::Part(range)) => Some(range),
        Some(Asked::Nothing) => {
            let mut response = with_headers(StatusCode::RANGE_NOT_SATISFIABLE, Body::empty(), &file, &etag);
            insert(&mut response, header::CONTENT_RANGE, &format!("bytes */{size}"));
            return Ok(Some(response));
        }
    };
    let body = if *method == Method::HEAD {
        Body::empty()
    } else {
        match app.media.get(&file.object, range.clone()).await {
            Ok(bytes) => Body::from_stream(bytes),
            Err(error) if error.is_not_found() => return Ok(None),
            Err(error) => return Err(ApiError::internal(&format!("reading a file: {error}"), None)),
        }
    };
    let status = if range.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let mut response = with_headers(status, body, &file, &etag);
    let length = range.as_ref().map_or(size, |range| range.end - range.start);
    insert(&mut response, header::CONTENT_LENGTH, &length.to_string());
    if let Some(range) = range {
        insert(&mut response, header::CONTENT_RANGE, &format!("bytes {}-{}/{size}", range.start, range.end - 1));
    }
    Ok(Some(response))
}

fn etag(file: &File) -> String {
    format!("\"{}\"", hex(&file.sha256))
}

fn insert(response: &mut Response, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

fn with_headers(status: StatusCode, body: Body, file: &File, etag: &str) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let place = if media_type::is_shown(&file.content_type) { "inline" } else { "attachment" };
    let name = utf8_percent_encode(&file.name, PLAIN);
    insert(&mut response, header::CONTENT_DISPOSITION, &format!("{place}; filename*=UTF-8''{name}"));
    insert(&mut response, header::CONTENT_TYPE, &file.content_type);
    insert(&mut response, header::ETAG, etag);
    insert(&mut response, header::ACCEPT_RANGES, "bytes");
    insert(&mut response, header::CACHE_CONTROL, "private, no-cache");
    insert(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    insert(&mut response, header::CONTENT_SECURITY_POLICY, "sandbox");
    response
}

#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Everything,
    Part(Range<u64>),
    /// A range that lies outside the file.
    Nothing,
}

/// One range of bytes; several at once, or what is no range, mean the whole file.
fn parse_range(text: &str, size: u64) -> Asked {
    let Some((first, last)) = text.strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return Asked::Everything;
    };
    let (first, last) = (first.trim(), last.trim());
    let range = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Ok(first), Err(_)) if last.is_empty() => first..size,
        (Err(_), Ok(length)) if first.is_empty() => size.saturating_sub(length)..size,
        _ => return Asked::Everything,
    };
    if range.start < range.end { Asked::Part(range) } else { Asked::Nothing }
}

#[cfg(test)]
mod tests {
    use super::{Asked, parse_range};

    #[test]
    fn ranges() {
        assert_eq!(parse_range("bytes=0-9", 100), Asked::Part(0..10));
        assert_eq!(parse_range("bytes=90-", 100), Asked::Part(90..100));
        assert_eq!(parse_range("bytes=-10", 100), Asked::Part(90..100));
        assert_eq!(parse_range("bytes=50-500", 100), Asked::Part(50..100));
        assert_eq!(parse_range("bytes=100-", 100), Asked::Nothing);
        assert_eq!(parse_range("bytes=-0", 100), Asked::Nothing);
        for whole in ["bytes=9-1", "bytes=1-2,5-6", "bytes", "lines=1-2", "bytes=a-b"] {
            assert_eq!(parse_range(whole, 100), Asked::Everything, "{whole}");
        }
    }
}
