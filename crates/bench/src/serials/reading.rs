//! Trees and searches among a million serials.

use super::units::{LARGE, LEVELS, SMALL, Units, make_products};
use crate::load::{self, Client};
use crate::report::{Report, Row};
use crate::server::{Place, Server};

const STORED: i64 = 1_000_000;
const GOAL: &str = "under 20 ms";

pub async fn measure(place: &Place, report: &mut Report) {
    let units = Units::new(STORED);
    make_products(place).await;
    units.fill(place).await;
    units.link(place).await;
    let server = Server::start(place);
    let token = server.sign_in().await;
    let mut client = Client::connect(&server.address).await;
    trees(place, &units, &token, &mut client, report).await;
    searches(place, &units, &token, &mut client, report).await;
}

async fn trees(place: &Place, units: &Units, token: &str, client: &mut Client, report: &mut Report) {
    let tree = |number: i64| load::get(&format!("/api/serial-hierarchy?serial_key={}", units.key(number)), Some(token));
    for (assemblies, count) in [(units.small, SMALL), (units.large, LARGE)] {
        let top = assemblies.unit(0, 0);
        let (status, answer) = client.answer(&tree(top)).await;
        assert_eq!(status, 200, "{answer}");
        let linked = answer.matches(r#""link_key":""#).count() as i64;
        assert_eq!(linked + 1, count, "the tree is complete");
        let megabytes = answer.len() as f64 / 1e6;
        let bare = place.bare(&place.tree()).await;
        let (figures, bare) = client.repeat_beside(&tree(top), &bare, &units.key(top).0).await;
        let work = format!("tree of {count} serials in {LEVELS} levels, {megabytes:.1} MB in the answer");
        report.add(Row::timed(place.engine(), work, &figures, Some(bare), "at most 1.5"));
    }
    // Asked for by the key of a part.
    let figures = client.vary(|number| tree(units.small.unit(number, LEVELS - 1))).await;
    let work = format!("tree of {SMALL} serials in {LEVELS} levels, another one each time, among {STORED} serials");
    report.add(Row::percentiles(place.engine(), work, &figures, GOAL));
}

async fn searches(place: &Place, units: &Units, token: &str, client: &mut Client, report: &mut Report) {
    let search =
        |wanted: String, more: &str| load::get(&format!("/api/serial?serial_search={wanted}{more}"), Some(token));
    // All numbers begin with two zeros, so what is searched for does not.
    let three = |number: i64| format!("*{}*", 100 + number * 37 % 900);
    let five = |number: i64| format!("*{}*", 10_000 + number * 7_919 % 90_000);
    let lot = |number: i64| {
        let code = units.code(number * 4_999 % STORED);
        format!("{}*", &code[..code.len() - 3])
    };
    let kinds: [&dyn Fn(i64) -> String; 3] = [&three, &five, &lot];
    for wanted in kinds {
        assert_eq!(client.ask(&search(wanted(0), "&count=true&limit=1")).await, 200);
        let found = client.header("x-total-count").expect("a count").to_owned();
        let figures = client.vary(|number| search(wanted(number), "")).await;
        let example = wanted(0);
        let work = format!(
            "`GET /serial?serial_search={example}`, others like it each time, first 200 of {found} found among {STORED} codes"
        );
        report.add(Row::percentiles(place.engine(), work, &figures, GOAL));
    }
}
