//! A process as a whole: written, read, changed and refused.

use super::*;

on_both_engines! {
    /// The process of scenario 1.
    async fn a_process_is_written_read_and_known_to_its_product(site) {
        let a = site.admin().await;
        let assembly = a.post("/operation", json!({ "name": "Assembly" })).await.expect(200).detail();
        let assembly = key(&assembly).to_owned();
        a.post("/counter", json!({ "_key": "units", "template": ["P-", "#4"] })).await.expect(200);
        let new = json!({ "_key": "P-100", "code": "P-100", "traceability_level": "complete", "counter_key": "units" });
        a.post("/product", new.clone()).await.expect(201);
        a.post("/product", new).await.expect(409);
        a.post("/field", json!({ "_key": "torque", "name": "Torque", "type": "number" })).await.expect(200);
        let sent = json!([
            {
                "alias": "Prep", "operation_key": assembly, "production_notes": "gloves",
                "params": { "production_batch_qt": 2, "step_check": true, "step_check_force_order": true },
                "steps": [
                    { "title": " Clean ", "description": "**well**" },
                    { "title": "Torque", "type": "form", "form_fields": [{ "custom_field_key": "torque", "mandatory": true, "label": "Nm" }] },
                ],
            },
            { "alias": "Build", "operation_key": assembly },
            { "alias": "Test", "operation_key": assembly, "params": { "production_batch_qt": 0, "step_check": true }, "steps": [] },
        ]);
        let written = a.put("/product/P-100/process", sent).await.expect(200).body;
        assert_eq!(process(&a, "P-100").await, written, "the answer is what is read");
        assert_eq!(each(&written, "alias"), ["Prep", "Build", "Test"]);
        let (prep, test) = (&written[0], &written[2]);
        assert_eq!(prep["_id"], format!("Phase/{}", key(prep)));
        assert_eq!(prep["params"], json!({
            "parallel_job_allowed": true, "step_check": true, "step_check_force_order": true, "production_batch_qt": 2,
            "auto_new_batch": true, "max_offline": 300, "std_processing_time": 60, "unsupervised_work_allowed": false,
            "display_job_timer": false,
        }));
        assert_eq!((&test["params"]["production_batch_qt"], &test["params"]["step_check"]), (&json!(0), &json!(false)), "nothing to check");
        let (clean, torque) = (&prep["steps"][0], &prep["steps"][1]);
        assert_eq!(content(clean), json!({
            "title": "Clean", "description": "**well**", "type": "instruction", "form_fields": [], "trashed": null, "media": [],
        }));
        let field = &torque["form_fields"][0];
        assert_eq!(content(field), json!({
            "custom_field_key": "torque", "type": "number", "name": "Torque", "multiple": false, "label": "Nm", "hint": null,
            "default_label": null, "default_hint": null,
            "default": null, "mandatory": true, "hidden": false,
        }));
        assert!(!key(field).is_empty());
        let shown = a.get("/product/P-100").await.body;
        assert_eq!(shown["process_phases"], json!(each(&written, "_key")));

        let keys = each(&written, "_key");
        let asked = format!("/phase?phase_key={}&phase_key={}&phase_key={}", keys[2], keys[0], keys[2]);
        let phases = a.get(&asked).await.expect(200).body;
        assert_eq!(each(&phases, "_key"), [keys[2], keys[0]], "in the order asked for, each once");
        assert_eq!(phases[1], json!({
            "_id": prep["_id"], "_key": prep["_key"], "_rev": prep["_rev"], "alias": "Prep", "product_key": "P-100",
            "operation_key": assembly, "params": prep["params"], "step_sequence": each(&prep["steps"], "_key"),
            "production_notes": "gloves", "trashed": null,
        }));
        assert_eq!(a.get("/phase").await.expect(200).body, json!([]));
        a.get(&format!("/phase?phase_key={}&phase_key=nobody", keys[0])).await.expect(404);
        assert_eq!(a.get(&format!("/procedure/{}", keys[0])).await.expect(200).body, prep["steps"]);
        a.get("/procedure/nobody").await.expect(404);
        a.get("/product/nobody/process").await.expect(404);
        a.put("/product/nobody/process", json!([])).await.expect(404);

        let page = a.get("/product/P-100/process?limit=1&offset=1&count=true").await.expect(200);
        assert_eq!((each(&page.body, "alias"), page.header("x-total-count")), (vec!["Build"], "3"));
        let viewer = site.user("viewer", "viewer").await;
        viewer.get("/product/P-100/process").await.expect(200);
        viewer.put("/product/P-100/process", json!([])).await.expect(403);
    }

    async fn what_is_read_can_be_sent(site) {
        let library = shop(site).await;
        library.post("/field", json!({ "_key": "f", "name": "F", "type": "text" })).await.expect(200);
        let picture = media(&library, "a.png").await;
        let steps = json!([{ "title": "s", "type": "form", "media": [picture], "form_fields": [
            { "_key": "mine", "custom_field_key": "f", "hidden": true, "default": "x", "multiple": true },
        ] }]);
        let first = put(&library, "p", json!([phase("a", steps)])).await;
        assert_eq!(first[0]["steps"][0]["form_fields"][0]["_key"], "mine");
        let second = put(&library, "p", first.clone()).await;
        assert_eq!(content(&second), content(&first));
        assert_eq!((key(&second[0]), key(&second[0]["steps"][0])), (key(&first[0]), key(&first[0]["steps"][0])));
        assert_ne!((&second[0]["_rev"], &second[0]["steps"][0]["_rev"]), (&first[0]["_rev"], &first[0]["steps"][0]["_rev"]));
        assert_eq!(site.count("media").await, 1, "what is linked again stays");
        library.delete("/field/f").await.expect(200);
        assert_eq!(process(&library, "p").await[0]["steps"][0]["form_fields"], json!([]), "entries of deleted fields are skipped");
        library.post("/field", json!({ "_key": "f", "name": "G", "type": "date" })).await.expect(200);
        let back = process(&library, "p").await;
        assert_eq!(back[0]["steps"][0]["form_fields"][0]["type"], "date");
    }

    async fn order_and_aliases_can_be_exchanged(site) {
        let library = shop(site).await;
        let steps = json!([{ "title": "1" }, { "title": "2" }, { "title": "3" }]);
        let before = put(&library, "p", json!([phase("a", steps), phase("b", json!([])), phase("c", json!([]))])).await;
        let mut sent = before.as_array().unwrap().clone();
        sent.swap(0, 2);
        sent[0]["alias"] = json!("a");
        sent[2]["alias"] = json!("c");
        sent[2]["steps"].as_array_mut().unwrap().swap(0, 2);
        let after = put(&library, "p", json!(sent)).await;
        assert_eq!(each(&after, "_key"), [key(&before[2]), key(&before[1]), key(&before[0])]);
        assert_eq!(each(&after, "alias"), ["a", "b", "c"]);
        assert_eq!(each(&after[2]["steps"], "title"), ["3", "2", "1"]);
        assert_eq!(site.count("step").await, 3);
        assert_eq!(site.count("phase").await, 3);
    }

    async fn what_is_dropped_is_trashed_and_stays_readable(site) {
        let library = shop(site).await;
        let steps = json!([{ "title": "1" }, { "title": "2" }, { "title": "3" }]);
        let first = put(&library, "p", json!([phase("a", steps), phase("b", json!([{ "title": "x" }]))])).await;
        let (a, b) = (key(&first[0]), key(&first[1]));
        let dropped = key(&first[0]["steps"][1]).to_owned();
        let mut sent = first.clone();
        sent[0]["steps"].as_array_mut().unwrap().remove(1);
        let second = put(&library, "p", sent).await;
        assert_eq!(each(&second[0]["steps"], "title"), ["1", "3"]);
        add_media(&library, &dropped, "late.txt", b"1").await.expect(404);
        assert_eq!(library.get(&format!("/step/{dropped}/media")).await.expect(200).body, json!([]));
        // Within the same moment, so that no time tells which went first.
        let third = put(&library, "p", json!([second[1]])).await;
        assert_eq!(each(&third, "_key"), [b]);
        let trashed = library.get(&format!("/phase?phase_key={a}")).await.expect(200).body;
        assert_eq!(trashed[0]["trashed"], "2026-03-01T08:00:00.000Z");
        assert_eq!(trashed[0]["step_sequence"], json!(each(&second[0]["steps"], "_key")));
        let procedure = library.get(&format!("/procedure/{a}")).await.expect(200).body;
        assert_eq!(each(&procedure, "title"), ["1", "3"], "those it had last");
        assert!(each(&procedure, "trashed").iter().all(|time| *time == "2026-03-01T08:00:00.000Z"));
        let faults = library.put("/product/p/process", json!([first[0]])).await.faults();
        assert_eq!(faults.len(), 4, "what is trashed can't come back: {faults:?}");
        assert_eq!(put(&library, "p", json!([])).await, json!([]));
        assert_eq!(library.get("/product/p").await.body["process_phases"], json!([]));
        library.put("/product/p/process", json!([phase("b", json!([]))])).await.expect(200);
        library.delete("/product/p").await.expect(200);
        assert_eq!(process(&library, "p").await.as_array().unwrap().len(), 1, "a product in the trash can be read");
        library.put("/product/p/process", json!([])).await.expect(404);
    }

    async fn all_faults_of_a_process_at_once(site) {
        let library = shop(site).await;
        product(&library, "q").await;
        let mine = put(&library, "p", json!([phase("a", json!([{ "title": "1" }])), phase("b", json!([{ "title": "2" }]))])).await;
        let other = put(&library, "q", json!([phase("a", json!([{ "title": "1" }]))])).await;
        let picture = media(&library, "a.png").await;
        let (a, b) = (key(&mine[0]), key(&mine[1]));
        let (step_a, step_b, step_q) = (key(&mine[0]["steps"][0]), key(&mine[1]["steps"][0]), key(&other[0]["steps"][0]));
        let sent = json!([
            { "_key": a, "alias": "x", "operation_key": "weld", "steps": [
                { "_key": step_b, "title": "of another phase" },
                { "_key": step_a, "title": "good" },
                { "_key": step_a, "title": "twice" },
                { "_key": step_q, "title": "of another product" },
                { "_key": "chosen", "title": "of nobody" },
                { "title": "new", "type": "instruction", "form_fields": [{ "custom_field_key": "separator" }] },
                { "title": "form", "type": "form", "form_fields": [
                    { "_key": "k", "custom_field_key": "separator" }, { "_key": "k", "custom_field_key": "separator" },
                    { "custom_field_key": "nobody", "hidden": true },
                ] },
                { "title": "media", "media": [picture, "nobody", { "_key": picture }] },
            ] },
            { "_key": a, "alias": "y", "operation_key": "weld" },
            { "_key": key(&other[0]), "alias": "z", "operation_key": "weld" },
            { "_key": "chosen", "alias": " x ", "operation_key": "nobody" },
            { "_key": b, "alias": "b", "operation_key": "weld", "steps": [{ "_key": step_b, "title": "also above" }] },
        ]);
        let answer = library.put("/product/p/process", sent).await;
        assert_eq!(answer.faults(), [
            "value_error body.0.steps.2._key",
            "step_not_found body.0.steps.3._key",
            "step_not_found body.0.steps.4._key",
            "value_error body.0.steps.5.form_fields",
            "value_error body.0.steps.6.form_fields.1._key",
            "custom_field_not_found body.0.steps.6.form_fields.2.custom_field_key",
            "value_error body.0.steps.6.form_fields.2.default",
            "media_not_found body.0.steps.7.media.1",
            "value_error body.0.steps.7.media.2",
            "value_error body.1._key",
            "phase_not_of_product body.2._key",
            "phase_not_of_product body.3._key",
            "value_error body.3.alias",
            "operation_not_found body.3.operation_key",
            "value_error body.4.steps.0._key",
        ]);
        assert_eq!(answer.body["detail"][2]["input"], "chosen", "the key as it was sent");
        assert_eq!(process(&library, "p").await, mine, "nothing has changed");
        let shape = json!([{ "alias": " ", "operation_key": "weld", "colour": 1, "params": { "max_offline": -1, "speed": 2, "production_batch_qt": 0.0000001 },
            "steps": [{ "type": "song", "media": [7, { "name": "a" }, { "_key": picture, "x": 1 }] }] }]);
        let mut faults = library.put("/product/p/process", shape).await.faults();
        faults.sort();
        assert_eq!(faults, [
            "decimal_parsing body.0.params.production_batch_qt", "enum body.0.steps.0.type", "extra_forbidden body.0.colour",
            "extra_forbidden body.0.params.speed", "greater_than_equal body.0.params.max_offline",
            "missing body.0.steps.0.title", "no_match body.0.steps.0.media.0", "no_match body.0.steps.0.media.1",
            "no_match body.0.steps.0.media.2", "string_too_short body.0.alias",
        ]);
    }

    async fn parameters_come_from_the_site(site) {
        let admin = site.admin().await;
        operation(&admin, "weld").await;
        product(&admin, "p").await;
        let written = put(&admin, "p", json!([phase("a", json!([]))])).await;
        let site_wide = json!({ "default_operation_parameters": { "max_offline": 0.5, "auto_new_batch": false, "step_check": true } });
        admin.patch("/config", site_wide).await.expect(200);
        assert_eq!(process(&admin, "p").await, written, "what is stored stays");
        let mut sent = phase("a", json!([{ "title": "s" }]));
        sent["params"] = json!({ "auto_new_batch": true, "display_job_timer": null });
        let params = &put(&admin, "p", json!([sent])).await[0]["params"];
        assert_eq!(params, &json!({
            "parallel_job_allowed": true, "step_check": true, "step_check_force_order": false, "production_batch_qt": 1,
            "auto_new_batch": true, "max_offline": 0.5, "std_processing_time": 60, "unsupervised_work_allowed": false,
            "display_job_timer": false,
        }));
        let made = admin.post("/operation", json!({ "name": "o", "default_phase_parameters": { "std_processing_time": 7 } })).await.detail();
        let defaults = &made["default_phase_parameters"];
        assert_eq!((&defaults["std_processing_time"], &defaults["step_check"]), (&json!(7), &json!(true)), "an operation is no phase without steps");
    }

    async fn phases_with_lines_stay(site) {
        let library = shop(site).await;
        product(&library, "c").await;
        let phases = put(&library, "p", json!([phase("a", json!([])), phase("b", json!([]))])).await;
        let (a, b) = (key(&phases[0]), key(&phases[1]));
        let line = |phase: &str| json!({ "component_key": "c", "qt": 1, "phase_key": phase });
        library.put("/product/p/bom", json!([line(a), line(a), line(b)])).await.expect(200);
        let refused = library.put("/product/p/process", json!([])).await.expect(409).body;
        assert_eq!(refused["detail"]["phases"], json!([
            { "phase_key": a, "alias": "a", "line_count": 2 }, { "phase_key": b, "alias": "b", "line_count": 1 },
        ]));
        let refused = library.put("/product/p/process", json!([phases[0], phase("b", json!([]))])).await.expect(409).body;
        assert_eq!(refused["detail"]["phases"], json!([{ "phase_key": b, "alias": "b", "line_count": 1 }]));
        assert_eq!(process(&library, "p").await, phases);
        library.put("/product/p/process", json!([phases[1], phases[0]])).await.expect(200);
        library.put("/product/p/bom", json!([])).await.expect(200);
        library.put("/product/p/process", json!([])).await.expect(200);
    }
}
