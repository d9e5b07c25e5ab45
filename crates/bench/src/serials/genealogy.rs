//! Traces and recalls among more and more serials.

use std::time::Duration;

use super::units::{CHAINS, LEVELS, SMALL, Units, make_products};
use crate::load::{self, Client, Figures};
use crate::report::{Report, Row};
use crate::server::{Place, Server};

/// How many serials there are that a recall does not concern. The last are for the whole.
const SIZES: [i64; 3] = [10_000, 100_000, 1_000_000];

/// Which of them are measured.
#[derive(Clone, Copy)]
pub struct Asked {
    pub recall: bool,
    pub trace: bool,
}

pub async fn measure(place: &Place, report: &mut Report, asked: Asked, whole: bool) {
    let sizes = if whole { &SIZES[..] } else { &SIZES[..2] };
    let mut smallest: Option<Found> = None;
    for others in sizes {
        let found = Found::among(place, *others, asked).await;
        found.report(place, report, smallest.as_ref());
        smallest.get_or_insert(found);
    }
}

/// What was measured in a database.
struct Found {
    /// All that are stored.
    serials: i64,
    /// Those that no recall concerned.
    others: i64,
    recalls: Vec<Recall>,
    /// What was traced, and the times of others like it.
    traces: Vec<(String, Figures)>,
}

struct Recall {
    work: String,
    figures: Figures,
    bare: Duration,
}

impl Found {
    async fn among(place: &Place, others: i64, asked: Asked) -> Self {
        let place = place.another("bench_trace").await;
        let units = Units::beside_chains(others);
        make_products(&place).await;
        units.fill(&place).await;
        units.link(&place).await;
        let server = Server::start(&place);
        let token = server.sign_in().await;
        let mut client = Client::connect(&server.address).await;
        let recalls = if asked.recall { recalls(&place, &units, &token, &mut client).await } else { Vec::new() };
        let traces = if asked.trace { traces(&units, &token, &mut client).await } else { Vec::new() };
        drop(server);
        place.remove().await;
        Self { serials: units.count, others, recalls, traces }
    }

    /// With the median of the same among fewer serials.
    fn report(&self, place: &Place, report: &mut Report, smaller: Option<&Found>) {
        let engine = place.engine();
        let among = |others: i64| format!("{others} other serials");
        for (index, Recall { work, figures, bare }) in self.recalls.iter().enumerate() {
            let work = format!("{work}, among {}", among(self.others));
            report.add(Row::timed(engine, work.clone(), figures, Some(*bare), "at most 2"));
            if let Some(smaller) = smaller {
                let before = smaller.recalls[index].figures.percentile(50);
                let row = Row::timed(engine, work, figures, None, "at most 1.25");
                report.add(row.grown(figures.percentile(50), before, &among(smaller.others)));
            }
        }
        let among = |found: &Found| format!("{} serials in assemblies of {LEVELS} levels", found.serials);
        for (index, (work, figures)) in self.traces.iter().enumerate() {
            let work = format!("{work}, another one each time, among {}", among(self));
            let row = Row::percentiles(engine, work, figures, "p99 under 20 ms");
            report.add(match smaller {
                Some(smaller) => {
                    let before = smaller.traces[index].1.percentile(50);
                    row.grown(figures.percentile(50), before, &among(smaller))
                }
                None => row,
            });
        }
    }
}

/// From a part that is straight in the outermost units, and from one that is as deep inside as can be.
async fn recalls(place: &Place, units: &Units, token: &str, client: &mut Client) -> Vec<Recall> {
    let mut recalls = Vec::new();
    for level in [1, LEVELS - 1] {
        let product = units.chains.product(level);
        let path = format!("/api/trace/recall?product_key={product}&rows=roots&limit={CHAINS}");
        let request = load::get(&path, Some(token));
        let (status, answer) = client.answer(&request).await;
        assert_eq!(status, 200, "{answer}");
        let found = answer.matches(r#""unit_type":"serial""#).count() as i64;
        assert_eq!(found, CHAINS, "the recall is complete");
        let megabytes = answer.len() as f64 / 1e6;
        let (figures, bare) = client.repeat_beside(&request, &place.bare(&place.recall()).await, &product).await;
        let levels = if level == 1 { "1 level".to_owned() } else { format!("{level} levels") };
        let work = format!(
            "`GET /trace/recall` from one component, {levels} up into {CHAINS} units, {megabytes:.1} MB in the answer"
        );
        recalls.push(Recall { work, figures, bare });
    }
    recalls
}

/// From the top of an assembly, from its middle and from a part at its bottom.
async fn traces(units: &Units, token: &str, client: &mut Client) -> Vec<(String, Figures)> {
    let mut traces = Vec::new();
    for (level, what) in [(0, "the outermost unit"), (LEVELS / 2, "a unit in the middle"), (LEVELS - 1, "a part")] {
        let trace = |number: i64| {
            let key = units.key(units.small.unit(number, level));
            load::get(&format!("/api/trace/serial/{key}"), Some(token))
        };
        let (status, answer) = client.answer(&trace(0)).await;
        assert_eq!(status, 200, "{answer}");
        let nodes = answer.matches(r#""level":"#).count();
        let all = if level == 0 { SMALL as usize } else { LEVELS };
        assert!(nodes >= all, "{nodes} nodes: {answer}");
        let figures = client.vary(trace).await;
        traces.push((format!("`GET /trace/serial/{{key}}` of {what}, {nodes} nodes"), figures));
    }
    traces
}
