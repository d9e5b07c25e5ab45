//! A program that webhooks send to, and that does what a test tells it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Response, Uri};
use domain::text::hex;
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use sha2::Sha256;
use testkit::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What it does with a request.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    Status(u16),
    /// Sends the client elsewhere.
    Redirect(String),
    /// Answers after a while, long enough to do something meanwhile.
    Later(u16),
    /// Never answers.
    Hang,
    /// Answers with a body that never ends.
    Endless,
}

/// A request that came.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Call {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(super) fn seq(&self) -> i64 {
        self.json()["seq"].as_i64().unwrap()
    }

    pub(super) fn is_signed_with(&self, secret: &str) -> bool {
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap().chain_update(&self.body);
        self.header("x-tracewright-signature") == format!("sha256={}", hex(&mac.finalize().into_bytes()))
    }
}

#[derive(Debug)]
struct State {
    calls: Vec<Call>,
    next: VecDeque<Reply>,
    usual: Reply,
}

pub(super) struct Receiver {
    pub(super) port: u16,
    state: Arc<Mutex<State>>,
    serving: JoinHandle<()>,
}

impl Receiver {
    /// One that takes everything.
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State { calls: Vec::new(), next: VecDeque::new(), usual: Reply::Status(200) }));
        let taking = state.clone();
        let take = move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
            let reply = {
                let mut state = taking.lock();
                state.calls.push(Call { method, path: uri.to_string(), headers, body });
                let usual = state.usual.clone();
                state.next.pop_front().unwrap_or(usual)
            };
            answer(reply)
        };
        let router = Router::new().fallback(take);
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.unwrap();
        });
        Self { port, state, serving }
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook?plant=1", self.port)
    }

    /// What it does with the next requests.
    pub(super) fn next(&self, replies: &[Reply]) {
        self.state.lock().next.extend(replies.iter().cloned());
    }

    /// What it does with all others.
    pub(super) fn usually(&self, reply: Reply) {
        self.state.lock().usual = reply;
    }

    pub(super) fn calls(&self) -> Vec<Call> {
        self.state.lock().calls.clone()
    }

    /// Waits for so many requests, and gives all that came.
    pub(super) async fn until_called(&self, times: usize) -> Vec<Call> {
        let begun = Instant::now();
        while self.calls().len() < times {
            assert!(begun.elapsed() < super::PATIENCE, "{} calls instead of {times}", self.calls().len());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.calls()
    }

    /// The numbers of the events that came, in order.
    pub(super) fn seqs(&self) -> Vec<i64> {
        self.calls().iter().map(Call::seq).collect()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(reply: Reply) -> Response<Body> {
    let with = |status: u16| Response::builder().status(status);
    match reply {
        Reply::Status(status) => with(status).body(Body::from("an answer that nobody keeps")).unwrap(),
        Reply::Redirect(to) => with(302).header("location", to).body(Body::empty()).unwrap(),
        Reply::Later(status) => {
            tokio::time::sleep(Duration::from_secs(2)).await;
            with(status).body(Body::empty()).unwrap()
        }
        Reply::Hang => std::future::pending().await,
        Reply::Endless => {
            let pieces =
                futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(&[b'x'; 4096])));
            with(200).body(Body::from_stream(pieces)).unwrap()
        }
    }
}
