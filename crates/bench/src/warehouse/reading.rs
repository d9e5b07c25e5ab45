//! Lists of the warehouse among millions of movements.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::depot::{Depot, POSITIONS, aisle, bin, hall, product, rack};
use crate::load::{self, Client, Figures};
use crate::report::{Report, Row};
use crate::server::{Place, Server};

/// Movements of the small depot and of the whole one.
const SMALL: i64 = 500_000;
const WHOLE: i64 = 5_000_000;
const TIMES: usize = 21;
const GOAL: &str = "p99 under 30 ms";

pub async fn measure(place: &Place, report: &mut Report, whole: bool) {
    let small = Found::among(place, SMALL).await;
    if !whole {
        small.report(place, report, None);
        return;
    }
    Found::among(place, WHOLE).await.report(place, report, Some(&small));
}

/// What was measured in a depot.
struct Found {
    movements: i64,
    /// A list by an example, and the times of requests like it.
    lists: Vec<(String, Figures)>,
    hierarchy: Figures,
    verified: Duration,
}

impl Found {
    async fn among(place: &Place, movements: i64) -> Self {
        let place = place.another("bench_stock").await;
        let depot = Depot::new(movements);
        depot.fill(&place).await;
        let server = Server::start(&place);
        let token = server.sign_in().await;
        let mut client = Client::connect(&server.address).await;
        let get = |path: &str| load::get(&format!("/api{path}"), Some(&token));

        let mut lists = Vec::new();
        for path in paths(&depot) {
            let (status, answer) = client.answer(&get(&path(0))).await;
            assert!(status == 200 && answer.len() > 2, "{} finds nothing: {answer}", path(0));
            lists.push((path(0), client.vary(|number| get(&path(number))).await));
        }
        let tree = get("/position-hierarchy");
        let (_, answer) = client.answer(&tree).await;
        assert_eq!(answer.matches(r#""position_key":"#).count() as i64, POSITIONS + 1, "the tree is complete");
        let hierarchy = client.time(std::iter::repeat_n(tree, TIMES), 200).await;

        let begun = Instant::now();
        let (status, answer) = client.answer(&get("/inventory/verify")).await;
        let verified = begun.elapsed();
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert!(status == 200 && answer["ok"] == true && answer["movements"] == depot.movements, "{answer}");
        drop(server);
        place.remove().await;
        Self { movements: depot.movements, lists, hierarchy, verified }
    }

    /// With the median of the same in a smaller depot.
    fn report(&self, place: &Place, report: &mut Report, smaller: Option<&Found>) {
        let among = format!("among {} movements", self.movements);
        let compared = |row: Row, now: Duration, of: &dyn Fn(&Found) -> Duration| {
            let Some(smaller) = smaller else { return row };
            row.grown(now, of(smaller), &format!("{} movements", smaller.movements))
        };
        for (index, (example, figures)) in self.lists.iter().enumerate() {
            let work = format!("`GET {example}`, others like it each time, {among}");
            let row = Row::percentiles(place.engine(), work, figures, GOAL);
            let median = |found: &Found| found.lists[index].1.percentile(50);
            report.add(compared(row, median(self), &median));
        }
        let work = format!("`GET /position-hierarchy` of {POSITIONS} positions");
        report.add(Row::timed(place.engine(), work, &self.hierarchy, None, ""));
        let row = Row {
            engine: place.engine(),
            work: format!("`GET /inventory/verify` {among}"),
            measured: format!("{:.2} s", self.verified.as_secs_f64()),
            floor: String::new(),
            ratio: String::new(),
            goal: "",
        };
        report.add(compared(row, self.verified, &|found| found.verified));
    }
}

/// A path for each number.
type Path<'a> = Box<dyn Fn(i64) -> String + 'a>;

/// The lists of the area.
fn paths(depot: &Depot) -> Vec<Path<'_>> {
    fn path<'a>(path: impl Fn(i64) -> String + 'a) -> Path<'a> {
        Box::new(path)
    }
    let ten_products = |number: i64| format!("P{:02}*", number % 90);
    let day = |number: i64| format!("2025-{:02}-{:02}", 1 + number % 12, 1 + number % 28);
    let kind = |number: i64| ["transfer", "receipt", "shipment", "consumption"][number as usize % 4];
    let side = |number: i64| ["to", "from"][number as usize / 4 % 2];
    let list = move |number: i64| depot.list(number * 37 % depot.lists());
    let code = |number: i64| 1_000 + number * 7 % 900;
    vec![
        path(|number| format!("/inventory?offset={}", number % 10 * 200)),
        path(move |number| format!("/inventory?product_search={}", ten_products(number))),
        path(|number| format!("/inventory?position_search={}*", rack(number * 7))),
        path(|number| format!("/inventory?position_search={}*", aisle(number))),
        path(|number| format!("/inventory?root_position_key={}", rack(number * 7))),
        path(|number| format!("/inventory?root_position_key={}", hall(number))),
        path(|number| format!("/inventory?group_by=product&offset={}", number % 4 * 200)),
        path(|number| format!("/inventory?group_by=position&offset={}", number % 10 * 200)),
        path(|number| format!("/inventory?serials_only=true&offset={}", number % 10 * 200)),
        path(|number| format!("/movement?offset={}", number % 10 * 500)),
        path(|number| format!("/movement?product_key={}", product(number * 7))),
        path(|number| format!("/movement?position_from={}", bin(number * 37))),
        path(|number| format!("/movement?position_from={}&search_graph=true", rack(number * 7))),
        path(|number| format!("/movement?position_from={}&search_graph=true", hall(number))),
        path(move |number| format!("/movement?end_from={0}&end_to={0}", day(number))),
        path(move |number| format!("/movement?product_search={}", ten_products(number))),
        path(move |number| format!("/movement?list_key={}", list(number))),
        path(|number| format!("/movement?start_to=2025-01-{:02}", 1 + number % 28)),
        path(|number| format!("/movement-list?open_only=true&limit=50&offset={}", number % 2 * 50)),
        path(move |number| format!("/movement-list?search={}", code(number))),
        path(move |number| {
            format!("/movement/latest-positions?movement_type={}&position_type={}", kind(number), side(number))
        }),
        path(move |number| format!("/movement/latest-products?movement_type={}", kind(number))),
        path(|number| format!("/position?offset={}", number % 10 * 200)),
        path(|number| format!("/position?has_product_key={}", product(number * 7))),
        path(|number| format!("/position/{}", bin(number * 37))),
    ]
}
