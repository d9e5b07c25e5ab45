//! Figures that nothing can hold: refused, or not shown; never wrong.

use testkit::{Method, Value, json, on_both_engines};

use crate::production::{all_at_once, complete, event, refused, shop};

const MOST: i64 = 1_000_000_000_000;

on_both_engines! {
    async fn a_batch_that_is_worth_too_much_has_no_value(site) {
        let shop = shop(site).await;
        shop.admin.post("/product", json!({ "_key": "C", "code": "C", "cost": { "average": 1_000_000 } })).await.expect(201);
        let order = shop.order("P", &all_at_once(2), 1e8).await;
        let phases = shop.read(&order).await["phase_sequence"].clone();
        let bom = json!({ "new_bom": [{ "component_key": "C", "qt": 1, "phase_key": phases[0] }] });
        shop.admin.patch(&format!("/work-order/{}", order.key), bom).await.expect(200);
        for job in &order.jobs {
            assert_eq!(shop.make(&shop.o1, job).await["completed_batch"]["value"], Value::Null);
        }
        let read = shop.read(&order).await;
        assert_eq!((&read["material_cost"], &read["total_cost"]), (&Value::Null, &Value::Null));
        // Set down to what can be said, it is said again.
        let set = |job: &str, count: f64| json!({ "job_key": job, "new_job_qt_completed": count });
        for job in [&order.jobs[1], &order.jobs[0]] {
            event(&shop.supervisor, "PROGRESS_OVERRIDE_REQUESTED", set(job, 1000.5)).await.expect(200);
        }
        event(&shop.supervisor, "PROGRESS_OVERRIDE_REQUESTED", set(&order.jobs[1], 500.0)).await.expect(200);
        let values: Vec<Option<domain::Quantity>> = site.all("select value from batch where canceled is null order by key").await;
        let values: Vec<String> = values.into_iter().flatten().map(|value| value.to_string()).collect();
        assert_eq!(values, ["1000500000", "500000000"]);
    }

    async fn work_that_costs_too_much_has_no_cost(site) {
        let shop = shop(site).await;
        shop.admin.patch(&format!("/user/{}", shop.o1.key), json!({ "hourly_cost": MOST })).await.expect(200);
        let order = shop.order("P", &all_at_once(1), 1.0).await;
        let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        site.clock.advance_seconds(3600);
        assert_eq!(shop.read(&order).await["processing_cost"], MOST);
        site.clock.advance_seconds(1);
        let read = shop.read(&order).await;
        assert_eq!((&read["processing_cost"], &read["total_cost"], &read["material_cost"]), (&Value::Null, &Value::Null, &json!(0)));
        let done = complete(&shop.o1, &started["batch_data"], json!({})).await.detail();
        assert_eq!(done["completed_batch"]["value"], Value::Null);
        let time = json!({ "job_key": order.jobs[0], "new_job_duration": 1000 });
        event(&shop.supervisor, "TIME_OVERRIDE_REQUESTED", time).await.expect(200);
        let value: domain::Quantity = site.look("select value from batch", vec![]).await.unwrap();
        assert_eq!(value.to_string(), "277777777.777778");
    }

    async fn no_phase_is_planned_with_more_than_can_be_counted(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(2), 1e12).await;
        let phase = shop.read(&order).await["phase_sequence"][0].clone();
        let insert = |quantity: Value| {
            let data = json!({ "work_order_key": order.key, "phase_key": phase, "qt_planned": quantity });
            json!([{ "action": "insert", "data": data }])
        };
        for quantity in [json!(MOST), json!(0.000001)] {
            let answer = shop.admin.post("/job/update", insert(quantity)).await.expect(422);
            assert_eq!(answer.faults(), ["QuantityOverflow body.0.data.qt_planned"]);
        }
        let update = |job: &str, quantity: i64| json!({ "action": "update", "data": { "_key": job, "qt_planned": quantity } });
        let halves = json!([update(&order.jobs[0], MOST / 2), insert(json!(MOST / 2))[0]]);
        let jobs = shop.admin.post("/job/update", halves).await.detail();
        let more = json!([update(jobs[1]["_key"].as_str().unwrap(), MOST)]);
        assert_eq!(shop.admin.post("/job/update", more.clone()).await.faults(), ["QuantityOverflow body.0.data.qt_planned"]);
        let body = json!({ "new_quantity": 5, "job_updates": more });
        let answer = shop.admin.patch(&format!("/work-order/{}/update-quantities", order.key), body).await;
        assert_eq!(answer.faults(), ["QuantityOverflow body.job_updates.0.data.qt_planned"]);
        // An order of the time before this was looked at.
        site.execute("update job set qt_planned = 1000000000000000000", vec![]).await;
        shop.make(&shop.o1, &order.jobs[0]).await;
        let other = json!({ "job_key": jobs[1]["_key"] });
        refused(event(&shop.o2, "JOB_STARTED", other).await, "QuantityOverflow");
        let wip = shop.admin.get(&format!("/wip?job_key={}", order.jobs[1])).await.expect(200).body;
        assert_eq!(wip["free_wip_qt_upstream"], MOST);
        site.execute("update job set qt_completed = 1000000000000000000 where phase_key = $1", vec![phase_id(&phase).into()]).await;
        let wip = shop.admin.get(&format!("/wip?job_key={}", order.jobs[1])).await.expect(200).body;
        assert_eq!(wip["free_wip_qt_upstream"], Value::Null, "twice as much as can be said");
    }

    async fn sums_of_a_product_are_shown_or_not(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(1), 1e12).await;
        shop.make(&shop.o1, &order.jobs[0]).await;
        let stats = shop.admin.get("/product/P/stats").await.expect(200).body;
        assert_eq!((&stats["units_made"], &stats["open_qt"]), (&json!(MOST), &json!(0)));
        for _ in 0..2 {
            shop.admin.post("/work-order", json!({ "product_key": "P", "qt_planned": MOST })).await.expect(200);
        }
        let second = shop.admin.post("/work-order", json!({ "product_key": "P", "qt_planned": MOST })).await.detail();
        shop.make(&shop.o1, second["jobs"][0]["_key"].as_str().unwrap()).await;
        let stats = shop.admin.get("/product/P/stats?window_type=time&window_size=9223372036854775807").await.expect(200).body;
        assert_eq!((&stats["units_made"], &stats["open_qt"], &stats["units_scrapped"]), (&Value::Null, &Value::Null, &json!(0)));
        assert_eq!((&stats["phases"][0]["qt_pass"], &stats["phases"][0]["first_pass_yield"]), (&Value::Null, &json!(1)));
        assert_eq!(stats["rolled_yield"], 1);
    }

    /// Sums of times do not fit a column either, and nothing that reads them fails.
    async fn time_that_can_not_be_counted_is_not_shown(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &[json!({ "production_batch_qt": 1 })], 2.0).await;
        let job = &order.jobs[0];
        let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": job })).await.detail();
        let second = complete(&shop.o1, &started["batch_data"], json!({})).await.detail();
        complete(&shop.o1, &second["batch_data"], json!({})).await.expect(200);
        let long = "update work_session set duration = 9000000000000000000";
        site.execute(long, vec![]).await;
        assert_eq!(shop.admin.get(&format!("/job/{job}/time")).await.detail(), Value::Null);
        let read = shop.read(&order).await;
        assert_eq!((&read["processing_time"], &read["processing_cost"]), (&Value::Null, &Value::Null));
        shop.admin.get("/product/P/stats").await.expect(200);
        let early = json!({ "job_key": job, "new_job_duration": 3_155_760_000_000_i64 });
        event(&shop.supervisor, "TIME_OVERRIDE_REQUESTED", early).await.expect(200);
        assert_eq!(shop.admin.get(&format!("/job/{job}/time")).await.detail(), 3_155_760_000_000_i64);
    }

    async fn no_end_is_estimated_beyond_the_end_of_time(site) {
        let shop = shop(site).await;
        let slow = json!({ "production_batch_qt": 1, "std_processing_time": MOST });
        let order = shop.order("P", &[slow], 1e12).await;
        let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        assert_eq!(started["job_data"]["estimated_completion"], Value::Null);
        let job = shop.admin.send(shop.admin.request(Method::GET, &format!("/job/{}", order.jobs[0]))).await.detail();
        assert_eq!(job["estimated_completion"], Value::Null);
    }
}

fn phase_id(key: &Value) -> domain::key::PhaseKey {
    serde_json::from_value(key.clone()).expect("a key")
}
