//! Answers that never change while the program runs: compressed once, or beforehand, and not sent again to clients that have
//! them.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use domain::text::hex;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::coding::{self, Coding};
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
    headers: Vec<(HeaderName, HeaderValue)>,
    make: Box<dyn Fn() -> Bytes + Send + Sync>,
    /// The other forms, if they are known beforehand.
    forms: Option<Vec<(Coding, Bytes)>>,
    rendered: OnceLock<Rendered>,
}

/// What is made when the content is first asked for.
struct Rendered {
    plain: Bytes,
    /// Without the quotes.
    tag: String,
    packed: Vec<(Coding, Bytes)>,
}

impl Fixed {
    /// Content that a client revalidates each time, so a new version shows at once.
    pub fn new(content_type: &'static str, content: impl Into<Bytes>) -> Self {
        let content = content.into();
        Self::made(content_type, move || content.clone())
    }

    /// Likewise, of content that is made when it is first asked for.
    pub fn made<T: Into<Bytes>>(content_type: &'static str, make: impl Fn() -> T + Send + Sync + 'static) -> Self {
        Self {
            content_type,
            cache: "public, no-cache",
            headers: Vec::new(),
            make: Box::new(move || make().into()),
            forms: None,
            rendered: OnceLock::new(),
        }
    }

    /// Likewise, of content that is there in all the forms it is ever sent in.
    pub fn packed(content_type: &'static str, content: impl Into<Bytes>, forms: Vec<(Coding, Bytes)>) -> Self {
        Self { forms: Some(forms), ..Self::new(content_type, content) }
    }

    /// A page, with its content security policy.
    pub fn page(content: &'static str, policy: &'static str) -> Self {
        Self::new("text/html; charset=utf-8", content).with(header::CONTENT_SECURITY_POLICY, policy)
    }

    /// Adds a header to every answer.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    /// Cached for an hour without revalidation: the content is large and only changes with the version.
    #[must_use]
    pub fn kept(self) -> Self {
        Self { cache: "public, max-age=3600", ..self }
    }

    /// Cached for good: other content would have another address.
    #[must_use]
    pub fn kept_forever(self) -> Self {
        Self { cache: "public, max-age=31536000, immutable", ..self }
    }

    pub fn route(self) -> MethodRouter {
        let fixed = Arc::new(self);
        get(async move |request: Request| fixed.answer(request.headers()).await)
    }

    /// The answer to a request with these headers.
    pub async fn answer(self: Arc<Self>, headers: &HeaderMap) -> Response {
        if self.rendered.get().is_none() {
            let making = self.clone();
            let rendered = tokio::task::spawn_blocking(move || {
                making.rendered.get_or_init(|| Rendered::of((making.make)(), making.forms.clone()));
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
        let (coding, content) = rendered.form(asked);
        let mut response = match has_already(asked, &rendered.tag) {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => Response::new(Body::from(content.clone())),
        };
        response.extensions_mut().insert(Uncompressed);
        let is_sent = response.status() == StatusCode::OK;
        let headers = response.headers_mut();
        headers.extend(HeaderValue::try_from(shown(&rendered.tag, coding)).ok().map(|tag| (header::ETAG, tag)));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(self.cache));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        headers.extend(self.headers.iter().cloned());
        if is_sent {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
            headers.extend(coding.map(|coding| (header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()))));
        }
        response
    }
}

impl Rendered {
    fn of(plain: Bytes, forms: Option<Vec<(Coding, Bytes)>>) -> Self {
        let tag = hex(&Sha256::digest(&plain)[..16]);
        let packed = forms.unwrap_or_else(|| {
            let gzip = (plain.len() >= WORTH_COMPRESSING).then(|| pack(&plain)).flatten();
            gzip.map(|bytes| (Coding::Gzip, bytes)).into_iter().collect()
        });
        Self { plain, tag, packed }
    }

    /// The form that this client likes best.
    fn form(&self, asked: &HeaderMap) -> (Option<Coding>, &Bytes) {
        let chosen = coding::choose(asked, self.packed.iter().map(|(coding, _)| *coding));
        match self.packed.iter().find(|(coding, _)| Some(*coding) == chosen) {
            Some((coding, packed)) => (Some(*coding), packed),
            None => (None, &self.plain),
        }
    }
}

fn pack(plain: &[u8]) -> Option<Bytes> {
    let mut packing = GzEncoder::new(Vec::new(), Compression::default());
    packing.write_all(plain).ok()?;
    packing.finish().ok().map(Bytes::from)
}

/// The tag of one form. To a cache, the same content in another encoding is a different thing.
fn shown(tag: &str, coding: Option<Coding>) -> String {
    match coding {
        Some(coding) => format!("\"{tag}-{}\"", coding.name()),
        None => format!("\"{tag}\""),
    }
}

/// Whether the client already has this content, in any encoding.
fn has_already(asked: &HeaderMap, tag: &str) -> bool {
    let known = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let forms = Coding::ALL.map(Some).into_iter().chain([None]).map(|coding| shown(tag, coding)).collect::<Vec<_>>();
    known.flat_map(|value| value.split(',')).map(str::trim).any(|known| {
        let known = known.strip_prefix("W/").unwrap_or(known);
        known == "*" || forms.iter().any(|form| form == known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_has_it_knows_in_every_form() {
        for (sent, has) in [
            ("\"t\"", true),
            ("W/\"t\"", true),
            ("\"x\", \"t-gzip\"", true),
            ("\"t-br\"", true),
            ("*", true),
            ("\"u\"", false),
            ("\"t-zstd\"", false),
            ("", false),
        ] {
            let asked = [(header::IF_NONE_MATCH, HeaderValue::from_static(sent))].into_iter().collect();
            assert_eq!(has_already(&asked, "t"), has, "{sent}");
        }
    }
}
