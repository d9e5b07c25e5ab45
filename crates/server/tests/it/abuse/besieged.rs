//! A server process of its own under attack, and connections that do as they like.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use testkit::engine::{Engine, Place};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::process::{Server, tracewright};

/// A server process of its own, whose files, memory and log can be looked at from outside.
pub(super) struct Besieged {
    server: Server,
    place: Place,
    log: PathBuf,
}

impl Besieged {
    /// `limit` is what a shell does before, such as `ulimit -n 300`.
    pub(super) async fn start(limit: &str, flags: &[&str]) -> Self {
        let place = Place::new(Engine::Sqlite).await;
        let folder = place.data_folder().unwrap();
        let log = folder.with_file_name("log");
        let binary = tracewright(&[]).get_program().to_owned();
        let mut command = tracewright(&[]);
        let script = format!("{limit}\nexec \"$0\" serve --listen 127.0.0.1:0 \"$@\" 2>'{}'", log.display());
        let mut shell = std::process::Command::new("sh");
        shell.arg("-c").arg(script).arg(binary).args(place.flags()).args(flags);
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        command = shell;
        Self { server: Server::run(command), place, log }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.server.base.strip_prefix("http://").unwrap().parse().unwrap()
    }

    /// A token of the administrator.
    pub(super) async fn token(&self) -> String {
        crate::process::sign_in(&reqwest::Client::new(), &self.server.base).await
    }

    /// A connection from one of the many addresses that this machine has for itself.
    pub(super) async fn connect_from(&self, source: &str) -> Client {
        let socket = TcpSocket::new_v4().unwrap();
        // Small, so that what is not read soon stays with the server.
        socket.set_recv_buffer_size(4096).unwrap();
        socket.bind(SocketAddr::new(source.parse().unwrap(), 0)).unwrap();
        Client(socket.connect(self.address()).await.unwrap())
    }

    pub(super) async fn connect(&self) -> Client {
        self.connect_from("127.0.0.1").await
    }

    /// Asks for something small on a new connection, and gives the status line.
    pub(super) async fn hello_from(&self, source: &str) -> String {
        let mut client = self.connect_from(source).await;
        client.send("GET /api/hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
        let answer = client.rest().await;
        answer.lines().next().unwrap_or_default().to_owned()
    }

    /// Waits until the service answers somebody new.
    pub(super) async fn answers(&self) {
        eventually("the service answers", async || self.hello_from("127.0.0.9").await == "HTTP/1.1 200 OK").await;
    }

    /// Of its connections, whatever files of the database come and go.
    pub(super) fn open_sockets(&self) -> usize {
        let files = std::fs::read_dir(format!("/proc/{}/fd", self.server.child.id())).unwrap();
        let opened = files.filter_map(|file| std::fs::read_link(file.unwrap().path()).ok());
        opened.filter(|file| file.to_string_lossy().starts_with("socket:")).count()
    }

    pub(super) fn resident_kib(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// How much processor time it has used, in hundredths of a second.
    pub(super) fn processor_ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.server.child.id())).unwrap();
        let (_, fields) = stat.rsplit_once(')').unwrap();
        fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap()).sum()
    }

    pub(super) fn file_limits(&self) -> (String, String) {
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", self.server.child.id())).unwrap();
        let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
        let mut words = line.split_whitespace().map(str::to_owned);
        (words.next().unwrap(), words.next().unwrap())
    }

    pub(super) fn log_lines(&self, about: &str) -> usize {
        std::fs::read_to_string(&self.log).unwrap().lines().filter(|line| line.contains(about)).count()
    }

    pub(super) async fn end(self) {
        drop(self.server);
        self.place.remove().await;
    }
}

/// One end of a connection, which does as it likes.
pub(super) struct Client(pub(super) TcpStream);

impl Client {
    pub(super) async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Sends, unless the server has hung up.
    pub(super) async fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.0.write_all(bytes).await.is_ok()
    }

    /// Everything until the server hangs up, which it has to.
    pub(super) async fn rest(&mut self) -> String {
        let mut bytes = Vec::new();
        let reading = tokio::time::timeout(Duration::from_secs(20), self.0.read_to_end(&mut bytes));
        let _ = reading.await.expect("the server hangs up");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What comes until the end of a head.
    pub(super) async fn head(&mut self) -> String {
        let mut bytes = Vec::new();
        while !bytes.ends_with(b"\r\n\r\n") {
            match self.0.read_u8().await {
                Ok(byte) => bytes.push(byte),
                Err(_) => break,
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Begins a request whose body the server waits for from now on.
    pub(super) async fn hold(&mut self) {
        self.send(
            "POST /api/auth HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n",
        )
        .await;
        assert_eq!(self.head().await, "HTTP/1.1 100 Continue\r\n\r\n");
    }

    pub(super) async fn is_closed(&mut self) -> bool {
        let mut byte = [0];
        let read = tokio::time::timeout(Duration::from_millis(1), self.0.read(&mut byte)).await;
        matches!(read, Ok(Ok(0) | Err(_)))
    }
}

/// Looks again and again until it is so.
pub(super) async fn eventually(what: &str, is_so: impl AsyncFn() -> bool) {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < Duration::from_secs(20), "{what}: not within twenty seconds");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
