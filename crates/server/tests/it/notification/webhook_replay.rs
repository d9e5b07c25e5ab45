//! What administrators and resets do to webhooks that are at work.

use super::receiver::{Receiver, Reply};
use super::*;

#[test]
fn a_cursor_set_back_sends_everything_again() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        let events = happen(site, 1, &["JOB_STARTED", "JOB_PAUSED", "JOB_CLOSED"]).await;
        let seqs: Vec<i64> = events.iter().map(|event| event.seq).collect();
        let before = until_delivered(&admin, &hook, 3).await;
        admin.patch(&path(&hook), json!({ "cursor": seqs[2] + 1 })).await.expect(422);
        let changed = admin.patch(&path(&hook), json!({ "cursor": seqs[0] })).await.detail();
        assert_eq!(changed["cursor"], seqs[0]);
        let after = until_delivered(&admin, &hook, 5).await;
        assert_eq!(receiver.seqs(), [seqs[0], seqs[1], seqs[2], seqs[1], seqs[2]]);
        let keys: std::collections::BTreeSet<&str> =
            after.iter().map(|delivery| delivery["_key"].as_str().unwrap()).collect();
        assert_eq!(keys.len(), 5, "new deliveries, beside {before:?}");
        admin.patch(&path(&hook), json!({ "cursor": 0 })).await.expect(200);
        until_delivered(&admin, &hook, 8).await;
    });
}

#[test]
fn a_new_cursor_replaces_what_is_pending() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        receiver.next(&[Reply::Status(500)]);
        let events = happen(site, 1, &["JOB_STARTED", "JOB_CLOSED"]).await;
        until_tried(&admin, &hook, 1).await;
        admin.patch(&path(&hook), json!({ "cursor": events[0].seq })).await.expect(200);
        let found = until_delivered(&admin, &hook, 1).await;
        assert_eq!((&found[0]["state"], &found[0]["last_error"]), (&json!("failed"), &json!("replaced")));
        assert_eq!((&found[1]["seq"], &found[0]["next_attempt"]), (&json!(events[1].seq), &Value::Null));
        assert_eq!(receiver.seqs(), [events[0].seq, events[1].seq]);
    });
}

/// Whoever changes the name sends back all that was read, also the cursor.
#[test]
fn a_webhook_that_is_sent_back_goes_on_as_it_was() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        receiver.next(&[Reply::Status(500)]);
        happen(site, 1, &["JOB_STARTED"]).await;
        until_tried(&admin, &hook, 1).await;
        let pending = deliveries(&admin, &hook).await;
        let mut read = admin.get(&path(&hook)).await.expect(200).body;
        read["name"] = json!("Another name");
        let changed = admin.patch(&path(&hook), read.clone()).await.detail();
        assert_eq!((&changed["name"], &changed["cursor"]), (&read["name"], &read["cursor"]));
        assert_eq!(deliveries(&admin, &hook).await, pending, "it waits for its next try");
    });
}

/// Nobody learns of it at the new address.
#[test]
fn what_is_pending_is_not_sent_once_nobody_asks_for_it() {
    on_both(async |site| {
        let (admin, receiver, elsewhere) = (site.admin().await, Receiver::start().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        receiver.next(&[Reply::Status(500)]);
        let started = happen(site, 1, &["JOB_STARTED"]).await[0].seq;
        until_tried(&admin, &hook, 1).await;
        let narrowed = json!({ "event_types": ["JOB_CL*"], "url": elsewhere.url() });
        admin.patch(&path(&hook), narrowed).await.expect(200);
        let closed = happen(site, 10, &["JOB_CLOSED"]).await[0].seq;
        let found = until_delivered(&admin, &hook, 1).await;
        assert_eq!((&found[0]["state"], &found[0]["last_error"]), (&json!("failed"), &json!("replaced")));
        assert_eq!((receiver.seqs(), elsewhere.seqs()), (vec![started], vec![closed]));
    });
}

#[test]
fn an_inactive_webhook_is_told_nothing_and_begins_anew() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        receiver.next(&[Reply::Status(500)]);
        let first = happen(site, 1, &["JOB_STARTED"]).await[0].seq;
        until_tried(&admin, &hook, 1).await;
        let stopped = admin.patch(&path(&hook), json!({ "active": false })).await.detail();
        assert_eq!(stopped["cursor"], first - 1, "it was not delivered");
        let given_up = deliveries(&admin, &hook).await;
        assert_eq!((&given_up[0]["state"], &given_up[0]["last_error"]), (&json!("failed"), &json!("deactivated")));
        let missed = happen(site, 10, &["JOB_PAUSED"]).await[0].seq;
        let again = admin.patch(&path(&hook), json!({ "active": true })).await.detail();
        assert_eq!(again["cursor"], missed);
        let later = happen(site, 20, &["JOB_CLOSED"]).await[0].seq;
        until_delivered(&admin, &hook, 1).await;
        assert_eq!(receiver.seqs(), [first, later]);

        admin.patch(&path(&hook), json!({ "active": false })).await.expect(200);
        admin.patch(&path(&hook), json!({ "active": true, "cursor": first - 1 })).await.expect(200);
        until_delivered(&admin, &hook, 4).await;
        assert_eq!(receiver.seqs()[2..], [first, missed, later], "with a cursor it begins there");
    });
}

