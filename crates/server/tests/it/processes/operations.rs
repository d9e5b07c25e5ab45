//! Operations, and copies of operations, processes and counters.

use super::*;

on_both_engines! {
    async fn an_operation_is_made_listed_changed_and_goes(site) {
        let library = site.user("library", "library").await;
        let picture = media(&library, "a.png").await;
        let made = library
            .post("/operation", json!({
                "_key": "weld", "name": " Welding ", "code": "W", "default_phase_notes": "mask",
                "default_phase_parameters": { "production_batch_qt": 5 },
                "default_phase_steps": [{ "title": "one", "media": [{ "_key": picture, "name": "x" }] }, { "title": "two" }],
            }))
            .await
            .expect(200)
            .detail();
        assert_eq!((&made["_id"], &made["name"], &made["code"], &made["description"]), (&json!("Operation/weld"), &json!("Welding"), &json!("W"), &Value::Null));
        assert_eq!(made["default_phase_steps"][0]["media"][0]["name"], "a.png");
        library.post("/operation", json!({ "_key": "weld", "name": "again" })).await.expect(409);
        library.post("/operation", json!({ "name": "assembly" })).await.expect(200);
        library.post("/operation", json!({ "name": "Bending" })).await.expect(200);
        for product_key in ["b", "a", "c"] {
            product(&library, product_key).await;
            put(&library, product_key, json!([phase("x", json!([])), phase("y", json!([]))])).await;
        }
        library.delete("/product/c").await.expect(200);
        let listed = library.get("/operation?count=true").await.expect(200);
        assert_eq!((each(&listed.body, "name"), listed.header("x-total-count")), (vec!["assembly", "Bending", "Welding"], "3"));
        assert_eq!(listed.body[2]["used_for"], json!([{ "_key": "a", "code": "a" }, { "_key": "b", "code": "b" }]));
        assert_eq!(listed.body[0]["used_for"], json!([]));
        let mut welding = listed.body[2].clone();
        welding.as_object_mut().unwrap().remove("used_for");
        assert_eq!(welding, made);
        assert_eq!(each(&library.get("/operation?limit=1&offset=1").await.body, "name"), ["Bending"]);

        let steps = &made["default_phase_steps"];
        let change = json!({ "code": null, "default_phase_steps": [steps[1], { "title": "new" }, { "_key": steps[0]["_key"], "title": "first" }] });
        let changed = library.patch("/operation/weld", change).await.expect(200).detail();
        assert_eq!((&changed["code"], &changed["name"], &changed["default_phase_notes"]), (&Value::Null, &json!("Welding"), &json!("mask")));
        assert_eq!(each(&changed["default_phase_steps"], "title"), ["two", "new", "first"]);
        assert_eq!(changed["default_phase_steps"][2]["_key"], steps[0]["_key"]);
        assert_eq!(site.count("media").await, 0, "the media that no step has any more is gone");
        let stale = library.request(Method::PATCH, "/operation/weld").header("if-match", made["_rev"].as_str().unwrap()).json(&json!({}));
        library.send(stale).await.expect(412);
        library.patch("/operation/weld", json!({ "_key": "other" })).await.expect(422);
        let faults = library.patch("/operation/weld", json!({ "name": null, "default_phase_steps": null })).await.faults();
        assert_eq!(faults.len(), 2);
        library.patch("/operation/nobody", json!({})).await.expect(404);

        let refused = library.delete("/operation/weld").await.expect(403).body;
        assert_eq!(refused["detail"]["product_codes"], json!(["a", "b"]));
        for product_key in ["a", "b"] {
            put(&library, product_key, json!([])).await;
        }
        assert_eq!(library.delete("/operation/weld").await.expect(200).detail(), Value::Null);
        library.delete("/operation/weld").await.expect(404);
        library.patch("/operation/weld", json!({})).await.expect(404);
        library.post("/operation", json!({ "_key": "weld", "name": "again" })).await.expect(409);
        assert_eq!(each(&library.get("/operation").await.body, "name"), ["assembly", "Bending"]);
        let faults = library.put("/product/a/process", json!([phase("x", json!([]))])).await.faults();
        assert_eq!(faults, ["operation_not_found body.0.operation_key"]);
        assert_eq!(process(&library, "c").await.as_array().unwrap().len(), 2, "products in the trash are no obstacle");
        site.user("planner", "production").await.post("/operation", json!({ "name": "x" })).await.expect(403);
    }

    async fn faults_of_an_operation_at_once(site) {
        let library = shop(site).await;
        let mine = library.post("/operation", json!({ "_key": "o", "name": "o", "default_phase_steps": [{ "title": "a" }] })).await.detail();
        let step = key(&mine["default_phase_steps"][0]);
        let steps = json!([
            { "_key": step, "title": "a" }, { "_key": step, "title": "b", "media": ["nobody"] },
            { "title": "c", "type": "form", "form_fields": [{ "custom_field_key": "nobody" }] },
        ]);
        let faults = library.post("/operation", json!({ "name": "n", "default_phase_steps": steps })).await.faults();
        assert_eq!(faults, [
            "step_not_found body.default_phase_steps.0._key", "value_error body.default_phase_steps.1._key",
            "media_not_found body.default_phase_steps.1.media.0",
            "custom_field_not_found body.default_phase_steps.2.form_fields.0.custom_field_key",
        ]);
        assert_eq!(library.patch("/operation/o", json!({ "default_phase_steps": steps })).await.faults(), faults[1..]);
        assert_eq!(library.patch("/operation/weld", json!({ "default_phase_steps": [{ "_key": step, "title": "a" }] })).await.faults(), faults[..1]);
        assert_eq!(site.count("operation").await, 2);
    }

    async fn an_operation_is_copied_into_phases(site) {
        let library = shop(site).await;
        operation(&library, "test").await;
        library.post("/field", json!({ "_key": "f", "name": "F", "type": "text" })).await.expect(200);
        let picture = media(&library, "a.png").await;
        for product_key in ["q", "r"] {
            product(&library, product_key).await;
        }
        let test = json!({ "alias": "t", "operation_key": "test", "production_notes": "mine", "steps": [{ "title": "kept" }] });
        let p = put(&library, "p", json!([phase("a", json!([{ "title": "old" }])), test, phase("b", json!([]))])).await;
        let q = put(&library, "q", json!([phase("z", json!([]))])).await;
        let r = put(&library, "r", json!([test])).await;
        let operation = library
            .patch("/operation/weld", json!({
                "default_phase_parameters": { "step_check": true, "max_offline": 9 }, "default_phase_notes": "new notes",
                "default_phase_steps": [
                    { "title": "one", "media": [picture] },
                    { "title": "two", "type": "form", "form_fields": [{ "_key": "k", "custom_field_key": "f" }] },
                ],
            }))
            .await
            .detail();
        assert_eq!(process(&library, "p").await, p, "existing phases stay");
        let template = key(&operation["default_phase_steps"][0]);
        let folder = [("bucket", "step"), ("object_key", template), ("subfolder", "tools")];
        library.upload(Method::POST, "/files", &folder, &[("contents", "list.txt", b"hammer")]).await.expect(200);

        library.post("/operation/weld/copy", json!({ "target_product_keys": ["q", "nobody"] })).await.expect(404);
        library.post("/operation/nobody/copy", json!({ "target_product_keys": ["q"] })).await.expect(404);
        let copied = library.post("/operation/weld/copy", json!({ "target_product_keys": ["q", "r", "p", "q"] })).await.expect(200).detail();
        assert_eq!(copied["phase_keys"], json!([q[0]["_key"], p[0]["_key"], p[2]["_key"]]));
        let after = process(&library, "p").await;
        assert_eq!(after[1], p[1], "phases of other operations stay");
        assert_eq!(process(&library, "r").await, r);
        for (phase, alias) in [(&after[0], "a"), (&after[2], "b")] {
            assert_eq!((&phase["alias"], &phase["production_notes"]), (&json!(alias), &json!("new notes")));
            assert_eq!(phase["params"], operation["default_phase_parameters"]);
            assert_eq!(content(&phase["steps"]), content(&operation["default_phase_steps"]));
            assert_eq!(phase["steps"][0]["media"][0]["_key"], picture);
            let path = format!("/media/step/{}/tools/list.txt", key(&phase["steps"][0]));
            assert_eq!(library.media(&path).await.text().await.unwrap(), "hammer");
        }
        let other = process(&library, "q").await;
        let steps: HashSet<&str> = [&after[0], &after[2], &other[0]].iter().map(|phase| key(&phase["steps"][0])).collect();
        assert_eq!(steps.len(), 3);
        let fields: HashSet<&str> = [&after[0], &after[2]].iter().map(|phase| key(&phase["steps"][1]["form_fields"][0])).collect();
        assert_eq!(fields.len(), 2, "two copies in one process have form fields of their own");
        assert_eq!(site.objects(), 2, "copies share what is stored");
        let old = key(&p[0]["steps"][0]);
        assert_eq!(library.get(&format!("/step/{old}/media")).await.expect(200).body, json!([]));
        add_media(&library, old, "x", b"1").await.expect(404);

        library.patch("/operation/weld", json!({ "default_phase_steps": [] })).await.expect(200);
        library.post("/operation/weld/copy", json!({ "target_product_keys": ["q"] })).await.expect(200);
        assert_eq!(process(&library, "q").await[0]["params"]["step_check"], false, "a phase without steps has nothing to check");
        assert_eq!(library.media(&format!("/media/step/{}/tools/list.txt", key(&after[0]["steps"][0]))).await.status(), 200);
    }

    async fn a_process_is_copied_to_products(site) {
        let library = shop(site).await;
        for product_key in ["q", "r", "c"] {
            product(&library, product_key).await;
        }
        let picture = media(&library, "a.png").await;
        let source = put(&library, "p", json!([phase("a", json!([{ "title": "1", "media": [picture] }, { "title": "2" }])), phase("b", json!([]))])).await;
        let before = put(&library, "q", json!([phase("old", json!([{ "title": "x" }]))])).await;
        library.put("/product/q/bom", json!([{ "component_key": "c", "qt": 1 }, { "component_key": "c", "qt": 2.5 }])).await.expect(200);
        let step = key(&source[0]["steps"][0]);
        library.upload(Method::POST, "/files", &[("bucket", "step"), ("object_key", step)], &[("contents", "f.txt", b"file")]).await.expect(200);

        let copy = async |keys: Value| library.post("/product/p/process/copy", json!({ "target_product_keys": keys })).await;
        copy(json!(["q", "p"])).await.expect(400);
        let missing = copy(json!(["q", "nobody"])).await.expect(404).body;
        assert_eq!(missing["detail"]["missing"], json!(["Product/nobody"]));
        library.post("/product/nobody/process/copy", json!({ "target_product_keys": ["q"] })).await.expect(404);
        assert_eq!(process(&library, "q").await, before);

        let copied = copy(json!(["r", "q"])).await.expect(200).detail();
        assert_eq!(each(&copied["targets"], "product_key"), ["r", "q"]);
        let mut keys: HashSet<String> = each(&source, "_key").into_iter().map(str::to_owned).collect();
        for target in copied["targets"].as_array().unwrap() {
            let written = process(&library, target["product_key"].as_str().unwrap()).await;
            assert_eq!(content(&written), content(&source));
            assert_eq!(target["phase_keys"], json!(each(&written, "_key")));
            keys.extend(each(&written, "_key").into_iter().map(str::to_owned));
            assert_eq!(written[0]["steps"][0]["media"][0]["_key"], picture);
            let path = format!("/media/step/{}/f.txt", key(&written[0]["steps"][0]));
            assert_eq!(library.media(&path).await.text().await.unwrap(), "file");
        }
        assert_eq!(keys.len(), 6, "all keys are new");
        assert_eq!(process(&library, "p").await, source, "the source stays");
        assert_eq!(site.objects(), 2);
        let last = &copied["targets"][1]["phase_keys"][1];
        let lines = library.get("/product/q/bom").await.expect(200).body;
        assert!(lines.as_array().unwrap().len() == 2 && lines.as_array().unwrap().iter().all(|line| line["phase_key"] == *last && line["phase_name"] == "b"), "{lines}");
        let versions = library.get("/product/q/bom/versions").await.expect(200).body;
        assert_eq!(each(&versions, "source"), ["process_copy", "put"]);
        assert_eq!(library.get("/product/q/bom?version=1").await.body[0]["phase_name"], "old");
        assert_eq!(library.get("/product/r").await.body["bom_version"], 0, "without lines there is nothing to move");
        assert!(library.get(&format!("/phase?phase_key={}", key(&before[0]))).await.body[0]["trashed"].is_string());

        put(&library, "p", json!([])).await;
        let refused = copy(json!(["r", "q"])).await.expect(409).body;
        assert_eq!(refused["detail"]["product_codes"], json!(["q"]));
        assert_eq!(copy(json!(["r"])).await.expect(200).detail(), json!({ "targets": [{ "product_key": "r", "phase_keys": [] }] }));
        assert_eq!(process(&library, "r").await, json!([]));
        library.delete("/product/r").await.expect(200);
        copy(json!(["r"])).await.expect(404);
        assert_eq!(copy(json!([])).await.expect(200).detail(), json!({ "targets": [] }));
    }

    async fn a_counter_is_shared(site) {
        let library = shop(site).await;
        product(&library, "q").await;
        library.post("/counter", json!({ "_key": "c", "template": ["#4"] })).await.expect(200);
        library.patch("/product/p", json!({ "counter_key": "c" })).await.expect(200);
        let before = library.get("/product/q").await.body;
        site.clock.advance_seconds(1);
        let copy = async |from: &str, to: Value| library.post(&format!("/product/{from}/counter/copy"), json!({ "target_product_keys": to })).await;
        copy("p", json!(["p", "q"])).await.expect(400);
        copy("p", json!(["q", "nobody"])).await.expect(404);
        copy("nobody", json!(["q"])).await.expect(404);
        assert_eq!(library.get("/product/q").await.body, before);
        assert_eq!(copy("p", json!(["q"])).await.expect(200).detail(), Value::Null);
        let after = library.get("/product/q").await.body;
        assert_eq!(after["counter_key"], "c");
        assert_ne!((&after["_rev"], &after["updated"]), (&before["_rev"], &before["updated"]));
        library.patch("/product/p", json!({ "counter_key": null })).await.expect(200);
        copy("p", json!(["q"])).await.expect(200);
        assert_eq!(library.get("/product/q").await.body["counter_key"], Value::Null);
    }
}
