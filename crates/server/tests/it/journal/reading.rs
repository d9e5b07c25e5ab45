use domain::Timestamp;
use domain::journal::Event;
use domain::key::{EventKey, JobKey, ProductKey, SerialKey, TaskKey, UserKey, id_to_text};
use testkit::journal::{append, event};
use testkit::{Person, Value, json, on_both_engines};

async fn keys(person: &Person, query: &str) -> Vec<i64> {
    let answer = person.get(&format!("/event?{query}")).await.expect(200);
    let key = |event: &Value| domain::key::id_from_text(event["_key"].as_str().unwrap()).unwrap();
    answer.body.as_array().unwrap().iter().map(key).collect()
}

on_both_engines! {
    async fn an_event_is_shown_with_what_it_made(site) {
        let viewer = site.user("viewer", "viewer").await;
        let posted = Event {
            description: Some("first".to_owned()),
            payload: serde_json::from_str(r#"{"quantity": 1.50, "none": null}"#).unwrap(),
            timestamp: Timestamp::parse("2026-03-01T07:00:00Z").unwrap(),
            recorded: Timestamp::parse("2026-03-01T08:00:00Z").unwrap(),
            ..event(1, "JOB_STARTED")
        };
        let child = |key, source| Event {
            primary: false,
            event_group: EventKey(1),
            source_key: Some(EventKey(source)),
            ..event(key, "BATCH_CREATED")
        };
        append(&site.app().db, vec![posted, child(2, 1), child(3, 2)]).await;
        let shown = viewer.get("/event/0000000000001").await.expect(200);
        assert!(shown.text.contains("1.50"), "as it was sent: {}", shown.text);
        let mut expected = json!({
            "_id": "Event/0000000000001", "_rev": "_1", "_key": "0000000000001", "seq": 1, "event_type": "JOB_STARTED",
            "user_key": "mario", "sent_by": null, "user_session_key": null, "timestamp": "2026-03-01T07:00:00.000Z",
            "recorded": "2026-03-01T08:00:00.000Z", "description": "first", "context_type": null, "context_key": null,
            "primary": true, "event_group": "0000000000001", "source_key": null, "job_key": null, "phase_key": null,
            "batch_key": null, "work_order_key": null, "product_key": null, "serial_key": null, "issue_key": null,
            "task_key": null, "movement_key": null, "payload": shown.body["payload"]
        });
        let children = shown.body["children"].as_array().unwrap();
        assert_eq!(children.iter().map(|child| &child["_key"]).collect::<Vec<_>>(), ["0000000000002"]);
        expected["children"] = shown.body["children"].clone();
        assert_eq!(shown.body, expected);
        let lines = viewer.get("/event?sort_by=seq&sorting_order=asc").await.expect(200).body;
        let mut line = expected;
        line.as_object_mut().unwrap().remove("children");
        for name in ["context_code", "context_name", "context_icon"] {
            line[name] = Value::Null;
        }
        assert_eq!(lines[0], line);
        assert_eq!(lines[1]["source_key"], "0000000000001");
        for missing in ["0000000000009", "seal-of-approval", "x"] {
            viewer.get(&format!("/event/{missing}")).await.expect(404);
        }
    }

    async fn filters_combine_and_pages_do_not_overlap(site) {
        let viewer = site.user("viewer", "viewer").await;
        let at = |key: i64, change: &dyn Fn(&mut Event)| {
            let mut event = Event {
                timestamp: Timestamp::parse("2026-03-01T00:00:00Z").unwrap().plus_seconds(key * 3600),
                ..event(key, "SERIAL_CREATED")
            };
            change(&mut event);
            event
        };
        append(&site.app().db, vec![
            at(1, &|event| event.concerns.product_key = Some(ProductKey::trusted("C-2"))),
            at(2, &|event| event.concerns.job_key = Some(JobKey(7))),
            at(3, &|event| event.payload = json!({ "serial_keys": [id_to_text(21), id_to_text(22)] })),
            at(4, &|event| event.concerns.serial_key = Some(SerialKey(22))),
            at(5, &|event| {
                event.event_type = "TASK_UPDATED".to_owned();
                event.user_key = UserKey::trusted("luigi");
                (event.context_type, event.context_key) = (Some("task".to_owned()), Some(TaskKey(3)));
                event.concerns.task_key = Some(TaskKey(3));
                event.primary = false;
            }),
            at(40, &|_| {}),
        ]).await;
        assert_eq!(keys(&viewer, "").await, [40, 5, 4, 3, 2, 1]);
        assert_eq!(keys(&viewer, "type=SERIAL_CREATED&product_key=C-2").await, [1]);
        assert_eq!(keys(&viewer, &format!("product_key=C-2&job_key={}", id_to_text(7))).await, Vec::<i64>::new());
        assert_eq!(keys(&viewer, &format!("serial_key={}", id_to_text(22))).await, [4, 3]);
        assert_eq!(keys(&viewer, &format!("serial_key={}&sorting_order=asc", id_to_text(22))).await, [3, 4]);
        assert_eq!(keys(&viewer, &format!("serial_key={}&after_seq=3", id_to_text(22))).await, [4]);
        assert_eq!(keys(&viewer, "serial_key=unknown").await, Vec::<i64>::new());
        assert_eq!(keys(&viewer, "type=TASK_UPDATED&type=NOTHING").await, [5]);
        assert_eq!(keys(&viewer, "user_key=luigi&user_key=peach").await, [5]);
        assert_eq!(keys(&viewer, &format!("context_type=task&context_key={}", id_to_text(3))).await, [5]);
        assert_eq!(keys(&viewer, &format!("task_key={}&primary=true", id_to_text(3))).await, Vec::<i64>::new());
        assert_eq!(keys(&viewer, &format!("event_group={}", id_to_text(4))).await, [4]);
        assert_eq!(keys(&viewer, "time_from=2026-03-01T03:00:00Z&time_to=2026-03-01T04:00:00Z").await, [4, 3]);
        assert_eq!(keys(&viewer, "time_to=2026-03-01&limit=2").await, [5, 4], "until the end of that day");
        assert_eq!(keys(&viewer, "limit=2&offset=2").await, [4, 3]);
        assert_eq!(keys(&viewer, "sort_by=seq&sorting_order=asc&after_seq=4").await, [5, 40]);
        let counted = viewer.get("/event?count=true&limit=1&type=SERIAL_CREATED").await.expect(200);
        assert_eq!(counted.header("x-total-count"), "5");
        let faults = viewer.get("/event?context_type=order&after_seq=-1&sort_by=x&sorting_order=up&limit=0&primary=2&time_from=no").await;
        assert_eq!(faults.faults().len(), 7, "{}", faults.text);
        site.user("nobody", "").await.get("/event").await.expect(403);
    }
}
