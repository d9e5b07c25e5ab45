//! Scenario 17, and what receivers may do wrong.

use super::receiver::{Receiver, Reply};
use super::*;

#[test]
fn what_fails_is_sent_again_and_all_others_wait() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["JOB_*"]).await;
        receiver.next(&[Reply::Status(500), Reply::Status(503)]);
        let events = happen(site, 1, &["JOB_STARTED", "BATCH_COMPLETED", "JOB_PAUSED", "JOB_CLOSED"]).await;
        let tried = until_tried(&admin, &hook, 1).await;
        assert_eq!(
            (&tried["state"], &tried["last_status"], &tried["last_error"]),
            (&json!("pending"), &json!(500), &json!("http_status"))
        );
        assert_eq!(tried["next_attempt"], "2026-03-01T08:00:05.000Z");
        site.clock.advance_seconds(5);
        assert_eq!(until_tried(&admin, &hook, 2).await["next_attempt"], "2026-03-01T08:00:35.000Z");
        site.clock.advance_seconds(30);
        let found = until_delivered(&admin, &hook, 3).await;
        until_at(site, &admin, &hook, events[3].seq).await;

        let calls = receiver.calls();
        let seqs = [0, 0, 0, 2, 3].map(|place: usize| events[place].seq);
        assert_eq!(receiver.seqs(), seqs, "in order, and each until it is delivered");
        assert!(calls[..3].iter().all(|call| call.body == calls[0].body), "the same bytes on every try");
        let attempts: Vec<&str> = calls.iter().map(|call| call.header("x-tracewright-attempt")).collect();
        assert_eq!(attempts, ["1", "2", "3", "1", "1"]);
        for (call, event) in calls[2..].iter().zip([&events[0], &events[2], &events[3]]) {
            assert!(call.is_signed_with(hook["secret"].as_str().unwrap()), "{call:?}");
            assert_eq!((call.method.as_str(), call.path.as_str()), ("POST", "/hook?plant=1"));
            assert_eq!(
                (call.header("content-type"), call.header("x-tracewright-event")),
                ("application/json", event.event_type.as_str())
            );
            let body = call.json();
            assert_eq!((&body["webhook_key"], &body["seq"]), (&hook["_key"], &json!(event.seq)));
            assert_eq!(body["delivery_key"], call.header("x-tracewright-delivery"));
        }
        let first = &found[0];
        assert_eq!(
            (&first["attempts"], &first["last_status"], &first["last_error"]),
            (&json!(3), &json!(200), &Value::Null)
        );
        assert_eq!((&first["delivered"], &first["next_attempt"]), (&json!("2026-03-01T08:00:35.000Z"), &Value::Null));
        assert_eq!((&first["event_key"], &first["seq"]), (&json!(events[0].key), &json!(events[0].seq)));
    });
}

#[test]
fn an_event_is_sent_as_lists_of_events_show_it() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        admin
            .post("/product", json!({ "_key": "P", "code": "P", "traceability_level": "form_only" }))
            .await
            .expect(201);
        let hook = webhook(&admin, &receiver.url(), &["SERIAL_CREATED"]).await;
        let many = json!({ "event_type": "SERIAL_CREATED", "product_key": "P", "range": "1-150" });
        admin.post("/event", many).await.expect(200);
        let call = receiver.until_called(1).await.remove(0);
        let listed = admin.get("/event?type=SERIAL_CREATED").await.expect(200).body[0].clone();
        assert_eq!(call.json()["event"], listed, "{hook}");
        let payload = call.json()["event"]["payload"].clone();
        let cut = |(name, value): (&String, &Value)| name.ends_with("_count") && *value == 150;
        assert!(payload.as_object().unwrap().iter().any(cut), "long lists are cut: {payload}");
    });
}

#[test]
fn a_receiver_that_fails_for_an_hour_gets_everything_in_the_end() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        receiver.usually(Reply::Status(500));
        let events = happen(site, 1, &["JOB_STARTED", "JOB_CLOSED"]).await;
        until_tried(&admin, &hook, 1).await;
        for (attempts, pause) in (2..).zip([5, 30, 120, 600, 1800]) {
            site.clock.advance_seconds(pause - 1);
            assert_eq!(receiver.calls().len(), attempts as usize - 1, "not before its time");
            site.clock.advance_seconds(1);
            until_tried(&admin, &hook, attempts).await;
        }
        receiver.usually(Reply::Status(204));
        site.clock.advance_seconds(3_600);
        let found = until_delivered(&admin, &hook, 2).await;
        assert_eq!((&found[0]["attempts"], &found[1]["attempts"]), (&json!(7), &json!(1)));
        assert_eq!(receiver.seqs()[6..], [events[0].seq, events[1].seq]);
    });
}

