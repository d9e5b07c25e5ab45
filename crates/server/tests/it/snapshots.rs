//! Answers as a whole, compared with the files in `snapshots/`: what clients rely on does not change unnoticed. `make snapshots`
//! writes the files anew.

use std::path::Path;

use reqwest::Method;
use testkit::{Album, Person, Value, json, on_both_engines};

use crate::production::{complete, event, shop};

fn album(name: &str) -> Album {
    Album::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots").join(name))
}

fn key(record: &Value) -> &str {
    record["_key"].as_str().unwrap()
}

/// A product of two phases, the second of which has a form, and of two components.
async fn library(admin: &Person) {
    let custom = json!({ "_key": "torque", "name": "Torque", "type": "number" });
    admin.post("/field", custom).await.expect(200);
    let cost = json!({ "average": 1.25 });
    for (code, description) in [("C-1", "Screw"), ("C-2", "Plate")] {
        let component = json!({ "_key": code, "code": code, "description": description, "cost": cost });
        admin.post("/product", component).await.expect(201);
    }
    let pump = json!({ "_key": "P-1", "code": "P-1", "description": "Pump" });
    admin.post("/product", pump).await.expect(201);
    let form = json!([{ "_key": "nm", "custom_field_key": "torque", "mandatory": true }]);
    let phases = json!([
        { "alias": "Cut", "operation_key": "work", "params": { "production_batch_qt": 2 }, "steps": [] },
        {
            "alias": "Fit", "operation_key": "work", "params": { "production_batch_qt": 0, "step_check": true },
            "steps": [{ "title": "Clean" }, { "title": "Tighten", "type": "form", "form_fields": form }],
        },
    ]);
    let phases = admin.put("/product/P-1/process", phases).await.expect(200).body;
    let lines = json!([
        { "component_key": "C-1", "qt": 4, "phase_key": phases[1]["_key"] },
        { "component_key": "C-2", "qt": 0.5, "phase_key": phases[0]["_key"] },
    ]);
    admin.put("/product/P-1/bom", lines).await.expect(200);
}

