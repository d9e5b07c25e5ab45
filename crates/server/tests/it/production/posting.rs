//! What all events have in common: their shape, who may send them, and when they happened.

use super::*;

on_both_engines! {
    async fn all_faults_of_an_event_are_told_at_once(site) {
        let shop = shop(site).await;
        let body = json!({ "event_type": "JOB_STARTED", "x": 1, "timestamp": "y", "primary": false, "event_group": "g" });
        let answer = shop.admin.post("/event", body).await.expect(422);
        let faults = ["datetime_parsing body.timestamp", "enum body.primary", "extra_forbidden body.event_group", "extra_forbidden body.x", "missing body.job_key"];
        let mut told = answer.faults();
        told.sort();
        assert_eq!(told, faults);
        for (body, fault) in [
            (json!({}), "missing body.event_type"),
            (json!({ "event_type": "NOPE" }), "event_type_unknown body.event_type"),
            (json!([]), "object_type body"),
        ] {
            let answer = shop.admin.post("/event", body).await.expect(422);
            assert!(answer.faults().contains(&fault.to_owned()), "{}", answer.text);
        }
        let made = refused(event(&shop.admin, "WIP_BOOKED", json!({})).await, "EventNotAllowed");
        assert_eq!(made["rule"], "internal");
        assert_eq!(site.count("event").await, 0);
    }

    async fn an_event_is_by_who_sends_it_and_names_what_is_there(site) {
        let shop = shop(site).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        let job = &order.jobs[0];
        let started = |members: Value| {
            let mut all = json!({ "job_key": job });
            all.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            event(&shop.o1, "JOB_STARTED", all)
        };
        started(json!({ "user_key": shop.o2.key })).await.expect(403);
        let missing = refused(started(json!({ "user_session_key": "nobody" })).await, "RecordNotFoundError");
        assert_eq!(missing["field"], "user_session_key");
        let context = json!({ "context_type": "task", "context_key": "nobody" });
        assert_eq!(refused(started(context).await, "RecordNotFoundError")["field"], "context_key");
        refused(started(json!({ "context_type": "task" })).await, "ValueError");
        let mismatch = refused(started(json!({ "work_order_key": "nobody" })).await, "ReferenceMismatchError");
        assert_eq!((&mismatch["field"], &mismatch["expected"]), (&json!("work_order_key"), &json!(order.key)));
        let missing = refused(started(json!({ "work_session_key": "nobody" })).await, "RecordNotFoundError");
        assert_eq!(missing["field"], "work_session_key");
        let unknown = refused(event(&shop.o1, "JOB_STARTED", json!({ "job_key": "nobody" })).await, "RecordNotFoundError");
        assert_eq!((&unknown["field"], &unknown["key"]), (&json!("job_key"), &json!("nobody")));
        let ahead = site.app().now().plus_seconds(301);
        refused(started(json!({ "timestamp": ahead })).await, "TimestampError");
        assert_eq!(shop.job(&order, 0).await["stage"], "created");

        let said = json!({
            "user_key": shop.o1.key, "primary": true, "description": "on the left bench", "work_order_key": order.key,
            "timestamp": site.app().now().plus_seconds(300),
        });
        let stored = started(said).await.detail();
        let kept = shop.admin.get(&format!("/event/{}", stored["event_key"].as_str().unwrap())).await.expect(200).body;
        assert_eq!(kept["description"], "on the left bench");
        assert_eq!(kept["payload"], json!({ "job_key": job }));
        assert_eq!((&kept["job_key"], &kept["work_order_key"]), (&json!(job), &json!(order.key)));
        let children: Vec<&Value> = kept["children"].as_array().unwrap().iter().map(|child| &child["event_type"]).collect();
        assert_eq!(children, ["BATCH_CREATED", "WORK_SESSION_CREATED", "WORK_ORDER_STARTED"]);
        for child in kept["children"].as_array().unwrap() {
            assert_eq!((&child["primary"], &child["event_group"]), (&json!(false), &kept["event_group"]));
        }

        let session = &kept["children"][1]["payload"]["work_session_key"];
        let other = shop.order("B", &all_at_once(1), 4.0).await;
        let extra = async |of: &Order| {
            let kept = json!({ "entity_type": "job", "entity_key": of.jobs[0], "extra_data": 1, "work_session_key": session });
            event(&shop.supervisor, "EXTRA_UPDATE_REQUESTED", kept).await
        };
        extra(&order).await.expect(200);
        assert_eq!(refused(extra(&other).await, "ReferenceMismatchError")["field"], "work_session_key");
    }

    async fn who_may_begin_a_job(site) {
        let shop = shop(site).await;
        let first = shop.order("A", &all_at_once(1), 4.0).await;
        let alone = json!({ "production_batch_qt": 0, "parallel_job_allowed": false });
        let second = shop.order("B", std::slice::from_ref(&alone), 4.0).await;
        let begin = async |who: &Person, job: &str| event(who, "JOB_STARTED", json!({ "job_key": job })).await;

        shop.admin.patch("/config", json!({ "show_unassigned_jobs_to_operators": false })).await.expect(200);
        refused(begin(&shop.o1, &first.jobs[0]).await, "JobHasNoAssigneeError");
        let assign = json!([{ "action": "update", "data": { "_key": first.jobs[0], "assigned_to": shop.o2.key } }]);
        shop.admin.post("/job/update", assign).await.expect(200);
        refused(begin(&shop.o1, &first.jobs[0]).await, "JobAssignedToOtherError");
        begin(&shop.o2, &first.jobs[0]).await.expect(200);
        refused(begin(&shop.o2, &first.jobs[0]).await, "JobIsStartedError");
        let busy = refused(begin(&shop.o2, &second.jobs[0]).await, "JobHasNoAssigneeError");
        assert_eq!(busy["job_key"], json!(second.jobs[0]));
        shop.admin.patch("/config", json!({ "show_unassigned_jobs_to_operators": true })).await.expect(200);
        let busy = refused(begin(&shop.o2, &second.jobs[0]).await, "UserHasActiveJobError");
        assert_eq!(busy["job_key"], json!(first.jobs[0]));

        // Of one phase only one job is active, whatever order it belongs to.
        let again = shop.admin.post("/work-order", json!({ "product_key": "B", "qt_planned": 1 })).await.detail();
        let other = again["jobs"][0]["_key"].as_str().unwrap();
        begin(&shop.o1, &second.jobs[0]).await.expect(200);
        let taken = refused(begin(&shop.supervisor, other).await, "ParallelJobNotAllowedError");
        assert_eq!(taken["job_key"], json!(second.jobs[0]));
        event(&shop.o1, "JOB_PAUSED", json!({ "job_key": second.jobs[0] })).await.expect(200);
        begin(&shop.supervisor, other).await.expect(200);
        refused(event(&shop.o1, "JOB_RESUMED", json!({ "job_key": second.jobs[0] })).await, "ParallelJobNotAllowedError");
    }

    async fn a_repeated_request_is_one_event(site) {
        let shop = shop(site).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        let send = || {
            let body = json!({ "event_type": "JOB_STARTED", "job_key": order.jobs[0] });
            shop.o1.send(shop.o1.request(Method::POST, "/event").header("idempotency-key", "k").json(&body))
        };
        let (first, second) = (send().await.expect(200), send().await.expect(200));
        assert_eq!(first.body, second.body);
        assert_eq!(site.look::<i64>("select count(*) from event where event_type = 'JOB_STARTED'", vec![]).await, Some(1));
    }

    /// The first event after a session was opened belongs to it already.
    async fn an_event_has_the_session_of_its_token(site) {
        let shop = shop(site).await;
        let order = shop.order("A", &[json!({})], 9.0).await;
        let extra = |number: i64| json!({ "entity_type": "job", "entity_key": order.jobs[0], "extra_data": number });
        event(&shop.supervisor, "EXTRA_UPDATE_REQUESTED", extra(1)).await.expect(200);
        let session = shop.supervisor.open_session().await;
        event(&shop.supervisor, "EXTRA_UPDATE_REQUESTED", extra(2)).await.expect(200);
        let stored = shop.supervisor.get("/event?event_type=EXTRA_UPDATE_REQUESTED&limit=1").await.expect(200);
        assert_eq!(stored.body[0]["user_session_key"], session, "{}", stored.text);
    }

    /// What an event costs does not grow by accident.
    async fn events_stay_within_their_statements(site) {
        let shop = shop(site).await;
        let order = shop.order("A", &[json!({ "production_batch_qt": 1 }), json!({})], 9.0).await;
        let start = event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] }));
        let (statements, started) = site.statements(start).await;
        assert!(statements <= 27, "JOB_STARTED took {statements} statements");
        let batch = started.detail()["batch_data"].clone();
        let (statements, completed) = site.statements(complete(&shop.o1, &batch, json!({}))).await;
        assert!(statements <= 34, "BATCH_COMPLETED took {statements} statements");
        assert_eq!(completed.detail()["batch_data"]["qt_total"], 1, "the next batch is open");
        let extra = json!({ "entity_type": "job", "entity_key": order.jobs[0], "extra_data": { "a": 1 } });
        let (statements, answer) = site.statements(event(&shop.supervisor, "EXTRA_UPDATE_REQUESTED", extra)).await;
        answer.expect(200);
        assert!(statements <= 16, "EXTRA_UPDATE_REQUESTED took {statements} statements");
        // From its number on everybody else waits: on PostgreSQL one statement stores all the keys that it lists.
        let keys: Vec<String> = (0..40).map(|number| format!("k{number}")).collect();
        let extra = json!({ "entity_type": "job", "entity_key": order.jobs[0], "extra_data": { "job_keys": keys } });
        let (listing, answer) = site.statements(event(&shop.supervisor, "EXTRA_UPDATE_REQUESTED", extra)).await;
        answer.expect(200);
        if site.engine == testkit::Engine::Postgres {
            assert!(listing <= statements + 1, "{listing} instead of {statements}");
        }
    }
}
