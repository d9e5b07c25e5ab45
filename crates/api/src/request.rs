//! Reading what surrounds a request: its id, its sender's address, its body.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use bytes::BytesMut;
use domain::json::{self, Objection};
use futures_util::{FutureExt, StreamExt};
use http_body_util::BodyExt;
use ipnet::IpNet;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout, timeout_at};

use crate::Result;
use crate::aside;
use crate::auth::random_bytes;
use crate::cx::RequestInfo;
use crate::error::ApiError;
use crate::frame::RequestId;
use crate::input::PlaceOf;
use crate::memory::{Share, UNCOUNTED};
use crate::operation::Operation;

/// How long a client may take to send a body that is kept in memory, or the next piece of one that is not.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// Of a body that is too large, so many bytes are read on.
const PASSED_OVER: usize = 64 * 1024 * 1024;

pub(crate) const REQUEST_ID: &str = "x-request-id";

/// What a client knows of a file already, or wants of it.
#[derive(Debug, Clone, Default)]
pub struct Conditions {
    pub if_none_match: Option<String>,
    pub if_range: Option<String>,
    pub range: Option<String>,
    /// Only the headers.
    pub head: bool,
}

pub(crate) fn conditions(method: &Method, headers: &HeaderMap) -> Conditions {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    Conditions {
        if_none_match: text(header::IF_NONE_MATCH),
        if_range: text(header::IF_RANGE),
        range: text(header::RANGE),
        head: *method == Method::HEAD,
    }
}

pub(crate) fn info(parts: &Parts, trusted: &[IpNet]) -> RequestInfo {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |info| info.0.ip().to_canonical());
    RequestInfo {
        id: parts.extensions.get::<RequestId>().map_or_else(|| request_id(&parts.headers), |id| id.0.clone()),
        address: client_address(peer, &parts.headers, trusted),
        conditions: conditions(&parts.method, &parts.headers),
        accept: accepted(&parts.headers),
        if_match: parts.headers.get(header::IF_MATCH).and_then(|value| value.to_str().ok()).map(str::to_owned),
        user_agent: parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).map(|text| {
            // Enough to recognise a device by.
            text.chars().take(256).collect()
        }),
    }
}

fn accepted(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let names = values.flat_map(|value| value.split(',')).map(|one| one.split(';').next().unwrap_or("").trim());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The sender's own id when it is sensible, else a new one.
pub(crate) fn request_id(headers: &HeaderMap) -> String {
    let sent = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    match sent {
        Some(id) if (1..=128).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic()) => id.to_owned(),
        _ => new_request_id(),
    }
}

/// Different for every request of every node; it guards nothing, so it need not be random, and costs no system call.
pub fn new_request_id() -> String {
    static START: LazyLock<u64> = LazyLock::new(|| u64::from_le_bytes(random_bytes()));
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = START.wrapping_add(COUNT.fetch_add(1, Ordering::Relaxed));
    format!("{number:016x}")
}

/// The last address that a trusted proxy vouches for: walks `X-Forwarded-For` from its end while the hops are trusted.
fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut address = peer;
    // As bytes: what a client puts at the front, whatever it is, says nothing of what the proxies added behind it.
    let forwarded = headers.get_all("x-forwarded-for").iter().map(HeaderValue::as_bytes);
    let hops: Vec<&[u8]> = forwarded.flat_map(|value| value.split(|byte| *byte == b',')).collect();
    for hop in hops.into_iter().rev() {
        if !is_trusted(&address) {
            break;
        }
        match hop_address(hop) {
            Some(next) => address = next.to_canonical(),
            None => break,
        }
    }
    address
}

/// An address, with a port where a proxy adds one.
fn hop_address(hop: &[u8]) -> Option<IpAddr> {
    let hop = std::str::from_utf8(hop).ok()?.trim();
    let plain = hop.strip_prefix('[').and_then(|hop| hop.strip_suffix(']')).unwrap_or(hop);
    plain.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|hop| hop.ip()))
}

