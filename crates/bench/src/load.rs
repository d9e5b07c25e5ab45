//! A minimal HTTP client, so that the server is what is measured.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::bare::{Bare, Key};
use crate::server::Server;

pub type Request = Arc<str>;

pub fn get(path: &str, token: Option<&str>) -> Request {
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    format!("GET {path} HTTP/1.1\r\nHost: bench\r\n{token}\r\n").into()
}

pub fn patch(path: &str, token: &str, body: &str) -> Request {
    with_body("PATCH", path, token, body)
}

pub fn put(path: &str, token: &str, body: &str) -> Request {
    with_body("PUT", path, token, body)
}

pub fn with_body(method: &str, path: &str, token: &str, body: &str) -> Request {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into()
}

/// A multipart form: name, file name of a file, contents.
pub fn form(path: &str, token: &str, parts: &[(&str, Option<&str>, &str)]) -> Request {
    let mut body = String::new();
    for (name, file, contents) in parts {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        body += &format!("--bench\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{contents}\r\n");
    }
    body += "--bench--\r\n";
    format!(
        "POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nAccept: application/json\r\nContent-Type: multipart/form-data; boundary=bench\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into()
}

pub fn sign_in(password: &str) -> Request {
    let body = format!("username=admin&password={}", password.replace(' ', "+"));
    format!(
        "POST /api/auth HTTP/1.1\r\nHost: bench\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into()
}

/// One connection that is kept open.
pub struct Client {
    stream: TcpStream,
    /// The last answer.
    buffer: Vec<u8>,
    /// Where its body begins.
    body: usize,
}

impl Client {
    pub async fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, buffer: Vec::with_capacity(16 * 1024), body: 0 }
    }

    /// Sends a request and reads the whole answer; returns its status.
    pub async fn ask(&mut self, request: &str) -> u16 {
        self.stream.write_all(request.as_bytes()).await.unwrap();
        self.buffer.clear();
        loop {
            let read = self.stream.read_buf(&mut self.buffer).await.unwrap();
            assert_ne!(read, 0, "the server hung up");
            let Some(end) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
            self.body = end + 4;
            let whole = match self.is_chunked() {
                // JSON has no such line.
                true => self.buffer.ends_with(b"\r\n0\r\n\r\n"),
                false => {
                    let length = self.header("content-length").map_or(0, |length| length.parse::<usize>().unwrap());
                    self.buffer.len() >= self.body + length
                }
            };
            if whole {
                return self.head()[9..12].parse().unwrap();
            }
        }
    }

    fn is_chunked(&self) -> bool {
        self.header("transfer-encoding") == Some("chunked")
    }

    pub async fn answer(&mut self, request: &str) -> (u16, String) {
        let status = self.ask(request).await;
        let mut body = &self.buffer[self.body..];
        if !self.is_chunked() {
            return (status, String::from_utf8_lossy(body).into_owned());
        }
        let mut joined = Vec::new();
        while let Some(end) = body.windows(2).position(|window| window == b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
            joined.extend_from_slice(&body[end + 2..end + 2 + size]);
            body = &body[end + 2 + size + 2..];
        }
        (status, String::from_utf8_lossy(&joined).into_owned())
    }

    /// A header of the last answer, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head().lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn head(&self) -> &str {
        std::str::from_utf8(&self.buffer[..self.body]).unwrap()
    }

    /// How long each of these requests takes, one after the other. All have to be answered with this status.
    pub async fn time(&mut self, requests: impl IntoIterator<Item = Request>, status: u16) -> Figures {
        let mut figures = Figures::default();
        for request in requests {
            let begun = Instant::now();
            let found = self.ask(&request).await;
            figures.add(begun.elapsed());
            assert_eq!(found, status, "{}", String::from_utf8_lossy(&self.buffer[self.body..]));
        }
        figures
    }

    /// The times of one request, sent several times, after a few that are not counted.
    pub async fn repeat(&mut self, request: &Request) -> Figures {
        self.time(std::iter::repeat_n(request.clone(), 2), 200).await;
        self.time(std::iter::repeat_n(request.clone(), TIMES), 200).await
    }

    /// The times of one request, and the median of the bare query, in turns: the speed of a machine changes, but not from one to the
    /// next.
    pub async fn repeat_beside(&mut self, request: &Request, bare: &Bare, key: &impl Key) -> (Figures, Duration) {
        self.in_turns(2, TIMES as i64, |_| request.clone(), bare, |_| key).await
    }

    /// The same of many requests, each for something else.
    pub async fn vary_beside<K: Key>(
        &mut self,
        request: impl Fn(i64) -> Request,
        bare: &Bare,
        key: impl Fn(i64) -> K,
    ) -> (Figures, Duration) {
        self.in_turns(WARM_UP, MANY, request, bare, key).await
    }

    async fn in_turns<K: Key>(
        &mut self,
        warm_up: i64,
        times: i64,
        request: impl Fn(i64) -> Request,
        bare: &Bare,
        key: impl Fn(i64) -> K,
    ) -> (Figures, Duration) {
        let (mut requests, mut bares) = (Figures::default(), Figures::default());
        for number in (times..times + warm_up).chain(0..times) {
            let time = self.time([request(number)], 200).await;
            let bare = bare.time(&key(number)).await;
            if number < times {
                requests.merge(time);
                bares.add(bare);
            }
        }
        (requests, bares.percentile(50))
    }

    /// The times of many requests, each for something else, after a few that are not counted.
    pub async fn vary(&mut self, request: impl Fn(i64) -> Request) -> Figures {
        self.time((MANY..MANY + WARM_UP).map(&request), 200).await;
        self.time((0..MANY).map(&request), 200).await
    }
}

