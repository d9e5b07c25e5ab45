//! How the files of the console are sent: each under its address, packed as the client likes it, and cached for as long as its
//! name tells.

use std::collections::HashMap;
use std::sync::Arc;

use api::coding::Coding;
use api::fixed::Fixed;
use axum::body::Bytes;
use axum::http::{HeaderName, header};

use super::ConsoleFile;

/// Nothing from other hosts, no inline script, no framing. Styles may be inline: the components set sizes and places that way.
/// Pictures and documents that were downloaded are shown from memory (`blob:`).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
                      frame-src 'self' blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What a page may not do besides.
const ON_PAGES: [(HeaderName, &str); 3] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
];

/// Names below it change with the content.
const HASHED: &str = "/assets/";

pub(super) fn answers(files: &[ConsoleFile]) -> HashMap<&'static str, Arc<Fixed>> {
    let known: HashMap<&str, &'static [u8]> = files.iter().copied().collect();
    let packed = |address: &str, coding: Coding| known.get(format!("{address}{}", coding.ending()).as_str()).copied();
    let is_packed = |address: &str| {
        Coding::ALL
            .into_iter()
            .any(|coding| address.strip_suffix(coding.ending()).is_some_and(|plain| known.contains_key(plain)))
    };
    let plain = files.iter().filter(|file| !is_packed(file.0));
    plain
        .map(|&(address, content)| {
            let form = |coding| Some((coding, Bytes::from_static(packed(address, coding)?)));
            let forms = Coding::ALL.into_iter().filter_map(form).collect();
            (address, Arc::new(answer(address, content, forms)))
        })
        .collect()
}

fn answer(address: &str, content: &'static [u8], forms: Vec<(Coding, Bytes)>) -> Fixed {
    let kind = content_type(address);
    let file = Fixed::packed(kind, content, forms);
    let file = if address.starts_with(HASHED) { file.kept_forever() } else { file };
    if kind.starts_with("text/html") {
        ON_PAGES.into_iter().fold(file, |file, (name, value)| file.with(name, value))
    } else {
        file
    }
}

/// By the end of the name; the build of the console makes no others.
fn content_type(address: &str) -> &'static str {
    match address.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
