//! Floods of connections, clients that never read, clients that never finish writing.

use std::time::{Duration, Instant};

use testkit::block_on;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpSocket, TcpStream};

use super::besieged::{Besieged, Client, eventually};

/// So long a client may stand still in these tests.
const HASTY: [&str; 2] = ["--client-timeout-seconds", "0.3"];
/// Longer than a busy machine keeps a test from reading on.
const STEADY: [&str; 2] = ["--client-timeout-seconds", "1.5"];
/// Nobody waits so long here.
const PATIENT: [&str; 2] = ["--client-timeout-seconds", "600"];

#[test]
fn clients_that_ask_and_never_read_stop_nobody() {
    block_on(async {
        let server = Besieged::start("ulimit -n 300", &HASTY).await;
        server.answers().await;
        let (sockets, memory) = (server.open_sockets(), server.resident_kib());
        let mut deaf = Vec::new();
        for _ in 0..330 {
            let mut client = server.connect().await;
            // More than any buffer on the way takes.
            let request = "GET /api/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n".repeat(8);
            client.try_send(request.as_bytes()).await;
            deaf.push(client);
        }
        server.answers().await;
        eventually("connections are given back", async || server.open_sockets() <= sockets + 4).await;
        assert!(server.resident_kib() < memory + 64 * 1024, "{} of {memory} KiB", server.resident_kib());
        assert!(server.log_lines("connection") <= 4, "a flood of connections is no flood of lines");
        drop(deaf);
        server.end().await;
    });
}

#[test]
fn a_reader_that_goes_on_is_let_read() {
    block_on(async {
        let server = Besieged::start("", &STEADY).await;
        let socket = TcpSocket::new_v4().unwrap();
        // Small, so that the server sees each step.
        socket.set_recv_buffer_size(64 * 1024).unwrap();
        let mut client = Client(socket.connect(server.address()).await.unwrap());
        let asked = "GET /api/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n";
        client.send(&format!("{asked}\r\n{asked}\r\n{asked}\r\n{asked}\r\n{asked}Connection: close\r\n\r\n")).await;
        let head = client.head().await;
        let length: usize =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
        let (mut taken, mut reads, mut buffer) = (0, 0, vec![0; 16 * 1024]);
        // In small steps, and all in all for longer than one may stand still.
        let began = Instant::now();
        loop {
            match client.0.read(&mut buffer).await.unwrap() {
                0 => break,
                bytes => (taken, reads) = (taken + bytes, reads + 1),
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(
            taken > 5 * length && taken < 5 * length + 10_000,
            "{taken} bytes in {reads} steps, {:?}",
            began.elapsed()
        );
        assert!(began.elapsed() > Duration::from_secs(2), "too fast to tell anything");
        server.end().await;
    });
}

#[test]
fn silent_connections_give_way_to_new_ones() {
    block_on(async {
        let limits = ["--max-connections", "24", "--max-connections-per-address", "1000"];
        let server = Besieged::start("", &[&PATIENT[..], &limits].concat()).await;
        server.answers().await;
        let sockets = server.open_sockets();
        let mut silent: Vec<Client> = Vec::new();
        for number in 0..200 {
            let mut client = server.connect().await;
            // Some say nothing at all, others stop in the middle of a line.
            if number % 2 == 0 {
                client.try_send(b"GET /api/hello HTTP/1.1\r\nHost").await;
            }
            silent.push(client);
        }
        server.answers().await;
        eventually("as many are open as may be", async || server.open_sockets() <= sockets + 24).await;
        let mut closed = 0;
        for client in &mut silent {
            closed += usize::from(client.is_closed().await);
        }
        assert!(closed >= 200 - 24, "{closed}");
        server.end().await;
    });
}

#[test]
fn one_address_does_not_take_all_connections() {
    block_on(async {
        let limits =
            ["--max-connections", "40", "--max-connections-per-address", "8", "--trusted-proxies", "127.0.0.3"];
        let server = Besieged::start("", &[&PATIENT[..], &limits].concat()).await;
        let mut held = Vec::new();
        for _ in 0..8 {
            let mut client = server.connect().await;
            client.hold().await;
            held.push(client);
        }
        let mut refused = server.connect().await;
        let answer = refused.rest().await;
        assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("\r\nretry-after: "), "{answer}");
        assert!(answer.contains("\r\nx-request-id: ") && answer.contains("{\"detail\":{\"message\":"), "{answer}");
        assert_eq!(server.hello_from("127.0.0.2").await, "HTTP/1.1 200 OK");
        for _ in 0..20 {
            let mut client = server.connect_from("127.0.0.3").await;
            client.hold().await;
            held.push(client);
        }
        assert_eq!(server.hello_from("127.0.0.3").await, "HTTP/1.1 200 OK", "a proxy connects for many");
        held.clear();
        eventually("places come back", async || server.hello_from("127.0.0.1").await == "HTTP/1.1 200 OK").await;
        server.end().await;
    });
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    block_on(async {
        let server = Besieged::start("", &HASTY).await;
        server.answers().await;
        let sockets = server.open_sockets();
        let mut slow = Vec::new();
        for _ in 0..90 {
            let mut client = server.connect().await;
            client.hold().await;
            client.send("username=").await;
            slow.push(client);
        }
        for client in &mut slow {
            assert!(client.rest().await.starts_with("HTTP/1.1 400 "));
        }
        // Refusals are noted, by a few connections to the database.
        eventually("connections are given back", async || server.open_sockets() <= sockets + 40).await;
        server.end().await;
    });
}

#[test]
fn an_upload_that_goes_on_is_taken() {
    block_on(async {
        let server = Besieged::start("", &HASTY).await;
        let token = server.token().await;
        let mut client = Client(TcpStream::connect(server.address()).await.unwrap());
        let begin = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n";
        let (piece, pieces, end) = ("x".repeat(20 * 1024), 40, "\r\n--b--\r\n");
        let length = begin.len() + pieces * piece.len() + end.len();
        client
            .send(&format!(
                "POST /api/media/create HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
                 Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {length}\r\n\r\n{begin}"
            ))
            .await;
        // All in all for longer than one may stand still.
        let began = Instant::now();
        for _ in 0..pieces {
            client.send(&piece).await;
            tokio::time::sleep(Duration::from_millis(15)).await;
        }
        client.send(end).await;
        let answer = client.rest().await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(began.elapsed() > Duration::from_millis(600));
        server.end().await;
    });
}

#[test]
fn a_byte_now_and_then_is_no_headway() {
    block_on(async {
        let server = Besieged::start("", &HASTY).await;
        for begun in [
            "GET /api/hello HTTP/1.1\r\nX-Slow: ",
            "POST /api/auth HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 900\r\n\r\n",
        ] {
            let mut client = server.connect().await;
            client.send(begun).await;
            let mut sent = 0;
            while client.try_send(b"x").await && !client.is_closed().await {
                sent += 1;
                assert!(sent < 800, "still taken");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        server.answers().await;
        server.end().await;
    });
}

#[test]
fn the_file_limit_is_raised_at_the_start() {
    block_on(async {
        let server = Besieged::start("ulimit -S -n 256", &[]).await;
        let (soft, hard) = server.file_limits();
        assert_eq!(soft, hard);
        assert_ne!(soft, "256");
        server.end().await;
    });
}
