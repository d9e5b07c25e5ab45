//! Many events of several users on several orders, one after the other, by a seed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use testkit::Engine;

use super::*;

const EVENTS: usize = 100;
/// Of a walk by a seed that nobody has tried.
const MANY_EVENTS: usize = 300;

/// Numbers that look random and are the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }

    /// A part of a quantity, in tenths of it.
    fn part(&mut self, of: &Value, tenths: std::ops::RangeInclusive<usize>) -> f64 {
        let tenths = tenths.start() + self.roll(tenths.end() - tenths.start() + 1);
        let quantity = of.as_f64().unwrap_or(1.0) * tenths as f64 / 10.0;
        (quantity * 1000.0).round() / 1000.0
    }
}

/// What is sent, and by whom.
type Sent<'a> = (&'a Person, &'static str, Value);

fn with(job: &Value, name: &str, value: Value) -> Value {
    let mut members = json!({ "job_key": job["_key"] });
    members[name] = value;
    members
}

/// What might happen next at a job, mostly something that its state allows.
fn next<'a>(dice: &mut Dice, shop: &'a Shop, job: &Value) -> Sent<'a> {
    let idle = job["active"] == false;
    let odds = match job["stage"].as_str() {
        Some("closed") => 1,
        _ if !idle => 20,
        _ if job["active_batch_key"].is_null() => 3,
        _ => 2,
    };
    if dice.roll(odds) == 0 {
        return correction(dice, shop, job);
    }
    let operators = [&shop.o1, &shop.o2];
    let own = operators.into_iter().find(|user| job["assigned_to"] == user.key);
    let worker = match dice.roll(15) {
        0 => &shop.supervisor,
        _ => own.unwrap_or_else(|| *dice.pick(&operators)),
    };
    let key = json!({ "job_key": job["_key"] });
    match (idle, job["stage"] == "created") {
        (true, true) => (worker, "JOB_STARTED", key),
        (true, false) => (worker, "JOB_RESUMED", key),
        (false, _) => at_work(dice, worker, job),
    }
}

fn at_work<'a>(dice: &mut Dice, worker: &'a Person, job: &Value) -> Sent<'a> {
    let (batch, quantity) = (&job["active_batch_key"], &job["active_batch_qt"]);
    let steps = job["step_sequence"].as_array().unwrap();
    match dice.roll(8) {
        0 => (worker, "JOB_PAUSED", json!({ "job_key": job["_key"] })),
        1 => {
            let quantity = json!(dice.part(quantity, 3..=15));
            (worker, "ACTIVE_BATCH_CHANGED", with(job, "new_active_batch_qt", quantity))
        }
        2..=5 if !steps.is_empty() => {
            let step = &dice.pick(steps)["_key"];
            (worker, "STEP_COMPLETED", json!({ "batch_key": batch, "step_key": step }))
        }
        roll => {
            let scrap = if roll == 6 { dice.part(quantity, 0..=10) } else { 0.0 };
            let pass = ((quantity.as_f64().unwrap() - scrap) * 1e6).round() / 1e6;
            let mut members = json!({ "active_batch_key": batch, "completed_batch_qt": pass, "scrap_qt": scrap });
            if scrap > 0.0 {
                members["scrap_reason"] = json!("bad luck");
            }
            (worker, "BATCH_COMPLETED", members)
        }
    }
}

fn correction<'a>(dice: &mut Dice, shop: &'a Shop, job: &Value) -> Sent<'a> {
    let key = json!({ "job_key": job["_key"] });
    let (event_type, members) = match dice.roll(10) {
        0 => ("JOB_CLOSED", key),
        1 | 2 => ("JOB_RESET", key),
        3 | 4 => ("TIME_OVERRIDE_REQUESTED", with(job, "new_job_duration", json!(dice.roll(1_000_000)))),
        _ if !job["active_batch_key"].is_null() => ("BATCH_CANCELED", key),
        roll => {
            let completed = json!(dice.part(&job["qt_planned"], 0..=10));
            let mut members = with(job, "new_job_qt_completed", completed);
            members["should_adjust_duration"] = json!(roll % 2 == 0);
            ("PROGRESS_OVERRIDE_REQUESTED", members)
        }
    };
    (&shop.supervisor, event_type, members)
}

/// What makes batches worth something: material in every phase, and operators of different cost.
async fn give_costs(shop: &Shop, orders: &[Order]) {
    for (user, cost) in [(&shop.o1, json!(17.77)), (&shop.o2, json!("31.313131")), (&shop.supervisor, json!(90))] {
        shop.admin.patch(&format!("/user/{}", user.key), json!({ "hourly_cost": cost })).await.expect(200);
    }
    let component = json!({ "_key": "C", "code": "C", "cost": { "average": 1.234567 } });
    shop.admin.post("/product", component).await.expect(201);
    for order in orders {
        let read = shop.read(order).await;
        let phases = read["phase_sequence"].as_array().unwrap().iter();
        let lines: Vec<Value> =
            phases.map(|phase| json!({ "component_key": "C", "qt": 0.7, "phase_key": phase })).collect();
        shop.admin.patch(&format!("/work-order/{}", order.key), json!({ "new_bom": lines })).await.expect(200);
    }
}

/// Another job for each phase of an order.
pub(crate) async fn split(shop: &Shop, order: &Order, quantity: f64) {
    let read = shop.read(order).await;
    let phases = read["phase_sequence"].as_array().unwrap().iter();
    let insert = |phase: &Value| {
        let data = json!({
            "work_order_key": order.key, "phase_key": phase, "qt_planned": quantity, "assigned_to": shop.o2.key
        });
        json!({ "action": "insert", "data": data })
    };
    shop.admin.post("/job/update", phases.map(insert).collect()).await.expect(200);
}

