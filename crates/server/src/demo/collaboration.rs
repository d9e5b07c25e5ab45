//! Issues, messages and tasks: what people tell each other, and what they have to do.

mod issues;
mod tasks;

pub(super) use issues::{complain_about_modules, look_after_issues, report_bad_board, report_drift, report_leak};
pub(super) use tasks::{look_after_tasks, plan_tasks};

use serde_json::{Value, json};

use super::Told;
use super::plant::{Plant, text};
use super::production::numbered;

/// The types of issues and tasks, with their forms.
pub(super) async fn set_up(plant: &mut Plant<'_>) -> Told {
    issues::types(plant).await?;
    tasks::types(plant).await
}

async fn post(plant: &mut Plant<'_>, who: &'static str, recipient: &str, content: &str) -> Told<String> {
    let sent = json!({ "recipient": recipient, "content": content });
    text(&plant.event(who, "MESSAGE_POSTED", sent).await?, "/message_key")
}

/// Today's talk: about an issue, an order, a unit, and between two people.
pub(super) async fn talk_about_it(plant: &mut Plant<'_>) -> Told {
    let drift = format!("Issue/{}", plant.noted("drift")?);
    post(plant, "marta", &drift, "Which lot is the sensor of?").await?;
    plant.clock.pass_minutes(4);
    post(plant, "ines", &drift, "HS-2319. Two more of it on the bench, both fine so far.").await?;
    let order = format!("WorkOrder/{}", numbered(plant, 16)?.key);
    let late = post(plant, "anna", &order, "Three of ten are assembled, the rest by tomorrow noon.").await?;
    let mended = json!({ "message_key": late, "content": "Four of ten are assembled, the rest by tomorrow noon." });
    plant.event("anna", "MESSAGE_UPDATED", mended).await?;
    let wrong = post(plant, "pavel", &order, "Is the wire here?").await?;
    plant.event("pavel", "MESSAGE_DELETED", json!({ "message_key": wrong })).await?;
    let drive = format!("Serial/{}", plant.noted("repaired drive")?);
    post(plant, "marta", &drive, "Sensor replaced and tested again: see the report.").await?;
    post(plant, "jonas", "User/pavel", "The wire comes at noon; go on with the packing until then, please.").await?;
    plant.clock.pass_minutes(6);
    post(plant, "pavel", "User/jonas", "Fine.").await.map(drop)
}

/// A field of a form.
fn field(key: &str, custom: &str, mandatory: bool) -> Value {
    json!({ "_key": key, "custom_field_key": custom, "mandatory": mandatory })
}

/// What is entered in a field.
fn entered(key: &str, value: Value) -> Value {
    json!({ "form_field_key": key, "value": value })
}
