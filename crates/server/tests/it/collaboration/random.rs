//! Issues that are opened, changed, closed and deleted at random, by a seed: orders and jobs are critical exactly as issues say.

use std::collections::BTreeMap;

use testkit::on_both_engines;

use super::*;
use crate::production::random::{Dice, new_seed, walks_by_other_seeds};

const SEED: u64 = 0x1553;
const STEPS: usize = 100;
/// Of a walk by a seed that `make fuzz` says.
const MANY_STEPS: usize = 400;

on_both_engines! {
    async fn critical_is_what_issues_say(site) {
        let done = run(site, SEED, STEPS).await;
        for step in ["CREATED", "UPDATED", "CLOSED", "REOPENED", "DELETED"] {
            assert!(done.contains_key(step), "{step} never happened: {done:?}");
        }
    }

    async fn critical_is_what_issues_say_by_any_seed(site) {
        run(site, new_seed(), STEPS).await;
    }
}

walks_by_other_seeds!(MANY_STEPS);

/// Walks for so many steps; gives how often each was taken.
async fn run(site: &Site, seed: u64, steps: usize) -> BTreeMap<&'static str, usize> {
    let team = team(site).await;
    let mut dice = Dice(seed.max(1));
    let kind = team.issue_type("Scratch", json!({ "critical": true })).await;
    let orders = [team.order("A").await, team.order("B").await, team.order("C").await];
    let (mut issues, mut done) = (Vec::<String>::new(), BTreeMap::new());
    for number in 0..steps {
        site.clock.advance_seconds(1);
        let step = match dice.roll(10) {
            0..=2 => "CREATED",
            3..=5 => "UPDATED",
            6 | 7 => "CLOSED",
            8 => "REOPENED",
            _ => "DELETED",
        };
        let data = match step {
            "CREATED" => {
                with(some_links(&mut dice, &orders), json!({ "issue_type_key": kind, "open": dice.roll(4) > 0 }))
            }
            _ if issues.is_empty() => continue,
            "UPDATED" if dice.roll(2) == 0 => some_links(&mut dice, &orders),
            "UPDATED" | "REOPENED" => json!({ "critical": dice.roll(2) == 0 }),
            _ => json!({}),
        };
        let answer = match step {
            "CREATED" => issue(&team.ann, step, data).await,
            _ => issue_step(&team.admin, step, dice.pick::<String>(&issues), data).await,
        };
        match (answer.status, step) {
            (200, "CREATED") => issues.push(text(&answer.body["detail"]["issue_key"])),
            (200, "DELETED") => issues.retain(|key| answer.body["detail"]["issue_key"] != *key),
            (200, _) => {}
            _ => assert_eq!(answer.status, 422, "{step}: {}", answer.text),
        }
        if answer.status == 200 {
            *done.entry(step).or_default() += 1;
        }
        if number % 5 == 4 {
            critical_is_true(&team).await;
        }
    }
    critical_is_true(&team).await;
    done
}

/// Some of the orders and jobs, perhaps none.
fn some_links(dice: &mut Dice, orders: &[Order]) -> Value {
    let mut links: Vec<Value> =
        orders.iter().flat_map(|order| [link("work_order", &order.key), link("job", &order.jobs[0])]).collect();
    links.retain(|_| dice.roll(3) == 0);
    json!({ "linked_to": links })
}
