//! TLS to PostgreSQL, by rustls.

use std::fs;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use sha2::{Digest, Sha256, Sha384, Sha512};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

use super::address::SslMode;

/// The files that an address names; those of libpq count where it names none.
#[derive(Debug, Default)]
pub(super) struct Certificates {
    /// A file of roots, or `system`.
    pub(super) root: Option<String>,
    pub(super) own: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
}

/// How connections are made safe; cheap to clone.
#[derive(Clone)]
pub(super) struct Tls {
    config: Option<Arc<ClientConfig>>,
    /// Set once a connection is safe.
    used: Arc<AtomicBool>,
}

impl Tls {
    pub(super) fn none() -> Self {
        Self::with(None)
    }

    fn with(config: Option<Arc<ClientConfig>>) -> Self {
        Self { config, used: Arc::default() }
    }

    /// TLS for one connection, and what tells afterwards whether that connection uses it.
    pub(super) fn watched(&self) -> (Self, Arc<AtomicBool>) {
        let one = Self::with(self.config.clone());
        let used = one.used.clone();
        (one, used)
    }

    pub(super) fn new(mode: SslMode, files: &Certificates) -> Result<Self, String> {
        let provider = ring::default_provider();
        let verifier = Verifier {
            trusted: roots(mode, files.root.as_deref())?,
            names: mode == SslMode::VerifyFull,
            algorithms: provider.signature_verification_algorithms,
        };
        let config = ClientConfig::builder_with_provider(provider.into())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let mut config = match client_certificate(files)? {
            Some((chain, key)) => config
                .with_client_auth_cert(chain, key)
                .map_err(|error| format!("the client certificate does not fit its key: {error}"))?,
            None => config.with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(Self::with(Some(Arc::new(config))))
    }
}

/// A file of libpq's own folder, if it is there.
fn usual(name: &str) -> Option<PathBuf> {
    let file = PathBuf::from(std::env::var_os("HOME")?).join(".postgresql").join(name);
    file.is_file().then_some(file)
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let unread = |error: &dyn std::fmt::Display| format!("the certificate {} can't be read: {error}", file.display());
    let text = fs::read(file).map_err(|error| unread(&error))?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = found.map_err(|error| unread(&error))?;
    if found.is_empty() { Err(unread(&"there is none in it")) } else { Ok(found) }
}

/// Whom to trust. As with libpq, the modes that do not ask for it look at the certificate too when there is a file of roots.
fn roots(mode: SslMode, named: Option<&str>) -> Result<Option<Trusted>, String> {
    if named == Some("system") {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if store.is_empty() {
            return Err("this machine has no trusted certificates: name a file by sslrootcert".to_owned());
        }
        return Ok(Some(Trusted { store, given: Vec::new() }));
    }
    let Some(file) = named.map(PathBuf::from).or_else(|| usual("root.crt")) else {
        if mode >= SslMode::VerifyCa {
            return Err(
                "sslmode=verify-ca and verify-full need root certificates: name a file, or system, by sslrootcert"
                    .to_owned(),
            );
        }
        return Ok(None);
    };
    let given = certificates(&file)?;
    let mut store = RootCertStore::empty();
    for root in &given {
        store
            .add(root.clone())
            .map_err(|error| format!("{} holds a certificate that can't be used: {error}", file.display()))?;
    }
    Ok(Some(Trusted { store, given }))
}

type OwnCertificate = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn client_certificate(files: &Certificates) -> Result<Option<OwnCertificate>, String> {
    let Some(file) = files.own.clone().or_else(|| usual("postgresql.crt")) else { return Ok(None) };
    let Some(key_file) = files.key.clone().or_else(|| usual("postgresql.key")) else {
        return Err(format!("the certificate {} has no key: name one by sslkey", file.display()));
    };
    let chain = certificates(&file)?;
    let unread = |error: &dyn std::fmt::Display| format!("the key {} can't be used: {error}", key_file.display());
    let text = fs::read(&key_file).map_err(|error| unread(&error))?;
    if is_open_to_others(&key_file) {
        return Err(unread(&"others may read it; its mode has to be 0600"));
    }
    let key = PrivateKeyDer::from_pem_slice(&text).map_err(|error| unread(&error))?;
    Ok(Some((chain, key)))
}

/// Only one of root's may be read by a group.
#[cfg(unix)]
fn is_open_to_others(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(file).is_ok_and(|found| found.mode() & if found.uid() == 0 { 0o037 } else { 0o077 } != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
}

#[derive(Debug)]
struct Trusted {
    store: RootCertStore,
    given: Vec<CertificateDer<'static>>,
}

impl Trusted {
    /// A server may show a root itself, made by `openssl req -x509` for example: it is trusted as the certificate that was given.
    fn is_given(&self, shown: &CertificateDer<'_>, error: &Error) -> bool {
        let as_root = matches!(error, Error::InvalidCertificate(CertificateError::Other(why)) if format!("{why:?}").contains("CaUsedAsEndEntity"));
        as_root && self.given.iter().any(|given| given == shown)
    }
}

/// Looks at the server's certificate as far as the mode asks for it; that the server has its key is always looked at.
#[derive(Debug)]
struct Verifier {
    trusted: Option<Trusted>,
    names: bool,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(trusted) = &self.trusted else { return Ok(ServerCertVerified::assertion()) };
        let parsed = ParsedCertificate::try_from(shown)?;
        let signed =
            verify_server_cert_signed_by_trust_anchor(&parsed, &trusted.store, chain, now, self.algorithms.all);
        signed.or_else(|error| if trusted.is_given(shown, &error) { Ok(()) } else { Err(error) })?;
        if self.names {
            verify_server_name(&parsed, server_name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

impl MakeTlsConnect<Socket> for Tls {
    type Stream = Stream;
    type TlsConnect = Handshake;
    type Error = Failure;

    fn make_tls_connect(&mut self, host: &str) -> Result<Handshake, Failure> {
        Ok(Handshake { tls: self.clone(), host: host.to_owned() })
    }
}

pub(super) struct Handshake {
    tls: Tls,
    host: String,
}

impl TlsConnect<Socket> for Handshake {
    type Stream = Stream;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Stream, Failure>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let config = self.tls.config.ok_or("TLS is turned off")?;
            let name = ServerName::try_from(self.host)?;
            let stream = TlsConnector::from(config).connect(name, socket).await?;
            self.tls.used.store(true, Ordering::Relaxed);
            Ok(Stream(Box::new(stream)))
        })
    }
}

pub(super) struct Stream(Box<tokio_rustls::client::TlsStream<Socket>>);

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(cx, into)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_shutdown(cx)
    }
}

