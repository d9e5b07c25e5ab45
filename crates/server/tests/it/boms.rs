//! Bills of materials: scenarios 2 to 5, their refusals, and what many writers at once leave behind.

use futures_util::future::join_all;
use testkit::engine::Place;
use testkit::{Answer, Engine, Method, Person, Site, Value, block_on, json, on_both_engines};

use crate::process::{Server, sign_in};

/// A user who may do all of it, with an operation `work` for processes.
async fn engineer(site: &Site) -> Person {
    let engineer = site.user("engineer", "library").await;
    engineer.post("/operation", json!({ "_key": "work", "name": "Work" })).await.expect(200);
    engineer
}

/// A product whose key is its code, with phases of these aliases; gives the phases' keys.
async fn product(person: &Person, code: &str, phases: &[&str]) -> Vec<String> {
    person.post("/product", json!({ "_key": code, "code": code })).await.expect(201);
    if phases.is_empty() {
        return Vec::new();
    }
    process(person, code, phases).await
}

async fn process(person: &Person, code: &str, phases: &[&str]) -> Vec<String> {
    let sent: Vec<Value> =
        phases.iter().map(|alias| json!({ "alias": alias, "operation_key": "work", "steps": [] })).collect();
    let stored = person.put(&format!("/product/{code}/process"), json!(sent)).await.expect(200).body;
    stored.as_array().unwrap().iter().map(|phase| phase["_key"].as_str().unwrap().to_owned()).collect()
}

async fn replace(person: &Person, code: &str, lines: Value) -> Answer {
    person.put(&format!("/product/{code}/bom"), lines).await
}

/// Lines on components by their keys, as many of each as said.
fn lines(components: &[(&str, f64)]) -> Value {
    components.iter().map(|(key, qt)| json!({ "component_key": key, "qt": qt })).collect()
}

async fn read(person: &Person, path: &str) -> Vec<String> {
    let rows = person.get(path).await.expect(200).body;
    let shown = |row: &Value| {
        format!("{} {} {}", row["component_code"].as_str().unwrap(), row["qt"], row["phase_name"].as_str().unwrap())
    };
    rows.as_array().unwrap().iter().map(shown).collect()
}

