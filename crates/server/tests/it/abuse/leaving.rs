//! Clients that ask for something that takes long, and leave.

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use store::{Sql, Tx};
use testkit::{Engine, Value, block_on, json};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::besieged::{Besieged, Client, eventually};

fn search(query: &str, token: &str) -> String {
    format!("GET /api/serial?{query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n")
}

/// A query that reads every value of every unit a hundred times.
fn heavy() -> String {
    let filters: Vec<Value> = (0..100).map(|number| json!({ "_key": "note", "value": format!("n{number}") })).collect();
    let filters = json!({ "operator": "OR", "filters": filters }).to_string();
    format!("advanced_filters={}", URL_SAFE_NO_PAD.encode(filters))
}

/// Resets its connection.
fn hang_up(client: Client) {
    client.0.set_zero_linger().unwrap();
    drop(client);
}

#[test]
fn nobody_reads_on_for_a_client_that_left() {
    block_on(async {
        let server = Besieged::start("", &[]).await;
        let token = server.token().await;
        let post = async |path: &str, body: Value| {
            let url = format!("http://{}/api{path}", server.address());
            let sent = reqwest::Client::new().post(url).bearer_auth(&token).json(&body).send().await.unwrap();
            assert!(sent.status().is_success(), "{path}: {}", sent.status());
        };
        post("/field", json!({ "_key": "note", "name": "note", "type": "text" })).await;
        post("/product", json!({ "_key": "P", "code": "P", "traceability_level": "form_only" })).await;
        let data = json!([{ "custom_field_key": "note", "value": "x".repeat(9_000) }]);
        let units = json!({ "event_type": "SERIAL_CREATED", "product_key": "P", "range": "U-0001-3000", "data": data });
        post("/event", units).await;
        for number in 0..4 {
            let mut client = Client(TcpStream::connect(server.address()).await.unwrap());
            client.send(&search(&heavy(), &token)).await;
            if number % 2 == 1 {
                // What it sends beside does not hide that it leaves.
                client.send("GET /api/hello").await;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
            hang_up(client);
        }
        let began = Instant::now();
        eventually("nothing is read any more", async || {
            let before = server.processor_ticks();
            tokio::time::sleep(Duration::from_millis(300)).await;
            server.processor_ticks() < before + 3
        })
        .await;
        assert!(began.elapsed() < Duration::from_secs(8), "they read for {:?}", began.elapsed());
        server.end().await;
    });
}

#[test]
fn nobody_prints_on_for_a_client_that_left() {
    block_on(async {
        let server = Besieged::start("", &[]).await;
        let token = server.token().await;
        let post = async |path: &str, body: Value| {
            let url = format!("http://{}/api{path}", server.address());
            let sent = reqwest::Client::new().post(url).bearer_auth(&token).json(&body).send().await.unwrap();
            assert!(sent.status().is_success(), "{path}: {}", sent.status());
            sent.json::<Value>().await.unwrap()["detail"].clone()
        };
        post("/field", json!({ "_key": "note", "name": "note", "type": "text" })).await;
        post("/product", json!({ "_key": "P", "code": "P", "traceability_level": "form_only" })).await;
        let made = |members: Value| {
            let mut event = json!({ "event_type": "SERIAL_CREATED", "product_key": "P" });
            event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            event
        };
        let top = post("/event", made(json!({ "code": "TOP" }))).await["serial_key"].clone();
        let data = json!([{ "custom_field_key": "note", "value": "word ".repeat(1_800) }]);
        let parts = post("/event", made(json!({ "range": "U-0001-0800", "data": data }))).await["serials"].clone();
        let link = |part: &Value| json!({ "child_serial_key": part["serial_key"], "parent_serial_key": top });
        let links: Vec<Value> = parts.as_array().unwrap().iter().map(link).collect();
        post("/event/bulk?results=false", json!({ "shared_data": { "event_type": "SERIAL_LINKED" }, "events": links }))
            .await;
        for _ in 0..3 {
            let mut client = Client(TcpStream::connect(server.address()).await.unwrap());
            let path = format!("/api/serial/{}/dhr?include_children=true", top.as_str().unwrap());
            client.send(&format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n")).await;
            tokio::time::sleep(Duration::from_millis(700)).await;
            hang_up(client);
        }
        let began = Instant::now();
        eventually("nothing is printed any more", async || {
            let before = server.processor_ticks();
            tokio::time::sleep(Duration::from_millis(300)).await;
            server.processor_ticks() < before + 3
        })
        .await;
        assert!(began.elapsed() < Duration::from_secs(5), "they printed for {:?}", began.elapsed());
        server.end().await;
    });
}

#[test]
fn postgres_reads_on_for_nobody_either() {
    testkit::run(Engine::Postgres, async |site| {
        let admin = site.admin().await;
        let (held, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (app, signals) = (site.app().clone(), (held.clone(), go_on.clone()));
        let holding = tokio::spawn(async move {
            app.write("hold", async move |tx: &mut Tx| {
                tx.run(Sql::raw("lock table serial in access exclusive mode"), &[]).await?;
                signals.0.notify_one();
                signals.1.notified().await;
                Ok(())
            })
            .await
        });
        held.notified().await;
        let mut client = Client(TcpStream::connect(site.base().trim_start_matches("http://")).await.unwrap());
        client.send(&search("serial_search=A", admin.token.as_ref().unwrap())).await;
        let waiting = async || {
            let count = "select count(*) from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock' and query like '%serial%'";
            site.look::<i64>(count, vec![]).await.unwrap()
        };
        eventually("the search waits", async || waiting().await == 1).await;
        hang_up(client);
        eventually("it ends", async || waiting().await == 0).await;
        go_on.notify_one();
        holding.await.unwrap().unwrap();
    });
}