#[test]
fn after_a_day_an_event_is_given_up() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        receiver.next(&[Reply::Status(500), Reply::Status(404)]);
        let events = happen(site, 1, &["JOB_STARTED", "JOB_CLOSED"]).await;
        until_tried(&admin, &hook, 1).await;
        site.clock.advance_seconds(24 * 60 * 60);
        let admin = site.admin().await;
        let found = until_delivered(&admin, &hook, 1).await;
        let failed = &found[0];
        assert_eq!(
            (&failed["state"], &failed["attempts"], &failed["last_status"]),
            (&json!("failed"), &json!(2), &json!(404))
        );
        assert_eq!((&failed["next_attempt"], &failed["delivered"]), (&Value::Null, &Value::Null));
        assert_eq!(found[1]["seq"], events[1].seq);
        let only = admin.get(&format!("{}/delivery?state=failed&state=pending&limit=1", path(&hook))).await.expect(200);
        assert_eq!(only.body.as_array().unwrap().len(), 1);
        assert_eq!(only.body[0]["_key"], failed["_key"]);

        let now = site.clock.now();
        let clean = async |days: i64| {
            let before = now.plus_seconds(days * 24 * 60 * 60);
            let remove = async move |tx: &mut store::Tx| store::notification::deliveries::remove_old(tx, before).await;
            site.app().db.write("clean", remove).await.unwrap();
            deliveries(&admin, &hook).await.len()
        };
        assert_eq!((clean(-1).await, clean(1).await), (2, 0));
    });
}

#[test]
fn redirects_are_not_followed_and_long_answers_not_read() {
    on_both(async |site| {
        let (admin, receiver, elsewhere) = (site.admin().await, Receiver::start().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        receiver.next(&[Reply::Redirect(elsewhere.url()), Reply::Endless]);
        happen(site, 1, &["JOB_STARTED"]).await;
        let tried = until_tried(&admin, &hook, 1).await;
        assert_eq!(
            (&tried["last_status"], &tried["last_error"], &tried["state"]),
            (&json!(302), &json!("redirect"), &json!("pending"))
        );
        site.clock.advance_seconds(5);
        until_delivered(&admin, &hook, 1).await;
        assert_eq!((receiver.calls().len(), elsewhere.calls().len()), (2, 0));
    });
}

/// One receiver that hangs costs itself ten seconds, and no other webhook anything.
#[test]
fn a_receiver_that_hangs_delays_nobody_else() {
    on_both(async |site| {
        let (admin, hanging, quick) = (site.admin().await, Receiver::start().await, Receiver::start().await);
        hanging.next(&[Reply::Hang]);
        let stuck = webhook(&admin, &hanging.url(), &["*"]).await;
        let hook = webhook(&admin, &quick.url(), &["*"]).await;
        happen(site, 1, &["JOB_STARTED", "JOB_CLOSED"]).await;
        until_delivered(&admin, &hook, 2).await;
        hanging.until_called(1).await;
        assert_eq!(deliveries(&admin, &stuck).await[0]["attempts"], 0);
        let tried = until_tried(&admin, &stuck, 1).await;
        assert_eq!((&tried["last_status"], &tried["last_error"]), (&Value::Null, &json!("timeout")));
        site.clock.advance_seconds(5);
        until_delivered(&admin, &stuck, 2).await;
    });
}

/// Of what nobody asked for only the cursor tells.
#[test]
fn events_of_other_types_only_move_the_cursor() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["SERIAL_*", "JOB_CLOSED"]).await;
        let others = (1..=2_500).map(|key| event(key, "JOB_STARTED")).collect();
        let last = append(&site.app().db, others).await.pop().unwrap().seq;
        until_at(site, &admin, &hook, last).await;
        let events = happen(site, 3_000, &["JOB_PAUSED", "JOB_CLOSED", "JOB_PAUSED"]).await;
        until_delivered(&admin, &hook, 1).await;
        until_at(site, &admin, &hook, events[2].seq).await;
        assert_eq!(receiver.seqs(), [events[1].seq]);
        let rev = admin.get(&path(&hook)).await.expect(200).body["_rev"].clone();
        assert_eq!(rev, hook["_rev"], "progress is no change of the record");
    });
}
