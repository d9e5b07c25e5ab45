//! Types of tasks: their forms, what their tasks are linked to, and how they are changed and removed.

use testkit::on_both_engines;

use super::*;

/// The names of a list of types, in its order.
async fn names(team: &Team, query: &[(&str, &str)]) -> Vec<String> {
    each(&team.ask(TASK_TYPES, query).await.expect(200).body, "name")
}

fn off(kind: &str) -> Value {
    json!({ "type": kind, "enabled": false, "allow_multiple": false, "required": false })
}

on_both_engines! {
    async fn a_type_has_what_was_sent(site) {
        let team = team(site).await;
        team.fields().await;
        let plain = team.admin.post(TASK_TYPES, json!({ "name": "Plain" })).await.expect(201).detail();
        let key = text(&plain["_key"]);
        assert_eq!((&plain["_id"], &plain["created"]), (&json!(format!("TaskType/{key}")), &json!(site.clock.now())));
        for (member, value) in [
            ("name", json!("Plain")), ("description", json!(null)), ("icon", json!(null)), ("active", json!(true)), ("form_fields", json!([])),
            ("require_time_entry", json!(false)), ("link_settings", json!(LINKS.map(off))),
        ] {
            assert_eq!(plain.get(member), Some(&value), "{member}");
        }
        let settings = json!([
            { "type": "serial", "enabled": true, "required": true }, { "type": "issue", "enabled": true, "allow_multiple": true },
        ]);
        let form = json!([{ "_key": "w", "custom_field_key": "weight", "mandatory": true, "default": "3" }, { "custom_field_key": "note" }]);
        let sent = json!({
            "_key": "repair", "name": "Repair", "description": "d", "icon": "wrench", "active": false, "require_time_entry": true,
            "form_fields": form, "link_settings": settings,
        });
        let full = team.admin.post(TASK_TYPES, sent.clone()).await.expect(201).detail();
        for member in ["_key", "name", "description", "icon", "active", "require_time_entry"] {
            assert_eq!(full[member], sent[member], "{member}");
        }
        let field = &full["form_fields"][0];
        assert_eq!((&field["_key"], &field["type"], &field["name"], &field["default"]), (&json!("w"), &json!("number"), &json!("weight"), &json!("3")));
        assert!(full["form_fields"][1]["_key"].is_string());
        let mut every = LINKS.map(off);
        (every[3]["enabled"], every[3]["required"]) = (json!(true), json!(true));
        (every[0]["enabled"], every[0]["allow_multiple"]) = (json!(true), json!(true));
        assert_eq!(full["link_settings"], json!(every), "one for each kind");
        assert_eq!(team.get("/task-type?active_only=false&name=Rep").await, json!([full]));
        team.admin.post(TASK_TYPES, json!({ "_key": "repair", "name": "Other" })).await.expect(409);
    }

    async fn what_does_not_fit_is_refused(site) {
        let team = team(site).await;
        team.fields().await;
        let settings = |setting: Value| json!({ "name": "x", "link_settings": [setting] });
        for (body, place) in [
            (json!({}), "body.name"),
            (json!({ "name": "" }), "body.name"),
            (json!({ "name": "n".repeat(201) }), "body.name"),
            (json!({ "name": "x", "form_fields": [{}] }), "body.form_fields.0.custom_field_key"),
            (settings(json!({ "enabled": true })), "body.link_settings.0.type"),
            (settings(json!({ "type": "user" })), "body.link_settings.0.type"),
            (settings(json!({ "type": "task", "many": true })), "body.link_settings.0.many"),
        ] {
            faulty(team.admin.post(TASK_TYPES, body).await, place);
        }
        for body in [
            settings(json!({ "type": "task", "required": true })),
            json!({ "name": "x", "link_settings": [{ "type": "task", "enabled": true }, { "type": "task" }] }),
            json!({ "name": "x", "form_fields": [{ "custom_field_key": "nobody" }] }),
            json!({ "name": "x", "form_fields": [{ "custom_field_key": "note", "hidden": true }] }),
        ] {
            team.admin.post(TASK_TYPES, body).await.expect(422);
        }
        for (field, default) in [("weight", "abc"), ("grade", "zzz"), ("day", "soon")] {
            let form = json!([{ "custom_field_key": "note" }, { "custom_field_key": field, "default": default, "hidden": true, "mandatory": true }]);
            let told = team.admin.post(TASK_TYPES, json!({ "name": "x", "form_fields": form })).await;
            assert_eq!(told.faults(), ["value_error body.form_fields.1.default"], "{default}");
        }
        assert_eq!(team.get("/task-type?active_only=false").await, json!([]));
    }

    async fn lists_are_by_name(site) {
        let team = team(site).await;
        for (name, active) in [("repair", true), ("Clean", true), ("Repaint", false)] {
            team.task_type(name, json!({ "active": active })).await;
        }
        for (query, found) in [
            (vec![], vec!["Clean", "repair"]),
            (vec![("active_only", "false")], vec!["Clean", "Repaint", "repair"]),
            (vec![("name", "REP")], vec!["repair"]),
            (vec![("name", "REP"), ("active_only", "false")], vec!["Repaint", "repair"]),
            (vec![("name", "r*r")], vec![]),
            (vec![("limit", "1"), ("offset", "1")], vec!["repair"]),
        ] {
            assert_eq!(names(&team, &query).await, found, "{query:?}");
        }
        let page = team.admin.get("/task-type?count=true&limit=1").await.expect(200);
        assert_eq!(page.header("x-total-count"), "2");
    }

    async fn a_change_keeps_what_it_does_not_name(site) {
        let team = team(site).await;
        team.fields().await;
        let form = json!([{ "_key": "w", "custom_field_key": "weight" }]);
        let settings = json!([{ "type": "task", "enabled": true }]);
        let members = json!({ "description": "d", "icon": "i", "require_time_entry": true, "form_fields": form, "link_settings": settings });
        let key = team.task_type("Repair", members).await;
        let path = format!("{TASK_TYPES}/{key}");
        let before = team.get("/task-type").await[0].clone();
        let renamed = team.admin.put(&path, json!({ "name": "Mend" })).await.detail();
        for member in ["_key", "description", "icon", "active", "created", "form_fields", "require_time_entry", "link_settings"] {
            assert_eq!(renamed[member], before[member], "{member}");
        }
        assert_eq!(renamed["name"], "Mend");
        let new = json!({ "name": "Mend", "active": false, "form_fields": [], "require_time_entry": false, "link_settings": [] });
        let changed = team.admin.put(&path, new).await.detail();
        assert_eq!((&changed["active"], &changed["form_fields"], &changed["require_time_entry"]), (&json!(false), &json!([]), &json!(false)));
        assert_eq!(changed["link_settings"], json!(LINKS.map(off)));
        faulty(team.admin.put(&path, json!({ "icon": "x" })).await, "body.name");
        team.admin.put(&path, json!({ "name": "x", "link_settings": [{ "type": "task", "required": true }] })).await.expect(422);
        let stale = team.admin.request(Method::PUT, &path).header("if-match", text(&before["_rev"])).json(&json!({ "name": "Late" }));
        team.admin.send(stale).await.expect(412);
        team.admin.put(&format!("{TASK_TYPES}/nobody"), json!({ "name": "x" })).await.expect(404);
        assert_eq!(team.get("/task-type?active_only=false").await, json!([changed]));
    }

    async fn a_type_in_use_stays(site) {
        let team = team(site).await;
        let key = team.task_type("Repair", json!({})).await;
        let path = format!("{TASK_TYPES}/{key}");
        let [one, two] = [team.task_in(&key, "open").await, team.task_in(&key, "completed").await];
        let told = team.admin.delete(&path).await.expect(409);
        assert_eq!(told.body["detail"]["task_count"], 2, "{}", told.text);
        task(&team.ann, "DELETED", &one, json!({})).await.expect(200);
        assert_eq!(team.admin.delete(&path).await.expect(409).body["detail"]["task_count"], 1);
        task(&team.ann, "DELETED", &two, json!({})).await.expect(200);
        team.admin.delete(&path).await.expect(200);
        team.admin.delete(&path).await.expect(404);
        nobody(create(&team.ann, &key, json!({})).await, &key);
        assert_eq!(team.get("/task").await, json!([]));
    }
}
