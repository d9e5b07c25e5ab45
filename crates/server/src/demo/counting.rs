//! Counts: one of the racks that is applied, and one that is under way.

use serde_json::json;

use super::Told;
use super::plant::{Plant, list, text};
use super::story::shelves::FINISHED;
use crate::site::StartError;

/// Two people count the racks; what they disagree on is settled, and stock is corrected.
pub(super) async fn count_the_racks(plant: &mut Plant<'_>) -> Told {
    let session = open(plant, "Racks A and B", [("sara", "rack-a"), ("pavel", "rack-b")]).await?;
    for bin in ["a-01", "a-02", "a-03"] {
        count(plant, "sara", &session, bin, None).await?;
    }
    count(plant, "sara", &session, "a-04", Some(("cp-7", -2.0))).await?;
    let empty = json!({ "count_session_key": session, "position_key": "a-05", "notes": "Swept" });
    plant.event("sara", "POSITION_CONFIRMED_EMPTY", empty).await?;
    for bin in ["b-01", "b-02", "b-03"] {
        count(plant, "pavel", &session, bin, None).await?;
    }
    count(plant, "pavel", &session, "b-04", Some(("gw-36", 1.0))).await?;
    finish_assignments(plant, &session).await?;
    settle(plant, &session).await?;
    plant.event("davide", "COUNT_SESSION_CONFIRMED", json!({ "count_session_key": session })).await?;
    plant.apply_counts().await?;
    let applied = plant.get("davide", &format!("/inventory/count-session/{session}")).await?;
    match applied["status"] == "applied" {
        true => Ok(()),
        false => Err(StartError::Other(format!("the demonstration stopped: stock was not corrected: {applied}"))),
    }
}

/// A session with a target for each person, which is started.
async fn open(plant: &mut Plant<'_>, about: &str, targets: [(&'static str, &str); 2]) -> Told<String> {
    let assignments = targets.map(
        |(user, target)| json!({ "user_key": user, "targets": [{ "target_key": target, "include_children": true }] }),
    );
    let session = json!({
        "description": about,
        "type": "position",
        "scheduled_start": plant.clock.now(),
        "scheduled_end": plant.clock.now().plus_seconds(6 * 60 * 60),
    });
    let sent = json!({ "count_session": session, "assignments": assignments });
    let made = plant.post("davide", "/inventory/count-session", sent).await?;
    let key = text(&made, "/detail/count_session_key")?;
    plant.event("davide", "COUNT_SESSION_STARTED", json!({ "count_session_key": key })).await?;
    for (user, _) in targets {
        let assignment = assignment(plant, &key, user).await?;
        plant.event(user, "ASSIGNMENT_STARTED", json!({ "assignment_key": assignment })).await?;
    }
    Ok(key)
}

async fn assignment(plant: &mut Plant<'_>, session: &str, user: &str) -> Told<String> {
    let read = plant.get("davide", &format!("/inventory/count-session/{session}")).await?;
    text(&read, &format!("/assignments/{user}/0/_key"))
}

async fn finish_assignments(plant: &mut Plant<'_>, session: &str) -> Told {
    for user in ["sara", "pavel"] {
        let assignment = assignment(plant, session, user).await?;
        plant.event(user, "ASSIGNMENT_COMPLETED", json!({ "assignment_key": assignment })).await?;
    }
    Ok(())
}

/// Counts everything in a bin as stock has it, but for one product that is off by so much.
async fn count(plant: &mut Plant<'_>, who: &'static str, session: &str, bin: &str, off: Option<(&str, f64)>) -> Told {
    for pair in pairs(plant, bin).await? {
        let record = begin(plant, who, session, bin, &pair.product).await?;
        plant.clock.pass_minutes(3);
        let off = off.filter(|(product, _)| *product == pair.product).map_or(0.0, |(_, off)| off);
        let sent = match pair.serials.is_empty() {
            true => json!({ "count_key": record, "count_qt": pair.quantity + off }),
            false => json!({ "count_key": record, "count_serial_keys": pair.serials }),
        };
        plant.event(who, "COUNT_COMPLETED", sent).await?;
    }
    Ok(())
}

async fn begin(plant: &mut Plant<'_>, who: &'static str, session: &str, bin: &str, product: &str) -> Told<String> {
    let sent = json!({ "count_session_key": session, "position_key": bin, "product_key": product });
    text(&plant.event(who, "COUNT_STARTED", sent).await?, "/count_record_key")
}

/// A product in a bin.
struct Pair {
    product: String,
    quantity: f64,
    serials: Vec<String>,
}

/// What lies in a bin, as stock has it.
async fn pairs(plant: &mut Plant<'_>, bin: &str) -> Told<Vec<Pair>> {
    let rows = plant.get("davide", &format!("/inventory?position_key={bin}")).await?;
    let mut pairs: Vec<Pair> = Vec::new();
    for row in list(&rows, "")? {
        let product = text(row, "/product_key")?;
        let quantity = row["quantity"].as_f64().unwrap_or(0.0);
        let serial = row["serial_key"].as_str().map(str::to_owned);
        match pairs.last_mut().filter(|pair| pair.product == product) {
            Some(pair) => {
                pair.quantity += quantity;
                pair.serials.extend(serial);
            }
            None => pairs.push(Pair { product, quantity, serials: serial.into_iter().collect() }),
        }
    }
    Ok(pairs)
}

/// Somebody counts a bin again and miscounts; the first count stands.
async fn settle(plant: &mut Plant<'_>, session: &str) -> Told {
    let record = begin(plant, "pavel", session, "a-04", "pcb-7").await?;
    let counted = pairs(plant, "a-04").await?.into_iter().find(|pair| pair.product == "pcb-7");
    let quantity = counted.map_or(0.0, |pair| pair.quantity) + 5.0;
    plant.event("pavel", "COUNT_COMPLETED", json!({ "count_key": record, "count_qt": quantity })).await?;
    plant.event("davide", "COUNT_SESSION_COMPLETED", json!({ "count_session_key": session })).await?;
    let why = "Counted once more: the first count was right";
    plant.event("davide", "COUNT_DISCARDED", json!({ "count_key": record, "description": why })).await.map(drop)
}

/// A count that is under way: some bins are done, and somebody stands in front of one.
pub(super) async fn begin_a_count(plant: &mut Plant<'_>) -> Told {
    let session = open(plant, "Rack C and finished goods", [("sara", "rack-c"), ("davide", FINISHED)]).await?;
    count(plant, "sara", &session, "c-01", None).await?;
    count(plant, "sara", &session, "c-03", Some(("tl-3", -3.0))).await?;
    count(plant, "davide", &session, FINISHED, None).await?;
    begin(plant, "sara", &session, "c-02", "bx-1").await.map(drop)
}
