//! Orders from their plan to their end: jobs, batches, steps, components, scrap and corrections.

mod batch;
mod entries;

use serde_json::{Value, json};

use super::Told;
use super::plant::{Plant, list, text};
use super::story::days::{Then, Work};
use super::story::orders::{ORDERS, Plan};
use super::story::routing::{Phase, route};
use crate::site::StartError;

pub(super) struct Order {
    pub(super) key: String,
    pub(super) product: &'static str,
    pub(super) jobs: Vec<Job>,
}

/// The job of one phase.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) key: String,
    /// Of the phase that the order copied.
    steps: Vec<String>,
    operator: Option<&'static str>,
    begun: bool,
    /// How many batches are done.
    batches: usize,
    /// What was entered at the last step.
    record: Option<String>,
}

/// Plans orders, by their numbers.
pub(super) async fn plan(plant: &mut Plant<'_>, numbers: &[usize]) -> Told {
    for number in numbers {
        let plan = number.checked_sub(1).and_then(|place| ORDERS.get(place));
        let plan = plan.ok_or_else(|| StartError::Other(format!("the story has no order {number}")))?;
        let sent = new_order(plant, plan);
        let made = plant.post("jonas", "/work-order", sent).await?;
        let order = read_order(&made, plan)?;
        assign(plant, &order).await?;
        plant.orders.push(order);
        plant.clock.pass_minutes(3);
    }
    Ok(())
}

fn new_order(plant: &Plant, plan: &Plan) -> Value {
    json!({
        "product_key": plan.product,
        "qt_planned": plan.quantity,
        "due_by": plant.clock.date(plan.due_in),
        "project_code": plan.project,
        "priority": plan.priority,
        "notes": plan.notes,
    })
}

fn read_order(made: &Value, plan: &Plan) -> Told<Order> {
    let jobs = list(made, "/detail/jobs")?.iter().enumerate().map(|(place, job)| {
        let steps = list(job, "/step_sequence")?.iter().map(|step| text(step, "/_key")).collect::<Told<_>>()?;
        let operator = plan.operators.get(place).copied();
        Ok(Job { key: text(job, "/_key")?, steps, operator, begun: false, batches: 0, record: None })
    });
    Ok(Order { key: text(made, "/detail/work_order/_key")?, product: plan.product, jobs: jobs.collect::<Told<_>>()? })
}

async fn assign(plant: &mut Plant<'_>, order: &Order) -> Told {
    let update = |job: &Job| {
        let data = json!({ "_key": job.key, "assigned_to": job.operator? });
        Some(json!({ "action": "update", "data": data }))
    };
    let updates: Vec<Value> = order.jobs.iter().filter_map(update).collect();
    if !updates.is_empty() {
        plant.post("jonas", "/job/update", Value::Array(updates)).await?;
    }
    Ok(())
}

/// People work side by side, batch after batch.
pub(super) async fn work(plant: &mut Plant<'_>, works: &[Work]) -> Told {
    let rounds = works.iter().map(|work| work.batches).max().unwrap_or(0);
    for round in 0..rounds {
        let mut begun = Vec::new();
        for work in works.iter().filter(|work| round < work.batches) {
            begun.push((work, batch::begin(plant, work).await?));
            plant.clock.pass_minutes(2);
        }
        let mut minutes = 0;
        for (work, _) in &begun {
            minutes = minutes.max(phase_of(plant, work)?.minutes);
        }
        plant.clock.pass_minutes(minutes);
        for (work, batch) in begun {
            let is_last = round + 1 == work.batches;
            match work.then {
                Then::Running if is_last => {}
                Then::Paused if is_last => pause(plant, work).await?,
                _ => batch::finish(plant, work, batch).await?,
            }
        }
    }
    Ok(())
}

async fn pause(plant: &mut Plant<'_>, work: &Work) -> Told {
    let (who, job) = (operator(plant, work)?, job(plant, work)?.key.clone());
    let why = "Waiting for copper wire";
    plant.event(who, "JOB_PAUSED", json!({ "job_key": job, "description": why })).await.map(drop)
}

