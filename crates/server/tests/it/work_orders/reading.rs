use super::*;

on_both_engines! {
    async fn orders_are_listed_filtered_and_paged(site) {
        let planner = planner(site).await;
        made(&planner, "Pump", &["a"]).await;
        made(&planner, "Valve", &["a"]).await;
        let new = async |code: &str, product: &str, project: Value| {
            let body = json!({ "product_key": product, "qt_planned": 1, "wo_code": code, "project_code": project });
            key(&order(&planner, body).await.detail()["work_order"]).to_owned()
        };
        let keys = [new("A-1", "Pump", json!("Straße")).await, new("A-2", "Valve", Value::Null).await, new("B-1", "Pump", json!("x_y")).await, new("B-2", "Valve", json!("Pumps")).await];
        let close = async |key: &str, seconds: i64| {
            site.clock.advance_seconds(seconds);
            let job = key_of_job(&planner, key).await;
            post(&planner, json!({ "event_type": "JOB_CLOSED", "job_key": job })).await.expect(200);
        };
        close(&keys[0], 60).await;
        close(&keys[3], 60).await;
        let codes = async |query: &str| {
            let list = planner.get(&format!("/work-order{query}")).await.detail();
            each(&list, "wo_code").join(" ")
        };
        assert_eq!(codes("").await, "A-2 B-1 B-2 A-1", "open ones first, then those that ended last");
        assert_eq!(codes("?closed=false").await, "A-2 B-1");
        assert_eq!(codes("?open=false").await, "B-2 A-1");
        assert_eq!(codes("?open=false&closed=false").await, "");
        assert_eq!(codes("?product_key=Valve").await, "A-2 B-2");
        assert_eq!(codes("?product_key=nobody").await, "");
        for (search, found) in [("pump", "B-1 B-2 A-1"), ("STRAßE", "A-1"), ("traß", "A-1"), ("_", "B-1"), ("b-", "B-1 B-2"), ("", "A-2 B-1 B-2 A-1"), ("1pump", "")] {
            assert_eq!(codes(&format!("?search={search}")).await, found, "{search}");
        }
        assert_eq!(codes("?time_end_from=2026-03-01T08:02:00Z").await, "B-2");
        assert_eq!(codes("?time_end_to=2026-03-01T08:01:00Z").await, "A-1");
        assert_eq!(codes("?time_end_to=2026-03-01").await, "B-2 A-1", "to the end of that day");
        assert_eq!(codes("?time_start_from=2026-03-01T08:02:00Z&time_start_to=2026-03-02").await, "B-2");
        assert_eq!(codes("?limit=2&offset=1").await, "B-1 B-2");
        let counted = planner.get("/work-order?limit=1&count=true&open=false").await;
        assert_eq!(counted.header("x-total-count"), "2");
        planner.get("/work-order?open=maybe").await.expect(422);
        planner.get("/work-order/nobody").await.expect(404);
    }

    async fn a_read_order_knows_its_jobs_and_costs(site) {
        let planner = planner(site).await;
        made(&planner, "P", &["a", "b"]).await;
        product(&planner, "C", json!({ "cost": { "average": 2 } })).await;
        planner.put("/product/P/bom", json!([{ "component_key": "C", "qt": 1 }])).await.expect(200);
        let due = json!({ "product_key": "P", "qt_planned": 10, "due_by": "2026-03-01T08:30:00Z" });
        let made = order(&planner, due).await.detail();
        let (wo, job) = (key(&made["work_order"]), key(&made["jobs"][0]));
        planner.patch("/config", json!({ "operator_cost": 36 })).await.expect(200);
        post(&planner, json!({ "event_type": "JOB_STARTED", "job_key": job })).await.expect(200);
        site.clock.advance_seconds(100);
        let running = read(&planner, wo).await;
        assert_eq!((&running["processing_time"], &running["processing_cost"], &running["total_cost"]), (&json!(100_000), &json!(1), &json!(21)));
        assert_eq!((&running["status"], &running["active"], &running["start"]), (&json!("started"), &json!(true), &json!("2026-03-01T08:00:00.000Z")));
        assert_eq!((&running["on_time"], &running["issue_count"], &running["critical"]), (&json!(true), &json!(0), &json!(false)));
        let batch = running["jobs"][0]["active_batch_key"].clone();
        post(&planner, json!({ "event_type": "BATCH_COMPLETED", "active_batch_key": batch, "completed_batch_qt": 10 })).await.expect(200);
        site.clock.advance_seconds(3600);
        let later = read(&planner, wo).await;
        assert_eq!((&later["processing_time"], &later["on_time"], &later["progress"]), (&json!(100_000), &json!(false), &json!(50)));
        assert_eq!((&later["jobs"][0]["stage"], &later["jobs"][1]["next_batch_available"]), (&json!("closed"), &json!(true)));
        assert_eq!(planner.get("/work-order").await.detail()[0], later, "a list shows the same");
    }

    async fn a_page_costs_a_fixed_number_of_statements(site) {
        let planner = planner(site).await;
        let aliases: Vec<String> = (0..10).map(|index| format!("phase {index}")).collect();
        let aliases: Vec<&str> = aliases.iter().map(String::as_str).collect();
        made(&planner, "P", &aliases).await;
        made(&planner, "Q", &["only"]).await;
        let (large, answer) = site.statements(order(&planner, json!({ "product_key": "P", "qt_planned": 1 }))).await;
        answer.expect(200);
        let (small, answer) = site.statements(order(&planner, json!({ "product_key": "Q", "qt_planned": 1 }))).await;
        answer.expect(200);
        assert!(large <= 32 && small == large, "{small} and {large}");
        let (few, answer) = site.statements(planner.get("/work-order")).await;
        assert_eq!(answer.detail().as_array().unwrap().len(), 2);
        for _ in 0..20 {
            order_of(&planner, "P", 1).await;
        }
        let (many, answer) = site.statements(planner.get("/work-order")).await;
        assert_eq!(answer.detail().as_array().unwrap().len(), 22);
        assert!(many == few && many <= 9, "{few} and {many}");
    }
}

async fn key_of_job(person: &Person, order: &str) -> String {
    key(&read(person, order).await["jobs"][0]).to_owned()
}
