//! A hundred thousand serials by one event.

use std::ops::Range;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::units::{Units, make_products};
use crate::load::{self, Client, Figures};
use crate::report::{Report, Row};
use crate::server::{Place, Server};

const SERIALS: usize = 100_000;
const TIMES: usize = 3;
/// How many are stored before, to find out whether that makes a difference.
const STORED: i64 = 10_000_000;
/// A product in the middle of all.
const PRODUCT: &str = "P05";

/// Against the same rows, stored by the engine alone.
pub async fn measure(place: &Place, report: &mut Report) {
    let place = place.another("bench_serials").await;
    make_products(&place).await;
    let (mut figures, mut bare, mut memory) = (Figures::default(), Figures::default(), 0);
    for lot in 0..TIMES {
        let copy = place.copy("bench_floor").await;
        copy.settle().await;
        let (took, peak) = create(&place, lot).await;
        figures.add(took);
        memory = memory.max(peak);
        copy.settle().await;
        bare.add(copy.store_again(&place).await);
        copy.remove().await;
    }
    let (median, floor) = (figures.percentile(50).as_secs_f64(), bare.percentile(50).as_secs_f64());
    let worst = figures.percentile(100).as_secs_f64();
    report.add(Row {
        engine: place.engine(),
        work: format!("one `SERIAL_CREATED` of {SERIALS} serials by their codes"),
        measured: format!("median {median:.1} s, worst of {TIMES} {worst:.1} s, at most {memory} MiB of memory"),
        floor: format!("bare inserts of the same rows in one transaction: {floor:.1} s"),
        ratio: format!("{:.2}", median / floor),
        goal: "at most 4, under 5 s",
    });
    place.remove().await;
}

/// On an empty database, and where millions are stored.
pub async fn growth(place: &Place, report: &mut Report) {
    let place = place.another("bench_growth").await;
    make_products(&place).await;
    let empty = median_of(&place, 0..TIMES).await;
    Units::new(STORED).fill(&place).await;
    let size = place.bytes().await as f64 / 1e9;
    let full = median_of(&place, TIMES..2 * TIMES).await;
    let each = |time: Duration| format!("{:.1} µs for each serial", time.as_secs_f64() * 1e6 / SERIALS as f64);
    report.add(Row {
        engine: place.engine(),
        work: format!("one `SERIAL_CREATED` of {SERIALS} serials, {STORED} stored ({size:.1} GB)"),
        measured: format!("median of {TIMES} {:.1} s: {}", full.as_secs_f64(), each(full)),
        floor: format!("on an empty database: {}", each(empty)),
        ratio: format!("{:.2}", full.as_secs_f64() / empty.as_secs_f64()),
        goal: "at most 1.25",
    });
    place.remove().await;
}

async fn median_of(place: &Place, lots: Range<usize>) -> Duration {
    let mut figures = Figures::default();
    for lot in lots {
        place.settle().await;
        figures.add(create(place, lot).await.0);
    }
    figures.percentile(50)
}

/// How long the event of a lot takes, and the most memory that the service had, in MiB.
async fn create(place: &Place, lot: usize) -> (Duration, u64) {
    let server = Server::start(place);
    let token = server.sign_in().await;
    let mut client = Client::connect(&server.address).await;
    let codes: Value = (0..SERIALS).map(|number| format!("{PRODUCT}-26W{:02}-{number:08}", lot + 1)).collect();
    let event = json!({ "event_type": "SERIAL_CREATED", "product_key": PRODUCT, "codes": codes });
    let request = load::with_body("POST", "/api/event", &token, &event.to_string());
    let begun = Instant::now();
    let (status, answer) = client.answer(&request).await;
    let took = begun.elapsed();
    assert_eq!(status, 200, "{answer}");
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["detail"]["count"], SERIALS);
    (took, server.peak_mib())
}
