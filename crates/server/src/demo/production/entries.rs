//! What people enter at the steps of a batch.

use serde_json::{Value, json};

use super::super::Told;
use super::super::files::curve;
use super::super::plant::Plant;
use super::super::story::days::{WITHOUT_REPORT, Work};
use super::super::story::forms::{self, Entry};
use super::batch::Batch;
use super::{job, numbered, phase_of};

/// The values of one step.
pub(super) struct Entered {
    pub(super) step: String,
    pub(super) values: Vec<Value>,
}

/// Fills the forms of all steps of a batch.
pub(super) async fn enter(plant: &mut Plant<'_>, work: &Work, who: &'static str, batch: &Batch) -> Told<Vec<Entered>> {
    let (steps, phase) = (job(plant, work)?.steps.clone(), phase_of(plant, work)?);
    let mut entered = Vec::new();
    for (key, step) in steps.into_iter().zip(phase.steps) {
        let mut values = Vec::new();
        for entry in step.form {
            let value = value(plant, work, who, batch, (&key, entry)).await?;
            values.push(json!({ "form_field_key": entry.key, "value": value }));
        }
        entered.push(Entered { step: key, values });
    }
    Ok(entered)
}

async fn value(
    plant: &mut Plant<'_>,
    work: &Work,
    who: &'static str,
    batch: &Batch,
    (step, entry): (&str, &Entry),
) -> Told<Value> {
    Ok(match entry.value {
        forms::Value::Reading(low, high) => json!(plant.dice.reading(low, high)),
        forms::Value::OneOf(choices) => json!(plant.dice.one_of(choices)),
        forms::Value::Yes => json!(true),
        forms::Value::Today => json!(plant.clock.date(0)),
        forms::Value::Now => json!(plant.clock.time_of_day()),
        forms::Value::Code(begins) => json!(format!("{begins}{}", plant.dice.between(100_000, 999_999))),
        forms::Value::Report => report(plant, work, who, batch, (step, entry)).await?,
    })
}

/// The report that the bench prints, stored where the form looks for it, unless somebody forgets.
async fn report(
    plant: &mut Plant<'_>,
    work: &Work,
    who: &'static str,
    batch: &Batch,
    (step, entry): (&str, &Entry),
) -> Told<Value> {
    let tested = batch.units.first().map_or("batch", |unit| unit.code.as_str());
    let file = curve(&format!("{tested} report.pdf"), &mut plant.dice);
    let value = json!([{ "name": file.name, "size": file.bytes.len() }]);
    if (work.order, work.phase, job(plant, work)?.batches) != WITHOUT_REPORT {
        let order = numbered(plant, work.order)?.key.clone();
        let folder = format!("{}/{step}/{}/{}", batch.key, entry.field, entry.key);
        plant.attach(who, ("traceability", &order), &folder, file).await?;
    }
    Ok(value)
}
