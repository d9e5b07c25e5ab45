//! Types of issues: what they hold, how they are found, changed and removed.

use testkit::on_both_engines;

use super::*;

/// The names of a list of types, in its order.
async fn names(team: &Team, query: &[(&str, &str)]) -> Vec<String> {
    each(&team.ask(ISSUE_TYPES, query).await.expect(200).body, "name")
}

on_both_engines! {
    async fn a_type_has_what_was_sent(site) {
        let team = team(site).await;
        team.fields().await;
        let plain = team.admin.post(ISSUE_TYPES, json!({ "name": "Plain" })).await.expect(201).detail();
        let key = text(&plain["_key"]);
        assert_eq!(plain["_id"], format!("IssueType/{key}"));
        assert!(plain["_rev"].is_string());
        for (member, value) in [
            ("name", json!("Plain")), ("code", json!(null)), ("active", json!(true)), ("description", json!(null)), ("icon", json!(null)),
            ("critical", json!(false)), ("form_template", json!([])),
        ] {
            assert_eq!(plain.get(member), Some(&value), "{member}");
        }
        let form = json!([
            { "_key": "w", "custom_field_key": "weight", "label": "Net", "hint": "kg", "mandatory": true, "default": "3" },
            { "custom_field_key": "note", "multiple": true },
            { "custom_field_key": "grade", "hidden": true, "default": "g1" },
        ]);
        let sent = json!({
            "_key": "scratch", "name": "Scratch", "code": " SC-1 ", "active": false, "description": "On paint", "icon": "brush", "critical": true,
            "form_template": form,
        });
        let full = team.admin.post(ISSUE_TYPES, sent.clone()).await.expect(201).detail();
        assert_eq!((&full["_key"], &full["code"]), (&json!("scratch"), &json!("SC-1")), "trimmed");
        for member in ["name", "active", "description", "icon", "critical"] {
            assert_eq!(full[member], sent[member], "{member}");
        }
        let fields = full["form_template"].as_array().unwrap();
        let first = json!({
            "_key": "w", "custom_field_key": "weight", "multiple": false, "label": "Net", "hint": "kg", "default": "3", "mandatory": true,
            "hidden": false, "type": "number", "name": "weight",
        });
        for (member, value) in first.as_object().unwrap() {
            assert_eq!(fields[0][member], *value, "{member}");
        }
        assert!(text(&fields[1]["_key"]) != text(&fields[2]["_key"]), "keys are made");
        assert_eq!((&fields[1]["multiple"], &fields[1]["type"], &fields[2]["hidden"]), (&json!(true), &json!("text"), &json!(true)));
        assert_eq!(team.get("/issue-type?key=scratch&active_only=false").await, json!([full]));
        team.admin.post(ISSUE_TYPES, json!({ "_key": "scratch", "name": "Other" })).await.expect(409);
    }

    async fn what_does_not_fit_is_refused(site) {
        let team = team(site).await;
        team.fields().await;
        let form = |field: Value| json!({ "name": "x", "form_template": [field] });
        for (body, place) in [
            (json!({}), "body.name"),
            (json!({ "name": "" }), "body.name"),
            (json!({ "name": null }), "body.name"),
            (json!({ "name": "n".repeat(201) }), "body.name"),
            (json!({ "name": "x", "colour": "red" }), "body.colour"),
            (json!({ "name": "x", "critical": "very" }), "body.critical"),
            (json!({ "name": "x", "form_template": {} }), "body.form_template"),
            (form(json!({})), "body.form_template.0.custom_field_key"),
            (form(json!({ "custom_field_key": "weight", "shown": true })), "body.form_template.0.shown"),
        ] {
            faulty(team.admin.post(ISSUE_TYPES, body).await, place);
        }
        for field in [
            json!({ "custom_field_key": "nobody" }),
            json!({ "custom_field_key": "weight", "hidden": true }),
        ] {
            team.admin.post(ISSUE_TYPES, form(field)).await.expect(422);
        }
        // Defaults that the field can't hold.
        for (field, default) in [
            ("weight", "abc"), ("weight", ""), ("ticked", "yes"), ("passed", "maybe"), ("grade", "zzz"), ("grade", "First"), ("day", "soon"),
            ("day", "2026-02-30"), ("photo", "a.png"),
        ] {
            for hidden in [true, false] {
                let field = json!({ "custom_field_key": field, "default": default, "hidden": hidden, "mandatory": true });
                let told = team.admin.post(ISSUE_TYPES, form(field)).await;
                assert_eq!(told.faults(), ["value_error body.form_template.0.default"], "{default}");
            }
        }
        let twice = json!({ "_key": "w", "custom_field_key": "weight" });
        team.admin.post(ISSUE_TYPES, json!({ "name": "x", "form_template": [twice, twice] })).await.expect(422);
        team.admin.post(ISSUE_TYPES, json!({ "name": "n".repeat(200) })).await.expect(201);
        assert_eq!(team.get("/issue-type").await.as_array().unwrap().len(), 1);
    }

    async fn defaults_are_values_of_their_fields(site) {
        let team = team(site).await;
        team.fields().await;
        team.admin.post("/field", json!({ "_key": "colour", "name": "colour", "type": "choice" })).await.expect(200);
        team.admin.post("/list/colour", json!([{ "_key": "red", "value": "Red" }])).await.expect(200);
        let foreign = json!({ "name": "x", "form_template": [{ "custom_field_key": "grade", "default": "red" }] });
        faulty(team.admin.post(ISSUE_TYPES, foreign).await, "body.form_template.0.default");
        let fields = [("note", ""), ("note", "any"), ("weight", "2.5"), ("ticked", "true"), ("passed", "false"), ("grade", "g1"), ("day", "2026-03-01")];
        let form: Value = fields.map(|(field, default)| json!({ "custom_field_key": field, "default": default })).into_iter().collect();
        let key = team.issue_type("Scratch", json!({ "form_template": form })).await;
        let several = json!([{ "custom_field_key": "weight", "default": "2", "multiple": true, "hidden": true }]);
        team.admin.patch(&format!("{ISSUE_TYPES}/{key}"), json!({ "form_template": several })).await.expect(200);
        // What is stored may lose its list value; a change of something else goes on.
        let graded = json!([{ "custom_field_key": "grade", "default": "g2" }]);
        team.admin.patch(&format!("{ISSUE_TYPES}/{key}"), json!({ "form_template": graded })).await.expect(200);
        team.admin.delete("/list/grade?value_key=g2").await.expect(200);
        team.admin.patch(&format!("{ISSUE_TYPES}/{key}"), json!({ "name": "Dent" })).await.expect(200);
        let told = team.admin.patch(&format!("{ISSUE_TYPES}/{key}"), json!({ "form_template": graded })).await;
        assert_eq!(told.faults(), ["value_error body.form_template.0.default"]);
    }

    async fn codes_differ_whatever_their_case(site) {
        let team = team(site).await;
        let first = team.issue_type("First", json!({ "code": "Ärger" })).await;
        let second = team.issue_type("Second", json!({ "code": "other" })).await;
        for _ in 0..2 {
            team.issue_type("None", json!({ "code": null })).await;
        }
        team.admin.post(ISSUE_TYPES, json!({ "name": "x", "code": " ÄRGER" })).await.expect(409);
        team.admin.patch(&format!("{ISSUE_TYPES}/{second}"), json!({ "code": "ärger" })).await.expect(409);
        team.admin.patch(&format!("{ISSUE_TYPES}/{first}"), json!({ "code": "ÄRGER" })).await.expect(200);
        team.admin.delete(&format!("{ISSUE_TYPES}/{first}")).await.expect(200);
        let changed = team.admin.patch(&format!("{ISSUE_TYPES}/{second}"), json!({ "code": "ärger" })).await.detail();
        assert_eq!(changed["code"], "ärger");
    }

    async fn lists_combine_their_filters(site) {
        let team = team(site).await;
        let dent = team.issue_type("dent", json!({ "code": "D", "critical": true })).await;
        team.issue_type("Crack", json!({ "code": "C" })).await;
        team.issue_type("Noise", json!({ "active": false, "critical": true, "code": "N" })).await;
        team.issue_type("élan", json!({})).await;
        for (query, found) in [
            (vec![], vec!["Crack", "dent", "élan"]),
            (vec![("active_only", "false")], vec!["Crack", "dent", "Noise", "élan"]),
            (vec![("active_only", "true")], vec!["Crack", "dent", "élan"]),
            (vec![("critical", "true")], vec!["dent"]),
            (vec![("critical", "true"), ("active_only", "false")], vec!["dent", "Noise"]),
            (vec![("critical", "false")], vec!["Crack", "élan"]),
            (vec![("code", "C")], vec!["Crack"]),
            (vec![("code", "N")], vec![]),
            (vec![("key", dent.as_str())], vec!["dent"]),
            (vec![("key", dent.as_str()), ("critical", "false")], vec![]),
            (vec![("key", "nobody")], vec![]),
            (vec![("limit", "1"), ("offset", "1")], vec!["dent"]),
        ] {
            assert_eq!(names(&team, &query).await, found, "{query:?}");
        }
        let page = team.admin.get("/issue-type?count=true&limit=1&active_only=false").await.expect(200);
        assert_eq!(page.header("x-total-count"), "4");
        for wrong in [("limit", "0"), ("offset", "-1"), ("critical", "maybe"), ("active_only", "2")] {
            team.ask(ISSUE_TYPES, &[wrong]).await.expect(422);
        }
    }

    /// The last step of scenario 15.
    async fn a_change_leaves_what_it_does_not_name(site) {
        let team = team(site).await;
        team.fields().await;
        let form = json!([{ "_key": "w", "custom_field_key": "weight", "mandatory": true }]);
        let key = team.issue_type("Scratch", json!({ "code": "S", "description": "d", "icon": "i", "critical": true, "form_template": form })).await;
        let path = format!("{ISSUE_TYPES}/{key}");
        let before = team.get(&format!("/issue-type?key={key}")).await[0].clone();
        let renamed = team.admin.patch(&path, json!({ "name": "Scrape" })).await.detail();
        assert_eq!(renamed["name"], "Scrape");
        assert_ne!(renamed["_rev"], before["_rev"]);
        for member in ["code", "description", "icon", "critical", "active", "form_template"] {
            assert_eq!(renamed[member], before[member], "{member}");
        }
        let cleared = team.admin.patch(&path, json!({ "_key": key, "code": null, "description": null, "icon": null })).await.detail();
        assert_eq!((&cleared["code"], &cleared["description"], &cleared["icon"]), (&json!(null), &json!(null), &json!(null)));
        let changed = team.admin.patch(&path, json!({ "form_template": [], "critical": false, "active": false })).await.detail();
        assert_eq!((&changed["form_template"], &changed["critical"], &changed["active"]), (&json!([]), &json!(false), &json!(false)));
        for wrong in [json!({ "_key": "other" }), json!({ "name": null }), json!({ "name": "" }), json!({ "x": 1 })] {
            team.admin.patch(&path, wrong).await.expect(422);
        }
        let stale = team.admin.request(Method::PATCH, &path).header("if-match", text(&before["_rev"])).json(&json!({ "name": "Late" }));
        team.admin.send(stale).await.expect(412);
        team.admin.patch(&format!("{ISSUE_TYPES}/nobody"), json!({ "name": "x" })).await.expect(404);
        assert_eq!(team.get(&format!("/issue-type?key={key}&active_only=false")).await, json!([changed]));
    }

    async fn a_type_in_use_stays(site) {
        let team = team(site).await;
        let key = team.issue_type("Scratch", json!({})).await;
        let path = format!("{ISSUE_TYPES}/{key}");
        let open = team.issue(json!({ "issue_type_key": key })).await;
        let closed = team.issue(json!({ "issue_type_key": key, "open": false })).await;
        let told = team.admin.delete(&path).await.expect(409);
        assert_eq!(told.body["detail"]["issue_count"], 2, "{}", told.text);
        assert!(told.body["detail"]["message"].is_string());
        issue_step(&team.admin, "DELETED", &open, json!({})).await.expect(200);
        assert_eq!(team.admin.delete(&path).await.expect(409).body["detail"]["issue_count"], 1);
        issue_step(&team.admin, "DELETED", &closed, json!({})).await.expect(200);
        team.admin.delete(&path).await.expect(200);
        team.admin.delete(&path).await.expect(404);
        nobody(issue(&team.ann, "CREATED", json!({ "issue_type_key": key })).await, &key);
    }
}
