//! Scrap upstream, and the time that is worked.

use super::*;

on_both_engines! {
    async fn what_waits_for_scrap_closes(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(2), 10.0).await;
        let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        assert_eq!(started["batch_data"]["qt_total"], 10);
        let scrap = json!({ "completed_batch_qt": 7, "scrap_qt": 3 });
        refused(complete(&shop.o1, &started["batch_data"], scrap).await, "ValueError");
        let scrap = json!({ "completed_batch_qt": 7, "scrap_qt": 3, "scrap_reason": "dropped" });
        let done = complete(&shop.o1, &started["batch_data"], scrap).await.detail();
        assert_eq!(state(&done["job_data"]), json!(["closed", false, 7, 3, "quantity"]));
        assert_eq!(done["completed_batch"]["scrap_reason"], "dropped");

        let started = event(&shop.o2, "JOB_STARTED", json!({ "job_key": order.jobs[1] })).await.detail();
        assert_eq!(started["batch_data"]["qt_total"], 7);
        let done = complete(&shop.o2, &started["batch_data"], json!({})).await.detail();
        assert_eq!(state(&done["job_data"]), json!(["closed", false, 7, 0, "supply"]));
        let closed = shop.read(&order).await;
        assert_eq!((&closed["status"], &closed["qt_completed"]), (&json!("closed"), &json!(7)));
        assert_eq!((&closed["qt_scrap"], &closed["qt_remaining"]), (&json!(3), &json!(0)));
        assert_eq!(closed["progress"], 100);
        let told = children(&shop.admin, &done).await;
        let expected = [
            "WORK_SESSION_CLOSED", "WIP_REMOVED", "BATCH_RELEASED", "JOB_CLOSED", "WORK_ORDER_CLOSED",
        ];
        assert_eq!(told, expected);
        books::audit(site).await;
    }

    async fn work_goes_on_not_before_it_stopped(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(1), 5.0).await;
        let job = &order.jobs[0];
        let begin = site.clock.now();
        event(&shop.o1, "JOB_STARTED", json!({ "job_key": job })).await.expect(200);
        // A clock that is four minutes ahead ends the session, and is then set right.
        let end = json!({ "job_key": job, "timestamp": later(begin, 240) });
        event(&shop.o1, "JOB_PAUSED", end).await.expect(200);
        event(&shop.o1, "JOB_RESUMED", json!({ "job_key": job })).await.expect(200);
        let session = shop.admin.get(&format!("/work-session?job_key={job}")).await.detail();
        assert_eq!(session["start"], later(begin, 240));
        books::audit(site).await;
    }

    async fn time_counts_and_a_canceled_batch_takes_it_back(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(1), 5.0).await;
        let job = &order.jobs[0];
        let begin = site.clock.now().plus_seconds(-3600);
        let at = |seconds: i64| json!({ "job_key": job, "timestamp": later(begin, seconds) });
        let started = event(&shop.o1, "JOB_STARTED", at(0)).await.detail();
        let batch = &started["batch_data"]["_key"];
        event(&shop.o1, "JOB_PAUSED", at(60)).await.expect(200);
        let resumed = event(&shop.o1, "JOB_RESUMED", at(120)).await.detail();
        assert_eq!(resumed["batch_data"]["_key"], *batch, "the same batch");
        event(&shop.o1, "JOB_PAUSE_FORCED", at(150)).await.expect(403);
        refused(event(&shop.o2, "JOB_PAUSED", at(150)).await, "NotSessionUserError");
        refused(event(&shop.o1, "JOB_PAUSED", at(90)).await, "TimestampError");
        refused(event(&shop.supervisor, "BATCH_CANCELED", at(150)).await, "JobIsActiveError");
        event(&shop.supervisor, "JOB_PAUSE_FORCED", at(150)).await.expect(200);
        assert_eq!(shop.time(&order.jobs[0]).await, 90_000);
        let foreign = json!({ "job_key": job, "user_key": shop.o2.key });
        event(&shop.o1, "JOB_RESUMED", foreign).await.expect(403);
        let ahead = json!({ "job_key": job, "timestamp": site.clock.now().plus_seconds(360) });
        refused(event(&shop.o1, "JOB_RESUMED", ahead).await, "TimestampError");

        event(&shop.o1, "BATCH_CANCELED", json!({ "job_key": job })).await.expect(403);
        let canceled = event(&shop.supervisor, "BATCH_CANCELED", json!({ "job_key": job })).await.detail();
        let after = &canceled["job_data"];
        assert_eq!(state(after), json!(["created", false, 0, 0, null]));
        assert_eq!((&after["next_batch_available"], &canceled["batch_data"]), (&json!(true), &json!(null)));
        assert_eq!((&after["start"], &after["last_work_session_started"]), (&json!(null), &json!(null)));
        assert_eq!(after["assigned_to"], shop.o1.key, "it stays the operator's");
        let order_after = shop.read(&order).await;
        assert_eq!((&order_after["processing_time"], &order_after["status"]), (&json!(0), &json!("created")));
        assert_eq!(order_after["start"], json!(null));
        assert_eq!(children(&shop.admin, &canceled).await, ["WORK_SESSION_CANCELED", "WORK_SESSION_CANCELED"]);
        refused(event(&shop.supervisor, "BATCH_CANCELED", json!({ "job_key": job })).await, "JobHasNoActiveBatchError");
        books::audit(site).await;
    }
}
