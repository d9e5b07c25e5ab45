//! Progress and time that are set by hand.

use super::*;

impl Shop {
    /// Assigns a job to the first operator, by beginning it and taking that back.
    async fn assign(&self, job: &str) {
        for (who, event_type) in
            [(&self.o1, "JOB_STARTED"), (&self.o1, "JOB_PAUSED"), (&self.supervisor, "BATCH_CANCELED")]
        {
            event(who, event_type, json!({ "job_key": job })).await.expect(200);
        }
    }

    async fn set(&self, job: &str, quantity: f64) -> Answer {
        let members = json!({ "job_key": job, "new_job_qt_completed": quantity });
        event(&self.supervisor, "PROGRESS_OVERRIDE_REQUESTED", members).await
    }

    async fn set_with_time(&self, job: &str, quantity: f64) -> Answer {
        let members = json!({ "job_key": job, "new_job_qt_completed": quantity, "should_adjust_duration": true });
        event(&self.supervisor, "PROGRESS_OVERRIDE_REQUESTED", members).await
    }

    async fn set_time(&self, job: &str, duration: Option<i64>) -> Answer {
        let members = json!({ "job_key": job, "new_job_duration": duration });
        event(&self.supervisor, "TIME_OVERRIDE_REQUESTED", members).await
    }
}

/// The batches that count, oldest first: total, passed, scrapped, and whether they were forced.
async fn batches(site: &Site) -> Vec<(domain::Quantity, domain::Quantity, domain::Quantity, bool)> {
    site.all("select qt_total, qt_pass, qt_scrap, forced is not null from batch where canceled is null order by key")
        .await
}

fn forced(quantity: &str) -> (domain::Quantity, domain::Quantity, domain::Quantity, bool) {
    let quantity = quantity.parse().unwrap();
    (quantity, quantity, domain::Quantity::ZERO, true)
}

