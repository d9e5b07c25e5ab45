//! Serves stored files: with ranges, cacheable by content, and never as anything that could run.

use std::ops::Range;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::key::MediaKey;
use domain::text::hex;
use percent_encoding::{percent_decode_str, utf8_percent_encode};
use schemars::{Schema, SchemaGenerator};
use store::Tx;
use store::attachments::files::{self, File, Folder};
use store::attachments::media_files::{self, MediaFile};

use super::folder::{Bucket, PLAIN, address, config_folder};
use crate::app::App;
use crate::auth::{self, Ruling, TokenRules};
use crate::error::ApiError;
use crate::receive::media_type;
use crate::reply::{Answer, FILE_TYPES, bytes_schema};
use crate::request::{self, Conditions};
use crate::{Result, scope};

/// Everything below `/media`.
pub(crate) fn routes(app: Arc<App>) -> Router {
    let any = async move |request: Request| {
        let (parts, _) = request.into_parts();
        let answer = serve_address(app, parts).await;
        answer.map_or_else(IntoResponse::into_response, |served| served.0)
    };
    Router::new().route("/media/{*path}", get(any))
}

/// Files of configuration entries need no token: the sign-in page shows the logo. All others need a token or a ticket.
async fn serve_address(app: Arc<App>, request: Parts) -> Result<Served> {
    let asked = parse_address(request.uri.path());
    let public = request.uri.path().starts_with("/media/config/");
    if !public {
        let query: Vec<(String, String)> =
            form_urlencoded::parse(request.uri.query().unwrap_or("").as_bytes()).into_owned().collect();
        let path = asked.as_ref().map(|(folder, name)| address(folder, name)).unwrap_or_default();
        let ticket = auth::ticket(&query, &path);
        let rules = TokenRules { password_reset: Ruling::Forbidden, api: Ruling::Pass, expired: false };
        let required = scope!("attachment:file:read");
        let (method, headers) = (&request.method, &request.headers);
        let https = request::is_https(&request, &app.settings.trusted_proxies);
        let presented = auth::Presented { method, headers, https, ticket, rules, required };
        app.guard.authenticate(&presented, &|_| {}).await?;
    }
    let (folder, name) = asked.ok_or_else(absent)?;
    let conditions = request::conditions(&request.method, &request.headers);
    serve(&app, &conditions, &RequestedFile::File(folder, name)).await
}

/// The folder and file name of an address. An address that could be read in more than one way, however it is encoded, names
/// nothing.
pub(super) fn parse_address(path: &str) -> Option<(Folder, String)> {
    let steps = path.strip_prefix("/media/")?.split('/');
    let steps: Option<Vec<String>> =
        steps.map(|step| Some(percent_decode_str(step).decode_utf8().ok()?.into_owned())).collect();
    let mut steps = steps?;
    if steps.iter().any(|step| domain::file_name::objection(step).is_some()) {
        return None;
    }
    let name = steps.pop()?;
    let mut steps = steps.into_iter();
    let (bucket, object_key) = (steps.next()?, steps.next()?);
    let subfolder = steps.collect::<Vec<_>>().join("/");
    if !domain::key::is_key(&object_key) {
        return None;
    }
    match bucket.as_str() {
        "config" if subfolder.is_empty() => Some((config_folder(&object_key), name)),
        bucket => Some((Folder { bucket: Bucket::named(bucket)?.name(), object_key, subfolder }, name)),
    }
}

fn absent() -> ApiError {
    ApiError::not_found("The file was")
}

/// The file a request names.
pub(super) enum RequestedFile {
    File(Folder, String),
    Media(MediaKey),
}

impl RequestedFile {
    async fn find(&self, app: &App) -> Result<Option<Servable>> {
        Ok(match self {
            RequestedFile::File(folder, name) => {
                app.db.glance(async |tx: &mut Tx| files::find(tx, folder, name).await).await?.map(Servable::from)
            }
            RequestedFile::Media(key) => {
                app.db.glance(async |tx: &mut Tx| media_files::find(tx, *key).await).await?.map(Servable::from)
            }
        })
    }
}

/// What serving needs to know about a file.
struct Servable {
    name: String,
    object: String,
    size: i64,
    content_type: String,
    sha256: Vec<u8>,
}

impl From<File> for Servable {
    fn from(file: File) -> Self {
        let File { name, object, size, content_type, sha256, .. } = file;
        Self { name, object, size, content_type, sha256 }
    }
}

impl From<MediaFile> for Servable {
    fn from(media: MediaFile) -> Self {
        let MediaFile { name, object, size, content_type, sha256, .. } = media;
        Self { name, object, size, content_type, sha256 }
    }
}

/// The bytes of a file.
pub(super) struct Served(Response);

impl Answer for Served {
    const MEDIA_TYPES: &'static [&'static str] = FILE_TYPES;
    const RANGES: bool = true;

    fn schema(_: &mut SchemaGenerator) -> Schema {
        bytes_schema()
    }

    fn body(&self, _: StatusCode) -> Result<String> {
        Err(ApiError::internal("bytes are no text", None))
    }

    fn into_response(self, _: StatusCode) -> Result<Response> {
        Ok(self.0)
    }
}

