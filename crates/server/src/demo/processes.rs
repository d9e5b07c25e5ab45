//! Operations, processes with their forms, and bills of materials.

use axum::http::Method;
use serde_json::{Value, json};

use super::Told;
use super::files::picture;
use super::plant::{Plant, list, text};
use super::story::forms::Entry;
use super::story::routing::{LATER_SET, Line, OPERATIONS, Phase, ROUTES, Route, Step};

pub(super) async fn define(plant: &mut Plant<'_>) -> Told {
    for (key, code, name, description) in OPERATIONS {
        let operation = json!({ "_key": key, "code": code, "name": name, "description": description });
        plant.post("elena", "/operation", operation).await?;
    }
    for route in ROUTES {
        process(plant, route).await?;
    }
    show(plant).await
}

async fn process(plant: &mut Plant<'_>, route: &Route) -> Told {
    let phases = route.phases.iter().map(phase).collect();
    let answer = plant.put("elena", &format!("/product/{}/process", route.product), Value::Array(phases)).await?;
    bill(plant, route.product, &answer, route.lines).await
}

/// The bill of materials of a product with such a process.
async fn bill(plant: &mut Plant<'_>, product: &str, process: &Value, lines: &[Line]) -> Told {
    let keys = list(process, "")?.iter().map(|phase| text(phase, "/_key")).collect::<Told<Vec<String>>>()?;
    let lines = lines.iter().map(|line| bom_line(line, &keys)).collect();
    plant.put("elena", &format!("/product/{product}/bom"), Value::Array(lines)).await.map(drop)
}

/// A second version of a bill of materials; orders that are there keep theirs.
pub(super) async fn change_the_set(plant: &mut Plant<'_>) -> Told {
    let process = plant.get("elena", "/product/ds-250/process").await?;
    bill(plant, "ds-250", &process, LATER_SET).await
}

fn phase(phase: &Phase) -> Value {
    json!({
        "alias": phase.name,
        "operation_key": phase.operation,
        "params": {
            "production_batch_qt": phase.batch,
            "auto_new_batch": false,
            "step_check": phase.checked,
            "step_check_force_order": phase.checked,
            "std_processing_time": phase.minutes * 60 / phase.batch.max(1) as i64,
        },
        "steps": phase.steps.iter().map(step).collect::<Vec<Value>>(),
    })
}

fn step(step: &Step) -> Value {
    if step.form.is_empty() {
        return json!({ "title": step.title, "description": step.text });
    }
    let form: Vec<Value> = step.form.iter().map(form_field).collect();
    json!({ "title": step.title, "description": step.text, "type": "form", "form_fields": form })
}

fn form_field(entry: &Entry) -> Value {
    json!({ "_key": entry.key, "custom_field_key": entry.field, "mandatory": true })
}

fn bom_line(line: &Line, phases: &[String]) -> Value {
    json!({ "component_key": line.component, "qt": line.quantity, "phase_key": phases.get(line.phase) })
}

/// A picture beside the first step of the drive unit.
async fn show(plant: &mut Plant<'_>) -> Told {
    let process = plant.get("elena", "/product/du-250/process").await?;
    let path = format!("/step/{}/media", text(&process, "/0/steps/0/_key")?);
    plant
        .upload("elena", (Method::POST, &path), "media_file", picture("insert the motor.png", [60, 60, 66]))
        .await
        .map(drop)
}