/// The body as its reader wants it.
pub(crate) enum Received {
    /// All of it; of JSON, whether anything speaks against reading it.
    Whole(Bytes, Option<Objection>),
    /// An upload, read while it arrives.
    Arriving(Body),
}

/// 415 for a body of the wrong kind, 413 for one that is too large; otherwise the body. What it takes in memory, also once it is
/// read, is taken from the request's share.
pub(crate) async fn body(
    headers: &HeaderMap,
    body: Body,
    place: Option<PlaceOf>,
    operation: &Operation,
    share: &Mutex<Share>,
) -> Result<Received> {
    let limit = operation.body_limit;
    let Some(wanted) = place.and_then(PlaceOf::media_type) else {
        // Nothing is expected: what is sent all the same is passed over, unread.
        return Ok(Received::Whole(Bytes::new(), None));
    };
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let sent_as = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if place == Some(PlaceOf::JsonOrMultipartBody) && is_media_type(sent_as, MULTIPART) {
        return Ok(Received::Arriving(body));
    }
    match headers.get(header::CONTENT_TYPE) {
        Some(sent) if !is_media_type(sent.to_str().unwrap_or(""), wanted) => {
            return Err(ApiError::content_type(wanted));
        }
        None if declared != Some(0) && !http_body::Body::is_end_stream(&body) => {
            return Err(ApiError::content_type(wanted));
        }
        _ => {}
    }
    if place == Some(PlaceOf::MultipartBody) {
        return Ok(Received::Arriving(body));
    }
    if declared.is_some_and(|bytes| bytes > limit) {
        pass_over(body).await;
        return Err(ApiError::too_large(limit as u64));
    }
    let whole = timeout(PATIENCE, collect(body, limit, share)).await.unwrap_or_else(|_| Err(ApiError::body_cut()))?;
    if place == Some(PlaceOf::FormBody) {
        return Ok(Received::Whole(whole, None));
    }
    let measured = whole.clone();
    let extent = aside::run(whole.len(), move || json::measure(&measured)).await;
    let objection = extent.objection();
    // Of a small body nothing counts, whatever it holds.
    if objection.is_none() && !operation.piecemeal && whole.len() > UNCOUNTED {
        share.lock().take(extent.weight() - whole.len())?;
    }
    Ok(Received::Whole(whole, objection))
}

/// The body, and whether all of it has arrived together with the head, as that of a small request does.
pub(crate) fn begun(mut body: Body) -> (Body, bool) {
    if http_body::Body::is_end_stream(&body) {
        return (body, true);
    }
    match body.frame().now_or_never() {
        None => (body, false),
        Some(Some(Ok(frame))) => {
            let first = frame.into_data().unwrap_or_default();
            if http_body::Body::is_end_stream(&body) {
                return (Body::from(first), true);
            }
            let first = futures_util::stream::once(std::future::ready(Ok(first)));
            (Body::from_stream(first.chain(body.into_data_stream())), false)
        }
        Some(Some(Err(error))) => {
            let failed = futures_util::stream::once(std::future::ready(Err::<Bytes, _>(error)));
            (Body::from_stream(failed), false)
        }
        Some(None) => (Body::empty(), true),
    }
}

/// A body that is cut off when it takes longer than that in all: whoever sends a byte now and then holds no file open for ever.
pub(crate) fn within(time: Duration, body: Body) -> Body {
    let end = Instant::now() + time;
    let pieces = futures_util::stream::unfold(Some((body.into_data_stream(), end)), async |state| {
        let (mut stream, end) = state?;
        match timeout_at(end, stream.next()).await {
            Ok(piece) => piece.map(|piece| (piece.map_err(std::io::Error::other), Some((stream, end)))),
            Err(_) => Some((Err(std::io::ErrorKind::TimedOut.into()), None)),
        }
    });
    Body::from_stream(pieces)
}