on_both_engines! {
    async fn main_reads(site) {
        let shop = shop(site).await;
        library(&shop.admin).await;
        let (admin, operator) = (&shop.admin, &shop.o1);
        let mut album = album("reads");
        album.get("configuration", admin, "/config").await;
        album.get("product", admin, "/product/P-1").await;
        album.get("process", admin, "/product/P-1/process").await;
        album.get("bom", admin, "/product/P-1/bom").await;
        album.get("bom-exploded", admin, "/product/P-1/bom/explode").await;

        let order = json!({ "product_key": "P-1", "wo_code": "WO-1", "qt_planned": 3, "due_by": "2026-03-31" });
        let made = album.post("work-order-created", admin, "/work-order", order).await["detail"].clone();
        let (order, job) = (key(&made["work_order"]), key(&made["jobs"][0]));
        let begin = json!({ "event_type": "JOB_STARTED", "job_key": job, "description": "Early shift" });
        let started = album.post("event-posted", operator, "/event", begin).await["detail"].clone();
        site.clock.advance_seconds(90);
        let scrap = json!({ "completed_batch_qt": 1.5, "scrap_qt": 0.5, "scrap_reason": "Bent" });
        let done = complete(operator, &started["batch_data"], scrap).await.detail();
        album.get("work-order", admin, &format!("/work-order/{order}")).await;
        album.get("job", admin, &format!("/job/{job}")).await;
        album.get("job-time", admin, &format!("/job/{job}/time")).await;
        album.get("batch", admin, &format!("/batch/{}", key(&started["batch_data"]))).await;
        album.get("wip", admin, &format!("/wip?job_key={job}")).await;
        album.get("event", admin, &format!("/event/{}", done["event_key"].as_str().unwrap())).await;
        album.get("queue", admin, "/queue").await;
        album.get("queue-of-operator", admin, &format!("/queue/operator/{}", operator.key)).await;
        let rows = json!([{ "entity_key": job, "extra_data": { "shift": 1 } }, { "entity_key": job, "extra_data": [2.50] }]);
        let shared = json!({ "event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job" });
        let bulk = json!({ "shared_data": shared, "events": rows });
        album.post("bulk", &shop.supervisor, "/event/bulk", bulk).await;
        album.get("audit", admin, "/audit?operation=create_work_order").await;
        album.close();
    }

    async fn reads_of_counting(site) {
        let admin = &site.admin().await;
        admin.post("/product", json!({ "_key": "P-1", "code": "P-1", "description": "Pump", "cost": { "average": 2.5 } })).await.expect(201);
        admin.post("/position", json!({ "_key": "shelf", "code": "Shelf" })).await.expect(200);
        let receipt = json!({ "movement_type": "receipt", "product_key": "P-1", "position_to": "shelf", "qt_confirmed": 4 });
        event(admin, "MOVEMENT_COMPLETED", receipt).await.expect(200);
        let mut album = album("counting");
        let targets = json!([{ "targets": [{ "target_key": "shelf", "include_children": false }] }]);
        let session = json!({ "count_session": { "code": "C-1", "type": "position", "notes": "Every shelf" }, "assignments": targets });
        let made = album.post("session-created", admin, "/inventory/count-session", session).await["detail"].clone();
        let session = made["count_session_key"].as_str().unwrap();
        let begin = json!({ "event_type": "COUNT_SESSION_STARTED", "count_session_key": session });
        album.post("session-started", admin, "/event", begin).await;
        let begin = json!({ "event_type": "COUNT_STARTED", "count_session_key": session, "product_key": "P-1", "position_key": "shelf" });
        let begun = album.post("count-started", admin, "/event", begin).await["detail"].clone();
        site.clock.advance_seconds(90);
        let end = json!({ "event_type": "COUNT_COMPLETED", "count_key": begun["count_record_key"], "count_qt": 3 });
        album.post("count-completed", admin, "/event", end).await;
        let path = format!("/inventory/count-session/{session}");
        let shown = album.get("session", admin, &path).await;
        album.get("sessions", admin, "/inventory/count-session").await;
        album.get("assignments", admin, "/inventory/count-assignment").await;
        album.get("records", admin, "/inventory/count-record").await;
        album.get("snapshot", admin, &format!("/inventory/snapshot/{}", shown["baseline_snapshot_key"].as_str().unwrap())).await;
        album.get("completed-positions", admin, &format!("{path}/completed-positions")).await;
        album.close();
    }

    async fn reads_of_collaboration(site) {
        let shop = shop(site).await;
        library(&shop.admin).await;
        let (admin, operator) = (&shop.admin, &shop.o1);
        let order = json!({ "product_key": "P-1", "wo_code": "WO-1", "qt_planned": 3 });
        let made = admin.post("/work-order", order).await.detail();
        let (order, job) = (key(&made["work_order"]), key(&made["jobs"][0]));
        let form = json!([{ "_key": "nm", "custom_field_key": "torque", "mandatory": true, "label": "Torque" }]);
        let mut album = album("collaboration");
        let kind = json!({ "_key": "loose", "name": "Loose", "code": "L", "critical": true, "form_template": form });
        album.post("issue-type-created", admin, "/issue-type", kind).await;
        let settings = json!([{ "type": "issue", "enabled": true, "required": true }, { "type": "product", "enabled": true }]);
        let kind = json!({ "_key": "tighten", "name": "Tighten", "icon": "wrench", "form_fields": form, "link_settings": settings });
        album.post("task-type-created", admin, "/task-type", kind).await;
        let links = json!([{ "type": "work_order", "key": order }, { "type": "job", "key": job }, { "type": "project", "key": "Alpha" }]);
        let data = json!({ "issue_type_key": "loose", "title": "Loose screw", "data": [{ "form_field_key": "nm", "value": 1.5 }], "linked_to": links });
        let create = json!({ "event_type": "ISSUE_CREATED", "issue_data": data });
        let made = album.post("issue-created", operator, "/event", create).await["detail"].clone();
        let issue = made["issue_key"].as_str().unwrap();
        let assigned = json!([{ "user_key": shop.o2.key }, { "user_key": operator.key, "role": "owner" }]);
        let create = json!({
            "event_type": "TASK_CREATED", "task_type_key": "tighten", "code": "T-1", "title": "Tighten it", "due_by": "2026-03-02", "assigned_to": assigned,
        });
        let made = album.post("task-created", operator, "/event", create).await["detail"].clone();
        let task = made["task_key"].as_str().unwrap();
        let complete = json!({ "event_type": "TASK_COMPLETED", "task_key": task });
        album.post("task-not-completed", operator, "/event", complete).await;
        let link = json!({ "task_key": task, "link_type": "issue", "link_key": issue });
        event(operator, "TASK_LINKED", link).await.expect(200);
        let time = json!({ "task_key": task, "start": "2026-03-01T07:00:00Z", "end": "2026-03-01T07:30:00Z" });
        event(operator, "TASK_TIME_RECORDED", time).await.expect(200);
        let recipient = format!("Issue/{issue}");
        let said = json!({ "event_type": "MESSAGE_POSTED", "recipient": recipient, "content": "Third one this week" });
        album.post("message-posted", operator, "/event", said).await;
        site.clock.advance_seconds(90);
        let update = json!({ "event_type": "TASK_UPDATED", "task_key": task, "form_fields": [{ "form_field_key": "nm", "value": 4 }] });
        album.post("task-updated", operator, "/event", update).await;
        album.get("issue-types", admin, "/issue-type").await;
        album.get("task-types", admin, "/task-type").await;
        album.get("issues", admin, "/issue").await;
        album.get("issue", admin, &format!("/issue/{issue}")).await;
        album.get("messages", admin, &format!("/message?recipient_id={recipient}")).await;
        album.get("tasks", admin, "/task").await;
        album.get("task", admin, &format!("/task/{task}")).await;
        let said = json!({ "event_type": "MESSAGE_POSTED", "recipient": format!("User/{}", shop.o2.key), "content": "See you at four" });
        let made = admin.post("/event", said).await.detail();
        album.get("private-message-event", admin, &format!("/event/{}", made["event_key"].as_str().unwrap())).await;
        let gone = json!({ "event_type": "ISSUE_DELETED", "issue_data": { "_key": issue } });
        let made = admin.post("/event", gone).await.detail();
        album.get("issue-deleted-event", admin, &format!("/event/{}", made["event_key"].as_str().unwrap())).await;
        album.close();
    }

    async fn errors_of_each_kind(site) {
        let shop = shop(site).await;
        library(&shop.admin).await;
        let (admin, operator) = (&shop.admin, &shop.o1);
        let mut album = album("errors");
        album.get("token", &site.visitor("nobody"), "/product/P-1").await;
        album.post("scope", operator, "/product", json!({ "code": "P-2" })).await;
        album.get("missing", admin, "/product/nothing").await;
        album.post("conflict", admin, "/product", json!({ "code": "P-1" })).await;
        let itself = json!({ "target_product_keys": ["P-1"] });
        album.post("bad-request", admin, "/product/P-1/process/copy", itself).await;
        let stale = admin.request(Method::PATCH, "/product/P-1").header("if-match", "stale").json(&json!({ "description": "Fan" }));
        album.send("precondition", admin, stale).await;
        let table = admin.request(Method::POST, "/product").header("content-type", "text/csv").body("code");
        album.send("content-type", admin, table).await;
        album.send("method", admin, admin.request(Method::PUT, "/product")).await;
        let several = json!({ "code": 5, "description": ["x"], "cost": { "average": "much" }, "surplus": true });
        album.post("faults", admin, "/product", several).await;
        let made = admin.post("/work-order", json!({ "product_key": "P-1", "qt_planned": 3 })).await.detail();
        let job = key(&made["jobs"][0]);
        album.post("rule", operator, "/event", json!({ "event_type": "JOB_PAUSED", "job_key": job })).await;
        event(operator, "JOB_STARTED", json!({ "job_key": job })).await.expect(200);
        let rows = json!([{ "job_key": job }, { "job_key": "nothing" }]);
        let bulk = json!({ "shared_data": { "event_type": "JOB_PAUSED" }, "events": rows });
        album.post("bulk", operator, "/event/bulk", bulk).await;
        crate::sweep::refuse_audit(site).await;
        album.post("unexpected", admin, "/product", json!({ "code": "P-2" })).await;
        album.close();
    }
}
