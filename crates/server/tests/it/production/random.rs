//! Many events of several users on several orders, one after the other, by a seed.

use std::collections::BTreeMap;

use super::*;

const EVENTS: usize = 150;

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }

    /// A part of a quantity, in tenths of it.
    fn part(&mut self, of: &Value, tenths: std::ops::RangeInclusive<usize>) -> f64 {
        let tenths = tenths.start() + self.roll(tenths.end() - tenths.start() + 1);
        let quantity = of.as_f64().unwrap_or(1.0) * tenths as f64 / 10.0;
        (quantity * 1000.0).round() / 1000.0
    }
}

/// What might happen next at a job in some state, with who does it.
fn next(dice: &mut Dice, shop: &Shop, job: &Value) -> (Person, &'static str, Value) {
    let worker = dice.pick(&[&shop.o1, &shop.o2]).with_token_of();
    let key = json!({ "job_key": job["_key"] });
    let with = |name: &str, value: Value| {
        let mut members = key.clone();
        members[name] = value;
        members
    };
    let batch = &job["active_batch_key"];
    let batch_qt = &job["active_batch_qt"];
    let (active, begun) = (job["active"] == true, job["stage"] != "created");
    let correction = match dice.roll(8) {
        0 => Some(("JOB_RESET", key.clone())),
        1 | 2 => Some(("BATCH_CANCELED", key.clone())),
        3 => Some(("TIME_OVERRIDE_REQUESTED", with("new_job_duration", json!(dice.roll(1_000_000))))),
        4 if !active => {
            let mut members = with("new_job_qt_completed", json!(dice.part(&job["qt_planned"], 0..=10)));
            members["should_adjust_duration"] = json!(dice.roll(2) == 0);
            Some(("PROGRESS_OVERRIDE_REQUESTED", members))
        }
        _ => None,
    };
    if let Some((event_type, members)) = correction.filter(|_| !active || dice.roll(10) == 0) {
        return (shop.supervisor.with_token_of(), event_type, members);
    }
    if !active {
        let begin = if begun { "JOB_RESUMED" } else { "JOB_STARTED" };
        return match dice.roll(12) {
            0 => (shop.supervisor.with_token_of(), "JOB_CLOSED", key),
            _ => (worker, begin, key),
        };
    }
    let steps = job["step_sequence"].as_array().unwrap();
    // Whoever works at the job goes on with it.
    let worker = [&shop.o1, &shop.o2].into_iter().find(|user| job["assigned_to"] == user.key).unwrap_or(&shop.o1);
    let worker = if dice.roll(10) == 0 { shop.supervisor.with_token_of() } else { worker.with_token_of() };
    match dice.roll(8) {
        0 => (worker, "JOB_PAUSED", key),
        1 => (worker, "ACTIVE_BATCH_CHANGED", with("new_active_batch_qt", json!(dice.part(batch_qt, 3..=15)))),
        2 | 3 if !steps.is_empty() => {
            let step = &dice.pick(steps)["_key"];
            (worker, "STEP_COMPLETED", json!({ "batch_key": batch, "step_key": step }))
        }
        roll => {
            let scrap = if roll == 4 { dice.part(batch_qt, 0..=10) } else { 0.0 };
            let pass = ((batch_qt.as_f64().unwrap() - scrap) * 1e6).round() / 1e6;
            let mut members = json!({ "active_batch_key": batch, "completed_batch_qt": pass, "scrap_qt": scrap });
            if scrap > 0.0 {
                members["scrap_reason"] = json!("bad luck");
            }
            (worker, "BATCH_COMPLETED", members)
        }
    }
}

trait Again {
    fn with_token_of(&self) -> Person;
}

impl Again for Person {
    /// The same person once more.
    fn with_token_of(&self) -> Person {
        self.with_token(self.token.as_deref().unwrap())
    }
}

async fn run(site: &Site, seed: u64) -> BTreeMap<&'static str, usize> {
    let shop = shop(site).await;
    let free_hands = |size: f64, auto: bool| json!({ "production_batch_qt": size, "auto_new_batch": auto, "unsupervised_work_allowed": true });
    let mut checked = free_hands(2.0, true);
    checked["step_check"] = json!(true);
    checked["steps"] = json!([{ "title": "Clean" }, { "title": "Paint" }]);
    let orders = [
        shop.order("P-1", &[free_hands(2.0, true), checked.clone(), free_hands(0.0, false)], 6.0).await,
        shop.order("P-2", &[free_hands(0.0, false), free_hands(1.5, true)], 7.5).await,
        shop.order("P-3", &[checked], 4.0).await,
    ];
    let (mut dice, mut done) = (Dice(seed), BTreeMap::new());
    for _ in 0..EVENTS {
        site.clock.advance_seconds(1 + dice.roll(100) as i64);
        let read = shop.read(dice.pick(&orders)).await;
        let job = dice.pick(read["jobs"].as_array().unwrap()).clone();
        let (who, event_type, members) = next(&mut dice, &shop, &job);
        let answer = event(&who, event_type, members.clone()).await;
        match answer.status {
            200 => *done.entry(event_type).or_default() += 1,
            422 => assert!(answer.body["detail"]["error_type"].is_string(), "{event_type} {members}: {}", answer.text),
            _ => panic!("{event_type} {members}: {} {}", answer.status, answer.text),
        }
        books::audit(site).await;
    }
    done
}

on_both_engines! {
    async fn stored_totals_agree_whatever_happens(site) {
        let done = run(site, 0x5eed).await;
        let expected = [
            "ACTIVE_BATCH_CHANGED", "BATCH_CANCELED", "BATCH_COMPLETED", "JOB_CLOSED", "JOB_PAUSED", "JOB_RESET",
            "JOB_RESUMED", "JOB_STARTED", "PROGRESS_OVERRIDE_REQUESTED", "STEP_COMPLETED", "TIME_OVERRIDE_REQUESTED",
        ];
        for event_type in expected {
            assert!(done.contains_key(event_type), "{event_type} never succeeded: {done:?}");
        }
    }
}
