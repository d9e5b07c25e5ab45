//! What the units of a batch contain is declared while it is worked on, and confirmed when it is completed.

use super::*;

/// Components `C1` to `C5`, and the units of an active batch of a first phase that makes three.
async fn begun(plant: &Plant) -> (Order, Value, Vec<String>, [String; 5]) {
    plant.product("C", json!({})).await;
    let components = plant.units("C", ["C1", "C2", "C3", "C4", "C5"]).await;
    let order = plant.traced("P", &all_at_once(2), 3.0).await;
    plant.needs(&order, &[("C", 1.0, 0)]).await;
    let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
    let units = plant.units_of(&started["batch_data"]).await;
    (order, started["batch_data"].clone(), units, components)
}

/// The units that a job shows as declared, by component.
async fn declared(plant: &Plant, job: &str) -> Value {
    plant.admin.get(&format!("/job/{job}")).await.detail()["wo_bom"][0]["declared_serials"].clone()
}

on_both_engines! {
    async fn a_refused_link_is_named_and_contradictions_are_refused(site) {
        let plant = plant(site).await;
        let (_, batch, units, [c1, c2, ..]) = begun(&plant).await;
        let put = async |links: Value| plant.declare(&plant.operator, &batch, links).await;
        let twice = rule(put(json!([pair(&c1, &units[0]), pair(&c1, &units[1])])).await, "SerialNotLinkedError", "already_used");
        assert_eq!(twice["index"], 1);
        let foreign = rule(put(json!([pair(&c1, &units[0]), pair(&c2, &c1)])).await, "SerialNotLinkedError", "no_parent");
        assert_eq!(foreign["index"], 1);
        let two = with(pair(&c1, &units[0]), json!({ "quantity": 2 }));
        assert_eq!(put(json!([two])).await.faults(), ["less_than_equal body.0.quantity"]);
        let torn = with(pair(&c1, &units[0]), json!({ "_from": format!("Serial/{}", units[1]), "_to": format!("Serial/{c1}") }));
        assert_eq!(put(json!([torn])).await.faults(), ["value_error body.0._from"]);
        let blank = json!({ "completed_batch_qt": 2, "scrap_serial_keys": [units[0]], "scrap_reason": "  " });
        assert_eq!(complete(&plant.operator, &batch, blank).await.faults(), ["string_pattern_mismatch body.scrap_reason"]);
        let unknown = json!({ "completed_batch_qt": 2, "scrap_serial_keys": ["nope"], "scrap_reason": "bent" });
        let unknown = refused(complete(&plant.operator, &batch, unknown).await, "ValueError");
        assert_eq!(unknown["message"], "A unit is not in the batch.");
    }

    async fn a_link_that_is_sent_again_is_checked_too(site) {
        let plant = plant(site).await;
        let (_, batch, units, [c1, ..]) = begun(&plant).await;
        let put = async |links: Value| plant.declare(&plant.operator, &batch, links).await;
        put(json!([pair(&c1, &units[0])])).await.expect(200);
        rule(put(json!([with(pair(&c1, &units[0]), json!({ "component_key": "P" }))])).await, "SerialNotLinkedError", "component");
        let other = json!({ "_from": "Batch/0000000000001", "batch_key": batch["_key"], "child_serial_key": c1 });
        put(json!([other])).await.expect(403);
        let absent = put(json!([pair("PCB-01", &units[0])])).await.expect(404);
        assert!(absent.text.contains("PCB-01"), "{}", absent.text);
        assert_eq!(plant.parts(&units[0]).await.len(), 1);
    }

    async fn the_temporary_links_of_a_batch_are_replaced_as_a_whole(site) {
        let plant = plant(site).await;
        let (order, batch, units, [c1, c2, c3, _, _]) = begun(&plant).await;
        let before = site.count("event").await;
        let links = plant.declare(&plant.operator, &batch, json!([
            pair(&c2, &units[1]),
            { "_from": format!("Serial/{}", units[0]), "_to": format!("Serial/{c1}"), "component_key": "C", "batch_key": batch["_key"], "confirmed": false },
        ])).await.detail();
        assert_eq!(links.as_array().unwrap().len(), 2, "in the order they were sent");
        for (link, (child, parent)) in links.as_array().unwrap().iter().zip([(&c2, &units[1]), (&c1, &units[0])]) {
            let expected = json!({
                "_id": format!("contains/{}", text(&link["_key"])), "_from": format!("Serial/{parent}"), "_to": format!("Serial/{child}"), "wo_key": order.key,
                "phase_key": batch["phase_key"], "job_key": order.jobs[0], "batch_key": batch["_key"], "component_key": "C", "quantity": 1, "confirmed": false,
                "replaced": false, "reason": null, "linked": null, "unlinked": null, "linked_by": null, "unlinked_by": null, "movement_key": null,
            });
            assert_eq!(without(link.clone(), &["_key", "_rev"]), expected);
            assert!(link["_rev"].is_string());
        }
        assert_eq!((plant.parts(&units[0]).await, plant.parts(&units[1]).await), (vec![(c1.clone(), false, false)], vec![(c2.clone(), false, false)]));
        assert_eq!((plant.state(&c1).await, plant.state(&c3).await), ("used".to_owned(), "released".to_owned()));

        let again = plant.declare(&plant.operator, &batch, json!([pair(&c1, &units[0]), pair(&c3, &units[0]), pair(&c2, &units[2])])).await.detail();
        assert_eq!(again[0]["_key"], links[1]["_key"], "what was there stays");
        assert_ne!(again[2]["_key"], links[0]["_key"], "it has another parent");
        assert_eq!(plant.parts(&units[0]).await.len(), 2);
        assert_eq!((plant.parts(&units[1]).await.len(), plant.parts(&units[2]).await), (0, vec![(c2.clone(), false, false)]));
        assert_eq!(site.count("serial_link").await, 3);
        assert_eq!(plant.declare(&plant.operator, &batch, json!([])).await.detail(), json!([]));
        assert_eq!((site.count("serial_link").await, plant.state(&c1).await), (0, "released".to_owned()));
        assert_eq!(site.count("event").await, before, "none of it is an event");
    }

    async fn links_that_do_not_fit_are_refused(site) {
        let plant = plant(site).await;
        let (_, batch, units, [c1, c2, c3, c4, c5]) = begun(&plant).await;
        plant.product("D", json!({})).await;
        let other = plant.traced("Q", &all_at_once(2), 1.0).await;
        let elsewhere = event(&plant.shop.o2, "JOB_STARTED", json!({ "job_key": other.jobs[0] })).await.detail()["batch_data"].clone();
        let busy = plant.units_of(&elsewhere).await;
        plant.link(&c2, &c3).await.expect(200);
        plant.scrap(&c4).await;
        let gone = plant.unit("C", "GONE").await;
        plant.delete(&gone).await;
        let kept = plant.declare(&plant.operator, &batch, json!([pair(&c1, &units[0])])).await.detail();
        let (before, links) = (site.count("event").await, site.count("serial_link").await);
        let to = |child: &str, members: Value| json!([with(pair(child, &units[0]), members)]);
        for (sent, name) in [
            (json!([pair(&c5, &c3)]), "no_parent"),
            (json!([pair(&c5, &busy[0])]), "no_parent"),
            (json!([pair(&c5, &units[0]), pair(&c5, &units[1])]), "already_used"),
            (json!([pair(&c5, &units[0]), pair(&c5, &units[0])]), "already_used"),
            (json!([pair(&c2, &units[0])]), "already_used"),
            (to(&c5, json!({ "component_key": "D" })), "component"),
            (json!([pair(&c5, &units[1]), pair(&c4, &units[0])]), "scrapped"),
            (json!([pair(&busy[0], &units[0])]), "in_production"),
            (json!([pair(&units[1], &units[0])]), "in_production"),
            (to(&c5, json!({ "parent_serial_key": null })), "traced_order"),
            (to(&c5, json!({ "parent_serial_key": "components" })), "traced_order"),
            (json!([{ "child_serial_key": c5 }]), "traced_order"),
        ] {
            rule(plant.declare(&plant.operator, &batch, sent).await, "SerialNotLinkedError", name);
        }
        let used = rule(plant.declare(&plant.operator, &batch, json!([pair(&c2, &units[0])])).await, "SerialNotLinkedError", "already_used");
        assert_eq!(used["parent_serial_key"], json!(c3));
        let used = rule(plant.declare(&plant.shop.o2, &elsewhere, json!([pair(&c1, &busy[0])])).await, "SerialNotLinkedError", "already_used");
        assert_eq!(used["parent_serial_key"], json!(units[0]), "a temporary link counts");
        for sent in [to(&c5, json!({ "confirmed": true })), to(&c5, json!({ "batch_key": elsewhere["_key"] }))] {
            plant.declare(&plant.operator, &batch, sent).await.expect(403);
        }
        for sent in [json!([pair("nobody", &units[0])]), json!([pair(&c5, "nobody")]), json!([pair(&gone, &units[0])])] {
            plant.declare(&plant.operator, &batch, sent).await.expect(404);
        }
        plant.declare(&plant.operator, &json!({ "_key": "nobody" }), json!([])).await.expect(404);
        for sent in [json!({}), json!([7]), json!([{ "parent_serial_key": units[0] }]), to(&c5, json!({ "more": 1 }))] {
            plant.declare(&plant.operator, &batch, sent).await.expect(422);
        }
        assert_eq!((site.count("event").await, site.count("serial_link").await), (before, links));
        assert_eq!(plant.get(&format!("/serial-children?serial_key={}", units[0])).await[0]["link_key"], kept[0]["_key"], "what was there is still there");
    }

    async fn only_who_works_on_the_batch_declares(site) {
        let plant = plant(site).await;
        let (order, batch, units, [c1, c2, ..]) = begun(&plant).await;
        let sent = |child: &str| json!([pair(child, &units[0])]);
        let foreign = refused(plant.declare(&plant.shop.o2, &batch, sent(&c1)).await, "NotSessionUserError");
        assert_eq!((&foreign["job_key"], &foreign["user_key"]), (&json!(order.jobs[0]), &json!(plant.operator.key)));
        let viewer = site.user("viewer", "viewer").await;
        let forbidden = plant.declare(&viewer, &batch, sent(&c1)).await.expect(403);
        assert_eq!(forbidden.body["detail"]["required_scope"], "traceability:event:create");
        plant.declare(&plant.shop.supervisor, &batch, sent(&c1)).await.expect(200);
        plant.declare(&plant.operator, &batch, sent(&c2)).await.expect(200);
        assert_eq!(plant.parts(&units[0]).await, [(c2, false, false)]);
        complete(&plant.operator, &batch, json!({})).await.expect(200);
        let over = refused(plant.declare(&plant.operator, &batch, sent(&c1)).await, "BatchNotActiveError");
        assert_eq!(over["batch_key"], batch["_key"]);
        refused(plant.declare(&plant.shop.supervisor, &batch, json!([])).await, "BatchNotActiveError");
    }

    async fn completion_confirms_what_was_declared(site) {
        let plant = plant(site).await;
        let (order, batch, units, [c1, c2, c3, c4, _]) = begun(&plant).await;
        assert_eq!(declared(&plant, &order.jobs[0]).await, json!([]));
        let sent = json!([pair(&c1, &units[0]), pair(&c2, &units[1]), pair(&c3, &units[2]), pair(&c4, &units[2])]);
        let links = plant.declare(&plant.operator, &batch, sent).await.detail();
        let shown = declared(&plant, &order.jobs[0]).await;
        assert_eq!(keys(&json!(each(&shown, "_key"))), sorted([&c1, &c2, &c3, &c4].map(Clone::clone)));
        let first = shown.as_array().unwrap().iter().find(|serial| serial["_key"] == c1.as_str()).unwrap();
        assert_eq!(*first, json!({
            "_key": c1, "code": "C1", "phase_key": batch["phase_key"], "component_key": "C", "parent_serial_key": units[0], "batch_key": batch["_key"],
            "link_key": links[0]["_key"],
        }));
        site.clock.advance_seconds(60);
        let scrap = json!({ "completed_batch_qt": 2, "scrap_serial_keys": [units[1]], "scrap_reason": "bent" });
        let done = complete(&plant.operator, &batch, scrap).await.detail();
        let kept = plant.event(&done).await;
        let linked = ["SERIAL_LINKED"; 4];
        assert_eq!(led_to(&kept), [
            &["SERIAL_UPDATED"; 3][..], &linked, &["WORK_SESSION_CLOSED", "SERIAL_SCRAPPED", "WIP_DECLARED", "JOB_CLOSED"],
        ].concat());
        for told in kept["children"].as_array().unwrap().iter().filter(|told| told["event_type"] == "SERIAL_LINKED") {
            let payload = &told["payload"];
            assert_eq!((&payload["process_inventory"], &told["batch_key"]), (&json!(false), &batch["_key"]));
            let (child, parent) = (text(&payload["child_serial_key"]), text(&payload["parent_serial_key"]));
            assert!(plant.parts(&parent).await.contains(&(child.clone(), true, false)), "{payload}");
            assert_eq!(plant.told(&child).await, ["SERIAL_CREATED", "SERIAL_LINKED"]);
        }
        for (unit, parts) in units.iter().zip([1, 1, 2]) {
            assert_eq!(plant.told(unit).await.iter().filter(|told| *told == "SERIAL_LINKED").count(), parts, "scrapped or not");
        }
        let part = plant.get(&format!("/serial-children?serial_key={}", units[0])).await[0].clone();
        assert_eq!((&part["link_key"], &part["linked"], &part["linked_by"]), (&links[0]["_key"], &json!(site.app().now()), &json!(plant.operator.key)));
        assert_eq!(declared(&plant, &order.jobs[0]).await, json!([]), "no batch is active");
        let listed = plant.get(&format!("/serial-batch?batch_key={}", text(&batch["_key"]))).await;
        assert_eq!(each(&listed, "_key"), units);
        let children: Vec<usize> = listed.as_array().unwrap().iter().map(|unit| unit["children"].as_array().unwrap().len()).collect();
        assert_eq!((children, each(&listed[0]["children"], "_key")), (vec![1, 1, 2], vec![c1]));
        books::audit(site).await;
    }

    async fn a_batch_that_is_not_traced_contains_its_components_itself(site) {
        let plant = plant(site).await;
        plant.product("C", json!({})).await;
        let [c1, c2, c3, c4] = plant.units("C", ["C1", "C2", "C3", "C4"]).await;
        let order = plant.shop.order("P", &all_at_once(2), 2.5).await;
        plant.needs(&order, &[("C", 1.0, 0)]).await;
        let batch = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail()["batch_data"].clone();
        rule(plant.declare(&plant.operator, &batch, json!([pair(&c1, &c4)])).await, "SerialNotLinkedError", "no_parent");
        let sent = json!([pair(&c1, "components"), { "parent_serial_key": null, "child_serial_key": c2 }, { "child_serial_key": c3 }]);
        let links = plant.declare(&plant.operator, &batch, sent).await.detail();
        let from = format!("Batch/{}", text(&batch["_key"]));
        assert_eq!(each(&links, "_from"), [from.clone(), from.clone(), from]);
        let inside = async || {
            let parts = plant.get(&format!("/component-batch?batch_key={}", text(&batch["_key"]))).await;
            parts.as_array().unwrap().iter().map(|part| (text(&part["_key"]), part["confirmed"] == true)).collect::<Vec<_>>()
        };
        assert_eq!(inside().await, [&c1, &c2, &c3].map(|part| (part.clone(), false)));
        let shown = declared(&plant, &order.jobs[0]).await;
        assert_eq!((shown.as_array().unwrap().len(), &shown[0]["parent_serial_key"], &shown[0]["batch_key"]), (3, &json!(null), &batch["_key"]));
        let done = complete(&plant.operator, &batch, json!({})).await.detail();
        let kept = plant.event(&done).await;
        assert_eq!(led_to(&kept), ["SERIAL_LINKED", "SERIAL_LINKED", "SERIAL_LINKED", "WORK_SESSION_CLOSED", "WIP_DECLARED", "JOB_CLOSED"]);
        assert_eq!(inside().await, [&c1, &c2, &c3].map(|part| (part.clone(), true)));
        let above = plant.get(&format!("/serial-parents?serial_key={c1}")).await;
        assert_eq!((&above[0]["type"], &above[0]["batch_key"]), (&json!("batch"), &batch["_key"]));
        assert_eq!(plant.get(&format!("/batch/{}/serials", text(&batch["_key"]))).await, json!([]), "they are no units of the batch");
        books::audit(site).await;
    }

    /// The lines of this phase and of those before it count together, rounded up.
    async fn a_fully_traced_unit_passes_with_all_its_components(site) {
        let plant = plant(site).await;
        plant.products(&["C", "D"]).await;
        plant.admin.post("/product", json!({ "_key": "S", "code": "S" })).await.expect(201);
        let [c1, c2, c3, c4] = plant.units("C", ["C1", "C2", "C3", "C4"]).await;
        let d = plant.unit("D", "D1").await;
        let product = json!({ "counter_key": "units", "traceability_level": "complete" });
        let order = plant.traced_as("P", product, &all_at_once(2), 2.0).await;
        plant.needs(&order, &[("C", 1.5, 0), ("C", 1.0, 1), ("D", 0.5, 1), ("S", 3.0, 0)]).await;
        let batch = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail()["batch_data"].clone();
        let units = plant.units_of(&batch).await;
        let missing = |answer: Answer| {
            let rows = refused(answer, "ComponentsMissingError")["missing"].clone();
            let row = |row: &Value| json!([row["serial_key"], row["component_key"], row["component_code"], row["required"], row["linked"]]);
            let mut rows: Vec<Value> = rows.as_array().unwrap().iter().map(row).collect();
            rows.sort_by_key(Value::to_string);
            rows
        };
        assert_eq!(missing(complete(&plant.operator, &batch, json!({})).await), [json!([units[0], "C", "C", 2, 0]), json!([units[1], "C", "C", 2, 0])]);
        plant.link(&c1, &units[0]).await.expect(200);
        plant.declare(&plant.operator, &batch, json!([pair(&c2, &units[0]), pair(&c3, &units[1])])).await.expect(200);
        assert_eq!(missing(complete(&plant.operator, &batch, json!({})).await), [json!([units[1], "C", "C", 2, 1])]);
        let scrap = json!({ "completed_batch_qt": 1, "scrap_serial_keys": [units[1]], "scrap_reason": "bent" });
        complete(&plant.operator, &batch, scrap).await.expect(200);

        let batch = plant.begin(&plant.shop.o2, &order.jobs[1]).await;
        let lacking = missing(complete(&plant.shop.o2, &batch, json!({})).await);
        assert_eq!(lacking, [json!([units[0], "C", "C", 3, 2]), json!([units[0], "D", "D", 1, 0])]);
        plant.declare(&plant.shop.o2, &batch, json!([pair(&c4, &units[0]), pair(&d, &units[0])])).await.expect(200);
        complete(&plant.shop.o2, &batch, json!({})).await.expect(200);
        assert_eq!((plant.state(&units[0]).await, plant.parts(&units[0]).await.len()), ("released".to_owned(), 4));
    }

    async fn a_unit_traced_by_its_forms_passes_without_components(site) {
        let plant = plant(site).await;
        let (_, batch, units, [c1, ..]) = begun(&plant).await;
        plant.declare(&plant.operator, &batch, json!([pair(&c1, &units[0])])).await.expect(200);
        let done = complete(&plant.operator, &batch, json!({})).await.detail();
        assert_eq!(done["completed_batch"]["qt_pass"], 3);
    }
}
