//! Answers that stay the same as long as the program runs: compressed once for all, and not sent again to who has them.

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

/// What is smaller gains nothing by being compressed.
const WORTH_COMPRESSING: usize = 512;

/// An answer with this mark goes out as it is, and is not compressed on its way.
#[derive(Debug, Clone, Copy)]
pub struct AsItIs;

/// A page, or a file that a page needs.
pub struct Fixed {
    content_type: &'static str,
    cache: &'static str,
    policy: Option<&'static str>,
    plain: Bytes,
    made: OnceLock<Made>,
}

/// What is made of it when it is first asked for.
struct Made {
    /// Without the quotes.
    tag: String,
    packed: Option<Bytes>,
}

impl Fixed {
    /// Something that is asked about each time, and sent only when it has changed: a new version shows at once.
    pub fn new(content_type: &'static str, content: impl Into<Bytes>) -> Self {
        let (cache, plain) = ("public, no-cache", content.into());
        Self { content_type, cache, policy: None, plain, made: OnceLock::new() }
    }

    /// A page, with what it may load and do.
    pub fn page(content: &'static str, policy: &'static str) -> Self {
        Self { policy: Some(policy), ..Self::new("text/html; charset=utf-8", content) }
    }

    /// Not even asked about for an hour: it is large and changes with versions only.
    #[must_use]
    pub fn kept(self) -> Self {
        Self { cache: "public, max-age=3600", ..self }
    }

    pub fn route(self) -> MethodRouter {
        let fixed = Arc::new(self);
        get(async move |request: Request| fixed.answer(request.headers()).await)
    }

    async fn answer(self: Arc<Self>, headers: &HeaderMap) -> Response {
        if self.made.get().is_none() {
            let making = self.clone();
            let made = tokio::task::spawn_blocking(move || {
                making.made.get_or_init(|| Made::of(&making.plain));
            });
            if made.await.is_err() {
                return ApiError::internal("a fixed answer", None).into_response();
            }
        }
        match self.made.get() {
            Some(made) => self.response(made, headers),
            None => ApiError::internal("a fixed answer", None).into_response(),
        }
    }

    fn response(&self, made: &Made, asked: &HeaderMap) -> Response {
        let packed = made.packed.as_ref().filter(|_| takes_gzip(asked));
        let mut response = match has_already(asked, &made.tag) {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => Response::new(Body::from(packed.unwrap_or(&self.plain).clone())),
        };
        response.extensions_mut().insert(AsItIs);
        let headers = response.headers_mut();
        // The same content in another form is another thing to a cache.
        let tag = if packed.is_some() { format!("\"{}-gzip\"", made.tag) } else { format!("\"{}\"", made.tag) };
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

impl Made {
    fn of(plain: &Bytes) -> Self {
        let tag = hex(&Sha256::digest(plain)[..16]);
        let packed = (plain.len() >= WORTH_COMPRESSING).then(|| pack(plain)).flatten();
        Self { tag, packed }
    }
}

fn pack(plain: &[u8]) -> Option<Bytes> {
    let mut packing = GzEncoder::new(Vec::new(), Compression::default());
    packing.write_all(plain).ok()?;
    packing.finish().ok().map(Bytes::from)
}

/// Whether the client has one of the forms of this content.
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
