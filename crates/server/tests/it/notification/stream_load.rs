//! Many who listen, and some who do not.

use std::time::Duration;

use domain::journal::Event;
use futures_util::future::join_all;
use store::Db;
use testkit::journal::append;
use testkit::{Engine, Person, Site, block_on, json, on_both_engines};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::stream::{base_of, happening, second_node, stop, store};

const CLIENTS: usize = 50;
const EVENTS: usize = 10_000;

/// Stores many events, some at a time, as they are stored on a busy day.
async fn write(site: &Site, db: &Db, count: usize) {
    let mut left = count;
    while left > 0 {
        let together = left.min(1 + left % 97);
        let events = (0..together).map(|_| happening(site, "JOB_STARTED", json!({})));
        append(db, events.collect()).await;
        left -= together;
    }
}

/// Reads all events, and breaks off again and again; gives their numbers as they came.
async fn follow(person: &Person, bases: &[String], number: usize) -> Vec<i64> {
    let (mut seen, mut last): (Vec<i64>, i64) = (Vec::new(), 0);
    for connection in number.. {
        let mut stream = person.at(&bases[connection % bases.len()]).listen("production", Some(last)).await;
        // Some leave soon, others stay long.
        for _ in 0..100 + (number * 131 + connection * 577) % 2_500 {
            last = stream.next_id().await.expect("it goes on");
            seen.push(last);
            if seen.len() == EVENTS {
                return seen;
            }
        }
    }
    seen
}

#[test]
fn everybody_gets_every_event_once_and_in_order() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = Site::start_with(engine, |settings| settings.max_streams_per_user = Some(200)).await;
            let second = second_node(&site).await;
            let bases = [site.base(), base_of(&site, second.as_ref())];
            let viewer = site.user("viewer", "viewer").await;
            let there = second.as_ref().map_or(&site.app().db, |node| &node.app.db);
            let writing = async {
                tokio::join!(write(&site, &site.app().db, EVENTS / 2), write(&site, there, EVENTS / 2));
            };
            let reading = join_all((0..CLIENTS).map(|number| follow(&viewer, &bases, number)));
            let ((), all_seen) = tokio::join!(writing, reading);
            let stored: Vec<i64> = site.all("select seq from event order by seq").await;
            assert_eq!(stored.len(), EVENTS);
            for (number, seen) in all_seen.into_iter().enumerate() {
                assert!(seen == stored, "client {number} on {engine:?}");
            }
            stop(second).await;
            site.stop().await;
        }
    });
}

/// One read serves all who follow the end.
#[test]
fn many_who_follow_the_end_cost_as_much_as_one() {
    block_on(async {
        for engine in [Engine::Sqlite, Engine::Postgres] {
            let site = Site::start_with(engine, |settings| settings.max_streams_per_user = Some(200)).await;
            let viewer = site.user("viewer", "viewer").await;
            let mut streams = Vec::new();
            for _ in 0..CLIENTS {
                streams.push(viewer.listen("production", None).await);
            }
            let read = async {
                for _ in 0..10 {
                    let seq = store(&site.app().db, happening(&site, "JOB_STARTED", json!({}))).await;
                    for stream in &mut streams {
                        assert_eq!(stream.next_id().await, Some(seq));
                    }
                }
            };
            let (statements, ()) = site.statements(read).await;
            // Besides the writes: a few looks at the end, and what the check of rights costs if it falls into this time.
            assert!(statements < 10 * (CLIENTS as u64) / 2, "{statements} statements on {engine:?}");
            site.stop().await;
        }
    });
}

/// A message of about two kilobytes.
fn large(site: &Site) -> Event {
    let serials: Vec<String> = (0..100).map(|number| format!("{number:013}")).collect();
    happening(site, "SERIAL_SCRAPPED", json!({ "serial_keys": serials }))
}

/// Asks for everything, and reads nothing but the beginning.
async fn deaf(site: &Site, person: &Person) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut client = socket.connect(site.base().strip_prefix("http://").unwrap().parse().unwrap()).await.unwrap();
    let token = person.token.as_deref().unwrap();
    let head = format!(
        "GET /api/notification/serial?last_event_id=0 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n"
    );
    client.write_all(head.as_bytes()).await.unwrap();
    let mut beginning = [0; 12];
    client.read_exact(&mut beginning).await.unwrap();
    assert_eq!(&beginning, b"HTTP/1.1 200");
    client
}

const LARGE: usize = 12_000;

on_both_engines! {
    /// What a client does not take is not even read from the database: nothing waits for it in memory.
    async fn clients_that_do_not_read_hurt_nobody(site) {
        let (viewer, sloth) = (site.user("viewer", "viewer").await, site.user("sloth", "viewer").await);
        for _ in 0..LARGE / 400 {
            append(&site.app().db, (0..400).map(|_| large(site)).collect()).await;
        }
        let pages = (LARGE / store::notification::feed::PAGE) as u64;
        let before = site.app().db.statements();
        let mut deaf_ones = Vec::new();
        for _ in 0..5 {
            deaf_ones.push(deaf(site, &sloth).await);
        }
        let mut stream = viewer.listen("serial", Some(0)).await;
        for _ in 0..LARGE {
            stream.next_id().await.expect("it goes on");
        }
        let next = store(&site.app().db, large(site)).await;
        assert_eq!(stream.next_id().await, Some(next));
        // All six would be more than six times as many.
        let read = site.app().db.statements() - before;
        assert!(read < 4 * pages, "{read} statements for {pages} pages");
        assert_eq!(site.app().memory.taken(), 0);
    }
}

#[test]
fn who_stands_still_for_too_long_loses_the_place() {
    block_on(async {
        let hasty = |settings: &mut tracewright::Settings| settings.client_timeout_seconds = Some(0.3);
        let site = Site::start_with(Engine::Sqlite, hasty).await;
        let viewer = site.user("viewer", "viewer").await;
        for _ in 0..LARGE / 400 {
            append(&site.app().db, (0..400).map(|_| large(&site)).collect()).await;
        }
        let _deaf = deaf(&site, &viewer).await;
        site.eventually(async || (site.app().streams.open() == 0).then_some(())).await;
        // Who has nothing to take does not stand still.
        let mut stream = viewer.listen("production", None).await;
        tokio::time::sleep(Duration::from_millis(700)).await;
        let seq = store(&site.app().db, happening(&site, "JOB_STARTED", json!({}))).await;
        assert_eq!(stream.next_id().await, Some(seq));
        site.stop().await;
    });
}
