//! The warehouse: positions, goods that come and go, lists that are carried out, and goods on consignment.

use serde_json::{Value, json};

use super::Told;
use super::plant::{Plant, Unit, list, text, units, with};
use super::story::catalogue::{Product, product};
use super::story::days::{Delivery, WITHOUT_CERTIFICATE};
use super::story::shelves::{FINISHED, Kind, LINE, ON_LOAN, POSITIONS, QUARANTINE};
use crate::site::StartError;

pub(super) async fn furnish(plant: &mut Plant<'_>) -> Told {
    for position in POSITIONS {
        let mut sent = json!({ "_key": position.key, "code": position.code, "parent_position_key": position.parent });
        sent = match position.kind {
            Kind::Fixed => sent,
            Kind::Mobile => with(sent, "fixed", json!(false)),
            Kind::Blocked => with(sent, "allow_consumption", json!(false)),
            Kind::Foreign => with(sent, "owned", json!(false)),
        };
        plant.post("davide", "/position", sent).await?;
    }
    let tag = json!([{ "type": "add", "tag_key": "hazardous", "context": "position", "context_key": "b-01" }]);
    plant.post("davide", "/tag/update-connections", tag).await.map(drop)
}

/// Goods come and are put away.
pub(super) async fn receive(plant: &mut Plant<'_>, deliveries: &[Delivery]) -> Told {
    for delivery in deliveries {
        let product = product(delivery.product);
        let product = product.ok_or_else(|| StartError::Other(format!("the plant has no {}", delivery.product)))?;
        match delivery.serials {
            Some((begins, first, lot)) => receive_units(plant, delivery, product, (begins, first, lot)).await?,
            None => {
                let receipt = with(receipt(delivery, product), "qt_confirmed", json!(delivery.quantity));
                plant.event("davide", "MOVEMENT_COMPLETED", receipt).await?;
            }
        }
        plant.clock.pass_minutes(4);
    }
    Ok(())
}

fn receipt(delivery: &Delivery, product: &Product) -> Value {
    let (partner, number) = delivery.partner;
    let references = json!({ "purchase_doc": delivery.order, "partner_name": partner, "partner_code": number });
    let receipt = json!({
        "movement_type": "receipt", "product_key": product.key, "position_to": product.bin, "references": references,
    });
    if delivery.owned { receipt } else { with(receipt, "owned", json!(false)) }
}

/// Units with the numbers of their supplier, and the lot they are of.
async fn receive_units(
    plant: &mut Plant<'_>,
    delivery: &Delivery,
    product: &'static Product,
    (begins, first, lot): (&str, u32, &str),
) -> Told {
    let last = first + delivery.quantity - 1;
    let mut data = vec![
        json!({ "form_field_key": "lot", "custom_field_key": "supplier_lot", "label": "Supplier lot", "value": lot }),
    ];
    if product.key == "bt-500" {
        data.push(json!({
            "form_field_key": "transport", "custom_field_key": "transport_test", "label": "Transport test (UN 38.3)",
            "mandatory": true, "value": null,
        }));
    }
    let sent = json!({ "product_key": product.key, "range": format!("{begins}{first:04}-{last:04}"), "data": data });
    let made = plant.event("davide", "SERIAL_CREATED", sent).await?;
    let made = units(list(&made, "/serials")?, "/code")?;
    let rows = made.iter().map(|unit| json!({ "serial_key": unit.key })).collect();
    let shared = with(receipt(delivery, product), "qt_confirmed", json!(1));
    plant.bulk("davide", "MOVEMENT_COMPLETED", shared, rows).await?;
    if product.key == "bt-500" {
        certify(plant, &made, lot).await?;
    }
    for unit in made {
        plant.put_in_stock(product.key, unit);
    }
    Ok(())
}

/// Enters the certificate of every battery but one.
async fn certify(plant: &mut Plant<'_>, batteries: &[Unit], lot: &str) -> Told {
    let data = json!([{ "form_field_key": "transport", "value": format!("UN38-{lot}") }]);
    let certified = batteries.iter().filter(|unit| unit.code != WITHOUT_CERTIFICATE);
    let rows = certified.map(|unit| json!({ "serial_key": unit.key })).collect();
    plant.bulk("marta", "SERIAL_UPDATED", json!({ "serial_data": data }), rows).await
}

