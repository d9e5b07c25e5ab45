//! A plant at its busiest: a large bulk, forty clients on one order, eighteen others that write, and people who only read.

use std::time::{Duration, Instant};

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::events::{Admin, BULK};
use crate::load::{self, Client, Figures};
use crate::millis;
use crate::report::{Report, Row};
use crate::server::{PASSWORD, Place, Server};

const CROWD: usize = 40;
const OTHERS: usize = 18;

pub async fn measure(place: &Place, report: &mut Report) {
    let server = Server::start(place);
    let mut admin = Admin::new(&server).await;
    admin.send("PATCH", "/config", json!({ "session_policy": "multiple" })).await;
    let jobs = orders(&mut admin).await;
    let quiet = reads(&server, &admin.token, Duration::from_secs(2)).await;
    let counts: Vec<Value> =
        (1..=BULK).map(|count| json!({ "job_key": jobs[0], "new_job_qt_completed": count })).collect();
    let body = json!({ "shared_data": { "event_type": "PROGRESS_OVERRIDE_REQUESTED" }, "events": counts });
    let token = admin.token.clone();
    let bulk = async {
        let begun = Instant::now();
        let answer = admin.post("/event/bulk", body).await;
        assert_eq!(answer["detail"]["event_count"], BULK, "{answer}");
        begun.elapsed()
    };
    let done = std::sync::atomic::AtomicBool::new(false);
    let running = || !done.load(std::sync::atomic::Ordering::Relaxed);
    let bulk = async {
        let took = bulk.await;
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        took
    };
    // The crowd wants one order, each of the others its own.
    let wanted = std::iter::repeat_n(&jobs[1], CROWD).chain(&jobs[2..]);
    let writers = join_all(wanted.map(|job| writer(&server, &token, job, running)));
    let looking = async {
        let mut all = Figures::default();
        while running() {
            all.merge(reads(&server, &token, Duration::from_millis(500)).await);
        }
        all
    };
    let signing = async {
        let mut slowest = Duration::ZERO;
        while running() {
            let begun = Instant::now();
            let mut client = Client::connect(&server.address).await;
            assert_eq!(client.ask(&load::sign_in(PASSWORD)).await, 200);
            assert_eq!(client.ask(&load::get("/readyz", None)).await, 200);
            slowest = slowest.max(begun.elapsed());
        }
        slowest
    };
    let ((took, writes), (busy, slowest)) = join(join(bulk, writers), join(looking, signing)).await;
    let times: Vec<Duration> = writes.into_iter().flatten().collect();
    let longest = times.iter().max().copied().unwrap_or_default();
    let written = Figures::of(times, took);
    let work = format!(
        "one bulk of {BULK} `PROGRESS_OVERRIDE_REQUESTED`, {CROWD} clients at one order, {OTHERS} others who write"
    );
    let row = |measured: String, floor: String, goal| Row {
        engine: place.engine(),
        work: work.clone(),
        measured,
        floor,
        ratio: String::new(),
        goal,
    };
    report.add(row(
        format!(
            "the bulk {:.1} s; beside it {:.0} events/s, p99 {}, longest {}, all answered 200",
            took.as_secs_f64(),
            written.per_second(),
            millis(written.percentile(99)),
            millis(longest)
        ),
        String::new(),
        "nobody is sent away",
    ));
    report.add(row(
        format!(
            "`GET /product` p99 {}; sign-in and `/readyz` together at most {}",
            millis(busy.percentile(99)),
            millis(slowest)
        ),
        format!("without them p99 {}", millis(quiet.percentile(99))),
        "stays quick",
    ));
}

/// A job of each of the orders in use.
async fn orders(admin: &mut Admin) -> Vec<String> {
    admin.post("/operation", json!({ "_key": "press", "name": "Press" })).await;
    admin.post("/product", json!({ "_key": "press", "code": "PRESS" })).await;
    let phase =
        json!({ "alias": "one", "operation_key": "press", "params": { "production_batch_qt": 1 }, "steps": [] });
    admin.send("PUT", "/product/press/process", json!([phase])).await;
    let mut jobs = Vec::new();
    for number in 0..OTHERS + 2 {
        let order = json!({ "product_key": "press", "qt_planned": 100_000_000, "wo_code": format!("PRESS-{number}") });
        let made = admin.post("/work-order", order).await;
        jobs.push(made["detail"]["jobs"][0]["_key"].as_str().expect("a job").to_owned());
    }
    let assigned = json!([{ "action": "update", "data": { "_key": jobs[0], "assigned_to": admin.key } }]);
    admin.post("/job/update", assigned).await;
    jobs
}

async fn reads(server: &Server, token: &str, time: Duration) -> Figures {
    let products = load::get("/api/product?limit=5", Some(token));
    load::Load::new(server, 2).run(time, |_, _| products.clone()).await
}

/// Event after event, a few a second; every one has to be stored.
async fn writer(server: &Server, token: &str, job: &str, running: impl Fn() -> bool) -> Vec<Duration> {
    let mut client = Client::connect(&server.address).await;
    let mut times = Vec::new();
    while running() {
        let event = json!({
            "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job", "entity_key": job, "extra_data": { "n": times.len() },
        });
        let begun = Instant::now();
        let (status, answer) = client.answer(&load::with_body("POST", "/api/event", token, &event.to_string())).await;
        assert_eq!(status, 200, "{answer}");
        times.push(begun.elapsed());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    times
}
