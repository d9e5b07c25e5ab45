//! Many at once on traced orders: on one node of the embedded database, on two nodes of PostgreSQL.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use testkit::{Answer, Engine, Method, Person, Site, Value, block_on, json};

use super::floor::{Floor, column, floor, list, units_of};
use super::{text, units};
use crate::production::{Order, complete, event, refused};

/// How many requests are sent at once.
const WRITERS: usize = 64;
const CREW: usize = 8;

/// Who sends the requests, and to which nodes.
struct Crew<'a> {
    people: Vec<Person>,
    nodes: &'a [String],
}

/// Runs a test on an engine, with a second node where there can be one. Whatever it did, the books are in order.
fn on_all_nodes(engine: Engine, test: impl AsyncFn(&Site, &Floor, &Crew<'_>)) {
    block_on(async {
        let site = Site::start(engine).await;
        let second = match engine {
            Engine::Postgres => Some(site.second_node().await),
            Engine::Sqlite => None,
        };
        let mut nodes = vec![site.base()];
        nodes.extend(second.iter().map(|node| format!("http://{}", node.address)));
        let floor = floor(&site, WRITERS).await;
        let mut people = Vec::new();
        for number in 0..CREW {
            people.push(site.user(&format!("crew-{number}"), "operator").await);
        }
        test(&site, &floor, &Crew { people, nodes: &nodes }).await;
        units::audit(&site, &floor.shop.admin).await;
        if let Some(second) = second {
            second.stop().await;
        }
        site.check_audit().await;
        site.stop().await;
    });
}

/// Declares tests, each of which runs on all nodes of either engine.
macro_rules! on_all_nodes {
    ($($(#[doc = $about:literal])* async fn $name:ident($site:pat, $floor:ident, $crew:ident) $body:block)+) => { $(
        mod $name {
            use super::*;

            $(#[doc = $about])*
            async fn test($site: &Site, $floor: &Floor, $crew: &Crew<'_>) $body

            #[test]
            fn sqlite() {
                on_all_nodes(Engine::Sqlite, test);
            }

            #[test]
            fn postgres() {
                on_all_nodes(Engine::Postgres, test);
            }
        }
    )+ };
}

/// What is sent: the method, the path, and the body.
type Sent = (Method, String, Value);

fn post(event_type: &str, mut members: Value) -> Sent {
    members["event_type"] = json!(event_type);
    (Method::POST, "/event".to_owned(), members)
}

fn begin(job: &str, units: &[&String]) -> Sent {
    post("JOB_STARTED", json!({ "job_key": job, "batch_serials": units }))
}

fn finish(batch: &str, units: usize) -> Sent {
    post("BATCH_COMPLETED", json!({ "active_batch_key": batch, "completed_batch_qt": units }))
}

fn scrap(unit: &str) -> Sent {
    post("SERIAL_SCRAPPED", json!({ "serial_key": unit, "reason": "dropped" }))
}

fn take_out(part: &str, unit: &str) -> Sent {
    post("SERIAL_UNLINKED", json!({ "child_serial_key": part, "parent_serial_key": unit }))
}

fn put_in(batch: &str, part: &str, unit: &str) -> Sent {
    let links = json!([{ "parent_serial_key": unit, "child_serial_key": part }]);
    (Method::PUT, format!("/batch/{batch}/serial-temp-links"), links)
}

impl Crew<'_> {
    /// Sends everything at once, in turn to the nodes, each request by the person of its number. It is carried out or refused by a
    /// rule: nobody hears of a deadlock or an error.
    async fn send_by(&self, requests: impl IntoIterator<Item = (usize, Sent)>) -> Vec<Answer> {
        let sent = requests.into_iter().enumerate().map(|(index, (number, (method, path, body)))| {
            let sender = self.people[number % CREW].at(&self.nodes[index % self.nodes.len()]);
            async move { sender.send(sender.request(method, &path).json(&body)).await }
        });
        let answers = join_all(sent).await;
        for answer in &answers {
            assert!([200, 422].contains(&answer.status), "{} {}", answer.status, answer.text);
        }
        answers
    }

    /// The same, by everybody in turn.
    async fn send(&self, requests: impl IntoIterator<Item = Sent>) -> Vec<Answer> {
        self.send_by(requests.into_iter().enumerate()).await
    }
}

/// The phase of a job whose operators may work at several.
fn phase(size: usize) -> Value {
    json!({ "production_batch_qt": size, "auto_new_batch": false, "unsupervised_work_allowed": true })
}

/// Units that wait in front of the second of two phases, and the jobs of that phase.
struct Waiting {
    order: Order,
    units: Vec<String>,
    jobs: Vec<String>,
}

/// Makes units, and as many jobs for them as are wanted, each for so many. The first phase has one unit left to make, so the second one
/// stays open.
async fn waiting(floor: &Floor, code: &str, units: usize, (jobs, share): (usize, usize)) -> Waiting {
    let phases = [phase(units), phase(1)];
    let order = floor.order((code, "form_only"), json!({}), &phases, &[(1.0, 1)], units + 1).await;
    let jobs = floor.divide(&order, 1, jobs, share).await;
    let started = event(&floor.shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
    let batch = &started["batch_data"];
    let made = units_of(&floor.shop.admin, &text(&batch["_key"])).await;
    assert_eq!(made.len(), units);
    complete(&floor.shop.o1, batch, json!({})).await.expect(200);
    Waiting { order, units: made, jobs }
}

/// Batches of one unit each in the only phase of an order, all begun at once; the batches and their units, which have codes.
async fn in_work(floor: &Floor, crew: &Crew<'_>, (code, level): (&str, &str), count: usize) -> Vec<(String, String)> {
    let coded = json!({ "serial_code_on_creation": true });
    let order = floor.order((code, level), coded, &[phase(1)], &[(1.0, 0)], count).await;
    let jobs = floor.divide(&order, 0, count, 1).await;
    let starts = jobs.iter().map(|job| post("JOB_STARTED", json!({ "job_key": job })));
    let mut begun = Vec::new();
    for started in crew.send(starts).await {
        let batch = text(&started.detail()["batch_data"]["_key"]);
        let units = units_of(&floor.shop.admin, &batch).await;
        assert_eq!(units.len(), 1, "one unit in batch {batch}");
        begun.push((batch, units[0].clone()));
    }
    begun
}

async fn look(site: &Site, statement: &str) -> i64 {
    site.look(statement, vec![]).await.unwrap()
}

on_all_nodes! {
    /// Each job wants two units, and each unit is wanted by several jobs; on one order, then on four.
    async fn a_unit_is_in_the_batch_of_one_job(_, floor, crew) {
        for orders in [1, 4] {
            let share = WRITERS / orders;
            let (mut wanted, mut made) = (Vec::new(), Vec::new());
            for number in 0..orders {
                let new = waiting(floor, &format!("A-{orders}-{number}"), share / 2, (share, 2)).await;
                let unit = |index: usize| new.units[index % new.units.len()].clone();
                let of_job = |(index, job): (usize, &String)| (job.clone(), [unit(index), unit(index + 1)]);
                wanted.extend(new.jobs.iter().enumerate().map(of_job));
                made.push(new);
            }
            let (mut taken, mut begun) = (BTreeSet::new(), Vec::new());
            let starts = wanted.iter().map(|(job, [one, other])| begin(job, &[one, other]));
            for (number, answer) in crew.send(starts).await.into_iter().enumerate() {
                let (job, units) = &wanted[number];
                if answer.status == 200 {
                    let batch = text(&answer.detail()["batch_data"]["_key"]);
                    let worked_on: BTreeSet<String> = units_of(&floor.shop.admin, &batch).await.into_iter().collect();
                    assert_eq!(worked_on, BTreeSet::from(units.clone()), "job {job}");
                    assert!(units.iter().all(|unit| taken.insert(unit.clone())), "{units:?} were free");
                    begun.push((number, batch));
                } else {
                    let lacking = refused(answer, "WipNotAvailableError");
                    let gone = lacking["serial_keys"].as_array().unwrap();
                    assert!(!gone.is_empty() && gone.iter().all(|key| units.contains(&text(key))), "{lacking}");
                }
            }
            let idle = wanted.iter().enumerate().filter(|(number, _)| begun.iter().all(|(winner, _)| winner != number));
            for (_, (job, units)) in idle {
                assert!(units.iter().any(|unit| taken.contains(unit)), "job {job} could have had {units:?}");
            }
            let (mut free, mut all) = (0, 0);
            for Waiting { order, units, .. } in &made {
                free += list(&floor.shop.admin, &format!("/wip-serial?wo_key={}", order.key)).await.len();
                all += units.len();
            }
            assert_eq!(free + taken.len(), all, "none is lost");

            // Each batch is completed once, however often that is sent.
            let twice =
                begun.iter().flat_map(|(number, batch)| [(*number, finish(batch, 2)), (*number, finish(batch, 2))]);
            let mut released = Vec::new();
            for answer in crew.send_by(twice).await {
                if answer.status == 200 {
                    released.extend(answer.detail()["released_serial_keys"].as_array().unwrap().iter().map(text));
                } else {
                    refused(answer, "BatchNotActiveError");
                }
            }
            released.sort_unstable();
            assert_eq!(released, taken.into_iter().collect::<Vec<_>>(), "each is released once");
        }
    }

    async fn a_part_is_declared_for_one_unit(site, floor, crew) {
        for orders in [1, 4] {
            let drawn = look(site, "select count(*) from serial where wo_key is not null").await;
            let mut begun = Vec::new();
            for number in 0..orders {
                let code = format!("B-{orders}-{number}");
                begun.extend(in_work(floor, crew, (&code, "form_only"), WRITERS / orders).await);
            }
            let mut codes = Vec::new();
            for (batch, _) in &begun {
                let units = list(&floor.shop.admin, &format!("/batch/{batch}/serials")).await;
                codes.extend(column(&units, "serial_code"));
            }
            codes.sort_unstable();
            let expected: Vec<String> = (1..=WRITERS as i64).map(|tick| format!("SN-{:05}", drawn + tick)).collect();
            assert_eq!(codes, expected, "no code is drawn twice, and none is left out");

            // All of them want the same part; then eight want each.
            let mut parts = floor.parts.iter().skip(if orders == 1 { 0 } else { WRITERS / 2 });
            for wanted in [1, WRITERS / 8] {
                let parts: Vec<&String> = parts.by_ref().take(wanted).collect();
                let links = begun.iter().enumerate();
                let links = links.map(|(number, (batch, unit))| put_in(batch, parts[number % wanted], unit));
                let (won, lost): (Vec<Answer>, Vec<Answer>) =
                    crew.send(links).await.into_iter().partition(|answer| answer.status == 200);
                assert_eq!(won.len(), wanted);
                let declared: BTreeSet<String> =
                    won.into_iter().map(|answer| text(&answer.detail()[0]["_to"])).collect();
                assert_eq!(declared.len(), wanted, "{declared:?}");
                for answer in lost {
                    assert_eq!(refused(answer, "SerialNotLinkedError")["rule"], "already_used");
                }
                for part in parts {
                    let above = list(&floor.shop.admin, &format!("/serial-parents?serial_key={part}")).await;
                    assert_eq!(above.len(), 1, "part {part} is in one unit");
                }
            }
        }
    }

    async fn a_unit_is_scrapped_or_worked_on(_, floor, crew) {
        for orders in [1, 4] {
            let pairs = WRITERS / 2 / orders;
            let (mut requests, mut made) = (Vec::new(), Vec::new());
            for number in 0..orders {
                let new = waiting(floor, &format!("C-{orders}-{number}"), pairs, (pairs, 1)).await;
                for (job, unit) in new.jobs.iter().zip(&new.units) {
                    requests.extend([begin(job, &[unit]), scrap(unit)]);
                }
                made.push(new.order);
            }
            let (mut begun, mut scrapped) = (0, 0);
            let mut answers = crew.send(requests).await.into_iter();
            while let (Some(beginning), Some(scrapping)) = (answers.next(), answers.next()) {
                match (beginning.status, scrapping.status) {
                    (200, 422) => {
                        assert_eq!(refused(scrapping, "SerialNotScrappedError")["rule"], "in_active_batch");
                        begun += 1;
                    }
                    (422, 200) => {
                        refused(beginning, "WipNotAvailableError");
                        scrapped += 1;
                    }
                    other => panic!("{other:?}: {} {}", beginning.text, scrapping.text),
                }
            }
            let mut told = (0, 0);
            for order in &made {
                let first = floor.shop.job(order, 0).await;
                told.0 += first["qt_completed"].as_u64().unwrap();
                told.1 += first["qt_scrap"].as_u64().unwrap();
            }
            assert_eq!(told, (begun, scrapped));
            assert_eq!(begun + scrapped, WRITERS as u64 / 2);
        }
    }

    /// A part is taken out while its unit is completed: before that the unit lacks it, afterwards it had it for a while.
    async fn a_part_that_is_taken_out_was_in_or_never_there(site, floor, crew) {
        let mut begun = Vec::new();
        for level in ["form_only", "complete"] {
            begun.extend(in_work(floor, crew, (level, level), WRITERS / 4).await);
        }
        let with_parts = || begun.iter().zip(&floor.parts);
        for answer in crew.send(with_parts().map(|((batch, unit), part)| put_in(batch, part, unit))).await {
            answer.expect(200);
        }
        assert_eq!(look(site, "select count(*) from serial_link where not confirmed").await, begun.len() as i64);
        // Who began a batch completes it.
        let pairs = with_parts().enumerate().flat_map(|(number, ((batch, unit), part))| {
            [(number, finish(batch, 1)), (number + 1, take_out(part, unit))]
        });
        let answers = crew.send_by(pairs).await;
        let mut passed = [0_i64; 2];
        for (number, pair) in answers.chunks(2).enumerate() {
            let strict = usize::from(number >= WRITERS / 4);
            let texts: Vec<&String> = pair.iter().map(|answer| &answer.text).collect();
            assert_eq!(pair[1].status, 200, "{texts:?}");
            match (strict, pair[0].status) {
                (_, 200) => passed[strict] += 1,
                (1, 422) => {
                    assert_eq!(pair[0].body["detail"]["error_type"], "ComponentsMissingError", "{texts:?}");
                }
                other => panic!("{other:?}: {texts:?}"),
            }
        }
        assert_eq!(passed[0], WRITERS as i64 / 4, "units that need no part pass");
        assert_eq!(look(site, "select count(*) from serial_link where not replaced").await, 0);
        let told = look(site, "select count(*) from event where event_type = 'SERIAL_LINKED'").await;
        assert_eq!(look(site, "select count(*) from serial_link").await, told, "each link that is kept was told of");
        let strict = "select count(*) from serial_link join serial on serial.key = serial_link.parent_key
                      join work_order on work_order.key = serial.wo_key
                      where work_order.traceability_level = 'complete'";
        assert_eq!(look(site, strict).await, passed[1], "those that need a part and passed have had one");
        let released = "select count(*) from serial where wo_key is not null and released is not null";
        assert_eq!(look(site, released).await, passed[0] + passed[1]);
    }

    /// Starts, completions, pauses, scrap and parts, all on the units of one order.
    async fn everything_at_once_on_one_order(_, floor, crew) {
        let quarter = WRITERS / 4;
        let Waiting { order, units, jobs } = waiting(floor, "D", 2 * quarter, (2 * quarter, 1)).await;
        let (first, second) = jobs.split_at(quarter);
        let (worked_on, free) = units.split_at(quarter);
        let mut batches = Vec::new();
        for started in crew.send(first.iter().zip(worked_on).map(|(job, unit)| begin(job, &[unit]))).await {
            batches.push(text(&started.detail()["batch_data"]["_key"]));
        }
        for round in 0..2 {
            let requests = (0..quarter).flat_map(|number| {
                let at_batch = match number % 4 {
                    0 => post("JOB_PAUSED", json!({ "job_key": first[number] })),
                    1 => take_out(&floor.parts[number / 2], &worked_on[number - 1]),
                    _ => finish(&batches[number], 1),
                };
                let part = put_in(&batches[number], &floor.parts[number / 2], &worked_on[number]);
                let next = &free[(number + round) % quarter];
                [at_batch, part, begin(&second[number], &[next]), scrap(next)].map(|sent| (number, sent))
            });
            assert_eq!(crew.send_by(requests).await.len(), WRITERS);
        }
        let read = floor.shop.read(&order).await;
        assert_eq!(read["qt_completed"].as_u64().unwrap(), quarter as u64 / 2);
        let of_second = |job: &&Value| second.contains(&text(&job["_key"]));
        let jobs = read["jobs"].as_array().unwrap().iter().filter(of_second);
        let begun = jobs.filter(|job| !job["active_batch_key"].is_null()).count();
        assert_eq!(begun as u64 + read["qt_scrap"].as_u64().unwrap(), quarter as u64, "what was free was taken once");
    }
}