#[test]
fn what_arrives_while_it_is_given_up_was_delivered() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        receiver.next(&[Reply::Later(200)]);
        let first = happen(site, 1, &["JOB_STARTED"]).await[0].seq;
        receiver.until_called(1).await;
        admin.patch(&path(&hook), json!({ "active": false })).await.expect(200);
        let found = until_delivered(&admin, &hook, 1).await;
        let told = |name: &str| found[0][name].clone();
        assert_eq!((told("attempts"), told("last_status"), told("last_error")), (json!(1), json!(200), Value::Null));
        assert!(told("delivered").is_string(), "{found:?}");
        let stopped = admin.get(&path(&hook)).await.expect(200).body;
        assert_eq!(stopped["cursor"], first - 1, "it stays where it was when somebody stopped the webhook");
    });
}

#[test]
fn a_new_address_is_tried_at_once() {
    on_both(async |site| {
        let (admin, wrong, right) = (site.admin().await, Receiver::start().await, Receiver::start().await);
        let hook = webhook(&admin, &wrong.url(), &["*"]).await;
        wrong.usually(Reply::Status(404));
        happen(site, 1, &["JOB_STARTED"]).await;
        until_tried(&admin, &hook, 1).await;
        let change = json!({ "url": right.url(), "secret": "another secret!!".replace(' ', "-") });
        let changed = admin.patch(&path(&hook), change).await.detail();
        until_delivered(&admin, &hook, 1).await;
        let call = right.calls().remove(0);
        assert!(
            call.is_signed_with(changed["secret"].as_str().unwrap()) && call.header("x-tracewright-attempt") == "2"
        );
        assert_eq!(call.body, wrong.calls()[0].body);
    });
}

/// The attempt that is under way goes to the old address; what comes of it does not put the new one off.
#[test]
fn an_address_that_changes_during_an_attempt_is_tried_at_once() {
    on_both(async |site| {
        let (admin, wrong, right) = (site.admin().await, Receiver::start().await, Receiver::start().await);
        let hook = webhook(&admin, &wrong.url(), &["*"]).await;
        wrong.usually(Reply::Later(500));
        happen(site, 1, &["JOB_STARTED"]).await;
        wrong.until_called(1).await;
        admin.patch(&path(&hook), json!({ "url": right.url() })).await.expect(200);
        let found = until_delivered(&admin, &hook, 1).await;
        assert_eq!(found[0]["attempts"], 2);
        assert_eq!((wrong.calls().len(), right.calls().len()), (1, 1));
    });
}

