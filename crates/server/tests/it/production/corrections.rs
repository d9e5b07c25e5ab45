//! Jobs that are reset, and batches that are canceled, between phases.

use super::*;

on_both_engines! {
    async fn a_reset_takes_back_what_the_next_phase_has_not_begun(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(2), 4.0).await;
        let [one, two] = [&order.jobs[0], &order.jobs[1]];
        let reset = async |job: &String| event(&shop.supervisor, "JOB_RESET", json!({ "job_key": job })).await;
        refused(reset(one).await, "JobIsNotStartedError");
        shop.make(&shop.o1, one).await;
        assert_eq!(shop.free(&order.jobs[1]).await, json!([4, null]));
        event(&shop.o1, "JOB_RESET", json!({ "job_key": one })).await.expect(403);
        let detail = reset(one).await.detail();
        assert_eq!(state(&detail["job_data"]), json!(["created", false, 0, 0, null]));
        assert_eq!((&detail["job_data"]["start"], &detail["job_data"]["end"]), (&json!(null), &json!(null)));
        assert_eq!(children(&shop.admin, &detail).await, ["WORK_SESSION_CANCELED", "WIP_REMOVED"]);
        assert_eq!(shop.free(&order.jobs[1]).await, json!([0, null]));
        assert_eq!(shop.free(one).await, json!([null, 0]));
        assert_eq!(site.count("wip").await, 0);
        let read = shop.read(&order).await;
        assert_eq!((&read["status"], &read["start"], &read["processing_time"]), (&json!("created"), &json!(null), &json!(0)));

        shop.make(&shop.o1, one).await;
        let started = event(&shop.o2, "JOB_STARTED", json!({ "job_key": two })).await.detail();
        refused(reset(two).await, "JobIsActiveError");
        let lacking = refused(reset(one).await, "WipNotAvailableError");
        assert_eq!((&lacking["direction"], &lacking["requested"]), (&json!("downstream"), &json!(4)));
        assert_eq!((&lacking["available"], &lacking["serial_keys"]), (&json!(0), &json!([])));
        complete(&shop.o2, &started["batch_data"], json!({})).await.expect(200);
        assert_eq!(shop.read(&order).await["status"], "closed");
        let detail = reset(two).await.detail();
        assert_eq!(shop.free(&order.jobs[1]).await, json!([4, null]));
        let read = shop.read(&order).await;
        assert_eq!((&read["status"], &read["end"], &read["qt_completed"]), (&json!("started"), &json!(null), &json!(0)));
        let told = ["WORK_SESSION_CANCELED", "WIP_UNBOOKED", "WORK_ORDER_REOPENED"];
        assert_eq!(children(&shop.admin, &detail).await, told);
        books::audit(site).await;
    }

    async fn a_job_is_reset_with_the_batch_it_has_in_work(site) {
        let shop = shop(site).await;
        let phases = [json!({ "production_batch_qt": 0 }), json!({ "production_batch_qt": 2 })];
        let order = shop.order("P", &phases, 5.0).await;
        shop.make(&shop.o1, &order.jobs[0]).await;
        let next = json!({ "job_key": order.jobs[1] });
        let before = shop.job(&order, 1).await;
        let done = shop.make(&shop.o2, &order.jobs[1]).await;
        assert_eq!(done["batch_data"]["qt_total"], 2, "the next batch opened by itself");
        let scrap = json!({ "completed_batch_qt": 0.5, "scrap_qt": 1.5, "scrap_reason": "bent" });
        complete(&shop.o2, &done["batch_data"], scrap).await.expect(200);
        event(&shop.o2, "JOB_PAUSED", next.clone()).await.expect(200);
        assert_eq!(shop.free(&order.jobs[1]).await, json!([0, null]));
        books::audit(site).await;
        event(&shop.supervisor, "JOB_RESET", next).await.expect(200);
        assert_eq!(shop.free(&order.jobs[1]).await, json!([5, null]), "what was scrapped is there again");
        let after = shop.job(&order, 1).await;
        for member in ["stage", "start", "end", "progress", "qt_completed", "qt_scrap", "active_batch_key", "forced"] {
            assert_eq!(after[member], before[member], "{member}");
        }
        assert_eq!(after["last_work_session_started"], json!(null));
        assert_eq!(site.look::<i64>("select count(*) from batch where canceled is null", vec![]).await, Some(1));
        books::audit(site).await;
    }

    async fn a_reset_job_that_gets_no_more_input_closes_again(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(2), 4.0).await;
        let phase = shop.read(&order).await["phase_sequence"][1].clone();
        let data = json!({ "work_order_key": order.key, "phase_key": phase, "qt_planned": 4, "assigned_to": shop.o2.key });
        let inserted = shop.admin.post("/job/update", json!([{ "action": "insert", "data": data }])).await.detail();
        let second = json!({ "job_key": inserted[0]["_key"] });
        shop.make(&shop.o1, &order.jobs[0]).await;
        event(&shop.o2, "JOB_STARTED", second.clone()).await.expect(200);
        event(&shop.o2, "JOB_PAUSED", second.clone()).await.expect(200);
        event(&shop.supervisor, "BATCH_CANCELED", second.clone()).await.expect(200);
        shop.make(&shop.o1, &order.jobs[1]).await;
        let reset = event(&shop.supervisor, "JOB_RESET", second).await.detail();
        assert_eq!(state(&reset["job_data"]), json!(["closed", false, 0, 0, "supply"]));
        assert_eq!(children(&shop.admin, &reset).await, ["JOB_CLOSED"]);
        assert_eq!(shop.read(&order).await["status"], "closed");
        books::audit(site).await;
    }

    async fn a_canceled_batch_frees_what_it_booked_and_keeps_what_was_made(site) {
        let shop = shop(site).await;
        let phases = [json!({ "production_batch_qt": 0 }), json!({ "production_batch_qt": 2, "auto_new_batch": false })];
        let order = shop.order("P", &phases, 5.0).await;
        shop.make(&shop.o1, &order.jobs[0]).await;
        let next = json!({ "job_key": order.jobs[1] });
        let made = shop.make(&shop.o2, &order.jobs[1]).await;
        let first_session = made["job_data"]["last_work_session_started"].clone();
        let resumed = event(&shop.o2, "JOB_RESUMED", next.clone()).await.detail();
        assert_eq!(resumed["batch_data"]["qt_total"], 2);
        event(&shop.o2, "JOB_PAUSED", next.clone()).await.expect(200);
        assert_eq!(shop.free(&order.jobs[1]).await, json!([1, null]));
        let canceled = event(&shop.supervisor, "BATCH_CANCELED", next).await.detail();
        assert_eq!(state(&canceled["job_data"]), json!(["started", false, 2, 0, null]));
        assert_eq!(canceled["job_data"]["last_work_session_started"], first_session);
        assert_eq!(children(&shop.admin, &canceled).await, ["WORK_SESSION_CANCELED", "WIP_UNBOOKED"]);
        assert_eq!(shop.free(&order.jobs[1]).await, json!([3, null]));
        books::audit(site).await;
    }

    async fn steps_of_a_canceled_batch_count_no_more(site) {
        let shop = shop(site).await;
        let steps = json!([{ "title": "Clean" }, { "title": "Paint" }]);
        let order = shop.order("P", &[json!({ "step_check": true, "steps": steps })], 2.0).await;
        let job = json!({ "job_key": order.jobs[0] });
        let started = event(&shop.o1, "JOB_STARTED", job.clone()).await.detail();
        let clean = &started["job_data"]["step_sequence"][0]["_key"];
        let done = json!({ "batch_key": started["batch_data"]["_key"], "step_key": clean });
        let done = event(&shop.o1, "STEP_COMPLETED", done).await.detail();
        assert_eq!(done["job_data"]["progress"], 25);
        event(&shop.o1, "JOB_PAUSED", job.clone()).await.expect(200);
        let canceled = event(&shop.supervisor, "BATCH_CANCELED", job.clone()).await.detail();
        assert_eq!(canceled["job_data"]["progress"], 0);
        let edit = json!({ "execution_record_key": done["execution_record_key"], "form_data": [] });
        refused(event(&shop.supervisor, "STEP_EDITED", edit).await, "ValueError");
        let again = event(&shop.o1, "JOB_STARTED", job).await.detail();
        let paint = &started["job_data"]["step_sequence"][1]["_key"];
        let painted = json!({ "batch_key": again["batch_data"]["_key"], "step_key": paint });
        let painted = event(&shop.o1, "STEP_COMPLETED", painted).await.detail();
        assert_eq!(painted["job_data"]["progress"], 25, "the first step has to be done again");
        books::audit(site).await;
    }

    async fn what_a_site_keeps_besides_is_replaced(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(1), 1.0).await;
        let update = |entity: &str, key: &str, data: Value| {
            json!({ "entity_type": entity, "entity_key": key, "extra_data": data })
        };
        let of_job = update("job", &order.jobs[0], json!({ "oven": [3, 4.50] }));
        event(&shop.o1, "EXTRA_UPDATE_REQUESTED", of_job.clone()).await.expect(403);
        let detail = event(&shop.supervisor, "EXTRA_UPDATE_REQUESTED", of_job).await.detail();
        assert_eq!(detail["entity"]["extra"], json!({ "oven": [3, 4.5] }));
        assert_eq!(shop.job(&order, 0).await, detail["entity"], "the answer is what is stored");
        let of_order = update("work_order", &order.key, json!("rush"));
        event(&shop.supervisor, "EXTRA_UPDATE_REQUESTED", of_order).await.expect(200);
        assert_eq!(shop.read(&order).await["extra"], "rush");
        let missing = update("work_order", &order.jobs[0], json!(null));
        let missing = refused(event(&shop.supervisor, "EXTRA_UPDATE_REQUESTED", missing).await, "RecordNotFoundError");
        assert_eq!((&missing["field"], &missing["key"]), (&json!("entity_key"), &json!(order.jobs[0])));
        let nothing = json!({ "entity_type": "job", "entity_key": order.jobs[0] });
        let faults = event(&shop.supervisor, "EXTRA_UPDATE_REQUESTED", nothing).await.faults();
        assert_eq!(faults, ["missing body.extra_data"]);
        let events = shop.admin.get(&format!("/event?work_order_key={}&type=EXTRA_UPDATE_REQUESTED", order.key)).await;
        assert_eq!(events.body.as_array().unwrap().len(), 2);
    }
}
