//! Many events in one request: all of them, or none.

use super::*;

fn extras(rows: Vec<Value>) -> Value {
    json!({ "shared_data": { "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job" }, "events": rows })
}

impl Shop {
    /// The types of all events of an order.
    async fn types(&self, order: &Order) -> Vec<Value> {
        let events = self.admin.get(&format!("/event?work_order_key={}&sort_by=seq&limit=1000", order.key)).await;
        events.expect(200).body.as_array().unwrap().iter().map(|event| event["event_type"].clone()).collect()
    }
}

/// How many statements something takes; at times the service runs one of its own beside it.
async fn fewest_statements(site: &Site, act: impl AsyncFn()) -> u64 {
    let mut fewest = u64::MAX;
    for _ in 0..4 {
        let before = site.app().db.statements();
        act().await;
        fewest = fewest.min(site.app().db.statements() - before);
    }
    fewest
}

on_both_engines! {
    /// Few bytes that all rows share would be many once each row has them.
    async fn what_rows_share_counts_for_each(site) {
        let shop = shop(site).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        let shared = json!({
            "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job", "entity_key": order.jobs[0],
            "extra_data": { "a": "x".repeat(100_000) },
        });
        let bulk = |rows: usize| json!({ "shared_data": shared, "events": vec![json!({}); rows] });
        let refused = shop.supervisor.post("/event/bulk", bulk(1_400)).await.faults();
        assert_eq!(refused, ["too_long body.shared_data"]);
        assert_eq!(shop.supervisor.post("/event/bulk", bulk(3)).await.detail()["event_count"], 3);
    }

    async fn rows_share_what_they_have_in_common(site) {
        let shop = shop(site).await;
        let order = shop.order("A", &all_at_once(2), 4.0).await;
        let before = site.count("event").await;
        let rows = vec![
            json!({ "entity_key": order.jobs[0], "extra_data": { "a": 1 } }),
            json!({ "entity_key": order.jobs[1], "extra_data": { "b": 2 }, "description": "own" }),
            json!({ "entity_key": order.key, "entity_type": "work_order", "extra_data": [3] }),
        ];
        let answer = shop.supervisor.post("/event/bulk?results=true", extras(rows.clone())).await.detail();
        assert_eq!(answer["event_count"], 3);
        let results = answer["results"].as_array().unwrap();
        assert_eq!(results[0]["entity"]["extra"], json!({ "a": 1 }));
        assert_eq!(shop.job(&order, 1).await, results[1]["entity"], "the answer is what is stored");
        assert_eq!(results[2]["entity"]["extra"], json!([3]));
        assert_eq!((&results[0]["seq"], &results[2]["seq"]), (&answer["first_seq"], &answer["last_seq"]));
        let group = results[0]["event_group"].as_str().unwrap();
        let kept = shop.admin.get(&format!("/event?event_group={group}&sort_by=seq&sorting_order=asc")).await.expect(200).body;
        let kept = kept.as_array().unwrap();
        assert_eq!(kept.len(), 3);
        for (event, result) in kept.iter().zip(results) {
            assert_eq!((&event["_key"], &event["seq"]), (&result["event_key"], &result["seq"]));
            assert_eq!(event["primary"], true);
        }
        assert_eq!(kept[1]["description"], "own");
        assert_eq!(site.count("event").await, before + 3);
        let quiet = shop.supervisor.post("/event/bulk", extras(rows.clone())).await.detail();
        assert_eq!(quiet.get("results"), None);
        assert_eq!(quiet["first_seq"], answer["last_seq"].as_i64().unwrap() + 1);
        let forbidden = shop.o1.post("/event/bulk", extras(rows)).await.expect(403);
        assert_eq!(forbidden.body["detail"]["required_scope"], "production:job:update");
    }

    async fn every_bad_row_is_told_and_nothing_is_stored(site) {
        let shop = shop(site).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        let mut rows = vec![json!({ "entity_key": order.jobs[0], "extra_data": { "a": 1 } }); 1000];
        rows[500] = json!({ "entity_key": "nobody", "extra_data": 1 });
        rows[700] = json!({ "entity_key": order.jobs[0], "wrong": 1 });
        rows[800] = json!({ "event_type": "JOB_STARTED", "entity_key": order.jobs[0], "extra_data": 1 });
        let before = site.contents().await;
        let told = refused(shop.supervisor.post("/event/bulk", extras(rows.clone())).await, "BulkRejected");
        assert_eq!((&told["total_events"], &told["failed"]), (&json!(1000), &json!(3)));
        let errors = told["errors"].as_array().unwrap();
        let shown: Vec<Value> = errors.iter().map(|error| json!([error["index"], error["error_type"]])).collect();
        let expected = [json!([500, "RecordNotFoundError"]), json!([700, "ValidationError"]), json!([800, "ValidationError"])];
        assert_eq!(shown, expected);
        assert_eq!(errors[1]["loc"], json!(["body", "events", 700, "extra_data"]));
        assert_eq!(errors[1]["faults"].as_array().unwrap().len(), 2, "all that is wrong with a row");
        let after = site.contents().await;
        for ((table, before), (_, after)) in before.iter().zip(&after).filter(|((table, _), _)| !table.starts_with("audit")) {
            assert_eq!(before, after, "{table} changed");
        }
        rows.retain(|row| row.get("wrong").is_none() && row.get("event_type").is_none() && row["entity_key"] != "nobody");
        assert_eq!(shop.supervisor.post("/event/bulk", extras(rows)).await.detail()["event_count"], 997);
    }

    /// A row that is refused after it has changed something is undone, and those behind it do not see it.
    async fn what_a_refused_row_did_is_undone_for_the_rows_behind_it(site) {
        let shop = shop(site).await;
        let steps = json!([{ "title": "Look" }]);
        let phase = json!({ "production_batch_qt": 1, "steps": steps });
        let order = shop.order("A", &[phase], 4.0).await;
        let job = shop.admin.get(&format!("/job/{}", order.jobs[0])).await.detail();
        let step = &job["step_sequence"][0]["_key"];
        let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        let row = |timestamp: &str| {
            json!({
                "active_batch_key": started["batch_data"]["_key"], "completed_batch_qt": 1, "timestamp": timestamp,
                "step_data": [{ "step_key": step }],
            })
        };
        let now = site.app().now().to_string();
        // The first two would have ended before they began, which is seen after their step was stored.
        let rows = vec![row("2020-01-01"), row("2020-01-02"), row(&now), row(&now)];
        let body = json!({ "shared_data": { "event_type": "BATCH_COMPLETED" }, "events": rows });
        let told = refused(shop.o1.post("/event/bulk", body).await, "BulkRejected");
        let kinds: Vec<&Value> = told["errors"].as_array().unwrap().iter().map(|error| &error["error_type"]).collect();
        assert_eq!(kinds, ["TimestampError", "TimestampError", "BatchNotActiveError"], "the third passed, the fourth saw it");
        assert_eq!(site.count("step_execution").await, 0);
        assert_eq!(shop.job(&order, 0).await["qt_completed"], 0);
    }

    /// An order may be large: rows that are refused must not make everybody else wait until each has read it anew.
    async fn refused_rows_read_their_order_once(site) {
        let shop = shop(site).await;
        let orders = [shop.order("A", &all_at_once(1), 4.0).await, shop.order("B", &all_at_once(1), 4.0).await];
        for kind in ["TIME_OVERRIDE_REQUESTED", "JOB_RESET", "JOB_PAUSED"] {
            let body = |rows: usize| {
                let row = |at: usize| json!({ "job_key": orders[at % 2].jobs[0] });
                let mut shared = json!({ "event_type": kind });
                if kind == "TIME_OVERRIDE_REQUESTED" {
                    shared["new_job_duration"] = json!(1);
                }
                json!({ "shared_data": shared, "events": (0..rows).map(row).collect::<Vec<_>>() })
            };
            let statements = async |rows: usize| {
                fewest_statements(site, async || {
                    let sent = shop.supervisor.post("/event/bulk?results=true", body(rows)).await;
                    assert_eq!(refused(sent, "BulkRejected")["failed"], rows);
                })
                .await
            };
            assert_eq!(statements(2).await, statements(200).await, "{kind}");
        }
    }

    /// What rows did is stored for the results, but nobody reads the order anew.
    async fn rows_with_results_read_their_order_once(site) {
        let shop = shop(site).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        let statements = async |rows: usize| {
            fewest_statements(site, async || {
                let row = |number: usize| json!({ "entity_key": order.jobs[0], "extra_data": number });
                let body = extras((0..rows).map(row).collect());
                shop.supervisor.post("/event/bulk?results=true", body).await.expect(200);
            })
            .await
        };
        assert_eq!(statements(20).await - statements(10).await, 3 * 10, "store the job, read it and what is shown of it");
    }

    /// Orders stay in memory from row to row, but only as many as fit.
    async fn many_large_orders_are_not_kept_together(site) {
        let shop = shop(site).await;
        let mut orders = Vec::new();
        for index in 0..34 {
            orders.push(shop.order(&format!("P{index}"), &all_at_once(1), 4.0).await);
        }
        let statements = async |rounds: usize| {
            let row = |order: &Order| json!({ "job_key": order.jobs[0], "new_job_duration": 1 });
            let rows: Vec<Value> = (0..rounds).flat_map(|_| orders.iter().map(row)).collect();
            let body = json!({ "shared_data": { "event_type": "TIME_OVERRIDE_REQUESTED" }, "events": rows });
            fewest_statements(site, async || {
                refused(shop.supervisor.post("/event/bulk", body.clone()).await, "BulkRejected");
            })
            .await
        };
        let once = statements(1).await;
        assert_eq!(statements(2).await, once, "all are kept");
        let large = Value::from("x".repeat(1024 * 1024 - 2));
        for order in &orders {
            let row = json!({ "entity_key": order.jobs[0], "extra_data": large });
            shop.supervisor.post("/event/bulk", extras(vec![row])).await.expect(200);
        }
        assert!(statements(2).await > once, "not all are kept");
    }

    async fn what_a_bulk_changes_back_has_changed(site) {
        let shop = shop(site).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        let job = json!({ "entity_key": order.jobs[0] });
        let whole = json!({ "entity_key": order.key, "entity_type": "work_order" });
        let row = |entity: &Value, data: Value| {
            let mut row = entity.clone();
            row["extra_data"] = data;
            row
        };
        for entity in [&job, &whole] {
            let revisions = async || (shop.job(&order, 0).await["_rev"].clone(), shop.read(&order).await["_rev"].clone());
            let before = revisions().await;
            let rows = vec![row(entity, json!(1)), row(entity, Value::Null)];
            shop.supervisor.post("/event/bulk", extras(rows)).await.expect(200);
            let after = revisions().await;
            assert_eq!((before.0 != after.0, before.1 != after.1), (entity == &job, entity == &whole));
        }
    }

    /// JSON that a parser accepts as long as it need not look into texts.
    async fn half_a_character_is_told_with_its_row(site) {
        let shop = shop(site).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        let body = format!(
            r#"{{"shared_data":{{"event_type":"EXTRA_UPDATE_REQUESTED","entity_type":"job","entity_key":"{}"}},"events":[{{"extra_data":"\ud800"}},7]}}"#,
            order.jobs[0]
        );
        let request = shop.supervisor.request(Method::POST, "/event/bulk").header("content-type", "application/json");
        let told = refused(shop.supervisor.send(request.body(body)).await, "BulkRejected");
        let kinds: Vec<&Value> =
            told["errors"].as_array().unwrap().iter().map(|error| &error["faults"][0]["type"]).collect();
        assert_eq!(kinds, ["json_invalid", "object_type"], "{told}");
        assert_eq!(told["errors"][0]["loc"], json!(["body", "events", 0]));
    }

    /// Rows find orders as the rows before left them, also those of other orders between.
    async fn a_bulk_leaves_what_its_rows_leave_one_by_one(site) {
        let shop = shop(site).await;
        let mut orders = Vec::new();
        for code in ["A", "B", "C", "D"] {
            let order = shop.order(code, &all_at_once(2), 10.0).await;
            for job in &order.jobs {
                let assigned = json!([{ "action": "update", "data": { "_key": job, "assigned_to": shop.o1.key } }]);
                shop.admin.post("/job/update", assigned).await.expect(200);
            }
            orders.push(order);
        }
        // Of two orders at a time: job, quantity.
        let sets = [(0, 0, 4), (1, 0, 10), (0, 1, 3), (0, 0, 9), (1, 1, 10), (0, 0, 5), (0, 1, 1), (0, 0, 10), (0, 1, 10)];
        let row = |order: &Order, job: usize, count: i32| {
            json!({ "job_key": order.jobs[job], "new_job_qt_completed": count, "should_adjust_duration": true })
        };
        let rows = sets.map(|(order, job, count)| row(&orders[order], job, count));
        let shared = json!({ "event_type": "PROGRESS_OVERRIDE_REQUESTED" });
        shop.supervisor.post("/event/bulk", json!({ "shared_data": shared, "events": rows })).await.expect(200);
        for (order, job, count) in sets {
            event(&shop.supervisor, "PROGRESS_OVERRIDE_REQUESTED", row(&orders[order + 2], job, count)).await.expect(200);
        }
        super::books::audit(site).await;
        for order in 0..2 {
            let (bulk, single) = (shop.read(&orders[order]).await, shop.read(&orders[order + 2]).await);
            for member in ["status", "qt_completed", "qt_scrap", "progress"] {
                assert_eq!(bulk[member], single[member], "{member}");
            }
            assert_eq!(bulk["status"], "closed");
            for job in 0..2 {
                assert_eq!(state(&bulk["jobs"][job]), state(&single["jobs"][job]));
            }
            assert_eq!(shop.types(&orders[order]).await, shop.types(&orders[order + 2]).await);
        }
    }

    async fn the_outline_has_to_fit(site) {
        let shop = shop(site).await;
        let shared = json!({ "event_type": "JOB_STARTED" });
        for (body, fault) in [
            (json!({ "shared_data": shared, "events": [] }), "too_short body.events"),
            (json!({ "shared_data": shared }), "missing body.events"),
            (json!({ "shared_data": {}, "events": [{}] }), "missing body.shared_data.event_type"),
            (json!({ "shared_data": { "event_type": "X" }, "events": [{}] }), "event_type_unknown body.shared_data.event_type"),
            (json!({ "shared_data": shared, "events": [{}], "more": 1 }), "extra_forbidden body.more"),
        ] {
            let answer = shop.admin.post("/event/bulk", body).await.expect(422);
            assert!(answer.faults().contains(&fault.to_owned()), "{}", answer.text);
        }
        let many = vec![json!({}); 100_001];
        let answer = shop.admin.post("/event/bulk", json!({ "shared_data": shared, "events": many })).await.expect(422);
        assert!(answer.faults().contains(&"too_long body.events".to_owned()), "{}", answer.text);
        let made = json!({ "shared_data": { "event_type": "WORK_ORDER_CLOSED" }, "events": [{}] });
        refused(shop.admin.post("/event/bulk", made).await, "EventNotAllowed");
        let many = vec![json!({}); 1_500];
        let told = refused(shop.admin.post("/event/bulk", json!({ "shared_data": shared, "events": many })).await, "BulkRejected");
        assert_eq!((told["failed"].as_i64(), told["errors"].as_array().unwrap().len()), (Some(1_500), 1_000));
    }
}
