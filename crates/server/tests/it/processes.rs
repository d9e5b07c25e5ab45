//! Operations, the processes of products, their steps with media and files, and copies of them.

use std::collections::HashSet;

use futures_util::future::join_all;
use testkit::{Answer, Method, Person, Site, Value, json, on_both_engines};

async fn product(person: &Person, key: &str) {
    person.post("/product", json!({ "_key": key, "code": key })).await.expect(201);
}

async fn operation(person: &Person, key: &str) {
    person.post("/operation", json!({ "_key": key, "name": key })).await.expect(200);
}

async fn media(person: &Person, name: &str) -> String {
    let made = person.upload(Method::POST, "/media/create", &[], &[("file", name, name.as_bytes())]).await;
    made.detail()["_key"].as_str().unwrap().to_owned()
}

async fn add_media(person: &Person, step: &str, name: &str, bytes: &[u8]) -> Answer {
    person.upload(Method::POST, &format!("/step/{step}/media"), &[], &[("media_file", name, bytes)]).await
}

/// A library person, the operation `weld` and the product `p`.
async fn shop(site: &Site) -> Person {
    let library = site.user("library", "library").await;
    operation(&library, "weld").await;
    product(&library, "p").await;
    library
}

fn phase(alias: &str, steps: Value) -> Value {
    json!({ "alias": alias, "operation_key": "weld", "steps": steps })
}

async fn put(person: &Person, key: &str, phases: Value) -> Value {
    person.put(&format!("/product/{key}/process"), phases).await.expect(200).body
}

async fn process(person: &Person, key: &str) -> Value {
    person.get(&format!("/product/{key}/process")).await.expect(200).body
}

/// One member of all elements.
fn each<'a>(list: &'a Value, member: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|one| one[member].as_str().unwrap()).collect()
}

fn key(record: &Value) -> &str {
    record["_key"].as_str().unwrap()
}

