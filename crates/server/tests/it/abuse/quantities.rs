//! Quantities as programs send them: as numbers, as text, and with what binary floats leave behind.

use testkit::{Method, Value, form, json, on_both_engines};

use crate::production::{all_at_once, event, shop};

/// What programs reckon.
fn noisy() -> f64 {
    0.1 + 0.2
}

on_both_engines! {
    async fn every_input_takes_text_and_noise(site) {
        let shop = shop(site).await;
        let admin = &shop.admin;
        let product = json!({
            "_key": "C", "code": "C", "cost": { "average": noisy(), "target": "2.50" }, "technical_batch_qt": "7",
            "minimum_order_qt": 1e1, "throughput_time_target": "1e3",
        });
        let made = admin.post("/product", product).await.expect(201).body["detail"].clone();
        assert_eq!(made["cost"], json!({ "average": 0.3, "target": 2.5 }));
        assert_eq!((&made["technical_batch_qt"], &made["minimum_order_qt"], &made["throughput_time_target"]), (&json!(7), &json!(10), &json!(1000)));
        let fields = [("code", "F"), ("minimum_order_qt", "0.30000000000000004"), ("cost", r#"{"average": "1.5"}"#)];
        let made = admin.send(admin.request(Method::POST, "/product").multipart(form(&fields, &[]))).await.expect(201).body["detail"].clone();
        assert_eq!((&made["minimum_order_qt"], &made["cost"]["average"]), (&json!(0.3), &json!(1.5)));

        let user = json!({ "username": "dear", "scope": "operator", "hourly_cost": "36" });
        let user = admin.post("/user", user).await.detail()["user_key"].as_str().unwrap().to_owned();
        assert_eq!(admin.get(&format!("/user/{user}")).await.detail()["hourly_cost"], 36);
        admin.patch(&format!("/user/{user}"), json!({ "hourly_cost": noisy() })).await.expect(200);
        assert_eq!(admin.get(&format!("/user/{user}")).await.detail()["hourly_cost"], 0.3);
        let entries = json!({ "operator_cost": "12.5", "default_operation_parameters": { "production_batch_qt": "2" } });
        admin.patch("/config", entries).await.expect(200);
        let stored: String = site.look("select value from config where key = 'operator_cost'", vec![]).await.unwrap();
        assert_eq!(stored, "12.5", "kept as a number");

        let phase = json!({ "production_batch_qt": "0", "std_processing_time": noisy() });
        let order = shop.order("P", &[phase], 4.0).await;
        admin.put("/product/P/bom", json!([{ "component_key": "C", "qt": "0.5" }])).await.expect(200);
        assert_eq!(admin.get("/product/P/bom").await.expect(200).body[0]["qt"], 0.5);
        let exploded = admin.get("/product/P/bom/explode?qt=0.30000000000000004").await.expect(200).body;
        assert_eq!((&exploded["qt"], &exploded["totals"][0]["qt"]), (&json!(0.3), &json!(0.15)));
        let line = json!({ "component_key": "C", "qt": "1.25", "consumption_options": { "minimum_quantity": "3" } });
        let second = json!({ "product_key": "P", "qt_planned": "4", "wo_bom": [line] });
        let second = admin.post("/work-order", second).await.detail();
        assert_eq!((&second["work_order"]["qt_planned"], &second["work_order"]["wo_bom"][0]["qt"]), (&json!(4), &json!(1.25)));
        let path = format!("/work-order/{}/update-quantities", second["work_order"]["_key"].as_str().unwrap());
        assert_eq!(admin.patch(&path, json!({ "new_quantity": "5.5" })).await.detail()["qt_planned"], 5.5);

        let job = &order.jobs[0];
        assert_eq!(admin.get(&format!("/job/{job}")).await.detail()["parameters"]["std_processing_time"], 0.3);
        let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": job })).await.detail();
        event(&shop.o1, "ACTIVE_BATCH_CHANGED", json!({ "job_key": job, "new_active_batch_qt": "3" })).await.expect(200);
        let completed = json!({
            "active_batch_key": started["batch_data"]["_key"], "completed_batch_qt": "2.7", "scrap_qt": noisy(), "scrap_reason": "bent"
        });
        let done = event(&shop.o1, "BATCH_COMPLETED", completed).await.detail();
        assert_eq!((&done["completed_batch"]["qt_pass"], &done["completed_batch"]["qt_scrap"]), (&json!(2.7), &json!(0.3)));
        let kept = admin.get(&format!("/event/{}", done["event_key"].as_str().unwrap())).await.expect(200).body["payload"].clone();
        assert_eq!((&kept["completed_batch_qt"], &kept["scrap_qt"]), (&json!(2.7), &json!(0.3)), "told as what was taken");
    }

    async fn cells_take_noise(site) {
        let admin = site.admin().await;
        let file = "code,cost_average,minimum_order_qt\nA,0.30000000000000004,1e2\n";
        let request = admin.request(Method::POST, "/product/import").multipart(form(&[], &[("file", "p.csv", file.as_bytes())]));
        let tried = admin.send(request.header("accept", "application/json")).await.expect(200).body;
        let fields = [("dry_run", "false"), ("file_key", tried["file_key"].as_str().unwrap())];
        admin.send(admin.request(Method::POST, "/product/import").multipart(form(&fields, &[]))).await.expect(200);
        let product = admin.get("/product?details=true").await.expect(200).body[0].clone();
        assert_eq!((&product["cost"]["average"], &product["minimum_order_qt"]), (&json!(0.3), &json!(100)));
    }

    async fn what_is_no_quantity_is_refused(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(1), 4.0).await;
        let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        for (sent, kind) in [
            (json!("four"), "float_type"), (json!(""), "float_type"), (json!(" 4"), "float_type"), (json!("NaN"), "float_type"),
            (json!("Infinity"), "float_type"), (json!(true), "float_type"), (json!([4]), "float_type"), (json!("1,5"), "float_type"),
            (json!(0.0000001), "decimal_parsing"), (json!("0.1234567"), "decimal_parsing"), (number("1e13"), "less_than_equal"),
            (json!("1000000000000.000001"), "less_than_equal"), (number("1e400"), "less_than_equal"),
            (json!("-1"), "greater_than"), (json!("0"), "greater_than"), (json!("0e99999999999"), "greater_than"),
        ] {
            let body = json!({ "product_key": "P", "qt_planned": sent });
            let answer = shop.admin.post("/work-order", body).await.expect(422);
            assert_eq!(answer.faults(), [format!("{kind} body.qt_planned")], "{sent}");
            let members = json!({ "job_key": order.jobs[0], "new_active_batch_qt": sent });
            assert_eq!(event(&shop.o1, "ACTIVE_BATCH_CHANGED", members).await.expect(422).faults(), [format!("{kind} body.new_active_batch_qt")]);
        }
        let answer = shop.admin.patch("/config", json!({ "operator_cost": "-0.5" })).await.expect(422);
        assert_eq!(answer.faults(), ["greater_than_equal body.operator_cost"]);
    }

    async fn the_document_says_what_is_read_and_what_is_written(site) {
        let document = site.visitor("nobody").get("/openapi.json").await.expect(200).body;
        let follow = |schema: &Value| match schema["$ref"].as_str() {
            Some(path) => document.pointer(path.trim_start_matches('#')).unwrap().clone(),
            None => schema.clone(),
        };
        let operation = &document["paths"]["/work-order"]["post"];
        let sent = follow(&operation["requestBody"]["content"]["application/json"]["schema"]);
        let planned = &sent["properties"]["qt_planned"];
        assert_eq!((&planned["type"], &planned["format"]), (&json!(["number", "string"]), &json!("decimal")));
        let read = follow(&document["components"]["schemas"]["WorkOrder"]);
        assert_eq!(read["properties"]["qt_planned"]["type"], "number");
        assert_eq!(read["properties"]["material_cost"]["type"], json!(["number", "null"]));
    }
}
