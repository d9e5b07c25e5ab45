//! Answers that never change while the program runs: compressed once, and not sent again to clients that have them.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use domain::text::hex;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::error::ApiError;

/// Smaller content gains nothing by compression.
const WORTH_COMPRESSING: usize = 512;

/// An answer with this extension is sent as it is, without compression.
#[derive(Debug, Clone, Copy)]
pub struct Uncompressed;

/// A page, or a file that a page needs.
pub struct Fixed {
    content_type: &'static str,
    cache: &'static str,
    policy: Option<&'static str>,
    make: Box<dyn Fn() -> Bytes + Send + Sync>,
    rendered: OnceLock<Rendered>,
}

/// What is made when the content is first asked for.
struct Rendered {
    plain: Bytes,
    /// Without the quotes.
    tag: String,
    packed: Option<Bytes>,
}

impl Fixed {
    /// Content that a client revalidates each time, so a new version shows at once.
    pub fn new(content_type: &'static str, content: impl Into<Bytes>) -> Self {
        let content = content.into();
        Self::made(content_type, move || content.clone())
    }

    /// Likewise, of content that is made when it is first asked for.
    pub fn made<T: Into<Bytes>>(content_type: &'static str, make: impl Fn() -> T + Send + Sync + 'static) -> Self {
        let make = Box::new(move || make().into());
        Self { content_type, cache: "public, no-cache", policy: None, make, rendered: OnceLock::new() }
    }

    /// A page, with its content security policy.
    pub fn page(content: &'static str, policy: &'static str) -> Self {
        Self { policy: Some(policy), ..Self::new("text/html; charset=utf-8", content) }
    }

    /// Cached for an hour without revalidation: the content is large and only changes with the version.
    #[must_use]
    pub fn kept(self) -> Self {
        Self { cache: "public, max-age=3600", ..self }
    }

    pub fn route(self) -> MethodRouter {
        let fixed = Arc::new(self);
        get(async move |request: Request| fixed.answer(request.headers()).await)
    }

    async fn answer(self: Arc<Self>, headers: &HeaderMap) -> Response {
        if self.rendered.get().is_none() {
            let making = self.clone();
            let rendered = tokio::task::spawn_blocking(move || {
                making.rendered.get_or_init(|| Rendered::of((making.make)()));
            });
            if rendered.await.is_err() {
                return ApiError::internal("a fixed answer", None).into_response();
            }
        }
        match self.rendered.get() {
            Some(rendered) => self.response(rendered, headers),
            None => ApiError::internal("a fixed answer", None).into_response(),
        }
    }

    fn response(&self, rendered: &Rendered, asked: &HeaderMap) -> Response {
        let packed = rendered.packed.as_ref().filter(|_| takes_gzip(asked));
        let mut response = match has_already(asked, &rendered.tag) {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => Response::new(Body::from(packed.unwrap_or(&rendered.plain).clone())),
        };
        response.extensions_mut().insert(Uncompressed);
        let headers = response.headers_mut();
        // To a cache, the same content in another encoding is a different thing.
        let tag = if packed.is_some() { format!("\"{}-gzip\"", rendered.tag) } else { format!("\"{}\"", rendered.tag) };
        headers.extend(HeaderValue::try_from(tag).ok().map(|tag| (header::ETAG, tag)));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(self.cache));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        headers.extend(self.policy.map(|policy| (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy))));
        if response.status() == StatusCode::OK {
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
            headers.extend(packed.map(|_| (header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))));
        }
        response
    }
}

impl Rendered {
    fn of(plain: Bytes) -> Self {
        let tag = hex(&Sha256::digest(&plain)[..16]);
        let packed = (plain.len() >= WORTH_COMPRESSING).then(|| pack(&plain)).flatten();
        Self { plain, tag, packed }
    }
}

fn pack(plain: &[u8]) -> Option<Bytes> {
    let mut packing = GzEncoder::new(Vec::new(), Compression::default());
    packing.write_all(plain).ok()?;
    packing.finish().ok().map(Bytes::from)
}

/// Whether the client already has this content, in any encoding.
fn has_already(asked: &HeaderMap, tag: &str) -> bool {
    let known = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    known.flat_map(|value| value.split(',')).map(str::trim).any(|known| {
        let known = known.strip_prefix("W/").unwrap_or(known).trim_matches('"');
        known == "*" || known.strip_suffix("-gzip").unwrap_or(known) == tag
    })
}

fn takes_gzip(asked: &HeaderMap) -> bool {
    let codings = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    codings.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight != Some(0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: header::HeaderName, value: &'static str) -> HeaderMap {
        [(name, HeaderValue::from_static(value))].into_iter().collect()
    }

    #[test]
    fn gzip_only_for_those_who_take_it() {
        for (sent, takes) in
            [("gzip", true), ("br, GZIP;q=0.5", true), ("gzip;q=0", false), ("br", false), ("*", false)]
        {
            assert_eq!(takes_gzip(&with(header::ACCEPT_ENCODING, sent)), takes, "{sent}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[test]
    fn what_a_client_has_it_knows_in_every_form() {
        for (sent, has) in [
            ("\"t\"", true),
            ("W/\"t\"", true),
            ("\"x\", \"t-gzip\"", true),
            ("*", true),
            ("\"u\"", false),
            ("", false),
        ] {
            assert_eq!(has_already(&with(header::IF_NONE_MATCH, sent), "t"), has, "{sent}");
        }
    }
}
