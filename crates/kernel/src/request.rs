//! Facts about a request besides its parts: its id, its client's address, what it accepts.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use domain::Fault;
use ipnet::IpNet;
use serde_json::json;

use crate::random::random_bytes;

pub(crate) const REQUEST_ID: &str = "x-request-id";
pub(crate) const LAST_EVENT_ID: &str = "Last-Event-ID";

/// The id of the request, made once.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(pub(crate) String);

/// Facts about the request that don't depend on the caller.
#[derive(Debug, Clone)]
pub struct RequestInfo {
    pub id: String,
    pub address: IpAddr,
    pub user_agent: Option<String>,
    pub conditions: Conditions,
    /// The media types that the client asks for by name, each with its weight in thousandths.
    pub accept: Vec<(String, u16)>,
    /// The revision the client expects the record to have.
    pub if_match: Option<String>,
    /// `Last-Event-ID`, as it was sent.
    last_event_id: Option<String>,
}

impl RequestInfo {
    /// Whether the client names this media type, not only a wildcard that matches it.
    pub fn accepts(&self, media_type: &str) -> bool {
        self.weight_of(media_type) > 0
    }

    /// Whether the client names the first of two media types, and wants it more than the other, or as much as any.
    pub fn prefers(&self, media_type: &str, other: &str) -> bool {
        let (kind, _) = other.split_once('/').unwrap_or((other, ""));
        let weight = self.weight_of(media_type);
        let any = self.named(&format!("{kind}/*")).or_else(|| self.named("*/*")).unwrap_or(0);
        weight > 0 && self.named(other).map_or(weight >= any, |other| weight > other)
    }

    fn weight_of(&self, media_type: &str) -> u16 {
        self.named(media_type).unwrap_or(0)
    }

    /// The weight of what is named so.
    fn named(&self, media_range: &str) -> Option<u16> {
        let named = self.accept.iter().filter(|(name, _)| name.eq_ignore_ascii_case(media_range));
        named.map(|(_, weight)| *weight).max()
    }

    /// The number of the last message that the client has received of a stream, or what is wrong with it.
    pub fn last_event(&self) -> Result<Option<i64>, Box<Fault>> {
        let Some(sent) = self.last_event_id.as_deref() else { return Ok(None) };
        if sent.is_empty() || !sent.bytes().all(|byte| byte.is_ascii_digit()) {
            let loc = ["header".into(), LAST_EVENT_ID.into()];
            let why = "Must be the number of a message.";
            return Err(Box::new(Fault::new("int_parsing", &loc, why, &json!(sent))));
        }
        // However large it is, it is a number: beyond all that there are.
        Ok(Some(sent.parse().unwrap_or(i64::MAX)))
    }
}

/// Conditional and range headers for a file.
#[derive(Debug, Clone, Default)]
pub struct Conditions {
    pub if_none_match: Option<String>,
    pub if_range: Option<String>,
    pub range: Option<String>,
    /// Only the headers are requested.
    pub head: bool,
}

pub fn conditions(method: &Method, headers: &HeaderMap) -> Conditions {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    Conditions {
        if_none_match: text(header::IF_NONE_MATCH),
        if_range: text(header::IF_RANGE),
        range: text(header::RANGE),
        head: *method == Method::HEAD,
    }
}

pub(crate) fn info(parts: &Parts, trusted: &[IpNet]) -> RequestInfo {
    RequestInfo {
        id: parts.extensions.get::<RequestId>().map_or_else(|| request_id(&parts.headers), |id| id.0.clone()),
        address: client_address(peer(parts), &parts.headers, trusted),
        conditions: conditions(&parts.method, &parts.headers),
        accept: accepted(&parts.headers),
        last_event_id: parts
            .headers
            .get(LAST_EVENT_ID)
            .map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned()),
        // One that is no text fits no revision.
        if_match: parts
            .headers
            .get(header::IF_MATCH)
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
        user_agent: parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).map(|text| {
            // Enough to recognise a device.
            text.chars().take(256).collect()
        }),
    }
}

/// Who is at the other end of the connection.
fn peer(parts: &Parts) -> IpAddr {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |info| info.0.ip().to_canonical())
}

/// Whether the client reached the service by https, as a trusted proxy says, or the browser by the origin of its page. Whoever
/// lies about the latter fools nobody else.
pub fn is_https(parts: &Parts, trusted: &[IpNet]) -> bool {
    let sent = |name: &str| parts.headers.get(name).map_or(&b""[..], HeaderValue::as_bytes);
    let is_trusted = || trusted.iter().any(|network| network.contains(&peer(parts)));
    sent("origin").starts_with(b"https://")
        || (is_trusted() && first(sent("x-forwarded-proto")).eq_ignore_ascii_case(b"https"))
}