/// The same without what changes by itself.
fn content(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept =
                members.iter().filter(|(name, _)| !["_id", "_key", "_rev", "created_at"].contains(&name.as_str()));
            Value::Object(kept.map(|(name, value)| (name.clone(), content(value))).collect())
        }
        Value::Array(values) => values.iter().map(content).collect(),
        plain => plain.clone(),
    }
}

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

    async fn media_of_a_step_come_are_replaced_and_go(site) {
        let library = shop(site).await;
        let written = put(&library, "p", json!([phase("a", json!([{ "title": "s" }]))])).await;
        let step = key(&written[0]["steps"][0]).to_owned();
        let path = format!("/step/{step}/media");
        for name in ["a.png", "b.txt"] {
            assert_eq!(add_media(&library, &step, name, b"1").await.expect(200).body, name);
        }
        let first = library.get(&path).await.expect(200).body;
        assert_eq!(each(&first, "name"), ["a.png", "b.txt"]);
        assert_eq!(process(&library, "p").await[0]["steps"][0]["media"], first);
        add_media(&library, &step, "a.png", b"22").await.expect(200);
        let second = library.get(&path).await.body;
        assert_eq!((each(&second, "name"), &second[0]["size"]), (vec!["a.png", "b.txt"], &json!(2)), "in the place of the first");
        assert_ne!(key(&second[0]), key(&first[0]));
        assert_eq!((site.count("media").await, site.objects()), (2, 2));
        assert_eq!(library.media(&format!("/api/media/{}", key(&second[0]))).await.text().await.unwrap(), "22");
        assert_eq!(each(&library.get(&format!("{path}?limit=1&offset=1")).await.body, "name"), ["b.txt"]);
        library.delete(&format!("{path}/c")).await.expect(404);
        assert_eq!(library.delete(&format!("{path}/b.txt")).await.expect(200).detail(), Value::Null);
        library.delete(&format!("{path}/b.txt")).await.expect(404);
        assert_eq!((site.count("media").await, site.objects()), (1, 1));
        for (method, path) in [(Method::GET, "/step/nobody/media"), (Method::DELETE, "/step/nobody/media/a.png")] {
            library.send(library.request(method, path)).await.expect(404);
        }
        add_media(&library, "nobody", "a.png", b"1").await.expect(404);
        library.upload(Method::POST, &path, &[], &[("file", "a.png", b"1")]).await.expect(422);
        add_media(&library, &step, "a/b", b"1").await.expect(422);
        assert_eq!(site.objects(), 1, "what was refused left nothing");
        let shared = key(&library.get(&path).await.body[0]).to_owned();
        let refused = library.delete(&format!("/media/{shared}")).await.expect(422).body;
        assert_eq!(refused["detail"]["connections"], json!([format!("Step/{step}")]));

        library.post("/operation", json!({ "_key": "o", "name": "o", "default_phase_steps": [{ "title": "t", "media": [shared] }] })).await.expect(200);
        library.delete(&format!("{path}/a.png")).await.expect(200);
        assert_eq!(site.count("media").await, 1, "another step has it");
        library.delete("/operation/o").await.expect(200);
        assert_eq!((site.count("media").await, site.objects()), (0, 0), "nobody has it");
        library.delete("/product/p").await.expect(200);
        add_media(&library, &step, "a.png", b"1").await.expect(404);
    }

    async fn media_of_overwritten_steps_go_and_those_of_trashed_ones_stay(site) {
        let library = shop(site).await;
        let keys = [media(&library, "a").await, media(&library, "b").await, media(&library, "c").await];
        let steps = json!([{ "title": "1", "media": [keys[1], keys[0]] }, { "title": "2", "media": [keys[2]] }]);
        let written = put(&library, "p", json!([phase("x", steps)])).await;
        assert_eq!(each(&written[0]["steps"][0]["media"], "name"), ["b", "a"], "in the order sent");
        let mut sent = written.clone();
        sent[0]["steps"] = json!([{ "_key": written[0]["steps"][0]["_key"], "title": "1", "media": [written[0]["steps"][0]["media"][1]] }]);
        let after = put(&library, "p", sent).await;
        assert_eq!(each(&after[0]["steps"][0]["media"], "name"), ["a"]);
        library.get(&format!("/media/{}", keys[1])).await.expect(404);
        let trashed = format!("/step/{}/media", key(&written[0]["steps"][1]));
        assert_eq!(each(&library.get(&trashed).await.body, "_key"), [keys[2].as_str()]);
        assert_eq!((site.count("media").await, site.objects()), (2, 2));
        put(&library, "p", json!([])).await;
        assert_eq!(each(&library.get(&format!("/procedure/{}", key(&written[0]))).await.body[0]["media"], "name"), ["a"]);
        assert_eq!((site.count("media").await, site.objects()), (2, 2));
    }

    async fn files_belong_to_live_steps(site) {
        let library = shop(site).await;
        let written = put(&library, "p", json!([phase("a", json!([{ "title": "s" }, { "title": "t" }]))])).await;
        let step = key(&written[0]["steps"][0]).to_owned();
        let folder = [("bucket", "step"), ("object_key", step.as_str())];
        library.upload(Method::POST, "/files", &folder, &[("contents", "a.txt", b"1")]).await.expect(200);
        let list = format!("/files?bucket=step&object_key={step}");
        assert_eq!(each(&library.get(&list).await.expect(200).body, "name"), ["a.txt"]);
        let mut sent = written.clone();
        sent[0]["steps"][0]["title"] = json!("other");
        put(&library, "p", sent).await;
        assert_eq!(each(&library.get(&list).await.expect(200).body, "name"), ["a.txt"], "an overwritten step keeps its files");
        let made = library.post("/operation", json!({ "name": "o", "default_phase_steps": [{ "title": "t" }] })).await.detail();
        let template = key(&made["default_phase_steps"][0]);
        let other = [("bucket", "step"), ("object_key", template)];
        library.upload(Method::POST, "/files", &other, &[("contents", "a.txt", b"1")]).await.expect(200);
        library.delete(&format!("/operation/{}", key(&made))).await.expect(200);
        library.get(&format!("/files?bucket=step&object_key={template}")).await.expect(404);
        assert_eq!((site.count("file").await, site.objects()), (1, 1), "files of an operation's steps go with it");
        put(&library, "p", json!([])).await;
        library.upload(Method::POST, "/files", &folder, &[("contents", "b.txt", b"1")]).await.expect(404);
        library.get(&list).await.expect(404);
        library.get("/files?bucket=step&object_key=nobody").await.expect(404);
        assert_eq!(library.media(&format!("/media/step/{step}/a.txt")).await.status(), 200, "what a trashed step had can be read");
    }

    async fn many_replaces_at_once_leave_one_of_them(site) {
        let library = shop(site).await;
        let process_of = |name: &str| -> Value {
            let steps: Value = (0..3).map(|step| json!({ "title": format!("{name}{step}") })).collect();
            (0..3).map(|index| phase(&format!("{name}{index}"), steps.clone())).collect()
        };
        let tries = (0..8).map(|index| {
            let library = library.clone();
            let body = process_of(&index.to_string());
            async move { library.put("/product/p/process", body).await.expect(200).body }
        });
        let answers = join_all(tries).await;
        let left = process(&library, "p").await;
        assert!(answers.contains(&left), "one of them, as it was answered: {left}");
        let live: i64 = site.look("select count(*) from step where trashed is null", vec![]).await.unwrap();
        assert_eq!(live, 9);
        // Overwriting the same phases in different orders must not end in each other's way.
        let mut turned = left.as_array().unwrap().clone();
        turned.reverse();
        let tries = (0..8).map(|index| library.put("/product/p/process", if index % 2 == 0 { left.clone() } else { json!(turned) }));
        join_all(tries).await.into_iter().for_each(|answer| drop(answer.expect(200)));
        let after = process(&library, "p").await;
        assert_eq!(each(&after, "_key").into_iter().collect::<HashSet<_>>(), each(&left, "_key").into_iter().collect::<HashSet<_>>());
    }

    async fn no_process_starts_using_an_operation_that_goes(site) {
        let library = shop(site).await;
        for round in 0..10 {
            let name = format!("o{round}");
            operation(&library, &name).await;
            let body = json!([{ "alias": "a", "operation_key": name }]);
            let path = format!("/operation/{name}");
            let (put, deleted) = tokio::join!(library.put("/product/p/process", body), library.delete(&path));
            match (put.status, deleted.status) {
                (200, 403) | (422, 200) => {}
                other => panic!("{other:?}: {} {}", put.text, deleted.text),
            }
            self::put(&library, "p", json!([])).await;
        }
        let dangling: i64 = site
            .look(
                "select count(*) from phase join operation on operation.key = phase.operation_key
                 where phase.trashed is null and operation.deleted",
                vec![],
            )
            .await
            .unwrap();
        assert_eq!(dangling, 0);
    }

    async fn no_step_keeps_a_media_that_goes(site) {
        let library = shop(site).await;
        for _ in 0..10 {
            let key = media(&library, "a").await;
            let path = format!("/media/{key}");
            let body = json!([phase("a", json!([{ "title": "s", "media": [key] }]))]);
            let (put, deleted) = tokio::join!(library.put("/product/p/process", body), library.delete(&path));
            match (put.status, deleted.status) {
                (200, 422) => assert_eq!(deleted.body["detail"]["error_type"], "MediaInUse"),
                (422, 200) => {}
                other => panic!("{other:?}: {} {}", put.text, deleted.text),
            }
        }
    }

    async fn copies_and_changes_of_the_same_media_at_once(site) {
        let library = shop(site).await;
        for product_key in ["q", "r"] {
            product(&library, product_key).await;
        }
        let (one, two) = (media(&library, "one").await, media(&library, "two").await);
        let body = |media: &str| json!([phase("a", json!([{ "title": "s", "media": [media] }]))]);
        let both = [put(&library, "p", body(&one)).await, put(&library, "q", body(&two)).await];
        let step = |index: usize| key(&both[index][0]["steps"][0]).to_owned();
        let (first, second) = (step(0), step(1));
        let targets = json!({ "target_product_keys": ["r"] });
        for _ in 0..5 {
            let exchange = |index: usize, media: &str| {
                let mut sent = both[index].clone();
                sent[0]["steps"][0]["media"] = json!([media]);
                sent
            };
            let (a, b, c, d, e) = tokio::join!(
                library.put("/product/p/process", exchange(0, &two)),
                library.put("/product/q/process", exchange(1, &one)),
                library.post("/product/p/process/copy", targets.clone()),
                add_media(&library, &first, "one", b"new"),
                add_media(&library, &second, "two", b"new"),
            );
            for answer in [a, b, c, d, e] {
                assert!([200, 422].contains(&answer.status), "{}", answer.text);
            }
        }
        let unlinked: i64 = site
            .look("select count(*) from media where key not in (select media_key from media_connection)", vec![])
            .await
            .unwrap();
        assert_eq!(unlinked, 0, "no media is left that nothing links to");
        assert_eq!(site.objects() as i64, site.count("media").await);
    }

    async fn a_step_moves_to_another_phase_of_its_process(site) {
        let library = site.user("library", "library").await;
        library.post("/operation", json!({ "_key": "work", "name": "Work" })).await.expect(200);
        library.post("/product", json!({ "_key": "p", "code": "P" })).await.expect(201);
        let phase = |alias: &str, steps: Value| json!({ "alias": alias, "operation_key": "work", "steps": steps });
        let first = json!([phase("One", json!([{ "title": "a" }, { "title": "b" }])), phase("Two", json!([]))]);
        let mut process = library.put("/product/p/process", first).await.expect(200).body;
        let revision = library.get("/product/p").await.body["_rev"].clone();
        let moved = process[0]["steps"].as_array_mut().unwrap().remove(0);
        process[1]["steps"] = json!([moved]);
        let after = library.put("/product/p/process", process.clone()).await.expect(200).body;
        assert_eq!(after[1]["steps"][0]["_key"], moved["_key"], "it is the same step");
        let titles = |phase: &Value| -> Vec<Value> { phase["steps"].as_array().unwrap().iter().map(|step| step["title"].clone()).collect() };
        assert_eq!((titles(&after[0]), titles(&after[1])), (vec![json!("b")], vec![json!("a")]));
        assert_ne!(library.get("/product/p").await.body["_rev"], revision, "the routing is part of the product");
        after.as_array().unwrap().iter().for_each(|phase| assert!(phase["_key"].is_string()));
        let gone = json!([{ "_key": after[1]["_key"], "alias": "Two", "operation_key": "work", "steps": [after[1]["steps"][0], after[0]["steps"][0]] }]);
        let last = library.put("/product/p/process", gone).await.expect(200).body;
        assert_eq!(titles(&last[0]), [json!("a"), json!("b")], "also from a phase that goes");
        let trashed = library.get(&format!("/procedure/{}", after[0]["_key"].as_str().unwrap())).await.expect(200).body;
        assert_eq!(trashed, json!([]), "it went along");
    }

    async fn a_large_process_costs_few_statements(site) {
        let library = shop(site).await;
        library.post("/field", json!({ "_key": "f", "name": "F", "type": "text" })).await.expect(200);
        let picture = media(&library, "a").await;
        let step = |index: usize| json!({
            "title": format!("step {index}"), "type": "form", "media": [picture],
            "form_fields": [{ "custom_field_key": "f" }],
        });
        let steps: Value = (0..20).map(step).collect();
        let phases: Value = (0..20).map(|index| phase(&format!("phase {index}"), steps.clone())).collect();
        let (first, answer) = site.statements(library.put("/product/p/process", phases)).await;
        let written = answer.expect(200).body;
        let (again, answer) = site.statements(library.put("/product/p/process", written)).await;
        answer.expect(200);
        assert!(first <= 22 && again <= 25, "{first} and {again}");
        let (reading, answer) = site.statements(library.get("/product/p/process")).await;
        assert_eq!(answer.expect(200).body[19]["steps"].as_array().unwrap().len(), 20);
        assert!(reading <= 7, "{reading}");
        for index in 0..5 {
            product(&library, &format!("t{index}")).await;
        }
        let targets = json!({ "target_product_keys": ["t0", "t1", "t2", "t3", "t4"] });
        let (copying, answer) = site.statements(library.post("/product/p/process/copy", targets)).await;
        answer.expect(200);
        assert!(copying <= 16, "{copying}");
        let (listing, answer) = site.statements(library.get("/operation")).await;
        assert_eq!(answer.expect(200).body[0]["used_for"].as_array().unwrap().len(), 6);
        assert!(listing <= 7, "{listing}");
    }
}
