//! Issues: what they hold, their rules, and what is left of them.

use testkit::on_both_engines;

use super::*;

#[track_caller]
fn not_updated(answer: Answer, code: &str) {
    rule(answer, "IssueNotUpdatedError", code);
}

/// What an issue shows of its values: field and value, in order.
fn shown(issue: &Value) -> Vec<Value> {
    let data = issue["data"].as_array().unwrap().iter();
    data.map(|entry| json!([entry["form_field_key"], entry["value"]])).collect()
}

/// A type with a mandatory number `w`, a text `n` and a choice `g`.
async fn scratch(team: &Team) -> String {
    team.fields().await;
    let form = json!([
        { "_key": "w", "custom_field_key": "weight", "label": "Net", "hint": "kg", "mandatory": true },
        { "_key": "n", "custom_field_key": "note", "label": "Remark" },
        { "_key": "g", "custom_field_key": "grade", "label": "Grade" },
    ]);
    team.issue_type("Scratch", json!({ "icon": "brush", "form_template": form })).await
}

on_both_engines! {
    async fn an_issue_has_what_was_sent(site) {
        let team = team(site).await;
        let kind = scratch(&team).await;
        let order = team.order("A").await;
        let sent = json!({
            "issue_type_key": kind, "title": "Bent pin", "description": "Pin 4 of the left plug", "critical": true,
            "data": values(&[("w", json!(1.5)), ("g", json!("g2"))]),
            "linked_to": [link("project", "Alpha"), link("work_order", &order.key)],
        });
        let made = issue(&team.ann, "CREATED", sent).await.detail();
        let key = text(&made["issue_key"]);
        let read = team.read_issue(&key).await;
        let now = json!(site.clock.now());
        for (member, value) in [
            ("_key", json!(key)), ("_id", json!(format!("Issue/{key}"))), ("issue_type_key", json!(kind)), ("title", json!("Bent pin")),
            ("description", json!("Pin 4 of the left plug")), ("created", now.clone()), ("created_by", json!(team.ann.key)), ("updated", json!(null)),
            ("closed", json!(null)), ("closed_by", json!(null)), ("critical", json!(true)), ("open", json!(true)), ("icon", json!("brush")),
            ("issue_type_name", json!("Scratch")), ("phase_alias", json!(null)),
        ] {
            assert_eq!(read.get(member), Some(&value), "{member}");
        }
        assert_eq!(read["linked_to"], json!([
            { "type": "project", "key": "Alpha", "code": "Alpha" }, { "type": "work_order", "key": order.key, "code": "A" },
        ]), "in the order sent");
        assert_eq!(shown(&read), [json!(["w", 1.5]), json!(["n", null]), json!(["g", { "_key": "g2", "value": "Second" }])]);
        let first = json!({
            "form_field_key": "w", "custom_field_key": "weight", "type": "number", "label": "Net", "hint": "kg", "mandatory": true, "value": 1.5,
        });
        for (member, value) in first.as_object().unwrap() {
            assert_eq!(read["data"][0][member], *value, "{member}");
        }
        let stored = team.stored(&made).await;
        assert_eq!((&stored["event_type"], &stored["issue_key"], &stored["user_key"]), (&json!("ISSUE_CREATED"), &json!(key), &json!(team.ann.key)));
        let found = team.get(&format!("/event?issue_key={key}")).await;
        assert_eq!(each(&found, "_key"), [text(&made["event_key"])]);
    }

    async fn hardly_anything_is_needed(site) {
        let team = team(site).await;
        let made = event(&team.ann, "ISSUE_CREATED", json!({ "issue_data": {}, "timestamp": "2026-02-01T10:00:00Z" })).await.detail();
        let read = team.read_issue(&text(&made["issue_key"])).await;
        for member in ["issue_type_key", "title", "description", "updated", "closed", "closed_by", "icon", "issue_type_name", "phase_alias"] {
            assert_eq!(read.get(member), Some(&Value::Null), "{member}");
        }
        assert_eq!((&read["critical"], &read["open"]), (&json!(false), &json!(true)));
        assert_eq!((&read["data"], &read["linked_to"], &read["created"]), (&json!([]), &json!([]), &json!("2026-02-01T10:00:00.000Z")));
        for (body, place) in [
            (json!({}), "body.issue_data"),
            (json!({ "issue_data": { "title": "t".repeat(201) } }), "body.issue_data.title"),
            (json!({ "issue_data": { "description": "d".repeat(10_001) } }), "body.issue_data.description"),
            (json!({ "issue_data": { "created_by": "x" } }), "body.issue_data.created_by"),
            (json!({ "issue_data": { "linked_to": [link("planet", "x")] } }), "body.issue_data.linked_to.0.type"),
            (json!({ "issue_data": { "linked_to": [{ "type": "job" }] } }), "body.issue_data.linked_to.0.key"),
            (json!({ "title": "x", "issue_data": {} }), "body.title"),
        ] {
            faulty(event(&team.ann, "ISSUE_CREATED", body).await, place);
        }
        let longest = json!({ "title": "t".repeat(200), "description": "d".repeat(10_000) });
        issue(&team.ann, "CREATED", longest).await.expect(200);
        assert_eq!(site.count("issue").await, 2);
    }

    async fn what_is_named_has_to_be_there(site) {
        let team = team(site).await;
        team.traced("T").await;
        let order = team.order("A").await;
        let unit = team.unit("T", "T-1", json!({})).await;
        let phase = text(&team.shop.job(&order, 0).await["phase_key"]);
        let links = [
            ("product", "A"), ("operation", "work"), ("phase", phase.as_str()), ("work_order", order.key.as_str()), ("project", "nowhere"),
            ("user", team.ben.key.as_str()), ("job", order.jobs[0].as_str()), ("serial", unit.as_str()),
        ];
        for (kind, key) in links {
            let made = team.issue(json!({ "linked_to": [link(kind, key), link(kind, key)] })).await;
            let read = team.read_issue(&made).await;
            assert_eq!(read["linked_to"].as_array().unwrap().len(), 1, "once: {read}");
            assert_eq!((&read["linked_to"][0]["type"], &read["linked_to"][0]["key"]), (&json!(kind), &json!(key)));
            if kind != "project" {
                nobody(issue(&team.ann, "CREATED", json!({ "linked_to": [link(kind, NOBODY)] })).await, NOBODY);
                let told = refused(issue_step(&team.ann, "UPDATED", &made, json!({ "linked_to": [link(kind, NOBODY)] })).await, "RecordNotFoundError");
                assert_eq!((&told["field"], &told["key"]), (&json!("linked_to"), &json!(NOBODY)));
            }
        }
        nobody(issue(&team.ann, "CREATED", json!({ "issue_type_key": "nobody" })).await, "nobody");
        for step in ["UPDATED", "CLOSED", "REOPENED", "DELETED"] {
            for key in [NOBODY, "no-key-of-ours"] {
                let told = refused(issue_step(&team.admin, step, key, json!({})).await, "RecordNotFoundError");
                assert_eq!((&told["field"], &told["key"]), (&json!("_key"), &json!(key)));
            }
            faulty(issue(&team.admin, step, json!({})).await, "body.issue_data._key");
        }
        // What was deleted is not there, either.
        event(&team.admin, "SERIAL_DELETED", json!({ "serial_key": unit })).await.expect(200);
        nobody(issue(&team.ann, "CREATED", json!({ "linked_to": [link("serial", &unit)] })).await, &unit);
        let gone = site.new_user("gone", "operator").await;
        team.admin.delete(&format!("/user/{}", gone.key)).await.expect(200);
        nobody(issue(&team.ann, "CREATED", json!({ "linked_to": [link("user", &gone.key)] })).await, &gone.key);
        assert_eq!(site.count("issue").await, links.len() as i64);
    }

    async fn new_issues_have_active_types(site) {
        let team = team(site).await;
        let kind = team.issue_type("Old", json!({ "critical": true })).await;
        let before = team.issue(json!({ "issue_type_key": kind })).await;
        team.admin.patch(&format!("{ISSUE_TYPES}/{kind}"), json!({ "active": false, "critical": false })).await.expect(200);
        rule(issue(&team.ann, "CREATED", json!({ "issue_type_key": kind })).await, "IssueNotCreatedError", "type_inactive");
        issue_step(&team.ann, "UPDATED", &before, json!({ "title": "still there" })).await.expect(200);
        assert_eq!(team.read_issue(&before).await["critical"], true, "what it was then");
        issue_step(&team.ann, "CLOSED", &before, json!({})).await.expect(200);
        let read = team.get(&format!("/issue?issue_type_key={kind}")).await;
        assert_eq!(each(&read, "_key"), [before]);
    }

    async fn a_change_names_what_changes(site) {
        let team = team(site).await;
        let kind = scratch(&team).await;
        let data = values(&[("w", json!(1)), ("n", json!("red"))]);
        let links = json!([link("project", "X")]);
        let sent = json!({ "issue_type_key": kind, "title": "One", "description": "d", "data": data, "linked_to": links });
        let key = team.issue(sent).await;
        site.clock.advance_seconds(60);
        let data = values(&[("n", json!(null)), ("g", json!({ "_key": "g1" }))]);
        let changed = issue_step(&team.ben, "UPDATED", &key, json!({ "title": "Two", "data": data })).await.detail();
        assert_eq!(changed["issue_key"], key);
        let read = team.read_issue(&key).await;
        assert_eq!((&read["title"], &read["description"], &read["updated"]), (&json!("Two"), &json!("d"), &json!(site.clock.now())));
        assert_eq!((&read["created_by"], read["linked_to"].as_array().unwrap().len()), (&json!(team.ann.key), 1), "absent ones stay");
        assert_eq!(shown(&read), [json!(["w", 1]), json!(["n", null]), json!(["g", { "_key": "g1", "value": "First" }])], "values merge");
        issue_step(&team.ben, "UPDATED", &key, json!({ "title": null, "description": null, "linked_to": [] })).await.expect(200);
        let read = team.read_issue(&key).await;
        assert_eq!((&read["title"], &read["description"], &read["linked_to"]), (&json!(null), &json!(null), &json!([])));
        not_updated(issue_step(&team.ben, "UPDATED", &key, json!({})).await, "nothing_to_change");
        issue_step(&team.ben, "UPDATED", &key, json!({ "title": null })).await.expect(200);
        for member in ["critical", "data"] {
            faulty(issue_step(&team.ben, "UPDATED", &key, json!({ member: null })).await, &format!("body.issue_data.{member}"));
        }
        for links in [json!([link("project", "Y")]), json!(null)] {
            issue_step(&team.ben, "UPDATED", &key, json!({ "linked_to": links })).await.expect(200);
            let shown = team.read_issue(&key).await["linked_to"].as_array().unwrap().len();
            assert_eq!(shown, links.as_array().map_or(0, Vec::len), "null clears");
        }
        for wrong in [json!({ "open": false }), json!({ "open": true }), json!({ "closed": null })] {
            issue_step(&team.ben, "UPDATED", &key, wrong).await.expect(422);
        }
        // Of another type, what its form does not have follows behind.
        let other = team.issue_type("Dent", json!({ "form_template": [{ "_key": "d", "custom_field_key": "day" }] })).await;
        issue_step(&team.ben, "UPDATED", &key, json!({ "issue_type_key": other })).await.expect(200);
        let read = team.read_issue(&key).await;
        assert_eq!((shown(&read)[0].clone(), &read["issue_type_name"]), (json!(["d", null]), &json!("Dent")));
        assert!(shown(&read).contains(&json!(["w", 1])), "{read}");
        nobody(issue_step(&team.ben, "UPDATED", &key, json!({ "issue_type_key": "nobody" })).await, "nobody");
    }

    /// Whoever follows an order learns that the issue is no longer about it.
    async fn a_change_of_what_it_is_about_is_found_by_both(site) {
        let team = team(site).await;
        let (one, two) = (team.order("A").await, team.order("B").await);
        let key = team.issue(json!({ "linked_to": [link("work_order", &one.key), link("job", &one.jobs[0])] })).await;
        let links = json!([link("work_order", &two.key), link("product", "B")]);
        let moved = text(&issue_step(&team.ann, "UPDATED", &key, json!({ "linked_to": links })).await.detail()["event_key"]);
        let gone = text(&issue_step(&team.ann, "UPDATED", &key, json!({ "linked_to": null })).await.detail()["event_key"]);
        let found = async |query: String| each(&team.get(&format!("/event?{query}&type=ISSUE_UPDATED")).await, "_key");
        assert_eq!(found(format!("work_order_key={}", one.key)).await, std::slice::from_ref(&moved));
        assert_eq!(found(format!("job_key={}", one.jobs[0])).await, std::slice::from_ref(&moved));
        assert_eq!(found(format!("work_order_key={}&sort_by=seq&sorting_order=asc", two.key)).await, [moved.clone(), gone.clone()]);
        assert_eq!(found("product_key=B&sort_by=seq&sorting_order=asc".to_owned()).await, [moved, gone]);
    }

    async fn values_have_an_end(site) {
        let team = team(site).await;
        team.fields().await;
        let form = json!([{ "_key": "n", "custom_field_key": "note", "multiple": true }, { "_key": "p", "custom_field_key": "photo" }]);
        let kind = team.issue_type("Scratch", json!({ "form_template": form })).await;
        let many = |count: usize| (0..count).map(|number| json!({ "form_field_key": format!("f{number}"), "value": 1 })).collect::<Value>();
        let key = team.issue(json!({ "issue_type_key": kind, "data": null, "linked_to": null, "critical": null })).await;
        faulty(issue(&team.ann, "CREATED", json!({ "data": many(501) })).await, "body.issue_data.data");
        for step in ["UPDATED", "CLOSED"] {
            faulty(issue_step(&team.ann, step, &key, json!({ "data": many(501) })).await, "body.issue_data.data");
            assert_eq!(bad_values(issue_step(&team.ann, step, &key, json!({ "data": many(500) })).await).len(), 500);
            let entries = values(&[("n", json!(vec!["x"; 1001])), ("p", json!(vec![json!({ "name": "a", "size": 1 }); 1001]))]);
            assert_eq!(bad_values(issue_step(&team.ann, step, &key, json!({ "data": entries })).await), ["wrong_type", "wrong_type"]);
        }
        let entries = values(&[("n", json!(vec!["x"; 1000]))]);
        issue_step(&team.ann, "UPDATED", &key, json!({ "data": entries })).await.expect(200);
    }

    async fn values_fit_their_fields(site) {
        let team = team(site).await;
        let kind = scratch(&team).await;
        let wrong = values(&[("w", json!("heavy")), ("g", json!("g3")), ("x", json!(1)), ("n", json!(5))]);
        let told = refused(issue(&team.ann, "CREATED", json!({ "issue_type_key": kind, "data": wrong })).await, "FormFieldValueError");
        let mut rules: Vec<Value> = told["fields"].as_array().unwrap().iter().map(|fault| json!([fault["form_field_key"], fault["rule"]])).collect();
        rules.sort_by_key(Value::to_string);
        assert_eq!(rules, [json!(["g", "not_in_list"]), json!(["n", "wrong_type"]), json!(["w", "wrong_type"]), json!(["x", "unknown_field"])]);
        let key = team.issue(json!({ "issue_type_key": kind })).await;
        for step in ["UPDATED", "CLOSED"] {
            let answer = issue_step(&team.ann, step, &key, json!({ "data": values(&[("w", json!([1]))]) })).await;
            assert_eq!(bad_values(answer), ["wrong_type"], "{step}");
        }
        assert_eq!((&team.read_issue(&key).await["open"], site.count("issue").await), (&json!(true), 1));
    }

    async fn closing_needs_a_type_and_what_its_form_asks_for(site) {
        let team = team(site).await;
        let kind = scratch(&team).await;
        let not_closed = |answer: Answer, code: &str| rule(answer, "IssueNotClosedError", code);
        let key = team.issue(json!({ "title": "One" })).await;
        not_closed(issue_step(&team.ann, "CLOSED", &key, json!({})).await, "no_type");
        let told = not_closed(issue_step(&team.ann, "CLOSED", &key, json!({ "issue_type_key": kind })).await, "missing_fields");
        assert_eq!(told["fields"], json!([{ "form_field_key": "w", "label": "Net" }]));
        assert_eq!(team.read_issue(&key).await["issue_type_key"], Value::Null, "nothing of it is kept");
        site.clock.advance_seconds(60);
        let members = json!({ "issue_type_key": kind, "data": values(&[("w", json!(0))]) });
        let closed = issue_step(&team.ben, "CLOSED", &key, members).await.detail();
        assert_eq!(closed["issue_key"], key);
        let read = team.read_issue(&key).await;
        assert_eq!((&read["open"], &read["closed"], &read["closed_by"]), (&json!(false), &json!(site.clock.now()), &json!(team.ben.key)));
        assert_eq!((&read["issue_type_name"], shown(&read)[0].clone()), (&json!("Scratch"), json!(["w", 0])));
        not_closed(issue_step(&team.ben, "CLOSED", &key, json!({})).await, "already_closed");
        not_updated(issue_step(&team.ben, "UPDATED", &key, json!({ "title": "Two" })).await, "closed");
        issue_step(&team.cat, "REOPENED", &key, json!({})).await.expect(200);
        let read = team.read_issue(&key).await;
        assert_eq!((&read["open"], &read["closed"], &read["closed_by"]), (&json!(true), &json!(null), &json!(null)));
        not_updated(issue_step(&team.cat, "REOPENED", &key, json!({})).await, "already_open");
        issue_step(&team.cat, "CLOSED", &key, json!({})).await.expect(200);
        assert_eq!(team.read_issue(&key).await["closed_by"], json!(team.cat.key));
    }

    async fn an_issue_may_be_closed_from_the_start(site) {
        let team = team(site).await;
        let kind = scratch(&team).await;
        let create = async |members: Value| issue(&team.ann, "CREATED", with(json!({ "open": false }), members)).await;
        rule(create(json!({})).await, "IssueNotClosedError", "no_type");
        let told = rule(create(json!({ "issue_type_key": kind })).await, "IssueNotClosedError", "missing_fields");
        assert_eq!(each(&told["fields"], "form_field_key"), ["w"]);
        assert_eq!(site.count("issue").await, 0);
        let key = text(&create(json!({ "issue_type_key": kind, "data": values(&[("w", json!(2))]) })).await.detail()["issue_key"]);
        let read = team.read_issue(&key).await;
        assert_eq!((&read["open"], &read["closed"], &read["closed_by"]), (&json!(false), &json!(site.clock.now()), &json!(team.ann.key)));
    }

    async fn a_deleted_issue_leaves_only_its_events(site) {
        let team = team(site).await;
        let kind = scratch(&team).await;
        let linking = team.linking_type("Repair").await;
        let sent = json!({ "issue_type_key": kind, "title": "One", "data": values(&[("w", json!(1))]), "linked_to": [link("project", "X")] });
        let key = team.issue(sent).await;
        let task_key = team.task(&linking, json!({})).await;
        task_link(&team.ann, "LINKED", &task_key, "issue", &key).await.expect(200);
        said(&team.ann, &format!("Issue/{key}"), "look at this").await;
        said(&team.ann, &format!("Task/{task_key}"), "and at that").await;
        let read = team.read_issue(&key).await;
        lacks(issue_step(&team.ann, "DELETED", &key, json!({})).await, "collaboration:issue:delete");
        let quality = site.user("quality", "quality").await;
        let deleted = issue_step(&quality, "DELETED", &key, json!({})).await.detail();
        assert_eq!(deleted["issue_key"], key);
        team.admin.get(&format!("/issue/{key}")).await.expect(404);
        assert_eq!(team.get("/issue").await, json!([]));
        team.admin.get(&format!("/message?recipient_id=Issue/{key}")).await.expect(404);
        assert_eq!((site.count("issue").await, site.count("issue_rel").await, site.count("message").await), (0, 0, 1));
        assert_eq!(team.read_task(&task_key).await["links"], json!([]), "nothing is linked to it");
        let snapshot = team.stored(&deleted).await["payload"]["snapshot"].clone();
        for member in ["_key", "issue_type_key", "title", "created", "created_by", "critical", "open"] {
            assert_eq!(snapshot[member], read[member], "{member}");
        }
        assert_eq!(shown(&snapshot)[0], json!(["w", 1]), "{snapshot}");
        let told = each(&team.get(&format!("/event?issue_key={key}&sort_by=seq&sorting_order=asc")).await, "event_type");
        assert_eq!((told.first().unwrap().as_str(), told.last().unwrap().as_str()), ("ISSUE_CREATED", "ISSUE_DELETED"));
        assert!(told.iter().any(|name| name == "MESSAGE_POSTED"), "{told:?}");
        nobody(issue_step(&quality, "DELETED", &key, json!({})).await, &key);
        nobody(task_link(&team.ann, "LINKED", &task_key, "issue", &key).await, &key);
    }

    /// A closed one goes as well.
    async fn a_closed_issue_can_be_deleted(site) {
        let team = team(site).await;
        let kind = team.issue_type("Scratch", json!({})).await;
        let key = team.issue(json!({ "issue_type_key": kind, "open": false })).await;
        issue_step(&team.admin, "DELETED", &key, json!({})).await.expect(200);
        assert_eq!(site.count("issue").await, 0);
    }
}
