use super::*;

on_both_engines! {
    async fn jobs_are_split_planned_anew_and_given_away(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(2), 10.0).await;
        let first = read(&shop.admin, &order.jobs[0]).await;
        let updates = json!([
            split(&first, json!({ "qt_planned": 4, "assigned_to": shop.o1.key, "notes": "The left half." })),
            change(&order.jobs[0], json!({
                "qt_planned": 6, "assigned_to": shop.o2.key, "notes": "The right half.", "due_by": "2026-03-31",
                "start_from": "2026-03-02", "parameters": { "production_batch_qt": 2.5, "step_check": true }, "extra": { "lane": [1] }
            })),
        ]);
        let made = update(&shop.admin, updates).await.detail();
        let (left, right) = (&made[0], &made[1]);
        assert_eq!((&left["qt_planned"], &left["notes"], &left["assigned_user"]["username"]), (&json!(4), &json!("The left half."), &json!("o1")));
        assert_eq!((&left["phase_key"], &left["stage"], &left["next_batch_available"]), (&first["phase_key"], &json!("created"), &json!(true)));
        assert_eq!((&right["_key"], &right["qt_planned"], &right["notes"]), (&json!(order.jobs[0]), &json!(6), &json!("The right half.")));
        assert_eq!([&right["due_by"], &right["start_from"]], ["2026-03-31T23:59:59.999Z", "2026-03-02T00:00:00.000Z"]);
        assert_eq!((&right["parameters"]["production_batch_qt"], &right["extra"]), (&json!(2.5), &json!({ "lane": [1] })));
        assert_eq!((&right["parameters"]["step_check"], &right["parameters"]["max_offline"]), (&json!(false), &json!(300)), "it has no steps");
        assert_ne!(right["_rev"], first["_rev"]);
        let jobs = shop.read(&order).await["jobs"].clone();
        assert_eq!(each(&jobs, "_key"), [order.jobs[0].as_str(), left["_key"].as_str().unwrap(), order.jobs[1].as_str()]);

        let told = told(&shop.admin, &order).await;
        assert_eq!(told, ["WORK_ORDER_CREATED", "WORK_ORDER_UPDATED"]);
        let events = shop.admin.get(&format!("/event?type=WORK_ORDER_UPDATED&job_key={}", left["_key"].as_str().unwrap())).await.expect(200).body;
        let changes = &events[0]["payload"]["changes"]["jobs"];
        assert_eq!((&changes[0]["action"], &changes[0]["qt_planned"]), (&json!("insert"), &json!(4)));
        assert_eq!((&changes[1]["action"], &changes[1]["assigned_to"]), (&json!("update"), &json!(shop.o2.key)));
        assert_eq!(events[0]["work_order_key"], order.key);

        let cleared = change(&order.jobs[0], json!({ "assigned_to": null, "notes": null, "due_by": null, "start_from": null, "extra": null }));
        let cleared = update(&shop.admin, json!([cleared])).await.detail();
        for member in ["assigned_to", "assigned_user", "notes", "due_by", "start_from", "extra"] {
            assert_eq!(cleared[0][member], json!(null), "{member}");
        }
        assert_eq!(cleared[0]["qt_planned"], 6, "what is left out stays");
        shop.o1.post("/job/update", json!([])).await.expect(403);
        assert_eq!(update(&shop.admin, json!([])).await.detail(), json!([]));
        books::audit(site).await;
    }

    async fn all_faults_of_an_update_come_at_once(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(2), 10.0).await;
        let other = shop.order("Q", &all_at_once(1), 10.0).await;
        let (job, foreign) = (read(&shop.admin, &order.jobs[0]).await, read(&shop.admin, &other.jobs[0]).await);
        event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        let stranger = json!({ "work_order_key": "nobody", "phase_key": job["phase_key"], "qt_planned": 1 });
        let misplaced = json!({ "work_order_key": order.key, "phase_key": foreign["phase_key"], "qt_planned": 1, "assigned_to": "nobody" });
        let updates = json!([
            change(&order.jobs[1], json!({ "notes": "good" })),
            change(&order.jobs[0], json!({ "qt_planned": 9.999999, "assigned_to": shop.o2.key })),
            { "action": "insert", "data": stranger },
            { "action": "insert", "data": misplaced },
            change("nobody", json!({})),
            close(&order.jobs[0]),
            change(&order.jobs[1], json!({ "assigned_to": "nobody" })),
        ]);
        let before = site.contents().await;
        let refused = update(&shop.admin, updates.clone()).await;
        let expected = [
            "QuantityTooSmallError body.1.data.qt_planned",
            "JobIsActiveError body.1.data.assigned_to",
            "work_order_not_found body.2.data.work_order_key",
            "phase_not_of_order body.3.data.phase_key",
            "user_not_found body.3.data.assigned_to",
            "job_not_found body.4.data._key",
            "JobIsActiveError body.5.data._key",
            "user_not_found body.6.data.assigned_to",
        ];
        assert_eq!(refused.faults(), expected);
        assert_eq!(site.contents().await, before, "all or nothing");
        // The same assignee is no move.
        update(&shop.admin, json!([change(&order.jobs[0], json!({ "assigned_to": shop.o1.key }))])).await.expect(200);

        let shapes = json!([
            { "action": "insert", "data": { "qt_planned": 0 } },
            { "action": "update", "data": { "qt_planned": 1, "stage": "closed" } },
            { "action": "close", "data": { "_key": "x", "notes": "n" } },
            { "action": "drop", "data": {} },
            { "data": {} },
            7,
        ]);
        let expected = [
            "missing body.0.data.work_order_key",
            "missing body.0.data.phase_key",
            "greater_than body.0.data.qt_planned",
            "missing body.1.data._key",
            "extra_forbidden body.1.data.stage",
            "extra_forbidden body.2.data.notes",
            "enum body.3.action",
            "missing body.4.action",
            "dict_type body.5",
        ];
        assert_eq!(update(&shop.admin, shapes).await.faults(), expected);
    }

    async fn what_was_never_begun_goes_and_all_else_closes(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(2), 10.0).await;
        let job = read(&shop.admin, &order.jobs[0]).await;
        let made = update(&shop.admin, json!([split(&job, json!({ "qt_planned": 3 })), split(&job, json!({ "qt_planned": 4 }))])).await.detail();
        let (second, third) = (made[0]["_key"].as_str().unwrap().to_owned(), made[1]["_key"].as_str().unwrap().to_owned());
        assert_eq!(update(&shop.admin, json!([close(&second)])).await.detail(), json!([]), "nothing of it is left");
        shop.admin.get(&format!("/job/{second}")).await.expect(404);
        // One that was begun and taken back leaves its records, so it is closed.
        let begun = event(&shop.o1, "JOB_STARTED", json!({ "job_key": third })).await.detail();
        event(&shop.o1, "JOB_PAUSED", json!({ "job_key": third })).await.expect(200);
        assert_eq!(update(&shop.admin, json!([close(&third)])).await.faults(), ["JobHasActiveBatchError body.0.data._key"]);
        event(&shop.supervisor, "BATCH_CANCELED", json!({ "job_key": third })).await.expect(200);
        assert_eq!(read(&shop.admin, &third).await["stage"], "created");
        let closed = update(&shop.admin, json!([close(&third)])).await.detail();
        assert_eq!(state(&closed[0]), json!(["closed", false, 0, 0, "manual"]));
        shop.admin.get(&format!("/batch/{}", begun["batch_data"]["_key"].as_str().unwrap())).await.expect(200);
        assert_eq!(update(&shop.admin, json!([close(&third)])).await.faults(), ["JobIsClosedError body.0.data._key"]);
        // Within one request each update sees those before: the last of its phase stays as a closed job.
        let added = update(&shop.admin, json!([split(&job, json!({ "qt_planned": 1 })), close(&order.jobs[0])])).await.detail();
        assert_eq!(added.as_array().unwrap().len(), 1, "the first job went, the new one stays");
        shop.admin.get(&format!("/job/{}", order.jobs[0])).await.expect(404);
        let last = added[0]["_key"].as_str().unwrap();
        let closed = update(&shop.admin, json!([close(last)])).await.detail();
        assert_eq!(closed.as_array().unwrap().len(), 0, "the closed one is another of its phase");
        let read = shop.read(&order).await;
        assert_eq!((&read["status"], &read["jobs"][1]["close_reason"]), (&json!("closed"), &json!("supply")), "nothing will ever come");
        books::audit(site).await;
    }

    async fn an_order_starts_when_a_job_closes_that_nobody_started(site) {
        let shop = shop(site).await;
        let planned = shop.order("P", &all_at_once(2), 10.0).await;
        update(&shop.admin, json!([close(&planned.jobs[1])])).await.expect(200);
        assert_eq!(told(&shop.admin, &planned).await, ["WORK_ORDER_CREATED", "WORK_ORDER_UPDATED", "JOB_CLOSED", "WORK_ORDER_STARTED"]);
        let sent = shop.order("Q", &all_at_once(2), 10.0).await;
        event(&shop.supervisor, "JOB_CLOSED", json!({ "job_key": sent.jobs[1] })).await.expect(200);
        assert_eq!(told(&shop.admin, &sent).await, ["WORK_ORDER_CREATED", "JOB_CLOSED", "WORK_ORDER_STARTED"]);
        books::audit(site).await;
    }

    async fn the_only_job_of_a_phase_is_closed(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(1), 10.0).await;
        let closed = update(&shop.admin, json!([close(&order.jobs[0])])).await.detail();
        assert_eq!(state(&closed[0]), json!(["closed", false, 0, 0, "manual"]));
        assert_eq!(told(&shop.admin, &order).await, ["WORK_ORDER_CREATED", "WORK_ORDER_UPDATED", "JOB_CLOSED", "WORK_ORDER_CLOSED"]);
        let queue = shop.admin.get("/queue").await.detail();
        assert_eq!(queue[0]["work_orders"], json!([]));
        // More to make opens it again, at the end of the queue.
        let other = shop.order("Q", &all_at_once(1), 1.0).await;
        let reopened = update(&shop.admin, json!([change(&order.jobs[0], json!({ "qt_planned": 11 }))])).await.detail();
        assert_eq!(state(&reopened[0]), json!(["created", false, 0, 0, null]));
        assert_eq!(shop.admin.get("/queue").await.detail()[0]["work_orders"], json!([other.key, order.key]));
        books::audit(site).await;
    }

    async fn updates_of_several_orders_are_told_to_each(site) {
        let shop = shop(site).await;
        let mut orders = Vec::new();
        for code in ["A", "B", "C"] {
            orders.push(shop.order(code, &all_at_once(2), 4.0).await);
        }
        let updates: Value = orders.iter().rev().map(|order| change(&order.jobs[1], json!({ "qt_planned": 3 }))).collect();
        let made = update(&shop.admin, updates).await.detail();
        let expected: Vec<&str> = orders.iter().rev().map(|order| order.jobs[1].as_str()).collect();
        assert_eq!(each(&made, "_key"), expected, "in the order sent");
        for order in &orders {
            assert_eq!(told(&shop.admin, order).await, ["WORK_ORDER_CREATED", "WORK_ORDER_UPDATED"]);
        }
        let groups: std::collections::HashSet<String> = site
            .all::<i64>("select event_group from event where event_type = 'WORK_ORDER_UPDATED'")
            .await
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(groups.len(), 1, "one request, one group");
    }

    async fn a_job_planned_down_to_what_it_made_is_done(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &[json!({ "production_batch_qt": 4, "auto_new_batch": false })], 10.0).await;
        shop.make(&shop.o1, &order.jobs[0]).await;
        let job = read(&shop.admin, &order.jobs[0]).await;
        let updates = json!([change(&order.jobs[0], json!({ "qt_planned": 4 })), split(&job, json!({ "qt_planned": 6, "assigned_to": shop.o2.key }))]);
        let made = update(&shop.admin, updates).await.detail();
        assert_eq!(state(&made[0]), json!(["closed", false, 4, 0, "quantity"]));
        assert_eq!(shop.read(&order).await["status"], "started");
        books::audit(site).await;
    }
}
