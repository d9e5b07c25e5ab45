//! Scenario 6: products in tables. The machinery itself is tested in `imports`.

use testkit::{Answer, Method, Person, Site, Value, form, json, on_both_engines};

async fn dry_run(person: &Person, name: &str, file: &[u8], fields: &[(&'static str, &str)]) -> Answer {
    let request = person.request(Method::POST, "/product/import").header("accept", "application/json");
    person.send(request.multipart(form(fields, &[("file", name, file)]))).await
}

async fn execute(person: &Person, key: &str) -> Answer {
    let fields = [("dry_run", "false"), ("file_key", key)];
    person.send(person.request(Method::POST, "/product/import").multipart(form(&fields, &[]))).await
}

/// Both steps of a file without faults: what the first said, what came of the second.
async fn import(person: &Person, file: &str, fields: &[(&'static str, &str)]) -> (Value, Value) {
    let tried = dry_run(person, "products.csv", file.as_bytes(), fields).await.expect(200).body;
    assert_eq!(tried["status"], "valid", "{tried}");
    let done = execute(person, tried["file_key"].as_str().unwrap()).await.detail();
    (tried, done)
}

fn faults(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.body["status"], "error", "{}", answer.text);
    let shown = |fault: &Value| {
        format!("{} {} {}", fault["row"], fault["column"].as_str().unwrap(), fault["value"].as_str().unwrap())
    };
    answer.body["errors"].as_array().unwrap().iter().map(shown).collect()
}

async fn export(person: &Person, query: &str) -> Vec<u8> {
    let answer = person.media(&format!("/api/product/export?{query}")).await;
    assert_eq!(answer.status(), 200);
    answer.bytes().await.unwrap().to_vec()
}

/// Everything about products that a table holds.
async fn stored(site: &Site) -> Vec<(String, String)> {
    let kept = ["product", "has_tag", "tag"];
    site.contents().await.into_iter().filter(|(table, _)| kept.contains(&table.as_str())).collect()
}

on_both_engines! {
    async fn three_rows_come_in_after_their_faults_are_corrected(site) {
        let library = site.user("library", "library").await;
        let bad = "code,active,cost_target,description\nA-1,perhaps,x,first\nA-2,yes,2.5,second\nA-3,no,-,third\n";
        let tried = dry_run(&library, "p.csv", bad.as_bytes(), &[]).await.expect(200);
        assert_eq!(faults(&tried), ["2 active perhaps", "2 cost_target x", "4 cost_target -"]);
        assert_eq!((tried.header("x-import-status"), tried.header("x-error-count"), tried.header("x-valid-count")), ("error", "2", "1"));
        assert_eq!((&tried.body["rows_total"], &tried.body["rows_valid"], &tried.body["rows_error"]), (&json!(3), &json!(1), &json!(2)));
        let good = "Code ; ACTIVE;cost_target;description;colour\nA-1;1;1;first;red\n\nA-2;yes;2.5;second;\nA-3;no;;third;\n";
        let tried = dry_run(&library, "p.csv", good.as_bytes(), &[]).await.expect(200).body;
        assert_eq!((&tried["rows_created"], &tried["rows_updated"], &tried["rows_skipped"]), (&json!(3), &json!(0), &json!(0)));
        assert_eq!(tried["ignored_columns"], json!(["colour"]));
        assert_eq!(tried["rows"][1], json!({ "row": 4, "code": "A-2", "action": "create" }));
        assert_eq!(site.count("product").await, 0, "the first step changes nothing");
        let key = tried["file_key"].as_str().unwrap();
        let done = execute(&library, key).await.detail();
        assert_eq!(done, json!({ "rows_total": 3, "rows_created": 3, "rows_updated": 0, "rows_skipped": 0 }));
        execute(&library, key).await.expect(404);
        let products = library.get("/product?active_only=false&details=true").await.body;
        let shown: Vec<Value> = products.as_array().unwrap().iter().map(|product| json!([product["code"], product["active"], product["cost"]["target"], product["description"]])).collect();
        assert_eq!(json!(shown), json!([["A-1", true, 1, "first"], ["A-2", true, 2.5, "second"], ["A-3", false, null, "third"]]));
    }

    async fn faults_are_found_in_every_column(site) {
        let library = site.user("library", "library").await;
        library.post("/product", json!({ "code": "known" })).await.expect(201);
        for key in ["c1", "c2"] {
            library.post("/counter", json!({ "_key": key, "name": "twin", "template": ["#6"] })).await.expect(200);
        }
        library.post("/field", json!({ "_key": "weight", "name": "Weight", "type": "number" })).await.expect(200);
        let file = format!(
            "code,traceability_level,technical_batch_qt,kpi_window_size,kpi_window_type,counter_key,default_production_position_key,tags,meta:weight,meta:nope\n\
             ,some,-1,0,days,no,no,{},heavy,x\n\
             new,,,,,twin,,,,\n\
             new,,,,,,,,,\n\
             {},,,,,,,,,\n",
            "t".repeat(65), "x".repeat(129),
        );
        let tried = dry_run(&library, "p.csv", file.as_bytes(), &[]).await;
        let found = faults(&tried);
        for (row, column) in [
            (2, "code"), (2, "traceability_level"), (2, "technical_batch_qt"), (2, "kpi_window_size"), (2, "kpi_window_type"),
            (2, "counter_key"), (2, "default_production_position_key"), (2, "tags"), (2, "meta:weight"), (2, "meta:nope"),
            (3, "counter_key"), (4, "code"), (5, "code"),
        ] {
            assert!(found.iter().any(|fault| fault.starts_with(&format!("{row} {column} "))), "{row} {column}: {found:?}");
        }
        let file = b"code\nknown\nnew\n";
        assert_eq!(faults(&dry_run(&library, "p.csv", file, &[("import_mode", "create")]).await), ["2 code known"]);
        assert_eq!(faults(&dry_run(&library, "p.csv", file, &[("import_mode", "update")]).await), ["3 code new"]);
        let missing = dry_run(&library, "p.csv", b"name\nx\n", &[]).await.expect(400);
        assert_eq!(missing.body["detail"]["missing_columns"], json!(["code"]));
    }

    async fn cells_change_what_they_say_and_nothing_else(site) {
        let library = site.user("library", "library").await;
        library.post("/counter", json!({ "_key": "c", "name": "Units", "template": ["#6"] })).await.expect(200);
        for (key, kind) in [("weight", "number"), ("colour", "text"), ("rohs", "boolean")] {
            library.post("/field", json!({ "_key": key, "name": key, "type": kind })).await.expect(200);
        }
        library.post("/tag", json!({ "_key": "red", "name": "Red" })).await.expect(200);
        library.post("/product", json!({
            "_key": "a", "code": "A", "description": "kept", "production_notes": "gone soon", "technical_batch_qt": 5,
            "metadata": [{ "custom_field_key": "colour", "value": "blue", "label": "Colour" }],
        })).await.expect(201);
        let (tried, done) = import(
            &library,
            "code,description,production_notes,technical_batch_qt,counter_key,default_consumption_position_key,tags,meta:weight,meta:colour,meta:rohs\n\
             A,,\\N,\\N,Units,IN,Red|New| Red ,1.25,green,yes\n",
            &[],
        )
        .await;
        assert_eq!(tried["rows"][0]["action"], "update");
        assert_eq!(done["rows_updated"], 1);
        let a = library.get("/product/a").await.body;
        assert_eq!((&a["description"], &a["production_notes"], &a["technical_batch_qt"]), (&json!("kept"), &Value::Null, &json!(0)));
        assert_eq!((&a["counter_key"], &a["default_consumption_position_key"]), (&json!("c"), &json!("IN")), "by its name, by its code");
        let names: Vec<&Value> = a["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
        assert_eq!(names, ["New", "Red"]);
        assert_eq!(a["tags"][1]["_key"], "red", "known tags are used, unknown ones made");
        assert_eq!(a["metadata"], json!([
            { "custom_field_key": "colour", "value": "green", "label": "Colour", "hint": null },
            { "custom_field_key": "weight", "value": 1.25, "label": null, "hint": null },
            { "custom_field_key": "rohs", "value": true, "label": null, "hint": null },
        ]));
        let (_, done) = import(&library, "code,tags,counter_key,meta:colour\nA,\\N,\\N,\\N\n", &[("import_mode", "update")]).await;
        assert_eq!(done["rows_updated"], 1);
        let a = library.get("/product/a").await.body;
        assert_eq!((&a["tags"], &a["counter_key"], a["metadata"].as_array().unwrap().len()), (&json!([]), &Value::Null, 2));
        let revision = a["_rev"].clone();
        let (_, done) = import(&library, "code,active\nA,\n", &[]).await;
        assert_eq!((&done["rows_skipped"], &library.get("/product/a").await.body["_rev"]), (&json!(1), &revision));
    }

    async fn tags_are_the_same_in_any_order(site) {
        let library = site.user("lib", "library").await;
        import(&library, "code,tags\nA,Red|Blue|Green\nB,\n", &[]).await;
        let (tried, done) = import(&library, "code,tags\nA, Green|Red |Blue|Red\nB,\\N\n", &[]).await;
        assert_eq!((&tried["rows_skipped"], &done["rows_skipped"]), (&json!(2), &json!(2)), "{tried}");
        let (tried, _) = import(&library, "code,tags\nA,Green|Red\nB,Red\n", &[]).await;
        assert_eq!(tried["rows_updated"], 2);
    }

    async fn an_imported_export_changes_nothing(site) {
        let library = site.user("library", "library").await;
        for (key, kind) in [("weight", "number"), ("odd", "text"), ("papers", "files"), ("gone", "text")] {
            library.post("/field", json!({ "_key": key, "name": key, "type": kind })).await.expect(200);
        }
        for (key, name) in [("t1", "Red"), ("t2", "a|b")] {
            library.post("/tag", json!({ "_key": key, "name": name })).await.expect(200);
        }
        let meta = |key: &str, value: Value| json!({ "custom_field_key": key, "value": value });
        for (code, description, more) in [
            ("plain", json!(null), json!({})),
            ("=1+1", json!("'=cmd"), json!({ "production_notes": "two\nlines; \"quoted\", and more", "active": false })),
            ("-5", json!("\\N"), json!({ "metadata": [meta("weight", json!(1.50)), meta("odd", json!({ "a": [1, null] }))] })),
            ("007", json!("  blanks  "), json!({ "metadata": [meta("weight", json!("text")), meta("odd", json!(true)), meta("papers", json!(["a.pdf"])), meta("gone", json!("x"))] })),
            ("12345678901234567890", json!("é;à"), json!({ "cost": { "target": 0.000001, "average": 999999999999.999999 }, "kpi_window_size": 3, "kpi_window_type": "time", "traceability_level": "complete", "default_production_position_key": "IN", "minimum_order_qt": 1e6 })),
        ] {
            let mut body = json!({ "code": code, "description": description });
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            library.post("/product", body).await.expect(201);
        }
        let link = |key: &Value, tag: &str| json!({ "type": "add", "tag_key": tag, "context": "product", "context_key": key });
        let all = library.get("/product").await.body;
        library.post("/tag/update-connections", json!([link(&all[0]["_key"], "t1"), link(&all[0]["_key"], "t2"), link(&all[1]["_key"], "t2")])).await.expect(200);
        library.delete("/field/gone").await.expect(200);
        let before = stored(site).await;
        for (format, name) in [("csv", "products.csv"), ("xlsx", "products.xlsx")] {
            let file = export(&library, &format!("format={format}&active_only=false")).await;
            let tried = dry_run(&library, name, &file, &[]).await.expect(200).body;
            assert_eq!((&tried["status"], &tried["rows_total"], &tried["rows_skipped"]), (&json!("valid"), &json!(5), &json!(5)), "{format}: {tried}");
            let done = execute(&library, tried["file_key"].as_str().unwrap()).await.detail();
            assert_eq!(done["rows_skipped"], 5);
            assert_eq!(stored(site).await, before, "{format}");
        }
    }

    async fn formulas_behind_blanks_stay_text_and_come_back(site) {
        let library = site.user("library", "library").await;
        let texts = ["\t=1+1", "\r=2", "\n@x", "\r\n\t+3", " -4", "'\t=5", "＝6", "＋7", "－8", "＠SUM(A1)"];
        for (number, text) in texts.iter().enumerate() {
            library.post("/product", json!({ "code": format!("P{number}"), "description": text })).await.expect(201);
        }
        let csv = String::from_utf8(export(&library, "").await).unwrap();
        for text in texts {
            assert!(csv.contains(&format!(",'{text},")) || csv.contains(&format!(",\"'{text}\",")), "{text:?} in {csv:?}");
        }
        let before = stored(site).await;
        for format in ["csv", "xlsx"] {
            let file = export(&library, &format!("format={format}")).await;
            let tried = dry_run(&library, &format!("p.{format}"), &file, &[]).await.expect(200).body;
            assert_eq!((&tried["status"], &tried["rows_skipped"]), (&json!("valid"), &json!(texts.len())), "{format}: {tried}");
            execute(&library, tried["file_key"].as_str().unwrap()).await.expect(200);
            assert_eq!(stored(site).await, before, "{format}");
        }
    }

    async fn exports_are_filtered_and_ordered(site) {
        let library = site.user("library", "library").await;
        for (code, active) in [("b", true), ("A", true), ("c", false)] {
            library.post("/product", json!({ "code": code, "active": active })).await.expect(201);
        }
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let codes = |table: &str| -> Vec<String> { table.lines().skip(1).map(|line| line.split(',').next().unwrap().to_owned()).collect() };
        let table = text(export(&library, "").await);
        assert_eq!(codes(&table), ["A", "b"]);
        assert_eq!(codes(&text(export(&library, "active_only=false&search_string=c").await)), ["c"]);
        let header = "code,description,active,traceability_level,manage_inventory,allow_negative_inventory,serial_code_on_creation,cost_target,cost_average,technical_batch_qt,minimum_order_qt,minimum_stock_qt,unit,production_notes,throughput_time_target,processing_time_target,kpi_window_size,kpi_window_type,counter_key,default_production_position_key,default_consumption_position_key,tags";
        assert_eq!(text(export(&library, "format=template").await).trim_start_matches('\u{feff}').trim_end(), header);
        assert_eq!(table.trim_start_matches('\u{feff}').lines().next().unwrap(), header);
        assert_eq!(library.get("/product/export?format=pdf").await.faults(), ["enum query.format"]);
        let answer = library.media("/api/product/export?format=xlsx").await;
        assert_eq!(answer.headers()["content-disposition"], "attachment; filename=\"products.xlsx\"");
        site.user("nobody", "").await.get("/product/export").await.expect(403);
    }

    async fn rows_are_checked_again_when_they_are_written(site) {
        let library = site.user("library", "library").await;
        let tried = dry_run(&library, "p.csv", b"code\nA\nB\n", &[("import_mode", "create")]).await.expect(200).body;
        library.post("/product", json!({ "code": "B" })).await.expect(201);
        let refused = execute(&library, tried["file_key"].as_str().unwrap()).await.expect(422).body["detail"].clone();
        assert_eq!((&refused["error_type"], &refused["rule"], &refused["errors"][0]["row"]), (&json!("ImportException"), &json!("rows"), &json!(3)));
        assert_eq!(site.count("product").await, 1, "all or nothing");
    }

    async fn two_imports_of_the_same_codes_at_once(site) {
        let library = site.user("library", "library").await;
        let file: String = (0..300).map(|number| format!("P{number},{number}\n")).collect();
        let file = format!("code,description\n{file}");
        let mut keys = Vec::new();
        for _ in 0..3 {
            keys.push(dry_run(&library, "p.csv", file.as_bytes(), &[]).await.expect(200).body["file_key"].as_str().unwrap().to_owned());
        }
        let done = futures_util::future::join_all(keys.iter().map(|key| execute(&library, key))).await;
        let created: i64 = done.into_iter().map(|answer| answer.detail()["rows_created"].as_i64().unwrap()).sum();
        assert_eq!((created, site.count("product").await), (300, 300));
    }

    async fn many_rows_cost_a_few_statements(site) {
        let library = site.user("library", "library").await;
        let rows: String = (0..2_000).map(|number| format!("P{number},IN,T{},default\n", number % 5)).collect();
        let file = format!("code,default_production_position_key,tags,counter_key\n{rows}");
        let before = site.app().db.statements();
        let tried = dry_run(&library, "p.csv", file.as_bytes(), &[]).await.expect(200).body;
        let checked = site.app().db.statements();
        execute(&library, tried["file_key"].as_str().unwrap()).await.expect(200);
        let written = site.app().db.statements();
        assert!(checked - before <= 15, "{} statements to check", checked - before);
        assert!(written - checked <= 30, "{} statements to write", written - checked);
        assert_eq!(site.count("has_tag").await, 2_000);
    }
}
