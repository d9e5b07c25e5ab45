//! Sessions: what they hold, their states, which fields can be changed in which of them, and stock as it was.

use testkit::on_both_engines;

use super::*;

const STATES: [&str; 6] = ["planned", "started", "completed", "processing", "applied", "canceled"];

/// A session in a state. The one that corrects stock does so only when it is let go.
async fn in_state(site: &Site, hall: &Hall, state: &str) -> String {
    let session = hall.planned(json!({ "code": state })).await;
    let steps: &[&str] = match state {
        "planned" => &[],
        "started" => &["STARTED"],
        "completed" => &["STARTED", "COMPLETED"],
        "applied" => &["STARTED", "COMPLETED", "CONFIRMED"],
        "canceled" => &["STARTED", "CANCELED"],
        _ => {
            keep_from_applying(site, &session).await;
            hall.step(&session, "STARTED").await.expect(200);
            count(&hall.x, &session, "P", "A1", json!(4)).await;
            &["COMPLETED", "CONFIRMED"]
        }
    };
    for step in steps {
        hall.step(&session, step).await.expect(200);
    }
    assert_eq!(hall.read(&session).await["status"], state);
    session
}

/// The keys of a list of sessions.
async fn codes(hall: &Hall, query: &str) -> Vec<String> {
    each(&hall.depot.get(&format!("{SESSIONS}?{query}")).await, "code")
}