/// Answers with a file. If the file is replaced between reading its record and its bytes, reads the new record again.
pub(super) async fn serve(app: &App, conditions: &Conditions, requested: &RequestedFile) -> Result<Served> {
    for _ in 0..2 {
        let file = requested.find(app).await?.ok_or_else(absent)?;
        if let Some(response) = respond(app, conditions, &file).await? {
            return Ok(Served(response));
        }
    }
    Err(absent())
}

/// `None` if the bytes were erased while the file was looked up.
async fn respond(app: &App, conditions: &Conditions, file: &Servable) -> Result<Option<Response>> {
    let etag = format!("\"{}\"", hex(&file.sha256));
    let known = conditions.if_none_match.as_deref();
    if known.is_some_and(|known| known == "*" || known.split(',').any(|tag| tag.trim() == etag)) {
        return Ok(Some(with_headers(StatusCode::NOT_MODIFIED, Body::empty(), file, &etag)));
    }
    let size = u64::try_from(file.size).unwrap_or(0);
    let same = conditions.if_range.as_deref().is_none_or(|known| known == etag);
    let range = match conditions.range.as_deref().filter(|_| same).map(|text| parse_range(text, size)) {
        None | Some(ByteRange::Everything) => None,
        Some(ByteRange::Part(range)) => Some(range),
        Some(ByteRange::Nothing) => return Err(ApiError::range(size)),
    };
    let body = if conditions.head {
        Body::empty()
    } else {
        match app.media.get(&file.object, range.clone()).await {
            Ok(bytes) => Body::from_stream(bytes),
            Err(error) if error.is_not_found() => return Ok(None),
            Err(error) => return Err(ApiError::internal(&format!("reading a file: {error}"), None)),
        }
    };
    let status = if range.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let mut response = with_headers(status, body, file, &etag);
    let length = range.as_ref().map_or(size, |range| range.end - range.start);
    insert(&mut response, header::CONTENT_LENGTH, &length.to_string());
    if let Some(range) = range {
        insert(&mut response, header::CONTENT_RANGE, &format!("bytes {}-{}/{size}", range.start, range.end - 1));
    }
    Ok(Some(response))
}

fn insert(response: &mut Response, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

fn with_headers(status: StatusCode, body: Body, file: &Servable, etag: &str) -> Response {
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
enum ByteRange {
    Everything,
    Part(Range<u64>),
    /// A range outside the file.
    Nothing,
}

/// Parses one range of bytes; several ranges, or an invalid one, mean the whole file.
fn parse_range(text: &str, size: u64) -> ByteRange {
    let Some((first, last)) = text.strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return ByteRange::Everything;
    };
    let (first, last) = (first.trim(), last.trim());
    let range = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Ok(first), Err(_)) if last.is_empty() => first..size,
        (Err(_), Ok(length)) if first.is_empty() => size.saturating_sub(length)..size,
        _ => return ByteRange::Everything,
    };
    if range.start < range.end { ByteRange::Part(range) } else { ByteRange::Nothing }
}

#[cfg(test)]
mod tests {
    use super::{ByteRange, parse_address, parse_range};

    #[test]
    fn addresses_mean_one_file_or_nothing() {
        let (folder, name) = parse_address("/media/user/u1/a%20b/c/d.txt").unwrap();
        assert_eq!((folder.bucket, folder.object_key.as_str(), folder.subfolder.as_str()), ("user", "u1", "a b/c"));
        assert_eq!(name, "d.txt");
        for nothing in [
            "/media/user/u1",
            "/media/user//x",
            "/media/user/u1//x",
            "/media/user/%2e%2e/x",
            "/media/user/../x",
            "/media/user/u1/a%2fb",
            "/media/user/u1/a%5cb",
            "/media/user/u1/%00",
            "/media/user/u1/%ff",
            "/media/secret/u1/x",
            "/media/config/k/sub/x",
            "/media/user/u 1/x",
            "/media/user/u1/.tmp-x",
            "/etc/passwd",
        ] {
            assert!(parse_address(nothing).is_none(), "{nothing}");
        }
    }

    #[test]
    fn ranges() {
        assert_eq!(parse_range("bytes=0-9", 100), ByteRange::Part(0..10));
        assert_eq!(parse_range("bytes=90-", 100), ByteRange::Part(90..100));
        assert_eq!(parse_range("bytes=-10", 100), ByteRange::Part(90..100));
        assert_eq!(parse_range("bytes=50-500", 100), ByteRange::Part(50..100));
        assert_eq!(parse_range("bytes=100-", 100), ByteRange::Nothing);
        assert_eq!(parse_range("bytes=-0", 100), ByteRange::Nothing);
        for whole in ["bytes=9-1", "bytes=1-2,5-6", "bytes", "lines=1-2", "bytes=a-b"] {
            assert_eq!(parse_range(whole, 100), ByteRange::Everything, "{whole}");
        }
    }
}
