//! Benchmarks of the shop floor: single events by many clients, whole production cycles, and bulks.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::load::{self, Client, Figures};
use crate::millis;
use crate::report::{Report, Row};
use crate::server::{Place, Server};

const CLIENTS: usize = 32;
const SECONDS: Duration = Duration::from_secs(4);
pub const BULK: usize = 100_000;

pub async fn measure(place: &Place, report: &mut Report, wanted: impl Fn(&str) -> bool) {
    if !["events", "cycles", "bulks"].into_iter().any(&wanted) {
        return;
    }
    let plant = Plant::build(place).await;
    if wanted("events") {
        single(place, &plant, report).await;
    }
    if wanted("cycles") {
        cycles(place, &plant, report).await;
    }
    if wanted("bulks") {
        bulks(place, &plant, report).await;
    }
}

/// Jobs to work on, one for each client and one for bulks.
struct Plant {
    jobs: Vec<String>,
    counted: String,
}

impl Plant {
    async fn build(place: &Place) -> Self {
        let server = Server::start(place);
        let mut admin = Admin::new(&server).await;
        let parameters = json!({ "unsupervised_work_allowed": true, "production_batch_qt": 1 });
        admin.post("/operation", json!({ "_key": "bench", "name": "Bench" })).await;
        admin.post("/product", json!({ "_key": "bench", "code": "BENCH" })).await;
        let phase =
            |alias: &str| json!({ "alias": alias, "operation_key": "bench", "params": parameters, "steps": [] });
        admin.send("PUT", "/product/bench/process", json!([phase("one"), phase("two")])).await;
        let mut jobs = Vec::new();
        for number in 0..=CLIENTS {
            let order =
                json!({ "product_key": "bench", "qt_planned": 100_000_000, "wo_code": format!("BENCH-{number}") });
            let made = admin.post("/work-order", order).await;
            jobs.push(made["detail"]["jobs"][0]["_key"].as_str().expect("a job").to_owned());
        }
        let counted = jobs.pop().expect("the last");
        let assigned = json!([{ "action": "update", "data": { "_key": counted, "assigned_to": admin.key } }]);
        admin.post("/job/update", assigned).await;
        for job in &jobs {
            admin.post("/event", json!({ "event_type": "JOB_STARTED", "job_key": job })).await;
        }
        Self { jobs, counted }
    }
}

/// One signed-in connection for preparations.
pub struct Admin {
    client: Client,
    pub token: String,
    pub key: String,
}

impl Admin {
    pub async fn new(server: &Server) -> Self {
        let token = server.sign_in().await;
        let mut client = Client::connect(&server.address).await;
        let (_, body) = client.answer(&load::get("/api/whoami", Some(&token))).await;
        let who: Value = serde_json::from_str(&body).expect("JSON");
        let key = who["detail"].as_str().or(who["detail"]["user_key"].as_str()).expect("a key").to_owned();
        Self { client, token, key }
    }

    pub async fn post(&mut self, path: &str, body: Value) -> Value {
        self.send("POST", path, body).await
    }

    pub async fn send(&mut self, method: &str, path: &str, body: Value) -> Value {
        let request = load::with_body(method, &format!("/api{path}"), &self.token, &body.to_string());
        let (status, answer) = self.client.answer(&request).await;
        assert!(status < 300, "{path}: {answer}");
        serde_json::from_str(&answer).expect("JSON")
    }
}

/// Durable events of many clients, compared with one commit per event.
async fn single(place: &Place, plant: &Plant, report: &mut Report) {
    let (mut together, mut one_by_one) = (Figures::default(), Figures::default());
    for _ in 0..3 {
        together.merge(extras(place, &[], plant).await);
        one_by_one.merge(extras(place, &["--write-group", "1"], plant).await);
    }
    let work = format!("durable `EXTRA_UPDATE_REQUESTED`, {CLIENTS} clients, each on a job of its own order");
    report.add(against(place, work, &together, &one_by_one));
}

async fn extras(place: &Place, flags: &[&str], plant: &Plant) -> Figures {
    let server = Server::start_with(place, flags);
    let token = server.sign_in().await;
    let event = |client: usize, index: usize| {
        let event = json!({
            "event_type": "EXTRA_UPDATE_REQUESTED",
            "entity_type": "job",
            "entity_key": plant.jobs[client],
            "extra_data": { "reading": index },
        });
        load::with_body("POST", "/api/event", &token, &event.to_string())
    };
    load::Load::new(&server, CLIENTS).run(SECONDS, event).await
}