on_both_engines! {
    async fn lines_are_replaced_and_every_version_stays(site) {
        let engineer = engineer(site).await;
        let phases = product(&engineer, "P-100", &["Prep", "Build", "Test"]).await;
        for (code, level) in [("C-1", Value::Null), ("C-2", json!("form_only"))] {
            engineer.post("/product", json!({ "_key": code, "code": code, "traceability_level": level, "description": code })).await.expect(201);
        }
        assert_eq!(read(&engineer, "/product/P-100/bom").await, [""; 0]);
        let sent = json!([
            { "component_code": "C-2", "qt": 1, "phase_key": phases[1], "consumption_options": { "consumption_position_key": "IN" } },
            { "component_code": " C-1 ", "component_key": "C-1", "qt": 2.5, "phase_key": null, "extra": { "note": [1.5] }, "type": "BomLine", "bom_line_key": "old", "traceability_level": "complete" },
        ]);
        let done = replace(&engineer, "P-100", sent.clone()).await.detail();
        assert_eq!(done, json!({ "version": 1, "line_count": 2 }));
        assert_eq!(read(&engineer, "/product/P-100/bom").await, ["C-1 2.5 Test", "C-2 1 Build"]);
        let rows = engineer.get("/product/P-100/bom").await.body;
        let first = rows[0].clone();
        assert_eq!(first["line_no"], 1, "its place in the list that was sent");
        assert_eq!(first["consumption_options"], json!({
            "consumption_position_key": null, "consumption_position_mandatory": false, "minimum_quantity_if_negative": false, "minimum_quantity": null,
        }));
        assert_eq!((&first["extra"], &first["manage_inventory"], &first["component_description"]), (&json!({ "note": [1.5] }), &json!(false), &json!("C-1")));
        assert_eq!((&rows[1]["traceability_level"], &rows[1]["consumption_options"]["consumption_position_key"]), (&json!("form_only"), &json!("IN")));
        site.clock.advance_seconds(60);
        let again = engineer.put("/product/P-100/bom?by_code=true", sent).await.detail();
        assert_eq!(again["version"], 2);
        let renewed = engineer.get("/product/P-100/bom").await.body;
        assert_ne!(renewed[0]["bom_line_key"], first["bom_line_key"], "every replace makes new keys");
        assert_eq!(engineer.get("/product/P-100/bom?version=1").await.body[0]["bom_line_key"], first["bom_line_key"]);
        for absent in [0, 9] {
            engineer.get(&format!("/product/P-100/bom?version={absent}")).await.expect(404);
        }
        engineer.get("/product/nope/bom").await.expect(404);
        engineer.patch("/product/C-1", json!({ "code": "C-1b" })).await.expect(200);
        assert_eq!(read(&engineer, "/product/P-100/bom").await[0], "C-1b 2.5 Test", "the present one has the codes of today");
        assert_eq!(read(&engineer, "/product/P-100/bom?version=2").await[0], "C-1 2.5 Test", "a version stays as it was");
        assert_eq!(replace(&engineer, "P-100", json!([])).await.detail(), json!({ "version": 3, "line_count": 0 }));
        let versions = engineer.get("/product/P-100/bom/versions").await.expect(200).body;
        let shown: Vec<(i64, i64)> = versions.as_array().unwrap().iter().map(|version| (version["version"].as_i64().unwrap(), version["line_count"].as_i64().unwrap())).collect();
        assert_eq!(shown, [(3, 0), (2, 2), (1, 2)]);
        assert_eq!((&versions[0]["created_by"], &versions[0]["source"]), (&json!(engineer.key), &json!("put")));
        assert_eq!(engineer.get("/product/P-100/bom/versions?limit=1&offset=1&count=true").await.header("x-total-count"), "3");
        engineer.get("/product/nope/bom/versions").await.expect(404);
        assert_eq!(engineer.get("/product/P-100").await.body["bom_version"], 3);
    }

    async fn refusals_come_in_their_order_and_all_at_once(site) {
        let engineer = engineer(site).await;
        let own = product(&engineer, "P", &["Only"]).await;
        let foreign = product(&engineer, "Q", &["Other"]).await;
        for code in ["C-1", "C-2", "gone"] {
            product(&engineer, code, &[]).await;
        }
        engineer.delete("/product/gone").await.expect(200);
        replace(&engineer, "P", lines(&[("C-1", 1.0)])).await.expect(200);
        assert_eq!(engineer.put("/product/nope/bom", json!([{ "qt": "x" }])).await.faults(), ["float_type body.0.qt"], "the shape comes first");
        let unknown = replace(&engineer, "nope", json!([])).await.expect(401);
        assert_eq!(unknown.header("www-authenticate"), "Bearer");
        replace(&engineer, "gone", json!([])).await.expect(401);
        engineer.put("/product/nope/bom?by_code=true", json!([])).await.expect(404);
        engineer.put("/product/gone/bom?by_code=true", json!([])).await.expect(404);
        let bare = replace(&engineer, "C-1", json!([{ "qt": 0 }])).await.expect(422);
        assert_eq!(bare.body["detail"]["error_type"], "NoProcessError");
        let faults = replace(&engineer, "P", json!([
            { "component_key": "C-1", "qt": 0 },
            { "component_key": "nope", "qt": 1 },
            { "component_key": "C-2", "qt": 1, "phase_key": own[0] },
            { "component_key": "C-2", "qt": -1, "phase_key": foreign[0] },
            { "qt": 1 },
            { "component_key": "gone", "qt": 1 },
            { "component_code": "gone", "qt": 1 },
            { "component_code": "c-1", "qt": 1 },
            { "component_key": "C-1", "component_code": "C-2", "qt": 1 },
            { "component_key": "nope", "component_code": "no", "qt": 1 },
            { "component_key": "C-1", "qt": 1, "consumption_options": { "consumption_position_key": "nope" } },
            { "component_key": "C-1", "qt": 1, "consumption_options": { "consumption_position_mandatory": true } },
        ]))
        .await
        .faults();
        assert_eq!(faults, [
            "greater_than body.0.qt",
            "component_not_found body.1.component_key",
            "greater_than body.3.qt",
            "phase_not_of_product body.3.phase_key",
            "component_missing body.4.component_key",
            "component_trashed body.5.component_key",
            "component_trashed body.6.component_code",
            "component_not_found body.7.component_code",
            "component_ambiguous body.8.component_code",
            "component_not_found body.9.component_key",
            "component_not_found body.9.component_code",
            "position_not_found body.10.consumption_options.consumption_position_key",
            "missing body.11.consumption_options.consumption_position_key",
        ]);
        assert_eq!(replace(&engineer, "P", json!([{ "component_key": "C-1", "qt": 1, "colour": 1, "type": "Line" }])).await.faults().len(), 2);
        assert_eq!(read(&engineer, "/product/P/bom").await, ["C-1 1 Only"]);
        assert_eq!(engineer.get("/product/P").await.body["bom_version"], 1, "a refused replace stores no version");
        assert_eq!(site.count("bom_version").await, 1);
    }

    async fn a_product_is_no_part_of_itself(site) {
        let engineer = engineer(site).await;
        for code in ["P-100", "SUB", "C-1", "X-1"] {
            product(&engineer, code, &["Only"]).await;
        }
        replace(&engineer, "P-100", lines(&[("SUB", 1.0)])).await.expect(200);
        replace(&engineer, "SUB", lines(&[("C-1", 1.0)])).await.expect(200);
        let refused = replace(&engineer, "C-1", lines(&[("P-100", 1.0), ("X-1", 1.0)])).await.expect(403).body["detail"].clone();
        assert_eq!(refused["loops"], json!([["C-1", "P-100", "SUB", "C-1"]]));
        assert_eq!(refused["data"], json!(["C-1 -> P-100 -> SUB -> C-1"]));
        assert!(refused["message"].is_string());
        let selfish = replace(&engineer, "C-1", lines(&[("C-1", 1.0)])).await.expect(403).body["detail"].clone();
        assert_eq!(selfish["loops"], json!([["C-1", "C-1"]]));
        let both = replace(&engineer, "C-1", lines(&[("SUB", 1.0), ("P-100", 2.0), ("P-100", 3.0)])).await.expect(403).body["detail"].clone();
        assert_eq!(both["data"], json!(["C-1 -> P-100 -> SUB -> C-1", "C-1 -> SUB -> C-1"]));
        assert_eq!(read(&engineer, "/product/C-1/bom").await, [""; 0]);
        assert_eq!(engineer.get("/product/C-1").await.body["bom_version"], 0);
        replace(&engineer, "X-1", lines(&[("C-1", 1.0)])).await.expect(200);
        replace(&engineer, "P-100", lines(&[("SUB", 1.0), ("X-1", 1.0), ("C-1", 4.0)])).await.expect(200);
    }

    async fn a_ring_of_two_hundred_is_found(site) {
        let engineer = engineer(site).await;
        for number in 0..200 {
            product(&engineer, &format!("R-{number:03}"), &["Only"]).await;
        }
        for number in 0..199 {
            let next = format!("R-{:03}", number + 1);
            replace(&engineer, &format!("R-{number:03}"), lines(&[(&next, 1.0)])).await.expect(200);
        }
        let refused = replace(&engineer, "R-199", lines(&[("R-000", 1.0)])).await.expect(403).body["detail"].clone();
        let ring = refused["loops"][0].as_array().unwrap();
        assert_eq!((refused["loops"].as_array().unwrap().len(), ring.len()), (1, 201));
        assert_eq!((&ring[0], &ring[1], &ring[200]), (&json!("R-199"), &json!("R-000"), &json!("R-199")));
        let used = engineer.get("/product/R-199/where-used?count=true&limit=1&offset=198").await.expect(200);
        assert_eq!(used.header("x-total-count"), "199");
        assert_eq!((&used.body[0]["product_code"], &used.body[0]["level"]), (&json!("R-000"), &json!(199)));
    }

    async fn explosion_and_use_say_the_same(site) {
        let engineer = engineer(site).await;
        for code in ["X", "S"] {
            product(&engineer, code, &["Only"]).await;
        }
        product(&engineer, "C", &[]).await;
        replace(&engineer, "S", lines(&[("C", 3.0)])).await.expect(200);
        replace(&engineer, "X", lines(&[("S", 2.0), ("C", 1.0)])).await.expect(200);
        let explosion = engineer.get("/product/X/bom/explode?qt=10").await.expect(200).body;
        assert_eq!((&explosion["product_key"], &explosion["product_code"], &explosion["qt"], &explosion["levels"]), (&json!("X"), &json!("X"), &json!(10), &Value::Null));
        let node = |node: &Value| format!("{} {}..{} {} {} {}", node["product_code"].as_str().unwrap(), node["depth_min"], node["depth_max"], node["qt_total"], node["qt_net"], node["has_bom"]);
        let nodes = |explosion: &Value| -> Vec<String> { explosion["nodes"].as_array().unwrap().iter().map(node).collect() };
        assert_eq!(nodes(&explosion), ["S 1..1 20 0 true", "C 1..2 70 70 false"]);
        assert_eq!(explosion["totals"], json!([{ "product_key": "C", "product_code": "C", "product_description": null, "qt": 70 }]));
        let parents: Vec<&Value> = explosion["lines"].as_array().unwrap().iter().map(|line| &line["parent_code"]).collect();
        assert_eq!(parents, ["S", "X", "X"]);
        let line = &explosion["lines"][0];
        assert_eq!((&line["component_code"], &line["qt"]), (&json!("C"), &json!(3)));
        assert!(line["bom_line_key"].is_string() && line["phase_key"].is_string());
        let one = engineer.get("/product/X/bom/explode?qt=10&levels=1").await.expect(200).body;
        assert_eq!(nodes(&one), ["C 1..1 10 10 false", "S 1..1 20 20 true"]);
        assert_eq!(one["totals"].as_array().unwrap().len(), 2);
        assert_eq!(one["lines"].as_array().unwrap().len(), 2);
        let used = engineer.get("/product/C/where-used").await.expect(200).body;
        assert_eq!(used, json!([
            { "product_key": "S", "product_code": "S", "product_description": null, "active": true, "level": 1, "direct": true, "qt_direct": 3, "qt_total": 3 },
            { "product_key": "X", "product_code": "X", "product_description": null, "active": true, "level": 1, "direct": true, "qt_direct": 1, "qt_total": 7 },
        ]));
        assert_eq!(engineer.get("/product/C/where-used?levels=1").await.body[1]["qt_total"], 1);
        assert_eq!(engineer.get("/product/C/bom/explode").await.body["nodes"], json!([]));
        assert_eq!(engineer.get("/product/X/bom/explode?qt=0").await.faults(), ["greater_than query.qt"]);
        assert_eq!(engineer.get("/product/X/bom/explode?levels=0").await.faults(), ["greater_than_equal query.levels"]);
        let huge = engineer.get("/product/X/bom/explode?qt=999999999999").await.expect(422);
        assert_eq!(huge.body["detail"]["error_type"], "QuantityOverflow");
        engineer.get("/product/nope/bom/explode").await.expect(404);
        engineer.get("/product/nope/where-used").await.expect(404);
    }

    async fn a_dense_diamond_is_worked_out_once(site) {
        let engineer = engineer(site).await;
        for level in 0..26 {
            product(&engineer, &format!("D{level:02}"), &["Only"]).await;
        }
        for level in 0..25 {
            let next = format!("D{:02}", level + 1);
            replace(&engineer, &format!("D{level:02}"), lines(&[(&next, 1.0), (&next, 1.0)])).await.expect(200);
        }
        let explosion = engineer.get("/product/D00/bom/explode").await.expect(200).body;
        assert_eq!(explosion["totals"][0]["qt"], 1_i64 << 25);
        assert_eq!((explosion["nodes"].as_array().unwrap().len(), explosion["lines"].as_array().unwrap().len()), (25, 50));
        let used = engineer.get("/product/D25/where-used").await.expect(200).body;
        assert_eq!((&used[24]["product_code"], &used[24]["qt_total"]), (&json!("D00"), &json!(1_i64 << 25)));
    }

    async fn a_component_can_not_go_while_it_is_used(site) {
        let engineer = engineer(site).await;
        for code in ["P", "Q"] {
            product(&engineer, code, &["Only"]).await;
        }
        product(&engineer, "C", &[]).await;
        replace(&engineer, "Q", lines(&[("C", 1.0)])).await.expect(200);
        replace(&engineer, "P", lines(&[("C", 1.0), ("C", 2.0), ("Q", 1.0)])).await.expect(200);
        let refused = engineer.delete("/product/C").await.expect(409).body["detail"].clone();
        assert_eq!((&refused["used_in"], &refused["work_order_codes"]), (&json!(["P", "Q"]), &json!([])));
        engineer.delete("/product/P").await.expect(200);
        assert_eq!(engineer.delete("/product/C").await.expect(409).body["detail"]["used_in"], json!(["Q"]), "the trash does not count");
        assert_eq!(engineer.get("/product/C/where-used").await.body.as_array().unwrap().len(), 1);
        assert_eq!(read(&engineer, "/product/P/bom").await.len(), 3, "readable by its key");
        replace(&engineer, "Q", json!([])).await.expect(200);
        engineer.delete("/product/C").await.expect(200);
    }

    async fn two_writers_at_once_leave_one_of_the_two(site) {
        let engineer = engineer(site).await;
        product(&engineer, "P", &["Only"]).await;
        for number in 0..30 {
            product(&engineer, &format!("A{number:02}"), &[]).await;
            product(&engineer, &format!("B{number:02}"), &[]).await;
        }
        let all = |letter: &str| -> Value { (0..30).map(|number| json!({ "component_key": format!("{letter}{number:02}"), "qt": 1 })).collect() };
        for _ in 0..4 {
            let (one, other) = tokio::join!(replace(&engineer, "P", all("A")), replace(&engineer, "P", all("B")));
            one.expect(200);
            other.expect(200);
            let rows = read(&engineer, "/product/P/bom").await;
            assert_eq!(rows.len(), 30);
            assert!(rows.iter().all(|row| row[..1] == rows[0][..1]), "{rows:?}");
        }
        let versions = engineer.get("/product/P/bom/versions").await.body;
        let numbers: Vec<i64> = versions.as_array().unwrap().iter().map(|version| version["version"].as_i64().unwrap()).collect();
        assert_eq!(numbers, (1..=8).rev().collect::<Vec<_>>(), "counted without gap");
        let newest = engineer.get("/product/P/bom?version=8").await.body;
        assert_eq!(newest, engineer.get("/product/P/bom").await.body, "the last version is what is there");
    }

    async fn two_writers_at_once_close_no_loop(site) {
        let engineer = engineer(site).await;
        let codes: Vec<String> = (0..6).map(|number| format!("L{number}")).collect();
        for code in &codes {
            product(&engineer, code, &["Only"]).await;
        }
        for _ in 0..3 {
            // Each on the next, all at once: the last to come would close the ring.
            let writes = (0..6).map(|number| {
                let next = codes[(number + 1) % 6].clone();
                let (code, engineer) = (codes[number].clone(), engineer.clone());
                async move { replace(&engineer, &code, lines(&[(&next, 1.0)])).await.status }
            });
            let mut statuses = join_all(writes).await;
            statuses.sort_unstable();
            assert_eq!(statuses, [200, 200, 200, 200, 200, 403]);
            for code in &codes {
                engineer.get(&format!("/product/{code}/bom/explode")).await.expect(200);
                replace(&engineer, code, json!([])).await.expect(200);
            }
        }
    }

    async fn a_component_deleted_while_it_is_put_in(site) {
        let engineer = engineer(site).await;
        product(&engineer, "P", &["Only"]).await;
        for round in 0..6 {
            let code = format!("C{round}");
            product(&engineer, &code, &[]).await;
            let path = format!("/product/{code}");
            let (gone, put) = tokio::join!(engineer.delete(&path), replace(&engineer, "P", lines(&[(&code, 1.0)])));
            match (gone.status, put.status) {
                (200, 422) | (409, 200) => {}
                other => panic!("{other:?}"),
            }
            replace(&engineer, "P", json!([])).await.expect(200);
        }
    }

    async fn a_replace_costs_a_few_statements(site) {
        let engineer = engineer(site).await;
        product(&engineer, "P", &["Only"]).await;
        for number in 0..50 {
            product(&engineer, &format!("C{number}"), &[]).await;
        }
        let sent: Value = (0..500).map(|number| json!({ "component_key": format!("C{}", number % 50), "qt": 1, "consumption_options": { "consumption_position_key": "IN" } })).collect();
        let before = site.app().db.statements();
        replace(&engineer, "P", sent).await.expect(200);
        let spent = site.app().db.statements() - before;
        assert!(spent <= 20, "{spent} statements");
        assert_eq!(engineer.get("/product/P/bom").await.body.as_array().unwrap().len(), 500);
    }

    async fn a_revision_guards_a_replace(site) {
        let engineer = engineer(site).await;
        product(&engineer, "P", &["Only"]).await;
        let rev = engineer.get("/product/P").await.body["_rev"].as_str().unwrap().to_owned();
        let put = || engineer.request(Method::PUT, "/product/P/bom").header("if-match", rev.clone()).json(&json!([]));
        engineer.send(put()).await.expect(200);
        engineer.send(put()).await.expect(412);
    }

    async fn a_copy_has_everything_and_the_source_nothing_of_it(site) {
        let engineer = engineer(site).await;
        engineer.post("/counter", json!({ "_key": "c", "template": ["#6"] })).await.expect(200);
        engineer.post("/tag", json!({ "_key": "t", "name": "T" })).await.expect(200);
        engineer.post("/product", json!({ "_key": "P", "code": "P-1", "description": "Pump", "counter_key": "c", "cost": { "target": 2.5 } })).await.expect(201);
        let phases = process(&engineer, "P", &["Prep", "Build"]).await;
        for code in ["C-1", "C-2"] {
            product(&engineer, code, &[]).await;
        }
        replace(&engineer, "P", json!([{ "component_key": "C-1", "qt": 1, "phase_key": phases[0], "extra": [1] }, { "component_key": "C-2", "qt": 2 }])).await.expect(200);
        engineer.upload(Method::POST, "/product/P/doc", &[], &[("new_doc", "a.txt", b"doc")]).await.expect(200);
        engineer.upload(Method::PUT, "/product/P/image", &[], &[("new_image", "a.png", b"\x89PNG\r\n\x1a\n")]).await.expect(200);
        engineer.post("/tag/update-connections", json!([{ "type": "add", "tag_key": "t", "context": "product", "context_key": "P" }])).await.expect(200);
        let source = engineer.get("/product/P").await.body;
        let copied = engineer.post("/product/copy", json!({ "original_product": "P", "new_code": " P-2 " })).await.expect(201).detail();
        let key = copied["new_product_key"].as_str().unwrap();
        let copy = engineer.get(&format!("/product/{key}")).await.body;
        assert_eq!(engineer.get("/product/P").await.body, source, "the source stays as it was");
        for same in ["description", "counter_key", "cost", "docs", "img_name", "tags", "metadata"] {
            assert_eq!(copy[same], source[same], "{same}");
        }
        assert_eq!((&copy["code"], &copy["bom_version"]), (&json!("P-2"), &json!(1)));
        let copies = copy["process_phases"].as_array().unwrap();
        assert_eq!(copies.len(), 2);
        assert!(copies.iter().all(|phase| !phases.contains(&phase.as_str().unwrap().to_owned())));
        let rows = engineer.get(&format!("/product/{key}/bom")).await.body;
        assert_eq!((&rows[0]["phase_key"], &rows[0]["phase_name"], &rows[0]["extra"]), (&copies[0], &json!("Prep"), &json!([1])));
        assert_eq!((&rows[1]["phase_key"], &rows[1]["qt"]), (&copies[1], &json!(2)));
        assert_eq!(engineer.get(&format!("/product/{key}/bom/versions")).await.body[0]["source"], "copy");
        engineer.delete("/product/P/doc/a.txt").await.expect(200);
        assert_eq!(engineer.media(&format!("/media/product/{key}/docs/a.txt")).await.text().await.unwrap(), "doc", "its files are its own");
        engineer.delete(&format!("/product/{key}/doc/a.txt")).await.expect(200);
        assert_eq!(site.objects(), 1, "bytes go with the last who has them");
        let by_code = engineer.post("/product/copy", json!({ "original_product": "C-1", "new_code": "C-3", "new_description": "new", "by_code": true })).await.expect(201).detail();
        let bare = engineer.get(&format!("/product/{}", by_code["new_product_key"].as_str().unwrap())).await.body;
        assert_eq!((&bare["description"], &bare["bom_version"], &bare["process_phases"]), (&json!("new"), &json!(0), &json!([])));
        engineer.post("/product/copy", json!({ "original_product": "P", "new_code": "P-2" })).await.expect(409);
        engineer.post("/product/copy", json!({ "original_product": "nope", "new_code": "X" })).await.expect(404);
        engineer.post("/product/copy", json!({ "original_product": "P", "new_code": "X", "by_code": true })).await.expect(404);
        assert_eq!(engineer.post("/product/copy", json!({})).await.faults().len(), 2);
    }
}