/// How often one request is repeated.
const TIMES: usize = 21;
/// Requests of which percentiles are taken.
const MANY: i64 = 200;
/// Requests before them: connections to PostgreSQL plan each statement once before they are fast.
const WARM_UP: i64 = 20;

/// The figures of a load.
#[derive(Default)]
pub struct Figures {
    times: Vec<Duration>,
    elapsed: Duration,
}

impl Figures {
    pub fn of(times: Vec<Duration>, elapsed: Duration) -> Self {
        Self { times, elapsed }
    }

    pub fn add(&mut self, time: Duration) {
        self.times.push(time);
        self.elapsed += time;
    }

    pub fn count(&self) -> usize {
        self.times.len()
    }

    pub fn per_second(&self) -> f64 {
        self.times.len() as f64 / self.elapsed.as_secs_f64()
    }

    pub fn percentile(&self, percent: usize) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len() * percent / 100).or(times.last()).copied().unwrap_or_default()
    }

    pub fn merge(&mut self, other: Figures) {
        self.times.extend(other.times);
        self.elapsed += other.elapsed;
    }
}

/// Runs a load on a thread of its own, while nothing else is to be done here. Clients that share one take least of the cores that they
/// share with what is measured.
pub fn apart<T: Send>(load: impl AsyncFnOnce() -> T + Send) -> T {
    let run = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(load());
    std::thread::scope(|scope| scope.spawn(run).join().expect("the load panicked"))
}

/// Clients that send one request after the other for a while.
pub struct Load {
    address: String,
    clients: usize,
}

impl Load {
    pub fn new(server: &Server, clients: usize) -> Self {
        Self { address: server.address.clone(), clients }
    }

    pub async fn run(&self, time: Duration, request: impl Fn(usize, usize) -> Request + Sync) -> Figures {
        let started = Instant::now();
        let until = started + time;
        let clients = (0..self.clients).map(|client| {
            let request = &request;
            async move {
                let mut connection = Client::connect(&self.address).await;
                let mut times = Vec::new();
                for index in 0.. {
                    let begun = Instant::now();
                    if begun >= until {
                        break;
                    }
                    assert_eq!(connection.ask(&request(client, index)).await, 200);
                    times.push(begun.elapsed());
                }
                times
            }
        });
        let times = join_all(clients).await.into_iter().flatten().collect();
        Figures { times, elapsed: started.elapsed() }
    }
}