/// Batch after batch: each client completes the batch from its last answer.
async fn cycles(place: &Place, plant: &Plant, report: &mut Report) {
    let (mut together, mut one_by_one) = (Figures::default(), Figures::default());
    for _ in 0..2 {
        together.merge(completions(place, &[], plant).await);
        one_by_one.merge(completions(place, &["--write-group", "1"], plant).await);
    }
    let work =
        format!("durable `BATCH_COMPLETED`, each with its 7 further events and the next batch, {CLIENTS} clients");
    report.add(Row { goal: "", ..against(place, work, &together, &one_by_one) });
}

async fn completions(place: &Place, flags: &[&str], plant: &Plant) -> Figures {
    let server = Server::start_with(place, flags);
    let token = server.sign_in().await;
    let started = Instant::now();
    let until = started + SECONDS;
    let clients = plant.jobs.iter().map(|job| {
        let (token, server) = (&token, &server);
        async move {
            let mut client = Client::connect(&server.address).await;
            let (_, body) = client.answer(&load::get(&format!("/api/job/{job}"), Some(token))).await;
            let job: Value = serde_json::from_str(&body).expect("JSON");
            let mut batch = job["detail"]["active_batch_key"].as_str().expect("a batch").to_owned();
            let mut times = Vec::new();
            while Instant::now() < until {
                let begun = Instant::now();
                let event =
                    json!({ "event_type": "BATCH_COMPLETED", "active_batch_key": batch, "completed_batch_qt": 1 });
                let (status, body) =
                    client.answer(&load::with_body("POST", "/api/event", token, &event.to_string())).await;
                assert_eq!(status, 200, "{body}");
                times.push(begun.elapsed());
                let answer: Value = serde_json::from_str(&body).expect("JSON");
                batch = answer["detail"]["batch_data"]["_key"].as_str().expect("the next batch").to_owned();
            }
            times
        }
    });
    let times = join_all(clients).await.into_iter().flatten().collect();
    Figures::of(times, started.elapsed())
}

fn against(place: &Place, work: String, together: &Figures, one_by_one: &Figures) -> Row {
    let goal = if place.is_embedded() { "at least 3, p99 under 100 ms" } else { "" };
    let floor = format!("the same with one commit per event: {:.0}/s", one_by_one.per_second());
    Row {
        engine: place.engine(),
        work,
        measured: format!("{:.0} events/s, p99 {}", together.per_second(), millis(together.percentile(99))),
        floor: if place.is_embedded() { floor } else { String::new() },
        ratio: if place.is_embedded() {
            format!("{:.2}", together.per_second() / one_by_one.per_second())
        } else {
            String::new()
        },
        goal,
    }
}

/// A hundred thousand rows in one request, and the memory they take.
async fn bulks(place: &Place, plant: &Plant, report: &mut Report) {
    let server = Server::start(place);
    let mut admin = Admin::new(&server).await;
    let idle = server.memory_mib();
    let extras: Vec<Value> = (0..BULK)
        .map(|index| json!({ "entity_key": plant.jobs[index % CLIENTS], "extra_data": { "reading": index } }))
        .collect();
    let shared = json!({ "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job" });
    let body = json!({ "shared_data": shared, "events": extras });
    let took = bulk(&mut admin, body).await;
    report.add(row(place, format!("one bulk of {BULK} `EXTRA_UPDATE_REQUESTED`"), took, &server, idle));

    let counts: Vec<Value> =
        (1..=BULK).map(|count| json!({ "job_key": plant.counted, "new_job_qt_completed": count })).collect();
    let body = json!({ "shared_data": { "event_type": "PROGRESS_OVERRIDE_REQUESTED" }, "events": counts });
    let took = bulk(&mut admin, body).await;
    let work = format!("one bulk of {BULK} `PROGRESS_OVERRIDE_REQUESTED`, a batch each");
    report.add(row(place, work, took, &server, idle));
}

async fn bulk(admin: &mut Admin, body: Value) -> Duration {
    let begun = Instant::now();
    let answer = admin.post("/event/bulk", body).await;
    assert_eq!(answer["detail"]["event_count"], BULK, "{answer}");
    begun.elapsed()
}

fn row(place: &Place, work: String, took: Duration, server: &Server, idle: u64) -> Row {
    Row {
        engine: place.engine(),
        work,
        measured: format!("{:.1} s, at most {} MiB of memory", took.as_secs_f64(), server.peak_mib()),
        floor: format!("idle {idle} MiB"),
        ratio: String::new(),
        goal: "memory bounded",
    }
}