/// The first of several values: what the outermost proxy saw.
fn first(values: &[u8]) -> &[u8] {
    values.split(|byte| *byte == b',').next().unwrap_or_default().trim_ascii()
}

fn accepted(headers: &HeaderMap) -> Vec<(String, u16)> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let named = values.flat_map(|value| value.split(',')).map(|one| {
        let mut parts = one.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_owned();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        let weight = weight.and_then(|weight| weight.parse().ok()).filter(|weight| (0.0..=1.0).contains(weight));
        (name, (weight.unwrap_or(1.0_f32) * 1000.0) as u16)
    });
    named.filter(|(name, _)| !name.is_empty()).collect()
}

/// The client's own id if it is acceptable, otherwise a new one.
pub(crate) fn request_id(headers: &HeaderMap) -> String {
    let sent = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    match sent {
        Some(id) if (1..=128).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic()) => id.to_owned(),
        _ => new_request_id(),
    }
}

/// Unique across requests and nodes. It protects nothing, so it need not be random, and costs no system call.
pub fn new_request_id() -> String {
    static START: LazyLock<u64> = LazyLock::new(|| u64::from_le_bytes(random_bytes()));
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = START.wrapping_add(COUNT.fetch_add(1, Ordering::Relaxed));
    format!("{number:016x}")
}

/// The last address that a trusted proxy vouches for: walks `X-Forwarded-For` backwards while the hops are trusted.
fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut address = peer;
    // As bytes: whatever a client puts at the front does not affect what the proxies appended.
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

/// An address, with a port if a proxy adds one.
fn hop_address(hop: &[u8]) -> Option<IpAddr> {
    let hop = std::str::from_utf8(hop).ok()?.trim();
    let plain = hop.strip_prefix('[').and_then(|hop| hop.strip_suffix(']')).unwrap_or(hop);
    plain.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|hop| hop.ip()))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    #[test]
    fn https_is_told_by_a_trusted_proxy_or_by_the_page() {
        let is = |headers: &[(&str, &str)], trusted: &[IpNet]| {
            let request =
                headers.iter().fold(Request::builder(), |request, (name, value)| request.header(*name, *value));
            is_https(&request.body(()).unwrap().into_parts().0, trusted)
        };
        let local: [IpNet; 1] = ["127.0.0.0/8".parse().unwrap()];
        assert!(!is(&[], &local));
        assert!(is(&[("x-forwarded-proto", "HTTPS")], &local));
        assert!(is(&[("x-forwarded-proto", "https, http")], &local), "two proxies");
        assert!(!is(&[("x-forwarded-proto", "http")], &local));
        assert!(!is(&[("x-forwarded-proto", "http, https")], &local));
        assert!(!is(&[("x-forwarded-proto", "https")], &[]), "nobody is trusted");
        assert!(is(&[("origin", "https://trace.plant.example")], &[]));
        assert!(!is(&[("origin", "http://trace.plant.example")], &[]));
    }

    #[test]
    fn an_if_match_that_is_no_text_fits_no_revision() {
        let request = Request::builder().header(header::IF_MATCH, HeaderValue::from_bytes(b"\xe9").unwrap());
        let info = info(&request.body(()).unwrap().into_parts().0, &[]);
        assert_eq!(info.if_match.as_deref(), Some("\u{fffd}"));
    }

    #[test]
    fn media_types_are_weighed() {
        let prefers_csv = |accept: &str| {
            let request = Request::builder().header(header::ACCEPT, accept).body(()).unwrap();
            info(&request.into_parts().0, &[]).prefers("text/csv", "application/json")
        };
        let csv = [
            "text/csv",
            "text/csv, */*",
            "TEXT/CSV; charset=utf-8",
            "application/json;q=0.5, text/csv;q=0.9",
            "application/json;q=0.5, */*, text/csv;q=0.9",
            "text/csv;q=NaN",
        ];
        for accept in csv {
            assert!(prefers_csv(accept), "{accept}");
        }
        let json = [
            "",
            "*/*",
            "text/csv, application/json",
            "text/csv;q=0, */*",
            "application/json, text/csv;q=0.1",
            "text/csv;q=0.3, */*;q=0.9",
            "application/*;q=0.9, text/csv;q=0.5",
        ];
        for accept in json {
            assert!(!prefers_csv(accept), "{accept}");
        }
    }

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
}
