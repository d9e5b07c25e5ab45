//! One batch: what goes into it, what is entered, what comes out.

use serde_json::{Value, json};

use super::super::Told;
use super::super::plant::{Plant, Unit, list, text, units, with};
use super::super::story::catalogue::product;
use super::super::story::days::{SCRAPS, Work};
use super::super::story::routing::{Phase, route};
use super::entries::{self, Entered};
use super::{job, job_mut, numbered, operator, phase_of};

/// A batch that somebody works on.
pub(super) struct Batch {
    pub(super) key: String,
    quantity: usize,
    /// Its units, if they are traced.
    pub(super) units: Vec<Unit>,
}

/// Starts a job, or goes on with it.
pub(super) async fn begin(plant: &mut Plant<'_>, work: &Work) -> Told<Batch> {
    let (who, job, phase) = (operator(plant, work)?, job(plant, work)?.clone(), phase_of(plant, work)?);
    let waiting = if is_traced(plant, work)? && work.phase > 0 {
        waiting(plant, who, &job.key, phase.batch).await?
    } else {
        Vec::new()
    };
    let mut sent = json!({ "job_key": job.key });
    if !waiting.is_empty() {
        let keys: Vec<&str> = waiting.iter().map(|unit| unit.key.as_str()).collect();
        sent = with(sent, "batch_serials", json!(keys));
    }
    let event = if job.begun { "JOB_RESUMED" } else { "JOB_STARTED" };
    let started = plant.event(who, event, sent).await?;
    job_mut(plant, work)?.begun = true;
    let key = text(&started, "/batch_data/_key")?;
    let quantity = started.pointer("/batch_data/qt_total").and_then(Value::as_f64).unwrap_or(0.0) as usize;
    let units = match is_traced(plant, work)? && work.phase == 0 {
        true => made(plant, who, &key).await?,
        false => waiting,
    };
    Ok(Batch { key, quantity, units })
}

fn is_traced(plant: &Plant, work: &Work) -> Told<bool> {
    let key = numbered(plant, work.order)?.product;
    Ok(product(key).is_some_and(|product| product.is_traced()))
}

/// The first units that wait in front of a job, by code.
async fn waiting(plant: &mut Plant<'_>, who: &'static str, job: &str, most: usize) -> Told<Vec<Unit>> {
    let found = plant.get(who, &format!("/wip-serial?job_key={job}")).await?;
    let free: Vec<Value> = list(&found, "")?.iter().filter(|row| row["active"] == false).cloned().collect();
    let mut waiting = units(&free, "/serial_code")?;
    waiting.truncate(most);
    Ok(waiting)
}

/// The units that the first phase makes, by code.
async fn made(plant: &mut Plant<'_>, who: &'static str, batch: &str) -> Told<Vec<Unit>> {
    let found = plant.get(who, &format!("/batch/{batch}/serials")).await?;
    units(list(&found, "")?, "/serial_code")
}

/// Builds in the components, enters what the forms ask for, and completes the batch.
pub(super) async fn finish(plant: &mut Plant<'_>, work: &Work, batch: Batch) -> Told {
    let (who, job, phase) = (operator(plant, work)?, job(plant, work)?.clone(), phase_of(plant, work)?);
    build_in(plant, work, who, &batch).await?;
    let entered = entries::enter(plant, work, who, &batch).await?;
    if phase.checked {
        confirm(plant, work, who, &batch, &entered).await?;
    }
    let round = job.batches;
    let (count, reason) = scrap(work, round);
    let mut sent = json!({ "active_batch_key": batch.key, "completed_batch_qt": batch.quantity.saturating_sub(count) });
    if !phase.checked {
        sent = with(sent, "step_data", step_data(phase, &entered));
    }
    let scrapped = batch.units.get(..count.min(batch.units.len())).unwrap_or_default();
    if count > 0 {
        sent = with(with(sent, "scrap_reason", json!(reason)), "scrap_qt", json!(count));
    }
    if !scrapped.is_empty() {
        let keys: Vec<&str> = scrapped.iter().map(|unit| unit.key.as_str()).collect();
        sent = with(sent, "scrap_serial_keys", json!(keys));
    }
    plant.event(who, "BATCH_COMPLETED", sent).await?;
    job_mut(plant, work)?.batches += 1;
    for unit in scrapped {
        plant.note(&format!("scrapped of order {}", work.order), unit.key.clone());
    }
    put_away(plant, work, batch.units.get(scrapped.len()..).unwrap_or_default())
}

/// How many of a batch are scrapped, and why.
fn scrap(work: &Work, round: usize) -> (usize, &'static str) {
    let found =
        SCRAPS.iter().find(|(order, phase, batch, ..)| (*order, *phase, *batch) == (work.order, work.phase, round));
    found.map_or((0, ""), |(_, _, _, count, reason)| (*count, *reason))
}

/// Links the traced components that this phase takes, the oldest of them first.
async fn build_in(plant: &mut Plant<'_>, work: &Work, who: &'static str, batch: &Batch) -> Told {
    let lines = route(numbered(plant, work.order)?.product).map(|route| route.lines).unwrap_or_default();
    let traced = |component: &str| product(component).is_some_and(|product| product.is_traced());
    let mut links = Vec::new();
    for line in lines.iter().filter(|line| line.phase == work.phase && traced(line.component)) {
        for unit in &batch.units {
            let part = plant.take(line.component)?;
            links.push(
                json!({ "parent_serial_key": unit.key, "child_serial_key": part.key, "component_key": line.component }),
            );
        }
    }
    if !links.is_empty() {
        plant.put(who, &format!("/batch/{}/serial-temp-links", batch.key), Value::Array(links)).await?;
    }
    Ok(())
}

/// Confirms every step in turn. The batch is completed afterwards, since some of it may be scrap.
async fn confirm(plant: &mut Plant<'_>, work: &Work, who: &'static str, batch: &Batch, entered: &[Entered]) -> Told {
    for step in entered {
        let sent = json!({
            "batch_key": batch.key, "step_key": step.step, "form_data": step.values, "complete_batch": false,
        });
        let done = plant.event(who, "STEP_COMPLETED", sent).await?;
        job_mut(plant, work)?.record = Some(text(&done, "/execution_record_key")?);
        plant.clock.pass_minutes(1);
    }
    Ok(())
}

fn step_data(phase: &Phase, entered: &[Entered]) -> Value {
    let filled = phase.steps.iter().zip(entered).filter(|(step, _)| !step.form.is_empty());
    filled.map(|(_, entered)| json!({ "step_key": entered.step, "form_data": entered.values })).collect()
}

/// Units that passed the last phase lie in stock.
fn put_away(plant: &mut Plant<'_>, work: &Work, passed: &[Unit]) -> Told {
    let order = numbered(plant, work.order)?;
    let (product, is_last) = (order.product, work.phase + 1 == order.jobs.len());
    if is_last {
        for unit in passed {
            plant.put_in_stock(product, unit.clone());
        }
    }
    Ok(())
}
