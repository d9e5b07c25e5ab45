//! A row of a bulk that is refused leaves nothing behind for the rows after it.

use journal::catalogue::POSTABLE;
use testkit::{Person, Value, json, on_both_engines};

use crate::counting::settled;
use crate::production::{Order, Shop, books, complete, event, refused, shop};
use crate::warehouse::sums;

/// An order whose operators may work at several jobs, with one step.
async fn order(shop: &Shop, code: &str) -> Order {
    let phase = json!({ "production_batch_qt": 0, "unsupervised_work_allowed": true, "steps": [{ "title": "Look" }] });
    shop.order(code, &[phase], 4.0).await
}

/// Makes a job ready for an event of a type; gives who may send it, and its members.
async fn ready<'a>(shop: &'a Shop, event_type: &str) -> (&'a Person, Value) {
    let Order { key, jobs } = order(shop, event_type).await;
    let job = json!({ "job_key": jobs[0] });
    let start = async || event(&shop.o1, "JOB_STARTED", job.clone()).await.detail();
    let then = async |event_type: &str| event(&shop.o1, event_type, job.clone()).await.expect(200);
    match event_type {
        "JOB_STARTED" => (&shop.o1, job),
        "JOB_RESUMED" => {
            start().await;
            then("JOB_PAUSED").await;
            (&shop.o1, job)
        }
        "JOB_PAUSED" | "JOB_PAUSED_OFFLINE" => {
            start().await;
            (&shop.o1, job)
        }
        "JOB_PAUSE_FORCED" => {
            start().await;
            (&shop.supervisor, job)
        }
        "JOB_BACK_ONLINE" => {
            start().await;
            then("JOB_PAUSED_OFFLINE").await;
            (&shop.o1, job)
        }
        "BATCH_CANCELED" => {
            start().await;
            then("JOB_PAUSED").await;
            (&shop.supervisor, job)
        }
        "JOB_CLOSED" => (&shop.supervisor, job),
        "ACTIVE_BATCH_CHANGED" => {
            start().await;
            (&shop.o1, json!({ "job_key": jobs[0], "new_active_batch_qt": 3 }))
        }
        "BATCH_COMPLETED" => {
            let batch = start().await["batch_data"].clone();
            (&shop.o1, json!({ "active_batch_key": batch["_key"], "completed_batch_qt": batch["qt_total"] }))
        }
        "STEP_COMPLETED" | "STEP_EDITED" => {
            let started = start().await;
            let step = &started["job_data"]["step_sequence"][0]["_key"];
            let members = json!({ "batch_key": started["batch_data"]["_key"], "step_key": step });
            if event_type == "STEP_COMPLETED" {
                return (&shop.o1, members);
            }
            let done = event(&shop.o1, "STEP_COMPLETED", members).await.detail();
            (&shop.o1, json!({ "execution_record_key": done["execution_record_key"], "form_data": [] }))
        }
        "WORK_ORDER_UPDATED" => (&shop.supervisor, json!({ "work_order_key": key, "notes": "later" })),
        "JOB_RESET" | "TIME_OVERRIDE_REQUESTED" => {
            let batch = start().await["batch_data"].clone();
            complete(&shop.o1, &batch, json!({})).await.expect(200);
            (&shop.supervisor, job)
        }
        "PROGRESS_OVERRIDE_REQUESTED" => {
            let assigned = json!([{ "action": "update", "data": { "_key": jobs[0], "assigned_to": shop.o1.key } }]);
            shop.admin.post("/job/update", assigned).await.expect(200);
            (&shop.supervisor, json!({ "job_key": jobs[0], "new_job_qt_completed": 2 }))
        }
        "EXTRA_UPDATE_REQUESTED" => {
            (&shop.supervisor, json!({ "entity_type": "job", "entity_key": jobs[0], "extra_data": { "a": 1 } }))
        }
        serial if serial.starts_with("SERIAL_") => (&shop.admin, serials_ready(shop, serial).await),
        goods if goods.starts_with("MOVEMENT_") || goods.starts_with("WAREHOUSE_") => {
            (&shop.admin, goods_ready(shop, goods).await)
        }
        count if ["COUNT_", "POSITION_", "ASSIGNMENT_"].iter().any(|prefix| count.starts_with(prefix)) => {
            (&shop.admin, count_ready(shop, count).await)
        }
        said if ["ISSUE_", "MESSAGE_", "TASK_"].iter().any(|prefix| said.starts_with(prefix)) => {
            (&shop.admin, team_ready(shop, said).await)
        }
        other => panic!("how is {other} made ready?"),
    }
}

