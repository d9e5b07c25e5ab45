//! What the records of units lack, and that a site can refuse to release them without it.

use super::*;
use crate::production::complete;

impl Plant {
    /// Has the site ask for evidence.
    async fn ask_for_evidence(&self) {
        self.admin.patch("/config", json!({ "block_release_on_missing_evidence": true })).await.expect(200);
    }

    /// A unit that is not released, with these members.
    async fn raw(&self, product: &str, code: &str, members: Value) -> String {
        let mut sent = json!({ "product_key": product, "code": code, "released": null });
        sent.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        self.made(sent).await
    }

    async fn release(&self, serial: &str) -> Answer {
        event(&self.operator, "SERIAL_RELEASED", json!({ "serial_key": serial })).await
    }

    /// What a unit lacks for its release.
    async fn lacks(&self, serial: &str) -> Value {
        let detail = rule(self.release(serial).await, "SerialNotReleasedError", "missing_evidence");
        assert_eq!(detail["serials"], json!(null), "it is the only one");
        lacking(&detail)
    }

    /// Sets the value of a form's field.
    async fn set(&self, serial: &str, field: &str, value: Value) {
        let data = json!([{ "form_field_key": field, "value": value }]);
        event(&self.operator, "SERIAL_UPDATED", json!({ "serial_key": serial, "serial_data": data })).await.expect(200);
    }

    /// Stores a file of a unit.
    async fn store(&self, serial: &str, field: &str, name: &str, bytes: &[u8]) {
        let fields = [("bucket", "serial"), ("object_key", serial), ("subfolder", field)];
        self.operator.upload(Method::POST, "/files", &fields, &[("contents", name, bytes)]).await.expect(200);
    }
}

/// What is missing, without the texts for people.
#[track_caller]
fn lacking(detail: &Value) -> Value {
    let mut missing = detail["missing_evidence"].clone();
    for one in missing.as_array_mut().unwrap() {
        let message = one.as_object_mut().unwrap().remove("message").unwrap();
        assert!(text(&message).ends_with('.'), "{message}");
    }
    missing
}

/// A mandatory value that is still empty.
fn weight() -> Value {
    json!({ "data": [{ "form_field_key": "w", "custom_field_key": "weight", "value": null, "mandatory": true }] })
}

