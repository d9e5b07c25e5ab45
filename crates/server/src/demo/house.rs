//! What the plant defines for itself: configuration, counters, custom data, fields, lists and tags.

use axum::http::Method;
use serde_json::{Value, json};

use super::Told;
use super::files::picture;
use super::plant::Plant;
use super::story::catalogue::{Kind, PRODUCTS, TAGS};
use super::story::forms::{FIELDS, LISTS};
use super::story::shelves::{FINISHED, LINE};

pub(super) async fn set_up(plant: &mut Plant<'_>) -> Told {
    counters(plant).await?;
    configuration(plant).await?;
    custom_data(plant).await?;
    fields(plant).await?;
    tags(plant).await
}

/// Codes without a year, so that they are the same whenever the story is told.
async fn counters(plant: &mut Plant<'_>) -> Told {
    let systems = [
        ("orders", "Work orders", "WO-"),
        ("tasks", "Tasks", "T-"),
        ("counts", "Counts", "COUNT-"),
        ("lists", "Lists", "ML-"),
    ];
    for (key, name, begins) in systems {
        let counter = json!({ "_key": key, "name": name, "template": [begins, "#4"] });
        plant.post("elena", "/counter", counter).await?;
    }
    for product in PRODUCTS {
        if let Kind::Made(begins) = product.kind {
            let counter = json!({ "_key": product.key, "name": product.name, "template": [begins, "#5"] });
            plant.post("elena", "/counter", counter).await?;
        }
    }
    Ok(())
}

async fn configuration(plant: &mut Plant<'_>) -> Told {
    let change = json!({
        "company_name": "Velmora Drives",
        "timezone": "Europe/Rome",
        "operator_cost": 30,
        "system_counters": {
            "work_orders": "orders", "tasks": "tasks", "counting_sessions": "counts", "movement_lists": "lists",
        },
        "enable_inventory_management": true,
        "allow_independent_reordering_of_job_queues": true,
        "default_production_position": FINISHED,
        "default_consumption_position": LINE,
        "mandatory_reason_for_movement_types": ["adjustment"],
        "serial_fields": [
            serial_field("supplier_lot", "text", "Supplier lot"), serial_field("firmware", "choice", "Firmware"),
        ],
    });
    plant.patch("admin", "/config", change).await?;
    let logo = picture("velmora.png", [11, 83, 148]);
    plant.upload("admin", (Method::PUT, "/config/company_logo/file"), "file", logo).await.map(drop)
}

fn serial_field(key: &str, kind: &str, name: &str) -> Value {
    json!({ "_key": key, "type": kind, "name": name, "default_label": name, "default_hint": null })
}

async fn custom_data(plant: &mut Plant<'_>) -> Told {
    let shift = |name: &str, from: &str, to: &str| json!({ "name": name, "from": from, "to": to });
    let shifts = [shift("early", "06:00", "14:00"), shift("late", "14:00", "22:00")];
    let entries = [
        ("shifts", json!({ "value": shifts, "description": "Shifts" })),
        (
            "label_printer",
            json!({ "value": { "address": "label-2", "dpi": 300 }, "description": "Label printer of line 2" }),
        ),
    ];
    for (key, entry) in entries {
        plant.put("admin", &format!("/custom-data/{key}"), entry).await?;
    }
    Ok(())
}

async fn fields(plant: &mut Plant<'_>) -> Told {
    for (key, name, kind, label, hint) in FIELDS {
        let field = json!({ "_key": key, "name": name, "type": kind, "default_label": label, "default_hint": hint });
        plant.post("marta", "/field", field).await?;
    }
    for (field, values) in LISTS {
        let values: Vec<Value> = values.iter().map(|(key, value)| json!({ "_key": key, "value": value })).collect();
        plant.post("marta", &format!("/list/{field}"), Value::Array(values)).await?;
    }
    Ok(())
}

async fn tags(plant: &mut Plant<'_>) -> Told {
    for (key, name, description, colour) in TAGS {
        let tag = json!({ "_key": key, "name": name, "description": description, "color": colour });
        plant.post("elena", "/tag", tag).await?;
    }
    Ok(())
}
