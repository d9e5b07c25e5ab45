//! Scenarios 9 to 11, 17 and 18 of production, on what scenarios 1, 2 and 7 set up.

use super::*;
use crate::journal::{place_of, tamper, verify};

/// The first order of P-100 with its phases Prep, Build and Test, in which C-2 is built in and C-1 is used up.
struct Works {
    plant: Plant,
    order: Order,
    /// Clean and Torque, the steps of Prep.
    steps: Value,
}

async fn works(site: &Site) -> Works {
    let plant = plant(site).await;
    let admin = &plant.admin;
    let operation = admin.post("/operation", json!({ "name": "Assembly" })).await.detail()["_key"].clone();
    let counter = json!({ "_key": "p", "name": "P", "template": ["P-", "#4"] });
    admin.post("/counter", counter).await.expect(200);
    admin.post("/field", json!({ "_key": "torque", "name": "Torque", "type": "number" })).await.expect(200);
    plant.product("P-100", json!({ "traceability_level": "complete", "counter_key": "p" })).await;
    admin.post("/product", json!({ "_key": "C-1", "code": "C-1" })).await.expect(201);
    plant.product("C-2", json!({})).await;
    let form = json!([{ "_key": "nm", "custom_field_key": "torque", "mandatory": true }]);
    let phase = |alias: &str, params: Value, steps: Value| json!({ "alias": alias, "operation_key": operation, "params": params, "steps": steps });
    let steps = json!([{ "title": "Clean" }, { "title": "Torque", "type": "form", "form_fields": form }]);
    let in_order = json!({ "production_batch_qt": 2, "step_check": true, "step_check_force_order": true });
    let process = json!([
        phase("Prep", in_order, steps),
        phase("Build", json!({}), json!([])),
        phase("Test", json!({ "production_batch_qt": 0 }), json!([])),
    ]);
    let process = admin.put("/product/P-100/process", process).await.expect(200).body;
    let build = &process[1]["_key"];
    let lines =
        json!([{ "component_code": "C-2", "qt": 1, "phase_key": build }, { "component_code": "C-1", "qt": 2.5 }]);
    admin.put("/product/P-100/bom", lines).await.expect(200);
    let made = admin.post("/work-order", json!({ "product_key": "P-100", "qt_planned": 4 })).await.detail();
    let order = Order { key: text(&made["work_order"]["_key"]), jobs: each(&made["jobs"], "_key") };
    Works { plant, order, steps: made["jobs"][0]["step_sequence"].clone() }
}

impl Works {
    fn shop(&self) -> &Shop {
        &self.plant.shop
    }

    /// Completes a step of Prep.
    async fn step(&self, batch: &Value, place: usize, form_data: Value) -> Answer {
        let sent = json!({ "batch_key": batch["_key"], "step_key": self.steps[place]["_key"], "form_data": form_data });
        event(&self.shop().o1, "STEP_COMPLETED", sent).await
    }

    /// Both steps of a batch of Prep; what was answered last.
    async fn both(&self, batch: &Value) -> Value {
        self.step(batch, 0, json!([])).await.expect(200);
        self.step(batch, 1, torque()).await.detail()
    }

    /// The unit of P-100 with this code.
    async fn coded(&self, code: &str) -> Value {
        self.plant.get(&format!("/serial-code?serial_code={code}&product_key=P-100")).await[0].clone()
    }

    /// Scenario 9 as far as units are made: four of them wait in front of Build.
    async fn prepare(&self) -> Vec<String> {
        let started = event(&self.shop().o1, "JOB_STARTED", json!({ "job_key": self.order.jobs[0] })).await.detail();
        let next = self.both(&started["batch_data"]).await;
        self.both(&next["batch_data"]).await;
        self.plant.waiting(&self.order.jobs[1]).await
    }

