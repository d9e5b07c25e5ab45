//! Benchmarks of importing and exporting twenty thousand products.

use std::time::{Duration, Instant};

use crate::load::{self, Client};
use crate::millis;
use crate::report::{Report, Row};
use crate::server::{Place, Server};

const ROWS: usize = 20_000;
const GOAL: &str = "under 2 s";

pub async fn measure(place: &Place, report: &mut Report) {
    let server = Server::start(place);
    let token = server.sign_in().await;
    let mut client = Client::connect(&server.address).await;
    let rows: String = (0..ROWS)
        .map(|number| format!("I-{number:05},Imported product {number},{}.25,true,lot {}\n", number % 90, number % 7))
        .collect();
    let file = format!("code,description,cost_target,active,tags\n{rows}");
    for (round, what) in ["new products", "products that are the same already"].into_iter().enumerate() {
        let (checked, answer) = step(&mut client, &load::form(IMPORT, &token, &[("file", Some("p.csv"), &file)])).await;
        let counts = if round == 0 { "rows_created" } else { "rows_skipped" };
        assert_eq!(answer[counts], ROWS, "{answer}");
        let key = answer["file_key"].as_str().expect("a key").to_owned();
        let parts = [("dry_run", None, "false"), ("file_key", None, key.as_str())];
        let (written, _) = step(&mut client, &load::form(IMPORT, &token, &parts)).await;
        report.add(row(place, format!("import of {ROWS} rows, {what}: first step"), checked));
        report.add(row(place, format!("import of {ROWS} rows, {what}: second step"), written));
    }
    for format in ["csv", "xlsx"] {
        let begun = Instant::now();
        let path = format!("/api/product/export?format={format}&search_string=I-*");
        assert_eq!(client.ask(&load::get(&path, Some(&token))).await, 200);
        report.add(row(place, format!("export of {ROWS} products as {format}"), begun.elapsed()));
    }
}

const IMPORT: &str = "/api/product/import";

async fn step(client: &mut Client, request: &str) -> (Duration, serde_json::Value) {
    let begun = Instant::now();
    let (status, body) = client.answer(request).await;
    let took = begun.elapsed();
    assert_eq!(status, 200, "{body}");
    (took, serde_json::from_str(&body).expect("JSON"))
}

fn row(place: &Place, work: String, took: Duration) -> Row {
    Row { engine: place.engine(), work, measured: millis(took), floor: String::new(), ratio: String::new(), goal: GOAL }
}