on_both_engines! {
    async fn progress_is_set_up_down_and_to_the_end(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(2), 10.0).await;
        let job = &order.jobs[0];
        refused(shop.set(job, 6.0).await, "JobHasNoAssigneeError");
        shop.assign(job).await;
        let set = json!({ "job_key": job, "new_job_qt_completed": 6 });
        event(&shop.o1, "PROGRESS_OVERRIDE_REQUESTED", set).await.expect(403);
        refused(shop.set(job, 10.5).await, "ValueError");
        refused(shop.set(job, 0.0).await, "ValueError");
        refused(shop.set_time(job, None).await, "JobIsNotStartedError");

        let detail = shop.set(job, 6.0).await.detail();
        let told = ["BATCH_CREATED", "WIP_DECLARED", "WORK_ORDER_STARTED"];
        assert_eq!(children(&shop.admin, &detail).await, told);
        assert_eq!(state(&detail["job_data"]), json!(["started", false, 6, 0, null]));
        assert_eq!(detail["job_data"]["forced"], detail["event_key"]);
        assert_eq!(detail["job_data"]["progress"], 60);
        assert_eq!(batches(site).await, [forced("6")]);
        let (same, ended): (bool, bool) =
            site.look("select started = ended, not active from batch where canceled is null", vec![]).await.unwrap();
        assert!(same && ended, "it began and ended at once");
        assert_eq!(shop.free(&order.jobs[1]).await, json!([6, null]));

        let detail = shop.set(job, 4.0).await.detail();
        assert_eq!(children(&shop.admin, &detail).await, ["WIP_REMOVED", "BATCH_CREATED"]);
        assert_eq!(shop.free(&order.jobs[1]).await, json!([4, null]));
        assert_eq!(batches(site).await, [forced("4")]);
        books::audit(site).await;

        shop.set_time(job, Some(600_000)).await.expect(200);
        assert_eq!(shop.time(&order.jobs[0]).await, 600_000);
        let detail = shop.set(job, 10.0).await.detail();
        assert_eq!(state(&detail["job_data"]), json!(["closed", false, 10, 0, "quantity"]));
        assert_eq!(children(&shop.admin, &detail).await, ["BATCH_CREATED", "WIP_DECLARED", "JOB_CLOSED"]);
        assert_eq!(batches(site).await, [forced("4"), forced("6")]);
        assert_eq!(shop.time(&order.jobs[0]).await, 600_000, "the time was not to be adjusted");
        assert_eq!(shop.read(&order).await["progress"], 50);

        shop.assign(&order.jobs[1]).await;
        shop.set(&order.jobs[1], 7.0).await.expect(200);
        let lacking = refused(shop.set(job, 6.5).await, "WipNotAvailableError");
        assert_eq!((&lacking["direction"], &lacking["available"]), (&json!("downstream"), &json!(3)));
        let detail = shop.set(job, 7.0).await.detail();
        assert_eq!(state(&detail["job_data"]), json!(["started", false, 7, 0, null]));
        let lacking = refused(shop.set(&order.jobs[1], 8.0).await, "WipNotAvailableError");
        assert_eq!((&lacking["direction"], &lacking["available"]), (&json!("upstream"), &json!(0)));
        books::audit(site).await;
        let detail = shop.set(&order.jobs[1], 0.0).await.detail();
        assert_eq!(state(&detail["job_data"]), json!(["created", false, 0, 0, null]));
        assert_eq!(detail["job_data"]["start"], json!(null));
        assert_eq!(shop.free(&order.jobs[1]).await, json!([7, null]));
        books::audit(site).await;
    }

    async fn the_last_phase_releases_and_takes_back(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(1), 3.0).await;
        shop.assign(&order.jobs[0]).await;
        let detail = shop.set(&order.jobs[0], 3.0).await.detail();
        let told = ["BATCH_CREATED", "BATCH_RELEASED", "JOB_CLOSED", "WORK_ORDER_CLOSED"];
        assert_eq!(children(&shop.admin, &detail).await, told);
        assert_eq!(shop.read(&order).await["qt_completed"], 3);
        let detail = shop.set(&order.jobs[0], 1.25).await.detail();
        assert_eq!(children(&shop.admin, &detail).await, ["BATCH_CREATED", "WORK_ORDER_REOPENED"]);
        let read = shop.read(&order).await;
        assert_eq!((&read["status"], &read["qt_completed"], &read["end"]), (&json!("started"), &json!(1.25), &json!(null)));
        books::audit(site).await;
    }

    async fn the_newest_batches_go_first_and_scrap_stays(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &[json!({ "production_batch_qt": 2 })], 10.0).await;
        let job = &order.jobs[0];
        let mut batch = event(&shop.o1, "JOB_STARTED", json!({ "job_key": job })).await.detail()["batch_data"].clone();
        for (pass, scrap) in [(2, 0), (1, 1), (0, 2), (2, 0)] {
            let how = json!({ "completed_batch_qt": pass, "scrap_qt": scrap, "scrap_reason": "bent" });
            batch = complete(&shop.o1, &batch, how).await.detail()["batch_data"].clone();
        }
        event(&shop.o1, "JOB_PAUSED", json!({ "job_key": job })).await.expect(200);
        refused(shop.set(job, 2.0).await, "JobHasActiveBatchError");
        event(&shop.supervisor, "BATCH_CANCELED", json!({ "job_key": job })).await.expect(200);
        refused(shop.set(job, 8.0).await, "ValueError");
        let detail = shop.set(job, 1.5).await.detail();
        assert_eq!(state(&detail["job_data"]), json!(["started", false, 1.5, 3, null]));
        let counting: Vec<String> = batches(site)
            .await
            .into_iter()
            .map(|(total, pass, scrap, forced)| format!("{total} = {pass} + {scrap}{}", if forced { " forced" } else { "" }))
            .collect();
        assert_eq!(counting, ["2 = 0 + 2", "1 = 0 + 1 forced", "1.5 = 1.5 + 0 forced"]);
        books::audit(site).await;
    }

    async fn time_follows_when_it_is_to_be_adjusted(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &[json!({ "production_batch_qt": 0, "std_processing_time": 90 })], 10.0).await;
        let job = &order.jobs[0];
        shop.assign(job).await;
        let detail = shop.set_with_time(job, 2.5).await.detail();
        let told = ["BATCH_CREATED", "WORK_SESSION_CREATED", "WORK_SESSION_CLOSED", "BATCH_RELEASED", "WORK_ORDER_STARTED"];
        assert_eq!(children(&shop.admin, &detail).await, told);
        assert_eq!(shop.time(&order.jobs[0]).await, 225_000);
        let (user, mine): (String, bool) =
            site.look("select user_key, forced is not null from work_session where canceled is null", vec![]).await.unwrap();
        assert_eq!((user, mine), (shop.o1.key.clone(), true));
        shop.set_with_time(job, 3.5).await.expect(200);
        assert_eq!(shop.time(&order.jobs[0]).await, 315_000);
        shop.set(job, 2.5).await.expect(200);
        assert_eq!(shop.time(&order.jobs[0]).await, 315_000, "as it was");
        shop.set_with_time(job, 0.5).await.expect(200);
        books::audit(site).await;
        assert_eq!(shop.time(&order.jobs[0]).await, 0, "what the batch before had left was that of this one");
        event(&shop.supervisor, "JOB_RESET", json!({ "job_key": job })).await.expect(200);
        assert_eq!(shop.time(&order.jobs[0]).await, 0);
        books::audit(site).await;
    }

    async fn time_is_divided_by_what_was_made(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &[json!({ "production_batch_qt": 1 })], 3.0).await;
        let job = &order.jobs[0];
        let mut batch = event(&shop.o1, "JOB_STARTED", json!({ "job_key": job })).await.detail()["batch_data"].clone();
        refused(shop.set_time(job, Some(5)).await, "JobIsActiveError");
        for _ in 0..3 {
            site.clock.advance_seconds(10);
            batch = complete(&shop.o1, &batch, json!({})).await.detail()["batch_data"].clone();
        }
        assert_eq!(shop.time(&order.jobs[0]).await, 30_000);
        let detail = shop.set_time(job, Some(100)).await.detail();
        assert_eq!(detail["job_data"]["stage"], "closed");
        let sessions: Vec<(i64, String, bool)> = site
            .all("select duration, user_key, started + duration = ended from work_session where canceled is null order by key")
            .await;
        assert_eq!(sessions.iter().map(|(duration, ..)| *duration).collect::<Vec<_>>(), [33, 34, 33]);
        assert!(sessions.iter().all(|(_, user, fits)| *user == shop.o1.key && *fits));
        let rewritten = "select count(*) from work_session where forced is not null and (active or rev > 1)";
        assert_eq!(site.look::<i64>(rewritten, vec![]).await, Some(0), "each is stored once, as it is");
        let told = children(&shop.admin, &detail).await;
        assert_eq!(told[..4], ["WORK_SESSION_CANCELED", "WORK_SESSION_CANCELED", "WORK_SESSION_CANCELED", "WORK_SESSION_CREATED"]);
        shop.set_time(job, None).await.expect(200);
        assert_eq!(shop.time(&order.jobs[0]).await, 180_000, "three units of a minute");
        shop.set_time(job, Some(0)).await.expect(200);
        assert_eq!(shop.time(&order.jobs[0]).await, 0);
        assert_eq!(shop.set_time(job, Some(-1)).await.faults(), ["greater_than_equal body.new_job_duration"]);
        books::audit(site).await;
    }

    async fn what_a_batch_is_worth_follows_its_time(site) {
        let shop = shop(site).await;
        let cost = json!({ "hourly_cost": 36 });
        shop.admin.patch(&format!("/user/{}", shop.o1.key), cost).await.expect(200);
        let order = shop.order("P", &all_at_once(2), 2.0).await;
        let started = event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.detail();
        site.clock.advance_seconds(100);
        let done = complete(&shop.o1, &started["batch_data"], json!({})).await.detail();
        assert_eq!(done["completed_batch"]["value"], 1);
        shop.set_time(&order.jobs[0], Some(250_000)).await.expect(200);
        let value: domain::Quantity = site.look("select value from batch", vec![]).await.unwrap();
        assert_eq!(value.to_string(), "2.5");
    }

    /// What was made from a batch is worth what the batch is, however much later that changes.
    async fn values_are_carried_on_through_later_phases(site) {
        let shop = shop(site).await;
        shop.admin.patch(&format!("/user/{}", shop.o1.key), json!({ "hourly_cost": 36 })).await.expect(200);
        let order = shop.order("P", &all_at_once(3), 10.0).await;
        for job in &order.jobs {
            shop.make(&shop.o1, job).await;
        }
        shop.set_time(&order.jobs[0], Some(10_000_000)).await.expect(200);
        books::audit(site).await;
        let last = "select value from batch where canceled is null and job_key = (select max(key) from job)";
        let value = async || site.look::<domain::Quantity>(last, vec![]).await.unwrap().to_string();
        assert_eq!(value().await, "100");
        assert_eq!(shop.read(&order).await["processing_cost"], 100);
        shop.set_time(&order.jobs[1], Some(1)).await.expect(200);
        assert_eq!(value().await, "100.00001", "a millisecond, to the last digit");
        shop.set_time(&order.jobs[0], Some(0)).await.expect(200);
        assert_eq!(value().await, "0.00001");
        books::audit(site).await;
    }

    async fn what_is_taken_back_takes_its_time_out_of_later_phases(site) {
        let shop = shop(site).await;
        shop.admin.patch(&format!("/user/{}", shop.o1.key), json!({ "hourly_cost": 36 })).await.expect(200);
        let half = json!({ "production_batch_qt": 5, "auto_new_batch": false });
        let order = shop.order("P", &[all_at_once(1)[0].clone(), half], 10.0).await;
        let [first, second] = [&order.jobs[0], &order.jobs[1]];
        shop.make(&shop.o1, first).await;
        shop.set_time(first, Some(10_000_000)).await.expect(200);
        let made = shop.make(&shop.o1, second).await;
        assert_eq!(made["completed_batch"]["value"], 50);
        let batch = made["completed_batch"]["_key"].as_str().unwrap();
        let value = async || shop.admin.get(&format!("/batch/{batch}")).await.detail()["value"].clone();
        shop.set(first, 5.0).await.expect(200);
        assert_eq!(value().await, 100, "the time stays, and was spent on what is left");
        books::audit(site).await;
        shop.set(first, 10.0).await.expect(200);
        shop.set_with_time(first, 5.0).await.expect(200);
        books::audit(site).await;
        assert_eq!(value().await, 100, "the newer batch took no time");
        shop.set_time(first, Some(5_000_000)).await.expect(200);
        assert_eq!(value().await, 50);
        assert_eq!(shop.read(&order).await["processing_cost"], 50);
        shop.set_with_time(second, 0.0).await.expect(200);
        shop.set_with_time(first, 0.0).await.expect(200);
        books::audit(site).await;
        assert_eq!(shop.read(&order).await["processing_cost"], 0);
    }

    /// The time of what was taken back by hand counts for what is made next.
    async fn time_that_stays_is_never_lost(site) {
        let shop = shop(site).await;
        shop.admin.patch(&format!("/user/{}", shop.o1.key), json!({ "hourly_cost": 36 })).await.expect(200);
        let order = shop.order("P", &[json!({ "production_batch_qt": 1 })], 3.0).await;
        let job = &order.jobs[0];
        let mut batch = event(&shop.o1, "JOB_STARTED", json!({ "job_key": job })).await.detail()["batch_data"].clone();
        for _ in 0..3 {
            site.clock.advance_seconds(100);
            batch = complete(&shop.o1, &batch, json!({})).await.detail()["batch_data"].clone();
        }
        let values = async || -> Vec<String> {
            let values: Vec<domain::Quantity> =
                site.all("select value from batch where canceled is null and not active order by key").await;
            values.iter().map(ToString::to_string).collect()
        };
        assert_eq!(values().await, ["1", "1", "1"]);
        shop.set(job, 1.0).await.expect(200);
        assert_eq!(values().await, ["3"]);
        books::audit(site).await;
        shop.set(job, 0.0).await.expect(200);
        assert_eq!((values().await, shop.read(&order).await["processing_cost"].clone()), (vec![], json!(3)));
        books::audit(site).await;
        shop.set(job, 2.0).await.expect(200);
        assert_eq!(values().await, ["3"]);
        books::audit(site).await;
    }

    /// A job of several in its phase can be reset while the next phase has taken what it made, if the others made as much.
    async fn a_reset_exchanges_what_the_next_phase_took(site) {
        let shop = shop(site).await;
        shop.admin.patch(&format!("/user/{}", shop.o1.key), json!({ "hourly_cost": 36 })).await.expect(200);
        let order = shop.order("P", &all_at_once(2), 4.0).await;
        let phase = shop.read(&order).await["phase_sequence"][0].clone();
        let data = json!({ "work_order_key": order.key, "phase_key": phase, "qt_planned": 6 });
        let made = shop.admin.post("/job/update", json!([{ "action": "insert", "data": data }])).await.detail();
        let more = made[0]["_key"].as_str().unwrap();
        shop.make(&shop.o1, &order.jobs[0]).await;
        shop.set_time(&order.jobs[0], Some(400_000)).await.expect(200);
        let user = shop.make(&shop.o1, &order.jobs[1]).await["completed_batch"].clone();
        assert_eq!(user["value"], 4, "made from the only batch there was");
        shop.make(&shop.o1, more).await;
        shop.set_time(more, Some(1_200_000)).await.expect(200);
        event(&shop.supervisor, "JOB_RESET", json!({ "job_key": order.jobs[0] })).await.expect(200);
        books::audit(site).await;
        let value = shop.admin.get(&format!("/batch/{}", user["_key"].as_str().unwrap())).await.detail()["value"].clone();
        assert_eq!(value, 8, "four of six that are worth 12");
        assert_eq!(shop.free(&order.jobs[1]).await, json!([2, null]));
    }
}
