//! Tasks in every status, with people, links, forms and time.

use serde_json::{Value, json};

use super::super::Told;
use super::super::files::note;
use super::super::plant::{Plant, text, with};
use super::super::production::numbered;
use super::{entered, field, post};

pub(super) async fn types(plant: &mut Plant<'_>) -> Told {
    let link = |kind: &str, several: bool, required: bool| {
        let link = json!({ "type": kind, "enabled": true, "allow_multiple": several });
        with(link, "required", json!(required))
    };
    let of_actions = [
        link("issue", false, true),
        link("product", true, false),
        link("task", true, false),
        link("work_order", true, false),
    ];
    let types = [
        json!({
            "name": "Maintenance", "description": "Of machines and tools", "icon": "wrench", "require_time_entry": true,
            "form_fields": [field("mt_done", "done_as_planned", true), field("mt_next", "next_due", false)],
        }),
        json!({
            "name": "Corrective action", "description": "So that an issue does not come back", "icon": "shield",
            "form_fields": [field("ca_cause", "root_cause", true)],
            "link_settings": of_actions,
        }),
        json!({
            "name": "Calibration", "description": "Of measuring equipment", "icon": "gauge",
            "form_fields": [field("cl_next", "next_due", true)],
            "link_settings": [link("serial", true, false)],
        }),
    ];
    for kind in types {
        let name = text(&kind, "/name")?;
        let made = plant.post("marta", "/task-type", kind).await?;
        plant.note(&format!("task type {name}"), text(&made, "/detail/_key")?);
    }
    Ok(())
}

/// Somebody who owns a task, and who takes part in it.
fn people(owner: &str, others: &[&str]) -> Value {
    let mut people = vec![json!({ "user_key": owner, "role": "owner" })];
    people.extend(others.iter().map(|user| json!({ "user_key": user, "role": "participant" })));
    Value::Array(people)
}

/// Makes a task that is due in so many days.
async fn make(
    plant: &mut Plant<'_>,
    (kind, name): (&str, &str),
    title: &str,
    people: Value,
    days: i64,
) -> Told<String> {
    let sent = json!({
        "task_type_key": plant.noted(&format!("task type {kind}"))?,
        "title": title,
        "assigned_to": people,
        "start_from": plant.clock.date(0),
        "due_by": plant.clock.date(days),
    });
    let key = text(&plant.event("jonas", "TASK_CREATED", sent).await?, "/task_key")?;
    plant.note(name, key.clone());
    Ok(key)
}

async fn fill(plant: &mut Plant<'_>, who: &'static str, task: &str, fields: Value) -> Told {
    plant.event(who, "TASK_UPDATED", json!({ "task_key": task, "form_fields": fields })).await.map(drop)
}

async fn link(plant: &mut Plant<'_>, task: &str, kind: &str, key: &str) -> Told {
    plant.event("marta", "TASK_LINKED", json!({ "task_key": task, "link_type": kind, "link_key": key })).await.map(drop)
}

/// Early in the story: maintenance that is done, and a calibration that was not needed.
pub(in crate::demo) async fn plan_tasks(plant: &mut Plant<'_>) -> Told {
    let oven = make(plant, ("Maintenance", "oven"), "Change the filters of the oven", people("luca", &[]), 3).await?;
    let begin = plant.clock.now();
    plant.clock.pass_minutes(50);
    let spent = json!({ "task_key": oven, "start": begin, "end": plant.clock.now() });
    plant.event("luca", "TASK_TIME_RECORDED", spent).await?;
    let next = plant.clock.date(90);
    fill(plant, "luca", &oven, json!([entered("mt_done", json!(true)), entered("mt_next", json!(next))])).await?;
    plant.event("luca", "TASK_COMPLETED", json!({ "task_key": oven })).await?;
    let scale = make(plant, ("Calibration", "scale"), "Calibrate the old scale", people("ines", &[]), 10).await?;
    plant.event("marta", "TASK_CANCELED", json!({ "task_key": scale, "reason": "The scale was replaced" })).await?;
    // Nobody has got round to it since.
    make(plant, ("Maintenance", "press"), "Grease the press of line 3", people("pavel", &["anna"]), 14).await.map(drop)
}

/// Late in the story: what follows from the issues, and what waits.
pub(in crate::demo) async fn look_after_tasks(plant: &mut Plant<'_>) -> Told {
    close_the_complaint(plant).await?;
    let drift = plant.noted("drift")?;
    let cause = make(
        plant,
        ("Corrective action", "cause"),
        "Find out why the sensor drifts",
        people("marta", &["ines", "elena"]),
        5,
    )
    .await?;
    link(plant, &cause, "issue", &drift).await?;
    link(plant, &cause, "product", "ts-1").await?;
    let order = numbered(plant, 16)?.key.clone();
    link(plant, &cause, "work_order", &order).await?;
    let plan = note("plan.txt", "1. Three sensors of lot HS-2319 at 80 C.\n2. The same with lot HS-2250.\n");
    plant.attach("marta", ("task", &cause), "", plan).await?;
    post(plant, "davide", &format!("Task/{cause}"), "The supplier sends figures of the lot on Monday.").await?;
    let check = make(
        plant,
        ("Corrective action", "check"),
        "Test all drives that have a sensor of the lot",
        people("ines", &[]),
        8,
    )
    .await?;
    link(plant, &check, "task", &cause).await?;
    plant.event("marta", "TASK_SUSPENDED", json!({ "task_key": check })).await?;
    make(plant, ("Calibration", "bench"), "Calibrate bench 4", people("ines", &["marta"]), 12).await.map(drop)
}

async fn close_the_complaint(plant: &mut Plant<'_>) -> Told {
    let complaint = plant.noted("complaint")?;
    let claim =
        make(plant, ("Corrective action", "claim"), "Agree on trays with the supplier", people("davide", &[]), 2)
            .await?;
    link(plant, &claim, "issue", &complaint).await?;
    fill(plant, "davide", &claim, json!([entered("ca_cause", json!("Modules were loose in the bag"))])).await?;
    let done = with(json!({ "task_key": claim }), "description", json!("Trays from the next delivery on"));
    plant.event("davide", "TASK_COMPLETED", done).await.map(drop)
}
