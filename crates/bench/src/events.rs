//! Benchmarks of the shop floor: single events by many clients, whole production cycles, and bulks.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::load::{self, Client, Figures};
use crate::millis;
use crate::replay::{self, Script};
use crate::report::{Report, Row};
use crate::server::{Place, ProcessorTime, Server};

pub const CLIENTS: usize = 32;
const SECONDS: Duration = Duration::from_secs(4);
/// Connections to PostgreSQL plan each statement once before they are fast.
const WARM_UP: Duration = Duration::from_secs(1);
pub const BULK: usize = 100_000;

pub async fn measure(place: &Place, report: &mut Report, wanted: impl Fn(&str) -> bool) {
    if !["events", "cycles", "bulks"].into_iter().any(&wanted) {
        return;
    }
    let plant = Plant::build(place).await;
    if wanted("events") {
        place.settle().await;
        single(place, &plant, report).await;
    }
    if wanted("cycles") {
        place.settle().await;
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

/// Durable events of many clients, against what the engine does by itself.
async fn single(place: &Place, plant: &Plant, report: &mut Report) {
    let (mut figures, mut spent) = (Figures::default(), Spent::default());
    let mut floors = Floors::default();
    for _ in 0..3 {
        floors.measure(place, &replay::EXTRA_UPDATE).await;
        extras(place, plant, &mut figures, &mut spent).await;
    }
    let work = format!("durable `EXTRA_UPDATE_REQUESTED`, {CLIENTS} clients, each on a job of its own order");
    floors.report(place, report, &work, &figures, &spent, 1.0);
}

async fn extras(place: &Place, plant: &Plant, figures: &mut Figures, spent: &mut Spent) {
    let extra = |client: usize, index: usize| {
        json!({
            "event_type": "EXTRA_UPDATE_REQUESTED",
            "entity_type": "job",
            "entity_key": plant.jobs[client],
            "extra_data": { "reading": index },
        })
    };
    send(place, extra, figures, spent).await;
}

/// Adds what it comes to when all clients send events, each the next of its own.
pub async fn send(
    place: &Place,
    event: impl Fn(usize, usize) -> Value + Sync,
    figures: &mut Figures,
    spent: &mut Spent,
) {
    let server = Server::start(place);
    let token = server.sign_in().await;
    let event =
        |client: usize, index: usize| load::with_body("POST", "/api/event", &token, &event(client, index).to_string());
    let load = load::Load::new(&server, CLIENTS);
    let run = async |time| load::apart(async || load.run(time, &event).await);
    run(WARM_UP).await;
    let (measured, time) = server.processor_time(place, run(SECONDS)).await;
    spent.add(time, measured.count());
    figures.merge(measured);
}

/// What events took of the processors.
#[derive(Default)]
pub struct Spent {
    time: ProcessorTime,
    events: usize,
}

impl Spent {
    fn add(&mut self, time: ProcessorTime, events: usize) {
        self.time.service += time.service;
        self.time.database += time.database;
        self.events += events;
    }

    pub fn told(&self, place: &Place) -> String {
        let each = |time: Duration| millis(time / self.events.max(1) as u32);
        let database = format!(" and PostgreSQL {}", each(self.time.database));
        format!("the service {}{}", each(self.time.service), if place.is_embedded() { "" } else { &database })
    }
}

/// What the engine does by itself, measured in turns with the service so that both see the same machine.
#[derive(Default)]
pub struct Floors {
    /// Per second, one of each time.
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Floors {
    pub async fn measure(&mut self, place: &Place, script: &Script) {
        if let Place::Folder(folder) = place {
            self.first.push(replay::events_per_second(folder.path(), script, CLIENTS, SECONDS / 2));
        } else {
            self.first.push(place.commits_per_second(1, SECONDS / 4).await);
            self.second.push(place.commits_per_second(CLIENTS, SECONDS / 4).await);
        }
    }

    /// `each` is how many events the journal has for each request.
    pub fn report(&self, place: &Place, report: &mut Report, work: &str, figures: &Figures, spent: &Spent, each: f64) {
        let (requests, events) = (figures.per_second(), figures.per_second() * each);
        let rate = if each > 1.0 {
            format!("{requests:.0} requests/s of {each:.1} events: {events:.0} events/s")
        } else {
            format!("{events:.0} events/s")
        };
        let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
        let mut against = |floor: String, ratio: f64, goal| {
            report.add(Row {
                engine: place.engine(),
                work: work.to_owned(),
                measured: format!(
                    "{rate}, p99 {}; processor time of a request: {}",
                    millis(figures.percentile(99)),
                    spent.told(place)
                ),
                floor,
                ratio: format!("{ratio:.2}"),
                goal,
            });
        };
        let first = mean(&self.first);
        if place.is_embedded() {
            let floor = format!("the same statements by the engine alone, {CLIENTS} events to a commit: {first:.0}/s");
            against(floor, requests / first, "at least 0.5, p99 under 100 ms");
            return;
        }
        let bare =
            |count: &str, rate: f64| format!("bare commits of one row by the engine alone, {count}: {rate:.0}/s");
        against(bare("one connection", first), events / first, "at least 0.2, p99 under 100 ms");
        let second = mean(&self.second);
        against(bare(&format!("{CLIENTS} connections"), second), events / second, "");
        if each > 1.0 {
            against(format!("{}, by requests", bare("one connection", first)), requests / first, "");
        }
    }
}

/// Batch after batch: each client completes the batch from its last answer.
async fn cycles(place: &Place, plant: &Plant, report: &mut Report) {
    let (mut figures, mut spent, mut events) = (Figures::default(), Spent::default(), 0);
    let mut floors = Floors::default();
    for _ in 0..3 {
        floors.measure(place, &replay::BATCH_COMPLETED).await;
        events += completions(place, plant, &mut figures, &mut spent).await;
    }
    let each = events as f64 / figures.count() as f64;
    let work = format!("durable `BATCH_COMPLETED`, each with its further events and the next batch, {CLIENTS} clients");
    floors.report(place, report, &work, &figures, &spent, each);
}

/// Returns how many events the journal has got.
async fn completions(place: &Place, plant: &Plant, figures: &mut Figures, spent: &mut Spent) -> i64 {
    let server = Server::start(place);
    let token = server.sign_in().await;
    let complete = async |time| {
        let clients = || plant.jobs.iter().map(|job| complete_batches(&server, &token, job, time));
        load::apart(async || join_all(clients()).await)
    };
    complete(WARM_UP).await;
    let before = last_number(&server, &token).await;
    let started = Instant::now();
    let (times, time) = server.processor_time(place, complete(SECONDS)).await;
    let measured = Figures::of(times.into_iter().flatten().collect(), started.elapsed());
    spent.add(time, measured.count());
    figures.merge(measured);
    last_number(&server, &token).await - before
}

/// The number of the newest event.
async fn last_number(server: &Server, token: &str) -> i64 {
    let mut client = Client::connect(&server.address).await;
    let (_, body) = client.answer(&load::get("/api/event?sort_by=seq&limit=1", Some(token))).await;
    let newest: Value = serde_json::from_str(&body).expect("JSON");
    newest[0]["seq"].as_i64().expect("an event")
}

/// How long each took.
async fn complete_batches(server: &Server, token: &str, job: &str, time: Duration) -> Vec<Duration> {
    let until = Instant::now() + time;
    let mut client = Client::connect(&server.address).await;
    let (_, body) = client.answer(&load::get(&format!("/api/job/{job}"), Some(token))).await;
    let job: Value = serde_json::from_str(&body).expect("JSON");
    let mut batch = job["detail"]["active_batch_key"].as_str().expect("a batch").to_owned();
    let mut times = Vec::new();
    while Instant::now() < until {
        let begun = Instant::now();
        let event = json!({ "event_type": "BATCH_COMPLETED", "active_batch_key": batch, "completed_batch_qt": 1 });
        let (status, body) = client.answer(&load::with_body("POST", "/api/event", token, &event.to_string())).await;
        assert_eq!(status, 200, "{body}");
        times.push(begun.elapsed());
        let answer: Value = serde_json::from_str(&body).expect("JSON");
        batch = answer["detail"]["batch_data"]["_key"].as_str().expect("the next batch").to_owned();
    }
    times
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
