//! S3-compatible storage on loopback: a real server of the protocol, which checks signatures and keeps objects as files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::IF_NONE_MATCH;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{Body, HttpError, HttpResponse};
use s3s_fs::FileSystem;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::rustls::{self, ServerConfig};
use tracewright::Settings;

pub const BUCKET: &str = "media";
pub const ACCESS_KEY: &str = "tracewright-test";
pub const SECRET_KEY: &str = "a secret that nobody may see";
const CERTIFICATE: &str = ".certificate.pem";

pub struct Storage {
    pub endpoint: String,
    folder: tempfile::TempDir,
    server: JoinHandle<()>,
}

/// How one storage differs from another.
#[derive(Clone, Copy, Default)]
struct Kind {
    tls: bool,
    without_conditions: bool,
}

impl Storage {
    pub async fn start() -> Self {
        Self::serve(Kind::default()).await
    }

    /// Storage of the kind that refuses to write an object only if it is not there.
    pub async fn without_conditions() -> Self {
        Self::serve(Kind { without_conditions: true, ..Kind::default() }).await
    }

    /// Storage behind TLS; [`Storage::certificate`] is what a client has to trust.
    pub async fn with_tls() -> Self {
        Self::serve(Kind { tls: true, ..Kind::default() }).await
    }

    async fn serve(kind: Kind) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(BUCKET)).unwrap();
        let mut service = S3ServiceBuilder::new(FileSystem::new(folder.path()).unwrap());
        service.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let service = service.build();
        let tls = kind.tls.then(|| acceptor(&folder.path().join(CERTIFICATE)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let scheme = if kind.tls { "https" } else { "http" };
        let endpoint = format!("{scheme}://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            // They end with the server.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(connection(stream, tls.clone(), service.clone(), kind));
            }
        });
        Self { endpoint, folder, server }
    }

    /// Goes away with all its connections.
    pub async fn stop(&mut self) {
        self.server.abort();
        let _ = (&mut self.server).await;
    }

    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join(CERTIFICATE)
    }

    /// Leads a site to the objects below a prefix.
    pub fn lead(&self, settings: &mut Settings, prefix: &str) {
        settings.media_root = Some(PathBuf::from(format!("s3://{BUCKET}/{prefix}")));
        settings.media_s3_endpoint = Some(self.endpoint.clone());
        settings.media_s3_access_key = Some(ACCESS_KEY.to_owned());
        settings.media_s3_secret_key = Some(SECRET_KEY.to_owned());
    }

    /// The file that holds an object, or the folder of a prefix.
    pub fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(BUCKET).join(path)
    }

    /// The objects below a prefix without the sites' marks, in order.
    pub fn objects(&self, prefix: &str) -> Vec<String> {
        let mut found = Vec::new();
        collect(&self.at(prefix), &self.at(prefix), &mut found);
        found.retain(|path| !path.ends_with(".tracewright-site"));
        found.sort();
        found
    }

    /// Parts of uploads that were neither finished nor called off.
    pub fn unfinished_parts(&self) -> usize {
        let names = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().contains("upload")).count()
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// A certificate of its own, left for clients to trust.
fn acceptor(certificate: &Path) -> TlsAcceptor {
    let own = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    std::fs::write(certificate, own.cert.pem()).unwrap();
    let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key.into())
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

async fn connection(stream: TcpStream, tls: Option<TlsAcceptor>, service: S3Service, kind: Kind) {
    let answer = service_fn(move |request| answer(service.clone(), request, kind));
    let http = http1::Builder::new();
    // A client may hang up whenever it likes.
    let _ = match tls {
        None => http.serve_connection(TokioIo::new(stream), answer).await,
        Some(tls) => match tls.accept(stream).await {
            Ok(stream) => http.serve_connection(TokioIo::new(stream), answer).await,
            Err(_) => return,
        },
    };
}

async fn answer(service: S3Service, request: Request<Incoming>, kind: Kind) -> Result<HttpResponse, HttpError> {
    if kind.without_conditions && request.headers().contains_key(IF_NONE_MATCH) {
        let mut refusal = HttpResponse::new(Body::from("<Error><Code>NotImplemented</Code></Error>".to_owned()));
        *refusal.status_mut() = StatusCode::NOT_IMPLEMENTED;
        return Ok(refusal);
    }
    Service::call(&service, request).await
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => collect(root, &path, found),
            false => found.push(path.strip_prefix(root).unwrap().display().to_string()),
        }
    }
}