/// Two whole bills of materials take turns while the server is killed again and again: one of them is there, as the last
/// version says, and whatever was acknowledged is among the versions.
fn killed_while_it_is_replaced(engine: Engine) {
    const ROUNDS: u64 = 8;
    block_on(async {
        let place = Place::new(engine).await;
        let http = reqwest::Client::new();
        let mut acknowledged = 0;
        for round in 0..ROUNDS {
            let server = Server::start(&place);
            let token = sign_in(&http, &server.base).await;
            let send = async |method: Method, path: &str, body: Value| {
                http.request(method, format!("{}/api{path}", server.base)).bearer_auth(&token).json(&body).send().await
            };
            if round == 0 {
                send(Method::POST, "/operation", json!({ "_key": "work", "name": "Work" })).await.unwrap();
                for code in ["P", "A", "B"] {
                    send(Method::POST, "/product", json!({ "_key": code, "code": code })).await.unwrap();
                }
                let process = json!([{ "alias": "Only", "operation_key": "work", "steps": [] }]);
                send(Method::PUT, "/product/P/process", process).await.unwrap();
            } else {
                check_whole(&http, &server.base, &token, acknowledged).await;
            }
            // One for each that is acknowledged in this round; closed when there will be no more.
            let written = tokio::sync::Semaphore::new(0);
            let writing = async {
                for number in 0.. {
                    let component = if number % 2 == 0 { "A" } else { "B" };
                    let lines: Value = (0..200).map(|_| json!({ "component_key": component, "qt": 1 })).collect();
                    match send(Method::PUT, "/product/P/bom", lines).await {
                        Ok(answer) if answer.status() == 200 => {
                            acknowledged += 1;
                            written.add_permits(1);
                        }
                        _ => break,
                    }
                }
                written.close();
            };
            let killing = async {
                // Somewhere in the middle of what follows the second, another place each time.
                let _ = written.acquire_many(2).await;
                tokio::time::sleep(std::time::Duration::from_millis(37 * round % 110)).await;
                server.signal("-KILL");
            };
            tokio::join!(writing, killing);
        }
        let server = Server::start(&place);
        let token = sign_in(&http, &server.base).await;
        check_whole(&http, &server.base, &token, acknowledged).await;
        assert!(acknowledged > ROUNDS, "{acknowledged} were written");
        drop(server);
        place.remove().await;
    });
}

async fn check_whole(http: &reqwest::Client, base: &str, token: &str, acknowledged: u64) {
    let get = async |path: &str| -> Value {
        http.get(format!("{base}/api{path}")).bearer_auth(token).send().await.unwrap().json().await.unwrap()
    };
    let rows = get("/product/P/bom").await;
    let rows = rows.as_array().unwrap();
    let version = get("/product/P").await["bom_version"].as_u64().unwrap();
    assert!(version >= acknowledged, "{version} versions, {acknowledged} acknowledged");
    if version > 0 {
        assert_eq!(rows.len(), 200);
        assert!(rows.iter().all(|row| row["component_code"] == rows[0]["component_code"]), "no mix");
        let stored = get(&format!("/product/P/bom?version={version}")).await;
        assert_eq!(stored.as_array().unwrap(), rows, "the last version is what is there");
    }
}

#[test]
fn killed_while_it_is_replaced_sqlite() {
    killed_while_it_is_replaced(Engine::Sqlite);
}

#[test]
fn killed_while_it_is_replaced_postgres() {
    killed_while_it_is_replaced(Engine::Postgres);
}