/// Makes units ready for an event of a type; gives its members.
async fn serials_ready(shop: &Shop, event_type: &str) -> Value {
    let product_key = format!("{event_type}-UNIT");
    let product = json!({ "_key": product_key, "code": product_key, "traceability_level": "form_only" });
    shop.admin.post("/product", product).await.expect(201);
    let make = async |code: &str, released: Value| {
        let members = json!({ "product_key": product_key, "code": code, "released": released });
        event(&shop.admin, "SERIAL_CREATED", members).await.detail()["serial_key"].clone()
    };
    let (done, under_way) = (json!("2026-03-01T08:00:00Z"), Value::Null);
    let unit = make("UNIT", if event_type == "SERIAL_RELEASED" { under_way } else { done.clone() }).await;
    let part = make("PART", done).await;
    let link = json!({ "child_serial_key": part, "parent_serial_key": unit });
    match event_type {
        "SERIAL_CREATED" => json!({ "product_key": product_key, "code": "NEW" }),
        "SERIAL_UPDATED" => json!({ "serial_key": unit, "serial_code": "OTHER" }),
        "SERIAL_RELEASED" | "SERIAL_DELETED" => json!({ "serial_key": unit }),
        "SERIAL_SCRAPPED" => json!({ "serial_key": unit, "reason": "broken" }),
        "SERIAL_LINKED" => link,
        "SERIAL_UNLINKED" => {
            event(&shop.admin, "SERIAL_LINKED", link.clone()).await.expect(200);
            link
        }
        other => panic!("how is {other} made ready?"),
    }
}

/// Makes goods ready for an event of a type; gives its members.
async fn goods_ready(shop: &Shop, event_type: &str) -> Value {
    let product_key = format!("{event_type}-GOODS");
    shop.admin.post("/product", json!({ "_key": product_key, "code": product_key })).await.expect(201);
    let list = json!({ "code": event_type, "type": "receipt", "movements": [{ "product_key": product_key, "qt_planned": 4 }] });
    let receipt = json!({ "movement_type": "receipt", "product_key": product_key, "qt_confirmed": 4 });
    let make = async |event_type: &str, members: Value| event(&shop.admin, event_type, members).await.detail();
    match event_type {
        "MOVEMENT_PLANNED" => json!({ "movement_type": "shipment", "product_key": product_key, "qt_planned": 2 }),
        "MOVEMENT_COMPLETED" => receipt,
        "MOVEMENT_UPDATED" => {
            let made = make("WAREHOUSE_LIST_CREATED", list).await;
            json!({ "movement_key": made["movement_keys"][0], "qt_confirmed": 3 })
        }
        "MOVEMENT_REVERSED" => {
            json!({ "original_movement_key": make("MOVEMENT_COMPLETED", receipt).await["movement_key"] })
        }
        "WAREHOUSE_LIST_CREATED" => list,
        "WAREHOUSE_LIST_CLOSED" => {
            json!({ "movement_list_key": make("WAREHOUSE_LIST_CREATED", list).await["movement_list_key"] })
        }
        other => panic!("how is {other} made ready?"),
    }
}

