//! What production and serials do to stock: components leave it, output comes into it, corrections bring back exactly what was moved,
//! and what stock refuses is refused as a whole.

use testkit::on_both_engines;

use super::*;
use crate::production::{Order, all_at_once, children, complete, event, refused};
use crate::serials::{Plant, each as texts, plant, rule, text};

const REFUSED: &str = "InventoryMovementException";

/// A plant that keeps stock, with A1 and A2 in A.
pub(super) async fn stocked(site: &Site) -> Plant {
    let plant = plant(site).await;
    plant.admin.patch("/config", json!({ "enable_inventory_management": true })).await.expect(200);
    shelves(&plant.admin).await;
    plant
}

/// Products whose stock is kept, without serials.
pub(super) async fn components(plant: &Plant, codes: &[&str]) {
    for code in codes {
        let product = json!({ "_key": code, "code": code, "manage_inventory": true });
        plant.admin.post("/product", product).await.expect(201);
    }
}

/// Moves something by hand.
pub(super) async fn moved(plant: &Plant, movement_type: &str, members: Value) -> Value {
    let mut sent = json!({ "movement_type": movement_type, "qt_confirmed": 1 });
    sent.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    event(&plant.admin, "MOVEMENT_COMPLETED", sent).await.expect(200).detail()
}

pub(super) async fn received(plant: &Plant, product: &str, quantity: f64, position: &str) {
    moved(plant, "receipt", json!({ "product_key": product, "qt_confirmed": quantity, "position_to": position })).await;
}

/// Receives a new serial, and gives its key.
async fn received_unit(plant: &Plant, product: &str, code: &str, position: &str) -> String {
    let sent = json!({ "product_key": product, "serial_code": code, "position_to": position });
    text(&moved(plant, "receipt", sent).await["serial_key"])
}

/// What lies in a position: of each product how much, and each serial.
pub(super) async fn lies(plant: &Plant, position: &str) -> Value {
    let contents = plant.get(&format!("/position/{position}")).await["contents"].clone();
    let rows = contents.as_array().unwrap().iter().filter(|row| row["type"] != "position");
    rows.map(|row| match row["serial_key"].is_null() {
        true => json!([row["product_key"], row["quantity"]]),
        false => json!([row["product_key"], row["serial_key"]]),
    })
    .collect()
}

/// An order of a product of which stock is kept; its output goes to A2.
pub(super) async fn order(plant: &Plant, code: &str, members: Value, phases: usize, quantity: f64) -> Order {
    let mut kept = json!({ "manage_inventory": true, "default_production_position_key": "A2" });
    kept.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    plant.shop.order_of(code, kept, &all_at_once(phases), quantity).await
}

/// Gives an order these lines: the component, how much of it, the place of the phase, and where it comes from.
pub(super) async fn needs(plant: &Plant, order: &Order, lines: &[(&str, f64, usize, Value)]) {
    let jobs = plant.shop.read(order).await["jobs"].clone();
    let line = |(component, qt, place, options): &(&str, f64, usize, Value)| {
        let phase = &jobs[*place]["phase_key"];
        json!({ "component_key": component, "qt": qt, "phase_key": phase, "consumption_options": options })
    };
    let lines: Vec<Value> = lines.iter().map(line).collect();
    plant.admin.patch(&format!("/work-order/{}", order.key), json!({ "new_bom": lines })).await.expect(200);
}

async fn number(site: &Site, statement: &str) -> i64 {
    site.look(statement, vec![]).await.unwrap()
}

pub(super) fn from(position: &str) -> Value {
    json!({ "consumption_position_key": position })
}

/// Begins a job; its batch.
async fn begin(plant: &Plant, job: &str) -> Value {
    event(&plant.operator, "JOB_STARTED", json!({ "job_key": job })).await.detail()["batch_data"].clone()
}

pub(super) async fn supervise(plant: &Plant, event_type: &str, members: Value) -> testkit::Answer {
    event(&plant.shop.supervisor, event_type, members).await
}

