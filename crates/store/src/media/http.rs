//! HTTP to the storage: hyper with rustls and ring, the certificates of the machine, and an end to every wait.

use std::error::Error;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::client::{
    ClientConfigKey, HttpClient, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};
use object_store::{ClientOptions, Result};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;

const CONNECT: Duration = Duration::from_secs(5);
/// Until the answer begins; the request may carry a part of some megabytes over a slow line.
const ANSWER: Duration = Duration::from_secs(60);
/// Between two pieces of an answer.
const SILENCE: Duration = Duration::from_secs(30);
const IDLE_CONNECTION: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct Connector;

impl object_store::client::HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> Result<HttpClient> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        let tls = HttpsConnectorBuilder::new().with_tls_config(tls()?);
        let allow_http = options.get_config_value(&ClientConfigKey::AllowHttp).is_some_and(|value| value == "true");
        let tls = if allow_http { tls.https_or_http() } else { tls.https_only() };
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_CONNECTION)
            .build(tls.enable_http1().wrap_connector(tcp));
        Ok(HttpClient::new(Service(client)))
    }
}

/// A machine without certificates can still reach a storage without TLS.
fn tls() -> Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .map_err(|source| object_store::Error::Generic { store: "S3", source: Box::new(source) })?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

#[derive(Debug)]
struct Service(Client<HttpsConnector<HttpConnector>, HttpRequestBody>);

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let answer = timeout(ANSWER, self.0.request(request)).await;
        let answer = answer.map_err(|late| HttpError::new(HttpErrorKind::Timeout, late))?;
        Ok(answer.map_err(failed)?.map(body))
    }
}

fn body(incoming: Incoming) -> HttpResponseBody {
    let frames = stream::unfold(incoming, async |mut incoming| {
        let frame = match timeout(SILENCE, incoming.frame()).await {
            Err(late) => Err(HttpError::new(HttpErrorKind::Timeout, late)),
            Ok(frame) => frame?.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error)),
        };
        Some((frame, incoming))
    });
    HttpResponseBody::new(StreamBody::new(frames))
}

/// What kind of failure it is decides whether the request is sent again.
fn failed(error: legacy::Error) -> HttpError {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<hyper::Error>());
    let kind = match cause {
        _ if error.is_connect() => HttpErrorKind::Connect,
        Some(cause) if cause.is_closed() || cause.is_canceled() || cause.is_incomplete_message() => {
            HttpErrorKind::Request
        }
        _ => HttpErrorKind::Interrupted,
    };
    HttpError::new(kind, error)
}
