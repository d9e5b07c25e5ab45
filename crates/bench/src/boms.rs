//! Benchmarks of bills of materials among a hundred thousand stored lines.

use std::time::Duration;

use serde_json::{Value, json};

use crate::bare;
use crate::dataset::{self, DIAMOND, LEVELS, RING, STORED_LINES, WIDTH};
use crate::load::{self, Client, Figures, Request};
use crate::report::{Report, Row};
use crate::server::{Place, Server};

const TIMES: usize = 21;
const GOAL: &str = "under 100 ms";

pub async fn measure(place: &Place, report: &mut Report) {
    drop(Server::start(place));
    dataset::fill(place).await;
    let server = Server::start(place);
    let token = server.sign_in().await;
    let mut client = Client::connect(&server.address).await;
    let get = |path: String| load::get(&path, Some(&token));
    let put =
        |product: &str, lines: &Value| load::put(&format!("/api/product/{product}/bom"), &token, &lines.to_string());

    let middle = dataset::level(LEVELS / 2, 0);
    let lines: Value = (0..500)
        .map(|number| json!({ "component_key": dataset::level(LEVELS / 2 + 1, number % WIDTH), "qt": 1 }))
        .collect();
    let replaced = repeat(&mut client, &put(&middle, &lines), 200).await;
    let work = format!("PUT BoM of 500 lines in the middle of {STORED_LINES} stored lines");
    report.add(row(place, work, &replaced, None));

    let top = dataset::level(LEVELS - 4, 0);
    let bare = place.bare(bare::BELOW).await;
    let (exploded, bare) = client.repeat_beside(&get(format!("/api/product/{top}/bom/explode")), &bare, &top).await;
    report.add(row(place, "explosion of 3 levels".to_owned(), &exploded, Some(bare)));

    let all = dataset::level(0, 0);
    let whole = get(format!("/api/product/{all}/bom/explode"));
    let answer = client.answer(&whole).await.1;
    let lines = serde_json::from_str::<Value>(&answer).expect("JSON")["lines"].as_array().map_or(0, Vec::len);
    let megabytes = answer.len() / 1_000_000;
    let bare = place.bare(bare::BELOW).await;
    let (exploded, bare) = client.repeat_beside(&whole, &bare, &all).await;
    report.add(row(
        place,
        format!("explosion of {LEVELS} levels, {lines} lines and {megabytes} MB in the answer"),
        &exploded,
        Some(bare),
    ));

    let bottom = dataset::level(LEVELS - 1, 0);
    let bare = place.bare(bare::ABOVE).await;
    let (used, bare) = client.repeat_beside(&get(format!("/api/product/{bottom}/where-used")), &bare, &bottom).await;
    report.add(row(place, format!("where-used over {LEVELS} levels, most of the stored lines"), &used, Some(bare)));

    let first = dataset::diamond(0);
    let diamond = repeat(&mut client, &get(format!("/api/product/{first}/bom/explode")), 200).await;
    report.add(row(place, format!("explosion of the dense diamond of {DIAMOND} levels"), &diamond, None));

    let closing = json!([{ "component_key": dataset::ring(0), "qt": 1 }]);
    let ring = repeat(&mut client, &put(&dataset::ring(RING - 1), &closing), 403).await;
    report.add(row(place, format!("PUT BoM that closes a ring of {RING}, refused"), &ring, None));

    let closing = json!([{ "component_key": dataset::level(0, 0), "qt": 1 }]);
    let refused = repeat(&mut client, &put(&bottom, &closing), 403).await;
    report.add(row(
        place,
        "PUT BoM that closes a loop over most of the stored lines, refused".to_owned(),
        &refused,
        None,
    ));
}

async fn repeat(client: &mut Client, request: &Request, status: u16) -> Figures {
    client.time(std::iter::repeat_n(request.clone(), TIMES), status).await
}

fn row(place: &Place, work: String, figures: &Figures, bare: Option<Duration>) -> Row {
    Row::timed(place.engine(), work, figures, bare, GOAL)
}