/// Makes a counting session ready for an event of a type; gives its members.
async fn count_ready(shop: &Shop, event_type: &str) -> Value {
    let key = format!("{event_type}-COUNT");
    shop.admin.post("/product", json!({ "_key": key, "code": key })).await.expect(201);
    shop.admin.post("/position", json!({ "_key": key, "code": key })).await.expect(200);
    let make = async |event_type: &str, members: Value| event(&shop.admin, event_type, members).await.detail();
    let receipt = json!({ "movement_type": "receipt", "product_key": key, "position_to": key, "qt_confirmed": 4 });
    make("MOVEMENT_COMPLETED", receipt).await;
    let targets = json!([{ "targets": [{ "target_key": key, "include_children": false }] }]);
    let body = json!({ "count_session": { "code": key, "type": "position" }, "assignments": targets });
    let made = shop.admin.post("/inventory/count-session", body).await.detail();
    let session = json!({ "count_session_key": made["count_session_key"] });
    let steps: &[&str] = match event_type {
        "COUNT_SESSION_STARTED" => return session,
        "COUNT_SESSION_RESUMED" | "COUNT_SESSION_CONFIRMED" => &["STARTED", "COUNTED", "COMPLETED"],
        "COUNT_SESSION_COMPLETED" | "COUNT_DISCARDED" => &["STARTED", "COUNTED"],
        "COUNT_COMPLETED" | "COUNT_CANCELED" => &["STARTED", "BEGUN"],
        _ => &["STARTED"],
    };
    let begin = with(&with(&session, "product_key", &json!(key)), "position_key", &json!(key));
    let mut record = Value::Null;
    for step in steps {
        if ["BEGUN", "COUNTED"].contains(step) {
            record = make("COUNT_STARTED", begin.clone()).await["count_record_key"].clone();
        } else {
            make(&format!("COUNT_SESSION_{step}"), session.clone()).await;
        }
        if *step == "COUNTED" {
            make("COUNT_COMPLETED", json!({ "count_key": record, "count_qt": 3 })).await;
        }
    }
    let path = format!("/inventory/count-assignment?position_key={key}");
    let assignment = json!({ "assignment_key": shop.admin.get(&path).await.expect(200).body[0]["_key"] });
    match event_type {
        session_event if session_event.starts_with("COUNT_SESSION_") => session,
        "COUNT_STARTED" => begin,
        "COUNT_COMPLETED" => json!({ "count_key": record, "count_qt": 3 }),
        "COUNT_CANCELED" | "COUNT_DISCARDED" => json!({ "count_key": record }),
        "POSITION_CONFIRMED_EMPTY" => with(&session, "position_key", &json!(key)),
        "ASSIGNMENT_STARTED" => assignment,
        "ASSIGNMENT_COMPLETED" => {
            make("ASSIGNMENT_STARTED", assignment.clone()).await;
            assignment
        }
        other => panic!("how is {other} made ready?"),
    }
}

/// Makes an issue with a message and a task ready for an event of a type; gives its members.
async fn team_ready(shop: &Shop, event_type: &str) -> Value {
    let make = async |event_type: &str, members: Value| event(&shop.admin, event_type, members).await.detail();
    let kind = async |path: &str, members: Value| {
        shop.admin.post(path, with(&members, "name", &json!(event_type))).await.expect(201).detail()["_key"].clone()
    };
    let issue_type = kind("/issue-type", json!({})).await;
    let task_type = kind("/task-type", json!({ "link_settings": [{ "type": "issue", "enabled": true }] })).await;
    let new_issue = json!({ "issue_data": { "issue_type_key": issue_type, "critical": true } });
    let new_task = json!({ "task_type_key": task_type });
    let issue = make("ISSUE_CREATED", new_issue.clone()).await["issue_key"].clone();
    let new_message = json!({ "recipient": format!("Issue/{}", issue.as_str().unwrap()), "content": "hello" });
    let message = make("MESSAGE_POSTED", new_message.clone()).await["message_key"].clone();
    let made = make("TASK_CREATED", new_task.clone()).await;
    let task = json!({ "task_key": made["task_key"] });
    let link = with(&with(&task, "link_type", &json!("issue")), "link_key", &issue);
    let before = match event_type {
        "ISSUE_REOPENED" => Some(("ISSUE_CLOSED", json!({ "issue_data": { "_key": issue } }))),
        "TASK_REOPENED" => Some(("TASK_SUSPENDED", task.clone())),
        "TASK_UNLINKED" => Some(("TASK_LINKED", link.clone())),
        _ => None,
    };
    if let Some((event_type, members)) = before {
        make(event_type, members).await;
    }
    match event_type {
        "ISSUE_CREATED" => new_issue,
        "ISSUE_UPDATED" => json!({ "issue_data": { "_key": issue, "title": "other" } }),
        "ISSUE_CLOSED" | "ISSUE_REOPENED" | "ISSUE_DELETED" => json!({ "issue_data": { "_key": issue } }),
        "MESSAGE_POSTED" => new_message,
        "MESSAGE_UPDATED" => json!({ "message_key": message, "content": "good day" }),
        "MESSAGE_DELETED" => json!({ "message_key": message }),
        "TASK_CREATED" => new_task,
        "TASK_UPDATED" => with(&task, "title", &json!("other")),
        "TASK_COMPLETED" | "TASK_CANCELED" | "TASK_SUSPENDED" | "TASK_REOPENED" | "TASK_DELETED" => task,
        "TASK_LINKED" | "TASK_UNLINKED" => link,
        "TASK_TIME_RECORDED" => {
            let start = with(&task, "start", &json!("2026-02-01T08:00:00Z"));
            with(&start, "end", &json!("2026-02-01T09:00:00Z"))
        }
        other => panic!("how is {other} made ready?"),
    }
}

