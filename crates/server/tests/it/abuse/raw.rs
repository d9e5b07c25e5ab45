//! A client that sends bytes as it likes, and goes on while it is let.

use testkit::{Person, Site};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

pub(super) struct Raw(TcpStream);

impl Raw {
    /// Begins a request whose body comes in pieces.
    pub(super) async fn begin(site: &Site, person: &Person, method: &str, path: &str, content_type: &str) -> Self {
        Self::begin_at(&site.base(), person.token.as_deref().unwrap(), method, path, content_type).await
    }

    pub(super) async fn begin_at(base: &str, token: &str, method: &str, path: &str, content_type: &str) -> Self {
        let mut stream = TcpStream::connect(base.strip_prefix("http://").unwrap()).await.unwrap();
        let head = format!(
            "{method} /api{path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-type: {content_type}\r\n\
             transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        Self(stream)
    }

    /// Asks for something, and reads nothing of the answer.
    pub(super) async fn ask(site: &Site, person: &Person, path: &str) -> Self {
        let base = site.base();
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(32 * 1024).unwrap();
        let mut stream = socket.connect(base.strip_prefix("http://").unwrap().parse().unwrap()).await.unwrap();
        let token = person.token.as_deref().unwrap();
        let head = format!("GET /api{path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        Self(stream)
    }

    /// False when the server does not listen any more.
    pub(super) async fn send(&mut self, bytes: &[u8]) -> bool {
        let head = format!("{:x}\r\n", bytes.len());
        let piece = [head.as_bytes(), bytes, b"\r\n"].concat();
        self.0.write_all(&piece).await.is_ok()
    }

    /// Sends the same again and again, at most so many bytes; gives how many it was let.
    pub(super) async fn send_for_ever(&mut self, bytes: &[u8], most: usize) -> usize {
        let mut sent = 0;
        while sent < most {
            let mut seen = [0_u8; 1];
            // An answer that is there ends it, as it would end a client that listens.
            let answered = self.0.try_read(&mut seen).is_ok();
            if answered || !self.send(bytes).await {
                break;
            }
            sent += bytes.len();
        }
        sent
    }

    /// The first line of the answer; the rest is left unread, but for a few bytes.
    pub(super) async fn first_line(&mut self) -> String {
        let mut seen = [0_u8; 128];
        self.0.read_exact(&mut seen).await.unwrap();
        String::from_utf8_lossy(&seen).lines().next().unwrap().to_owned()
    }

    /// Ends the body, and gives the answer as text; the status may be cut off by a reading before.
    pub(super) async fn answer(mut self) -> String {
        let _ = self.0.write_all(b"0\r\n\r\n").await;
        let mut answer = Vec::new();
        let _ = self.0.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }
}
