//! What a stream says, and where it goes on after a break. Scenario 16 among it.

use std::time::{Duration, Instant};

use domain::journal::Event;
use domain::key::EventKey;
use store::Db;
use testkit::journal::{append, event};
use testkit::{Engine, Message, Method, Person, Site, Value, json, on_both_engines};
use tracewright::Running;

/// An order whose data changes, and somebody who follows it.
pub(super) struct Shop {
    admin: Person,
    order: Value,
    pub(super) viewer: Person,
}

pub(super) async fn shop(site: &Site) -> Shop {
    let admin = site.admin().await;
    admin.post("/operation", json!({ "_key": "work", "name": "Work" })).await.expect(200);
    admin.post("/product", json!({ "_key": "p", "code": "P" })).await.expect(201);
    admin.put("/product/p/process", json!([{ "alias": "a", "operation_key": "work", "steps": [] }])).await.expect(200);
    let order = admin.post("/work-order", json!({ "product_key": "p", "qt_planned": 1 })).await.detail();
    Shop { order: order["work_order"]["_key"].clone(), admin, viewer: site.user("viewer", "viewer").await }
}

impl Shop {
    fn row(&self, number: usize) -> Value {
        json!({ "entity_type": "work_order", "entity_key": self.order, "extra_data": { "number": number } })
    }

    /// Changes the order's data by an event, at a node; gives the number of the event.
    pub(super) async fn happens_at(&self, base: &str) -> i64 {
        let mut event = self.row(1);
        event["event_type"] = json!("EXTRA_UPDATE_REQUESTED");
        self.admin.at(base).post("/event", event).await.detail()["seq"].as_i64().unwrap()
    }

    /// So many changes at once; gives the number of the last.
    async fn happen_together(&self, count: usize) -> i64 {
        let rows: Vec<Value> = (0..count).map(|number| self.row(number)).collect();
        let bulk = json!({ "shared_data": { "event_type": "EXTRA_UPDATE_REQUESTED" }, "events": rows });
        self.admin.post("/event/bulk", bulk).await.detail()["last_seq"].as_i64().unwrap()
    }
}

/// An event without the rules of its type.
pub(super) fn happening(site: &Site, event_type: &str, payload: Value) -> Event {
    Event { payload, ..event(site.app().new_id().unwrap(), event_type) }
}

/// Stores an event; gives its number.
pub(super) async fn store(db: &Db, event: Event) -> i64 {
    append(db, vec![event]).await[0].seq
}

/// Another node, where there can be one.
pub(super) async fn second_node(site: &Site) -> Option<Running> {
    match site.engine {
        Engine::Sqlite => None,
        Engine::Postgres => Some(site.second_node().await),
    }
}

/// The address of the other node, or of the only one.
pub(super) fn base_of(site: &Site, second: Option<&Running>) -> String {
    second.map_or_else(|| site.base(), |node| format!("http://{}", node.address))
}

pub(super) async fn stop(second: Option<Running>) {
    if let Some(node) = second {
        node.stop().await;
    }
}

fn seqs(messages: &[Message]) -> Vec<i64> {
    messages.iter().map(Message::seq).collect()
}

fn events(messages: &[Message]) -> Vec<(&str, &str)> {
    messages.iter().map(|message| (message.event.as_str(), message.notification())).collect()
}

