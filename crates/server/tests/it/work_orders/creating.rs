//! Scenario 7 for products that are not traced, and what is refused.

use super::*;

on_both_engines! {
    async fn an_order_copies_what_it_is_made_by(site) {
        let planner = planner(site).await;
        product(&planner, "P-100", json!({ "description": "Pump" })).await;
        product(&planner, "C-1", json!({ "cost": { "average": 0.333333 } })).await;
        product(&planner, "C-2", json!({ "cost": { "average": 4 } })).await;
        planner.post("/field", json!({ "_key": "torque", "name": "Torque", "type": "number" })).await.expect(200);
        let picture = planner.upload(Method::POST, "/media/create", &[], &[("file", "a.png", b"1")]).await.detail();
        let steps = json!([
            { "title": "Clean", "media": [key(&picture)] },
            { "title": "Torque", "type": "form", "form_fields": [{ "_key": "t", "custom_field_key": "torque", "mandatory": true, "label": "Nm" }] },
        ]);
        let phases = process(&planner, "P-100", json!([phase("Prep", steps), phase("Build", json!([])), phase("Test", json!([]))])).await;
        planner.upload(Method::POST, "/product/P-100/doc", &[], &[("new_doc", "plan.pdf", b"12345")]).await.expect(200);
        let bom = json!([{ "component_key": "C-2", "qt": 1, "phase_key": phases[1] }, { "component_key": "C-1", "qt": 2.5 }]);
        planner.put("/product/P-100/bom", bom.clone()).await.expect(200);
        planner.put("/product/P-100/bom", bom).await.expect(200);
        let before = planner.get("/product/P-100/process").await.body;

        let body = json!({
            "product_code": " P-100 ", "qt_planned": 4, "priority": true, "project_code": "Alpha", "notes": "n", "start_from": "2026-03-02",
            "due_by": "2026-03-31", "extra": { "n": 1.50 }, "status": "closed",
        });
        let made = order(&planner, body).await.detail();
        let (first, jobs) = (&made["work_order"], made["jobs"].as_array().unwrap());
        assert_eq!(first["wo_code"], "26000001", "from the counter");
        assert_eq!((&first["status"], &first["bom_version"], &first["priority"], &first["progress"]), (&json!("created"), &json!(2), &json!(true), &json!(0)));
        assert_eq!((&first["product_key"], &first["product_code"], &first["product_description"]), (&json!("P-100"), &json!("P-100"), &json!("Pump")));
        assert_eq!((&first["start_from"], &first["due_by"]), (&json!("2026-03-02T00:00:00.000Z"), &json!("2026-03-31T23:59:59.999Z")));
        assert_eq!(lines(first), ["C-1 2.5 Test", "C-2 1 Build"]);
        assert!(first["wo_bom"][0].get("bom_line_key").is_none() && first["wo_bom"][0].get("cost_average").is_none());
        assert_eq!(first["material_cost"].to_string(), "19.33333", "2.5 × 0.333333 × 4 + 1 × 4 × 4");
        assert_eq!((&first["output_position_key"], &first["extra"]), (&json!("IN"), &json!({ "n": 1.50 })));
        assert_eq!(first["phase_sequence"], json!(phases));
        assert_eq!(first["wo_docs"], json!([{ "name": "plan.pdf", "size": 5 }]));
        assert_eq!(first["serial_fields"], json!([{
            "form_field_key": "t", "custom_field_key": "torque", "label": "Nm", "hint": null, "mandatory": true, "multiple": false, "hidden": false,
            "value": null, "batch_key": null, "step_key": before[0]["steps"][1]["_key"], "phase_key": phases[0], "last_updated": null, "last_updated_by": null,
        }]));
        assert_eq!((&first["created_by"], &first["start"], &first["end"]), (&json!(planner.key), &Value::Null, &Value::Null));
        assert_eq!(each(&made["jobs"], "phase_alias"), ["Prep", "Build", "Test"]);
        assert!(jobs.iter().all(|job| job["qt_planned"] == 4 && job["stage"] == "created" && job["wo_code"] == "26000001"));
        assert_eq!(jobs[0]["step_sequence"], before[0]["steps"], "the steps in full, with their media");
        assert_eq!((&jobs[0]["first_phase"], &jobs[2]["last_phase"], &jobs[1]["last_phase"]), (&json!(true), &json!(true), &json!(false)));
        assert_eq!((&jobs[0]["next_batch_available"], &jobs[1]["next_batch_available"]), (&json!(true), &json!(false)));
        assert_eq!((&jobs[1]["project_code"], &jobs[1]["due_by"], &jobs[1]["notes"]), (&json!("Alpha"), &first["due_by"], &json!("n")));
        assert_eq!(jobs[1]["job_docs"], first["wo_docs"]);
        assert_eq!(told(&planner, key(first)).await, ["WORK_ORDER_CREATED"]);
        let event = planner.get("/event?type=WORK_ORDER_CREATED").await.body[0].clone();
        assert_eq!((&event["payload"]["work_order_key"], &event["product_key"]), (&first["_key"], &json!("P-100")));
        assert_eq!(event["payload"]["changes"]["qt_planned"], 4);
        let same = order(&planner, json!({ "product_key": "P-100", "qt_planned": 1, "wo_code": " 26000001 " })).await.expect(409);
        assert!(same.body["detail"].is_string());

        // Nothing that happens to the product is seen in the order.
        planner.put("/product/P-100/bom", json!([])).await.expect(200);
        planner.patch("/product/C-1", json!({ "code": "C-1b", "cost": { "average": 100 } })).await.expect(200);
        planner.put("/product/P-100/process", json!([phase("Other", json!([{ "title": "x" }]))])).await.expect(200);
        planner.delete("/product/P-100/doc/plan.pdf").await.expect(200);
        let kept = read(&planner, key(first)).await;
        for member in ["wo_bom", "phase_sequence", "wo_docs", "serial_fields", "material_cost", "bom_version"] {
            assert_eq!(kept[member], first[member], "{member}");
        }
        assert_eq!(kept["jobs"], made["jobs"]);
        let (process_media, order_media) = (&before[0]["steps"][0]["media"], &kept["jobs"][0]["step_sequence"][0]["media"]);
        assert_eq!(process_media, order_media);
        assert_eq!(planner.media(&format!("/api/media/{}", key(&picture))).await.text().await.unwrap(), "1");
    }

    async fn media_stay_as_long_as_an_order_has_them(site) {
        let planner = planner(site).await;
        product(&planner, "P", json!({})).await;
        let picture = planner.upload(Method::POST, "/media/create", &[], &[("file", "a.png", b"1")]).await.detail();
        process(&planner, "P", json!([phase("a", json!([{ "title": "s", "media": [key(&picture)] }, { "title": "t", "media": [key(&picture)] }]))])).await;
        let steps = planner.get("/product/P/process").await.body[0]["steps"].clone();
        let made = order_of(&planner, "P", 1).await;
        for step in steps.as_array().unwrap() {
            planner.delete(&format!("/step/{}/media/a.png", key(step))).await.expect(200);
        }
        assert_eq!((site.count("media").await, site.objects()), (1, 1));
        let refused = planner.delete(&format!("/media/{}", key(&picture))).await.expect(422).body;
        assert_eq!(refused["detail"]["connections"], json!([format!("WorkOrder/{}", key(&made["work_order"]))]));
    }

    async fn refusals_name_what_is_wrong(site) {
        let planner = planner(site).await;
        let own = made(&planner, "P", &["a", "b"]).await;
        let foreign = made(&planner, "Q", &["c"]).await;
        for code in ["C-2", "gone", "off"] {
            product(&planner, code, json!({})).await;
        }
        product(&planner, "traced", json!({ "traceability_level": "complete" })).await;
        process(&planner, "traced", json!([phase("a", json!([]))])).await;
        planner.delete("/product/gone").await.expect(200);
        planner.patch("/product/off", json!({ "active": false })).await.expect(200);
        let rule = async |body: Value| order(&planner, body).await.expect(422).body["detail"]["error_type"].clone();
        assert_eq!(rule(json!({ "product_key": "C-2", "qt_planned": 1 })).await, "NoProcessError");
        assert_eq!(rule(json!({ "product_key": "C-2", "qt_planned": 1, "wo_bom": [{ "qt": 0 }] })).await, "NoProcessError");
        let half = order(&planner, json!({ "product_key": "traced", "qt_planned": 1.5 })).await.faults();
        assert_eq!(half, ["multiple_of body.qt_planned"]);
        for absent in ["nobody", "gone", "off"] {
            order(&planner, json!({ "product_key": absent, "qt_planned": 1 })).await.expect(404);
            order(&planner, json!({ "product_code": absent, "qt_planned": 1 })).await.expect(404);
        }
        let faults = async |body: Value| order(&planner, body).await.faults();
        assert_eq!(faults(json!({ "qt_planned": 1 })).await, ["missing body.product_key"]);
        assert_eq!(faults(json!({ "product_key": "P", "product_code": "Q", "qt_planned": 1 })).await, ["value_error body.product_code"]);
        let shape = json!({ "product_key": "P", "qt_planned": 0, "wo_code": " ", "due_by": "soon", "colour": 1, "wo_bom": [{ "qt": "x", "line": 1 }] });
        let mut found = faults(shape).await;
        found.sort();
        assert_eq!(found, [
            "datetime_parsing body.due_by", "extra_forbidden body.colour", "extra_forbidden body.wo_bom.0.line", "float_type body.wo_bom.0.qt",
            "greater_than body.qt_planned", "string_too_short body.wo_code",
        ]);
        let body = json!({ "product_key": "P", "qt_planned": 1, "output_position_key": "nowhere", "wo_bom": [
            { "component_key": "C-2", "qt": 0 },
            { "component_key": "nope", "qt": 1 },
            { "component_key": "C-2", "qt": 1, "phase_key": own[0] },
            { "component_key": "C-2", "qt": 1, "phase_key": foreign[0] },
            { "qt": 1 },
            { "component_key": "gone", "qt": 1, "consumption_options": { "consumption_position_key": "nowhere" } },
        ] });
        assert_eq!(faults(body).await, [
            "position_not_found body.output_position_key",
            "greater_than body.wo_bom.0.qt",
            "component_not_found body.wo_bom.1.component_key",
            "phase_not_of_product body.wo_bom.3.phase_key",
            "component_missing body.wo_bom.4.component_key",
            "position_not_found body.wo_bom.5.consumption_options.consumption_position_key",
            "component_trashed body.wo_bom.5.component_key",
        ]);
        assert_eq!((site.count("work_order").await, site.count("event").await), (0, 0));
        assert_eq!(order_of(&planner, "P", 1).await["work_order"]["wo_code"], "26000001", "what was refused took no number");
    }

    async fn lines_positions_and_codes_of_ones_own(site) {
        let planner = planner(site).await;
        let phases = made(&planner, "P", &["a", "b"]).await;
        product(&planner, "C", json!({ "description": "Screw" })).await;
        planner.put("/product/P/bom", json!([{ "component_key": "C", "qt": 7 }])).await.expect(200);
        let body = json!({ "product_key": "P", "qt_planned": 0.5, "wo_code": "A-1", "output_position_key": "OUT",
            "wo_bom": [{ "component_key": "C", "qt": 2, "extra": [1] }, { "component_key": "C", "qt": 3, "phase_key": phases[0] }] });
        let first = order(&planner, body).await.detail()["work_order"].clone();
        assert_eq!((&first["wo_code"], &first["bom_version"], &first["output_position_key"]), (&json!("A-1"), &Value::Null, &json!("OUT")));
        assert_eq!(lines(&first), ["C 3 a", "C 2 b"]);
        assert_eq!(first["material_cost"], Value::Null, "the cost of C is unknown");
        // What was read can be sent again.
        let body = json!({ "product_key": "P", "qt_planned": 1, "wo_bom": first["wo_bom"] });
        assert_eq!(order(&planner, body).await.detail()["work_order"]["wo_bom"], first["wo_bom"]);
        let none = json!({ "product_key": "P", "qt_planned": 1, "wo_bom": [] });
        let none = order(&planner, none).await.detail()["work_order"].clone();
        assert_eq!((&none["wo_bom"], &none["material_cost"], &none["bom_version"]), (&json!([]), &json!(0), &Value::Null));
        planner.patch("/product/P", json!({ "default_production_position_key": "OUT" })).await.expect(200);
        assert_eq!(order_of(&planner, "P", 1).await["work_order"]["output_position_key"], "OUT");
        planner.patch("/product/P", json!({ "default_production_position_key": null })).await.expect(200);
        planner.patch("/config", json!({ "default_production_position": "nowhere" })).await.expect(200);
        let refused = order(&planner, json!({ "product_key": "P", "qt_planned": 1 })).await;
        assert_eq!(refused.faults(), ["position_not_found body.output_position_key"]);
    }

    async fn codes_come_from_the_counter(site) {
        let planner = planner(site).await;
        made(&planner, "P", &["a"]).await;
        planner.post("/counter", json!({ "_key": "wo", "template": ["WO-", "#3"] })).await.expect(200);
        planner.patch("/config", json!({ "system_counters": { "work_orders": "wo" } })).await.expect(200);
        let code = async || order_of(&planner, "P", 1).await["work_order"]["wo_code"].clone();
        assert_eq!(code().await, "WO-001");
        for taken in ["WO-002", "WO-003"] {
            order(&planner, json!({ "product_key": "P", "qt_planned": 1, "wo_code": taken })).await.expect(200);
        }
        assert_eq!(code().await, "WO-004", "taken codes are skipped");
        site.execute("delete from counter where key = 'wo'", vec![]).await;
        let refused = order(&planner, json!({ "product_key": "P", "qt_planned": 1 })).await.expect(422);
        assert_eq!(refused.body["detail"]["error_type"], "CounterNotDefinedError");
        order(&planner, json!({ "product_key": "P", "qt_planned": 1, "wo_code": "own" })).await.expect(200);
    }
}
