//! Calls operations of the service in process, as a client on the network would.

use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Method, Request, header};
use serde_json::Value;
use tower::ServiceExt;

use super::Told;
use super::files::File;
use super::story::people::Account;
use crate::site::StartError;

/// Separates the parts of an upload; no file of the plant holds it.
const BOUNDARY: &str = "part-of-the-demonstration-plant";

pub(super) struct Client {
    router: Router,
}

/// What a request carries.
pub(super) enum Content {
    Nothing,
    Json(Value),
    Form(Vec<(&'static str, String)>),
    /// Fields, then files under the name of their part.
    Upload(Vec<(&'static str, String)>, Vec<(&'static str, File)>),
}

pub(super) struct Call<'a> {
    pub(super) who: &'a Account,
    pub(super) token: Option<&'a str>,
    pub(super) method: Method,
    /// Below `/api`, with its query.
    pub(super) path: &'a str,
    pub(super) content: Content,
}

impl Client {
    pub(super) fn new(router: Router) -> Self {
        Self { router }
    }

    /// The answer, if the service did what it was asked for.
    pub(super) async fn send(&self, call: Call<'_>) -> Told<Value> {
        let asked = describe(&call);
        let stopped = |why: String| StartError::Other(format!("the demonstration stopped at {asked}: {why}"));
        let request = request(call).map_err(|error| stopped(error.to_string()))?;
        let response = self.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.map_err(|error| stopped(error.to_string()))?;
        if !status.is_success() {
            return Err(stopped(format!("it was answered with {status}: {}", reason(&bytes))));
        }
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        domain::json::read(&bytes).map_err(|error| stopped(error.to_string()))
    }
}

/// Why an answer refuses, without what it repeats of the request.
fn reason(answer: &[u8]) -> String {
    let answer: Value = domain::json::read(answer).unwrap_or_default();
    let said = ["/detail", "/detail/message", "/detail/0/msg"].iter().find_map(|at| answer.pointer(at)?.as_str());
    said.unwrap_or("no reason was given").to_owned()
}

/// Who asked for what, without what must stay secret.
fn describe(call: &Call) -> String {
    let event = match &call.content {
        Content::Json(body) => body.get("event_type").or_else(|| body.pointer("/shared_data/event_type")),
        _ => None,
    };
    let event = event.and_then(Value::as_str).map(|name| format!(" {name}")).unwrap_or_default();
    format!("{} {}{event} by {}", call.method, call.path, call.who.username)
}

fn request(call: Call) -> Result<Request<Body>, axum::http::Error> {
    let (content_type, body) = encode(call.content);
    let mut request = Request::builder()
        .method(call.method)
        .uri(format!("/api{}", call.path))
        .header(header::USER_AGENT, call.who.device)
        .body(Body::from(body))?;
    let headers = request.headers_mut();
    if let Some(content_type) = content_type.and_then(|text| HeaderValue::from_str(&text).ok()) {
        headers.insert(header::CONTENT_TYPE, content_type);
    }
    if let Some(token) = call.token.and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok()) {
        headers.insert(header::AUTHORIZATION, token);
    }
    // An address from the block that is reserved for documentation.
    let address = SocketAddr::from((Ipv4Addr::new(192, 0, 2, call.who.host), 50_000));
    request.extensions_mut().insert(ConnectInfo(address));
    Ok(request)
}

fn encode(content: Content) -> (Option<String>, Vec<u8>) {
    match content {
        Content::Nothing => (None, Vec::new()),
        Content::Json(body) => (Some("application/json".to_owned()), body.to_string().into_bytes()),
        Content::Form(fields) => {
            let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", escape(value))).collect();
            (Some("application/x-www-form-urlencoded".to_owned()), pairs.join("&").into_bytes())
        }
        Content::Upload(fields, files) => {
            (Some(format!("multipart/form-data; boundary={BOUNDARY}")), upload(&fields, &files))
        }
    }
}

fn upload(fields: &[(&str, String)], files: &[(&str, File)]) -> Vec<u8> {
    let mut body = Vec::new();
    let mut part = |head: String, bytes: &[u8]| {
        body.extend(format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n").into_bytes());
        body.extend(bytes);
        body.extend(b"\r\n");
    };
    for (name, value) in fields {
        part(format!("name=\"{name}\""), value.as_bytes());
    }
    for (name, file) in files {
        part(format!("name=\"{name}\"; filename=\"{}\"", file.name), &file.bytes);
    }
    body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    body
}

/// A text as part of a form or a query.
pub(super) fn escape(text: &str) -> String {
    let escaped = |byte: u8| match byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_byte_by_byte() {
        assert_eq!(escape("a b&c=d%é-_."), "a%20b%26c%3Dd%25%C3%A9-_.");
    }

    #[test]
    fn a_reason_is_the_message_and_nothing_else() {
        let of = |answer: &str| reason(answer.as_bytes());
        assert_eq!(of(r#"{"detail":"The user was not found."}"#), "The user was not found.");
        assert_eq!(of(r#"{"detail":{"message":"Too old.","token":"secret"}}"#), "Too old.");
        assert_eq!(of(r#"{"detail":[{"msg":"Too short.","input":"secret"}]}"#), "Too short.");
        assert_eq!(of("secret"), "no reason was given");
    }

    #[test]
    fn an_upload_has_its_fields_before_its_files() {
        let file = File { name: "a.txt".to_owned(), bytes: b"seen".to_vec() };
        let body = String::from_utf8(upload(&[("bucket", "product".to_owned())], &[("contents", file)])).unwrap();
        let expected = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"bucket\"\r\n\r\nproduct\r\n\
             --{BOUNDARY}\r\nContent-Disposition: form-data; name=\"contents\"; filename=\"a.txt\"\r\n\r\nseen\r\n\
             --{BOUNDARY}--\r\n"
        );
        assert_eq!(body, expected);
    }
}