async fn collect(mut body: Body, limit: usize, share: &Mutex<Share>) -> Result<Bytes> {
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| ApiError::body_cut())?.into_data() else { continue };
        if first.len() + all.len() + data.len() > limit {
            pass_over(body).await;
            return Err(ApiError::too_large(limit as u64));
        }
        let taken = share.lock().take(data.len());
        if let Err(error) = taken {
            drop((first, all));
            pass_over(body).await;
            return Err(error);
        }
        // Most bodies come in one piece, which need not be copied.
        if first.is_empty() && all.is_empty() {
            first = data;
        } else {
            all.extend_from_slice(&std::mem::take(&mut first));
            all.extend_from_slice(&data);
        }
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}

/// Reads on for a moment without keeping anything: a connection that is closed while the client still sends is reset, and
/// the answer may be lost with it.
async fn pass_over(mut body: Body) {
    let reading = async {
        let mut read = 0;
        while let Some(Ok(frame)) = body.frame().await {
            read += frame.into_data().map_or(0, |data| data.len());
            if read > PASSED_OVER {
                break;
            }
        }
    };
    let _ = timeout(Duration::from_secs(2), reading).await;
}

pub(crate) const MULTIPART: &str = "multipart/form-data";

pub(crate) fn is_media_type(sent: &str, wanted: &str) -> bool {
    let sent = sent.split(';').next().unwrap_or("").trim();
    sent.eq_ignore_ascii_case(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(peer: &str, forwarded: &str, trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", HeaderValue::from_bytes(forwarded.as_bytes()).unwrap());
        let trusted: Vec<IpNet> = trusted.iter().map(|network| network.parse().unwrap()).collect();
        client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(from("203.0.113.9", "10.0.0.1", &[]), "203.0.113.9");
        assert_eq!(from("127.0.0.1", "198.51.100.7", &["127.0.0.0/8"]), "198.51.100.7");
        assert_eq!(from("127.0.0.1", "1.2.3.4, 198.51.100.7", &["127.0.0.0/8"]), "198.51.100.7");
        assert_eq!(from("127.0.0.1", "198.51.100.7, 10.0.0.2", &["127.0.0.0/8", "10.0.0.0/8"]), "198.51.100.7");
        assert_eq!(from("127.0.0.1", "nonsense", &["127.0.0.0/8"]), "127.0.0.1");
    }

    #[test]
    fn what_a_client_puts_in_front_hides_nobody() {
        let trusted = &["127.0.0.0/8", "10.0.0.0/8"];
        assert_eq!(from("127.0.0.1", "é, 198.51.100.7", trusted), "198.51.100.7");
        assert_eq!(from("127.0.0.1", "é,198.51.100.7 ,\t10.0.0.2", trusted), "198.51.100.7");
        assert_eq!(from("127.0.0.1", ",,, 198.51.100.7", trusted), "198.51.100.7");
        assert_eq!(from("127.0.0.1", "198.51.100.7, é", trusted), "127.0.0.1");
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", HeaderValue::from_bytes(b"\xff\xfe").unwrap());
        headers.append("x-forwarded-for", HeaderValue::from_static("198.51.100.7"));
        let trusted = ["127.0.0.0/8".parse().unwrap()];
        assert_eq!(client_address(IpAddr::V4(Ipv4Addr::LOCALHOST), &headers, &trusted).to_string(), "198.51.100.7");
    }

    #[test]
    fn proxies_may_add_a_port() {
        let trusted = &["127.0.0.0/8"];
        assert_eq!(from("127.0.0.1", "198.51.100.7:4711", trusted), "198.51.100.7");
        assert_eq!(from("127.0.0.1", "[2001:db8::1]:4711", trusted), "2001:db8::1");
        assert_eq!(from("127.0.0.1", "[2001:db8::1]", trusted), "2001:db8::1");
        assert_eq!(from("127.0.0.1", "::ffff:198.51.100.7", trusted), "198.51.100.7");
    }

    #[test]
    fn parameters_of_a_media_type_do_not_count() {
        assert!(is_media_type("Application/JSON; charset=utf-8", "application/json"));
        assert!(!is_media_type("text/json", "application/json"));
    }
}
