//! The embedded database has one writer: nobody waits at it for what nobody wants any more, or for the same twice.

use std::sync::{Arc, Mutex, mpsc};

use testkit::{Engine, Site, Value, json, on_both_engines};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::production::{refused, shop};

/// Keeps the writer busy from now on, until the sender goes.
async fn occupy(site: &Site) -> (mpsc::Sender<()>, JoinHandle<()>) {
    let (free, freed) = mpsc::channel::<()>();
    let (freed, begun) = (Mutex::new(freed), Arc::new(Notify::new()));
    let (app, beginning) = (site.app().clone(), begun.clone());
    let busy = tokio::spawn(async move {
        let hold = async move |_: &mut store::Tx| {
            beginning.notify_one();
            let _ = freed.lock().unwrap().recv();
            Ok(())
        };
        app.write("test hold", hold).await.expect("the writer is held");
    });
    begun.notified().await;
    (free, busy)
}

async fn gone(site: &Site) -> Option<()> {
    let figures = reqwest::get(format!("{}/metrics", site.base())).await.unwrap().text().await.unwrap();
    figures.lines().any(|line| line.starts_with("tracewright_clients_gone") && line.ends_with(" 1")).then_some(())
}

#[test]
fn a_change_whose_client_is_gone_before_its_turn_is_not_begun() {
    testkit::run(Engine::Sqlite, async |site| {
        let admin = site.admin().await;
        let (free, busy) = occupy(site).await;
        let body = json!({ "_key": "GONE", "code": "GONE" }).to_string();
        let request = format!(
            "POST /api/product HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            admin.token.as_ref().unwrap(),
            body.len()
        );
        let mut client = TcpStream::connect(site.base().trim_start_matches("http://")).await.unwrap();
        client.write_all(request.as_bytes()).await.unwrap();
        // It is not only done with sending: it is gone.
        client.set_zero_linger().unwrap();
        drop(client);
        site.eventually(async || gone(site).await).await;
        // Who still waits is served.
        let waiting = tokio::spawn({
            let admin = admin.clone();
            async move { admin.post("/product", json!({ "_key": "HERE", "code": "HERE" })).await.expect(201) }
        });
        drop(free);
        busy.await.unwrap();
        waiting.await.unwrap();
        admin.get("/product/GONE").await.expect(404);
        admin.get("/product/HERE").await.expect(200);
        let lines: i64 = site.look("select count(*) from audit where path = '/api/product'", vec![]).await.unwrap();
        assert_eq!(lines, 1, "nothing was done for who was gone");
    });
}

on_both_engines! {
    /// A row that is refused after it has changed something takes no more than its portion with it.
    async fn a_bulk_with_a_row_that_is_refused_late_does_not_run_twice(site) {
        let shop = shop(site).await;
        let phase = json!({ "production_batch_qt": 0, "std_processing_time": 1_000_000 });
        let order = shop.order("A", &[phase], 100_000.0).await;
        let job = &order.jobs[0];
        let assign = json!([{ "action": "update", "data": { "_key": job, "assigned_to": shop.o1.key } }]);
        shop.admin.post("/job/update", assign).await.expect(200);
        let row = |quantity: i64| json!({ "new_job_qt_completed": quantity, "should_adjust_duration": true });
        let bulk = |rows: Vec<Value>| {
            json!({ "shared_data": { "event_type": "PROGRESS_OVERRIDE_REQUESTED", "job_key": job }, "events": rows })
        };
        let (cost, done) = site.statements(shop.supervisor.post("/event/bulk", bulk((1..=200).map(row).collect()))).await;
        done.expect(200);
        let before = site.contents().await;
        // More than a hundred years, as the second of the last portion; and one that says nothing new, behind it.
        let late = (201..=1_200).map(row).chain([row(1_201), row(90_000), row(1_202), row(1_202), row(1_203)]);
        let (again, told) = site.statements(shop.supervisor.post("/event/bulk", bulk(late.collect()))).await;
        let told = refused(told, "BulkRejected");
        let bad: Vec<&Value> = told["errors"].as_array().unwrap().iter().map(|error| &error["index"]).collect();
        assert_eq!((told["failed"].as_i64(), bad), (Some(2), vec![&json!(1_001), &json!(1_003)]));
        assert!(again < cost * 6, "{again} statements, {cost} for a fifth of the rows");
        assert_eq!(site.contents().await, before);
    }
}