/// A reset takes the events along that nobody has got yet, and a webhook goes on with what comes afterwards.
#[test]
fn what_a_reset_removes_is_skipped() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        receiver.usually(Reply::Status(500));
        let removed = happen(site, 1, &["JOB_STARTED", "JOB_PAUSED", "JOB_CLOSED"]).await;
        until_tried(&admin, &hook, 1).await;
        admin.delete("/reset/prod").await.expect(200);
        assert_eq!(deliveries(&admin, &hook).await, Vec::<Value>::new());
        until_at(site, &admin, &hook, removed[2].seq).await;
        receiver.usually(Reply::Status(200));
        let later = happen(site, 10, &["JOB_STARTED"]).await[0].seq;
        until_delivered(&admin, &hook, 1).await;
        assert_eq!(receiver.seqs(), [removed[0].seq, later]);
        admin.patch(&path(&hook), json!({ "cursor": 0 })).await.expect(200);
        until_delivered(&admin, &hook, 2).await;
        assert_eq!(receiver.seqs()[2..], [later], "a replay skips them too");
    });
}

/// An order that is deleted by force takes its events and their deliveries along.
#[test]
fn what_a_force_delete_removes_is_skipped() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        admin.post("/operation", json!({ "_key": "work", "name": "work" })).await.expect(200);
        admin.post("/product", json!({ "_key": "P", "code": "P" })).await.expect(201);
        admin
            .put("/product/P/process", json!([{ "alias": "a", "operation_key": "work", "steps": [] }]))
            .await
            .expect(200);
        let hook = webhook(&admin, &receiver.url(), &["WORK_ORDER_CREATED"]).await;
        receiver.next(&[Reply::Status(500)]);
        let order = async || {
            let made = admin.post("/work-order", json!({ "product_key": "P", "qt_planned": 1 })).await.detail();
            made["work_order"]["_key"].as_str().unwrap().to_owned()
        };
        let gone = order().await;
        until_tried(&admin, &hook, 1).await;
        let kept = order().await;
        admin.delete(&format!("/force-delete-work-order/{gone}")).await.expect(200);
        let found = until_delivered(&admin, &hook, 1).await;
        assert_eq!(found.len(), 1);
        assert_eq!(receiver.calls()[1].json()["event"]["work_order_key"], kept);
    });
}

/// It is gone at once; what it has sent follows.
#[test]
fn a_webhook_with_many_deliveries_is_deleted_at_once() {
    on_both(async |site| {
        let admin = site.admin().await;
        let body = json!({ "_key": "busy", "url": "https://erp.example/", "event_types": ["*"], "active": false });
        admin.post("/webhook", body.clone()).await.expect(201);
        let many = "with recursive number(n) as (select 1 union all select n + 1 from number where n < 3500)
                    insert into webhook_delivery
                        (key, webhook_key, seq, event_key, event_type, state, attempts, created, delivered, last_status, finished)
                    select n, 'busy', n, n, 'JOB_STARTED', 'delivered', 1, 0, 0, 200, 0 from number";
        site.execute(many, vec![]).await;
        admin.delete("/webhook/busy").await.expect(200);
        for gone in [admin.get("/webhook/busy").await, admin.delete("/webhook/busy").await] {
            gone.expect(404);
        }
        assert_eq!(admin.get("/webhook").await.expect(200).body, json!([]));
        site.eventually(async || (site.count("webhook").await == 0).then_some(())).await;
        assert_eq!(site.count("webhook_delivery").await, 0);
        admin.post("/webhook", body).await.expect(201);
    });
}

#[test]
fn a_deleted_webhook_leaves_nothing_behind() {
    on_both(async |site| {
        let (admin, receiver) = (site.admin().await, Receiver::start().await);
        let hook = webhook(&admin, &receiver.url(), &["*"]).await;
        receiver.usually(Reply::Status(500));
        happen(site, 1, &["JOB_STARTED", "JOB_CLOSED"]).await;
        until_tried(&admin, &hook, 1).await;
        admin.delete(&path(&hook)).await.expect(200);
        assert_eq!((site.count("webhook").await, site.count("webhook_delivery").await), (0, 0));
        let leases = "select count(*) from lease where name like 'webhook:%'";
        assert_eq!(site.look::<i64>(leases, vec![]).await, Some(0));
        site.clock.advance_seconds(3_600);
        let next = webhook(&admin, &receiver.url(), &["*"]).await;
        happen(site, 10, &["JOB_STARTED"]).await;
        until_tried(&admin, &next, 1).await;
        assert_eq!(receiver.calls().len(), 2, "nothing more of the first one");
    });
}