on_both_engines! {
    async fn nobody_has_to_have_evidence_unless_the_site_asks_for_it(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("P", json!({})).await;
        let unit = plant.raw("P", "U", weight()).await;
        plant.release(&unit).await.expect(200);
        plant.admin.patch("/config", json!({ "block_release_on_missing_evidence": false })).await.expect(200);
        let unit = plant.raw("P", "V", weight()).await;
        plant.release(&unit).await.expect(200);
    }

    async fn mandatory_values_have_to_be_filled(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("P", json!({})).await;
        plant.ask_for_evidence().await;
        let entry = |field: &str, custom: &str, value: Value, mandatory: bool| {
            json!({ "form_field_key": field, "custom_field_key": custom, "value": value, "mandatory": mandatory })
        };
        let mut labelled = entry("ok", "passed", json!(false), true);
        labelled["label"] = json!("Tested");
        let data = json!([entry("w", "weight", json!(null), true), labelled, entry("c", "colour", json!(null), false)]);
        let unit = plant.raw("P", "U", json!({ "data": data })).await;
        let missing = |field: &str, label: &str| {
            json!({ "kind": "form_value_missing", "serial_key": unit, "form_field_key": field, "label": label, "phase_key": null })
        };
        assert_eq!(plant.lacks(&unit).await, json!([missing("w", "weight"), missing("ok", "Tested")]));
        plant.set(&unit, "w", json!(0)).await;
        assert_eq!(plant.lacks(&unit).await, json!([missing("ok", "Tested")]));
        assert_eq!(plant.state(&unit).await, "wip");
        plant.set(&unit, "ok", json!(true)).await;
        plant.release(&unit).await.expect(200);
    }

    async fn components_are_missing_at_any_depth(site) {
        let plant = plant(site).await;
        plant.products(&["B", "T"]).await;
        plant.product("A", json!({ "traceability_level": "complete" })).await;
        plant.bom("A", &[("B", 2.0)]).await;
        plant.bom("T", &[("A", 3.0)]).await;
        plant.ask_for_evidence().await;
        let [a, b1, b2] = [plant.unit("A", "A").await, plant.unit("B", "B1").await, plant.unit("B", "B2").await];
        let top = plant.raw("T", "T", json!({})).await;
        plant.link(&b1, &a).await.expect(200);
        plant.link(&a, &top).await.expect(200);
        let missing = |quantity: u64| {
            json!([{ "kind": "component_missing", "serial_key": top, "parent_serial_key": a, "product_key": "B", "product_code": "B", "quantity": quantity }])
        };
        assert_eq!(plant.lacks(&top).await, missing(1), "of the top unit itself nothing has to be traced");
        unlink(&plant.admin, &b1, &a, json!({})).await.expect(200);
        assert_eq!(plant.lacks(&top).await, missing(2), "what was taken out does not count");
        for child in [&b1, &b2] {
            plant.link(child, &a).await.expect(200);
        }
        plant.release(&top).await.expect(200);
    }

    async fn the_order_says_what_has_to_be_traced(site) {
        let plant = plant(site).await;
        plant.products(&["B"]).await;
        let order = plant.order("P", None, &[("B", 2.0)]).await;
        plant.admin.patch("/product/P", json!({ "traceability_level": "complete" })).await.expect(200);
        plant.ask_for_evidence().await;
        let of_order = plant.raw("P", "ORDER", json!({ "wo_key": order.key })).await;
        plant.release(&of_order).await.expect(200);
        plant.bom("P", &[("B", 0.5)]).await;
        let of_product = plant.raw("P", "PRODUCT", json!({})).await;
        assert_eq!(plant.lacks(&of_product).await[0]["quantity"], 1);
    }

    async fn steps_of_the_order_have_to_be_done(site) {
        let plant = plant(site).await;
        let steps = json!([{ "title": "Look" }, { "title": "Listen" }]);
        let phases = [json!({ "production_batch_qt": 0, "step_check": true, "steps": steps })];
        let product = json!({ "traceability_level": "form_only", "counter_key": "units" });
        let order = plant.shop.order_of("P", product, &phases, 1.0).await;
        plant.ask_for_evidence().await;
        let job = plant.shop.job(&order, 0).await;
        let found = plant.raw("P", "FOUND", json!({ "wo_key": order.key })).await;
        let missing = |place: usize| {
            let step = &job["step_sequence"][place];
            json!({
                "kind": "step_not_done", "serial_key": found, "phase_key": job["phase_key"], "phase_alias": "Phase 0",
                "step_key": step["_key"], "step_title": step["title"]
            })
        };
        assert_eq!(plant.lacks(&found).await, json!([missing(0), missing(1)]));

        // A unit that went through the steps has their records.
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = &started["batch_data"]["_key"];
        let mut done = Value::Null;
        for step in job["step_sequence"].as_array().unwrap() {
            let sent = json!({ "batch_key": batch, "step_key": step["_key"], "critical": true });
            done = event(&plant.operator, "STEP_COMPLETED", sent).await.detail();
        }
        let made = text(&done["released_serial_keys"][0]);
        assert_eq!(plant.state(&made).await, "released");
    }

    async fn files_have_to_be_there_as_they_were(site) {
        let plant = plant(site).await;
        plant.admin.post("/field", json!({ "_key": "photo", "name": "Photo", "type": "files" })).await.expect(200);
        plant.product("P", json!({})).await;
        plant.ask_for_evidence().await;
        let value = json!([{ "name": "a.txt", "size": 5 }]);
        let data = json!([{ "form_field_key": "doc", "custom_field_key": "photo", "value": value }]);
        let unit = plant.raw("P", "U", json!({ "data": data })).await;
        let missing = |kind: &str| json!([{ "kind": kind, "serial_key": unit, "form_field_key": "doc", "name": "a.txt" }]);
        assert_eq!(plant.lacks(&unit).await, missing("file_missing"));
        plant.store(&unit, "other", "a.txt", b"first").await;
        assert_eq!(plant.lacks(&unit).await, missing("file_missing"), "it is in another folder");
        plant.store(&unit, "doc", "a.txt", b"first").await;
        plant.set(&unit, "doc", value.clone()).await;
        plant.store(&unit, "doc", "a.txt", b"other").await;
        assert_eq!(plant.lacks(&unit).await, missing("file_changed"));
        plant.set(&unit, "doc", value).await;
        plant.release(&unit).await.expect(200);
    }

    async fn a_release_gives_the_code_that_is_missing(site) {
        let plant = plant(site).await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        plant.ask_for_evidence().await;
        let unit = plant.made(json!({ "product_key": "P", "released": null })).await;
        assert_eq!(plant.release(&unit).await.detail()["serials"], json!([{ "serial_key": unit, "code": "SN-00001" }]));
    }

    async fn many_units_are_released_together_or_not_at_all(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("P", json!({})).await;
        plant.ask_for_evidence().await;
        let (ready, lacks) = (plant.raw("P", "READY", json!({})).await, plant.raw("P", "LACKS", weight()).await);
        let released = plant.unit("P", "RELEASED").await;
        let sent = json!({ "serial_keys": [released, ready, lacks] });
        let detail = rule(event(&plant.operator, "SERIAL_RELEASED", sent).await, "SerialNotReleasedError", "already_released");
        let faults = json!([{ "serial_key": released, "rule": "already_released" }, { "serial_key": lacks, "rule": "missing_evidence" }]);
        assert_eq!(detail["serials"], faults);
        assert_eq!(each(&detail["missing_evidence"], "serial_key"), std::slice::from_ref(&lacks));
        assert_eq!((plant.state(&ready).await, plant.state(&lacks).await), ("wip".to_owned(), "wip".to_owned()));
    }

    async fn of_many_units_the_first_thousand_are_told(site) {
        let plant = plant(site).await;
        plant.fields().await;
        plant.product("P", json!({ "counter_key": "units" })).await;
        plant.ask_for_evidence().await;
        let mut sent = json!({ "product_key": "P", "count": 1_100, "released": null });
        sent["data"] = weight()["data"].clone();
        let keys = each(&create(&plant.admin, sent).await.detail()["serials"], "serial_key");
        let release = event(&plant.operator, "SERIAL_RELEASED", json!({ "serial_keys": keys }));
        let (statements, answer) = site.statements(release).await;
        let detail = rule(answer, "SerialNotReleasedError", "missing_evidence");
        assert_eq!(each(&detail["serials"], "serial_key"), keys[..1_000]);
        assert_eq!(each(&detail["missing_evidence"], "serial_key"), keys[..1_000]);
        assert!(statements < 60, "it took {statements} statements");
    }

    /// Units are released by the last phase: the whole batch waits for their evidence.
    async fn a_batch_is_not_completed_without_the_evidence_of_its_units(site) {
        let plant = plant(site).await;
        plant.admin.post("/field", json!({ "_key": "photo", "name": "Photo", "type": "files" })).await.expect(200);
        let form = json!([{ "_key": "pic", "custom_field_key": "photo" }]);
        let steps = json!([{ "title": "Look", "type": "form", "form_fields": form }, { "title": "Listen" }]);
        let product = json!({ "traceability_level": "form_only", "counter_key": "units" });
        let order = plant.shop.order_of("P", product, &[json!({ "production_batch_qt": 0, "steps": steps })], 2.0).await;
        plant.ask_for_evidence().await;
        let step = text(&plant.shop.job(&order, 0).await["step_sequence"][0]["_key"]);
        let started = event(&plant.operator, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let batch = &started["batch_data"];
        let key = text(&batch["_key"]);
        let value = json!([{ "name": "a.txt", "size": 4 }]);
        let data = json!([{ "step_key": step, "form_data": [{ "form_field_key": "pic", "value": value }] }]);
        let events = site.count("event").await;
        let detail = rule(complete(&plant.operator, batch, json!({ "step_data": data })).await, "SerialNotReleasedError", "missing_evidence");
        let mut units = each(&plant.get(&format!("/batch/{key}/serials")).await, "serial_key");
        units.sort_unstable();
        let missing: Vec<Value> = units
            .iter()
            .map(|unit| json!({ "kind": "file_missing", "serial_key": unit, "form_field_key": "pic", "name": "a.txt" }))
            .collect();
        assert_eq!(lacking(&detail), json!(missing));
        assert_eq!(each(&detail["serials"], "rule"), ["missing_evidence", "missing_evidence"]);
        assert_eq!(site.count("event").await, events);
        assert_eq!(plant.get(&format!("/job/{}", order.jobs[0])).await["detail"]["active"], true);

        let subfolder = format!("{key}/{step}/photo/pic");
        let fields = [("bucket", "traceability"), ("object_key", order.key.as_str()), ("subfolder", subfolder.as_str())];
        plant.operator.upload(Method::POST, "/files", &fields, &[("contents", "a.txt", b"seen")]).await.expect(200);
        let done = complete(&plant.operator, batch, json!({ "step_data": data })).await.detail();
        assert_eq!(done["released_serial_keys"].as_array().unwrap().len(), 2, "a completed batch does for steps that nobody confirms");
    }
}