/// What happens to stock besides: something is spilt, something was counted twice, a trolley is moved.
pub(super) async fn correct_stock(plant: &mut Plant<'_>) -> Told {
    let spilt = json!({
        "movement_type": "adjustment", "product_key": "gr-2", "position_to": "c-04", "qt_confirmed": -0.4,
        "reason": "Spilt",
    });
    plant.event("davide", "MOVEMENT_COMPLETED", spilt).await?;
    let twice = json!({
        "movement_type": "receipt", "product_key": "um-1", "position_to": "trolley-1", "qt_confirmed": 100,
        "references": { "purchase_doc": "PO-3015", "partner_name": "Etsch Industrial Supply", "partner_code": "S-0150" },
    });
    let twice = text(&plant.event("sara", "MOVEMENT_COMPLETED", twice).await?, "/movement_key")?;
    let back =
        json!({ "original_movement_key": twice, "quantity_to_revert": 60, "reason": "One box was booked twice" });
    plant.event("davide", "MOVEMENT_REVERSED", back).await?;
    let moved = json!({ "movement_type": "transfer", "position_from": "trolley-1", "position_to": "hall-2" });
    plant.event("sara", "MOVEMENT_COMPLETED", moved).await.map(drop)
}

/// All systems of the first order leave in one delivery.
pub(super) async fn ship_to_bergrad(plant: &mut Plant<'_>) -> Told {
    let mut rows = Vec::new();
    for _ in 0..8 {
        rows.push(shipment(&plant.take("ds-250")?));
    }
    let sent = delivery(plant, ("SHP-1001", 1), BERGRAD, rows);
    let made = plant.post("davide", "/movement-list", sent).await?;
    plant.clock.pass_minutes(45);
    pick(plant, list(&made, "/detail/movement_keys")?).await
}