on_both_engines! {
    /// Scenario 16: three are read, fifty come while nobody listens, on two nodes.
    async fn a_stream_is_taken_up_where_it_was_cut(site) {
        let (shop, second) = (shop(site).await, second_node(site).await);
        let (here, there) = (site.base(), base_of(site, second.as_ref()));
        let mut stream = shop.viewer.listen("production", None).await;
        let mut written = Vec::new();
        for _ in 0..3 {
            written.push(shop.happens_at(&here).await);
        }
        let three = stream.several(3).await;
        assert_eq!(seqs(&three), written);
        drop(stream);
        let mut written = Vec::new();
        for number in 0..50 {
            written.push(shop.happens_at(if number % 2 == 0 { &here } else { &there }).await);
        }
        let mut stream = shop.viewer.at(&there).listen("production", three[2].id).await;
        let fifty = stream.several(50).await;
        assert_eq!(seqs(&fifty), written);
        assert!(fifty.iter().all(|message| message.id == Some(message.seq())));
        let next = shop.happens_at(&here).await;
        assert_eq!(stream.next().await.seq(), next, "and nothing in between");
        stop(second).await;
    }

    async fn what_happens_on_one_node_is_heard_on_the_other(site) {
        let (shop, second) = (shop(site).await, second_node(site).await);
        let (here, there) = (site.base(), base_of(site, second.as_ref()));
        let mut stream = shop.viewer.at(&there).listen("production", None).await;
        let mut soonest = Duration::MAX;
        for _ in 0..3 {
            let seq = shop.happens_at(&here).await;
            let stored = Instant::now();
            assert_eq!(stream.next().await.seq(), seq);
            soonest = soonest.min(stored.elapsed());
        }
        assert!(soonest < Duration::from_secs(2), "{soonest:?}");
        stop(second).await;
    }

    async fn a_message_tells_what_the_event_is_about(site) {
        let shop = shop(site).await;
        let mut stream = shop.viewer.listen("production", None).await;
        let headers = &stream.headers;
        let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(header("content-type").as_deref(), Some("text/event-stream"));
        assert_eq!(header("cache-control").as_deref(), Some("no-store"));
        assert_eq!(header("x-accel-buffering").as_deref(), Some("no"));
        assert!(header("content-encoding").is_none() && header("x-request-id").is_some());
        let seq = shop.happens_at(&site.base()).await;
        let message = stream.next().await;
        let stored = shop.viewer.get(&format!("/event?after_seq={}", seq - 1)).await.body[0].clone();
        assert_eq!((message.id, message.event.as_str()), (Some(seq), "production"));
        assert_eq!(
            message.data,
            json!({
                "topic": "production",
                "notification": "EXTRA_UPDATE_REQUESTED",
                "seq": seq,
                "event_key": stored["_key"],
                "timestamp": stored["timestamp"],
                "user_key": stored["user_key"],
                "work_order_key": stored["work_order_key"],
                "product_key": stored["product_key"],
            })
        );
    }

    async fn several_topics_make_one_stream(site) {
        let viewer = site.user("viewer", "viewer").await;
        let db = &site.app().db;
        let mut stream = viewer.listen("serial,inventory", None).await;
        for event_type in ["SERIAL_CREATED", "JOB_STARTED", "MOVEMENT_COMPLETED", "COUNT_STARTED", "SERIAL_SCRAPPED"] {
            store(db, happening(site, event_type, json!({}))).await;
        }
        let messages = stream.several(4).await;
        assert_eq!(
            events(&messages),
            [
                ("serial", "SERIAL_CREATED"),
                ("inventory", "MOVEMENT_COMPLETED"),
                ("inventory", "COUNT_STARTED"),
                ("serial", "SERIAL_SCRAPPED"),
            ]
        );
        assert!(messages.iter().all(|message| message.id == Some(message.seq())));
    }

    async fn what_concerns_a_user_is_told_that_user(site) {
        let (mario, luigi) = (site.user("mario", "viewer").await, site.user("luigi", "").await);
        let db = &site.app().db;
        let mut of_mario = mario.listen(&format!("task,message,user:{}", mario.key), None).await;
        let mut of_luigi = luigi.listen(&format!("user:{}", luigi.key), None).await;
        let task = json!({ "task_code": "T-1", "task_title": "Clean", "newly_assigned": [mario.key, luigi.key] });
        let task = store(db, happening(site, "TASK_CREATED", task)).await;
        let to = |recipient: &str| json!({ "recipient": recipient, "message_key": "m", "content_sha256": "x" });
        let secret = store(db, happening(site, "MESSAGE_POSTED", to(&format!("User/{}", luigi.key)))).await;
        store(db, happening(site, "MESSAGE_UPDATED", to(&format!("User/{}", luigi.key)))).await;
        let open = store(db, happening(site, "MESSAGE_POSTED", to("Issue/0000000000001"))).await;

        let messages = of_mario.several(3).await;
        let own = format!("user:{}", mario.key);
        assert_eq!(events(&messages), [("task", "TASK_CREATED"), (own.as_str(), "TASK_CREATED"), ("message", "MESSAGE_POSTED")]);
        assert_eq!(seqs(&messages), [task, task, open]);
        let ids: Vec<Option<i64>> = messages.iter().map(|message| message.id).collect();
        assert_eq!(ids, [None, Some(task), Some(open)], "the last of an event has the id");
        assert!(messages[0].data.get("task_title").is_none());
        assert_eq!(messages[1].data["task_title"], "Clean");
        assert_eq!((&messages[1].data["assigned_by"], &messages[1].data["recipient_key"]), (&json!("mario"), &json!(mario.key)));

        let messages = of_luigi.several(2).await;
        assert_eq!(seqs(&messages), [task, secret]);
        assert_eq!(messages[1].data["recipient_id"], format!("User/{}", luigi.key));
        assert!(!messages[1].data.to_string().contains("sha256"));
    }

    /// Lists show the first hundred of a long list; whoever is behind them has a task all the same.
    async fn everybody_who_is_newly_assigned_is_told(site) {
        let last = site.user("last", "").await;
        let mut of_last = last.listen(&format!("user:{}", last.key), None).await;
        let users: Vec<String> = (1..150).map(|user| format!("user-{user}")).chain([last.key.clone()]).collect();
        let assigned: Vec<Value> = users.iter().map(|user| json!({ "user_key": user })).collect();
        let payload = json!({ "task_code": "T-1", "assigned_to": assigned, "newly_assigned": users });
        let task = store(&site.app().db, happening(site, "TASK_CREATED", payload)).await;
        let told = of_last.next().await;
        assert_eq!((told.seq(), told.id, &told.data["recipient_key"]), (task, Some(task), &json!(last.key)));
    }

    async fn who_may_follow_what(site) {
        let (mario, luigi) = (site.user("mario", "viewer").await, site.user("luigi", "").await);
        for topic in [format!("user:{}", luigi.key), format!("task,user:{}", luigi.key)] {
            let refused = mario.get(&format!("/notification/{topic}")).await.expect(403);
            assert!(refused.body["detail"].get("required_scope").is_none(), "{}", refused.text);
            mario.post("/notification/ticket", json!({ "topic": topic })).await.expect(403);
        }
        let refused = luigi.get(&format!("/notification/serial,user:{}", luigi.key)).await.expect(403);
        assert_eq!(refused.body["detail"]["required_scope"], "traceability:event:read");
        let refused = luigi.post("/notification/ticket", json!({ "topic": "task" })).await.expect(403);
        assert_eq!(refused.body["detail"]["required_scope"], "traceability:event:read");
        luigi.listen(&format!("user:{}", luigi.key), None).await;
        site.visitor("").get("/notification/task").await.expect(401);
        for topic in ["tasks", "task,", "TASK", "user:", "task,media", "user:a,b"] {
            let fault = ["string_pattern_mismatch path.topic"];
            assert_eq!(mario.get(&format!("/notification/{topic}")).await.faults(), fault, "{topic}");
            let fault = ["string_pattern_mismatch body.topic"];
            assert_eq!(mario.post("/notification/ticket", json!({ "topic": topic })).await.faults(), fault, "{topic}");
        }
    }

    async fn a_number_says_where_to_go_on(site) {
        let viewer = site.user("viewer", "viewer").await;
        let db = &site.app().db;
        let mut written = Vec::new();
        for _ in 0..5 {
            written.push(store(db, happening(site, "JOB_STARTED", json!({}))).await);
        }
        let mut from_query = viewer.listen(&format!("production?last_event_id={}", written[1]), None).await;
        assert_eq!(seqs(&from_query.several(3).await), written[2..]);
        let mut header_wins = viewer.listen("production?last_event_id=0", Some(written[3])).await;
        assert_eq!(header_wins.next().await.seq(), written[4]);
        let mut all = viewer.listen("production", Some(0)).await;
        assert_eq!(seqs(&all.several(5).await), written);
        let mut beyond = viewer.listen("production", Some(i64::MAX)).await;
        let mut new_ones = viewer.listen("production", None).await;
        let next = store(db, happening(site, "JOB_STARTED", json!({}))).await;
        for stream in [&mut from_query, &mut header_wins, &mut all, &mut beyond, &mut new_ones] {
            assert_eq!(stream.next().await.seq(), next);
        }
        let wrong = ["x", "-1", "1.5", "1 2", ""];
        for number in wrong {
            let request = viewer.request(Method::GET, "/notification/production").header("last-event-id", number);
            assert_eq!(viewer.send(request).await.faults(), ["int_parsing header.Last-Event-ID"], "{number}");
        }
        for number in ["x", "-1", "1.5"] {
            let faults = viewer.get(&format!("/notification/nothing?last_event_id={number}")).await.faults();
            assert_eq!(faults.len(), 2, "all faults at once: {faults:?}");
            assert!(faults[1].ends_with(" query.last_event_id"), "{faults:?}");
        }
        let huge = viewer.request(Method::GET, "/notification/nothing").header("last-event-id", "9".repeat(30));
        assert_eq!(viewer.send(huge).await.faults(), ["string_pattern_mismatch path.topic"], "it is a number");
    }

    async fn a_bulk_is_one_message_for_each_type(site) {
        let shop = shop(site).await;
        let mut stream = shop.viewer.listen("production", None).await;
        let hundred = shop.happen_together(100).await;
        let single = stream.several(100).await;
        assert_eq!(seqs(&single), (hundred - 99..=hundred).collect::<Vec<_>>());
        assert!(single.iter().all(|message| message.data.get("event_count").is_none()));
        let last = shop.happen_together(101).await;
        let message = stream.next().await;
        assert_eq!((message.id, message.seq(), &message.data["event_count"]), (Some(last), last, &json!(101)));
        assert_eq!(message.data["work_order_key"], shop.order, "what all of them are about");
        assert_eq!(message.data["timestamp"].as_str().map(str::len), Some(24));
        let next = shop.happens_at(&site.base()).await;
        assert_eq!(stream.next().await.seq(), next);

        let mut resumed = shop.viewer.listen("production", Some(last - 30)).await;
        let rest = resumed.several(2).await;
        assert_eq!((rest[0].id, &rest[0].data["event_count"]), (Some(last), &json!(30)), "the rest of the bulk");
        assert_eq!(rest[1].seq(), next);
        let mut resumed = shop.viewer.listen("production", Some(hundred - 1)).await;
        let rest = resumed.several(3).await;
        assert_eq!(seqs(&rest), [hundred, last, next]);
        assert_eq!(rest[1].data["event_count"], 101);
    }

    /// More than is read at a time.
    async fn a_large_group_of_several_types_is_told_as_a_whole(site) {
        let viewer = site.user("viewer", "viewer").await;
        let db = &site.app().db;
        let group = EventKey(site.app().new_id().unwrap());
        let types = ["SERIAL_UPDATED", "JOB_STARTED", "MOVEMENT_COMPLETED"];
        let many = (0..900).map(|number| Event { event_group: group, ..happening(site, types[number % 3], json!({})) });
        let before = store(db, happening(site, "JOB_STARTED", json!({}))).await;
        let stored = append(db, many.collect()).await;
        let after = store(db, happening(site, "JOB_STARTED", json!({}))).await;
        let last = stored[899].seq;
        for start in [before - 1, before] {
            let mut stream = viewer.listen("serial,production", Some(start)).await;
            if start < before {
                assert_eq!(stream.next().await.seq(), before);
            }
            let messages = stream.several(3).await;
            assert_eq!(seqs(&messages), [last - 2, last - 1, after]);
            let ids: Vec<Option<i64>> = messages.iter().map(|message| message.id).collect();
            assert_eq!(ids, [None, Some(last - 1), Some(after)]);
            assert_eq!((&messages[0].data["event_count"], &messages[1].data["event_count"]), (&json!(300), &json!(300)));
        }
    }

    async fn removed_events_hold_nobody_up(site) {
        let viewer = site.user("viewer", "viewer").await;
        let db = &site.app().db;
        let first = store(db, happening(site, "JOB_STARTED", json!({}))).await;
        for _ in 0..20 {
            store(db, happening(site, "JOB_STARTED", json!({}))).await;
        }
        site.sealed().await;
        site.execute("delete from event where seq > $1", vec![first.into()]).await;
        let mut stream = viewer.listen("production", Some(first - 1)).await;
        assert_eq!(stream.next().await.seq(), first);
        let next = store(db, happening(site, "JOB_STARTED", json!({}))).await;
        assert_eq!(stream.next().await.seq(), next);
    }
}