on_both_engines! {
    // Scenario 6 of the contract of serials.
    async fn a_linked_serial_leaves_stock_and_comes_back(site) {
        let plant = stocked(site).await;
        plant.product("D", json!({ "manage_inventory": true })).await;
        plant.products(&["U"]).await;
        let unit = plant.unit("U", "U-1").await;
        let part = received_unit(&plant, "D", "D-1", "A1").await;
        assert_eq!((plant.state(&part).await.as_str(), lies(&plant, "A1").await), ("in_stock", json!([["D", part]])));
        let linked = plant.link(&part, &unit).await.detail();
        assert_eq!(children(&plant.admin, &linked).await, ["MOVEMENT_COMPLETED"]);
        assert_eq!((plant.state(&part).await.as_str(), lies(&plant, "A1").await), ("used", json!([])));
        let scrap = json!({ "serial_key": part, "reason": "bent" });
        rule(event(&plant.admin, "SERIAL_SCRAPPED", scrap.clone()).await, "SerialNotScrappedError", "used");

        let pair = json!({ "child_serial_key": part, "parent_serial_key": unit });
        let unlinked = event(&plant.admin, "SERIAL_UNLINKED", pair.clone()).await.detail();
        assert_eq!(children(&plant.admin, &unlinked).await, ["MOVEMENT_REVERSED"]);
        assert_eq!((plant.state(&part).await.as_str(), lies(&plant, "A1").await), ("in_stock", json!([["D", part]])));
        let scrapped = event(&plant.admin, "SERIAL_SCRAPPED", scrap).await.detail();
        assert_eq!(children(&plant.admin, &scrapped).await, ["MOVEMENT_COMPLETED"]);
        assert_eq!((plant.state(&part).await.as_str(), lies(&plant, "A1").await), ("scrapped", json!([])));
        assert_eq!(plant.get("/serial-selection?product_key=D").await, json!([]));
        let again = event(&plant.admin, "SERIAL_CREATED", json!({ "product_key": "D", "code": "D-1" })).await;
        refused(again, "SerialCodeAlreadyPresent");

        let other = plant.unit("D", "D-2").await;
        let events = site.count("event").await;
        rule(plant.link(&other, &unit).await, REFUSED, "serial_not_in_position");
        assert_eq!((plant.state(&other).await.as_str(), site.count("event").await), ("released", events));
        let by_hand = json!({ "child_serial_key": other, "parent_serial_key": unit, "process_inventory": false });
        event(&plant.admin, "SERIAL_LINKED", by_hand).await.expect(200);
        event(&plant.admin, "SERIAL_UNLINKED", json!({ "child_serial_key": other, "parent_serial_key": unit })).await.expect(200);
        assert_eq!(plant.state(&other).await, "released", "nothing was taken out, so nothing comes back");
    }

    async fn what_replaces_a_part_leaves_stock_and_what_it_replaces_comes_back(site) {
        let plant = stocked(site).await;
        plant.product("D", json!({ "manage_inventory": true })).await;
        plant.products(&["U"]).await;
        let [one, two] = plant.units("U", ["U-1", "U-2"]).await;
        let first = received_unit(&plant, "D", "D-1", "A1").await;
        let second = received_unit(&plant, "D", "D-2", "A2").await;
        plant.link(&first, &one).await.expect(200);
        let replace = json!({ "child_serial_key": second, "parent_serial_key": one, "replaces_serial_key": first });
        event(&plant.admin, "SERIAL_LINKED", replace).await.expect(200);
        assert_eq!((lies(&plant, "A1").await, lies(&plant, "A2").await), (json!([["D", first]]), json!([])));
        let other = json!({ "child_serial_key": second, "parent_serial_key": two, "replace_existing": true });
        event(&plant.admin, "SERIAL_LINKED", other).await.expect(200);
        assert_eq!(lies(&plant, "A2").await, json!([]), "it came back and left again");
        let swap = json!({
            "child_serial_key": first, "parent_serial_key": two, "replaces_serial_key": second, "scrap_replaced": true, "reason": "bent",
        });
        event(&plant.admin, "SERIAL_LINKED", swap).await.expect(200);
        assert_eq!((lies(&plant, "A1").await, lies(&plant, "A2").await), (json!([]), json!([])));
        assert_eq!(plant.state(&second).await, "scrapped");
        let parts = json!({ "serial_key": two, "reason": "crushed", "release_components": true });
        event(&plant.admin, "SERIAL_SCRAPPED", parts).await.expect(200);
        assert_eq!(lies(&plant, "A1").await, json!([["D", first]]));
    }

    async fn a_batch_takes_its_components_and_puts_out_what_passed(site) {
        let plant = stocked(site).await;
        components(&plant, &["C", "N"]).await;
        plant.admin.patch("/product/N", json!({ "manage_inventory": false })).await.expect(200);
        let order = order(&plant, "P", json!({}), 2, 4.0).await;
        needs(&plant, &order, &[("C", 0.25, 1, from("A1")), ("N", 1.0, 1, json!({}))]).await;
        received(&plant, "C", 10.0, "A1").await;
        plant.shop.make(&plant.operator, &order.jobs[0]).await;
        assert_eq!(lies(&plant, "A1").await, json!([["C", 10]]), "no line of the first phase, and not the last one");

        let batch = begin(&plant, &order.jobs[1]).await;
        let scrap = json!({ "completed_batch_qt": 3, "scrap_qt": 1, "scrap_reason": "bent" });
        let detail = complete(&plant.operator, &batch, scrap).await.detail();
        assert_eq!((lies(&plant, "A1").await, lies(&plant, "A2").await), (json!([["C", 9]]), json!([["P", 3]])));
        let told = children(&plant.admin, &detail).await;
        assert_eq!(told[..3], ["MOVEMENT_COMPLETED", "MOVEMENT_COMPLETED", "WORK_SESSION_CLOSED"]);
        let sql = "select count(*) from movement where work_order_key is not null and job_key is not null and batch_key is not null";
        assert_eq!(number(site, sql).await, 2);

        supervise(&plant, "JOB_RESET", json!({ "job_key": order.jobs[1] })).await.expect(200);
        assert_eq!((lies(&plant, "A1").await, lies(&plant, "A2").await), (json!([["C", 10]]), json!([])));
    }

    async fn components_come_from_the_first_position_that_is_named(site) {
        let plant = stocked(site).await;
        components(&plant, &["C"]).await;
        for position in ["IN", "A", "A1", "A2"] {
            received(&plant, "C", 10.0, position).await;
        }
        let order = order(&plant, "P", json!({ "manage_inventory": false }), 1, 4.0).await;
        let job = order.jobs[0].clone();
        let one_batch = async |sent: Value, expected: &str| {
            let batch = begin(&plant, &job).await;
            complete(&plant.operator, &batch, sent).await.expect(200);
            assert_eq!(lies(&plant, expected).await, json!([["C", 6]]), "{expected}");
            supervise(&plant, "JOB_RESET", json!({ "job_key": job })).await.expect(200);
            assert_eq!(lies(&plant, expected).await, json!([["C", 10]]), "{expected}");
        };
        needs(&plant, &order, &[("C", 1.0, 0, json!({}))]).await;
        one_batch(json!({}), "IN").await;
        plant.admin.patch("/config", json!({ "default_consumption_position": "A" })).await.expect(200);
        one_batch(json!({}), "A").await;
        plant.admin.patch("/product/C", json!({ "default_consumption_position_key": "A1" })).await.expect(200);
        one_batch(json!({}), "A1").await;
        needs(&plant, &order, &[("C", 1.0, 0, from("A2"))]).await;
        one_batch(json!({}), "A2").await;
        one_batch(json!({ "consumption": [{ "component_key": "C", "position_key": "A1" }] }), "A1").await;

        let batch = begin(&plant, &job).await;
        let with = async |consumption: Value| complete(&plant.operator, &batch, json!({ "consumption": consumption })).await;
        refused(with(json!([{ "component_key": "P", "position_key": "A1" }])).await, "ValueError");
        let twice = json!([{ "component_key": "C", "position_key": "A1" }, { "component_key": "C", "position_key": "A2" }]);
        refused(with(twice).await, "ValueError");
        refused(with(json!([{ "component_key": "C", "position_key": "nowhere" }])).await, "RecordNotFoundError");
        let fixed = json!({ "consumption_position_key": "A2", "consumption_position_mandatory": true });
        needs(&plant, &order, &[("C", 1.0, 0, fixed)]).await;
        refused(with(json!([{ "component_key": "C", "position_key": "A1" }])).await, "ValueError");
        plant.admin.patch("/position/A2", json!({ "allow_consumption": false })).await.expect(200);
        rule(with(json!([])).await, REFUSED, "consumption_not_allowed");
    }

    async fn short_stock_refuses_the_batch_unless_it_is_enough(site) {
        let plant = stocked(site).await;
        components(&plant, &["C"]).await;
        received(&plant, "C", 3.0, "A1").await;
        let order = order(&plant, "P", json!({}), 1, 4.0).await;
        let options = |least: Value| {
            json!({ "consumption_position_key": "A1", "minimum_quantity_if_negative": true, "minimum_quantity": least })
        };
        needs(&plant, &order, &[("C", 1.0, 0, from("A1"))]).await;
        let batch = begin(&plant, &order.jobs[0]).await;
        let events = site.count("event").await;
        let short = rule(complete(&plant.operator, &batch, json!({})).await, REFUSED, "insufficient_stock");
        assert_eq!((&short["available"], &short["requested"]), (&json!(3), &json!(4)));
        assert_eq!((&short["product_key"], &short["position_key"]), (&json!("C"), &json!("A1")));
        assert_eq!(site.count("event").await, events);
        assert_eq!(plant.shop.job(&order, 0).await["active_batch_key"], batch["_key"], "it can be completed later");
        needs(&plant, &order, &[("C", 1.0, 0, options(json!(3.5)))]).await;
        rule(complete(&plant.operator, &batch, json!({})).await, REFUSED, "insufficient_stock");
        needs(&plant, &order, &[("C", 0.5, 0, options(json!(null))), ("C", 0.5, 0, options(json!(1)))]).await;
        complete(&plant.operator, &batch, json!({})).await.expect(200);
        assert_eq!((lies(&plant, "A1").await, lies(&plant, "A2").await), (json!([]), json!([["P", 4]])), "two, and the one that was left");
        supervise(&plant, "JOB_RESET", json!({ "job_key": order.jobs[0] })).await.expect(200);
        assert_eq!(lies(&plant, "A1").await, json!([["C", 3]]));

        plant.admin.patch("/product/C", json!({ "allow_negative_inventory": true })).await.expect(200);
        needs(&plant, &order, &[("C", 1.0, 0, options(json!(null)))]).await;
        plant.shop.make(&plant.operator, &order.jobs[0]).await;
        assert_eq!(lies(&plant, "A1").await, json!([["C", -1]]), "below zero comes before the minimum");
    }

    async fn parts_leave_from_where_they_lie_and_units_come_in_one_by_one(site) {
        let plant = stocked(site).await;
        plant.product("D", json!({ "manage_inventory": true })).await;
        let members = json!({ "traceability_level": "complete", "counter_key": "units" });
        let order = order(&plant, "P", members, 1, 2.0).await;
        needs(&plant, &order, &[("D", 1.0, 0, json!({}))]).await;
        let part = received_unit(&plant, "D", "D-1", "A1").await;
        let other = received_unit(&plant, "D", "D-2", "A").await;
        let nowhere = plant.unit("D", "D-3").await;
        let batch = begin(&plant, &order.jobs[0]).await;
        let units = texts(&plant.get(&format!("/batch/{}/serials", text(&batch["_key"]))).await, "serial_key");
        let declare = async |child: &str| {
            let links = json!([
                { "child_serial_key": part, "parent_serial_key": units[0] }, { "child_serial_key": child, "parent_serial_key": units[1] },
            ]);
            plant.operator.put(&format!("/batch/{}/serial-temp-links", text(&batch["_key"])), links).await.expect(200);
        };
        declare(&nowhere).await;
        rule(complete(&plant.operator, &batch, json!({})).await, REFUSED, "serial_not_in_position");
        assert_eq!(lies(&plant, "A1").await, json!([["D", part]]), "nothing was moved");
        declare(&other).await;
        complete(&plant.operator, &batch, json!({})).await.expect(200);
        assert_eq!((lies(&plant, "A").await, lies(&plant, "A1").await), (json!([]), json!([])));
        assert_eq!(lies(&plant, "A2").await, json!([["P", units[0]], ["P", units[1]]]));
        assert_eq!(plant.state(&units[0]).await, "in_stock");
        assert_eq!(number(site, "select count(*) from serial_link where movement_key is not null").await, 2);

        // A part that is taken out goes back to where it lay.
        let pair = json!({ "child_serial_key": part, "parent_serial_key": units[0] });
        event(&plant.admin, "SERIAL_UNLINKED", pair).await.expect(200);
        assert_eq!(lies(&plant, "A1").await, json!([["D", part]]));
        supervise(&plant, "JOB_RESET", json!({ "job_key": order.jobs[0] })).await.expect(200);
        assert_eq!((lies(&plant, "A").await, lies(&plant, "A1").await), (json!([["D", other]]), json!([["D", part]])));
        assert_eq!(lies(&plant, "A2").await, json!([]));
    }

    async fn units_that_have_left_can_not_be_taken_back(site) {
        let plant = stocked(site).await;
        let members = json!({ "traceability_level": "form_only", "counter_key": "units" });
        let order = order(&plant, "P", members, 1, 2.0).await;
        let made = plant.shop.make(&plant.operator, &order.jobs[0]).await;
        let units: Vec<String> = made["released_serial_keys"].as_array().unwrap().iter().map(text).collect();
        let ship = json!({ "product_key": "P", "serial_key": units[0], "position_from": "A2" });
        moved(&plant, "shipment", ship).await;
        let before = site.count("event").await;
        let reset = supervise(&plant, "JOB_RESET", json!({ "job_key": order.jobs[0] })).await;
        assert_eq!(rule(reset, REFUSED, "serial_not_in_position")["serial_key"], units[0].as_str());
        assert_eq!((lies(&plant, "A2").await, site.count("event").await), (json!([["P", units[1]]]), before));
        assert_eq!(plant.shop.job(&order, 0).await["qt_completed"], 2);
    }

    async fn mandatory_positions_and_links_that_took_their_part(site) {
        let plant = stocked(site).await;
        plant.product("D", json!({ "manage_inventory": true })).await;
        let order = order(&plant, "P", json!({}), 1, 1.0).await;
        let fixed = json!({ "consumption_position_key": "A1", "consumption_position_mandatory": true });
        needs(&plant, &order, &[("D", 1.0, 0, fixed)]).await;
        let part = received_unit(&plant, "D", "D-1", "A").await;
        let batch = begin(&plant, &order.jobs[0]).await;
        let key = text(&batch["_key"]);
        let links = json!([{ "child_serial_key": part }]);
        plant.operator.put(&format!("/batch/{key}/serial-temp-links"), links).await.expect(200);
        rule(complete(&plant.operator, &batch, json!({})).await, REFUSED, "serial_not_in_position");
        let taken = json!({ "child_serial_key": part, "batch_key": key });
        event(&plant.admin, "SERIAL_LINKED", taken).await.expect(200);
        assert_eq!(lies(&plant, "A").await, json!([]), "a link takes it from where it lies");
        complete(&plant.operator, &batch, json!({})).await.expect(200);
        assert_eq!(number(site, "select count(*) from movement where type = 'consumption'").await, 1, "only once");
        supervise(&plant, "JOB_RESET", json!({ "job_key": order.jobs[0] })).await.expect(200);
        assert_eq!((lies(&plant, "A").await, lies(&plant, "A2").await), (json!([["D", part]]), json!([])));
    }

    async fn a_canceled_batch_brings_back_what_its_links_took(site) {
        let plant = stocked(site).await;
        plant.product("D", json!({ "manage_inventory": true })).await;
        let order = order(&plant, "P", json!({ "traceability_level": "form_only" }), 1, 1.0).await;
        let part = received_unit(&plant, "D", "D-1", "A1").await;
        let batch = begin(&plant, &order.jobs[0]).await;
        let units = texts(&plant.get(&format!("/batch/{}/serials", text(&batch["_key"]))).await, "serial_key");
        plant.link(&part, &units[0]).await.expect(200);
        assert_eq!(lies(&plant, "A1").await, json!([]));
        event(&plant.operator, "JOB_PAUSED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        supervise(&plant, "BATCH_CANCELED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        assert_eq!((lies(&plant, "A1").await, plant.state(&part).await.as_str()), (json!([["D", part]]), "in_stock"));
    }

    async fn nothing_moves_where_no_stock_is_kept(site) {
        let plant = stocked(site).await;
        components(&plant, &["C"]).await;
        plant.product("D", json!({ "manage_inventory": true })).await;
        plant.product("E", json!({})).await;
        let part = received_unit(&plant, "D", "D-1", "A1").await;
        plant.admin.patch("/config", json!({ "enable_inventory_management": false })).await.expect(200);
        let order = order(&plant, "P", json!({}), 1, 2.0).await;
        needs(&plant, &order, &[("C", 1.0, 0, json!({}))]).await;
        let batch = begin(&plant, &order.jobs[0]).await;
        let consumption = json!({ "consumption": [{ "component_key": "C", "position_key": "A1" }] });
        complete(&plant.operator, &batch, consumption).await.expect(200);
        let [unit] = plant.units("E", ["E-1"]).await;
        plant.link(&part, &unit).await.expect(200);
        assert_eq!((site.count("movement").await, lies(&plant, "A1").await), (1, json!([["D", part]])));
        supervise(&plant, "JOB_RESET", json!({ "job_key": order.jobs[0] })).await.expect(200);

        plant.admin.patch("/config", json!({ "enable_inventory_management": true })).await.expect(200);
        let bare = plant.unit("E", "E-2").await;
        plant.link(&bare, &unit).await.expect(200);
        assert_eq!(site.count("movement").await, 1, "no stock of E is kept");
        event(&plant.admin, "SERIAL_UNLINKED", json!({ "child_serial_key": part, "parent_serial_key": unit })).await.expect(200);
        event(&plant.admin, "SERIAL_SCRAPPED", json!({ "serial_key": part, "reason": "bent" })).await.expect(200);
        assert_eq!((site.count("movement").await, lies(&plant, "A1").await), (2, json!([])), "scrap leaves stock in any case");
    }

    async fn movements_are_taken_back_after_stock_is_no_longer_kept(site) {
        let plant = stocked(site).await;
        components(&plant, &["C"]).await;
        received(&plant, "C", 5.0, "A1").await;
        let order = order(&plant, "P", json!({}), 1, 2.0).await;
        needs(&plant, &order, &[("C", 1.0, 0, from("A1"))]).await;
        plant.shop.make(&plant.operator, &order.jobs[0]).await;
        assert_eq!(lies(&plant, "A1").await, json!([["C", 3]]));
        plant.admin.patch("/config", json!({ "enable_inventory_management": false })).await.expect(200);
        plant.admin.patch("/product/C", json!({ "manage_inventory": false })).await.expect(200);
        supervise(&plant, "JOB_RESET", json!({ "job_key": order.jobs[0] })).await.expect(200);
        assert_eq!((lies(&plant, "A1").await, lies(&plant, "A2").await), (json!([["C", 5]]), json!([])));
    }

    async fn a_serial_is_in_stock_in_the_own_warehouse_only(site) {
        let plant = stocked(site).await;
        make(&plant.admin, "CUSTOMER", "OUT").await;
        plant.product("D", json!({})).await;
        let [near, deep, far] = [
            received_unit(&plant, "D", "D-1", "IN").await,
            received_unit(&plant, "D", "D-2", "A1").await,
            received_unit(&plant, "D", "D-3", "CUSTOMER").await,
        ];
        for (serial, state) in [(&near, "in_stock"), (&deep, "in_stock"), (&far, "released")] {
            assert_eq!(plant.state(serial).await, state);
        }
        let chosen = async |query: &str| texts(&plant.get(&format!("/serial-selection?product_key=D{query}")).await, "_key");
        assert_eq!(chosen("").await, [near.clone(), deep.clone(), far.clone()]);
        assert_eq!(chosen("&inventory_only=true").await, [near.clone(), deep.clone()]);
        assert_eq!(chosen("&inventory_only=true&inventory_in_position_key=A1").await, std::slice::from_ref(&deep));
        assert!(chosen("&inventory_in_position_key=A").await.is_empty(), "in that very position");
        assert!(chosen("&inventory_in_position_key=CUSTOMER").await.is_empty());
        let found = async |state: &str| texts(&plant.get(&format!("/serial?product_key=D&state={state}&sort_by=code&sorting_order=asc")).await, "_key");
        assert_eq!((found("in_stock").await, found("released").await), (vec![near.clone(), deep], vec![far.clone()]));

        let unrelease = json!({ "serial_key": far, "unrelease": true });
        rule(event(&plant.admin, "SERIAL_UPDATED", unrelease).await, "SerialNotUpdatedError", "in_use");
        plant.admin.patch("/config", json!({ "allow_serial_delete": true })).await.expect(200);
        rule(event(&plant.admin, "SERIAL_DELETED", json!({ "serial_key": near })).await, "SerialNotDeletedError", "in_stock");
        let gone = json!({ "product_key": "D", "serial_key": near });
        moved(&plant, "shipment", gone).await;
        let hard = json!({ "serial_key": near, "soft": false });
        rule(event(&plant.admin, "SERIAL_DELETED", hard).await, "SerialNotDeletedError", "has_history");
        plant.delete(&near).await;
    }

    async fn a_cleared_output_position_is_found_anew(site) {
        let plant = stocked(site).await;
        let order = order(&plant, "P", json!({}), 1, 1.0).await;
        let path = format!("/work-order/{}", order.key);
        let set = async |position: Value| {
            plant.admin.patch(&path, json!({ "new_output_position_key": position })).await.detail()["output_position_key"].clone()
        };
        assert_eq!((set(json!("A1")).await, set(json!(null)).await), (json!("A1"), json!("A2")));
        plant.admin.patch("/product/P", json!({ "default_production_position_key": null })).await.expect(200);
        assert_eq!(set(json!(null)).await, "IN");
        plant.admin.patch("/config", json!({ "default_production_position": "A" })).await.expect(200);
        assert_eq!(set(json!(null)).await, "A");
        plant.admin.patch("/config", json!({ "default_production_position": "gone" })).await.expect(200);
        let refused = plant.admin.patch(&path, json!({ "new_output_position_key": null })).await;
        assert_eq!(refused.faults(), ["position_not_found body.new_output_position_key"]);
    }

    async fn where_a_position_that_is_gone_was_named_is_told(site) {
        let plant = stocked(site).await;
        let order = order(&plant, "P", json!({}), 1, 1.0).await;
        plant.admin.patch("/config", json!({ "default_production_position": "gone" })).await.expect(200);
        plant.admin.delete("/position/A2").await.expect(200);
        let path = format!("/work-order/{}", order.key);
        let told = async |sent: Option<&'static str>| {
            let mut new = json!({ "product_key": "P", "qt_planned": 1 });
            sent.into_iter().for_each(|position| new["output_position_key"] = json!(position));
            let new = plant.admin.post("/work-order", new).await;
            assert_eq!(new.faults(), ["position_not_found body.output_position_key"]);
            let changed = plant.admin.patch(&path, json!({ "new_output_position_key": sent })).await;
            assert_eq!(changed.faults(), ["position_not_found body.new_output_position_key"]);
            assert_eq!(new.body["detail"][0]["msg"], changed.body["detail"][0]["msg"]);
            text(&new.body["detail"][0]["msg"])
        };
        assert!(!told(Some("gone")).await.contains("default_production_position"), "it was sent");
        assert!(told(None).await.contains("product's default_production_position_key"));
        plant.admin.patch("/product/P", json!({ "default_production_position_key": null })).await.expect(200);
        assert!(told(None).await.contains("configuration entry default_production_position "));
    }
}