on_both_engines! {
    async fn a_session_has_what_was_sent(site) {
        let hall = hall(site).await;
        let sent = json!({
            "code": " C-1 ", "description": "Of the year", "notes": "With care", "type": "product", "blind_quantities": false,
            "blind_serials": false, "scheduled_start": "2026-03-02", "scheduled_end": "2026-03-03T12:00:00+01:00", "extra": { "team": 4 },
        });
        let made = hall.makes(sent.clone(), json!([])).await.detail();
        assert_eq!(made["code"], "C-1");
        let key = text(&made["count_session_key"]);
        let shown = hall.read(&key).await;
        for member in ["description", "notes", "type", "blind_quantities", "blind_serials", "extra"] {
            assert_eq!(shown[member], sent[member], "{member}");
        }
        assert_eq!((&shown["_key"], &shown["code"], &shown["status"]), (&json!(key), &json!("C-1"), &json!("planned")));
        assert_eq!((&shown["scheduled_start"], &shown["scheduled_end"]), (&json!("2026-03-02T00:00:00.000Z"), &json!("2026-03-03T11:00:00.000Z")));
        assert_eq!((&shown["created"], &shown["created_by"]), (&json!(site.clock.now()), &json!(hall.keeper().key)));
        assert_eq!(shown["assignments"], json!({}));
        for member in [
            "started", "completed", "applied", "coverage_percentage", "baseline_snapshot_key", "post_count_snapshot_key",
            "post_adjustment_snapshot_key", "adjustment_list_key", "processing_started", "processing_completed",
        ] {
            assert_eq!(shown.get(member), Some(&Value::Null), "{member}");
        }
        for member in ["records_to_process", "movements_created", "movements_failed"] {
            assert_eq!(shown[member], 0, "{member}");
        }
        hall.makes(json!({ "code": "C-1", "type": "position" }), json!([])).await.expect(409);
        let plain = hall.makes(json!({ "type": "position" }), json!([])).await.detail();
        assert!(plain["code"].as_str().is_some_and(|code| !code.is_empty()), "the counter gives one: {plain}");
        let plain = hall.read(&text(&plain["count_session_key"])).await;
        assert_eq!((&plain["blind_quantities"], &plain["blind_serials"]), (&json!(true), &json!(true)));
        hall.makes(json!({ "code": "no type" }), json!([])).await.expect(422);
        hall.makes(json!({ "code": " ", "type": "position" }), json!([])).await.expect(422);
        hall.makes(json!({ "type": "position", "colour": "red" }), json!([])).await.expect(422);
        hall.keeper().post(SESSIONS, json!({ "count_session": { "code": "alone", "type": "position" } })).await.expect(200);
        hall.keeper().get(&format!("{SESSIONS}/0000000000001")).await.expect(404);
    }

    async fn a_session_does_not_end_before_it_starts(site) {
        let hall = hall(site).await;
        let planned = json!({ "type": "position", "scheduled_start": "2026-05-02", "scheduled_end": "2026-05-01" });
        let told = hall.makes(planned, json!([])).await.expect(422);
        assert_eq!(told.body["detail"][0]["loc"], json!(["body", "scheduled_end"]));
        let session = hall.planned(json!({ "scheduled_start": "2026-05-02" })).await;
        let path = format!("{SESSIONS}/{session}");
        hall.keeper().put(&path, json!({ "scheduled_end": "2026-05-01" })).await.expect(422);
        hall.keeper().put(&path, json!({ "scheduled_end": "2026-05-02" })).await.expect(200);
    }

    async fn sessions_are_listed_newest_first(site) {
        let hall = hall(site).await;
        for (code, kind) in [("Jan", "position"), ("feb", "product"), ("Mar", "position")] {
            let session = hall.planned(json!({ "code": code, "type": kind })).await;
            site.clock.advance_seconds(1);
            if code == "feb" {
                hall.step(&session, "STARTED").await.expect(200);
            }
        }
        assert_eq!(codes(&hall, "").await, ["Mar", "feb", "Jan"]);
        assert_eq!(codes(&hall, "search=*R").await, ["Mar"]);
        assert_eq!(codes(&hall, "search=A").await, ["Mar", "Jan"]);
        assert_eq!(codes(&hall, "status=started").await, ["feb"]);
        assert_eq!(codes(&hall, "status=started&status=planned&limit=2").await, ["Mar", "feb"]);
        assert_eq!(codes(&hall, "type=position&offset=1").await, ["Jan"]);
        assert_eq!(hall.keeper().get(&format!("{SESSIONS}?limit=1&count=true")).await.header("x-total-count"), "3");
        for wrong in ["status=lost", "type=shelf", "limit=0"] {
            hall.keeper().get(&format!("{SESSIONS}?{wrong}")).await.expect(422);
        }
    }

    async fn each_step_leads_where_the_table_says(site) {
        let hall = hall(site).await;
        let session = hall.planned(json!({})).await;
        let way = [
            ("STARTED", "started"), ("COMPLETED", "completed"), ("RESUMED", "started"), ("COMPLETED", "completed"), ("CONFIRMED", "applied"),
        ];
        for (step, status) in way {
            site.clock.advance_seconds(1);
            let told = hall.step(&session, step).await.detail();
            assert_eq!((&told["count_session_key"], &told["status"]), (&json!(session), &json!(status)), "{step}");
            let shown = hall.read(&session).await;
            assert_eq!(shown["status"], status);
            match step {
                "STARTED" => assert_eq!(shown["started"], json!(site.clock.now())),
                "COMPLETED" => assert_eq!(shown["completed"], json!(site.clock.now())),
                "RESUMED" => assert_eq!(shown["completed"], Value::Null),
                _ => assert_eq!(shown["applied"], json!(site.clock.now())),
            }
        }
        for (step, name) in [("STARTED", "session_key"), ("CANCELED", "inventory_count_session_key")] {
            let other = hall.planned(json!({})).await;
            if step == "CANCELED" {
                hall.step(&other, "STARTED").await.expect(200);
            }
            let told = event(hall.keeper(), &format!("COUNT_SESSION_{step}"), json!({ name: other })).await.detail();
            assert_eq!(told["count_session_key"], other);
        }
        let gone = hall.planned(json!({})).await;
        assert_eq!(hall.keeper().delete(&format!("{SESSIONS}?counting_session_key={gone}")).await.detail(), Value::Null);
        hall.keeper().get(&format!("{SESSIONS}/{gone}")).await.expect(404);
        hall.keeper().delete(&format!("{SESSIONS}?counting_session_key={gone}")).await.expect(404);
        for path in ["processed-records", "completed-positions"] {
            hall.keeper().get(&format!("{SESSIONS}/{gone}/{path}")).await.expect(404);
        }
        crate::serials::unknown(hall.step(&gone, "STARTED").await, "count_session_key");
        audit(site, hall.keeper()).await;
    }

    async fn whatever_does_not_suit_a_state_is_refused(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        let events: [(&str, &[&str]); 8] = [
            ("COUNT_SESSION_STARTED", &["planned"]),
            ("COUNT_SESSION_COMPLETED", &["started"]),
            ("COUNT_SESSION_RESUMED", &["completed"]),
            ("COUNT_SESSION_CONFIRMED", &["completed"]),
            ("COUNT_SESSION_CANCELED", &["started", "completed"]),
            ("COUNT_STARTED", &["started"]),
            ("POSITION_CONFIRMED_EMPTY", &["started"]),
            ("ASSIGNMENT_STARTED", &["started"]),
        ];
        for state in STATES {
            let session = in_state(site, &hall, state).await;
            let assignment = if ["planned", "started"].contains(&state) {
                let target = json!([{ "inventory_count_session_key": session, "target_key": "A2" }]);
                hall.keeper().post(ASSIGNMENTS, target).await.expect(200);
                let listed = hall.depot.get(&format!("{ASSIGNMENTS}?inventory_count_session_key={session}")).await;
                Some(text(&listed[0]["_key"]))
            } else {
                let target = json!([{ "inventory_count_session_key": session, "target_key": "A2" }]);
                wrong_state(hall.keeper().post(ASSIGNMENTS, target).await, state);
                None
            };
            for (name, taken) in events {
                if taken.contains(&state) {
                    continue;
                }
                let members = match (name, &assignment) {
                    ("ASSIGNMENT_STARTED", Some(key)) => json!({ "assignment_key": key }),
                    ("ASSIGNMENT_STARTED", None) => continue,
                    ("COUNT_STARTED", _) => json!({ "session_key": session, "product_key": "P", "position_key": "A2" }),
                    ("POSITION_CONFIRMED_EMPTY", _) => json!({ "session_key": session, "position_key": "A2" }),
                    _ => json!({ "session_key": session }),
                };
                wrong_state(event(hall.keeper(), name, members).await, state);
            }
            if state != "planned" {
                wrong_state(hall.keeper().delete(&format!("{SESSIONS}?counting_session_key={session}")).await, state);
            }
            if state != "completed" {
                let file = "position_code,product_code,counted_qt\nA2,P,1\n";
                wrong_state(dry_run(hall.keeper(), &session, "update", file).await, state);
            }
            let internal = event(hall.keeper(), "COUNT_SESSION_APPLIED", json!({ "session_key": session })).await;
            crate::production::refused(internal, "EventNotAllowed");
            assert_eq!(hall.read(&session).await["status"], state, "nothing has changed");
        }
        for internal in ["COUNT_APPLIED", "COUNT_IMPORTED"] {
            crate::production::refused(event(hall.keeper(), internal, json!({})).await, "EventNotAllowed");
        }
        let_go(site).await;
        settled(site).await;
        audit(site, hall.keeper()).await;
    }

    async fn fields_are_locked_step_by_step(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        let new = json!({
            "code": "new", "type": "product", "blind_quantities": false, "blind_serials": false, "scheduled_start": "2026-03-05T00:00:00Z",
            "scheduled_end": "2026-03-06T00:00:00Z", "description": "new", "notes": "new",
        });
        let begun = ["blind_quantities", "blind_serials", "code", "scheduled_start", "type"];
        for state in STATES {
            let session = in_state(site, &hall, state).await;
            let path = format!("{SESSIONS}/{session}");
            let mut locked = match state {
                "planned" => Vec::new(),
                _ => begun.to_vec(),
            };
            if ["applied", "canceled"].contains(&state) {
                locked.push("scheduled_end");
            }
            locked.sort_unstable();
            let sorted = |fields: &Value| {
                let mut fields: Vec<String> = fields.as_array().unwrap().iter().map(text).collect();
                fields.sort();
                fields
            };
            if !locked.is_empty() {
                let told = refusal(hall.keeper().put(&path, new.clone()).await, "field_locked");
                assert_eq!(sorted(&told["fields"]), locked, "all of them, in {state}");
            }
            for (field, value) in new.as_object().unwrap() {
                let answer = hall.keeper().put(&path, json!({ field: value })).await;
                if locked.contains(&field.as_str()) {
                    assert_eq!(sorted(&refusal(answer, "field_locked")["fields"]), [field.as_str()], "{state}");
                    continue;
                }
                assert_eq!(answer.detail(), Value::Null, "{state}");
                let shown = hall.read(&session).await;
                match field.as_str() {
                    "scheduled_start" | "scheduled_end" => assert!(text(&shown[field]).starts_with("2026-03-0"), "{shown}"),
                    _ => assert_eq!(shown[field], *value, "{field} in {state}"),
                }
            }
            if state == "planned" {
                hall.keeper().put(&path, json!({ "code": "old" })).await.expect(200);
            }
        }
        let_go(site).await;
        settled(site).await;
    }

    async fn a_session_that_was_read_can_be_sent_back(site) {
        let hall = hall(site).await;
        let target = json!([{ "user_key": hall.x.key, "targets": [{ "target_key": "A1", "include_children": false }] }]);
        let session = hall.planned_for(json!({ "code": "C-1", "extra": { "team": 4 } }), target).await;
        let path = format!("{SESSIONS}/{session}");
        let mut read = hall.read(&session).await;
        read["notes"] = json!("With care");
        hall.keeper().put(&path, read.clone()).await.expect(200);
        let (mut before, mut after) = (read.clone(), hall.read(&session).await);
        for session in [&mut before, &mut after] {
            session.as_object_mut().unwrap().remove("_rev");
        }
        assert_eq!(after, before);
        for (member, value) in [("status", json!("applied")), ("extra", json!({ "team": 5 })), ("assignments", json!({}))] {
            hall.keeper().put(&path, json!({ member: value })).await.expect(200);
            assert_eq!(hall.read(&session).await[member], before[member], "{member} is ignored");
        }
    }

    async fn changes_of_a_session_meet_the_others(site) {
        let hall = hall(site).await;
        let first = hall.planned(json!({ "code": "first" })).await;
        let second = hall.planned_for(json!({ "code": "second" }), json!([{ "targets": [{ "target_key": "A1", "include_children": false }] }])).await;
        let path = format!("{SESSIONS}/{second}");
        hall.keeper().put(&path, json!({ "code": "first" })).await.expect(409);
        hall.keeper().put(&path, json!({ "type": "product" })).await.expect(409);
        hall.keeper().put(&format!("{SESSIONS}/{first}"), json!({ "type": "product" })).await.expect(200);
        hall.keeper().put(&format!("{SESSIONS}/0000000000001"), json!({ "notes": "x" })).await.expect(404);
        hall.keeper().put(&path, json!({ "colour": "red" })).await.expect(422);
        let rev = hall.read(&second).await["_rev"].clone();
        hall.keeper().put(&path, json!({ "notes": "newer" })).await.expect(200);
        let stale = hall.keeper().request(Method::PUT, &path).header("if-match", text(&rev)).json(&json!({ "notes": "older" }));
        hall.keeper().send(stale).await.expect(412);
        assert_eq!(hall.read(&second).await["notes"], "newer");
        hall.keeper().delete(&format!("{SESSIONS}?counting_session_key={second}")).await.expect(200);
        assert_eq!((site.count("count_session").await, site.count("count_assignment").await), (1, 0), "with what was assigned");
        hall.keeper().post(SESSIONS, json!({ "count_session": { "code": "second", "type": "position" } })).await.expect(200);
    }

    async fn each_step_needs_its_right(site) {
        let hall = hall(site).await;
        let session = hall.started().await;
        let record = count(&hall.x, &session, "P", "A1", json!(0)).await;
        let nobody = site.api_token(&hall.depot.admin, "traceability:event:create inventory:count:read").await;
        let rights = [
            ("COUNT_SESSION_STARTED", "inventory:count:update"),
            ("COUNT_SESSION_COMPLETED", "inventory:count:update"),
            ("COUNT_SESSION_RESUMED", "inventory:count:update"),
            ("COUNT_SESSION_CONFIRMED", "inventory:count:apply"),
            ("COUNT_SESSION_CANCELED", "inventory:count:delete"),
        ];
        for (name, scope) in rights {
            lacks(event(&nobody, name, json!({ "count_session_key": session })).await, scope);
        }
        lacks(discard(&nobody, &record).await, "inventory:count:apply");
        count(&nobody, &session, "P", "A2", json!(0)).await;
        empty(&nobody, &session, "A2").await.expect(200);
        assert_eq!(hall.read(&session).await["status"], "started");
    }

    async fn open_counts_keep_a_session_open(site) {
        let hall = hall(site).await;
        let session = hall.started().await;
        let records = [begun(&hall.x, &session, "P", "A1").await, begun(&hall.x, &session, "P", "A2").await];
        let told = refusal(hall.step(&session, "COMPLETED").await, "records_open");
        let mut open: Vec<String> = told["count_record_keys"].as_array().unwrap().iter().map(text).collect();
        open.sort();
        assert_eq!(open, records);
        complete(&hall.x, &records[0], json!(0)).await.expect(200);
        let told = hall.step(&session, "CANCELED").await.detail();
        assert_eq!(told["status"], "canceled");
        let left = hall.depot.get(&format!("{RECORDS}?count_session_key={session}")).await;
        assert_eq!(each(&left, "_key"), [records[0].clone()], "open ones are gone");
        hall.depot.received("A2", 1.0).await;
        refusal(complete(&hall.x, &records[0], json!(1)).await, "wrong_state");
        crate::serials::unknown(complete(&hall.x, &records[1], json!(1)).await, "count_key");
        audit(site, hall.keeper()).await;
    }

    async fn stock_is_kept_as_it_was_before_and_after(site) {
        let hall = hall(site).await;
        hall.depot.received("A1", 5.0).await;
        hall.depot.received("A2", 3.0).await;
        let unit = hall.depot.received_unit("A1", "S-1").await;
        let session = hall.planned(json!({})).await;
        assert_eq!(hall.read(&session).await["coverage_percentage"], Value::Null);
        hall.step(&session, "STARTED").await.expect(200);
        let kept = async |member: &str| {
            let key = text(&hall.read(&session).await[member]);
            let answer = hall.depot.get(&format!("/inventory/snapshot/{key}")).await;
            let item = |item: &Value| json!([item["product_code"], item["position_code"], item["quantity"], item["serial_keys"]]);
            let mut items: Vec<Value> = answer["items"].as_array().unwrap().iter().map(item).collect();
            items.sort_by_key(Value::to_string);
            (answer["snapshot"].clone(), items)
        };
        let row = |product: &str, position: &str, quantity: i64, serials: Value| json!([product, position, quantity, serials]);
        let before = vec![row("P", "A1", 5, json!([])), row("P", "A2", 3, json!([])), row("T", "A1", 1, json!([unit]))];
        let (baseline, items) = kept("baseline_snapshot_key").await;
        assert_eq!((&baseline["snapshot_type"], &baseline["scope_type"], &baseline["source"]), (&json!("actual"), &json!("full"), &json!("count_session")));
        assert_eq!((&baseline["inventory_count_session_key"], &baseline["timestamp"], &baseline["created_by"]), (&json!(session), &json!(site.clock.now()), &json!(hall.keeper().key)));
        assert_eq!(items, before);
        assert_eq!(hall.read(&session).await["coverage_percentage"], 0);
        count(&hall.x, &session, "P", "A1", json!(4)).await;
        assert_eq!(hall.read(&session).await["coverage_percentage"], json!(33.33));
        count(&hall.x, &session, "T", "A1", json!([])).await;
        // What was not there at the start does not count.
        count(&hall.x, &session, "T", "A2", json!([])).await;
        assert_eq!(hall.read(&session).await["coverage_percentage"], json!(66.67));
        hall.step(&session, "COMPLETED").await.expect(200);
        let after = vec![row("P", "A1", 4, json!([])), row("P", "A2", 3, json!([]))];
        let (then, items) = kept("post_count_snapshot_key").await;
        assert_eq!((&then["snapshot_type"], items), (&json!("virtual"), after.clone()));
        hall.depot.received("A2", 1.0).await;
        hall.step(&session, "CONFIRMED").await.expect(200);
        let done = applied(site, hall.keeper(), &session).await;
        assert_eq!((&done["coverage_percentage"], &done["movements_created"]), (&json!(66.67), &json!(2)));
        let now = vec![row("P", "A1", 4, json!([])), row("P", "A2", 4, json!([]))];
        assert_eq!(kept("post_count_snapshot_key").await.1, now, "taken again");
        let (last, items) = kept("post_adjustment_snapshot_key").await;
        assert_eq!((&last["snapshot_type"], items), (&json!("actual"), now));
        assert_eq!(kept("baseline_snapshot_key").await.1, before, "and this one stays");
        let key = text(&done["baseline_snapshot_key"]);
        let page = hall.depot.get(&format!("/inventory/snapshot/{key}?limit=2&offset=2")).await;
        assert_eq!(page["items"].as_array().unwrap().len(), 1);
        lacks(hall.x.get(&format!("/inventory/snapshot/{key}")).await, "inventory:count:apply");
        hall.keeper().get("/inventory/snapshot/0000000000001").await.expect(404);
        audit(site, hall.keeper()).await;
    }

    async fn a_session_is_about_its_targets(site) {
        let hall = hall(site).await;
        hall.depot.received("A", 1.0).await;
        hall.depot.received("A1", 2.0).await;
        hall.depot.received("IN", 3.0).await;
        hall.depot.received_unit("A1", "S-1").await;
        let scopes = [
            ("position", "A", false, "positions", vec!["P A 1"]),
            ("position", "A", true, "positions", vec!["P A 1", "P A1 2", "T A1 1"]),
            ("product", "T", false, "products", vec!["T A1 1"]),
        ];
        for (kind, target, below, scope, wanted) in scopes {
            let targets = json!([{ "targets": [{ "target_key": target, "include_children": below }] }]);
            let session = hall.planned_for(json!({ "type": kind }), targets).await;
            hall.step(&session, "STARTED").await.expect(200);
            let key = text(&hall.read(&session).await["baseline_snapshot_key"]);
            let kept = hall.depot.get(&format!("/inventory/snapshot/{key}")).await;
            assert_eq!((&kept["snapshot"]["scope_type"], &kept["snapshot"]["target_keys"]), (&json!(scope), &json!([target])));
            let item = |item: &Value| format!("{} {} {}", item["product_code"].as_str().unwrap(), item["position_code"].as_str().unwrap(), item["quantity"]);
            let mut items: Vec<String> = kept["items"].as_array().unwrap().iter().map(item).collect();
            items.sort();
            assert_eq!(items, wanted, "{kind} {target} {below}");
        }
        let nothing = json!([{ "targets": [{ "target_key": "A2", "include_children": true }] }]);
        let session = hall.planned_for(json!({}), nothing).await;
        hall.step(&session, "STARTED").await.expect(200);
        assert_eq!(hall.read(&session).await["coverage_percentage"], 100, "there is nothing to count");
        hall.keeper().post(ASSIGNMENTS, json!([{ "inventory_count_session_key": session, "target_key": "A1" }])).await.expect(200);
        assert_eq!(hall.read(&session).await["coverage_percentage"], 100, "the baseline stays");
    }
}
