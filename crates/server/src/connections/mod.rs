//! Connections: who gets one, and how long a client may stall. No client can take the service away from others by being
//! silent, slow or numerous.

mod pace;
mod seats;
mod shared;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use api::seldom::Seldom;
use api::stream::Endless;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use ipnet::IpNet;
use store::Presence;
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;

use crate::process;
use pace::{PacedBody, PacedStream};
use seats::{Answering, Seated, Seats};
use shared::Shared;

/// How long a stop waits for requests in progress.
const GRACE: Duration = Duration::from_secs(30);
/// Maximum size of a request's address and headers, in bytes.
const HEAD_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Maximum number of connections.
    pub(crate) all: usize,
    pub(crate) per_address: usize,
    /// Proxies, which connect on behalf of many clients.
    pub(crate) proxies: Vec<IpNet>,
    /// How long a client may take to send a request's head, and how long it may stall in a body or an answer.
    pub(crate) patience: Duration,
}

/// Files that are open whatever the clients do: the database, its connections, uploads.
const FILES_OF_OUR_OWN: u64 = 128;

impl Limits {
    /// No more connections than there are file handles for: each may need one more for what it sends or stores.
    pub(crate) fn within(mut self, file_limit: Option<u64>) -> Self {
        let Some(files) = file_limit else { return self };
        let room = (files.saturating_sub(FILES_OF_OUR_OWN) / 2).max(16);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        if room < self.all {
            tracing::warn!(
                connections = room,
                file_limit,
                "fewer connections than set: the system allows few open files"
            );
            self.all = room;
            // With few connections, one address gets no larger share of them.
            self.per_address = self.per_address.min((room / 4).max(8));
        }
        self
    }
}

/// Accepts connections until `stop` becomes true, then waits for those in progress.
pub(crate) async fn serve(listener: TcpListener, router: Router, limits: Limits, stop: impl Future<Output = ()>) {
    let open = GracefulShutdown::new();
    let patience = limits.patience;
    let seats = Arc::new(Seats::new(limits));
    tokio::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => match seats.take(peer.ip()) {
                    Some(seat) => connect(stream, peer, seat, patience, router.clone(), &open),
                    None => refuse(&stream),
                },
                Err(error) => {
                    // Most likely out of file handles: give others time to close theirs.
                    static UNACCEPTED: Seldom = Seldom::new();
                    if let Some(times) = UNACCEPTED.times() {
                        tracing::warn!(times, %error, "a connection could not be accepted");
                    }
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
        }
    }
    drop(listener);
    if tokio::time::timeout(GRACE, open.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in time");
    }
}

/// All connections are being answered. Tells the client, if that is possible without waiting.
fn refuse(stream: &TcpStream) {
    static REFUSED: Seldom = Seldom::new();
    if let Some(times) = REFUSED.times() {
        tracing::warn!(times, "connections were refused: as many as are allowed are busy");
    }
    let body = r#"{"detail":{"message":"Too many connections right now. Try again shortly."}}"#;
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: {}\r\nretry-after: 2\r\n\
         x-request-id: {}\r\nconnection: close\r\n\r\n{body}",
        body.len(),
        api::new_request_id(),
    );
    let _ = stream.try_write(answer.as_bytes());
}

fn connect(
    stream: TcpStream,
    peer: SocketAddr,
    seat: Seated,
    patience: Duration,
    router: Router,
    open: &GracefulShutdown,
) {
    let _ = stream.set_nodelay(true);
    process::notice_vanished(&stream, patience);
    let stream = Shared::new(stream);
    let (place, watched) = (seat.seat(), stream.clone());
    let service = service_fn(move |mut request: Request<Incoming>| {
        let (answering, presence) = (Answering::begin(&place), Presence::default());
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(presence.clone());
        let paced = |body| Body::new(PacedBody::new(body, place.clone(), patience));
        let answer = router.clone().oneshot(request.map(paced));
        let (answer, watched) = (watched.clone().watch(presence, answer), watched.clone());
        async move {
            let response = answer.await.unwrap_or_else(|never| match never {});
            // Nobody else would notice before the next message that its client is gone.
            let gone = response.extensions().get::<Endless>().map(|_| watched.closed());
            Ok::<_, Infallible>(response.map(|body| answering.until_end_of(body, gone)))
        }
    });
    let mut http = http1::Builder::new();
    // A client that has sent everything may close its side and still wait for the answer.
    http.timer(TokioTimer::new()).header_read_timeout(patience).half_close(true).max_buf_size(HEAD_BYTES);
    let stream = PacedStream::new(stream, seat.seat(), patience);
    let connection = open.watch(http.serve_connection(TokioIo::new(stream), service));
    tokio::spawn(async move {
        tokio::select! {
            ended = connection => if let Err(error) = ended {
                tracing::debug!(%error, "connection ended early");
            },
            // It was waiting for a request, or for the rest of one, that may never come, and another client needs its place.
            () = seat.given_away() => {}
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(all: usize, per_address: usize, files: u64) -> (usize, usize) {
        let limits = Limits { all, per_address, proxies: Vec::new(), patience: Duration::from_secs(1) };
        let within = limits.within(Some(files));
        (within.all, within.per_address)
    }

    #[test]
    fn few_file_handles_mean_few_connections_and_fewer_for_one_address() {
        assert_eq!(limits(4096, 1024, 65_536), (4096, 1024), "enough for all");
        assert_eq!(limits(4096, 1024, 1_128), (500, 125));
        assert_eq!(limits(4096, 100, 1_128), (500, 100), "what was set is not raised");
        assert_eq!(limits(4096, 1024, 100), (16, 8), "some are let in however few there are");
    }
}
