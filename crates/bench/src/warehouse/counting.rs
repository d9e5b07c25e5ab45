//! Counts that come from files, and the stock that they correct.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::depot::{BINS, Depot, bin, product};
use crate::events::Admin;
use crate::load::{self, Client};
use crate::millis;
use crate::report::{Report, Row};
use crate::server::{Place, Server};

/// Movements of the depot that is counted.
const MOVEMENTS: i64 = 50_000;
/// Rows of a large file, and of the one by which stock is corrected.
const ROWS: i64 = 20_000;
const CORRECTED: i64 = 5_000;
const IMPORT: &str = "/api/inventory/count-record/import";
const GOAL: &str = "under 2 s";

pub async fn measure(place: &Place, report: &mut Report) {
    let place = place.another("bench_counting").await;
    Depot::new(MOVEMENTS).fill(&place).await;
    let server = Server::start(&place);
    let mut count = Count::new(&server).await;
    let session = count.session().await;
    for what in ["of what nobody has counted", "that takes the place of as many records"] {
        let (checked, written) = count.import(&session, ROWS).await;
        report.add(row(&place, format!("import of {ROWS} counts {what}: first step"), checked, GOAL));
        report.add(row(&place, format!("import of {ROWS} counts {what}: second step"), written, GOAL));
    }
    let session = count.session().await;
    count.import(&session, CORRECTED).await;
    let (confirmed, applied) = count.apply(&session).await;
    report.add(row(&place, format!("`COUNT_SESSION_CONFIRMED` of {CORRECTED} records that differ"), confirmed, ""));
    report.add(row(
        &place,
        format!("the corrections by these {CORRECTED} records, until all are applied"),
        applied,
        "",
    ));
    let verified = count.get("/inventory/verify").await;
    assert_eq!(verified["ok"], true, "{verified}");
    drop(server);
    place.remove().await;
}

fn row(place: &Place, work: String, took: Duration, goal: &'static str) -> Row {
    Row { engine: place.engine(), work, measured: millis(took), floor: String::new(), ratio: String::new(), goal }
}

/// Counts of as many pairs, of each more than stock says.
fn file(rows: i64) -> String {
    let line = |number: i64| format!("{},{},1000001.5\n", bin(number), product(number + number / BINS));
    let lines: String = (0..rows).map(line).collect();
    format!("position_code,product_code,counted_qt\n{lines}")
}

/// Somebody who counts.
struct Count {
    admin: Admin,
    client: Client,
}

impl Count {
    async fn new(server: &Server) -> Self {
        Self { admin: Admin::new(server).await, client: Client::connect(&server.address).await }
    }

    async fn get(&mut self, path: &str) -> Value {
        let request = load::get(&format!("/api{path}"), Some(&self.admin.token));
        let (status, answer) = self.client.answer(&request).await;
        assert_eq!(status, 200, "{path}: {answer}");
        serde_json::from_str(&answer).expect("JSON")
    }

    async fn event(&mut self, event_type: &str, session: &str) {
        self.admin.post("/event", json!({ "event_type": event_type, "count_session_key": session })).await;
    }

    /// A session of everything that waits for its review.
    async fn session(&mut self) -> String {
        let new = json!({ "type": "position", "blind_quantities": true, "blind_serials": true });
        let body = json!({ "count_session": new, "assignments": [] });
        let made = self.admin.post("/inventory/count-session", body).await;
        let session = made["detail"]["count_session_key"].as_str().expect("a key").to_owned();
        self.event("COUNT_SESSION_STARTED", &session).await;
        self.event("COUNT_SESSION_COMPLETED", &session).await;
        session
    }

    /// How long both steps take.
    async fn import(&mut self, session: &str, rows: i64) -> (Duration, Duration) {
        let file = file(rows);
        let of_session = [("count_session_key", None, session), ("import_mode", None, "replace")];
        let mut parts = of_session.to_vec();
        parts.push(("file", Some("counts.csv"), file.as_str()));
        let (checked, answer) = self.step(&parts).await;
        assert_eq!(answer["records_to_add"], rows, "{answer}");
        let key = answer["file_key"].as_str().expect("a key").to_owned();
        let mut parts = of_session.to_vec();
        parts.extend([("dry_run", None, "false"), ("file_key", None, key.as_str())]);
        let (written, answer) = self.step(&parts).await;
        assert_eq!(answer["detail"]["rows_added"], rows, "{answer}");
        (checked, written)
    }

    async fn step(&mut self, parts: &[(&str, Option<&str>, &str)]) -> (Duration, Value) {
        let request = load::form(IMPORT, &self.admin.token, parts);
        let begun = Instant::now();
        let (status, body) = self.client.answer(&request).await;
        let took = begun.elapsed();
        assert_eq!(status, 200, "{body}");
        (took, serde_json::from_str(&body).expect("JSON"))
    }

    /// How long it takes to confirm a session, and then until its stock is corrected.
    async fn apply(&mut self, session: &str) -> (Duration, Duration) {
        let begun = Instant::now();
        self.event("COUNT_SESSION_CONFIRMED", session).await;
        let confirmed = begun.elapsed();
        let path = format!("/inventory/count-session/{session}");
        loop {
            let found = self.get(&path).await;
            if found["status"] == "applied" {
                assert_eq!((&found["movements_created"], &found["movements_failed"]), (&json!(CORRECTED), &json!(0)));
                return (confirmed, begun.elapsed() - confirmed);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