impl TlsStream for Stream {
    /// Ties the password's proof to this very connection, so that nobody in between can use it.
    fn channel_binding(&self) -> ChannelBinding {
        let shown = self.0.get_ref().1.peer_certificates().and_then(|chain| chain.first());
        shown.and_then(|shown| end_point(shown)).map_or_else(ChannelBinding::none, ChannelBinding::tls_server_end_point)
    }
}

/// The certificate's digest by the hash of its own signature (RFC 5929); none where that has no single one.
fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let (_, all, _) = element(certificate)?;
    let (_, _, behind_body) = element(all)?;
    let (_, algorithm, _) = element(behind_body)?;
    let (_, name, _) = element(algorithm)?;
    const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
    const ECDSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03];
    match (name.strip_prefix(RSA), name.strip_prefix(ECDSA)) {
        // MD5 and SHA-1 count as SHA-256.
        (Some([4 | 5 | 11]), _) | (_, Some([2])) => Some(Sha256::digest(certificate).to_vec()),
        (Some([12]), _) | (_, Some([3])) => Some(Sha384::digest(certificate).to_vec()),
        (Some([13]), _) | (_, Some([4])) => Some(Sha512::digest(certificate).to_vec()),
        _ => None,
    }
}

/// The first element of DER: its tag, what is in it, and what comes behind it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, first], rest) = bytes.split_first_chunk::<2>()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (content, behind) = rest.split_at_checked(length)?;
    Some((tag, content, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn der_is_read_within_its_bounds() {
        assert_eq!(element(&[0x30, 2, 1, 2, 9]), Some((0x30, &[1, 2][..], &[9][..])));
        assert_eq!(element(&[0x30, 0x81, 1, 7]), Some((0x30, &[7][..], &[][..])));
        for bad in [&[0x30][..], &[0x30, 3, 1], &[0x30, 0x80], &[0x30, 0x82, 1], &[0x30, 0x84, 255, 255, 255, 255]] {
            assert_eq!(element(bad), None);
        }
        assert_eq!(end_point(b"no certificate"), None);
    }
}
