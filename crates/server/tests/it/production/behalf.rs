//! Events that a gateway or a shared terminal sends in the name of who does the work.

use testkit::{Method, Value, json, on_both_engines};

use super::{all_at_once, complete, event, refused, shop};

const GATEWAY: &str = "operator traceability:event:behalf";

on_both_engines! {
    async fn the_event_is_that_users(site) {
        let shop = shop(site).await;
        let gateway = site.user("gateway", GATEWAY).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        let started = json!({ "job_key": order.jobs[0], "user_key": shop.o1.key });
        let stored = event(&gateway, "JOB_STARTED", started).await.detail();
        assert_eq!(stored["job_data"]["assigned_to"], json!(shop.o1.key));
        let event_key = stored["event_key"].as_str().unwrap();
        let kept = shop.admin.get(&format!("/event/{event_key}")).await.expect(200).body;
        let by = |event: &Value| (event["user_key"].clone(), event["sent_by"].clone(), event["user_session_key"].clone());
        let expected = (json!(shop.o1.key), json!(gateway.key), Value::Null);
        assert_eq!(by(&kept), expected);
        let children = kept["children"].as_array().unwrap();
        assert!(!children.is_empty() && children.iter().all(|child| by(child) == expected), "{children:?}");
        let listed = shop.admin.get(&format!("/event?user_key={}", shop.o1.key)).await.expect(200).body;
        assert_eq!(listed.as_array().unwrap().len(), children.len() + 1);
        assert_eq!(listed[0]["sent_by"], json!(gateway.key));
        let session = shop.admin.get(&format!("/work-session?job_key={}", order.jobs[0])).await.detail();
        assert_eq!(session["user_key"], json!(shop.o1.key));

        // The user goes on with it alone, and the gateway is nobody to that work.
        let alone = json!({ "active_batch_key": stored["batch_data"]["_key"], "completed_batch_qt": 4 });
        refused(event(&gateway, "BATCH_COMPLETED", alone).await, "NotSessionUserError");
        let own = complete(&shop.o1, &stored["batch_data"], json!({})).await.detail();
        let own = shop.admin.get(&format!("/event/{}", own["event_key"].as_str().unwrap())).await.expect(200).body;
        assert_eq!((&own["user_key"], &own["sent_by"]), (&json!(shop.o1.key), &Value::Null));

        site.sealed().await;
        let verified = shop.admin.get("/event/verify").await.detail();
        assert_eq!((&verified["ok"], &verified["unsealed"]), (&json!(true), &json!(0)));
    }

    async fn only_with_the_scope_and_only_of_who_could(site) {
        let shop = shop(site).await;
        let gateway = site.user("gateway", GATEWAY).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        let start = async |who: &testkit::Person, user: &str| {
            event(who, "JOB_STARTED", json!({ "job_key": order.jobs[0], "user_key": user })).await
        };
        let plain = start(&shop.supervisor, &shop.o1.key).await.expect(403);
        assert_eq!(plain.body["detail"]["required_scope"], "traceability:event:behalf");
        start(&shop.supervisor, "nobody").await.expect(403);
        let unknown = refused(start(&gateway, "nobody").await, "RecordNotFoundError");
        assert_eq!((&unknown["field"], &unknown["key"]), (&json!("user_key"), &json!("nobody")));
        let viewer = site.new_user("viewer", "viewer").await;
        let powerless = start(&gateway, &viewer.key).await.expect(403);
        assert_eq!(powerless.body["detail"]["required_scope"], "traceability:event:create");
        let gone = site.new_user("gone", "operator").await;
        shop.admin.patch(&format!("/user/{}", gone.key), json!({ "active": false })).await.expect(200);
        refused(start(&gateway, &gone.key).await, "ValueError");
        shop.admin.delete(&format!("/user/{}", gone.key)).await.expect(200);
        refused(start(&gateway, &gone.key).await, "RecordNotFoundError");

        // Their open work counts, and a session that is named is theirs.
        let session = shop.o2.open_session().await;
        let foreign = json!({ "job_key": order.jobs[0], "user_key": shop.o1.key, "user_session_key": session });
        refused(event(&gateway, "JOB_STARTED", foreign).await, "ReferenceMismatchError");
        let theirs = json!({ "job_key": order.jobs[0], "user_key": shop.o2.key, "user_session_key": session });
        event(&gateway, "JOB_STARTED", theirs).await.expect(200);
        let other = shop.order("B", &all_at_once(1), 4.0).await;
        let busy = json!({ "job_key": other.jobs[0], "user_key": shop.o2.key });
        refused(event(&gateway, "JOB_STARTED", busy).await, "UserHasActiveJobError");
        event(&gateway, "JOB_STARTED", json!({ "job_key": other.jobs[0], "user_key": gateway.key })).await.expect(200);
        let own: (Option<String>, String) = site
            .look("select sent_by, user_key from event where is_primary order by seq desc limit 1", vec![])
            .await
            .unwrap();
        assert_eq!(own, (None, gateway.key.clone()));
    }

    /// What an event needs by right both must have.
    async fn neither_lends_rights_to_the_other(site) {
        let shop = shop(site).await;
        let boss = site.user("boss", "production operator traceability:event:behalf").await;
        let gateway = site.user("gateway", GATEWAY).await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        let force = |user: &str| json!({ "job_key": order.jobs[0], "user_key": user });
        for (who, user) in [(&boss, &shop.o2), (&gateway, &shop.supervisor)] {
            let refused = event(who, "JOB_PAUSE_FORCED", force(&user.key)).await.expect(403);
            assert_eq!(refused.body["detail"]["required_scope"], "production:job:update");
        }
        let notes = |user: &str| json!({ "work_order_key": order.key, "notes": "N", "user_key": user });
        event(&boss, "WORK_ORDER_UPDATED", notes(&shop.o2.key)).await.expect(403);
        event(&gateway, "WORK_ORDER_UPDATED", notes(&shop.supervisor.key)).await.expect(403);
        event(&boss, "JOB_PAUSE_FORCED", force(&shop.supervisor.key)).await.expect(200);
    }

    /// Who may no longer send an event is not told again what was answered to it.
    async fn a_repetition_needs_the_same_rights(site) {
        let shop = shop(site).await;
        let gateway = site.user("gateway", "production operator traceability:event:behalf").await;
        let order = shop.order("A", &all_at_once(1), 4.0).await;
        let send = async |kind: &str, user: &str| {
            let body = json!({ "event_type": kind, "job_key": order.jobs[0], "user_key": user });
            gateway.send(gateway.request(Method::POST, "/event").header("idempotency-key", kind).json(&body)).await
        };
        let scope = async |scope: &str| {
            shop.admin.patch(&format!("/user/{}", gateway.key), json!({ "scope": scope })).await.expect(200)
        };
        send("JOB_STARTED", &shop.o1.key).await.expect(200);
        let forced = send("JOB_PAUSE_FORCED", &gateway.key).await.expect(200);

        scope("operator traceability:event:behalf").await;
        assert_eq!(send("JOB_STARTED", &shop.o1.key).await.expect(200).header("idempotency-replayed"), "true");
        let refused = send("JOB_PAUSE_FORCED", &gateway.key).await.expect(403);
        assert_eq!(refused.body["detail"]["required_scope"], "production:job:update");

        scope("production operator").await;
        let refused = send("JOB_STARTED", &shop.o1.key).await.expect(403);
        assert_eq!(refused.body["detail"]["required_scope"], "traceability:event:behalf");
        assert_eq!(send("JOB_PAUSE_FORCED", &gateway.key).await.expect(200).text, forced.text);
    }

    /// Each row of a bulk is by its own user, and the next one by who sends it again.
    async fn rows_of_a_bulk(site) {
        let shop = shop(site).await;
        let gateway = site.user("gateway", GATEWAY).await;
        let mut jobs = Vec::new();
        for code in ["A", "B", "C"] {
            jobs.push(shop.order(code, &all_at_once(1), 4.0).await.jobs[0].clone());
        }
        let rows = json!([
            { "job_key": jobs[0], "user_key": shop.o1.key },
            { "job_key": jobs[1] },
            { "job_key": jobs[2], "user_key": shop.o2.key }
        ]);
        let bulk = |who: &testkit::Person, rows: &Value| {
            let body = json!({ "shared_data": { "event_type": "JOB_STARTED" }, "events": rows });
            let (who, request) = (who.clone(), who.request(Method::POST, "/event/bulk").json(&body));
            async move { who.send(request).await }
        };
        let own_first = json!([rows[1], rows[0]]);
        for (rows, index) in [(&rows, 0), (&own_first, 1)] {
            let forbidden = bulk(&shop.supervisor, rows).await.expect(403).body["detail"].clone();
            assert_eq!(forbidden["index"], index);
            assert_eq!(forbidden["required_scope"], "traceability:event:behalf");
            assert!(forbidden["message"].is_string());
        }
        let mut bad = rows.clone();
        bad[2]["user_key"] = json!("nobody");
        let refused = refused(bulk(&gateway, &bad).await, "BulkRejected");
        assert_eq!((&refused["failed"], &refused["errors"][0]["index"]), (&json!(1), &json!(2)));
        bulk(&gateway, &rows).await.expect(200);
        let sql = "select user_key, sent_by from event where is_primary and event_type = 'JOB_STARTED' order by seq";
        let stored: Vec<(String, Option<String>)> = site.all(sql).await;
        let by = |user: &testkit::Person| (user.key.clone(), Some(gateway.key.clone()));
        assert_eq!(stored, [by(&shop.o1), (gateway.key.clone(), None), by(&shop.o2)]);
        // One user for all rows.
        let shared = json!({ "event_type": "JOB_PAUSED", "user_key": shop.o1.key });
        let body = json!({ "shared_data": shared, "events": [{ "job_key": jobs[0] }] });
        gateway.post("/event/bulk", body).await.expect(200);
    }
}
