//! Measures the release binary over HTTP, against baselines taken in the same run, and writes `docs/benchmarks.md`.
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program for developers that stops at the first thing that goes wrong"
)]

mod again;
mod bare;
mod boms;
mod browser;
mod dataset;
mod events;
mod fill;
mod floor;
mod imports;
mod load;
mod pressure;
mod processes;
mod replay;
mod report;
mod serials;
mod server;
mod tasks;
mod warehouse;

use std::time::Duration;

use load::{Client, Load};
use report::{Report, Row};
use server::{Place, Server};

const SECONDS: Duration = Duration::from_secs(4);

#[tokio::main]
async fn main() {
    // Single parts can be run by name; only a run of all is written to the page. `full` has those that take long, too.
    let only: Vec<String> = std::env::args().skip(1).collect();
    let named = |name: &str| only.iter().any(|part| part == name);
    let full = named("full");
    let wanted = |name: &str| only.is_empty() || full || named(name);
    let mut report = Report::default();
    let mut places = vec![Place::folder()];
    places.extend(Place::postgres("bench").await);
    for place in places {
        println!("{}", place.engine());
        report.postgres = place.version().await.or(report.postgres);
        if wanted("reads") {
            reads(&place, &mut report).await;
        }
        if wanted("writes") {
            writes(&place, &mut report).await;
        }
        if wanted("sign_ins") {
            sign_ins(&place, &mut report).await;
        }
        if wanted("boms") {
            boms::measure(&place, &mut report).await;
        }
        events::measure(&place, &mut report, wanted).await;
        if wanted("pressure") && !place.is_embedded() {
            pressure::measure(&place, &mut report).await;
        }
        if wanted("imports") {
            imports::measure(&place, &mut report).await;
        }
        serials::measure(&place, &mut report, wanted, full || named("whole_trace")).await;
        warehouse::measure(&place, &mut report, wanted, full || named("whole_stock")).await;
        if wanted("tasks") || named("whole_tasks") {
            tasks::measure(&place, &mut report, full || named("whole_tasks")).await;
        }
        if full || named("growth") {
            serials::growth(&place, &mut report).await;
        }
        if wanted("start") {
            start_and_memory(&place, &mut report).await;
        }
        place.remove().await;
    }
    if wanted("browser") {
        browser::measure(&mut report);
    }
    if only.is_empty() || full {
        report.write("docs/benchmarks.md", if full { "bench-full" } else { "bench" });
    }
}

async fn reads(place: &Place, report: &mut Report) {
    let server = Server::start(place);
    let token = server.sign_in().await;
    let hello = load::get("/api/hello", None);
    let whoami = load::get("/api/whoami", Some(&token));
    // Warm up, then alternate, so that both see the same machine.
    Load::new(&server, 16).run(Duration::from_secs(1), |_, _| whoami.clone()).await;
    let (mut floor, mut checked) = (0.0, 0.0);
    for _ in 0..3 {
        floor += Load::new(&server, 16).run(SECONDS / 3, |_, _| hello.clone()).await.per_second();
        checked += Load::new(&server, 16).run(SECONDS / 3, |_, _| whoami.clone()).await.per_second();
    }
    let goal = if place.is_embedded() { "at least 0.5" } else { "" };
    report.add(Row {
        engine: place.engine(),
        work: "`GET /whoami` with its token check, 16 clients".to_owned(),
        measured: format!("{:.0} requests/s", checked / 3.0),
        floor: format!("`GET /hello`: {:.0} requests/s", floor / 3.0),
        ratio: format!("{:.2}", checked / floor),
        goal,
    });
}

