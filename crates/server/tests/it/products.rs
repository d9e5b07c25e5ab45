//! Products: the record, its filters, files and trash.

use futures_util::future::join_all;
use testkit::{Answer, Method, Person, Value, json, on_both_engines};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG: &[u8] = b"\xff\xd8\xff\xe0\x00\x10JFIF";

async fn create(person: &Person, body: Value) -> Value {
    person.post("/product", body).await.expect(201).detail()
}

fn codes(answer: Answer) -> Vec<String> {
    let rows = answer.expect(200).body;
    rows.as_array().unwrap().iter().map(|row| row["code"].as_str().unwrap().to_owned()).collect()
}

on_both_engines! {
    async fn a_product_is_made_read_changed_and_replaced(site) {
        let library = site.user("library", "library").await;
        let made = create(&library, json!({ "code": " P-100 " })).await;
        let key = made["_key"].as_str().unwrap().to_owned();
        assert_eq!(key.len(), 13);
        assert_eq!(made["_id"], format!("Product/{key}"));
        let defaults = json!({
            "code": "P-100", "description": null, "active": true, "image": false, "tags": [], "counter_key": null,
            "traceability_level": null, "manage_inventory": false, "allow_negative_inventory": false,
            "serial_code_on_creation": false, "trash": false, "cost": { "target": null, "average": null },
            "technical_batch_qt": 0, "minimum_order_qt": 0, "minimum_stock_qt": null, "unit": "", "production_notes": null, "process_phases": [], "bom_version": 0,
            "throughput_time_target": null, "processing_time_target": null, "kpi_window_size": null,
            "kpi_window_type": "count", "metadata": [], "default_production_position_key": null,
            "default_consumption_position_key": null,
        });
        for (name, value) in defaults.as_object().unwrap() {
            assert_eq!(&made[name], value, "{name}");
        }
        library.post("/counter", json!({ "_key": "c", "name": "Units", "template": ["P-", "#4"] })).await.expect(200);
        site.clock.advance_seconds(60);
        let path = format!("/product/{key}");
        let changed = library
            .patch(&path, json!({
                "description": "Pump", "cost": { "target": 12.5 }, "counter_key": "c", "traceability_level": "complete",
                "kpi_window_size": 30, "kpi_window_type": "time", "default_production_position_key": "IN",
            }))
            .await
            .detail();
        assert_eq!((&changed["description"], &changed["cost"]), (&json!("Pump"), &json!({ "target": 12.5, "average": null })));
        assert_ne!((&changed["_rev"], &changed["updated"]), (&made["_rev"], &made["updated"]));
        assert_eq!(changed["created"], made["created"]);
        let again = library.patch(&path, json!({ "cost": { "average": 11 } })).await.detail();
        assert_eq!(again["cost"], json!({ "target": 12.5, "average": 11 }), "of an object, too, what is left out stays");
        let full = library.get(&path).await.expect(200).body;
        assert_eq!((&full["docs"], &full["img_name"], &full["counter"]["template"]), (&json!([]), &Value::Null, &json!(["P-", "#4"])));
        let mut sent = full.clone();
        sent["description"] = json!("Pump 2");
        let replaced = library.put(&path, sent).await.expect(200).body;
        assert_eq!((&replaced["description"], &replaced["cost"]["target"]), (&json!("Pump 2"), &json!(12.5)), "what is read can be sent");
        let bare = library.put(&path, json!({ "code": "P-101" })).await.expect(200).body;
        assert_eq!((&bare["code"], &bare["description"], &bare["counter_key"]), (&json!("P-101"), &Value::Null, &Value::Null));
        let stale = library.request(Method::PATCH, &path).header("if-match", made["_rev"].as_str().unwrap()).json(&json!({}));
        library.send(stale).await.expect(412);
        library.patch("/product/nope", json!({})).await.expect(404);
        library.put("/product/nope", json!({ "code": "x" })).await.expect(404);
        library.get("/product/nope").await.expect(404);
    }

    async fn all_faults_at_once(site) {
        let library = site.user("library", "library").await;
        let faults = library
            .post("/product", json!({ "code": " ", "active": null, "traceability_level": "some", "kpi_window_size": 0, "colour": 1, "technical_batch_qt": -1 }))
            .await
            .faults();
        assert_eq!(faults.len(), 6, "{faults:?}");
        assert_eq!(library.post("/product", json!({})).await.faults(), ["missing body.code"]);
        let faults = library
            .post("/product", json!({
                "code": "A", "counter_key": "no", "default_production_position_key": "no",
                "default_consumption_position_key": "no", "metadata": [
                    { "custom_field_key": "separator", "value": 1 }, { "custom_field_key": "separator", "value": 1 },
                    { "custom_field_key": "no", "value": 1 },
                ],
            }))
            .await
            .faults();
        assert_eq!(faults, [
            "counter_not_found body.counter_key", "position_not_found body.default_production_position_key",
            "position_not_found body.default_consumption_position_key", "value_error body.metadata.1.custom_field_key",
            "custom_field_not_found body.metadata.2.custom_field_key",
        ]);
        for key in ["export", "import", "copy"] {
            assert_eq!(library.post("/product", json!({ "code": "A", "_key": key })).await.faults(), ["value_error body._key"]);
        }
        assert_eq!(library.post("/product", json!({ "code": "x".repeat(129) })).await.faults(), ["string_too_long body.code"]);
        assert_eq!(site.count("product").await, 0);
        let key = create(&library, json!({ "code": "A" })).await["_key"].as_str().unwrap().to_owned();
        assert_eq!(library.put(&format!("/product/{key}"), json!({ "code": "A", "_key": "B" })).await.faults(), ["value_error body._key"]);
    }

    async fn codes_are_unique_among_live_products(site) {
        let library = site.user("library", "library").await;
        create(&library, json!({ "_key": "a", "code": "A" })).await;
        create(&library, json!({ "_key": "b", "code": "a" })).await;
        library.post("/product", json!({ "code": "A" })).await.expect(409);
        library.post("/product", json!({ "_key": "a", "code": "C" })).await.expect(409);
        library.patch("/product/b", json!({ "code": "A" })).await.expect(409);
        library.put("/product/b", json!({ "code": "A" })).await.expect(409);
        let gone = library.delete("/product/a").await.detail();
        assert_eq!((&gone["trash"], &gone["code"]), (&json!(true), &json!("A")));
        library.delete("/product/a").await.expect(404);
        library.patch("/product/a", json!({ "code": "X" })).await.expect(404);
        assert_eq!(library.get("/product/a").await.expect(200).body["trash"], true, "readable by its key");
        assert_eq!(codes(library.get("/product").await), ["a"]);
        create(&library, json!({ "_key": "c", "code": "A" })).await;
        library.post("/product", json!({ "_key": "a", "code": "D" })).await.expect(409);
        let tries = (0..12).map(|_| library.post("/product", json!({ "code": "once" })));
        let mut statuses: Vec<u16> = join_all(tries).await.into_iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses[..2], [201, 409]);
        assert!(statuses[1..].iter().all(|status| *status == 409));
    }

    async fn lists_are_filtered_and_ordered(site) {
        let library = site.user("library", "library").await;
        for (key, code, description, level, active) in [
            ("1", "pump-10", "Big pump", Value::Null, true),
            ("2", "Pump-2", "small", json!("form_only"), true),
            ("3", "VALVE", "for pump-10", json!("complete"), true),
            ("4", "zeta", "50% off", Value::Null, false),
            ("5", "Äpfel", "", Value::Null, true),
        ] {
            create(&library, json!({ "_key": key, "code": code, "description": description, "traceability_level": level, "active": active })).await;
        }
        let list = async |query: &str| codes(library.get(&format!("/product?{query}")).await);
        assert_eq!(list("").await, ["pump-10", "Pump-2", "VALVE", "Äpfel"]);
        assert_eq!(list("active_only=false").await.len(), 5);
        assert_eq!(list("search_string=PUMP").await, ["pump-10", "Pump-2"]);
        assert_eq!(list("search_string=pump&search_description=true").await, ["pump-10", "Pump-2", "VALVE"]);
        assert_eq!(list("search_string=p*0").await, ["pump-10"]);
        assert_eq!(list("search_string=*2").await, ["Pump-2"]);
        assert_eq!(list("search_string=pump-?").await, ["pump-10", "Pump-2"], "anywhere");
        assert_eq!(list("search_string=ÄPF").await, ["Äpfel"]);
        assert_eq!(list("include_text=pump").await, ["pump-10", "Pump-2", "VALVE"]);
        assert_eq!(list("exclude_text=pump").await, ["Äpfel"]);
        assert_eq!(list("exclude_text=a").await, ["pump-10", "Äpfel"], "in neither code nor description");
        assert_eq!(list("include_text=0%25&active_only=false").await, ["zeta"], "no wildcard");
        assert_eq!(list("traceability_only=true").await, ["Pump-2", "VALVE"]);
        assert_eq!(list("limit=2&offset=1").await, ["Pump-2", "VALVE"]);
        assert_eq!(library.get("/product?count=true&limit=1").await.header("x-total-count"), "4");
        assert_eq!(library.get("/product?limit=0").await.faults(), ["greater_than_equal query.limit"]);
        for tag in ["red", "blue"] {
            library.post("/tag", json!({ "_key": tag, "name": tag })).await.expect(200);
        }
        let link = |tag: &str, key: &str| json!({ "type": "add", "tag_key": tag, "context": "product", "context_key": key });
        library.post("/tag/update-connections", json!([link("red", "1"), link("blue", "1"), link("red", "2")])).await.expect(200);
        assert_eq!(list("tag_key=blue").await, ["pump-10"]);
        assert_eq!(list("include_tags=red&include_tags=blue").await, ["pump-10"]);
        assert_eq!(list("include_tags=red&include_tags=blue&include_tags_operator=ANY").await, ["pump-10", "Pump-2"]);
        assert_eq!(list("exclude_tags=red&exclude_tags=blue").await, ["VALVE", "Äpfel"]);
        assert_eq!(list("exclude_tags=red&exclude_tags=blue&exclude_tags_operator=ALL").await, ["Pump-2", "VALVE", "Äpfel"]);
        let listed = library.get("/product?search_string=pump-10").await.body;
        assert_eq!(listed[0]["tags"][0]["name"], "blue");
        assert_eq!(listed[0].get("cost"), None, "the base form");
        assert_eq!(library.get("/product?details=true&limit=1").await.body[0]["cost"], json!({ "target": null, "average": null }));
    }

    async fn a_form_with_an_image_makes_a_product_too(site) {
        let library = site.user("library", "library").await;
        let fields = [("code", "F-1"), ("active", "false"), ("cost", r#"{"target": 3}"#), ("metadata", "[]"), ("description", "by form")];
        let made = library.upload(Method::POST, "/product", &fields, &[("image", "x.bin", PNG)]).await.expect(201).detail();
        assert_eq!((&made["image"], &made["active"], &made["cost"]["target"]), (&json!(true), &json!(false), &json!(3)));
        let key = made["_key"].as_str().unwrap();
        assert_eq!(library.get(&format!("/product/{key}")).await.body["img_name"], "image.png");
        assert_eq!(library.media(&format!("/media/product/{key}/image.png")).await.bytes().await.unwrap(), PNG);
        let plain = library.upload(Method::POST, "/product", &[("code", "F-2")], &[]).await.expect(201).detail();
        assert_eq!(plain["image"], false);
        library.upload(Method::POST, "/product", &[("code", "F-3")], &[("image", "a.png", b"no image")]).await.expect(415);
        library.upload(Method::POST, "/product", &[("code", "F-1")], &[("image", "a.png", PNG)]).await.expect(409);
        let faults = library.upload(Method::POST, "/product", &[("cost", "[1]"), ("colour", "red")], &[("image", "a.png", PNG)]).await.faults();
        assert_eq!(faults, ["extra_forbidden body.colour", "missing body.code", "dict_type body.cost"]);
        let faults = library.upload(Method::POST, "/product", &[("cost", "[1]"), ("active", "maybe")], &[("image", "a.png", PNG)]).await.faults();
        assert_eq!(faults, ["missing body.code", "bool_type body.active", "dict_type body.cost"]);
        assert_eq!(site.objects(), 1, "what was refused is not kept");
    }

    async fn documents_and_image_come_and_go(site) {
        let library = site.user("library", "library").await;
        create(&library, json!({ "_key": "p", "code": "P" })).await;
        let doc = async |name: &str, bytes: &[u8]| library.upload(Method::POST, "/product/p/doc", &[], &[("new_doc", name, bytes)]).await;
        assert_eq!(doc("b.pdf", b"one").await.expect(200).body, "b.pdf");
        doc("a b.txt", b"12").await.expect(200);
        doc("b.pdf", b"second").await.expect(200);
        doc("../x", b"1").await.expect(422);
        let full = library.get("/product/p").await.body;
        assert_eq!(full["docs"], json!([{ "name": "a b.txt", "size": 2 }, { "name": "b.pdf", "size": 6 }]));
        assert_eq!(library.media("/media/product/p/docs/b.pdf").await.text().await.unwrap(), "second");
        assert_eq!(library.delete("/product/p/doc/a%20b.txt").await.detail(), Value::Null);
        library.delete("/product/p/doc/a%20b.txt").await.expect(404);
        library.delete("/product/nope/doc/b.pdf").await.expect(404);
        let image = async |bytes: &[u8]| library.upload(Method::PUT, "/product/p/image", &[], &[("new_image", "x", bytes)]).await;
        assert_eq!(image(PNG).await.detail(), json!({ "img_name": "image.png" }));
        assert_eq!(image(JPEG).await.detail(), json!({ "img_name": "image.jpg" }));
        image(b"GIF89a").await.expect(415);
        assert_eq!(library.media("/media/product/p/image.png").await.status(), 404, "one image per product");
        assert_eq!(site.objects(), 2);
        assert_eq!(library.get("/product/p").await.body["img_name"], "image.jpg");
        assert_eq!(library.delete("/product/p/image").await.detail(), Value::Null);
        let revision = library.get("/product/p").await.body["_rev"].clone();
        library.delete("/product/p/image").await.expect(200);
        assert_eq!(library.get("/product/p").await.body["_rev"], revision, "nothing happened");
        assert_eq!(library.get("/product/p").await.body["image"], false);
        image(PNG).await.expect(200);
        let body = json!({ "bucket": "product", "object_key": "p", "filenames": ["image.png"] });
        library.send(library.request(Method::DELETE, "/files").json(&body)).await.expect(422);
        assert_eq!(library.get("/product/p").await.body["img_name"], "image.png", "only its own operation removes it");
        library.upload(Method::POST, "/product/nope/doc", &[], &[("new_doc", "a", b"1")]).await.expect(404);
        assert_eq!(site.objects(), 2);
    }

    async fn files_of_products_follow_their_rule(site) {
        let library = site.user("library", "library").await;
        create(&library, json!({ "_key": "p", "code": "P" })).await;
        for (key, kind) in [("papers", "files"), ("weight", "number")] {
            library.post("/field", json!({ "_key": key, "name": key, "type": kind })).await.expect(200);
        }
        let store = async |subfolder: &str| {
            let fields = [("bucket", "product"), ("object_key", "p"), ("subfolder", subfolder)];
            library.upload(Method::POST, "/files", &fields, &[("contents", "a.txt", b"1")]).await.status
        };
        assert_eq!(store("").await, 200);
        assert_eq!(store("any/where").await, 200);
        assert_eq!(store("meta/papers").await, 200);
        assert_eq!(store("meta/papers/2026").await, 200);
        assert_eq!(store("metal").await, 200);
        for refused in ["meta", "meta/weight", "meta/nope", "../../etc"] {
            assert_eq!(store(refused).await, 404, "{refused}");
        }
        library.delete("/product/p").await.expect(200);
        assert_eq!(store("").await, 404, "a product in the trash takes no files");
        library.get("/files?bucket=product&object_key=p").await.expect(404);
    }

    async fn tags_are_put_on_products(site) {
        let library = site.user("library", "library").await;
        create(&library, json!({ "_key": "p", "code": "P" })).await;
        library.post("/tag", json!({ "_key": "t", "name": "T" })).await.expect(200);
        let link = |context: &str, key: &str| json!({ "type": "add", "tag_key": "t", "context": context, "context_key": key });
        let missing = library.post("/tag/update-connections", json!([link("product", "p"), link("product", "p"), link("serial", "s")])).await.expect(404);
        assert_eq!(missing.body["detail"]["missing"], json!(["Serial/s"]));
        assert_eq!(site.count("has_tag").await, 0);
        let added = library.post("/tag/update-connections", json!([link("product", "p"), link("product", "p")])).await.detail();
        assert_eq!(added, json!({ "added": 1, "removed": 0 }));
        assert_eq!(library.get("/product/p").await.body["tags"][0]["_key"], "t");
    }

    async fn metadata_of_a_field_that_is_gone_is_passed_over(site) {
        let library = site.user("library", "library").await;
        let quality = site.user("quality", "quality").await;
        for key in ["one", "two"] {
            quality.post("/field", json!({ "_key": key, "name": key, "type": "text" })).await.expect(200);
        }
        let entry = |key: &str, value: Value| json!({ "custom_field_key": key, "value": value, "label": "L" });
        create(&library, json!({ "_key": "p", "code": "P", "metadata": [entry("one", json!("x")), entry("two", json!({ "a": [1.5] }))] })).await;
        quality.delete("/field/one").await.expect(200);
        let read = library.get("/product/p").await.body;
        assert_eq!(read["metadata"], json!([{ "custom_field_key": "two", "value": { "a": [1.5] }, "label": "L", "hint": null }]));
        library.patch("/product/p", json!({ "description": "still possible" })).await.expect(200);
        library.put("/product/p", read).await.expect(200);
    }

    async fn a_counter_in_use_stays(site) {
        let library = site.user("library", "library").await;
        library.post("/counter", json!({ "_key": "c", "template": ["#6"] })).await.expect(200);
        for number in 0..7 {
            create(&library, json!({ "_key": format!("p{number}"), "code": format!("P{number}"), "counter_key": "c", "description": "d" })).await;
        }
        let refused = library.delete("/counter/c").await.expect(409).body["detail"].clone();
        assert_eq!((&refused["code"], &refused["total"]), (&json!("counter_in_use_by_products"), &json!(7)));
        assert_eq!(refused["sample"].as_array().unwrap().len(), 5);
        assert_eq!(refused["sample"][0], json!({ "_key": "p0", "code": "P0", "description": "d" }));
        for number in 0..7 {
            library.delete(&format!("/product/p{number}")).await.expect(200);
        }
        library.delete("/counter/c").await.expect(200);
        assert_eq!(library.get("/product/p0").await.expect(200).body["counter"], Value::Null);
    }

    async fn a_counter_and_its_first_product_at_once(site) {
        let library = site.user("library", "library").await;
        for round in 0..8 {
            let (counter, code) = (format!("c{round}"), format!("P{round}"));
            library.post("/counter", json!({ "_key": counter, "template": ["#6"] })).await.expect(200);
            let (path, body) = (format!("/counter/{counter}"), json!({ "code": code, "counter_key": counter }));
            let (gone, made) = tokio::join!(library.delete(&path), library.post("/product", body));
            match (gone.status, made.status) {
                (200, 422) | (409, 201) => {}
                other => panic!("{other:?} {} {}", gone.text, made.text),
            }
        }
    }

    async fn an_image_set_while_the_record_is_changed_stays(site) {
        let library = site.user("library", "library").await;
        for round in 0..8 {
            let key = format!("p{round}");
            create(&library, json!({ "_key": key, "code": key })).await;
            let (path, image) = (format!("/product/{key}"), format!("/product/{key}/image"));
            let files: [(&str, &str, &[u8]); 1] = [("new_image", "a.png", PNG)];
            let set = library.upload(Method::PUT, &image, &[], &files);
            let (set, one, two) = tokio::join!(set, library.patch(&path, json!({ "description": "x" })), library.patch(&path, json!({ "active": false })));
            for answer in [set, one, two] {
                answer.expect(200);
            }
            let after = library.get(&path).await.body;
            assert_eq!((&after["img_name"], &after["description"], &after["active"]), (&json!("image.png"), &json!("x"), &json!(false)));
        }
    }

    async fn fifty_tags_are_not_too_many(site) {
        let library = site.user("library", "library").await;
        create(&library, json!({ "_key": "p", "code": "P" })).await;
        create(&library, json!({ "_key": "q", "code": "Q" })).await;
        let keys: Vec<String> = (0..50).map(|number| format!("t{number}")).collect();
        for key in &keys {
            library.post("/tag", json!({ "_key": key, "name": key })).await.expect(200);
        }
        let links: Value = keys.iter().map(|key| json!({ "type": "add", "tag_key": key, "context": "product", "context_key": "p" })).collect();
        library.post("/tag/update-connections", links).await.expect(200);
        let query: Vec<String> = keys.iter().map(|key| format!("include_tags={key}")).collect();
        assert_eq!(codes(library.get(&format!("/product?{}", query.join("&"))).await), ["P"]);
        let query: Vec<String> = keys.iter().map(|key| format!("exclude_tags={key}")).collect();
        assert_eq!(codes(library.get(&format!("/product?{}", query.join("&"))).await), ["Q"]);
    }

    async fn a_tag_deleted_while_a_product_is_copied(site) {
        let library = site.user("library", "library").await;
        create(&library, json!({ "_key": "p", "code": "P" })).await;
        for round in 0..6 {
            let tag = format!("t{round}");
            library.post("/tag", json!({ "_key": tag, "name": tag })).await.expect(200);
            library.post("/tag/update-connections", json!([{ "type": "add", "tag_key": tag, "context": "product", "context_key": "p" }])).await.expect(200);
            let (path, body) = (format!("/tag/{tag}"), json!({ "original_product": "p", "new_code": format!("C{round}") }));
            let (gone, copied) = tokio::join!(library.delete(&path), library.post("/product/copy", body));
            gone.expect(200);
            copied.expect(201);
            assert_eq!(site.count("has_tag").await, 0);
        }
    }

    async fn lists_cost_a_few_statements(site) {
        let library = site.user("library", "library").await;
        for number in 0..30 {
            create(&library, json!({ "code": format!("P{number}") })).await;
        }
        let before = site.app().db.statements();
        library.get("/product?details=true&count=true").await.expect(200);
        let spent = site.app().db.statements() - before;
        assert!(spent <= 8, "{spent} statements");
    }
}
