//! Tasks: what they hold, their codes, dates and assignments, and what takes them from one status to another.

use testkit::on_both_engines;

use super::*;

const STATUSES: [&str; 4] = ["open", "pending", "completed", "canceled"];
const STEPS: [&str; 4] = ["COMPLETED", "CANCELED", "SUSPENDED", "REOPENED"];

/// The status after a step; none where it is refused.
fn after(status: &str, step: &str) -> Option<&'static str> {
    match (status, step) {
        ("open" | "pending", "COMPLETED") => Some("completed"),
        ("open" | "pending", "CANCELED") => Some("canceled"),
        ("open" | "completed" | "canceled", "SUSPENDED") => Some("pending"),
        ("pending" | "completed" | "canceled", "REOPENED") => Some("open"),
        _ => None,
    }
}

fn owner(user: &Person) -> Value {
    json!({ "user_key": user.key, "role": "owner" })
}

fn participant(user: &Person) -> Value {
    json!({ "user_key": user.key, "role": "participant" })
}

#[track_caller]
fn not_created(answer: Answer, code: &str) {
    rule(answer, "TaskNotCreatedError", code);
}

#[track_caller]
fn not_updated(answer: Answer, code: &str) {
    rule(answer, "TaskNotUpdatedError", code);
}

on_both_engines! {
    async fn a_task_has_what_was_sent(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({ "icon": "wrench" })).await;
        let sent = json!({
            "code": " ab-1 ", "title": "Mend the pump", "description": "Seal first", "start_from": "2026-03-02", "due_by": "2026-03-05T14:00:00+02:00",
            "assigned_to": [{ "user_key": team.ann.key }, owner(&team.ben)], "extra": { "shift": [1, 2.50] },
        });
        let made = create(&team.ann, &kind, sent).await.detail();
        assert_eq!(made["code"], "AB-1");
        let key = text(&made["task_key"]);
        let read = team.read_task(&key).await;
        for (member, value) in [
            ("_key", json!(key)), ("_id", json!(format!("Task/{key}"))), ("task_type_key", json!(kind)), ("task_type_name", json!("Repair")),
            ("icon", json!("wrench")), ("code", json!("AB-1")), ("status", json!("open")), ("owner_key", json!(team.ben.key)),
            ("assigned_to", json!([owner(&team.ben), participant(&team.ann)])), ("start_from", json!("2026-03-02T00:00:00.000Z")),
            ("due_by", json!("2026-03-05T12:00:00.000Z")), ("created", json!(site.clock.now())), ("created_by", json!(team.ann.key)),
            ("closed", json!(null)), ("closed_by", json!(null)), ("deleted", json!(null)), ("deleted_by", json!(null)),
            ("title", json!("Mend the pump")), ("description", json!("Seal first")), ("form_fields", json!([])), ("links", json!([])),
            ("time_spent", json!([])),
        ] {
            assert_eq!(read.get(member), Some(&value), "{member}");
        }
        assert_eq!(read["extra"]["shift"][0], 1);
        assert_eq!(read["link_settings"].as_array().unwrap().len(), 5);
        let listed = team.get("/task").await[0].clone();
        for member in ["_key", "task_type_name", "icon", "code", "owner_key", "assigned_to", "title", "form_fields", "due_by"] {
            assert_eq!(listed[member], read[member], "{member}");
        }
        let stored = team.stored(&made).await;
        assert_eq!((&stored["event_type"], &stored["task_key"]), (&json!("TASK_CREATED"), &json!(key)));
        assert_eq!(each(&team.get(&format!("/event?task_key={key}")).await, "event_type"), ["TASK_CREATED"]);

        let plain = team.read_task(&team.task(&kind, json!({})).await).await;
        assert_eq!((&plain["assigned_to"], &plain["owner_key"], &plain["title"]), (&json!([]), &json!(null), &json!(null)));
        assert_eq!((&plain["start_from"], &plain["due_by"]), (&json!(null), &json!(null)));
        assert!(plain["code"].is_string());
        team.admin.get(&format!("/task/{NOBODY}")).await.expect(404);
    }

    async fn what_does_not_fit_is_refused(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let old = team.task_type("Old", json!({ "active": false })).await;
        let gone = site.new_user("gone", "operator").await;
        team.admin.delete(&format!("/user/{}", gone.key)).await.expect(200);
        let first = team.task(&kind, json!({ "code": "one" })).await;
        not_created(create(&team.ann, &old, json!({})).await, "type_inactive");
        nobody(create(&team.ann, "nobody", json!({})).await, "nobody");
        not_created(create(&team.ann, &kind, json!({ "code": " ONE" })).await, "code_taken");
        for assigned in [
            json!([owner(&team.ann), owner(&team.ben)]),
            json!([participant(&team.ann)]),
            json!([{ "user_key": team.ann.key }]),
            json!([owner(&team.ann), participant(&team.ann)]),
            json!([owner(&team.ann), participant(&team.ben), participant(&team.ben)]),
            json!([{ "user_key": "nobody", "role": "owner" }]),
            json!([owner(&team.ann), { "user_key": gone.key }]),
        ] {
            not_created(create(&team.ann, &kind, json!({ "assigned_to": assigned })).await, "bad_assignment");
            not_updated(task(&team.ann, "UPDATED", &first, json!({ "assigned_to": assigned })).await, "bad_assignment");
        }
        let unknown = json!({ "assigned_to": [owner(&team.ann), { "user_key": gone.key }] });
        let told = create(&team.ann, &kind, unknown).await.body["detail"]["message"].to_string();
        assert!(told.contains(gone.key.as_str()), "{told}");
        for (start, due) in [("2026-03-02", "2026-03-01"), ("2026-03-02T08:00:00Z", "2026-03-02T07:59:59Z"), ("2026-03-02", "2026-03-01T23:00:00Z")] {
            not_created(create(&team.ann, &kind, json!({ "start_from": start, "due_by": due })).await, "bad_dates");
            not_updated(task(&team.ann, "UPDATED", &first, json!({ "start_from": start, "due_by": due })).await, "bad_dates");
        }
        for (members, place) in [
            (json!({ "title": "t".repeat(201) }), "body.title"),
            (json!({ "code": "" }), "body.code"),
            (json!({ "code": "c".repeat(129) }), "body.code"),
            (json!({ "extra": [] }), "body.extra"),
            (json!({ "due_by": "soon" }), "body.due_by"),
            (json!({ "assigned_to": [{ "user_key": team.ann.key, "role": "boss" }] }), "body.assigned_to.0.role"),
            (json!({ "assigned_to": [{ "role": "owner" }] }), "body.assigned_to.0.user_key"),
            (json!({ "status": "completed" }), "body.status"),
            (json!({ "colour": "red" }), "body.colour"),
        ] {
            faulty(create(&team.ann, &kind, members).await, place);
        }
        faulty(event(&team.ann, "TASK_CREATED", json!({})).await, "body.task_type_key");
        assert_eq!(team.get("/task").await.as_array().unwrap().len(), 1);
    }

    async fn a_task_has_the_whole_day_that_it_is_due(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let dates = |start: &str, due: &str| json!({ "start_from": start, "due_by": due });
        let key = team.task(&kind, dates("2026-03-02T08:00:00Z", "2026-03-02")).await;
        assert_eq!(team.read_task(&key).await["due_by"], "2026-03-02T00:00:00.000Z");
        not_created(create(&team.ann, &kind, dates("2026-03-02T08:00:00Z", "2026-03-02T00:00:00.001Z")).await, "bad_dates");
        // One of them alone is held against the other as it is.
        not_updated(task(&team.ann, "UPDATED", &key, json!({ "start_from": "2026-03-03" })).await, "bad_dates");
        not_updated(task(&team.ann, "UPDATED", &key, json!({ "due_by": "2026-03-01" })).await, "bad_dates");
        task(&team.ann, "UPDATED", &key, json!({ "start_from": "2026-03-03", "due_by": null })).await.expect(200);
        task(&team.ann, "UPDATED", &key, json!({ "due_by": "2026-03-03" })).await.expect(200);
    }

    async fn codes_come_from_the_counter(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        team.admin.post("/counter", json!({ "_key": "tasks", "name": "Tasks", "template": ["tk-", "#3"] })).await.expect(200);
        team.admin.patch("/config", json!({ "system_counters": { "tasks": "tasks" } })).await.expect(200);
        let drawn = async || text(&create(&team.ann, &kind, json!({})).await.detail()["code"]);
        assert_eq!(drawn().await, "TK-001", "in upper case");
        team.task(&kind, json!({ "code": "tk-002" })).await;
        not_created(create(&team.ann, &kind, json!({ "due_by": "2026-01-01", "start_from": "2026-02-01" })).await, "bad_dates");
        assert_eq!(drawn().await, "TK-003", "a taken one is passed over, and a refusal uses none");
        assert_eq!(drawn().await, "TK-004");
        let gone = team.task(&kind, json!({ "code": "TK-005" })).await;
        task(&team.ann, "DELETED", &gone, json!({})).await.expect(200);
        not_created(create(&team.ann, &kind, json!({ "code": "tk-005" })).await, "code_taken");
        assert_eq!(drawn().await, "TK-006", "codes of deleted tasks stay taken");
        let bulk = json!({ "shared_data": { "event_type": "TASK_CREATED", "task_type_key": kind }, "events": vec![json!({}); 20] });
        let made = team.ann.post("/event/bulk?results=true", bulk).await.detail();
        let wanted: Vec<String> = (7..27).map(|number| format!("TK-{number:03}")).collect();
        assert_eq!(each(&made["results"], "code"), wanted);
    }

    async fn times_are_those_of_the_event_and_never_later(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let now = site.clock.now();
        let earlier = team.task(&kind, json!({ "timestamp": "2026-02-01T10:00:00Z" })).await;
        assert_eq!(team.read_task(&earlier).await["created"], "2026-02-01T10:00:00.000Z");
        let given = team.task(&kind, json!({ "created": "2026-01-01", "created_by": team.ann.key })).await;
        assert_eq!(team.read_task(&given).await["created"], "2026-01-01T00:00:00.000Z");
        let ahead = team.task(&kind, json!({ "timestamp": now.plus_seconds(60) })).await;
        assert_eq!(team.read_task(&ahead).await["created"], json!(now.plus_seconds(60)), "of a clock that is ahead");
        task(&team.ann, "COMPLETED", &ahead, json!({ "timestamp": now.plus_seconds(90), "closed": now.plus_seconds(80) })).await.expect(200);
        create(&team.ann, &kind, json!({ "created": now.plus_seconds(1) })).await.expect(422);
        create(&team.ann, &kind, json!({ "created": "2026-02-02", "timestamp": "2026-02-01" })).await.expect(422);
        task(&team.ann, "COMPLETED", &given, json!({ "closed": now.plus_seconds(1) })).await.expect(422);
        let done = task(&team.ann, "COMPLETED", &given, json!({ "closed": "2026-02-03T04:05:06Z" })).await.detail();
        assert_eq!((&done["task_key"], &done["status"]), (&json!(given), &json!("completed")));
        let read = team.read_task(&given).await;
        assert_eq!((&read["closed"], &read["closed_by"]), (&json!("2026-02-03T04:05:06.000Z"), &json!(team.ann.key)));
    }

    async fn a_change_names_what_changes(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let sent = json!({ "title": "One", "description": "d", "due_by": "2026-04-01", "assigned_to": [owner(&team.ann), participant(&team.ben)] });
        let key = team.task(&kind, sent).await;
        let changed = task(&team.cat, "UPDATED", &key, json!({ "title": "Two" })).await.detail();
        let shown = &changed["task"];
        assert_eq!((&shown["_key"], &shown["title"], &shown["task_type_name"]), (&json!(key), &json!("Two"), &json!("Repair")));
        let read = team.read_task(&key).await;
        assert_eq!((&read["title"], &read["description"]), (&json!("Two"), &json!("d")), "absent ones stay");
        assert_eq!(read["owner_key"], team.ann.key);
        let before = text(&read["_rev"]);
        let assigned = json!([participant(&team.ann), participant(&team.cat), owner(&team.ben)]);
        task(&team.cat, "UPDATED", &key, json!({ "assigned_to": assigned })).await.expect(200);
        let read = team.read_task(&key).await;
        assert_eq!(read["assigned_to"], json!([owner(&team.ben), participant(&team.ann), participant(&team.cat)]), "the owner first");
        assert_ne!(text(&read["_rev"]), before);
        let clear = json!({ "title": null, "description": null, "due_by": null, "start_from": null, "assigned_to": [] });
        task(&team.cat, "UPDATED", &key, clear).await.expect(200);
        let read = team.read_task(&key).await;
        for member in ["title", "description", "due_by", "start_from", "owner_key"] {
            assert_eq!(read[member], Value::Null, "{member}");
        }
        assert_eq!(read["assigned_to"], json!([]));
        not_updated(task(&team.cat, "UPDATED", &key, json!({})).await, "nothing_to_change");
        for wrong in [json!({ "code": "X" }), json!({ "status": "open" }), json!({ "task_type_key": kind }), json!({ "title": "t".repeat(201) })] {
            task(&team.cat, "UPDATED", &key, wrong).await.expect(422);
        }
        nobody(task(&team.cat, "UPDATED", NOBODY, json!({ "title": "x" })).await, NOBODY);
    }

    /// The table of 5.4, whole.
    async fn each_step_from_each_status(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        for status in STATUSES {
            for step in STEPS {
                let key = team.task_in(&kind, status).await;
                let before = team.read_task(&key).await;
                site.clock.advance_seconds(10);
                let answer = task(&team.ben, step, &key, json!({})).await;
                let Some(next) = after(status, step) else {
                    wrong_status(answer, status);
                    assert_eq!(team.read_task(&key).await, before, "{step} of one that is {status}");
                    continue;
                };
                let told = answer.detail();
                assert_eq!((&told["task_key"], &told["status"]), (&json!(key), &json!(next)), "{step} of one that is {status}");
                let read = team.read_task(&key).await;
                let closed = ["completed", "canceled"].contains(&next);
                let expected = if closed { (json!(site.clock.now()), json!(team.ben.key)) } else { (Value::Null, Value::Null) };
                assert_eq!((&read["status"], &read["closed"], &read["closed_by"]), (&json!(next), &expected.0, &expected.1));
            }
        }
        for step in STEPS {
            nobody(task(&team.ben, step, NOBODY, json!({})).await, NOBODY);
        }
        let key = team.task_in(&kind, "open").await;
        let canceled = task(&team.ben, "CANCELED", &key, json!({ "reason": "not needed" })).await.detail();
        assert_eq!(team.stored(&canceled).await["payload"]["reason"], "not needed");
    }

    async fn only_open_and_pending_tasks_are_changed(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({ "link_settings": [{ "type": "product", "enabled": true }] })).await;
        team.traced("T").await;
        let time = json!({ "start": "2026-02-01T08:00:00Z", "end": "2026-02-01T09:00:00Z" });
        for status in STATUSES {
            let key = team.task_in(&kind, status).await;
            let answers = [
                task(&team.ann, "UPDATED", &key, json!({ "title": status })).await,
                task_link(&team.ann, "LINKED", &key, "product", "T").await,
                task_link(&team.ann, "UNLINKED", &key, "product", "T").await,
                task(&team.ann, "TIME_RECORDED", &key, time.clone()).await,
            ];
            for answer in answers {
                match status {
                    "open" | "pending" => _ = answer.expect(200),
                    _ => wrong_status(answer, status),
                }
            }
            let gone = task(&team.ann, "DELETED", &key, json!({})).await.detail();
            assert_eq!((&gone["task_key"], &gone["mode"]), (&json!(key), &json!("soft")), "always");
        }
    }

    async fn a_deleted_task_is_hidden_everywhere(site) {
        let team = team(site).await;
        let kind = team.linking_type("Repair").await;
        let [key, other] = [team.task(&kind, json!({ "code": "GONE" })).await, team.task(&kind, json!({ "code": "LEFT" })).await];
        task_link(&team.ann, "LINKED", &key, "task", &other).await.expect(200);
        site.clock.advance_seconds(30);
        task(&team.ben, "DELETED", &key, json!({})).await.expect(200);
        let marks: (Option<i64>, Option<String>) = site.look("select deleted, deleted_by from task where code = 'GONE'", vec![]).await.unwrap();
        assert_eq!(marks, (Some(site.clock.now().millis()), Some(team.ben.key.clone())), "it is kept");
        team.admin.get(&format!("/task/{key}")).await.expect(404);
        assert_eq!(each(&team.get("/task").await, "code"), ["LEFT"]);
        for query in [format!("linked_task_key={other}"), format!("linked_task_key={key}"), "code=GONE".to_owned()] {
            assert_eq!(team.get(&format!("/task?{query}")).await, json!([]), "{query}");
        }
        assert_eq!(team.read_task(&other).await["links"], json!([]), "links go");
        for step in ["UPDATED", "COMPLETED", "CANCELED", "SUSPENDED", "REOPENED", "DELETED"] {
            nobody(task(&team.ann, step, &key, json!({})).await, &key);
        }
        nobody(task_link(&team.ann, "LINKED", &other, "task", &key).await, &key);
        let order = team.order("A").await;
        let started = json!({ "job_key": order.jobs[0], "context_type": "task", "context_key": key });
        let told = refused(event(&team.ann, "JOB_STARTED", started).await, "RecordNotFoundError");
        assert_eq!(told["field"], "context_key");
        assert_eq!(each(&team.get(&format!("/event?task_key={key}&type=TASK_DELETED")).await, "event_type"), ["TASK_DELETED"]);
    }
}