async fn writes(place: &Place, report: &mut Report) {
    // Alternating, so that both see the same machine.
    let (mut together, mut one_by_one) = (load::Figures::default(), load::Figures::default());
    for _ in 0..3 {
        together.merge(durable_writes(place, &[], 32).await);
        one_by_one.merge(durable_writes(place, &["--write-group", "1"], 32).await);
    }
    let alone = durable_writes(place, &[], 1).await;
    let bare = place.commits_per_second(1, SECONDS).await;
    let measured = format!("{:.0} writes/s, p99 {}", together.per_second(), millis(together.percentile(99)));
    let against = |floor: String, per_second: f64, goal| Row {
        engine: place.engine(),
        work: "durable `PATCH /preferences` of one user, 32 clients".to_owned(),
        measured: measured.clone(),
        floor,
        ratio: format!("{:.2}", together.per_second() / per_second),
        goal,
    };
    if place.is_embedded() {
        let floor = format!("the same with one commit per write: {:.0}/s", one_by_one.per_second());
        report.add(against(floor, one_by_one.per_second(), "at least 3"));
    }
    report.add(against(format!("the same by 1 client: {:.0}/s", alone.per_second()), alone.per_second(), ""));
    report.add(against(format!("bare commits of one row by the engine alone: {bare:.0}/s"), bare, ""));
}

async fn durable_writes(place: &Place, flags: &[&str], clients: usize) -> load::Figures {
    let server = Server::start_with(place, flags);
    let token = server.sign_in().await;
    let change = |client: usize, index: usize| {
        load::patch("/api/preferences", &token, &format!(r#"{{"bench":"{client}-{index}"}}"#))
    };
    Load::new(&server, clients).run(SECONDS, change).await
}

async fn sign_ins(place: &Place, report: &mut Report) {
    let server = Server::start(place);
    let token = server.sign_in().await;
    let hello = load::get("/api/hello", None);
    let quiet = Load::new(&server, 2).run(SECONDS, |_, _| hello.clone()).await;
    let sign_in = load::sign_in(server::PASSWORD);
    let storm = {
        let (address, sign_in) = (server.address.clone(), sign_in.clone());
        tokio::spawn(async move {
            let started = std::time::Instant::now();
            let mut all = Vec::new();
            for _ in 0..50 {
                let (address, sign_in) = (address.clone(), sign_in.clone());
                all.push(tokio::spawn(async move { Client::connect(&address).await.ask(&sign_in).await }));
            }
            for one in all {
                assert_eq!(one.await.unwrap(), 200);
            }
            started.elapsed()
        })
    };
    let mut busy = load::Figures::default();
    while !storm.is_finished() {
        busy.merge(Load::new(&server, 2).run(Duration::from_millis(100), |_, _| hello.clone()).await);
    }
    let took = storm.await.unwrap();
    drop(token);
    report.add(Row {
        engine: place.engine(),
        work: "`GET /hello` by 2 clients while 50 people sign in at once".to_owned(),
        measured: format!("p99 {}, the 50 took {:.1} s", millis(busy.percentile(99)), took.as_secs_f64()),
        floor: format!("without them p99 {}", millis(quiet.percentile(99))),
        ratio: format!("{:.1}", busy.percentile(99).as_secs_f64() / quiet.percentile(99).as_secs_f64()),
        goal: "stays quick",
    });
}

async fn start_and_memory(place: &Place, report: &mut Report) {
    let mut slowest = Duration::ZERO;
    let mut memory = 0;
    for _ in 0..5 {
        let started = std::time::Instant::now();
        let server = Server::start(place);
        assert_eq!(Client::connect(&server.address).await.ask(&load::get("/api/config", None)).await, 200);
        slowest = slowest.max(started.elapsed());
        memory = memory.max(server.memory_mib());
    }
    report.add(Row {
        engine: place.engine(),
        work: "start to first answer, slowest of 5".to_owned(),
        measured: millis(slowest),
        floor: String::new(),
        ratio: String::new(),
        goal: "under 1 s",
    });
    report.add(Row {
        engine: place.engine(),
        work: "idle memory".to_owned(),
        measured: format!("{memory} MiB"),
        floor: String::new(),
        ratio: String::new(),
        goal: "under 100 MB",
    });
}

fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}
