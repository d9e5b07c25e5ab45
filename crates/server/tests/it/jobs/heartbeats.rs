use super::*;

async fn beat(who: &Person, job: &str, body: Value) -> Answer {
    who.post(&format!("/job/{job}/heartbeat"), body).await
}

/// Waits until a job is paused, and gives it.
async fn paused(site: &Site, who: &Person, job: &str) -> Value {
    site.eventually(async || Some(read(who, job).await).filter(|job| job["active"] == false)).await
}

on_both_engines! {
    async fn a_heartbeat_is_heard_and_leaves_no_line(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(1), 5.0).await;
        let job = &order.jobs[0];
        let audited = async || site.count("audit").await;
        let before = audited().await;
        let heard = beat(&shop.o1, job, json!({})).await.detail();
        assert_eq!(heard, json!({ "last_online": site.clock.now(), "active": false }));
        assert_eq!(audited().await, before);
        event(&shop.o1, "JOB_STARTED", json!({ "job_key": job })).await.expect(200);
        site.clock.advance_seconds(5);
        let session = read(&shop.admin, job).await["last_work_session_started"].clone();
        let (rev, lines) = (read(&shop.admin, job).await["_rev"].clone(), audited().await);
        let heard = beat(&shop.o1, job, json!({ "work_session_key": session })).await.detail();
        assert_eq!(heard, json!({ "last_online": site.clock.now(), "active": true }));
        let now = read(&shop.admin, job).await;
        assert_eq!(now["last_online"], json!(site.clock.now()));
        assert_ne!(now["_rev"], rev);
        assert_eq!(audited().await, lines);
        // A device that believes in another session learns that it does not run.
        site.clock.advance_seconds(5);
        let heard = beat(&shop.o1, job, json!({ "work_session_key": "nobody" })).await.detail();
        assert_eq!((&heard["active"], &heard["last_online"]), (&json!(false), &now["last_online"]));
        event(&shop.o1, "JOB_PAUSED", json!({ "job_key": job })).await.expect(200);
        let heard = beat(&shop.o1, job, json!({ "work_session_key": session })).await.detail();
        assert_eq!(heard["active"], false);
        beat(&shop.o1, "nobody", json!({})).await.expect(404);
        assert_eq!(beat(&shop.o1, job, json!({ "key": 1 })).await.faults(), ["extra_forbidden body.key"]);
        let viewer = site.user("viewer", "viewer").await;
        beat(&viewer, job, json!({})).await.expect(403);
    }

    async fn silence_pauses_those_who_sent_heartbeats(site) {
        let shop = shop(site).await;
        let parameters = |max_offline: i64| vec![json!({ "production_batch_qt": 0, "max_offline": max_offline, "unsupervised_work_allowed": true })];
        let silent = shop.order("SILENT", &parameters(60), 5.0).await;
        let never = shop.order("NEVER", &parameters(0), 5.0).await;
        let mute = shop.order("MUTE", &parameters(60), 5.0).await;
        let busy = shop.order("BUSY", &parameters(60), 5.0).await;
        let begun = site.clock.now();
        for order in [&silent, &never, &mute, &busy] {
            event(&shop.o1, "JOB_STARTED", json!({ "job_key": order.jobs[0] })).await.expect(200);
        }
        site.pass_seconds(10).await;
        for order in [&silent, &never, &busy] {
            beat(&shop.o1, &order.jobs[0], json!({})).await.expect(200);
        }
        site.pass_seconds(50).await;
        // Whoever is heard of by an event is not silent.
        let more = json!({ "job_key": busy.jobs[0], "new_active_batch_qt": 4 });
        event(&shop.o1, "ACTIVE_BATCH_CHANGED", more).await.expect(200);
        site.pass_seconds(10).await;
        let job = paused(site, &shop.admin, &silent.jobs[0]).await;
        assert_eq!(state(&job), json!(["started", false, 0, 0, null]));
        assert_eq!((&job["last_online"], &job["active_batch_qt"]), (&later(begun, 10), &json!(5)), "the batch is kept");
        let session = shop.admin.get(&format!("/work-session?job_key={}", silent.jobs[0])).await.detail();
        assert_eq!((&session["end"], &session["duration"]), (&later(begun, 10), &json!(10_000)));
        let told = shop.admin.get(&format!("/event?type=JOB_PAUSED_OFFLINE&job_key={}", silent.jobs[0])).await.expect(200).body;
        assert_eq!(told.as_array().unwrap().len(), 1);
        assert_eq!((&told[0]["user_key"], &told[0]["payload"]["work_session_end"]), (&json!(shop.o1.key), &later(begun, 10)));
        assert_eq!(told[0]["timestamp"], later(begun, 70));
        let heard = beat(&shop.o1, &silent.jobs[0], json!({ "work_session_key": session["_key"] })).await.detail();
        assert_eq!(heard["active"], false, "the device learns of it");
        // The one that an event was sent for has until a minute after it.
        for order in [&never, &mute, &busy] {
            assert_eq!(read(&shop.admin, &order.jobs[0]).await["active"], true);
        }
        site.pass_seconds(50).await;
        let job = paused(site, &shop.admin, &busy.jobs[0]).await;
        assert_eq!(job["last_online"], later(begun, 60));
        for order in [&never, &mute] {
            assert_eq!(read(&shop.admin, &order.jobs[0]).await["active"], true, "no heartbeat, or no limit");
        }
        // The device is back.
        event(&shop.o1, "JOB_BACK_ONLINE", json!({ "job_key": silent.jobs[0] })).await.expect(200);
        site.pass_seconds(100).await;
        beat(&shop.o1, &mute.jobs[0], json!({})).await.expect(200);
        site.pass_seconds(60).await;
        paused(site, &shop.admin, &mute.jobs[0]).await;
        assert_eq!(read(&shop.admin, &silent.jobs[0]).await["active"], true, "its new session has sent none yet");
        books::audit(site).await;
    }

    /// Heartbeats take no lock of the order, and an event saves the whole job: neither may undo the other.
    async fn heartbeats_and_events_at_once_lose_nothing(site) {
        let shop = shop(site).await;
        let order = shop.order("P", &all_at_once(1), 1000.0).await;
        let job = &order.jobs[0];
        event(&shop.o1, "JOB_STARTED", json!({ "job_key": job })).await.expect(200);
        for round in 1..=10_i64 {
            site.clock.advance_seconds(1);
            let quantity = json!({ "job_key": job, "new_active_batch_qt": 1000 - round });
            let by_hand = change(job, json!({ "notes": format!("round {round}") }));
            let beats = join_all((0..4).map(|_| beat(&shop.o1, job, json!({}))));
            let (beats, changed, planned) =
                tokio::join!(beats, event(&shop.o1, "ACTIVE_BATCH_CHANGED", quantity), update(&shop.admin, json!([by_hand])));
            for heard in beats {
                assert_eq!(heard.detail(), json!({ "last_online": site.clock.now(), "active": true }));
            }
            changed.expect(200);
            planned.expect(200);
            let now = read(&shop.admin, job).await;
            assert_eq!((&now["last_online"], &now["active_batch_qt"]), (&json!(site.clock.now()), &json!(1000 - round)));
            assert_eq!(now["notes"], format!("round {round}"));
        }
        let sql = "select job.offline_at - listening.time, job.heard - listening.time from job cross join listening";
        let (left, heard): (i64, i64) = site.look(sql, vec![]).await.unwrap();
        // The clock of silence may have gone on meanwhile.
        assert!((280_000..=300_000).contains(&left) && (-20_000..=0).contains(&heard), "{left} {heard}");
    }
}