/// The planner puts urgent orders first, and Pavel may choose for himself.
pub(super) async fn order_the_queues(plant: &mut Plant<'_>) -> Told {
    let numbers = [17, 16, 13];
    let first =
        numbers.iter().map(|number| Ok(numbered(plant, *number)?.key.clone())).collect::<Told<Vec<String>>>()?;
    plant.put("jonas", "/queue", json!({ "type": "s", "work_orders": first })).await?;
    let (motors, packing) = (job_of(plant, 14, 0)?.key.clone(), job_of(plant, 17, 1)?.key.clone());
    let own = json!({ "independent": true, "jobs": [packing, motors] });
    plant.put("jonas", "/queue/operator/pavel", own).await.map(drop)
}

/// A reading was misread; the planner may change it after the batch was completed.
pub(super) async fn correct_a_reading(plant: &mut Plant<'_>) -> Told {
    let record = job_of(plant, 4, 0)?.record.clone();
    let record = record.ok_or_else(|| StartError::Other("the story has no record to correct".to_owned()))?;
    let change = json!({
        "execution_record_key": record,
        "form_data": [{ "form_field_key": "cu_torque", "value": 1.04 }],
        "description": "The wrench was misread",
    });
    plant.event("jonas", "STEP_EDITED", change).await.map(drop)
}

/// Gearboxes that were assembled while the terminal was out of order.
pub(super) async fn count_gearboxes_by_hand(plant: &mut Plant<'_>) -> Told {
    let change = json!({
        "job_key": job_of(plant, 12, 0)?.key,
        "new_job_qt_completed": 30,
        "should_adjust_duration": true,
        "description": "Counted by hand: the terminal was out of order",
    });
    plant.event("jonas", "PROGRESS_OVERRIDE_REQUESTED", change).await.map(drop)
}

/// An order that is closed before anybody begins: with its first job, the others have nothing to do any more.
pub(super) async fn withdraw_the_sample(plant: &mut Plant<'_>) -> Told {
    let job = job_of(plant, 20, 0)?.key.clone();
    let close = json!({ "job_key": job, "completed_qt": 0, "notes": "The customer wants a complete system." });
    plant.event("jonas", "JOB_CLOSED", close).await.map(drop)
}

/// An order by its number.
pub(super) fn numbered<'a>(plant: &'a Plant, number: usize) -> Told<&'a Order> {
    let order = number.checked_sub(1).and_then(|place| plant.orders.get(place));
    order.ok_or_else(|| StartError::Other(format!("the story has not planned order {number} yet")))
}

pub(super) fn job_of<'a>(plant: &'a Plant, number: usize, phase: usize) -> Told<&'a Job> {
    let job = numbered(plant, number)?.jobs.get(phase);
    job.ok_or_else(|| StartError::Other(format!("order {number} of the story has no phase {phase}")))
}

fn job<'a>(plant: &'a Plant, work: &Work) -> Told<&'a Job> {
    job_of(plant, work.order, work.phase)
}

fn job_mut<'a>(plant: &'a mut Plant, work: &Work) -> Told<&'a mut Job> {
    let order = work.order.checked_sub(1).and_then(|place| plant.orders.get_mut(place));
    let job = order.and_then(|order| order.jobs.get_mut(work.phase));
    job.ok_or_else(|| StartError::Other(format!("order {} of the story has no phase {}", work.order, work.phase)))
}

fn operator(plant: &Plant, work: &Work) -> Told<&'static str> {
    let operator = job(plant, work)?.operator;
    operator.ok_or_else(|| StartError::Other(format!("nobody works on order {} of the story", work.order)))
}

fn phase_of(plant: &Plant, work: &Work) -> Told<&'static Phase> {
    let order = numbered(plant, work.order)?;
    let phase = route(order.product).and_then(|route| route.phases.get(work.phase));
    phase.ok_or_else(|| StartError::Other(format!("{} has no phase {}", order.product, work.phase)))
}
