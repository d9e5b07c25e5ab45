//! The requests to webhooks. The service decides itself which address it connects to, follows no redirect and uses no proxy: whoever
//! may make a webhook must not get into networks that they could not reach otherwise.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use domain::notification::webhook::{Host, Scheme, WebhookUrl, may_reach};
use domain::text::hex;
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::rt::{Read, Write};
use hyper::{Method, Request, Response, StatusCode, header};
use hyper_util::rt::TokioIo;
use ipnet::IpNet;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use sha2::Sha256;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::turn::Due;

/// So many names are looked up at a time.
const LOOKUPS: usize = 8;
/// An answer that comes later counts as none.
const ANSWER: Duration = Duration::from_secs(10);
/// Until the next address of a name is tried.
const CONNECT: Duration = Duration::from_secs(3);
/// How long, and how far, the body of an answer is read: nobody keeps it, but the other side may want to send it.
const DRAIN: Duration = Duration::from_secs(1);
const MOST_ANSWER_BYTES: usize = 64 * 1024;

/// What came of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: Option<u16>,
    /// None if the event was delivered.
    pub(super) error: Option<&'static str>,
}

impl Answer {
    fn failed(error: &'static str) -> Self {
        Self { status: None, error: Some(error) }
    }

    fn of(status: StatusCode) -> Self {
        let error = if status.is_success() {
            None
        } else if status.is_redirection() {
            Some("redirect")
        } else {
            Some("http_status")
        };
        Self { status: Some(status.as_u16()), error }
    }

    /// For the metrics.
    pub(super) fn outcome(self) -> &'static str {
        self.error.unwrap_or("delivered")
    }
}

pub(super) struct Client {
    /// Networks that may be reached although they are not public.
    allowed: Vec<IpNet>,
    lookups: Arc<Semaphore>,
}

impl Client {
    pub(super) fn new(allowed: Vec<IpNet>) -> Self {
        Self { allowed, lookups: Arc::new(Semaphore::new(LOOKUPS)) }
    }

    /// Sends what is due and waits for the status of the answer.
    pub(super) async fn send(&self, due: &Due) -> Answer {
        match timeout(ANSWER, self.request(due)).await {
            Ok(Ok((answer, connection))) => {
                let status = answer.status();
                let _ = timeout(DRAIN, drain(answer.into_body())).await;
                drop(connection);
                Answer::of(status)
            }
            Ok(Err(error)) => Answer::failed(error),
            Err(_) => Answer::failed("timeout"),
        }
    }

    async fn request(&self, due: &Due) -> Result<(Response<Incoming>, Connection), &'static str> {
        let url = WebhookUrl::parse(&due.url).map_err(|_| "bad_url")?;
        let request = message(due, &url).ok_or("bad_url")?;
        let stream = self.connect(&url).await?;
        match url.scheme {
            Scheme::Http => exchange(TokioIo::new(stream), request).await,
            Scheme::Https => {
                let name = match url.host {
                    Host::Address(address) => ServerName::from(address),
                    Host::Name(name) => ServerName::try_from(name).map_err(|_| "bad_url")?,
                };
                let tls = TLS.clone().ok_or("tls_failed")?;
                let stream = TlsConnector::from(tls).connect(name, stream).await.map_err(|_| "tls_failed")?;
                exchange(TokioIo::new(stream), request).await
            }
        }
    }

    /// Asks the system for the addresses of a name. That takes a thread, which goes on though nobody waits for it any more, and keeps its
    /// permit.
    async fn look_up(&self, name: String, port: u16) -> Option<Vec<IpAddr>> {
        let permit = self.lookups.clone().acquire_owned().await.ok()?;
        let looking = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            addresses_of(&name, port)
        });
        looking.await.ok().flatten()
    }

    /// Connects to one of the host's addresses, none of which is used unless it may be reached.
    async fn connect(&self, url: &WebhookUrl) -> Result<TcpStream, &'static str> {
        let addresses: Vec<IpAddr> = match &url.host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => self.look_up(name.clone(), url.port).await.ok_or("name_not_found")?,
        };
        if addresses.is_empty() {
            return Err("name_not_found");
        }
        let mut reachable = addresses.into_iter().filter(|address| may_reach(*address, &self.allowed)).peekable();
        if reachable.peek().is_none() {
            return Err("blocked_address");
        }
        for address in reachable {
            if let Ok(Ok(stream)) = timeout(CONNECT, TcpStream::connect(SocketAddr::new(address, url.port))).await {
                return Ok(stream);
            }
        }
        Err("connection_failed")
    }
}