/// Three orders, whose operators may work at several jobs.
async fn orders(shop: &Shop) -> [Order; 3] {
    let phase = |size: f64, auto: bool| json!({ "production_batch_qt": size, "auto_new_batch": auto, "unsupervised_work_allowed": true });
    let mut checked = phase(2.0, true);
    checked["step_check"] = json!(true);
    checked["steps"] = json!([{ "title": "Clean" }, { "title": "Paint" }]);
    [
        shop.order("P-1", &[phase(2.0, true), checked.clone(), phase(0.0, false)], 6.0).await,
        shop.order("P-2", &[phase(0.0, false), phase(1.5, true)], 7.5).await,
        shop.order("P-3", &[checked], 4.0).await,
    ]
}

/// The job in the answer of an event is the one that is read afterwards.
async fn shows_what_is_stored(shop: &Shop, answered: &Value) {
    let Some(shown) = answered["job_data"].as_object() else { return };
    let stored = shop.admin.get(&format!("/job/{}", shown["_key"].as_str().unwrap())).await.detail();
    for (name, value) in shown {
        assert_eq!(&stored[name], value, "{name}");
    }
}

/// How often each type of event was carried out.
async fn run(site: &Site, seed: u64, events: usize) -> BTreeMap<&'static str, usize> {
    let shop = shop(site).await;
    let orders = orders(&shop).await;
    give_costs(&shop, &orders).await;
    split(&shop, &orders[1], 4.0).await;
    let (mut dice, mut done) = (Dice(seed), BTreeMap::new());
    for number in 0..events {
        site.clock.advance_seconds(1 + dice.roll(100) as i64);
        let order = dice.pick(&orders);
        let read = shop.read(order).await;
        let (event_type, answer) = match dice.roll(15) {
            0 => {
                let quantity = json!({ "new_quantity": dice.part(&read["qt_planned"], 7..=15) });
                let path = format!("/work-order/{}/update-quantities", order.key);
                ("WORK_ORDER_UPDATED", shop.admin.patch(&path, quantity).await)
            }
            _ => {
                let job = dice.pick(read["jobs"].as_array().unwrap());
                let (who, event_type, members) = next(&mut dice, &shop, job);
                (event_type, event(who, event_type, members).await)
            }
        };
        match answer.status {
            200 => {
                *done.entry(event_type).or_default() += 1;
                shows_what_is_stored(&shop, &answer.body["detail"]).await;
            }
            422 => assert!(answer.body["detail"]["error_type"].is_string(), "{event_type}: {}", answer.text),
            _ => panic!("{event_type}: {} {}", answer.status, answer.text),
        }
        if number % 5 == 4 {
            books::audit(site).await;
        }
    }
    done
}

on_both_engines! {
    async fn values_add_up_whatever_is_corrected(site) {
        run(site, 0xb00c5, EVENTS / 2).await;
    }

    async fn stored_totals_agree_whatever_happens(site) {
        let done = run(site, 0x5eed, EVENTS).await;
        let expected = [
            "ACTIVE_BATCH_CHANGED", "BATCH_CANCELED", "BATCH_COMPLETED", "JOB_CLOSED", "JOB_PAUSED", "JOB_RESET",
            "JOB_RESUMED", "JOB_STARTED", "PROGRESS_OVERRIDE_REQUESTED", "STEP_COMPLETED", "TIME_OVERRIDE_REQUESTED",
            "WORK_ORDER_UPDATED",
        ];
        for event_type in expected {
            assert!(done.contains_key(event_type), "{event_type} never succeeded: {done:?}");
        }
    }
}

/// What `make fuzz` runs: walks of so many steps by other seeds.
macro_rules! walks_by_other_seeds {
    ($steps:expr) => {
        mod other_seeds {
            use super::*;

            #[test]
            #[ignore = "make fuzz says for how long, and from which seed"]
            fn sqlite() {
                crate::production::random::walk(testkit::Engine::Sqlite, async |site, seed| {
                    run(site, seed, $steps).await;
                });
            }

            #[test]
            #[ignore = "make fuzz says for how long, and from which seed"]
            fn postgres() {
                crate::production::random::walk(testkit::Engine::Postgres, async |site, seed| {
                    run(site, seed, $steps).await;
                });
            }
        }
    };
}
pub(crate) use walks_by_other_seeds;

walks_by_other_seeds!(MANY_EVENTS);

#[allow(clippy::print_stdout, reason = "a walk is repeated by the seed that it prints")]
pub(crate) fn walk(engine: Engine, run: impl AsyncFn(&Site, u64)) {
    let (first, seconds) = (told("WALK_SEED"), told("WALK_SECONDS"));
    let begun = Instant::now();
    for seed in first.. {
        println!("Walk by seed {seed} on {engine:?}");
        testkit::run(engine, async |site| run(site, scattered(seed)).await);
        if begun.elapsed() >= Duration::from_secs(seconds) {
            break;
        }
    }
}

fn told(variable: &str) -> u64 {
    let value = std::env::var(variable).unwrap_or_else(|_| panic!("scripts/fuzz sets {variable}"));
    value.parse().expect("a number")
}

/// Seeds in a row would begin alike.
fn scattered(seed: u64) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A seed that nobody has tried, from the clock. It is printed, for tests that fail; `WALK_SEED` repeats it.
#[allow(clippy::print_stdout, reason = "a test is repeated by the seed that it prints")]
pub(crate) fn new_seed() -> u64 {
    let seed = match std::env::var("WALK_SEED") {
        Ok(told) => told.parse().expect("a number"),
        Err(_) => api::Clock::system().now().millis() as u64,
    };
    println!("By WALK_SEED={seed}");
    scattered(seed)
}