fn with(row: &Value, name: &str, value: &Value) -> Value {
    let mut row = row.clone();
    row[name] = value.clone();
    row
}

async fn bulk(who: &Person, event_type: &str, rows: Vec<Value>) -> testkit::Answer {
    who.post("/event/bulk", json!({ "shared_data": { "event_type": event_type }, "events": rows })).await
}

on_both_engines! {
    async fn rows_of_every_type_are_undone(site) {
        let shop = shop(site).await;
        let other = order(&shop, "OTHER").await;
        let started = event(&shop.o2, "JOB_STARTED", json!({ "job_key": other.jobs[0] })).await.detail();
        let session = started["job_data"]["last_work_session_started"].clone();
        assert!(session.is_string());
        for entry in POSTABLE {
            let (who, row) = ready(&shop, entry.name).await;
            let bad = [with(&row, "work_session_key", &session), with(&row, "work_session_key", &json!("nobody"))];
            // The good one follows: what the bad ones left, it would meet.
            let rows = vec![bad[0].clone(), bad[1].clone(), row.clone(), bad[0].clone()];
            let told = refused(bulk(who, entry.name, rows).await, "BulkRejected");
            let errors = told["errors"].as_array().unwrap();
            let places: Vec<&Value> = errors.iter().map(|error| &error["index"]).collect();
            assert_eq!(places, [0, 1, 3], "{}: {told}", entry.name);
            assert_eq!(errors[0]["error_type"], "ReferenceMismatchError", "{}: {told}", entry.name);
            books::audit(site).await;
            let done = bulk(who, entry.name, vec![row]).await.detail();
            assert_eq!(done["event_count"], 1, "{}", entry.name);
        }
        settled(site).await;
        books::audit(site).await;
        sums::audit(site, &shop.admin).await;
    }

    /// Two rows that are refused for other reasons than a key, before and after they would have changed something.
    async fn a_kept_order_is_what_the_good_rows_made_of_it(site) {
        let shop = shop(site).await;
        let slow = json!({ "production_batch_qt": 0, "std_processing_time": 1_000_000_000_000_i64 });
        let order = shop.order("P", &[slow], 10.0).await;
        let assigned = json!([{ "action": "update", "data": { "_key": order.jobs[0], "assigned_to": shop.o1.key } }]);
        shop.admin.post("/job/update", assigned).await.expect(200);
        let row = |count: i64, adjust: bool| {
            json!({ "job_key": order.jobs[0], "new_job_qt_completed": count, "should_adjust_duration": adjust })
        };
        // A unit takes thirty thousand years.
        let early = with(&row(4, false), "timestamp", &json!("9999-01-01"));
        let rows = vec![row(2, false), row(5, true), early, row(2, false), row(3, false), row(11, false), row(1, false)];
        let told = refused(bulk(&shop.supervisor, "PROGRESS_OVERRIDE_REQUESTED", rows).await, "BulkRejected");
        let places: Vec<&Value> = told["errors"].as_array().unwrap().iter().map(|error| &error["index"]).collect();
        assert_eq!(places, [1, 2, 3, 5], "{told}");
        let good = vec![row(2, false), row(3, false), row(1, false)];
        bulk(&shop.supervisor, "PROGRESS_OVERRIDE_REQUESTED", good).await.expect(200);
        assert_eq!(shop.read(&order).await["jobs"][0]["qt_completed"], 1);
        books::audit(site).await;
    }
}