/// The addresses of a name.
fn addresses_of(name: &str, port: u16) -> Option<Vec<IpAddr>> {
    Some((name, port).to_socket_addrs().ok()?.map(|address| address.ip()).collect())
}

/// The request, the same at every attempt but for its number.
fn message(due: &Due, url: &WebhookUrl) -> Option<Request<Full<Bytes>>> {
    let request = Request::builder()
        .method(Method::POST)
        .uri(url.target.as_str())
        .header(header::HOST, url.authority.as_str())
        .header(header::USER_AGENT, concat!("Tracewright/", env!("CARGO_PKG_VERSION")))
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::CONNECTION, "close")
        .header("X-Tracewright-Event", due.event_type.as_str())
        .header("X-Tracewright-Delivery", due.delivery.to_string())
        .header("X-Tracewright-Attempt", due.attempt)
        .header("X-Tracewright-Signature", signature(&due.secret, &due.body)?)
        .body(Full::new(Bytes::from(due.body.clone())));
    request.ok()
}

fn signature(secret: &str, body: &str) -> Option<String> {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    Some(format!("sha256={}", hex(&mac.chain_update(body.as_bytes()).finalize().into_bytes())))
}

/// Drives a connection as long as it is held.
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> Result<(Response<Incoming>, Connection), &'static str>
where
    S: Read + Write + Unpin + Send + 'static,
{
    let (mut sender, driving) = http1::handshake(stream).await.map_err(|_| "no_answer")?;
    let connection = Connection(tokio::spawn(async move {
        let _ = driving.await;
    }));
    let answer = sender.send_request(request).await.map_err(|_| "no_answer")?;
    Ok((answer, connection))
}

async fn drain(mut body: Incoming) {
    let mut read = 0;
    while let Some(Ok(frame)) = body.frame().await {
        read += frame.data_ref().map_or(0, Bytes::len);
        if read > MOST_ANSWER_BYTES {
            return;
        }
    }
}

/// The certificates of the machine, read when the first webhook needs them.
static TLS: LazyLock<Option<Arc<ClientConfig>>> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder_with_provider(ring::default_provider().into());
    let config = config.with_safe_default_protocol_versions().ok()?;
    Some(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
});

#[cfg(test)]
mod tests {
    use domain::key::DeliveryKey;

    use super::*;

    /// The same as `printf '{}' | openssl dgst -sha256 -hmac 'sixteen letters!'`.
    #[test]
    fn a_request_says_what_it_is_and_is_signed() {
        let due = Due {
            delivery: DeliveryKey(1),
            rev: 1,
            seq: 7,
            event_type: "JOB_STARTED".to_owned(),
            attempt: 2,
            url: String::new(),
            secret: "sixteen letters!".to_owned(),
            body: "{}".to_owned(),
        };
        let url = WebhookUrl::parse("http://erp.example:81/a?b=c").unwrap();
        let request = message(&due, &url).unwrap();
        assert_eq!((request.method(), request.uri().to_string().as_str()), (&Method::POST, "/a?b=c"));
        let header = |name: &str| request.headers()[name].to_str().unwrap();
        assert_eq!((header("host"), header("content-type")), ("erp.example:81", "application/json"));
        assert_eq!((header("x-tracewright-event"), header("x-tracewright-attempt")), ("JOB_STARTED", "2"));
        assert_eq!(header("x-tracewright-delivery"), "0000000000001");
        assert_eq!(
            header("x-tracewright-signature"),
            "sha256=dd2df3dfe36aca02c4ab32c8c66d33aafd658fbc9ff601e6720866df4ea36eb9"
        );
    }

    #[tokio::test]
    async fn a_lookup_waits_for_its_turn() {
        let client = Client::new(Vec::new());
        assert!(client.look_up("localhost".to_owned(), 80).await.unwrap().iter().all(IpAddr::is_loopback));
        let all = client.lookups.clone().acquire_many_owned(LOOKUPS as u32).await.unwrap();
        let mut waiting = std::pin::pin!(client.look_up("localhost".to_owned(), 80));
        assert!(timeout(Duration::from_millis(50), &mut waiting).await.is_err());
        drop(all);
        assert!(waiting.await.is_some());
    }

    #[test]
    fn only_2xx_is_a_delivery() {
        let error = |status: u16| Answer::of(StatusCode::from_u16(status).unwrap()).error;
        assert_eq!([200, 204, 299].map(error), [None; 3]);
        assert_eq!([301, 302, 307].map(error), [Some("redirect"); 3]);
        assert_eq!([400, 404, 500].map(error), [Some("http_status"); 3]);
    }
}
