//! What was entered, what is open, and how well a product is made.

use super::*;

async fn finish(person: &Person, job: &str, seconds: i64, site: &Site, pass: i64, scrap: i64) {
    let started = post(person, json!({ "event_type": "JOB_STARTED", "job_key": job })).await.detail();
    site.clock.advance_seconds(seconds);
    let event = json!({
        "event_type": "BATCH_COMPLETED", "active_batch_key": started["batch_data"]["_key"], "completed_batch_qt": pass, "scrap_qt": scrap,
        "scrap_reason": if scrap > 0 { json!("bent") } else { Value::Null },
    });
    post(person, event).await.expect(200);
}

on_both_engines! {
    async fn what_was_entered_is_shown_batch_by_batch(site) {
        let planner = planner(site).await;
        product(&planner, "P", json!({})).await;
        planner.post("/field", json!({ "_key": "torque", "name": "Torque", "type": "number" })).await.expect(200);
        let form = json!([{ "_key": "t", "custom_field_key": "torque", "label": "Nm" }, { "_key": "u", "custom_field_key": "torque" }]);
        let steps = json!([{ "title": "Clean" }, { "title": "Torque", "type": "form", "form_fields": form }]);
        let mut prep = phase("Prep", steps);
        prep["params"] = json!({ "production_batch_qt": 2, "step_check": true, "auto_new_batch": false });
        process(&planner, "P", json!([prep, phase("Pack", json!([{ "title": "Wrap" }])), phase("Ship", json!([]))])).await;
        let first = order_of(&planner, "P", 4).await;
        let wo = key(&first["work_order"]);
        let jobs = each(&first["jobs"], "_key");
        let steps = each(&first["jobs"][0]["step_sequence"], "_key");
        let path = format!("/work-order/{wo}/traceability");
        assert_eq!(planner.get(&path).await.detail(), json!([]));
        let batch = post(&planner, json!({ "event_type": "JOB_STARTED", "job_key": jobs[0] })).await.detail()["batch_data"]["_key"].clone();
        post(&planner, json!({ "event_type": "STEP_COMPLETED", "batch_key": batch, "step_key": steps[0] })).await.expect(200);
        planner.post("/batch/temp-data", json!({ "batch_key": batch, "step_key": steps[1], "form_data": [{ "form_field_key": "t", "value": 1 }] })).await.expect(200);
        let rows = planner.get(&path).await.detail();
        assert_eq!(rows[0], json!({
            "step_key": steps[0], "step_title": "Clean", "serial_code": null, "serial_key": null, "batch_key": batch, "batch_qt": 2, "job_key": jobs[0],
            "operator_key": planner.key, "operator_username": "admin", "timestamp": "2026-03-01T08:00:00.000Z",
            "phase_key": first["jobs"][0]["phase_key"], "phase_alias": "Prep", "form_fields": [],
        }));
        assert_eq!((&rows[1]["timestamp"], &rows[1]["form_fields"][0]["value"]), (&Value::Null, &Value::Null), "what is not done is not shown");
        let values = json!([{ "form_field_key": "t", "value": 5.50 }]);
        post(&planner, json!({ "event_type": "STEP_COMPLETED", "batch_key": batch, "step_key": steps[1], "form_data": values })).await.expect(200);
        site.clock.advance_seconds(60);
        post(&planner, json!({ "event_type": "JOB_RESUMED", "job_key": jobs[0] })).await.expect(200);
        post(&planner, json!({ "event_type": "JOB_PAUSED", "job_key": jobs[0] })).await.expect(200);
        finish(&planner, jobs[1], 1, site, 2, 0).await;
        let rows = planner.get(&path).await.detail();
        let shown: Vec<String> = rows.as_array().unwrap().iter().map(|row| format!("{} {}", row["phase_alias"].as_str().unwrap(), row["step_title"].as_str().unwrap())).collect();
        assert_eq!(shown, ["Prep Clean", "Prep Torque", "Prep Clean", "Prep Torque", "Pack Wrap"]);
        assert_eq!(rows[1]["form_fields"], json!([
            { "form_field_key": "t", "custom_field_key": "torque", "field_type": "number", "field_label": "Nm", "value": 5.5, "serial_field_value": null },
            { "form_field_key": "u", "custom_field_key": "torque", "field_type": "number", "field_label": "Torque", "value": null, "serial_field_value": null },
        ]));
        for offset in 0..6 {
            for limit in 1..4 {
                let page = planner.get(&format!("{path}?limit={limit}&offset={offset}&count=true")).await;
                assert_eq!(page.header("x-total-count"), "5");
                let wanted: Vec<Value> = rows.as_array().unwrap().iter().skip(offset).take(limit).cloned().collect();
                assert_eq!(page.detail(), json!(wanted), "{limit} from {offset}");
            }
        }
        post(&planner, json!({ "event_type": "BATCH_CANCELED", "job_key": jobs[0] })).await.expect(200);
        assert_eq!(planner.get(&path).await.detail().as_array().unwrap().len(), 3, "without batches that were taken back");
        planner.get("/work-order/nobody/traceability").await.expect(404);
    }

    async fn files_lie_where_a_batch_has_a_field(site) {
        let planner = planner(site).await;
        product(&planner, "P", json!({})).await;
        for field in ["photo", "other"] {
            planner.post("/field", json!({ "_key": field, "name": field, "type": "files" })).await.expect(200);
        }
        let form = json!([{ "_key": "p", "custom_field_key": "photo" }]);
        process(&planner, "P", json!([phase("a", json!([{ "title": "s", "type": "form", "form_fields": form }, { "title": "t" }])), phase("b", json!([{ "title": "u" }]))])).await;
        let (first, second) = (order_of(&planner, "P", 1).await, order_of(&planner, "P", 1).await);
        let (one, two) = (key(&first["work_order"]), key(&second["work_order"]));
        let start = async |made: &Value| {
            let job = key(&made["jobs"][0]).to_owned();
            let batch = post(&planner, json!({ "event_type": "JOB_STARTED", "job_key": job })).await.detail()["batch_data"]["_key"].clone();
            post(&planner, json!({ "event_type": "JOB_PAUSED", "job_key": job })).await.expect(200);
            batch.as_str().unwrap().to_owned()
        };
        let (own, foreign) = (start(&first).await, start(&second).await);
        let (step, other) = (key(&first["jobs"][0]["step_sequence"][0]).to_owned(), key(&first["jobs"][0]["step_sequence"][1]).to_owned());
        let later = key(&first["jobs"][1]["step_sequence"][0]).to_owned();
        let store = async |order: &str, subfolder: &str| {
            let fields = [("bucket", "traceability"), ("object_key", order), ("subfolder", subfolder)];
            planner.upload(Method::POST, "/files", &fields, &[("contents", "a.txt", b"1")]).await.status
        };
        let good = format!("{own}/{step}/photo/p");
        assert_eq!(store(one, &good).await, 200);
        let bad = [
            String::new(), own.clone(), format!("{own}/{step}/photo"), format!("{good}/more"), format!("{foreign}/{step}/photo/p"),
            format!("{own}/{other}/photo/p"), format!("{own}/{later}/photo/p"), format!("{own}/{step}/other/p"), format!("{own}/{step}/photo/q"), format!("x/{step}/photo/p"),
        ];
        for subfolder in &bad {
            assert_eq!(store(one, subfolder).await, 404, "{subfolder}");
        }
        assert_eq!(store(two, &good).await, 404);
        assert_eq!(store("nobody", &good).await, 404);
        let listed = planner.get(&format!("/files?bucket=traceability&object_key={one}&recursive=true")).await.expect(200).body;
        assert_eq!((&listed[0]["subfolder"], &listed[0]["name"]), (&json!(good), &json!("a.txt")));
        let address = listed[0]["path"].as_str().unwrap().to_owned();
        assert_eq!(planner.media(&address).await.text().await.unwrap(), "1");
        planner.delete("/field/photo").await.expect(200);
        assert_eq!(store(one, &good).await, 404, "the custom field is gone");
        planner.delete(&format!("/force-delete-work-order/{one}")).await.expect(200);
        assert_eq!(planner.media(&address).await.status(), 404);
        assert_eq!(site.objects(), 0);
    }

    async fn what_open_jobs_are_about(site) {
        let planner = planner(site).await;
        assert_eq!(planner.get("/work-order-search-opts").await.detail(), json!({ "phases": [], "products": [], "wo_codes": [] }));
        let phases = made(&planner, "P", &["b", "A"]).await;
        made(&planner, "q", &["c"]).await;
        let first = order_of(&planner, "P", 1).await;
        order_of(&planner, "P", 1).await;
        let third = order_of(&planner, "q", 1).await;
        post(&planner, json!({ "event_type": "JOB_CLOSED", "job_key": key(&third["jobs"][0]) })).await.expect(200);
        post(&planner, json!({ "event_type": "JOB_CLOSED", "job_key": key(&first["jobs"][0]) })).await.expect(200);
        let options = planner.get("/work-order-search-opts").await.detail();
        assert_eq!(options["phases"], json!([{ "_key": phases[1], "name": "A" }, { "_key": phases[0], "name": "b" }]));
        assert_eq!(options["products"], json!([{ "_key": "P", "name": "P" }]));
        assert_eq!(each(&options["wo_codes"], "name"), ["26000002"], "nothing more comes to the first");
    }

    async fn how_well_a_product_is_made(site) {
        let planner = planner(site).await;
        let old = made(&planner, "P", &["cut", "weld"]).await;
        let path = "/product/P/stats";
        let empty = planner.get(path).await.expect(200).body;
        assert_eq!(empty, json!({
            "window": { "type": "count", "size": null, "from": null, "to": "2026-03-01T08:00:00.000Z" }, "open_work_orders": 0, "open_qt": 0, "units_made": 0,
            "units_scrapped": 0, "serials_released": 0, "mean_processing_time": null, "mean_throughput_time": null, "on_time_rate": null, "phases": [],
            "rolled_yield": null, "first_pass_units": 0,
        }));
        let run = async |planner: &Person, scrap: i64| {
            let body = json!({ "product_key": "P", "qt_planned": 10, "due_by": "2026-03-01T09:00:00Z" });
            let made = order(planner, body).await.detail();
            finish(planner, key(&made["jobs"][0]), 100, site, 10 - scrap, scrap).await;
            finish(planner, key(&made["jobs"][1]), 60, site, 10 - scrap, 0).await;
        };
        run(&planner, 0).await;
        site.clock.advance_seconds(3 * 86_400);
        let planner = site.admin().await;
        run(&planner, 5).await;
        let stored = planner.get("/product/P/process").await.body;
        let mut sent = stored.as_array().unwrap().clone();
        sent[1]["alias"] = json!("join");
        planner.put("/product/P/process", json!([sent[1]])).await.expect(200);
        let made = order_of(&planner, "P", 4).await;
        finish(&planner, key(&made["jobs"][0]), 8, site, 3, 1).await;
        order_of(&planner, "P", 7).await;
        let stats = planner.get(path).await.expect(200).body;
        assert_eq!((&stats["open_work_orders"], &stats["open_qt"]), (&json!(1), &json!(7)));
        assert_eq!((&stats["units_made"], &stats["units_scrapped"]), (&json!(18), &json!(6)));
        assert_eq!(stats["mean_processing_time"].to_string(), "18.222222", "328 seconds for 18 units");
        assert_eq!(stats["mean_throughput_time"].to_string(), "109.333333");
        assert_eq!(stats["on_time_rate"].to_string(), "0.666667");
        assert_eq!(stats["phases"], json!([
            { "phase_key": old[1], "alias": "join", "qt_pass": 18, "qt_scrap": 1, "first_pass_yield": 0.947368, "mean_processing_time": 7.111111 },
            { "phase_key": old[0], "alias": "cut", "qt_pass": 15, "qt_scrap": 5, "first_pass_yield": 0.75, "mean_processing_time": 13.333333 },
        ]));
        assert_eq!(stats["rolled_yield"].to_string(), "0.710526");
        assert_eq!(stats["window"]["from"], "2026-03-01T08:02:40.000Z", "the end of the first order");
        let last_two = planner.get("/product/P/stats?window_size=2").await.body;
        assert_eq!((&last_two["units_made"], &last_two["on_time_rate"], &last_two["window"]["size"]), (&json!(8), &json!(0.5), &json!(2)));
        let days = planner.get("/product/P/stats?window_type=time&window_size=1").await.body;
        assert_eq!((&days["units_made"], &days["window"]["type"], &days["window"]["from"]), (&json!(8), &json!("time"), &json!("2026-03-03T08:05:28.000Z")));
        planner.patch("/product/P", json!({ "kpi_window_type": "count", "kpi_window_size": 1 })).await.expect(200);
        let latest = planner.get(path).await.body;
        assert_eq!((&latest["units_made"], latest["phases"].as_array().unwrap().len(), &latest["rolled_yield"]), (&json!(3), 1, &json!(0.75)));
        assert_eq!(planner.get("/product/P/stats?window_size=9000000000000000").await.body["units_made"], 18);
        assert_eq!(planner.get("/product/P/stats?window_type=time&window_size=9000000000000000").await.body["units_made"], 18);
        planner.get("/product/P/stats?window_size=0").await.expect(422);
        planner.get("/product/nobody/stats").await.expect(404);
        for _ in 0..20 {
            order(&planner, json!({ "product_key": "P", "qt_planned": 1_000_000_000_000_i64 })).await.expect(200);
        }
        assert_eq!(planner.get(path).await.expect(200).body["open_work_orders"], 21, "no sum is too large");
    }
}