    /// Scenario 10 as far as units are built: four of them wait in front of Test.
    async fn build(&self) {
        let units = self.prepare().await;
        let parts = self.plant.units("C-2", ["C2-1", "C2-2", "C2-3", "C2-4"]).await;
        let batch = self.plant.begin(&self.shop().o2, &self.order.jobs[1]).await;
        let links: Vec<Value> = parts.iter().zip(&units).map(|(part, unit)| pair(part, unit)).collect();
        self.plant.declare(&self.shop().o2, &batch, json!(links)).await.expect(200);
        complete(&self.shop().o2, &batch, json!({})).await.expect(200);
    }
}

/// What is entered at the step Torque.
fn torque() -> Value {
    json!([{ "form_field_key": "nm", "value": 5.5 }])
}

on_both_engines! {
    async fn units_are_made_step_by_step(site) {
        let works = works(site).await;
        let (plant, shop, jobs) = (&works.plant, works.shop(), &works.order.jobs);
        let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": jobs[0] })).await.detail();
        let batch = &started["batch_data"];
        let units = plant.units_of(batch).await;
        assert_eq!((&batch["qt_total"], plant.codes(&units).await), (&json!(2), json!([null, null])));
        assert_eq!((plant.state(&units[0]).await, &shop.read(&works.order).await["status"]), ("uncoded".to_owned(), &json!("started")));
        refused(event(&shop.o2, "JOB_PAUSED", json!({ "job_key": jobs[0] })).await, "NotSessionUserError");
        let lacking = refused(start(&shop.o2, &jobs[1], json!([units[0]])).await, "WipNotAvailableError");
        assert_eq!((&lacking["direction"], &lacking["requested"], &lacking["available"]), (&json!("upstream"), &json!(1), &json!(0)));
        assert_eq!(lacking["serial_keys"], json!([units[0]]));

        refused(works.step(batch, 1, torque()).await, "StepOrderError");
        works.step(batch, 0, json!([])).await.expect(200);
        refused(works.step(batch, 1, json!([])).await, "FormFieldValueError");
        let last = works.step(batch, 1, torque()).await.detail();
        assert_eq!(led_to(&plant.event(&last).await), ["BATCH_COMPLETED"]);
        for (unit, code) in units.iter().zip(["P-0001", "P-0002"]) {
            let shown = works.coded(code).await;
            assert_eq!((&shown["_key"], &entry(&shown, "nm")["value"]), (&json!(unit), &json!(5.5)));
        }
        assert_eq!((shop.free(&jobs[1]).await, &last["batch_data"]["qt_total"]), (json!([2, 0]), &json!(2)));
        let last = works.both(&last["batch_data"]).await;
        assert_eq!(state(&last["job_data"]), json!(["closed", false, 4, 0, "quantity"]));
        assert_eq!(plant.codes(&plant.waiting(&jobs[1]).await).await, json!(["P-0001", "P-0002", "P-0003", "P-0004"]));
        books::audit(site).await;
    }

    async fn components_are_built_in_before_units_go_on(site) {
        let works = works(site).await;
        let (plant, shop, jobs) = (&works.plant, works.shop(), &works.order.jobs);
        let units = works.prepare().await;
        let parts = plant.units("C-2", ["C2-1", "C2-2", "C2-3", "C2-4"]).await;
        let batch = plant.begin(&shop.o2, &jobs[1]).await;
        assert_eq!(batch["qt_total"], 4);
        let missing = refused(complete(&shop.o2, &batch, json!({})).await, "ComponentsMissingError")["missing"].clone();
        assert_eq!(sorted(each(&missing, "serial_key")), sorted(units.clone()));
        for row in missing.as_array().unwrap() {
            assert_eq!((&row["component_code"], &row["required"], &row["linked"]), (&json!("C-2"), &json!(1), &json!(0)));
        }
        let links: Vec<Value> = parts.iter().zip(&units).map(|(part, unit)| pair(part, unit)).collect();
        plant.declare(&shop.o2, &batch, json!(links)).await.expect(200);
        let done = complete(&shop.o2, &batch, json!({})).await.detail();
        let told = [&["SERIAL_LINKED"; 4][..], &["WORK_SESSION_CLOSED", "WIP_REMOVED", "WIP_DECLARED", "JOB_CLOSED"]].concat();
        assert_eq!(led_to(&plant.event(&done).await), told);
        let children = plant.get(&format!("/serial-children?serial_key={}", text(&works.coded("P-0001").await["_key"]))).await;
        assert_eq!((each(&children, "product_code"), &children[0]["confirmed"]), (vec!["C-2".to_owned()], &json!(true)));

        let batch = plant.begin(&shop.o2, &jobs[2]).await;
        let used = plant.declare(&shop.o2, &batch, json!([pair(&parts[0], &units[1])])).await;
        let used = rule(used, "SerialNotLinkedError", "already_used");
        assert_eq!(used["parent_serial_key"], json!(units[0]));
        books::audit(site).await;
    }

    async fn what_is_scrapped_in_the_end_is_not_released(site) {
        let works = works(site).await;
        let (plant, shop, order) = (&works.plant, works.shop(), &works.order);
        works.build().await;
        let batch = plant.begin(&shop.o2, &order.jobs[2]).await;
        let units = plant.units_of(&batch).await;
        let scrap = json!({ "completed_batch_qt": 3, "scrap_qt": 1, "scrap_serial_keys": [units[3]] });
        complete(&shop.o2, &batch, scrap.clone()).await.expect(422);
        let short = refused(complete(&shop.o2, &batch, json!({ "completed_batch_qt": 3, "scrap_qt": 0 })).await, "QuantityMismatchError");
        assert_eq!((&short["expected"], &short["given"]), (&json!(4), &json!(3)));
        let done = complete(&shop.o2, &batch, with(scrap, json!({ "scrap_reason": "leaks" }))).await.detail();
        assert_eq!((keys(&done["released_serial_keys"]), &done["scrapped_serial_keys"]), (sorted(units[..3].to_vec()), &json!([units[3]])));
        assert_eq!(led_to(&plant.event(&done).await), [
            "WORK_SESSION_CLOSED", "WIP_REMOVED", "SERIAL_SCRAPPED", "SERIAL_RELEASED", "BATCH_RELEASED", "JOB_CLOSED", "WORK_ORDER_CLOSED",
        ]);
        for (code, state) in [("P-0001", "released"), ("P-0002", "released"), ("P-0003", "released"), ("P-0004", "scrapped")] {
            assert_eq!(works.coded(code).await["state"], state, "{code}");
        }
        let read = shop.read(order).await;
        assert_eq!((&read["status"], &read["qt_completed"], &read["qt_scrap"]), (&json!("closed"), &json!(3), &json!(1)));
        assert_eq!(plant.admin.get("/queue/site/0").await.detail(), json!([]), "it is out of the queue");
        let stats = plant.get("/product/P-100/stats").await;
        assert_eq!((&stats["units_made"], &stats["units_scrapped"], &stats["serials_released"]), (&json!(3), &json!(1), &json!(3)));
        let test = stats["phases"].as_array().unwrap().iter().find(|phase| phase["alias"] == "Test").unwrap();
        assert_eq!(test["first_pass_yield"], json!(0.75));
        books::audit(site).await;
    }

    async fn rows_of_a_bulk_are_all_made_or_none(site) {
        let works = works(site).await;
        let plant = &works.plant;
        plant.unit("C-2", "USED").await;
        let codes: Vec<String> = (0..1_000).map(|number| format!("N-{number:04}")).collect();
        let mut rows: Vec<Value> = codes.iter().map(|code| json!({ "product_key": "C-2", "code": code })).collect();
        rows[500]["code"] = json!("used");
        rows[700] = json!({ "code": "x" });
        let bulk = |rows: &[Value]| json!({ "shared_data": { "event_type": "SERIAL_CREATED" }, "events": rows });
        let before = (site.count("serial").await, site.count("event").await);
        let told = refused(plant.operator.post("/event/bulk", bulk(&rows)).await, "BulkRejected");
        let errors = told["errors"].as_array().unwrap();
        let shown: Vec<Value> = errors.iter().map(|error| json!([error["index"], error["error_type"]])).collect();
        assert_eq!(shown, [json!([500, "SerialCodeAlreadyPresent"]), json!([700, "ValidationError"])]);
        assert_eq!((site.count("serial").await, site.count("event").await), before);
        rows.remove(700);
        rows.remove(500);
        assert_eq!(plant.operator.post("/event/bulk", bulk(&rows)).await.detail()["event_count"], 998);
        assert_eq!((site.count("serial").await, site.count("event").await), (before.0 + 998, before.1 + 998));
        let newest = plant.get("/event?type=SERIAL_CREATED&product_key=C-2&limit=10").await;
        let sent: Vec<String> = newest.as_array().unwrap().iter().map(|event| text(&event["payload"]["code"])).collect();
        assert_eq!(sent, codes[990..].iter().rev().cloned().collect::<Vec<_>>());
        let none = format!("/event?type=SERIAL_CREATED&product_key=C-2&limit=10&job_key={}", works.order.jobs[0]);
        assert_eq!(plant.get(&none).await, json!([]), "filters combine");
        // A row sees those before it.
        let twice = [json!({ "product_key": "C-2", "code": "new" }), json!({ "product_key": "C-2", "code": "NEW" })];
        let told = refused(plant.operator.post("/event/bulk", bulk(&twice)).await, "BulkRejected");
        assert_eq!((&told["failed"], &told["errors"][0]["index"]), (&json!(1), &json!(1)));
    }

    async fn the_seal_tells_of_what_was_removed_and_what_was_changed(site) {
        let works = works(site).await;
        let (admin, order) = (&works.plant.admin, &works.order);
        works.build().await;
        let unit = works.coded("P-0001").await;
        let batch = text(&entry(&unit, "nm")["batch_key"]);
        let second = admin.post("/work-order", json!({ "product_key": "P-100", "qt_planned": 4 })).await.detail();
        let second = text(&second["work_order"]["_key"]);
        site.sealed().await;
        let sealed = verify(admin, "").await;
        assert_eq!((&sealed["ok"], &sealed["unsealed"], &sealed["events_removed"]), (&json!(true), &json!(0), &json!(0)));

        admin.delete(&format!("/force-delete-work-order/{}", order.key)).await.expect(200);
        for path in [format!("/job/{}", order.jobs[0]), format!("/batch/{batch}"), format!("/work-order/{}", order.key)] {
            admin.get(&path).await.expect(404);
        }
        assert_eq!(works.plant.get(&format!("/event?work_order_key={}", order.key)).await, json!([]));
        let left = works.coded("P-0001").await;
        assert_eq!((&left["_key"], &left["wo_key"]), (&unit["_key"], &json!(null)));
        let seals = works.plant.get("/event/seal").await;
        let removal = seals.as_array().unwrap().last().unwrap();
        assert_eq!((&removal["kind"], &removal["reason"]), (&json!("removal"), &json!("force_delete_work_order")));
        let sealed = verify(admin, "").await;
        assert_eq!(sealed["ok"], true);
        assert!(sealed["events_removed"].as_i64().unwrap() > 0);

        let stored = works.plant.get(&format!("/event?type=WORK_ORDER_CREATED&work_order_key={second}")).await;
        let seq = stored[0]["seq"].as_i64().unwrap();
        tamper(site, "update event set description = 'x' where seq = $1", vec![seq.into()]).await;
        let (_, place, kind) = place_of(&verify(admin, "").await);
        assert_eq!((place, kind), (json!(seq), json!("event_changed")));
        tamper(site, "update event set description = null where seq = $1", vec![seq.into()]).await;
        assert_eq!(verify(admin, "").await["ok"], true);
        tamper(site, "delete from event where seq = $1", vec![seq.into()]).await;
        let (_, place, kind) = place_of(&verify(admin, "").await);
        assert_eq!((place, kind), (json!(seq), json!("event_missing")));
    }
}