type Sale = (&'static str, &'static str, &'static str);

/// Of each sale: its document, the customer's name and number.
const BERGRAD: Sale = ("SO-7701", "Bergrad AG", "C-2003");
const NORDKETTE: Sale = ("SO-7718", "Nordkette Bikes", "C-2011");

fn shipment(unit: &Unit) -> Value {
    json!({ "product_key": "ds-250", "serial_key": unit.key, "position_from": FINISHED, "qt_planned": 1 })
}

fn delivery(plant: &Plant, (code, days): (&str, i64), (document, name, number): Sale, rows: Vec<Value>) -> Value {
    json!({
        "code": code,
        "type": "shipment",
        "due_by": plant.clock.date(days),
        "references": { "sales_doc": document, "partner_name": name, "partner_code": number },
        "movements": rows,
    })
}

/// Carries out rows of a list.
async fn pick(plant: &mut Plant<'_>, movements: &[Value]) -> Told {
    let rows = movements.iter().map(|key| json!({ "movement_key": key })).collect();
    plant.bulk("sara", "MOVEMENT_COMPLETED", json!({}), rows).await
}

/// Two systems go to the customer on loan and stay ours; the others are to follow by a list.
pub(super) async fn lend_to_nordkette(plant: &mut Plant<'_>) -> Told {
    for _ in 0..2 {
        let unit = plant.take("ds-250")?;
        let tag = json!([{ "type": "add", "tag_key": "pilot", "context": "serial", "context_key": unit.key }]);
        plant.post("davide", "/tag/update-connections", tag).await?;
        let loan = json!({
            "movement_type": "transfer", "product_key": "ds-250", "serial_key": unit.key, "position_from": FINISHED,
            "position_to": ON_LOAN, "qt_confirmed": 1, "reason": "Pilot, four weeks",
            "references": { "transfer_doc": "LN-0031", "partner_name": NORDKETTE.1, "partner_code": NORDKETTE.2 },
        });
        plant.event("davide", "MOVEMENT_COMPLETED", loan).await?;
    }
    let mut rows = Vec::new();
    for _ in 0..8 {
        rows.push(shipment(&plant.take("ds-250")?));
    }
    let sent = delivery(plant, ("SHP-1002", 7), NORDKETTE, rows);
    let made = plant.post("davide", "/movement-list", sent).await?;
    for (place, key) in list(&made, "/detail/movement_keys")?.iter().enumerate() {
        plant.note(&format!("shipment row {place}"), key.as_str().unwrap_or_default().to_owned());
    }
    Ok(())
}

/// Five of the eight are on the pallet, the rest waits.
pub(super) async fn pick_for_nordkette(plant: &mut Plant<'_>) -> Told {
    let mut rows = Vec::new();
    for place in 0..5 {
        rows.push(json!(plant.noted(&format!("shipment row {place}"))?));
    }
    pick(plant, &rows).await
}

/// A list that is carried out in parts, and one that was given up.
pub(super) async fn refill_the_line(plant: &mut Plant<'_>) -> Told {
    let row = |product: &str, from: &str, quantity: u32| {
        let way = json!({ "product_key": product, "position_from": from, "position_to": LINE });
        with(way, "qt_planned", json!(quantity))
    };
    let rows = vec![row("tl-3", "c-03", 100), row("cb-2", "c-01", 10)];
    let refill = json!({ "code": "REP-0007", "type": "transfer", "notes": "Before the late shift", "movements": rows });
    let made = plant.post("davide", "/movement-list", refill).await?;
    let labels = text(&made, "/detail/movement_keys/0")?;
    let parts = json!([{ "position_from": "c-03", "position_to": LINE, "qt_confirmed": 60 }]);
    let part = json!({ "movement_key": labels, "split_into": parts });
    plant.event("sara", "MOVEMENT_UPDATED", part).await?;
    let rows = vec![row("um-1", "c-02", 20)];
    let idle = json!({ "code": "REP-0006", "type": "transfer", "movements": rows });
    let made = plant.post("davide", "/movement-list", idle).await?;
    let closed =
        json!({ "movement_list_key": text(&made, "/detail/movement_list_key")?, "description": "Nobody was there" });
    plant.event("davide", "WAREHOUSE_LIST_CLOSED", closed).await.map(drop)
}

/// Goods that are to come next week.
pub(super) async fn expect_a_delivery(plant: &mut Plant<'_>) -> Told {
    let rows = json!([
        { "product_key": "pm-4", "position_to": "a-01", "qt_planned": 40 },
        { "product_key": "pcb-7", "position_to": "a-04", "qt_planned": 50 },
        { "product_key": "cw-08", "position_to": "c-04", "qt_planned": 12.5 },
    ]);
    let expected = json!({
        "code": "PO-3058", "type": "receipt", "due_by": plant.clock.date(7), "movements": rows,
        "references": { "purchase_doc": "PO-3058", "partner_name": "Halva Semiconductors", "partner_code": "S-0107" },
    });
    plant.post("davide", "/movement-list", expected).await.map(drop)
}

/// A power module that fell on the floor.
pub(super) async fn drop_a_module(plant: &mut Plant<'_>) -> Told {
    let unit = plant.take_newest("pm-4")?;
    plant
        .event("luca", "SERIAL_SCRAPPED", json!({ "serial_key": unit.key, "reason": "Fell on the floor" }))
        .await
        .map(drop)
}

/// The torque sensor of a finished drive unit is replaced, and the old one scrapped.
pub(super) async fn replace_a_sensor(plant: &mut Plant<'_>) -> Told {
    let drive = plant.stock.get("du-250").and_then(|units| units.front()).cloned();
    let drive = drive.ok_or_else(|| StartError::Other("the story has no drive unit left".to_owned()))?;
    let parts = plant.get("marta", &format!("/serial-children?serial_key={}", drive.key)).await?;
    let old = list(&parts, "")?.iter().find(|part| part["product_key"] == "ts-1").cloned().unwrap_or_default();
    let new = plant.take("ts-1")?;
    let swap = json!({
        "child_serial_key": new.key,
        "parent_serial_key": drive.key,
        "component_key": "ts-1",
        "replaces_serial_key": text(&old, "/serial_key")?,
        "scrap_replaced": true,
        "reason": "No signal when hot",
    });
    plant.note("repaired drive", drive.key);
    plant.event("marta", "SERIAL_LINKED", swap).await.map(drop)
}

/// A unit of a doubtful lot, out of reach of production.
pub(super) async fn block_a_module(plant: &mut Plant<'_>) -> Told<Unit> {
    let unit = plant.take_newest("pm-4")?;
    let blocked = json!({
        "movement_type": "transfer", "product_key": "pm-4", "serial_key": unit.key, "position_from": "a-01",
        "position_to": QUARANTINE, "qt_confirmed": 1, "reason": "Bent leads",
    });
    plant.event("sara", "MOVEMENT_COMPLETED", blocked).await?;
    Ok(unit)
}
